"""Revocation: one fetch per host, and how soon a revoked secret is gone, even from a host that was cut off."""
import statistics
import time

from fleet_parts.commands import sh
from fleet_parts.hosts import CACHED, HOSTS, TOGETHER


def fetch_once(fleet):
    fleet.engine.put("first")
    fleet.expect("first", fetches=1, times=TOGETHER)
    fleet.expect("first", fetches=0, times=TOGETHER)
    print(f"single flight: {HOSTS} hosts, {TOGETHER} processes at the same time in each: 1 fetch per host, then none")


def settle(fleet, change):
    """Makes a change, waits until each host has dropped its item, and lets each host fetch the new value."""
    fleet.all(run=f"{CACHED.partition(' -- ')[0]} --force -- echo before", times=1)
    fleet.revoke(change)
    fleet.all(run=CACHED, times=1)
    for host in fleet.hosts:
        host.asked()


def arrive(fleet, name, prepare, how, value):
    """Revokes repeatedly. Afterwards, no host may find the revoked value, and each host must fetch once."""
    times = []
    for number in range(fleet.rounds):
        settle(fleet, lambda: prepare(number))
        times.append(max(fleet.revoke(how)))
        # Without a value, each process tries in turn.
        fleet.expect(value, fetches=1, times=TOGETHER if value else 1)
    times = sorted(time * 1_000 for time in times)
    print(f"{name}: gone from all {HOSTS} hosts after {statistics.median(times):.0f} ms (median), "
          f"at most {times[-1]:.0f} ms, in {fleet.rounds} rounds")


def revocations(fleet):
    fleet.all(start="exec etcd-forget secret/")
    # etcd-forget first waits for fetches in progress, and forgets all existing items.
    time.sleep(5.5)
    arrive(fleet, "put", lambda number: fleet.engine.put(f"old {number}"), lambda: fleet.engine.put("new"), "new")
    arrive(fleet, "del", lambda number: fleet.engine.put(f"old {number}"), lambda: fleet.engine.ctl("del secret/db")[0], None)
    leases = []

    def lend(number):
        leases.append(fleet.engine.ctl("lease grant 60")[1].split()[1])
        return fleet.engine.put(f"old {number}", f"--lease={leases[-1]}")

    arrive(fleet, "lease revoke", lend, lambda: fleet.engine.ctl(f"lease revoke {leases[-1]}")[0], None)

    durations = []
    for _ in range(fleet.rounds):
        start, _ = fleet.engine.ctl("del nothing")
        durations.append((time.monotonic() - start) * 1_000)
    print(f"etcdctl itself takes {statistics.median(durations):.0f} ms of these, as a del of a missing key shows")


def cut_off(fleet):
    """One host can't reach the engine while the secret changes."""
    host, others = fleet.hosts[0], fleet.hosts[1:]
    settle(fleet, lambda: fleet.engine.put("old"))
    fleet.expect("old", fetches=0)
    sh(f"ip link set {host.link} down")
    fleet.revoke(lambda: fleet.engine.put("new"), others)
    time.sleep(3)
    fleet.expect("old", fetches=0, hosts=[host])
    fleet.expect("new", fetches=1, hosts=others)

    def reconnect():
        start = time.monotonic()
        sh(f"ip link set {host.link} up")
        return start

    [late] = fleet.revoke(reconnect, [host], limit=30)
    fleet.expect("new", fetches=1, hosts=[host])
    print(f"cut off for 3 s during a change: the old value was served until the link was back, and was gone {late:.1f} s later")
