"""A terminal for the pages' shell blocks."""
import os
import pathlib
import pty
import re
import signal
import time

from pages_parts.blocks import LIMIT


class Terminal:
    """A program on its own terminal, in a new session keyring and user namespace. It gets input when it asks."""

    def __init__(self, words, folder, environment):
        ready, go = os.pipe()
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            os.close(go)
            os.set_inheritable(ready, True)
            os.chdir(folder)
            os.execvpe("unshare", [
                "unshare", "-U", "bash", "-c", 'read -r <&"$0"; exec "$@"', str(ready), "keyctl", "session", "-", *words
            ], environment)
        os.close(ready)
        ours = os.readlink("/proc/self/ns/user")
        while os.readlink(f"/proc/{self.process}/ns/user") == ours:
            time.sleep(0.005)
        # Maps all users, so that sudo works. The namespace also has its own user keyring.
        for file in ("uid_map", "gid_map"):
            pathlib.Path(f"/proc/{self.process}/{file}").write_text("0 0 65536")
        os.write(go, b"\n")
        os.close(go)

    def run(self, answer):
        """Returns the program's output. `answer` returns the input to type after a text, if any."""
        shown = unanswered = b""
        signal.signal(signal.SIGALRM, lambda *_: os.kill(self.process, signal.SIGKILL))
        signal.alarm(LIMIT)
        while True:
            try:
                piece = os.read(self.terminal, 65536)
            except OSError:
                break
            shown, unanswered = shown + piece, unanswered + piece
            if keys := answer(unanswered.decode(errors="replace")):
                os.write(self.terminal, keys.encode())
                unanswered = b""
        signal.alarm(0)
        os.waitpid(self.process, 0)
        os.close(self.terminal)
        # Removes the colours.
        return re.sub(r"\x1b\[[0-9;]*m", "", shown.replace(b"\r\n", b"\n").decode(errors="replace"))
