"""The hosts, and requests to all of them at the same time."""
import json
import os
import pathlib
import subprocess
import sys

from fleet_parts.commands import check, sh
from fleet_parts.engine import Engine

# Each host starts this program again, with --host.
PROGRAM = pathlib.Path(__file__).resolve().parents[1] / "fleet"
# TOGETHER is the number of processes that run at the same time in each host.
HOSTS, TOGETHER = 4, 20
CACHED = "skr cached etcd --key secret/db --timeout 15m --refresh-before 5m -- etcd-get secret/db"
ITEM = "cached:etcd:secret/db"


class Host:
    def __init__(self, number, folder, engine):
        self.name, self.link, self.fetches = f"host{number}", f"link{number}", folder / f"host{number}.fetches"
        self.fetches.touch()
        sh(f"""ip netns add {self.name}
            ip link add {self.link} type veth peer name eth0 netns {self.name}
            ip link set {self.link} master fleet up
            ip -n {self.name} address add 10.77.0.{10 + number}/24 dev eth0
            ip -n {self.name} link set eth0 up; ip -n {self.name} link set lo up""")
        self.agent = subprocess.Popen(
            ["ip", "netns", "exec", self.name, "unshare", "--user", "--map-root-user", "keyctl", "session", "-",
             sys.executable, PROGRAM, "--host"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, bufsize=1,
            env={**os.environ, **engine.environment, "PATH": f"{folder}/bin:{os.environ['PATH']}",
                 "FETCHES": str(self.fetches), "HOSTNUMBER": str(number)})

    def ask(self, **request):
        self.agent.stdin.write(json.dumps(request) + "\n")

    def answer(self):
        return json.loads(self.agent.stdout.readline())

    def asked(self):
        """The times and keys of the host's requests to the engine since the previous call."""
        lines = [line.split() for line in self.fetches.read_text().splitlines()]
        self.fetches.write_text("")
        return [(float(time), key) for time, key in lines]


class Fleet:
    def __init__(self, folder, rounds):
        self.folder, self.rounds, self.engine = folder, rounds, Engine(folder)
        self.hosts = [Host(number, folder, self.engine) for number in range(HOSTS)]

    def all(self, hosts=None, **request):
        """Sends a request to all hosts at the same time, and returns their answers."""
        hosts = hosts or self.hosts
        for host in hosts:
            host.ask(**request)
        return [host.answer() for host in hosts]

    def expect(self, value, fetches, times=1, command=CACHED, hosts=None):
        """Checks that each process gets the value, or an error for `None`, and that each host fetches this often."""
        for host, answer in zip(hosts or self.hosts, self.all(hosts, run=command, times=times)):
            for code, output, errors in answer["results"]:
                got = output.strip() if code == 0 else None
                check(got == value, f"{host.name} got {got}, code {code}, instead of {value}\n{errors}")
            count = len(host.asked())
            check(count == fetches, f"{host.name} asked the engine {count} times instead of {fetches}")

    def revoke(self, how, hosts=None, limit=10):
        """How many seconds after the beginning of the revocation each host no longer has the item."""
        hosts = hosts or self.hosts
        for host in hosts:
            host.ask(gone=ITEM, limit=limit)
        start = how()
        gone = [host.answer() for host in hosts]
        check(None not in gone, "a host still has the revoked secret")
        return [time - start for time in gone]
