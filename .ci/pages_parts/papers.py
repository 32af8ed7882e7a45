"""Checks the length of README, and the links of all pages."""
import sys

from pages_parts.blocks import CATALOG, ROOT
from pages_parts.links import broken_links

WORDS = 950


def check_papers():
    """Checks that README is short, and that links lead to existing files and sections."""
    readme = ROOT / "README.md"
    if (count := len(readme.read_text().split())) > WORDS:
        sys.exit(f"error: README.md has {count} words, but the limit is {WORDS}")
    for page in [readme, *CATALOG.glob("*.md"), *ROOT.glob(".github/*.md"), ROOT / "Benchmarks/README.md",
                 *ROOT.glob("Benchmarks/[!.]*/*.md")]:
        if broken := broken_links(page):
            sys.exit(f"error: {page.relative_to(ROOT)}: these links lead nowhere: {' '.join(broken)}")
