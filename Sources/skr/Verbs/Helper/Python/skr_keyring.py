"""A backend for Python's keyring that uses the command skr to keep passwords in the Linux kernel keyring.

keyring uses it only if PYTHON_KEYRING_BACKEND or keyringrc.cfg names it.
"""

import json
import shutil
import subprocess

from keyring import credentials, errors
from keyring.backend import KeyringBackend


def _skr(*words, input=b""):
    """Runs the helper and returns its output, or None if the item does not exist (status 1)."""
    program = shutil.which("skr")
    if program is None:
        raise errors.KeyringError("skr is not in PATH")
    # Exact bytes, and secrets only through pipes. After '--', a name can start with a hyphen.
    done = subprocess.run([program, "helper", "keyring", *words], input=input, capture_output=True)
    if done.returncode not in (0, 1):
        raise errors.KeyringError(done.stderr.decode(errors="replace").strip() or f"skr: status {done.returncode}")
    return done.stdout if done.returncode == 0 else None


class Keyring(KeyringBackend):
    # Below that of keyring's backend "fail", which is 0. It is not an error, because keyring reads it too for the
    # backend that PYTHON_KEYRING_BACKEND names.
    priority = -1

    def get_password(self, service, username):
        answer = _skr("get", "--", service, username)
        return None if answer is None else answer[:-1].decode()

    def set_password(self, service, username, password):
        try:
            _skr("set", "--", service, username, input=password.encode() + b"\n")
        except errors.KeyringError as error:
            raise errors.PasswordSetError(str(error)) from error

    def delete_password(self, service, username):
        if _skr("del", "--", service, username) is None:
            raise errors.PasswordDeleteError("password not found")

    def get_credential(self, service, username):
        user = [] if username is None else [username]
        answer = _skr("get", "--mode=creds", "--output=json", "--", service, *user)
        return None if answer is None else credentials.SimpleCredential(**json.loads(answer))
