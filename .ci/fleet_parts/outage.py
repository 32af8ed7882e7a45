"""The values that hosts serve while etcd is down, and afterwards."""
import time

from fleet_parts.commands import check
from fleet_parts.hosts import TOGETHER


def outage(fleet):
    """Stops etcd before the value is due for a refresh, and starts it again after the value has expired."""
    def short(options=""):
        return f"skr cached short --timeout 9s --refresh-before 7s {options} -- etcd-get secret/db"

    fleet.expect("new", fetches=1, command=short(), times=TOGETHER)
    start = time.monotonic()
    fleet.engine.stop()
    fleet.expect("new", fetches=0, command=short(), times=TOGETHER)
    time.sleep(max(0, start + 2.5 - time.monotonic()))
    # The value is due: one of the processes tries to refresh it, and all get the old value.
    fleet.expect("new", fetches=1, command=short(), times=TOGETHER)
    [answer] = fleet.all([fleet.hosts[0]], run=short(), times=1)
    [early] = fleet.all([fleet.hosts[1]], run=short("--stale-while-refreshing"), times=1)
    check(answer["results"][0][:2] == early["results"][0][:2] == [0, "new\n"], f"while etcd was down: {answer} {early}")
    check(time.monotonic() < start + 8, "the machine is too slow for this check")
    time.sleep(start + 9.2 - time.monotonic())
    # The value has expired, 9 s after it was fetched: no attempt has renewed it.
    for result in fleet.all(run=short(), times=1):
        [[code, output, errors]] = result["results"]
        check(code == 1 and output == "" and "context deadline exceeded" in errors, f"after the timeout: {result}")
    for host in fleet.hosts:
        host.asked()
    # A remembered failure keeps the other processes from trying.
    [results] = fleet.all([fleet.hosts[2]], run=short("--cache-failures 5s"), times=TOGETHER)
    check({code for code, _, _ in results["results"]} == {1}, f"after the timeout: {results}")
    check((count := len(fleet.hosts[2].asked())) == 1, f"{count} attempts despite --cache-failures")
    print(f"etcd down: values are served until their timeout, but not longer; an attempt to refresh took {answer['took']:.1f} s, with "
          f"--stale-while-refreshing the answer {early['took'] * 1_000:.0f} ms; {TOGETHER} processes at the same time make 1 attempt per host")
    fleet.engine.start()
    fleet.expect("new", fetches=1, command=short(), hosts=[fleet.hosts[0]])
    again = fleet.revoke(lambda: fleet.engine.put("after the outage"), limit=30)
    fleet.expect("after the outage", fetches=1)
    print(f"etcd back: after a change, the old value is gone everywhere within {max(again):.1f} s")
