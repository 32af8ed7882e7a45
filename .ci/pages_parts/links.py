"""Links between pages: in the repository to files, and in DocC's copy of the catalog to its pages."""
import re
import shutil

from pages_parts.blocks import CATALOG

FENCED = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)
CODE = re.compile(rf"{FENCED.pattern}|`+[^`\n]+`+", FENCED.flags)
# A link to a file or to a section, not to an address such as https://example.com.
LINK = re.compile(r"\]\((?!\w+:)([^)#\s]*)(?:#([^)\s]*))?\)")


def sections(text):
    """The headings of a page by their anchors in the repository."""
    headings = re.findall(r"^#+ (.*)", FENCED.sub("", text), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-"): heading for heading in headings}


def broken_links(page):
    """The links of a page whose files or sections don't exist, and DocC's own, which lead nowhere in the repository."""
    prose = CODE.sub("", page.read_text())
    found = re.findall(r"<doc:[^>]*>|\]\(doc:[^)]*\)", prose)
    for link in LINK.finditer(prose):
        file = page.parent / link[1] if link[1] else page
        if not file.exists() or link[2] and link[2] not in sections(file.read_text()):
            found.append(link[0][1:])
    return found


def for_docc(page):
    """The text of a page with DocC's links to other pages and to sections."""
    def link(match):
        name, anchor = match[1] or page.name, match[2]
        file = CATALOG / name
        if file.parent != CATALOG or file.suffix != ".md":
            return match[0]
        fragment = "#" + sections(file.read_text())[anchor].replace(" ", "-") if anchor else ""
        return f"](doc:{file.stem}{fragment})"

    # Every second part is code.
    parts = re.split(f"({CODE.pattern})", page.read_text(), flags=CODE.flags)
    parts[::2] = [LINK.sub(link, part) for part in parts[::2]]
    return "".join(parts)


def write_catalog(folder):
    """Writes a copy of the catalog with DocC's links."""
    shutil.copytree(CATALOG, folder)
    for page in CATALOG.glob("*.md"):
        (folder / page.name).write_text(for_docc(page))
