"""report.py WORK DIR: what Benchmarks/compare has measured, as DIR/compare.md and DIR/compare.svg; prints the table.

Exit code 1 if `skr get` is over one of its limits, or one of them could not be measured.
"""

import datetime
import os
import pathlib
import re
import subprocess
import sys

from plot import plot

KINDS = {
    "read": ("Reading, a whole command", "skr get"),
    "in-process": ("Reading, in a running program", "C, libkeyutils"),
    "write": ("Writing, a whole command", "skr set"),
}
PACKAGES = ["keyutils", "libkeyutils1", "python3-keyutils", "git", "gnome-keyring", "libsecret-tools", "pass", "gnupg"]
TIMES = ("median", "read", "write", "read, in a running program")
LIMITS = [("keyctl pipe SERIAL", 0.75), ("secret-tool lookup", 1 / 25)]


def rows_of(path):
    return [line.split("\t") for line in path.read_text().splitlines()] if path.exists() else []


def time_text(nanoseconds):
    """Two or three digits that count, with a unit."""
    for unit, size in (("ms", 1e6), ("µs", 1e3), ("ns", 1)):
        if nanoseconds >= size:
            break
    value = nanoseconds / size
    return f"{value:,.0f} {unit}" if value >= 100 else f"{value:.1f} {unit}" if value >= 10 else f"{value:.2f} {unit}"


def ratio_text(ratio):
    return f"{ratio:,.0f}" if ratio >= 100 else f"{ratio:.1f}" if ratio >= 10 else f"{ratio:.2f}"


def output_of(*command):
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    return result.stdout.strip() if result.returncode == 0 else ""


def machine():
    processor = re.search(r"^model name\s*: (.*)$", pathlib.Path("/proc/cpuinfo").read_text(), re.M)
    system = re.search(r'^PRETTY_NAME="?([^"(\n]*)', pathlib.Path("/etc/os-release").read_text(), re.M)
    kernel = os.uname()
    return ", ".join([
        processor[1] if processor else kernel.machine, f"{os.cpu_count()} cores",
        f"{kernel.sysname} {kernel.release}", system[1].strip() if system else "unknown system",
    ])


def versions(work):
    found = [(name, output_of("dpkg-query", "-W", "-f=${Version}", name)) for name in PACKAGES]
    pip = work / "venv/bin/pip"
    listed = output_of(str(pip), "list", "--format=freeze") if pip.exists() else ""
    found += [(f"Python {name}", match[1]) for name in ("keyring", "SecretStorage")
              if (match := re.search(rf"^{name}==(.*)$", listed, re.M | re.I))]
    return ", ".join(f"{name} {version}" for name, version in found if version)


def table(header, rows):
    align = ["---"] + ["--:" if name in TIMES or name.startswith("x ") else "---" for name in header[1:]]
    return "\n".join("| " + " | ".join(row) + " |" for row in [header, align, *rows])


def timing_tables(figures, missing):
    for kind, (title, base) in KINDS.items():
        chosen = sorted((f for f in figures if f[0] == kind), key=lambda f: int(f[3]) / int(f[4]))
        rows = [[label, time_text(int(time)), ratio_text(int(time) / int(of))] for _, _, label, time, of in chosen]
        rows += [[label, "not measured", reason] for of, _, label, reason in missing if of == kind]
        if rows:
            yield table([title, "median", f"x {base}"], rows)


def summary(work, figures):
    """A row a tool: its first figure of each kind, and what it gives."""
    rows = []
    for tool, *facts in rows_of(work / "facts.tsv"):
        times = [next((time_text(int(time)) for of, owner, _, time, _ in figures if (of, owner) == (kind, tool)), "")
                 for kind in ("read", "write", "in-process")]
        rows.append([tool.replace("git-", "git "), *times, *facts])
    return table(["", "read", "write", "read, in a running program", "the secret is in", "expires by itself",
                  "of one session", "a daemon"], rows)


def document(work, figures, missing, date):
    return "\n\n".join([
        f"A secret of 200 bytes, {date}, on {machine()}.",
        summary(work, figures),
        *timing_tables(figures, missing),
        f"Versions: {versions(work)}.",
    ]) + "\n"


def verdicts(figures):
    times = {label: (int(time), int(of)) for kind, _, label, time, of in figures if kind == "read"}
    for label, limit in LIMITS:
        if label not in times:
            yield False, f"skr get / {label}: not measured"
            continue
        time, own = times[label]
        yield own / time <= limit, f"skr get / {label}: {own / time:.3f} (at most {limit:.2f})"


def main():
    work, folder = map(pathlib.Path, sys.argv[1:])
    figures, missing = rows_of(work / "figures.tsv"), rows_of(work / "missing.tsv")
    date = datetime.date.today().isoformat()
    text = document(work, figures, missing, date)
    panels = [
        (title, base, [(label, int(time), tool == "skr") for of, tool, label, time, _ in figures if of == kind],
         [label for of, _, label, _ in missing if of == kind])
        for kind, (title, base) in KINDS.items()
    ]
    (folder / "compare.md").write_text(text)
    (folder / "compare.svg").write_text(plot(panels, date, machine(), time_text))
    print(text)
    outcomes = list(verdicts(figures))
    for reached, line in outcomes:
        print(f"{line}  {'ok' if reached else 'MISSED'}")
    return 0 if all(reached for reached, _ in outcomes) else 1


sys.exit(main())
