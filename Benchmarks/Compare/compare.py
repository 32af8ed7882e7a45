"""Compares the cost of reading and writing a secret with `skr` and with other tools that people use.

    benchmarks compare [--output DIR] [SKR [RUNS]]

SKR is an installed, static skr (default: $SKR, or else the skr on PATH). RUNS is how often each quick command runs
(default: 300). Prints the tables, and writes compare.md and compare.svg to DIR, by default a new folder whose path it
prints. Run it as root on Debian 12, because it installs the tools that it measures. Compare.swift starts this script in
a new session keyring.
"""

import argparse
import os
import pathlib
import shlex
import shutil
import signal
import statistics
import string
import subprocess
import sys
import tempfile
import time
import tomllib
from dataclasses import dataclass

import report

HERE = pathlib.Path(__file__).parent
# Not a real secret, but as long as many tokens.
SECRET = "x" * 200
PACES = {"quick": 1, "middle": 3, "slow": 10}


class Failure(Exception):
    pass


@dataclass
class Offer:
    """A command to measure, or the reason why it can't be measured."""

    kind: str
    label: str
    tool: dict
    words: list
    stdin: str = os.devnull
    reason: str = ""
    time: int = 0
    base_time: int = 0


def note(text):
    print("compare:", text, file=sys.stderr)


def last_line(text):
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1][:160].replace("|", " ").replace("\t", " ") if lines else "no reason given"


class Comparison:
    """The commands to measure. They run in a temporary folder with its own home, without the caller's environment."""

    def __init__(self, work, skr, benchmarks):
        self.work, self.daemons, self.offers = work, [], []
        self.values = {"work": work, "here": HERE, "skr": skr, "benchmarks": benchmarks}
        self.tools = tomllib.loads((HERE / "tools.toml").read_text())["tool"]
        self.environment = {
            "PATH": f"{work}/bin:/usr/bin:/bin", "LANG": "C.UTF-8", "HOME": f"{work}/home", "GIT_CONFIG_NOSYSTEM": "1",
            "XDG_RUNTIME_DIR": f"{work}/run", "DBUS_SESSION_BUS_ADDRESS": f"unix:path={work}/run/bus",
            "GNUPGHOME": f"{work}/gnupg", "PASSWORD_STORE_DIR": f"{work}/passwords", "PYTHONDONTWRITEBYTECODE": "1",
        }
        for folder in ("bin", "home", "run", "cache", "gnupg"):
            (work / folder).mkdir(mode=0o700)
        question = "protocol=https\nhost=compare.invalid\nusername=alice\n"
        (work / "secret.txt").write_text(SECRET)
        (work / "question").write_text(question)
        (work / "credential").write_text(f"{question}password={SECRET}\n")

    def run(self, words, stdin=os.devnull):
        with open(stdin, "rb") as source:
            try:
                result = subprocess.run(words, env=self.environment, cwd=self.work / "home", stdin=source,
                                        capture_output=True, text=True, check=False)
            except OSError as error:
                raise Failure(f"can't run {words[0]}") from error
        if result.returncode != 0:
            raise Failure(last_line(result.stderr))
        return result.stdout

    def words_of(self, command, tool):
        """The command's words, with all names replaced by their values."""
        for name, source in tool.get("set", {}).items():
            if f"${name}" in command:
                if name not in tool:
                    tool[name] = self.run(self.words_of(source, tool)).strip()
                command = command.replace(f"${name}", tool[name])
        return shlex.split(string.Template(command).safe_substitute(self.values))

    def install(self):
        """Installs all tools. The table shows the reason if a tool can't be installed."""
        subprocess.run(["apt-get", "update", "-qq"], capture_output=True, check=False)
        for tool in self.tools:
            if reason := self.apt_install(tool["packages"]):
                tool["reason"] = f"apt-get install: {reason}"
        self.run(["cc", "-O2", "-static", "-o", f"{self.work}/bin/race", f"{HERE.parent}/Commands/race.c"])

    def apt_install(self, packages):
        words = ["apt-get", "install", "-y", "-qq", "--no-install-recommends", *packages]
        environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        result = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
        return last_line(result.stdout + result.stderr) if result.returncode != 0 else ""

    def secret_service(self):
        """Starts gnome-keyring on a new bus. The bus can't start other programs, so none can remain at the end."""
        if self.daemons:
            return
        (self.work / "bus.conf").write_text(
            f"<busconfig><type>session</type><listen>{self.environment['DBUS_SESSION_BUS_ADDRESS']}</listen>"
            '<policy context="default"><allow send_destination="*"/><allow receive_sender="*"/><allow own="*"/>'
            "</policy></busconfig>")
        self.start(f"dbus-daemon --config-file={self.work}/bus.conf --nofork --nopidfile", "")
        self.wait_until(lambda: (self.work / "run/bus").exists())
        self.start("gnome-keyring-daemon --foreground --unlock --components=secrets", "not a secret")
        self.wait_until(lambda: "boolean true" in self.run(shlex.split(
            "dbus-send --session --print-reply --dest=org.freedesktop.DBus /org/freedesktop/DBus"
            " org.freedesktop.DBus.NameHasOwner string:org.freedesktop.secrets")))

    def start(self, command, text):
        daemon = subprocess.Popen(shlex.split(command), env=self.environment, stdin=subprocess.PIPE, text=True,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.daemons.append(daemon)
        daemon.stdin.write(text)
        daemon.stdin.close()

    def wait_until(self, condition):
        for _ in range(100):
            if condition():
                return
            time.sleep(0.1)
        raise Failure("gnome-keyring does not answer on its bus in time")

    def gives_secret(self, offer):
        """Checks that the command prints the secret, alone or in git's protocol. A newline at the end is allowed."""
        given = self.run(offer.words, offer.stdin)
        if "password=" in given:
            given = next(line[9:] for line in given.splitlines() if line.startswith("password="))
        if given.rstrip("\n") != SECRET:
            raise Failure("the output is not the secret")

    def offer(self, kind, label, command, tool):
        """Runs the command once. If it succeeds, it will be measured."""
        offer = Offer(kind, label, tool, [], f"{self.work}/secret.txt" if kind == "write" else os.devnull)
        self.offers.append(offer)
        try:
            offer.words = self.words_of(command, tool)
            if "<" in offer.words:
                offer.words, (offer.stdin,) = offer.words[:-2], offer.words[-1:]
            # `race` does not look for commands on PATH.
            offer.words[0] = shutil.which(offer.words[0], path=self.environment["PATH"]) or offer.words[0]
            if kind == "read":
                self.gives_secret(offer)
            else:
                self.run(offer.words, offer.stdin)
        except Failure as failure:
            offer.reason = tool.get("reason", str(failure))

    def prepare(self, tool):
        note(f"preparing {tool['name']}")
        try:
            if tool.get("secret-service"):
                self.secret_service()
            for command in tool.get("install", []):
                self.run(self.words_of(command, tool))
        except Failure as failure:
            tool.setdefault("reason", f"the preparation failed: {failure}")
        for kind in ("write", "read", "in-process"):
            for label, command in tool.get(kind, {}).items():
                self.offer(kind, label, command, tool)

    def of_kind(self, kind):
        """The commands that can be measured, starting with the one that the ratios refer to."""
        found = [offer for offer in self.offers if offer.kind == kind and not offer.reason]
        base = [offer for offer in found if offer.label == report.KINDS[kind][1]]
        if not base:
            raise Failure(f"can't measure {report.KINDS[kind][1]}: {[o.reason for o in self.offers if o.kind == kind]}")
        return base + [offer for offer in found if offer is not base[0]]

    def race(self, kind, runs):
        """Runs the commands of each pace in turns.

        The base, which is skr, runs with each group, so that both times of a ratio come from the same turns.
        """
        base, *others = self.of_kind(kind)
        for pace, share in reversed(PACES.items()):
            racers = [base] + [offer for offer in others if offer.tool.get("pace", "quick") == pace]
            count = -(-runs // (share if kind == "read" else 10))
            note(f"{kind}, {pace}: {len(racers)} commands, {count} times each")
            words = [word for offer in racers for word in ["---", "<", offer.stdin, *offer.words]]
            lines = self.run(["race", str(count), *words[1:]]).splitlines()
            for offer, line in zip(racers, lines):
                offer.time, offer.base_time = int(line.split()[0]), int(lines[0].split()[0])

    def in_process(self):
        """Runs the programs that measure their own gets, in turns, 7 times. A figure is the median of the 7 medians."""
        note("get in a running program")
        offers = self.of_kind("in-process")
        rounds = [[int(self.run(offer.words)) for offer in offers] for _ in range(7)]
        for offer, times in zip(offers, zip(*rounds)):
            offer.time, offer.base_time = int(statistics.median(times)), int(statistics.median(r[0] for r in rounds))

    def measure(self, runs):
        self.install()
        for tool in self.tools:
            self.prepare(tool)
        self.race("read", runs)
        self.in_process()
        self.race("write", runs)
        # After all the writes, each command must still print the secret.
        for offer in self.of_kind("read"):
            self.gives_secret(offer)

    def clean_up(self):
        for command in ("git credential-cache --socket=$work/cache/socket exit", "gpgconf --kill all",
                        "gpgconf --remove-socketdir"):
            try:
                self.run(self.words_of(command, {}))
            except Failure:
                pass
        for daemon in reversed(self.daemons):
            daemon.terminate()
            daemon.wait()
        shutil.rmtree(self.work)


def main():
    parser = argparse.ArgumentParser(prog="benchmarks compare")
    parser.add_argument("benchmarks", help=argparse.SUPPRESS)
    parser.add_argument("--output", type=pathlib.Path)
    parser.add_argument("skr", nargs="?", default=os.environ.get("SKR", "skr"))
    parser.add_argument("runs", nargs="?", type=int, default=300)
    options = parser.parse_intermixed_args()
    skr = shutil.which(options.skr)
    if not skr or options.runs < 1 or os.geteuid() != 0:
        parser.error("SKR must be a command, and RUNS at least 1; run it as root, because it installs packages")
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda number, _: sys.exit(128 + number))
    comparison = Comparison(pathlib.Path(tempfile.mkdtemp()), os.path.realpath(skr), options.benchmarks)
    try:
        comparison.measure(options.runs)
        output = options.output or pathlib.Path(tempfile.mkdtemp())
        output.mkdir(parents=True, exist_ok=True)
        return report.write(output, comparison)
    except Failure as failure:
        note(f"error: {failure}")
        return 70
    finally:
        comparison.clean_up()


sys.exit(main())
