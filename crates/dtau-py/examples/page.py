"""Self-contained pages with drawings in SVG, in the colours of the command's pages, light and dark."""

from html import escape
from pathlib import Path

import numpy as np

STYLE = """
:root { --back: #f6f8fa; --panel: #fff; --ink: #1c2430; --soft: #5a6572; --grid: #e3e7ec; --line: #d5dbe2; --accent: #1b6ca8;
  --h0: #1b6ca8; --h1: #c2571a; --h2: #1a7f4e; --h3: #7a4fb5; --plus: 27,108,168; --minus: 194,87,26; --mark: #9a620018; }
@media (prefers-color-scheme: dark) { :root { --back: #0f141b; --panel: #171e27; --ink: #e6ebf2; --soft: #9aa7b6; --grid: #2a3440;
  --line: #323d4a; --accent: #6cb6f5; --h0: #6cb6f5; --h1: #f2a15f; --h2: #5fd69b; --h3: #c3a3f5; --plus: 108,182,245;
  --minus: 242,161,95; --mark: #f0bd6220; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--back); color: var(--ink); font: 16px/1.55 system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
main, header, footer { max-width: 1280px; margin: 0 auto; padding: 0 24px; }
header { padding-top: 44px; } footer { padding: 28px 24px 60px; color: var(--soft); font-size: .86rem; }
h1 { font-size: clamp(1.7rem, 4vw, 2.5rem); line-height: 1.15; margin: 0 0 10px; letter-spacing: -.02em; }
h2 { font-size: 1.2rem; margin: 0 0 4px; } p { margin: 8px 0; max-width: 78ch; } .lead { font-size: 1.08rem; color: var(--soft); }
.small { font-size: .86rem; color: var(--soft); } code { font: .95em ui-monospace, "DejaVu Sans Mono", monospace; }
.facts { display: flex; flex-wrap: wrap; gap: 8px; margin: 16px 0 0; padding: 0; list-style: none; }
.facts li { background: var(--panel); border: 1px solid var(--line); border-radius: 999px; padding: 3px 12px; font-size: .85rem; }
.figure { background: var(--panel); border: 1px solid var(--line); border-radius: 12px; margin: 20px 0; padding: 20px 22px; }
.plot { container-type: inline-size; } svg { display: block; width: 100%; height: auto; overflow: visible; }
.pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 480px), 1fr)); gap: 14px 22px; }
.plot .narrow { display: none; }
@container (max-width: 700px) { .plot .wide { display: none; } .plot .narrow { display: block; } }
text { fill: var(--ink); font-size: 13px; font-variant-numeric: tabular-nums; } .soft { fill: var(--soft); }
.grid { stroke: var(--grid); } .axis { stroke: var(--line); } .mark { fill: var(--mark); }
.s0 { stroke: var(--h0); } .s1 { stroke: var(--h1); } .s2 { stroke: var(--h2); } .s3 { stroke: var(--h3); }
.curve { fill: none; stroke-width: 2; stroke-linejoin: round; } .bone { stroke: var(--ink); stroke-width: 7; stroke-linecap: round; }
.far { opacity: .35; } .arrow { stroke-width: 3; stroke-linecap: round; fill: none; } .ink { stroke: var(--ink); }
.thin { stroke-width: 1; stroke-dasharray: 3 4; } .bar { stroke-width: 7; stroke-linecap: round; fill: none; } .slim { stroke-width: 4; } .plate { fill: var(--h3); fill-opacity: .16; }
.ghost { opacity: .16; } .pin { fill: var(--panel); stroke: var(--ink); stroke-width: 2.5; }
.floor { fill: var(--grid); opacity: .55; } .trunk { fill: var(--soft); fill-opacity: .35; stroke: var(--ink); stroke-width: 5; stroke-linejoin: round; } .legend { display: flex; flex-wrap: wrap; gap: 4px 18px; font-size: .86rem; margin: 6px 0 2px; }
.legend i { display: inline-block; width: 18px; height: 3px; border-radius: 2px; margin-right: 7px; vertical-align: middle; }
@media (max-width: 720px) { main, header, footer { padding-left: 14px; padding-right: 14px; } header { padding-top: 26px; }
  .figure { padding: 14px 12px; border-radius: 10px; } }
"""


def save(directory, name, title, body):
    path = Path(directory) / name
    head = (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, '
        f'initial-scale=1"><meta name="color-scheme" content="light dark"><link rel="icon" href="data:,"><title>{escape(title)}</title>'
        f"<style>{STYLE}</style></head>\n<body>\n"
    )
    path.write_text(head + body + "\n</body></html>\n", encoding="utf-8")
    print(f"saved {path}")


def facts(items):
    return '<ul class="facts">' + "".join(f"<li>{escape(name)} <b>{escape(value)}</b></li>" for name, value in items) + "</ul>"


def both(draw, wide=1080, narrow=350):
    """A plot for a desk and one for a phone."""
    return f'<div class="plot"><div class="wide">{draw(wide)}</div><div class="narrow">{draw(narrow)}</div></div>'


def legend(names):
    return '<div class="legend">' + "".join(
        f'<span><i style="background: var(--h{k})"></i>{escape(name)}</span>' for k, name in enumerate(names)
    ) + "</div>"


def arrow(tail, tip, style):
    """From one point to another."""
    (x0, y0), (x1, y1) = tail, tip
    angle, size = np.arctan2(y1 - y0, x1 - x0), 8.0
    barbs = [(x1 - size * np.cos(angle + turn), y1 - size * np.sin(angle + turn)) for turn in (0.5, -0.5)]
    (a, b), (c, d) = barbs
    return f'<path class="arrow {style}" d="M{x0:.1f} {y0:.1f}L{x1:.1f} {y1:.1f}M{a:.1f} {b:.1f}L{x1:.1f} {y1:.1f}L{c:.1f} {d:.1f}"/>'


def ticks(low, high, count):
    """Round numbers between two."""
    step = 10.0 ** np.floor(np.log10((high - low) / count))
    step *= next(k for k in (1, 2, 5, 10) if (high - low) / (k * step) <= count)
    return np.arange(np.ceil(low / step), np.floor(high / step) + 1) * step + 0.0  # no −0


def curves(x, ys, x_label, y_label, marked=None, from_zero=True):
    """Lines over a common axis; `marked` is an interval of it, with what it is. Zero is shown, unless it is far from what is."""

    def draw(width):
        small = width < 500
        height, left, right, top, bottom = (300 if small else 380), 46, 10, 26, 40
        low, high = float(np.min(ys)), float(np.max(ys))
        low, high = (min(0.0, low), high * 1.06) if from_zero else (low - 0.08 * (high - low), high + 0.08 * (high - low))
        to_x = lambda t: left + (t - x[0]) / (x[-1] - x[0]) * (width - left - right)
        to_y = lambda y: height - bottom - (y - low) / (high - low) * (height - top - bottom)
        out = [f'<svg viewBox="0 0 {width} {height}" role="img" aria-label="{escape(y_label)} over {escape(x_label)}">']
        if marked:
            a, b, name = marked
            out.append(f'<rect class="mark" x="{to_x(a):.1f}" y="{top}" width="{to_x(b) - to_x(a):.1f}" height="{height - top - bottom}"/>')
            out.append(f'<text class="soft" text-anchor="middle" x="{(to_x(a) + to_x(b)) / 2:.1f}" y="{height - bottom - 8}">{escape(name)}</text>')
        for t in ticks(low, high, 5):
            out.append(f'<line class="grid" x1="{left}" x2="{width - right}" y1="{to_y(t):.1f}" y2="{to_y(t):.1f}"/>')
            out.append(f'<text class="soft" text-anchor="end" x="{left - 7}" y="{to_y(t) + 4:.1f}">{t:g}</text>')
        for t in ticks(x[0], x[-1], 4 if small else 9):
            out.append(f'<text class="soft" text-anchor="middle" x="{to_x(t):.1f}" y="{height - bottom + 18}">{t:.10g}</text>')
        out.append(f'<text class="soft" x="{left - 38}" y="12">{escape(y_label)}</text>')
        out.append(f'<text class="soft" text-anchor="end" x="{width - right}" y="{height - 4}">{escape(x_label)}</text>')
        step = max(1, len(x) // 600)
        for k, y in enumerate(ys):
            points = " ".join(f"{to_x(a):.1f},{to_y(b):.1f}" for a, b in zip(x[::step], y[::step]))
            out.append(f'<polyline class="curve s{k % 4}" points="{points}"/>')
        return "".join(out) + "</svg>"

    return both(draw)


def heat(values, rows, columns, unit):
    """A map of numbers with named rows and columns: a hue for each sign, the strength for the size."""
    largest = float(np.abs(values).max())

    def draw(width):
        small = width < 500
        left, top, right = (104, 108, 2) if small else (150, 132, 90)
        cell = (width - left - right) / len(columns)
        tall = min(cell, 24 if small else 30)
        height = top + tall * len(rows) + (30 if small else 6)
        size = 10.5 if small else 13
        out = [f'<svg viewBox="0 0 {width} {height:.0f}" role="img" aria-label="{escape(unit)}, by row and column">']
        for j, name in enumerate(columns):
            x = left + (j + 0.62) * cell
            out.append(f'<text transform="translate({x:.1f},{top - 6}) rotate(-55)" style="font-size: {size}px">{escape(name)}</text>')
        for i, name in enumerate(rows):
            y = top + i * tall
            out.append(f'<text text-anchor="end" x="{left - 6}" y="{y + tall / 2 + 4:.1f}" style="font-size: {size}px">{escape(name)}</text>')
            for j, value in enumerate(values[i]):
                hue, strength = "plus" if value > 0 else "minus", (abs(value) / largest) ** 0.6
                title = f"{name} by {columns[j]}: {value:+.3g} {unit}"
                out.append(
                    f'<rect x="{left + j * cell:.1f}" y="{y:.1f}" width="{cell - 1.5:.1f}" height="{tall - 1.5:.1f}" rx="2" '
                    f'style="fill: rgba(var(--{hue}), {strength:.3f})"><title>{escape(title)}</title></rect>'
                )
                if not small and strength > 0.33:
                    out.append(f'<text class="soft" text-anchor="middle" x="{left + (j + 0.5) * cell:.1f}" y="{y + tall / 2 + 4:.1f}" '
                               f'style="font-size: 11px; fill: var(--{"panel" if strength > 0.85 else "ink"})">{value:+.1f}</text>')
        # The scale.
        for k, value in enumerate((1, 0.3, -0.3, -1) if small else (1, 0.5, 0.1, -0.1, -0.5, -1)):
            hue, strength = "plus" if value > 0 else "minus", abs(value) ** 0.6
            x, y = (left + k * 58, height - 10) if small else (width - right + 18, top + k * 24)
            out.append(f'<rect x="{x:.1f}" y="{y - 11:.1f}" width="12" height="12" rx="2" style="fill: rgba(var(--{hue}), {strength:.3f})"/>')
            out.append(f'<text class="soft" x="{x + 15:.1f}" y="{y:.1f}" style="font-size: 10.5px">{value * largest:+.2g}</text>')
        return "".join(out) + "</svg>"

    return both(draw)
