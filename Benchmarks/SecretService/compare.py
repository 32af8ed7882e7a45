#!/usr/bin/env python3
"""Compares `skr-secrets` with gnome-keyring, as two services that answer the same requests.

    compare.py [--short] [SKR_SECRETS [ROUNDS]]

SKR_SECRETS is an installed, static skr-secrets (default: $SKR_SECRETS, or else the skr-secrets on PATH). ROUNDS is how
often each service gets a batch of each request (default: 300). Prints a table. The exit code is 1 if a limit is missed.
--short only shows that the benchmark works: it makes a few rounds, and times have no limit. If a required package is
missing, the script installs it, which needs root and Debian 12.
"""

import argparse
import os
import pathlib
import re
import shlex
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "Compare")]
import report  # noqa: E402

PACKAGES = ["dbus-daemon", "gcc", "gnome-keyring", "keyutils", "libdbus-1-dev", "libsecret-tools", "pkg-config"]
SECRET = "x" * 200
ATTRIBUTES = "service compare username secret-tool"
# With this number of items, the requests have a limit.
USUAL_ITEMS = 10
REQUESTS, CONNECTIONS = 10_000, 32
# The counts of a process's memory can be off by a few pages.
GROWTH = 64 * 1024
KIBIBYTE, MEBIBYTE = 1 << 10, 1 << 20


class Failure(Exception):
    pass


def note(text):
    print("compare:", text, file=sys.stderr)


class Comparison:
    """Both services. They run in a temporary folder with its own home, without the caller's environment and keyrings.

    The folder is in memory, so that gnome-keyring does not wait for a disk.
    """

    def __init__(self, secrets, rounds, is_short):
        self.secrets, self.rounds, self.is_short = secrets, rounds, is_short
        self.work = pathlib.Path(tempfile.mkdtemp(dir="/dev/shm"))
        self.client, self.process = str(self.work / "client"), None
        self.processes, self.rows = [], []
        self.environment = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "HOME": f"{self.work}/home",
                            "XDG_RUNTIME_DIR": f"{self.work}/run"}
        for folder in ("home", "run"):
            (self.work / folder).mkdir(mode=0o700)
        (self.work / "secret").write_text(SECRET)

    # Running programs

    def run(self, words, text="", **variables):
        result = subprocess.run([str(word) for word in words], env={**self.environment, **variables}, input=text,
                                cwd=self.work, capture_output=True, text=True, check=False)
        if result.returncode != 0:
            raise Failure(f"{words[0]}: {result.stderr.strip() or result.returncode}")
        return result.stdout

    def start(self, words, **variables):
        process = subprocess.Popen(words, env={**self.environment, **variables}, cwd=self.work, text=True,
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.processes.append(process)
        return process

    def build(self):
        flags = shlex.split(self.run(["pkg-config", "--cflags", "--libs", "dbus-1"]))
        self.run(["cc", "-O2", "-o", self.client, HERE / "client.c", *flags])
        self.run(["cc", "-O2", "-static", "-o", self.work / "race", HERE.parent / "Commands/race.c"])

    def start_services(self):
        """Starts both services. `skr-secrets` ends with the command that it started: a `cat` without input."""
        print_address = 'echo "$DBUS_SESSION_BUS_ADDRESS"; exec cat'
        ours = self.start(["keyctl", "session", "-", self.secrets, "--", "sh", "-c", print_address])
        ours_address = ours.stdout.readline().strip()
        if not ours_address:
            raise Failure(f"{self.secrets} did not start")
        address = f"unix:path={self.work}/run/gnome-bus"
        # The bus can't start other programs, so none can remain at the end.
        (self.work / "bus.conf").write_text(
            f"<busconfig><type>session</type><listen>{address}</listen>"
            '<policy context="default"><allow send_destination="*"/><allow receive_sender="*"/><allow own="*"/>'
            "</policy></busconfig>")
        bus = self.start(["dbus-daemon", f"--config-file={self.work}/bus.conf", "--nofork", "--nopidfile",
                          "--print-address=1"])
        bus.stdout.readline()
        keyring = self.start(["gnome-keyring-daemon", "--foreground", "--unlock", "--components=secrets"],
                             DBUS_SESSION_BUS_ADDRESS=address)
        keyring.stdin.write("not a secret")
        keyring.stdin.close()
        self.addresses = [ours_address, address]
        for waited in self.addresses:
            self.wait_for(waited)
        self.process = self.find_service()

    def find_service(self):
        """The process ID of our service: it has our environment, and a parent that has ended."""
        for program in pathlib.Path("/proc").glob("[0-9]*/exe"):
            try:
                is_ours = bytes(self.work) in (program.parent / "environ").read_bytes()
                if is_ours and os.readlink(program) == self.secrets:
                    return int(program.parent.name)
            except OSError:
                continue
        raise Failure(f"no process of {self.secrets} has the service")

    def wait_for(self, address):
        """Waits until a service answers at the address."""
        for _ in range(100):
            try:
                self.run([self.client, "look", address])
                return
            except Failure as failure:
                last = failure
                time.sleep(0.1)
        raise Failure(f"no Secret Service answers at {address}: {last}")

    def clean_up(self):
        for process in reversed(self.processes):
            if not process.stdin.closed:
                process.stdin.close()
            process.terminate()
            process.wait()
        # `skr-secrets` ends with its command, and removes its socket.
        for _ in range(50):
            if not pathlib.Path(f"/proc/{self.process}").exists():
                break
            time.sleep(0.1)
        else:
            note(f"warning: skr-secrets still runs as process {self.process}")
        shutil.rmtree(self.work)

    # Measuring

    def row(self, what, measured, limit="", is_reached=None, is_time=True):
        is_judged = limit and not (is_time and self.is_short)
        verdict = ("reached" if is_reached else "MISSED") if is_judged else ""
        self.rows.append((what, limit, measured, verdict))

    def ratio_row(self, what, times, ratios, limit):
        """A row for the times of both services, in nanoseconds, and the quartiles of the ratios."""
        def shown(nanoseconds):
            return f"{nanoseconds / 1e3:.0f} us" if nanoseconds < 1e6 else f"{nanoseconds / 1e6:.2f} ms"

        low, middle, high = ratios
        self.row(what, f"{middle:.3f} ({low:.2f} to {high:.2f}); {shown(times[0])} to {shown(times[1])}",
                 f"<= {limit:.2f} x gnome-keyring" if limit else "", limit and middle <= limit)

    def fill(self, count):
        for address in self.addresses:
            self.run([self.client, "fill", count, address])

    def requests(self, items):
        """Rows for requests on an open connection. The client stores one of the items itself."""
        note(f"requests on an open connection, {items} stored")
        limit = 0.5 if items == USUAL_ITEMS else None
        label = "1 item" if items == 1 else f"{items} items"
        for line in self.run([self.client, "race", self.rounds, *self.addresses]).splitlines():
            name, *numbers = line.split()
            numbers = [float(number) for number in numbers]
            ours, theirs, ratios = numbers[:3], numbers[3:6], numbers[6:]
            self.ratio_row(f"{name}, {label}", (ours[1], theirs[1]), ratios, limit)
            if name == "GetSecret" and limit:
                low, middle, high = (number / 1e3 for number in ours)
                self.row(f"{name}, {label}, the time", f"{middle:.1f} us ({low:.0f} to {high:.0f})", "<= 100 us",
                         middle <= 100)

    def tool(self, *words, address):
        return ["/usr/bin/env", f"DBUS_SESSION_BUS_ADDRESS={address}", "secret-tool", *words, *ATTRIBUTES.split()]

    def store_with_tool(self):
        """Stores an item with secret-tool, which must then print the same secret from both services."""
        for address in self.addresses:
            self.run(self.tool("store", "--label=secret-tool", address=address), SECRET)
            if self.run(self.tool("lookup", address=address)) != SECRET:
                raise Failure(f"secret-tool did not print the secret, at {address}")

    def whole_commands(self):
        """Rows for secret-tool. A ratio is the quotient of two medians of a group of turns."""
        note("secret-tool")
        groups, runs = (3, 2) if self.is_short else (15, max(5, self.rounds // 15))
        commands = [self.tool(*words, address=address)
                    for words in (["lookup"], ["store", "--label=secret-tool"]) for address in self.addresses]
        words = [word for command in commands for word in ("---", "<", self.work / "secret", *command)]
        measured = [[int(line.split()[0]) for line in self.run([self.work / "race", runs, *words[1:]]).splitlines()]
                    for _ in range(groups)]
        for first, name in ((0, "lookup"), (2, "store")):
            times = [statistics.median(group[first + side] for group in measured) for side in (0, 1)]
            ratios = statistics.quantiles([group[first] / group[first + 1] for group in measured], n=4)
            self.ratio_row(f"secret-tool {name}, {USUAL_ITEMS} items", times, ratios, 1.0)

    def first_answer(self):
        note("start")
        numbers = self.run(["keyctl", "session", "-", self.client, "start", 10 if self.is_short else 100, self.secrets])
        low, middle, high = (float(number) / 1e6 for number in numbers.split())
        self.row("start to first answer", f"{middle:.2f} ms ({low:.2f} to {high:.2f})", "<= 10 ms", middle <= 10)

    def resident(self):
        """The resident memory of skr-secrets in bytes, counted page by page."""
        text = pathlib.Path(f"/proc/{self.process}/smaps_rollup").read_text()
        return int(re.search(r"^Rss:\s+(\d+) kB", text, re.M)[1]) * KIBIBYTE

    def memory_row(self, what):
        size = self.resident()
        self.row(f"resident memory, {what}", f"{size / MEBIBYTE:.2f} MiB", "<= 12 MiB", size <= 12 * MEBIBYTE,
                 is_time=False)

    def growth(self):
        """Rows for memory. The first requests load code, so the growth is that of the second REQUESTS."""
        note(f"{2 * REQUESTS:,} requests over {CONNECTIONS} connections")
        state = []
        for _ in range(2):
            self.run([self.client, "use", REQUESTS, self.addresses[0]])
            time.sleep(0.2)
            state.append((self.resident(), len(os.listdir(f"/proc/{self.process}/fd"))))
            if len(state) == 1:
                self.memory_row(f"idle after {REQUESTS:,} requests, {CONNECTIONS} connections")
        grown = state[1][0] - state[0][0]
        self.row(f"growth in {REQUESTS:,} further requests", f"{grown / KIBIBYTE:.0f} KiB",
                 f"none (<= {GROWTH // KIBIBYTE} KiB)", grown <= GROWTH, is_time=False)
        self.row("open files after them, in addition", str(state[1][1] - state[0][1]), "0", state[1][1] <= state[0][1],
                 is_time=False)

    def measure(self):
        self.build()
        self.start_services()
        self.memory_row("idle after the start")
        self.requests(1)
        self.store_with_tool()
        self.fill(USUAL_ITEMS - 2)
        self.requests(USUAL_ITEMS)
        self.whole_commands()
        self.growth()
        self.fill(100 - 2)
        self.requests(100)
        self.first_answer()

    def show(self):
        print(report.table(["what", "must reach", "measured", "verdict"], 0, self.rows))
        return 1 if any(verdict == "MISSED" for *_, verdict in self.rows) else 0


def install():
    """Installs the required packages, if one is missing."""
    query = subprocess.run(["dpkg-query", "-W", "-f", "${db:Status-Abbrev}\n", *PACKAGES], capture_output=True,
                           text=True, check=False)
    if query.stdout.count("ii ") == len(PACKAGES):
        return
    for words in (["update"], ["install", "-y", "--no-install-recommends", *PACKAGES]):
        result = subprocess.run(["apt-get", "-qq", *words], env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"},
                                capture_output=True, text=True, check=False)
        if result.returncode != 0:
            raise Failure(f"apt-get {words[0]}: {result.stderr.strip()}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--short", action="store_true")
    parser.add_argument("secrets", nargs="?", default=os.environ.get("SKR_SECRETS", "skr-secrets"))
    parser.add_argument("rounds", nargs="?", type=int, default=0)
    options = parser.parse_intermixed_args()
    secrets = shutil.which(options.secrets)
    rounds = options.rounds or (5 if options.short else 300)
    if not secrets or rounds < 1:
        parser.error("SKR_SECRETS must be a command, and ROUNDS at least 1")
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda number, _: sys.exit(128 + number))
    comparison = Comparison(os.path.realpath(secrets), rounds, options.short)
    try:
        install()
        load = os.getloadavg()[0]
        comparison.measure()
        print(f"{report.machine()}; load {load:.1f} at the start, {os.getloadavg()[0]:.1f} at the end\n")
        return comparison.show()
    except Failure as failure:
        note(f"error: {failure}")
        return 70
    finally:
        comparison.clean_up()


if __name__ == "__main__":
    sys.exit(main())
