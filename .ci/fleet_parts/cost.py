"""The cost of fetches and watches for the engine."""
import time

from fleet_parts.commands import check
from fleet_parts.hosts import HOSTS

WATCHES, FETCHES = 40, 300
FLEET = 10_000


def refresh_together(fleet):
    """All hosts fetch at the same time and then ask constantly, to find out when each host fetches again."""
    fleet.all(stop=True)
    commands = []
    for key, timeout in (("secret/same", "6s"), ("secret/spread", "$((6 + ${HOSTNUMBER}))s")):
        fleet.engine.put("value", key=key)
        commands.append(f"skr cached etcd --key {key} --timeout {timeout} --refresh-before 4s -- etcd-get {key}")
    fleet.all(run=f"while ((SECONDS < 7)); do {'; '.join(commands)}; sleep 0.1; done >/dev/null", times=1)
    apart, all_asked = {}, [host.asked() for host in fleet.hosts]
    for key in ("secret/same", "secret/spread"):
        second = [[time for time, asked in mine if asked == key][1] for mine in all_asked]
        apart[key] = max(second) - min(second)
    check(apart["secret/same"] < 1.5 < 2 < apart["secret/spread"], f"unexpected time between the refreshes: {apart}")
    print(f"{HOSTS} hosts that fetched at the same time refreshed within {apart['secret/same']:.1f} s; with timeouts 1 s apart, "
          f"within {apart['secret/spread']:.1f} s")


def cost(fleet):
    """The cost of one fetch and one watch for the engine, and the resulting cost of many hosts."""
    before = fleet.engine.processor_time
    fleet.all(run=f"for i in {{1..{FETCHES // HOSTS}}}; do etcd-get secret/db >/dev/null; done", times=1)
    fetch = (fleet.engine.processor_time - before) / FETCHES
    before = fleet.engine.memory
    fleet.all(start=f"for i in {{1..{WATCHES // HOSTS}}}; do etcdctl watch --prefix secret/ >/dev/null & done; wait")
    time.sleep(2)
    watch = (fleet.engine.memory - before) / WATCHES
    before = fleet.engine.processor_time
    for number in range(20):
        fleet.engine.put(str(number))
    time.sleep(0.5)
    # Without the cost of the puts' own connections, which are not watches.
    event = max(0, (fleet.engine.processor_time - before - 20 * fetch) / (20 * WATCHES))
    print(f"etcd: {fetch * 1_000:.2f} ms of processor time for a fetch with its own TLS connection, so "
          f"{1 / fetch:.0f} fetches/s per processor; {watch:.0f} KB per watch, {event * 1e6:.0f} µs per watched event")
    for period, name in ((600, "a fetch every 10 min"), (300, "spread over 5 min"), (60, "all within the same minute")):
        rate = FLEET / period
        print(f"{FLEET} hosts, {name}: {rate:.0f} fetches/s, {rate * fetch * 100:.0f} % of a processor")
    print(f"{FLEET} hosts, all in the same second: {FLEET * fetch:.0f} s of processor time; "
          f"{FLEET} watches: {FLEET * watch / 1024:.0f} MB, a revocation {FLEET * event:.1f} s of processor time")
