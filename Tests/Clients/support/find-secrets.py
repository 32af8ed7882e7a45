"""Ends with 1 if a file below the folders contains a secret. Standard input has the secrets, separated by NUL."""
import base64
import os
import sys
import urllib.parse


def forms(secret):
    yield secret
    yield secret.hex().encode()
    yield urllib.parse.quote(secret, safe="").encode()
    # base64 encodes groups of three bytes. For each of the three possible offsets, only the groups that lie entirely
    # within the secret are the same in every text.
    for before in range(3):
        skipped = (3 - before) % 3
        whole = (len(secret) - skipped) // 3 * 3
        if whole >= 6:
            yield base64.b64encode(secret[skipped:skipped + whole])


wanted = [form for secret in sys.stdin.buffer.read().split(b"\0") if secret for form in forms(secret)]
found = False
for top in sys.argv[1:]:
    for folder, _, files in os.walk(top):
        for name in files:
            path = os.path.join(folder, name)
            if os.path.islink(path) or not os.path.isfile(path):
                continue
            with open(path, "rb") as file:
                content = file.read()
            if any(form in content for form in wanted):
                print("a secret is in", path)
                found = True
sys.exit(found)
