"""Writes the comparison as compare.md and compare.svg."""

import datetime
import os
import pathlib
import re
import subprocess
import sys

import plot

KINDS = {
    "read": ("Reading, a whole command", "skr get"),
    "in-process": ("Reading, in a running program", "C, libkeyutils"),
    "write": ("Writing, a whole command", "skr set"),
}
PACKAGES = ["keyutils", "libkeyutils1", "python3-keyutils", "git", "gnome-keyring", "libsecret-tools", "pass", "gnupg"]
LIMITS = [("keyctl pipe SERIAL", 0.75), ("secret-tool lookup", 1 / 25)]


def machine():
    processor = re.search(r"^model name\s*: (.*)$", pathlib.Path("/proc/cpuinfo").read_text(), re.M)
    system = re.search(r'^PRETTY_NAME="?([^"(\n]*)', pathlib.Path("/etc/os-release").read_text(), re.M)
    kernel = os.uname()
    return ", ".join([
        processor[1] if processor else kernel.machine, f"{os.cpu_count()} cores",
        f"{kernel.sysname} {kernel.release}", system[1].strip() if system else "unknown system"])


def versions(work):
    def output_of(command):
        return subprocess.run(command, shell=True, capture_output=True, text=True, check=False).stdout

    found = output_of(f"dpkg-query -W -f '${{Package}} ${{Version}}\\n' {' '.join(PACKAGES)}").splitlines()
    listed = output_of(f"{work}/venv/bin/pip list --format=freeze")
    of_python = re.findall("(?im)^(keyring|SecretStorage)==(.*)$", listed)
    return ", ".join(found + [f"Python {name} {version}" for name, version in of_python])


def table(header, figures, rows):
    align = ["---", *["--:"] * figures, *["---"] * (len(header) - figures - 1)]
    return "\n".join("| " + " | ".join(row) + " |" for row in [header, align, *rows])


def timing_tables(offers):
    for kind, (title, base) in KINDS.items():
        of_kind = [o for o in offers if o.kind == kind]
        chosen = sorted((o for o in of_kind if not o.reason), key=lambda o: o.time / o.base_time)
        rows = [[o.label, plot.time_text(o.time), plot.digits(o.time / o.base_time)] for o in chosen]
        rows += [[o.label, "not measured", o.reason] for o in of_kind if o.reason]
        yield table([title, "median", f"x {base}"], 2, rows)


def summary(tools, offers):
    """A table with a row for each tool: its first figure of each kind, and its properties."""
    rows = []
    for tool in tools:
        own = [o for o in offers if o.tool is tool and not o.reason]
        first = {o.kind: plot.time_text(o.time) for o in reversed(own)}
        times = [first.get(kind, "") for kind in ("read", "write", "in-process")]
        rows.append([tool["name"], *times, *tool["is"]])
    return table(["", "read", "write", "read, in a running program", "the secret is in", "expires by itself",
                  "for one session only", "needs a daemon"], 3, rows)


def verdicts(offers):
    times = {o.label: o for o in offers if o.kind == "read" and not o.reason}
    for label, limit in LIMITS:
        if label not in times:
            yield False, f"skr get / {label}: not measured"
            continue
        ratio = times[label].base_time / times[label].time
        yield ratio <= limit, f"skr get / {label}: {ratio:.3f} (at most {limit:.2f})"


def write(folder, comparison):
    """Writes both files, prints the table, and returns 1 if a limit is exceeded."""
    date, offers = datetime.date.today().isoformat(), comparison.offers
    text = "\n\n".join([
        "Use these tables to compare `skr` with other tools that keep secrets: how long each takes to read and write\n"
        "a secret of 200 bytes, and where it keeps the secret. The times are medians. A ratio compares commands in\n"
        "the same turns, so it can differ from the quotient of two times.",
        f"Measured on {date} on {machine()}.", summary(comparison.tools, offers), *timing_tables(offers),
        f"Versions: {versions(comparison.work)}."]) + "\n"
    panels = [
        (title, base, [(o.label, o.time, o.time / o.base_time, o.tool["name"] == "skr")
                       for o in offers if o.kind == kind and not o.reason],
         [o.label for o in offers if o.kind == kind and o.reason])
        for kind, (title, base) in KINDS.items()
    ]
    (folder / "compare.md").write_text(text)
    plot.bars(folder / "compare.svg", "Time to read and write a secret of 200 bytes", panels, f"{machine()}, {date}")
    print(text)
    outcomes = list(verdicts(offers))
    for reached, line in outcomes:
        print(f"{line}  {'reached' if reached else 'MISSED'}")
    print(f"compare: wrote {folder}/compare.md and {folder}/compare.svg", file=sys.stderr)
    return 0 if all(reached for reached, _ in outcomes) else 1
