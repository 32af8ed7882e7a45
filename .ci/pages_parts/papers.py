"""Checks the length of README, and the links of all pages."""
import re
import sys

from pages_parts.blocks import CATALOG, ROOT


def check_papers():
    """Checks that README is short, and that the targets of links between files exist."""
    readme = ROOT / "README.md"
    if (count := len(readme.read_text().split())) > 1_050:
        sys.exit(f"error: README.md has {count} words, but the limit is 1,050")
    for page in [readme, *CATALOG.glob("*.md"), *ROOT.glob(".github/*.md"), ROOT / "Benchmarks/README.md"]:
        prose = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)
        for target in re.findall(r"\]\((?!\w+:)([^)\s]+)\)", prose):
            path, _, anchor = target.partition("#")
            file = page.parent / path if path else page
            headings = re.findall(r"^#+ (.*)", file.read_text(), flags=re.MULTILINE) if anchor and file.exists() else []
            anchors = [re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings]
            if not file.exists() or anchor and anchor not in anchors:
                sys.exit(f"error: {page.relative_to(ROOT)}: the target of the link {target} does not exist")
