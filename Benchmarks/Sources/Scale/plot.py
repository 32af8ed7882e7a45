"""Draws the plots of Benchmarks/scale from the figures in a folder: plot.py DIR."""

import math
import pathlib
import sys
from html import escape

WIDTH, HEIGHT = 560, 470
LEFT, RIGHT, BOTTOM = 74, 18, 62
LEGEND_TOP, LEGEND_ROW = 66, 21

# The same call has the same colour everywhere.
COLOURS = {"get": 0, "set": 1, "identities": 2, "items": 3, "clear": 4, "miss": 5, "get, ring linked into @p": 4,
           "get p50": 0, "get p99": 3, "set p50": 1, "set p99": 4}

STYLE = """
svg { --ink: #1b1f24; --quiet: #57606a; --grid: #d8dee4; --paper: #ffffff;
  --c0: #0b62c4; --c1: #b3420a; --c2: #1a7f37; --c3: #8250df; --c4: #bf1f5f; --c5: #6b6300; }
@media (prefers-color-scheme: dark) { svg { --ink: #e6edf3; --quiet: #9da7b1; --grid: #30363d; --paper: #0d1117;
  --c0: #58a6ff; --c1: #ff9a5c; --c2: #56d364; --c3: #c297ff; --c4: #ff7eb6; --c5: #d8cb45; } }
text { font-family: system-ui, sans-serif; font-size: 15px; fill: var(--ink); }
.title { font-size: 18px; font-weight: 600; }
.quiet { font-size: 13.5px; fill: var(--quiet); }
.grid { stroke: var(--grid); stroke-width: 1; }
.line { fill: none; stroke-width: 2.5; stroke-linejoin: round; }
.floor { stroke-width: 1.6; stroke-dasharray: 2 4; stroke-linecap: round; }
"""


def read(folder, part):
    """The rows of a part: (what, size) -> (value, floor or None)."""
    rows = {}
    for line in (folder / f"{part}.tsv").read_text().splitlines():
        _, what, size, value, _, floor, _ = line.split("\t")
        rows[what, int(size)] = (float(value), None if floor == "-" else float(floor))
    return rows


def points(rows, what, of_floor=False, unit=1.0):
    column = 1 if of_floor else 0
    found = [(size * unit, row[column]) for (name, size), row in sorted(rows.items()) if name == what]
    if not found:
        raise SystemExit(f"plot: error: no figures of '{what}'")
    return found


def duration(nanoseconds):
    for unit, size in (("s", 1e9), ("ms", 1e6), ("µs", 1e3)):
        if nanoseconds >= size:
            return f"{nanoseconds / size:g} {unit}"
    return f"{nanoseconds:g} ns"


def decades(values):
    low, high = math.floor(math.log10(min(values)) + 1e-9), math.ceil(math.log10(max(values)) - 1e-9)
    return [10.0**power for power in range(low, max(high, low + 1) + 1)]


class Axis:
    """Maps values to pixels."""

    def __init__(self, ticks, start, end, logarithmic):
        self.ticks, self.start, self.end = ticks, start, end
        self.scale = math.log10 if logarithmic else float

    def __call__(self, value):
        low, high = self.scale(self.ticks[0]), self.scale(self.ticks[-1])
        return self.start + (self.scale(value) - low) / (high - low) * (self.end - self.start)


def chart(path, title, machine, x_label, series, x_ticks=None, x_text=lambda x: f"{x:,.0f}", mark=None):
    """Each of the series is (name, colour, points, points of the floor or nothing)."""
    legend_rows = (len(series) + 1) // 2 + any(floor for *_, floor in series)
    top = LEGEND_TOP + legend_rows * LEGEND_ROW + 14
    all_points = [point for *_, main, floor in series for point in main + floor]
    x = Axis(x_ticks or decades([p[0] for p in all_points]), LEFT, WIDTH - RIGHT, x_ticks is None)
    y = Axis(decades([p[1] for p in all_points]), HEIGHT - BOTTOM, top, True)

    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">',
        f"<title>{escape(title)}</title><style>{STYLE}</style>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="var(--paper)"/>',
        f'<text class="title" x="14" y="28">{escape(title)}</text>',
        f'<text class="quiet" x="14" y="49">{escape(machine)}</text>',
    ]
    for value in y.ticks:
        out.append(f'<path class="grid" d="M{LEFT} {y(value):.1f}H{WIDTH - RIGHT}"/>')
        out.append(f'<text x="{LEFT - 8}" y="{y(value) + 5:.1f}" text-anchor="end">{duration(value)}</text>')
    for value in x.ticks:
        out.append(f'<path class="grid" d="M{x(value):.1f} {top}V{HEIGHT - BOTTOM}"/>')
        anchor = "end" if value == x.ticks[-1] else "middle"
        shift = RIGHT - 4 if anchor == "end" else 0
        out.append(f'<text x="{x(value) + shift:.1f}" y="{HEIGHT - BOTTOM + 20}" text-anchor="{anchor}">{x_text(value)}</text>')
    out.append(f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 14}" text-anchor="middle">{escape(x_label)}</text>')
    if mark is not None:
        out.append(f'<path d="M{x(mark):.1f} {top}V{HEIGHT - BOTTOM}" stroke="var(--quiet)" stroke-dasharray="6 4"/>')
    for number, (name, colour_number, main, floor) in enumerate(series):
        colour = f"var(--c{colour_number})"
        for line, kind in ((floor, "line floor"), (main, "line")):
            if line:
                path_data = "M" + "L".join(f"{x(a):.1f} {y(b):.1f}" for a, b in line)
                out.append(f'<path class="{kind}" stroke="{colour}" d="{path_data}"/>')
        if len(main) < 12:
            out += [f'<circle cx="{x(a):.1f}" cy="{y(b):.1f}" r="3.5" fill="{colour}"/>' for a, b in main]
        column, row = number % 2, number // 2
        left, base = 14 + column * 272, LEGEND_TOP + row * LEGEND_ROW + 10
        out.append(f'<path class="line" stroke="{colour}" d="M{left} {base - 5}h22"/>')
        out.append(f'<text x="{left + 29}" y="{base}">{escape(name)}</text>')
    if any(floor for *_, floor in series):
        base = LEGEND_TOP + (legend_rows - 1) * LEGEND_ROW + 10
        out.append(f'<path class="line floor" stroke="var(--quiet)" d="M14 {base - 5}h22"/>')
        out.append(f'<text class="quiet" x="43" y="{base}">dotted: the same by C code over libkeyutils</text>')
    path.write_text("\n".join(out) + "\n</svg>\n")


CALLS = [("get", "get"), ("set, replacing", "set"), ("identities(): names", "identities"),
         ("items(): all attributes", "items"), ("clear", "clear"), ("get of what is absent", "miss")]


def calls(rows, names):
    return [(text, COLOURS[what], points(rows, what), points(rows, what, of_floor=True)) for text, what in names]


def draw_items(folder, machine):
    chart(folder / "scale-items.svg", "One call, by the size of the namespace", machine,
          "items in the namespace", calls(read(folder, "items"), CALLS))


def draw_namespaces(folder, machine):
    names = [("get", "get"), ("get, ring linked into @p", "get, ring linked into @p"), ("set, replacing", "set"),
             ("get of what is absent", "miss"), ("identities(): 20 names", "identities"), ("items(): 20 items", "items")]
    chart(folder / "scale-namespaces.svg", "One call, by the namespaces of the session", machine,
          "namespaces in the session", calls(read(folder, "namespaces"), names))


def draw_sessions(folder, machine):
    chart(folder / "scale-sessions.svg", "One call, by the users logged in", machine,
          "users, each with a session of 20 items", calls(read(folder, "users"), CALLS))


def draw_expiry(folder, machine):
    rows = read(folder, "expiry")
    names = [("get, half of all", "get p50"), ("get, 99%", "get p99"), ("set, half of all", "set p50"),
             ("set, 99%", "set p99")]
    series = [(text, COLOURS[what], points(rows, f"expiry {what}", unit=0.001), []) for text, what in names]
    chart(folder / "scale-expiry.svg", "While 10,000 other items expire in second 0", machine,
          "seconds from their end", series, x_ticks=[-2, -1, 0, 1, 2, 3], x_text=lambda x: f"{x:+g}" if x else "0", mark=0)


DRAWINGS = {"items": draw_items, "namespaces": draw_namespaces, "users": draw_sessions, "expiry": draw_expiry}


def main():
    folder = pathlib.Path(sys.argv[1])
    for part, draw in DRAWINGS.items():
        if (folder / f"{part}.tsv").exists():
            draw(folder, (folder / f"{part}.machine").read_text().strip())


main()
