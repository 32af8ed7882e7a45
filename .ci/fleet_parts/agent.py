"""The agent in each host: reads requests from standard input and answers them, one JSON value per line."""
import ctypes
import json
import subprocess
import sys
import time


def run_together(command, times):
    """Runs several processes at the same time, and returns the exit code and the output of each, and the total time."""
    start = time.monotonic()
    started = [
        subprocess.Popen(
            ["bash", "-c", command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(times)]
    ended = [(process, *process.communicate()) for process in started]
    return {"results": [(process.returncode, *shown) for process, *shown in ended], "took": time.monotonic() - start}


def wait_until_gone(item, limit):
    """The time at which the kernel no longer finds the item in the session; `None` if it still does at the limit."""
    keyutils = ctypes.CDLL("libkeyutils.so.1")
    keyutils.keyctl_search.restype = ctypes.c_long
    end = time.monotonic() + limit
    while keyutils.keyctl_search(-3, b"user", item.encode(), 0) != -1:
        if time.monotonic() > end:
            return None
        time.sleep(0.0005)
    return time.monotonic()


def serve():
    watches = []
    for line in sys.stdin:
        match json.loads(line):
            case {"run": command, "times": times}: answer = run_together(command, times)
            case {"gone": item, "limit": limit}: answer = wait_until_gone(item, limit)
            case {"start": command}: answer = watches.append(subprocess.Popen(["bash", "-c", command], stdin=subprocess.DEVNULL))
            case {"stop": _}: answer = [(watch.terminate(), watch.wait()) for watch in watches] and watches.clear()
        print(json.dumps(answer), flush=True)
