"""Sends the requests on standard input, one per line, to cargo-credential-skr as cargo does, and prints the answers."""
import json
import shutil
import subprocess
import sys

plugin = subprocess.Popen(
    [shutil.which("cargo-credential-skr"), "--cargo-plugin"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
# cargo sends no request before the plugin has printed this line.
assert json.loads(plugin.stdout.readline()) == {"v": [1]}
for request in sys.stdin:
    plugin.stdin.write(request)
    plugin.stdin.flush()
    print(plugin.stdout.readline(), end="")
plugin.stdin.close()
assert plugin.stdout.read() == ""
assert plugin.wait() == 0
