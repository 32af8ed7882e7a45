#!/usr/bin/env python3
"""Measures what a refresh costs: refresh.py [ROUNDS]

Compares `skr get` of an account without a token with the same request by curl alone, alternately, against the tests'
server on this machine. Uses the skr in PATH. The difference pays for two starts, the store and its leases.
"""
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

JUDGE = pathlib.Path(__file__).resolve().parents[2] / "Tests/OAuthServer/judge.py"
ROUNDS = int(sys.argv[1]) if len(sys.argv) > 1 else 40
CONFIGURATION = """url = "{server}/token"
globoff
proto = "=http"
noproxy = "*"
http1.1
silent
header = "Accept: application/json"
header = "Expect:"
data-raw = "grant_type=refresh_token&refresh_token={token}&client_id=skr"
"""

if "inside" not in os.environ:
    os.execvpe("keyctl", ["keyctl", "session", "-", sys.executable, *sys.argv], os.environ | {"inside": "1"})

home = tempfile.mkdtemp()
environment = os.environ | {"HOME": home, "SKR_SOURCES": "", "XDG_CONFIG_HOME": "", "SSH_CONNECTION": "x"}
judge = subprocess.Popen(
    ["/usr/bin/python3", JUDGE], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
server = judge.stdout.readline().strip()


def run(*words, **options):
    return subprocess.run(words, env=environment, check=True, capture_output=True, text=True, **options).stdout


def timed(*words, **options):
    begin = time.perf_counter()
    answer = run(*words, **options)
    return (time.perf_counter() - begin) * 1000, answer


def value(answer, name):
    return answer.split(f'"{name}": "')[1].split('"')[0]


run("skr", "login", "work", "--issuer", server, "--client-id", "skr", "--device")
# Another login, for curl, as the answer to a code of the device flow.
code = value(run("curl", "-s", "-d", "client_id=skr", f"{server}/device"), "device_code")
grant = "grant_type=urn:ietf:params:oauth:grant-type:device_code"
token = value(run("curl", "-s", "-d", f"{grant}&client_id=skr&device_code={code}", f"{server}/token"), "refresh_token")
times = {"skr": [], "curl": []}
for _ in range(ROUNDS):
    run("skr", "delete", "work")
    times["skr"].append(timed("skr", "get", "work")[0])
    duration, answer = timed(
        "curl", "-q", "-K", "-", input=CONFIGURATION.format(server=server, token=token))
    token = value(answer, "refresh_token")
    times["curl"].append(duration)
judge.stdin.close()
# The first round fills the caches, and sets the update flag of the namespaces.
for name in times:
    ordered = sorted(times[name][1:])
    print(f"{name}: median {statistics.median(ordered):.1f} ms, fastest {ordered[0]:.1f} ms, "
          f"90 % within {ordered[int(len(ordered) * 0.9)]:.1f} ms")
over = statistics.median(a - b for a, b in zip(times["skr"][1:], times["curl"][1:]))
print(f"a refresh costs {over:.1f} ms more than curl's request (at most 40)")
sys.exit(over > 40)
