#!/usr/bin/env python3
"""Counts the source files that run during one call, and their lines: count-ways.py [--files]

Builds the executable one-call with coverage, and runs it for each call. A file counts if any of its code ran.
"""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

PACKAGE = pathlib.Path(__file__).resolve().parent.parent
SOURCES = PACKAGE.parent / "Sources"
# The order in which --files lists the files: from the caller to the kernel. Other folders come last in their target.
LAYERS = [
    "SessionKeyring", "SessionKeyring/Values", "SessionKeyring/Items", "SessionKeyring/Waiting",
    "SessionKeyring/Fetching", "SessionKeyring/Backend", "SessionKeyring/Scopes", "SessionKeyring/Leases",
    "SessionKeyring/Kernel", "SessionKeyring/Kernel/Reading", "SessionKeyring/Kernel/Writing",
    "SessionKeyring/Kernel/Updating", "SessionKeyring/Kernel/Rings", "SessionKeyring/",
    "Keyutils/Sessions", "Keyutils/Keyrings", "Keyutils/Keys", "Keyutils/SecretMemory", "Keyutils/System",
    "Keyutils/Text", "Keyutils/",
]


def output_of(*words, **options):
    done = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=False, **options)
    if done.returncode != 0:
        sys.exit(f"count-ways: error: {words[0]} ended with {done.returncode}\n{done.stdout}")
    return done.stdout


def build():
    """Builds one-call from scratch, in a folder that no other build uses, and returns its path.

    SwiftPM does not notice files that were removed since an earlier build.
    """
    shutil.rmtree(PACKAGE / ".build/ways", ignore_errors=True)
    words = [
        "swift", "build", "--package-path", PACKAGE, "--scratch-path", PACKAGE / ".build/ways", "--product", "one-call",
        "-Xswiftc", "-profile-generate", "-Xswiftc", "-profile-coverage-mapping"]
    print(output_of(*words), file=sys.stderr, end="")
    return pathlib.Path(output_of(*words, "--show-bin-path").strip()) / "one-call"


def files_of(program, call):
    """The files whose code ran in one call, as paths below Sources."""
    # The tools of the same compiler. Other versions might not support its format.
    tools = pathlib.Path(shutil.which("swift")).resolve().parent
    with tempfile.TemporaryDirectory() as folder:
        raw, merged = folder + "/raw", folder + "/merged"
        output_of(program, call, env=os.environ | {"LLVM_PROFILE_FILE": raw})
        output_of(tools / "llvm-profdata", "merge", raw, "-o", merged)
        export = output_of(
            tools / "llvm-cov", "export", "--format=text", "--summary-only", "-instr-profile", merged, program)
    files = json.loads(export)["data"][0]["files"]
    ran = [pathlib.Path(file["filename"]) for file in files if file["summary"]["regions"]["covered"] > 0]
    return {path.relative_to(SOURCES).as_posix() for path in ran if path.is_relative_to(SOURCES)}


def checked_files_of(program, call):
    first, second = files_of(program, call), files_of(program, call)
    if first != second:
        sys.exit(f"count-ways: error: two runs of {call} differ in {', '.join(sorted(first ^ second))}")
    return sorted(first, key=position)


def position(file):
    folder, target = os.path.dirname(file), file.split("/")[0] + "/"
    return LAYERS.index(folder if folder in LAYERS else target), file


def lines_of(file):
    return len((SOURCES / file).read_text().splitlines())


def row(call, files):
    in_keyutils = sum(file.startswith("Keyutils/") for file in files)
    return f"| {call} | {len(files) - in_keyutils} | {in_keyutils} | {sum(map(lines_of, files))} |"


def main():
    parser = argparse.ArgumentParser(description="Counts the source files that run during one call, and their lines.")
    parser.add_argument("--files", action="store_true", help="also list the files of each call")
    options = parser.parse_args()
    program = build()
    calls = output_of(program, env=os.environ | {"LLVM_PROFILE_FILE": os.devnull}).splitlines()
    ways = {call: checked_files_of(program, call) for call in calls}
    print("| call | files outside Keyutils | files in Keyutils | lines of all |\n|---|--:|--:|--:|")
    for call, files in ways.items():
        print(row(call, files))
    for call, files in ways.items() if options.files else ():
        print(f"\n{call}:", *(f"{lines_of(file):5} {file}" for file in files), sep="\n")


main()
