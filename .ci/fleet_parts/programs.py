"""The programs that the hosts run: the page's scripts, and an etcdctl that logs fetches."""
import pathlib
import re
import shutil

from fleet_parts.commands import check

PAGE = pathlib.Path(__file__).resolve().parents[2] / "Sources/SessionKeyring/SessionKeyring.docc/Fleet.md"


def page_script(name):
    found = re.search(rf"`{name}`[^`]*:\n\n```sh\n(#!.*?)```", PAGE.read_text(), re.DOTALL)
    check(found, f"{PAGE.name} has no script {name}")
    return found[1]


def write_programs(folder):
    (folder / "bin").mkdir()
    counting = f"""#!/bin/bash
[ "$1 $2" != "get --print-value-only" ] || echo "$EPOCHREALTIME ${{*: -1}}" >>"$FETCHES"
exec {shutil.which("etcdctl")} "$@"
"""
    for name, text in (
            ("etcdctl", counting), ("etcd-get", page_script("etcd-get")), ("etcd-forget", page_script("etcd-forget"))):
        (folder / "bin" / name).write_text(text)
        (folder / "bin" / name).chmod(0o755)
