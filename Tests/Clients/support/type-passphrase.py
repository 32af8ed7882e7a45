"""Creates an ssh key and types its passphrase, which is the line of standard input: type-passphrase.py FILE"""
import os
import pty
import sys

passphrase = sys.stdin.readline().rstrip("\n").encode()
child, terminal = pty.fork()
if child == 0:
    os.execvp("ssh-keygen", ["ssh-keygen", "-q", "-t", "ed25519", "-C", "scenario", "-f", sys.argv[1]])
shown = b""
try:
    while part := os.read(terminal, 1024):
        shown += part
        if shown.rstrip().endswith(b":"):
            os.write(terminal, passphrase + b"\n")
            shown = b""
except OSError:
    pass
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
