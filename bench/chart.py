"""Draws docs/pictures/speed.svg, the chart of the README, from bench/results/latest.json.

    python3 bench/chart.py
"""

import json
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
ROBOTS = {"iiwa": "iiwa", "panda": "Panda", "go2": "Go2", "hyq": "HyQ", "g1": "G1", "talos_full": "TALOS"}
QUANTITIES = {"id_derivatives": "∂ID, inverse dynamics", "fd_derivatives": "∂FD, forward dynamics"}
STYLE = """text { font: 13px system-ui, sans-serif; fill: #57606a } .strong { fill: #1f2328; font-weight: 600 }
.id { fill: #1b6ca8 } .fd { fill: #c2571a } line { stroke: #8c959f } .grid { stroke: #8c959f; opacity: .3 }
@media (prefers-color-scheme: dark) { text { fill: #9198a1 } .strong { fill: #f0f6fc } .id { fill: #6cb6f5 } .fd { fill: #f2a15f } }"""


def speed_ups(mode):
    """Pinocchio's time over dtau's, by robot and quantity: what is timed is [theirs, ours, …]."""
    results = json.loads((ROOT / "bench/results/latest.json").read_text())
    opponent = "Pinocchio, header-only, clang -march=native"
    (table,) = (t for t in results["comparisons"] if (t["mode"], t["opponent"]) == (mode, opponent))
    return {
        name: (nv, {q: cell[0] / cell[1] for q, cell in zip(table["quantities"], cells) if cell})
        for name, nv, cells in table["robots"]
    }


def chart():
    left, unit, top, row, bar = 130, 190, 52, 44, 15
    found, lines = speed_ups("single"), []
    height = top + row * len(ROBOTS) + 26
    for times in range(4):
        x, kind = left + unit * times, "" if times == 1 else ' class="grid"'
        lines.append(f'<line x1="{x}" y1="{top - 6}" x2="{x}" y2="{height - 26}"{kind}/>')
        label = "Pinocchio" if times == 1 else f"{times}×"
        lines.append(f'<text x="{x}" y="{height - 8}" text-anchor="middle">{label}</text>')
    for k, (name, shown) in enumerate(ROBOTS.items()):
        y, (nv, ratios) = top + row * k, found[name]
        lines.append(f'<text x="{left - 12}" y="{y + 20}" text-anchor="end">{shown} ({nv})</text>')
        for j, (quantity, kind) in enumerate(zip(QUANTITIES, ("id", "fd"))):
            width, at = unit * ratios[quantity], y + j * (bar + 2)
            lines.append(f'<rect class="{kind}" x="{left}" y="{at}" width="{width:.0f}" height="{bar}" rx="2"/>')
            lines.append(f'<text class="strong" x="{left + width + 6:.0f}" y="{at + 12}">{ratios[quantity]:.1f}×</text>')
    title = "Speed-up over Pinocchio 4.1, one state, one core"
    lines.append(f'<text class="strong" x="{left}" y="16">{title}</text>')
    for j, (kind, words) in enumerate(zip(("id", "fd"), QUANTITIES.values())):
        lines.append(f'<rect class="{kind}" x="{left + 180 * j}" y="25" width="11" height="11" rx="2"/>')
        lines.append(f'<text x="{left + 180 * j + 17}" y="35">{words}</text>')
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 740 {height}" width="740" height="{height}" role="img"'
    return "\n".join([f'{head} aria-label="{title}">', f"<style>{STYLE}</style>", *lines, "</svg>\n"])


if __name__ == "__main__":
    (ROOT / "docs/pictures/speed.svg").write_text(chart())
