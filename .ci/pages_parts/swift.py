"""Builds and runs the pages' Swift blocks, and compiles them in each way that a reader might try."""
import os
import re
import shutil
import subprocess
import sys

from pages_parts.blocks import LIMIT, ROOT, SETUP, WORK, blocks, setup
from pages_parts.program import Program

# The ways in which a reader might try a page: pasted into an empty main.swift, in a task, and both in a module whose
# code is isolated to the main actor.
WAYS = {
    "main.swift": (lambda program: program.top_level(), []),
    "Task {}": (lambda program: program.in_task(), []),
    "main.swift with -default-isolation MainActor": (
        lambda program: program.top_level(), ["-default-isolation", "MainActor"]),
    "Task {} with -default-isolation MainActor": (lambda program: program.in_task(), ["-default-isolation", "MainActor"]),
}


def check_ways(programs, modules):
    """Checks that each page compiles in each of these ways, up to the compiler's checks of isolation and ownership."""
    maps = {path.parent for path in (ROOT / "Sources").rglob("module.modulemap")}
    maps |= {path.parent for path in (modules.resolve().parents[2] / "checkouts").rglob("module.modulemap")}
    for page, program in programs.items():
        for way, (text, options) in WAYS.items():
            folder = WORK / "ways"
            folder.mkdir(exist_ok=True)
            (folder / "main.swift").write_text(text(program))
            compiled = subprocess.run(
                ["swiftc", "-emit-sil", "-o", "/dev/null", "-swift-version", "6", "-diagnostic-style=llvm", *options,
                 "-I", modules, *(f"-I{path}" for path in sorted(maps)), folder / "main.swift"],
                capture_output=True, text=True)
            if compiled.returncode:
                errors = [line for line in compiled.stderr.splitlines() if "error:" in line]
                sys.exit(f"error: the Swift examples of {page}.md do not compile in {way}\n" + "\n".join(errors))
    print(f"ok: {len(programs)} pages compile in {len(WAYS)} ways")


def is_manifest(block):
    return block.text.startswith((".package(", ".product("))


def check_manifest(block):
    """Checks that the lines fit into a manifest."""
    lines = block.text.splitlines()
    dependencies = "\n".join(line for line in lines if line.startswith(".package("))
    products = "\n".join(line for line in lines if line.startswith(".product("))
    folder = WORK / "manifest"
    folder.mkdir(exist_ok=True)
    (folder / "Package.swift").write_text(
        f'// swift-tools-version: 6.2\nimport PackageDescription\nlet package = Package(name: "mine", dependencies: [\n'
        f'{dependencies}\n], targets: [.target(name: "mine", dependencies: [\n{products}\n])])\n')
    described = subprocess.run(
        ["swift", "package", "--package-path", folder, "dump-package"], capture_output=True, text=True)
    if described.returncode:
        sys.exit(f"error: {block}: the lines do not form a valid manifest\n{described.stderr}")


def run_swift(pages):
    package = WORK / "package"
    shutil.rmtree(package, ignore_errors=True)
    sources = package / "Sources/PageExamples"
    sources.mkdir(parents=True)
    shutil.copy(SETUP / "Package.swift", package)
    for resolved in (ROOT / "Tests/UserPackage").glob("Package.resolved"):
        shutil.copy(resolved, package)
    cases, count, programs = [], 0, {}
    for page in pages:
        mine = [block for block in blocks(page) if block.language == "swift"]
        for block in filter(is_manifest, mine):
            check_manifest(block)
        mine = [block for block in mine if not is_manifest(block)]
        if not mine:
            continue
        # The pasted program has only the page's own lines.
        program, pasted, (before, after) = Program(), Program(), setup(page, "swift")
        file = SETUP / f"{page.stem}.swift"
        program.add(before, file, 1)
        for block in mine:
            program.add(block.text, page, block.line)
            pasted.add(block.text, page, block.line)
        program.add(after, file, before.count("\n") + 2)
        programs[page.stem] = pasted
        name = f"page{page.stem}"
        (sources / f"{page.stem}Page.swift").write_text(program.text(name))
        cases.append(page.stem)
        count += len(mine)
    (sources / "main.swift").write_text(
        "switch CommandLine.arguments[1] {\n" + "".join(f'case "{name}": try await page{name}()\n' for name in cases)
        + 'default: fatalError("no such page")\n}\n')
    scratch = ROOT / ".build/user-package"
    built = subprocess.run(
        ["swift", "build", "--package-path", package, "--scratch-path", scratch, "--product", "PageExamples"],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    # An example is allowed to show something without using it.
    complaints = [
        line for line in built.stdout.splitlines()
        if re.search(r"\b(warning|error):", line) and not re.search(r"was never (used|mutated|read)", line)]
    if built.returncode or complaints:
        sys.exit("error: the Swift examples of the pages do not compile without warnings\n" + ("\n".join(complaints) or built.stdout[-4000:]))
    for name in cases:
        run = subprocess.run(
            ["keyctl", "session", "-", scratch / "debug/PageExamples", name], capture_output=True, text=True, timeout=LIMIT,
            env={**os.environ, "SWIFT_BACKTRACE": "enable=no"})
        if run.returncode:
            sys.exit(f"error: the Swift examples of {name}.md failed\n{run.stdout}{run.stderr}")
    check_ways(programs, scratch / "debug/Modules")
    print(f"ok: {count} Swift examples of {len(cases)} pages")
