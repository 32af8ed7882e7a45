"""Shell commands, and a check that ends the run if it fails."""
import subprocess
import sys


def sh(command, **options):
    words = ["bash", "-e", "-o", "pipefail", "-c", command]
    return subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True, **options).stdout


def check(is_so, what):
    if not is_so:
        sys.exit(f"error: {what}")
