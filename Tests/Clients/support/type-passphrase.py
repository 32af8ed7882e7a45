"""Runs a command and types the line of standard input wherever it asks: type-passphrase.py COMMAND [ARGUMENT...]"""
import os
import pty
import re
import sys
import termios
import time


def wait_for_hidden_input():
    """Waits until the terminal doesn't echo, for a second at most: some programs ask first, and then discard what was
    typed before they turned the echo off."""
    end = time.monotonic() + 1
    while termios.tcgetattr(terminal)[3] & termios.ECHO and time.monotonic() < end:
        time.sleep(0.005)


passphrase = sys.stdin.readline().rstrip("\n").encode()
child, terminal = pty.fork()
if child == 0:
    os.execvp(sys.argv[1], sys.argv[1:])
shown = b""
try:
    while part := os.read(terminal, 1024):
        # Without the codes that move or show the cursor.
        shown = re.sub(rb"\x1b\[[0-9;?]*[A-Za-z]", b"", shown + part)
        if shown.rstrip().endswith(b":"):
            wait_for_hidden_input()
            os.write(terminal, passphrase + b"\n")
            shown = b""
except OSError:
    pass
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
