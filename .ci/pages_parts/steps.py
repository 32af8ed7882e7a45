"""The commands of a shell block with their expected output, and the files that a page shows."""
import os
import re
import shutil

# Paths in examples, and the names of the files that replace them.
PLACES = {"/srv/backup": "backup", "/run/app.conf": "app.conf", "/home/alice": "home", "=/usr/local/bin:": "skr",
          "/etc/machine-id": "machine-id"}


def expected_pattern(text):
    """A pattern for the expected output. In the real output, a time left can be one unit longer than expected."""
    def either(left):
        return f"(?:{left[1]}|{int(left[1]) + 1}){left[2]}"
    return re.compile("\n".join(re.sub(r"(\d+)([smhdw])$", either, re.escape(line)) for line in text.split("\n")))


def place(text, folder):
    for there, here in PLACES.items():
        text = text.replace(there, f"={os.path.dirname(shutil.which('skr'))}:" if here == "skr" else f"{folder}/{here}")
    return text


class Step:
    """A command, its place, and, for a `console` block, the expected output."""

    def __init__(self, origin, command, expected=None):
        self.origin, self.command, self.expected = origin, command, expected

    def problem(self, shown, code):
        if self.expected is None:
            return code and f"exit code {code}\n{shown}"
        return not expected_pattern(self.expected).fullmatch(shown) and f"shows\n{shown}\ninstead of\n{self.expected}"


def steps(block):
    if block.language == "sh":
        return [Step(block, block.text)]
    parts = re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]
    return [Step(block, *part.split("\n", 1)) for part in parts]


def write_file(block, folder):
    """Writes a file that an example shows. Without a path, a script goes to bin and another file to the folder."""
    name, is_script = block.named[-1], block.text.startswith("#!")
    path = folder / (f"bin/{name}" if is_script and "/" not in name else name.replace("~", "home"))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(place(block.text, folder))
    path.chmod(0o755 if is_script else 0o644)
