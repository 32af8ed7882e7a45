"""The pages, their blocks, and the blocks that nothing runs."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
SETUP = ROOT / "Tests/Pages"
WORK = ROOT / ".build/pages"
CATALOG = ROOT / "Sources/SessionKeyring/SessionKeyring.docc"

# The beginning of a block, and the reason why it is not run.
NOT_RUN = {
    "bash .ci/demo": ".ci/run runs the two commands",
    "dpkg -i ": ".ci/package-trial runs the installation",
    "swift build -c release": ".ci/build runs the same release build",
    "skr-stress ": "takes a minute; .ci/run runs skr-stress",
    "setpriv --pdeathsig TERM etcd-forget": "ends with its shell; Tests/Pages/Fleet.sh runs it in a shell that stays",
    "$ skr doctor": "the output depends on the login; .ci/environments checks each kind of login",
}
# Blocks in these languages are whole files.
FILES = ("ini", "toml", "hcl", "fish")
LIMIT = 180


class Block:
    def __init__(self, page, line, language, text, named, section, number):
        self.page, self.line, self.language, self.text, self.named = page, line, language, text, named
        self.section, self.number = section, number

    def __str__(self):
        return f"{self.page.relative_to(ROOT)}:{self.line}"

    @property
    def reason_not_to_run(self):
        return next((reason for start, reason in NOT_RUN.items() if self.text.startswith(start)), None)


def blocks(page):
    lines, found, start, section, count = page.read_text().split("\n"), [], None, "", 0
    for number, line in enumerate(lines, 1):
        if start is None and line.startswith("## "):
            section, count = line[3:], 0
        if not line.startswith("```"):
            continue
        if start is None:
            start, language = number, line[3:].strip()
            # The code spans of the paragraph before the block.
            named = re.findall(r"`([^`]+)`", "\n".join(lines[:number - 1]).rstrip().rsplit("\n\n", 1)[-1])
        else:
            text = "\n".join(lines[start:number - 1]) + "\n"
            count += 1
            named = [name for name in named if name != "PATH"]
            found.append(Block(page, start + 1, language, text, named, section, count))
            start = None
    for block in found:
        if block.language not in ("swift", "sh", "console", *FILES, "json", "yaml", "sources", "text"):
            sys.exit(f"error: {block}: there is no runner for blocks in the language '{block.language}'")
    return [block for block in found if block.language != "text"]


def setup(page, suffix):
    """The code to run before the examples of a page, and the code to run after them."""
    file = SETUP / f"{page.stem}.{suffix}"
    parts = re.split(r"^(?://|#) PAGE\n", file.read_text() if file.exists() else "", maxsplit=1, flags=re.MULTILINE)
    return parts[0], parts[1] if len(parts) == 2 else ""
