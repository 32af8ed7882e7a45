"""Horizontal bars on a log scale, as SVG: light and dark, and legible on a phone."""

import math
import textwrap
from xml.sax.saxutils import escape

WIDTH, MARGIN, LABELS, VALUES = 480, 14, 186, 66
ROW, BAR = 24, 13
LEFT, RIGHT = MARGIN + LABELS, WIDTH - MARGIN - VALUES

STYLE = """
  svg { color-scheme: light dark; font-family: system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif }
  .ground { fill: #ffffff } .frame { fill: none; stroke: #d0d7de }
  text { fill: #1f2328; font-size: 13px } .title { font-size: 17px; font-weight: 600 }
  .panel { font-size: 14px; font-weight: 600 } .quiet, .tick { fill: #59636e; font-size: 12px }
  .value { font-variant-numeric: tabular-nums; paint-order: stroke; stroke: #ffffff; stroke-width: 4px } .own { font-weight: 600 }
  .grid { stroke: #d8dee4; stroke-width: 1 } .bar { fill: #8c98a6 } .bar.own { fill: #0969da }
  @media (prefers-color-scheme: dark) {
    .ground { fill: #0d1117 } .frame { stroke: #30363d } text { fill: #e6edf3 } .quiet, .tick { fill: #9198a1 }
    .value { stroke: #0d1117 } .grid { stroke: #272d35 } .bar { fill: #6e7986 } .bar.own { fill: #4493f8 }
  }
"""


def text(x, y, content, kind="", anchor="start"):
    return f'<text x="{x:.1f}" y="{y:.1f}" class="{kind}" text-anchor="{anchor}">{escape(content)}</text>'


class Axis:
    """Whole decades, from below the least to above the greatest."""

    def __init__(self, times):
        self.low = math.floor(math.log10(min(times) * 0.999))
        self.high = max(math.ceil(math.log10(max(times))), self.low + 1)
        # More names than this run into each other.
        self.stride = math.ceil((self.high - self.low) / 4)

    def x(self, time):
        return LEFT + (math.log10(time) - self.low) / (self.high - self.low) * (RIGHT - LEFT)

    def decades(self):
        return range(self.low, self.high + 1)


def decade_text(exponent):
    for unit, size in (("s", 9), ("ms", 6), ("µs", 3), ("ns", 0)):
        if exponent >= size:
            return f"{10 ** (exponent - size)} {unit}"
    raise ValueError("less than a nanosecond")


def panel(top, title, rows, missing, time_text):
    """The panel's elements, and where it ends."""
    parts = [text(MARGIN, top + 12, title, "panel")]
    rows = sorted(rows, key=lambda row: row[1])
    start = top + 24
    if rows:
        axis = Axis([time for _, time, _ in rows])
        end = start + ROW * len(rows)
        for exponent in axis.decades():
            x = axis.x(10**exponent)
            parts.append(f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="{start}" y2="{end}"/>')
            if (exponent - axis.low) % axis.stride == 0:
                parts.append(text(x, end + 15, decade_text(exponent), "tick", "middle"))
        for number, (label, time, own) in enumerate(rows):
            y, x, kind = start + ROW * number, axis.x(time), " own" if own else ""
            parts.append(text(LEFT - 8, y + 16, label, "label" + kind, "end"))
            parts.append(f'<rect class="bar{kind}" x="{LEFT}" y="{y + 5}" width="{x - LEFT:.1f}" height="{BAR}" rx="2"/>')
            parts.append(text(x + 6, y + 16, time_text(time), "value" + kind))
        start = end + 20
    for label in missing:
        parts.append(text(LEFT - 8, start + 16, label, "label", "end"))
        parts.append(text(LEFT, start + 16, "not measured", "quiet"))
        start += ROW
    return parts, start


def plot(panels, date, machine, time_text):
    parts = [
        text(MARGIN, 30, "What a secret of 200 bytes costs", "title"),
        text(MARGIN, 50, "Median times, log scale: shorter is faster.", "quiet"),
    ]
    top = 72
    for title, _, rows, missing in panels:
        if rows or missing:
            drawn, top = panel(top, title, rows, missing, time_text)
            parts += drawn
            top += 16
    top += 6
    for line in [*textwrap.wrap(machine, 68), date]:
        parts.append(text(MARGIN, top, line, "quiet"))
        top += 17
    height = top
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH * 4 // 3}" '
        f'height="{height * 4 // 3}" role="img" aria-label="What a secret of 200 bytes costs: median times as bars">',
        f"<style>{STYLE}</style>",
        f'<rect class="ground" width="{WIDTH}" height="{height}" rx="8"/>',
        f'<rect class="frame" x="0.5" y="0.5" width="{WIDTH - 1}" height="{height - 1}" rx="8"/>',
        *parts, "</svg>",
    ]) + "\n"
