// Runs inside a page, after its own script; leaves its findings in the document.
"use strict";
(() => {
  const problems = [], seen = { curves: 0, dots: 0, heats: 0, boxes: 0, tables: 0, screens: 0 };
  const expect = (holds, text) => { if (!holds) problems.push(text); };
  const colours = {};
  const shown = node => node.getClientRects().length > 0;
  const phone = innerWidth < 500;

  // As it opens: a page of many figures begins with one screen of what matters, and the rest is folded below.
  const overview = document.getElementById("overview");
  seen.screens = Math.ceil(document.documentElement.scrollHeight / (phone ? 844 : 900));
  if (overview) {
    const box = overview.getBoundingClientRect();
    expect(box.bottom <= (phone ? 844 : 900) || innerWidth === 820, `the first screen is ${box.bottom} high`);
    expect(overview.querySelectorAll(".first svg").length > 0 && overview.querySelector(".tally"), "the first screen has no figures");
    expect(seen.screens <= 7, `${seen.screens} screens before anything is unfolded`);
  }
  for (const folded of document.querySelectorAll("details")) folded.open = true;

  for (const plot of document.querySelectorAll(".plot")) {
    const drawn = [...plot.querySelectorAll("svg")].filter(shown);
    const name = plot.querySelector("svg").getAttribute("aria-label");
    expect(drawn.length === 1, `${name}: ${drawn.length} drawings are shown, not one`);
    for (const svg of drawn) {
      const box = svg.getBoundingClientRect();
      const least = svg.dataset.chart === "zeros" ? 20 : 100;
      expect(box.width > 200 && box.height > least, `${name}: drawn ${box.width} × ${box.height}`);
      const keys = [...svg.querySelectorAll("path.key-line")];
      if (svg.dataset.chart === "lines") {
        const curves = [...svg.querySelectorAll("path.curve:not(.key-line)")];
        const points = [...svg.querySelectorAll("circle.point")];
        expect(curves.length > 0 && keys.length <= 6, `${name}: ${curves.length} curves, a legend of ${keys.length}`);
        const looks = curves.map(c => getComputedStyle(c).stroke);
        expect(new Set(looks).size === looks.length, `${name}: two curves of one colour`);
        // What is seen side by side has one colour for one method.
        if (plot.closest("#overview")) {
          keys.forEach(key => {
            const method = key.nextElementSibling.textContent, look = getComputedStyle(key).stroke;
            expect((colours[method] ??= look) === look, `${name}: ${method} has another colour`);
          });
        }
        expect(curves.length === keys.length, `${name}: ${curves.length} curves of ${keys.length}`);
        expect(curves.every(c => c.getTotalLength() > 0), `${name}: a curve without length`);
        expect(curves.every(c => getComputedStyle(c).stroke !== "none"), `${name}: a curve without colour`);
        expect(points.length >= 2 * curves.length, `${name}: points are missing`);
        expect(points.every(p => p.querySelector("title").textContent.length > 3), `${name}: hovering over a point shows nothing`);
        seen.curves += curves.length;
      }
      if (svg.dataset.chart === "dots") {
        const dots = [...svg.querySelectorAll("circle.dot")];
        expect(dots.length > 0, `${name}: no dots`);
        const inside = dots.every(d => d.getBoundingClientRect().right <= box.right && d.getBoundingClientRect().left >= box.left);
        expect(inside, `${name}: a dot is outside`);
        expect(dots.every(d => d.querySelector("title").textContent.length > 3), `${name}: hovering over a dot shows nothing`);
        seen.dots += dots.length;
      }
      if (svg.dataset.chart === "heat") {
        const data = JSON.parse(plot.querySelector("script").textContent);
        expect(svg.textContent.includes("logarithmic"), `${name}: the scale is not named`);
        const labels = [...svg.querySelectorAll("text[style]")];
        expect(labels.length >= Math.min(data.rows.length, 12), `${name}: rows and columns have no labels`);
        const cells = [...svg.querySelectorAll("path[class^=h], path.noise")].map(p => p.getAttribute("d").split("z").length - 1);
        const wanted = data.values.filter(x => Number(x) !== 0).length;
        expect(cells.reduce((a, b) => a + b, 0) === wanted, `${name}: cells are missing`);
        seen.heats += 1;
      }
      if (svg.dataset.chart === "boxes") {
        const boxes = [...svg.querySelectorAll("path.solid")];
        expect(boxes.length > 0 && svg.querySelectorAll("circle.pivot").length > 0, `${name}: no boxes or no joints`);
        for (const part of svg.querySelectorAll("path.solid, line.bone, circle.pivot")) {
          const { left, right, top, bottom } = part.getBoundingClientRect();
          const inside = left >= box.left && right <= box.right && top >= box.top && bottom <= box.bottom;
          expect(inside, `${name}: ${part.outerHTML} is outside`);
        }
        expect(boxes.every(b => b.querySelector("title").textContent.length > 3), `${name}: hovering over a box shows nothing`);
        seen.boxes += boxes.length;
      }
      for (const text of svg.querySelectorAll("text")) {
        const t = text.getBoundingClientRect();
        expect(t.left >= box.left - 2 && t.right <= box.right + 2, `${name}: "${text.textContent}" sticks out`);
      }
    }
  }
  // Findings come before all else, worst first, each with a place, a sentence and a remedy.
  const found = [...document.querySelectorAll(".finding")];
  const ranks = found.map(finding => ["error", "warning", "hint"].indexOf(finding.classList[1]));
  expect(ranks.every((rank, k) => rank >= 0 && (k === 0 || ranks[k - 1] <= rank)), `the findings are in the order ${ranks}`);
  expect(found.every(finding => [...finding.querySelectorAll("p, b")].every(part => part.textContent.length > 4)), "a finding is empty");
  const first = document.querySelector("svg, table");
  const above = finding => finding.compareDocumentPosition(first) & Node.DOCUMENT_POSITION_FOLLOWING;
  expect(found.every(above), "a finding is below a drawing or a table");
  seen.findings = found.length;
  for (const section of document.querySelectorAll("section.figure, details.figure")) {
    expect(!section.querySelector(".problem"), `${section.id}: ${section.querySelector(".problem")?.textContent}`);
    expect(section.querySelector("svg, table, li, p"), `${section.id}: empty`);
  }
  // Words of one line do not run into each other.
  for (const summary of document.querySelectorAll("details.figure > summary")) {
    const boxes = [...summary.children].filter(shown).map(part => {
      const range = document.createRange();
      range.selectNodeContents(part);
      return range.getBoundingClientRect();
    });
    const apart = (a, b) => a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top;
    expect(boxes.every((a, i) => boxes.slice(i + 1).every(b => apart(a, b))), `${summary.textContent}: words overlap`);
  }
  for (const link of document.querySelectorAll("a[href^='#']")) {
    expect(document.getElementById(link.hash.slice(1)), `${link.hash} leads nowhere`);
  }
  // No two notes are the same, and none is repeated under another figure.
  const notes = [...document.querySelectorAll("#notes li, .plots ~ .notes li, .scroll ~ .notes li")].map(note => note.textContent);
  expect(new Set(notes).size === notes.length, "a note is repeated");

  for (const table of document.querySelectorAll("table.data:not(.stack)")) {
    // What a row is about and the number that matters are in view, and the first stays there.
    const scroll = table.closest(".scroll"), name = table.querySelector("th").textContent;
    for (const cell of [...table.rows].flatMap(row => [...row.cells].slice(0, 2))) {
      const { left, right } = cell.getBoundingClientRect();
      expect(left >= 0 && right <= innerWidth, `a table by ${name}: ${cell.textContent} is out of view`);
    }
    scroll.scrollLeft = 1e4;
    const { left } = table.tBodies[0].rows[0].cells[0].getBoundingClientRect();
    expect(left >= scroll.getBoundingClientRect().left - 1, `a table by ${name}: its first column scrolls away`);
    scroll.scrollLeft = 0;
  }
  for (const row of document.querySelectorAll("table.data tbody tr")) {
    const full = [...row.cells].filter(shown).map(cell => cell.textContent.trim().length > 0);
    expect(full.some(Boolean), "a row without anything");
    expect(!row.closest(".stack") || !phone || full.every(Boolean), `a blank line in "${row.cells[0].textContent}"`);
    // Not higher than what is in view of it.
    const height = cell => { const range = document.createRange(); range.selectNodeContents(cell); return range.getBoundingClientRect().height; };
    const inView = [...row.cells].filter(cell => shown(cell) && cell.getBoundingClientRect().left < innerWidth - 40);
    const blank = row.getBoundingClientRect().height - Math.max(...inView.map(height));
    expect(row.closest(".stack") || blank < 24, `${blank} blank pixels in the row "${row.cells[0].textContent}"`);
  }
  expect(document.documentElement.scrollWidth <= innerWidth, `the page is ${document.documentElement.scrollWidth} wide`);

  // Nothing that a robot's file says is obeyed, and nothing of the page is swallowed.
  expect(document.title.startsWith("dtau"), `the title is ${document.title}`);
  expect(document.querySelector("main, header") && document.querySelector("footer"), "a part of the page is missing");
  expect([...document.querySelectorAll("*")].every(e => [...e.attributes].every(a => !a.name.startsWith("on"))), "a handler in an attribute");

  // Hovering over a heat map shows an entry.
  const chart = [...document.querySelectorAll("svg[data-chart=heat]")].find(shown);
  const tip = document.getElementById("tip");
  if (chart) {
    const box = chart.getBoundingClientRect(), scale = box.width / chart.viewBox.baseVal.width;
    const [left, top, cell] = chart.dataset.plot.split(" ").map(Number);
    const over = { clientX: box.left + (left + cell / 3) * scale, clientY: box.top + (top + cell / 3) * scale, bubbles: true };
    chart.dispatchEvent(new PointerEvent("pointermove", over));
    expect(!tip.hidden && tip.textContent.length > 3, "hovering shows nothing");
    chart.dispatchEvent(new PointerEvent("pointerleave"));
    expect(tip.hidden, "the hover text stays");
  }

  // Clicking the head of a column of numbers sorts by it.
  for (const table of document.querySelectorAll("table.data")) {
    seen.tables += 1;
    const head = table.querySelector("th.number button");
    if (!head || table.tBodies[0].rows.length < 2) continue;
    const column = head.closest("th").cellIndex;
    head.click();
    const values = [...table.tBodies[0].rows].map(row => row.cells[column].dataset.value).filter(x => x !== undefined).map(Number);
    expect(values.every((x, k) => k === 0 || values[k - 1] <= x), "a table does not sort");
  }

  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const text = JSON.stringify({ problems, seen: JSON.stringify(seen), width: innerWidth, dark });
  if (parent !== self) return parent.postMessage(text, "*");
  const findings = document.createElement("script");
  findings.type = "text/plain";
  findings.id = "findings";
  findings.textContent = text.replaceAll("</", "<\\/");
  document.body.append(findings);
})();
