// Hovering over a heat map shows an entry; clicking the head of a table sorts it. Nothing is fetched; without this script the page
// shows the same drawings and tables.
"use strict";
(() => {
  const tip = document.getElementById("tip");
  const show = (text, event) => {
    tip.textContent = text;
    tip.hidden = false;
    const { width, height } = tip.getBoundingClientRect();
    const x = event.clientX + 16 + width > innerWidth ? event.clientX - width - 16 : event.clientX + 16;
    tip.style.left = `${Math.max(4, x)}px`;
    tip.style.top = `${Math.max(4, Math.min(event.clientY + 16, innerHeight - height - 8))}px`;
  };
  const hide = () => { tip.hidden = true; };

  for (const svg of document.querySelectorAll("svg[data-chart=heat]")) {
    const data = JSON.parse(svg.parentNode.querySelector("script").textContent);
    const [left, top, cell, rows, columns] = svg.dataset.plot.split(" ").map(Number);
    svg.addEventListener("pointermove", event => {
      const box = svg.getBoundingClientRect(), scale = svg.viewBox.baseVal.width / box.width;
      const column = Math.floor(((event.clientX - box.left) * scale - left) / cell);
      const row = Math.floor(((event.clientY - box.top) * scale - top) / cell);
      if (row < 0 || column < 0 || row >= rows || column >= columns) return hide();
      const value = Number(data.values[row * columns + column]);
      const noise = value !== 0 && Math.abs(value) <= data.noise[row] ? ", rounding noise" : "";
      show(`${data.rows[row]} by ${data.columns[column]}: ${value}${noise}`, event);
    });
    svg.addEventListener("pointerleave", hide);
  }

  for (const head of document.querySelectorAll("table.data thead")) {
    const cells = [...head.querySelectorAll("th")];
    cells.forEach((cell, column) => cell.querySelector("button").addEventListener("click", () => {
      const down = cell.getAttribute("aria-sort") === "ascending";
      cells.forEach(c => c.removeAttribute("aria-sort"));
      cell.setAttribute("aria-sort", down ? "descending" : "ascending");
      const key = row => {
        const td = row.cells[column];
        return td.dataset.value === undefined ? td.textContent : Number(td.dataset.value);
      };
      const order = (a, b) => typeof a === "number" && typeof b === "number" ? a - b
        : typeof a === "number" ? -1 : typeof b === "number" ? 1 : a.localeCompare(b);
      const body = head.parentNode.tBodies[0];
      body.append(...[...body.rows].sort((a, b) => (down ? -1 : 1) * order(key(a), key(b))));
    }));
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
})();
