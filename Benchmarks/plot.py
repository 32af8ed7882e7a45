"""Draws the plots of `compare` and `scale` as SVG, light and dark, legible on a phone, with times on a log scale.

`plot.py DIR` draws the plots of `scale` from the .tsv files in DIR.
"""

import datetime
import math
import os
import pathlib
import sys
from html import escape

MARGIN = 14
# The same call has the same colour everywhere.
COLOURS = {"get": 0, "set": 1, "identities": 2, "items": 3, "clear": 4, "miss": 5, "get, ring linked into @p": 4,
           "expiry get p50": 0, "expiry get p99": 3, "expiry set p50": 1, "expiry set p99": 4}
STYLE = """
svg { --ink: #1b1f24; --quiet: #57606a; --grid: #d8dee4; --paper: #ffffff; --bar: #8c98a6;
  --c0: #0b62c4; --c1: #b3420a; --c2: #1a7f37; --c3: #8250df; --c4: #bf1f5f; --c5: #6b6300; }
@media (prefers-color-scheme: dark) { svg { --ink: #e6edf3; --quiet: #9da7b1; --grid: #30363d; --paper: #0d1117;
  --bar: #6e7986; --c0: #58a6ff; --c1: #ff9a5c; --c2: #56d364; --c3: #c297ff; --c4: #ff7eb6; --c5: #d8cb45; } }
text { font-family: system-ui, "DejaVu Sans", sans-serif; font-size: 14px; fill: var(--ink); }
.title { font-size: 18px; font-weight: 600; } .own { font-weight: 600; }
.row { font-size: 13px; font-variant-numeric: tabular-nums; } .quiet { font-size: 13px; fill: var(--quiet); }
.grid { stroke: var(--grid); stroke-width: 1; }
.line { fill: none; stroke-width: 2.5; stroke-linejoin: round; }
.lead { fill: none; stroke-width: 1; }
.baseline { stroke-width: 1.6; stroke-dasharray: 2 4; stroke-linecap: round; }
"""


def digits(value):
    """The number with at least three digits."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def time_text(nanoseconds):
    unit, size = next(unit for unit in (("ms", 1e6), ("µs", 1e3), ("ns", 1)) if nanoseconds >= unit[1])
    return f"{digits(nanoseconds / size)} {unit}"


def decade_text(nanoseconds):
    unit, size = next(unit for unit in (("s", 1e9), ("ms", 1e6), ("µs", 1e3), ("ns", 1)) if nanoseconds >= unit[1])
    return f"{nanoseconds / size:g} {unit}"


def decades(values):
    low, high = math.floor(math.log10(min(values)) + 1e-9), math.ceil(math.log10(max(values)) - 1e-9)
    return [10.0**power for power in range(low, max(high, low + 1) + 1)]


def axis(ticks, start, end, scale=math.log10):
    """Maps values to pixels."""
    low, high = scale(ticks[0]), scale(ticks[-1])
    return lambda value: start + (scale(value) - low) / (high - low) * (end - start)


def text(x, y, content, kind="", anchor="start"):
    return f'<text x="{x:.1f}" y="{y:.1f}" class="{kind}" text-anchor="{anchor}">{escape(content)}</text>'


def write(path, title, width, height, parts):
    path.write_text("\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height:.0f}" role="img">',
        f"<title>{escape(title)}</title><style>{STYLE}</style>",
        f'<rect width="{width}" height="{height:.0f}" rx="8" fill="var(--paper)"/>',
        text(MARGIN, 30, title, "title"), *parts, "</svg>"]) + "\n")


def bars(path, title, panels, note):
    """Draws bars, with two columns of figures next to them.

    A panel is (title, name of the base, [(label, nanoseconds, ratio to the base, is ours)], [labels of commands without
    a measurement]).
    """
    width, left, right, row = 560, 208, 400, 14
    time_end, ratio_end, top = 474, width - MARGIN, 58
    parts = [text(MARGIN, 49, "Medians. Shorter is faster. Each line is ten times the previous one.", "quiet")]
    for name, base, rows, missing in panels:
        start, end = top + 22, top + 22 + row * (len(rows) + len(missing))
        ticks = decades([time for _, time, _, _ in rows])
        x = axis(ticks, left, right)
        parts += [text(MARGIN, top + 16, name, "own"), text(ratio_end, top + 16, f"x {base}", "quiet", "end")]
        for number, value in enumerate(ticks):
            parts.append(f'<path class="grid" d="M{x(value):.1f} {start}V{end}"/>')
            # The panel's title is above the first lines. More labels than these would overlap.
            if number > 1 and (number - len(ticks) + 1) % math.ceil((len(ticks) - 1) / 3) == 0:
                parts.append(text(x(value), top + 16, decade_text(value), "quiet", "middle"))
        y = start + 11
        for label, time, ratio, is_ours in sorted(rows, key=lambda row: row[1]):
            kind, fill = ("own", "var(--c0)") if is_ours else ("", "var(--bar)")
            parts.append(f'<rect x="{left}" y="{y - 9}" width="{x(time) - left:.1f}" height="9" fill="{fill}"/>')
            columns = [(left - 8, label), (time_end, time_text(time)), (ratio_end, digits(ratio))]
            parts += [text(at, y, content, f"row {kind}", "end") for at, content in columns]
            y += row
        for label in missing:
            parts += [text(left - 8, y, label, "row", "end"), text(left, y, "not measured", "quiet")]
            y += row
        top = end + 4
    write(path, title, width, top + 26, [*parts, text(MARGIN, top + 15, note, "quiet")])


def spread(wishes, gap):
    """Returns the places that are nearest to the wished ones, in the same order, and at least `gap` apart."""
    groups = []  # (center, how many)
    for wish in sorted(wishes):
        center, count = wish, 1
        while groups and groups[-1][0] + (groups[-1][1] + count) / 2 * gap > center:
            before, members = groups.pop()
            center, count = (before * members + center * count) / (members + count), members + count
        groups.append((center, count))
    return [center + (place - (count - 1) / 2) * gap for center, count in groups for place in range(count)]


def lines(path, title, note, x_label, series, in_time):
    """Draws curves, each with its name at its right end.

    Each of the series is (name, colour, points, points of the baseline). A point is (size, nanoseconds). If `in_time`
    is true, the size is a time in milliseconds.
    """
    width, height, left, right, bottom = 560, 420, 74, 392, 358
    has_baseline = any(baseline for *_, baseline in series)
    top = 84 if has_baseline else 66
    all_points = [point for *_, main, baseline in series for point in main + baseline]
    y_values = decades([value for _, value in all_points])
    x_values = range(-2000, 4000, 1000) if in_time else decades([size for size, _ in all_points])
    x, y = axis(x_values, left, right, float if in_time else math.log10), axis(y_values, bottom, top)
    parts = [text(MARGIN, 49, note, "quiet"), text((left + right) / 2, height - 14, x_label, "", "middle")]
    if has_baseline:
        parts.append(text(MARGIN, 67, "Dotted: the same in C, with libkeyutils.", "quiet"))
    for value in y_values:
        parts.append(f'<path class="grid" d="M{left} {y(value):.1f}H{right}"/>')
        parts.append(text(left - 8, y(value) + 5, decade_text(value), "", "end"))
    for value in x_values:
        parts.append(f'<path class="grid" d="M{x(value):.1f} {top}V{bottom}"/>')
        name = f"{value / 1000:+g}" if in_time and value else f"{value:,.0f}"
        parts.append(text(x(value), bottom + 20, name, "", "middle"))
    if in_time:
        parts.append(f'<path d="M{x(0):.1f} {top}V{bottom}" stroke="var(--quiet)" stroke-dasharray="6 4"/>')
    for _, colour, main, baseline in series:
        for points, kind in ((baseline, "line baseline"), (main, "line")):
            if points:
                data = "M" + "L".join(f"{x(a):.1f} {y(b):.1f}" for a, b in points)
                parts.append(f'<path class="{kind}" stroke="var(--c{colour})" d="{data}"/>')
        if len(main) < 12:
            parts += [f'<circle cx="{x(a):.1f}" cy="{y(b):.1f}" r="3.5" fill="var(--c{colour})"/>' for a, b in main]
    ends = sorted((y(main[-1][1]), x(main[-1][0]), name, colour) for name, colour, main, _ in series)
    for (end, last, name, colour), place in zip(ends, spread([end for end, *_ in ends], 17)):
        data = f"M{last + 5:.1f} {end:.1f}L{right + 18} {place:.1f}"
        parts.append(f'<path class="lead" stroke="var(--c{colour})" d="{data}"/>')
        parts.append(f'<text x="{right + 22}" y="{place + 5:.1f}" style="fill: var(--c{colour})">{escape(name)}</text>')
    write(path, title, width, height, parts)


def read(path):
    """The figures of a part: {name: [(size, value, baseline or None)]}."""
    rows = {}
    for _, what, size, value, _, baseline, _ in (line.split("\t") for line in path.read_text().splitlines()):
        rows.setdefault(what, []).append((int(size), float(value), None if baseline == "-" else float(baseline)))
    return rows


CALLS = [("get", "get"), ("set", "set"), ("identities()", "identities"), ("items()", "items"), ("clear", "clear"),
         ("get, missing item", "miss")]
PLOTS = [
    ("items", "scale-items.svg", "Time of one call, by items in the namespace", "items in the namespace", CALLS),
    ("namespaces", "scale-namespaces.svg", "Time of one call, by namespaces in the session",
     "namespaces in the session; lists of 20 items", [
         ("get", "get"), ("get, ring in @p", "get, ring linked into @p"), ("set", "set"), ("get, missing item", "miss"),
         ("identities()", "identities"), ("items()", "items")]),
    ("users", "scale-sessions.svg", "Time of one call, by users logged in", "users with 20 items each", CALLS),
    ("expiry", "scale-expiry.svg", "Time of one call, while 10,000 other items expire", "seconds after their expiry", [
        ("get, median", "expiry get p50"), ("get, 99th percentile", "expiry get p99"),
        ("set, median", "expiry set p50"), ("set, 99th percentile", "expiry set p99")]),
]


def draw(figures, name, title, x_label, names):
    rows, date = read(figures), datetime.date.fromtimestamp(figures.stat().st_mtime)
    series = [(name, COLOURS[what], [(size, value) for size, value, _ in rows[what]],
               [(size, baseline) for size, _, baseline in rows[what] if baseline is not None]) for name, what in names]
    note = f"{os.cpu_count()} CPUs, Linux {os.uname().release}, {date}"
    lines(figures.with_name(name), title, note, x_label, series, in_time=x_label.startswith("seconds"))


if __name__ == "__main__":
    for part, *plot in PLOTS:
        if (figures := pathlib.Path(sys.argv[1]) / f"{part}.tsv").exists():
            draw(figures, *plot)
