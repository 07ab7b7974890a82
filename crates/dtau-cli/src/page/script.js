// Hovering over plots shows values; clicking the head of a table sorts it. Nothing is fetched; without this script the
// page shows the same drawings and tables.
"use strict";
(() => {
  const tip = document.getElementById("tip");

  const show = (html, event) => {
    tip.replaceChildren(...html);
    tip.hidden = false;
    const { width, height } = tip.getBoundingClientRect();
    const x = event.clientX + 16 + width > innerWidth ? event.clientX - width - 16 : event.clientX + 16;
    const y = Math.min(event.clientY + 16, innerHeight - height - 8);
    tip.style.left = `${Math.max(4, x)}px`;
    tip.style.top = `${Math.max(4, y)}px`;
  };
  const hide = () => { tip.hidden = true; };

  const element = (name, text, className) => {
    const node = document.createElement(name);
    if (text !== undefined) node.textContent = text;
    if (className) node.className = className;
    return node;
  };

  // Where the pointer is, in the units of the drawing.
  const place = (svg, event) => {
    const box = svg.getBoundingClientRect(), view = svg.viewBox.baseVal;
    return [(event.clientX - box.left) / box.width * view.width, (event.clientY - box.top) / box.height * view.height];
  };

  // The values of series at one place, with their mean and spread where they have them.
  const values = found => {
    const table = element("table"), spread = found.some(([, p]) => p[3] || p[4]);
    if (spread) {
      const head = element("tr");
      for (const text of ["", "least", "mean", "10–90 %"]) head.append(element("th", text));
      table.append(head);
    }
    for (const [s, [, , value, mean, band]] of found) {
      const row = element("tr"), name = element("td"), dot = element("i");
      dot.style.background = `var(--s${s.hue})`;
      name.append(dot, s.name);
      row.append(name, element("td", value));
      if (spread) row.append(element("td", mean), element("td", band));
      table.append(row);
    }
    return table;
  };

  const lines = (svg, data) => {
    const [left, right, top, bottom] = svg.dataset.plot.split(" ").map(Number);
    const [low, high, log] = svg.dataset.x.split(" ").map(Number);
    const share = x => log ? Math.log(x / low) / Math.log(high / low) : (x - low) / (high - low);
    const xs = [...new Set(data.series.flatMap(s => s.points.map(p => p[0])))];
    const guide = document.createElementNS("http://www.w3.org/2000/svg", "line");
    guide.setAttribute("class", "guide");
    guide.setAttribute("y1", top);
    guide.setAttribute("y2", bottom);
    const leave = () => { hide(); guide.remove(); };
    svg.addEventListener("pointermove", event => {
      const [px, py] = place(svg, event);
      if (px < left - 8 || px > right + 8 || py < top - 8 || py > bottom + 8 || !xs.length) return leave();
      const at = x => left + share(x) * (right - left);
      const x = xs.reduce((best, x) => Math.abs(at(x) - px) < Math.abs(at(best) - px) ? x : best);
      guide.setAttribute("x1", at(x));
      guide.setAttribute("x2", at(x));
      if (!guide.parentNode) svg.append(guide);
      const found = data.series.map(s => [s, s.points.find(p => p[0] === x)]).filter(([, p]) => p);
      found.sort(([, a], [, b]) => b[1] - a[1]);
      show([element("b", `${data.x}: ${x}`), values(found)], event);
    });
    svg.addEventListener("pointerleave", leave);
  };

  const dots = (svg, data) => {
    const rows = svg.dataset.rows.split(" ").map(Number);
    svg.addEventListener("pointermove", event => {
      const [, y] = place(svg, event);
      const group = rows.findLastIndex(top => top <= y);
      const found = data.series.map(s => [s, s.points.find(p => p[0] === group)]).filter(([, p]) => p);
      if (group < 0 || group >= data.groups.length || !found.length) return hide();
      show([element("b", data.groups[group]), values(found)], event);
    });
    svg.addEventListener("pointerleave", hide);
  };

  const heat = (svg, data) => {
    const [left, top, cell, rows, columns] = svg.dataset.plot.split(" ").map(Number);
    svg.addEventListener("pointermove", event => {
      const [px, py] = place(svg, event);
      const column = Math.floor((px - left) / cell), row = Math.floor((py - top) / cell);
      if (row < 0 || column < 0 || row >= rows || column >= columns) return hide();
      const value = Number(data.values[row * columns + column]);
      const noise = value !== 0 && Math.abs(value) <= data.noise[row] ? ": rounding noise" : "";
      show([element("div", `${data.rows[row]} by ${data.columns[column]}`), element("b", (value === 0 ? "0" : String(value)) + noise)], event);
    });
    svg.addEventListener("pointerleave", hide);
  };

  for (const plot of document.querySelectorAll(".plot")) {
    const data = JSON.parse(plot.querySelector("script").textContent);
    for (const svg of plot.querySelectorAll("svg")) {
      if (svg.dataset.chart === "lines") lines(svg, data);
      if (svg.dataset.chart === "dots") dots(svg, data);
      if (svg.dataset.chart === "heat") heat(svg, data);
    }
  }

  // What a link leads to, and what is printed, is unfolded.
  const unfold = () => {
    const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const folded = target && target.closest("details");
    if (folded && !folded.open) {
      folded.open = true;
      target.scrollIntoView();
    }
  };
  addEventListener("hashchange", unfold);
  unfold();
  addEventListener("beforeprint", () => document.querySelectorAll("details").forEach(d => { d.open = true; }));

  for (const head of document.querySelectorAll("table.data thead")) {
    const cells = [...head.querySelectorAll("th")];
    cells.forEach((cell, column) => cell.querySelector("button").addEventListener("click", () => {
      const down = cell.getAttribute("aria-sort") === "ascending";
      cells.forEach(c => c.removeAttribute("aria-sort"));
      cell.setAttribute("aria-sort", down ? "descending" : "ascending");
      const body = head.parentNode.tBodies[0];
      const key = row => {
        const td = row.cells[column];
        return td.dataset.value === undefined ? td.textContent : Number(td.dataset.value);
      };
      const order = (a, b) => typeof a === "number" && typeof b === "number" ? a - b
        : typeof a === "number" ? -1 : typeof b === "number" ? 1 : a.localeCompare(b);
      const rows = [...body.rows].sort((a, b) => (down ? -1 : 1) * order(key(a), key(b)));
      body.append(...rows);
    }));
  }
})();
