// Runs inside a page, after its own script; leaves its findings in the document.
"use strict";
(() => {
  const problems = [], seen = { curves: 0, bars: 0, heats: 0, tables: 0 };
  const expect = (holds, text) => { if (!holds) problems.push(text); };
  const shown = node => node.getClientRects().length > 0;

  for (const plot of document.querySelectorAll(".plot")) {
    const data = JSON.parse(plot.querySelector("script").textContent);
    const drawn = [...plot.querySelectorAll("svg")].filter(shown);
    const name = plot.querySelector("svg").getAttribute("aria-label");
    expect(drawn.length === 1, `${name}: ${drawn.length} drawings are shown, not one`);
    for (const svg of drawn) {
      const box = svg.getBoundingClientRect();
      expect(box.width > 200 && box.height > 100, `${name}: drawn ${box.width} × ${box.height}`);
      if (svg.dataset.chart === "lines") {
        const curves = [...svg.querySelectorAll("path.curve:not(.key-line)")];
        const points = svg.querySelectorAll("circle").length;
        const wanted = data.series.filter(s => s.points.some(p => p[1] > 0));
        expect(wanted.length > 0, `${name}: no series`);
        const only = data.series.filter(s => s.name.startsWith("Pinocchio, bf")).length;
        expect(curves.length + only === wanted.length, `${name}: ${curves.length} curves of ${wanted.length}`);
        expect(curves.every(c => c.getTotalLength() > 0 || wanted[0].points.length < 2), `${name}: a curve without length`);
        expect(curves.every(c => getComputedStyle(c).stroke !== "none"), `${name}: a curve without colour`);
        expect(points >= wanted.reduce((n, s) => n + s.points.filter(p => p[1] > 0).length, 0), `${name}: points are missing`);
        seen.curves += curves.length;
      }
      if (svg.dataset.chart === "bars") {
        const bars = [...svg.querySelectorAll("rect.bar")];
        expect(bars.length > 0 && bars.every(b => b.getBBox().width > 0), `${name}: bars are missing`);
        seen.bars += bars.length;
      }
      if (svg.dataset.chart === "heat") {
        const cells = [...svg.querySelectorAll("path[class^=h]")].map(p => p.getAttribute("d").split("z").length - 1);
        const wanted = data.values.filter(x => Number(x) !== 0).length;
        expect(cells.reduce((a, b) => a + b, 0) === wanted, `${name}: cells are missing`);
        seen.heats += 1;
      }
      for (const text of svg.querySelectorAll("text")) {
        const t = text.getBoundingClientRect();
        expect(t.left >= box.left - 2 && t.right <= box.right + 2, `${name}: "${text.textContent}" sticks out`);
      }
    }
  }
  for (const section of document.querySelectorAll("section.figure")) {
    expect(!section.querySelector(".problem"), `${section.id}: ${section.querySelector(".problem")?.textContent}`);
    expect(section.querySelector("svg, table, li, p"), `${section.id}: empty`);
  }
  for (const link of document.querySelectorAll("a[href^='#']")) {
    expect(document.getElementById(link.hash.slice(1)), `${link.hash} leads nowhere`);
  }
  expect(document.documentElement.scrollWidth <= innerWidth, `the page is ${document.documentElement.scrollWidth} wide`);

  // Hovering shows values.
  const chart = [...document.querySelectorAll("svg[data-chart=lines], svg[data-chart=heat]")].find(shown);
  const tip = document.getElementById("tip");
  if (chart) {
    const box = chart.getBoundingClientRect(), view = chart.viewBox.baseVal;
    const [left, second, third, fourth] = chart.dataset.plot.split(" ").map(Number);
    const at = chart.dataset.chart === "lines"
      ? [(left + second) / 2, (third + fourth) / 2] : [left + third / 2, second + third / 2];
    const over = new PointerEvent("pointermove", {
      clientX: box.left + at[0] / view.width * box.width, clientY: box.top + at[1] / view.height * box.height, bubbles: true,
    });
    chart.dispatchEvent(over);
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
