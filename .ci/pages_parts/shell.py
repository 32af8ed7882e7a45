"""Runs the pages' shell blocks, each page in its own folder."""
import os
import pathlib
import re
import shutil
import sys
import tempfile

from debian_packages import install_missing
from pages_parts.blocks import FILES, SETUP, blocks, setup
from pages_parts.steps import Step, place, steps, write_file
from pages_parts.terminal import Terminal

sys.path.insert(0, str(SETUP))

# The programs that the examples need, and their Debian packages.
PACKAGES = {
    "ansible-vault": "ansible-core", "curl": "curl", "direnv": "direnv", "etcd": "etcd-server", "etcdctl": "etcd-client",
    "age": "age", "jq": "jq", "pass": "pass", "openssl": "openssl", "psql": "postgresql-client", "restic": "restic",
    "ssh": "openssh-client", "sudo": "sudo", "secret-tool": "libsecret-tools", "dbus-run-session": "dbus-daemon",
    "keyring": "python3-keyring"}


def run_page(page, mine, servers):
    folder = pathlib.Path(tempfile.mkdtemp(prefix="skr-pages-"))
    try:
        return run_page_in(folder, page, mine, servers)
    finally:
        shutil.rmtree(folder, onerror=ignore_missing)


# A program that outlives its page, as gpg-agent does, removes its sockets when it sees the first of them go.
def ignore_missing(_, __, failure):
    if not isinstance(failure[1], FileNotFoundError):
        raise failure[1]


def run_page_in(folder, page, mine, servers):
    servers.log.write_text("")
    for name in ("home", "bin"):
        (folder / name).mkdir()
    for name in (SETUP / "stand-ins").read_text().split():
        (folder / "bin" / name).symlink_to(SETUP / "stand-in")
    before, after = setup(page, "sh")
    todo = [Step(f"Tests/Pages/{page.stem}.sh", before)]
    for block in mine:
        if block.language in FILES or block.text.startswith("#!"):
            write_file(block, folder)
        else:
            todo += steps(block)
    todo.append(Step(f"Tests/Pages/{page.stem}.sh, below PAGE", after))

    # Each step runs in its own shell. Its output is between two \036 characters, followed by its exit code. The steps
    # of a `console` block run in their own session, which is empty at first, as after a login.
    driver = ['cd "$PAGE_FOLDER"']
    for number, step in enumerate(todo):
        (folder / f"step-{number}").write_text(place(step.command, folder))
        is_shown = step.expected is not None
        run = (f"printf '\\036'; bash -o pipefail {'' if is_shown else '-e'} step-{number}; code=$?\n"
               "printf '\\036%s' $code" + ("" if is_shown else "; [ $code = 0 ] || exit") + "\n")
        if is_shown:
            block = folder / f"block-{step.origin.line}"
            if not block.exists():
                driver.append(f"skr session -- bash {block}")
            with block.open("a") as file:
                file.write(run)
        else:
            driver.append(run)
    (folder / "driver").write_text("\n".join(driver) + "\n")

    typed = dict(re.findall(r"^# types ([^:]+): (.*)", before, flags=re.MULTILINE))

    def answer(shown):
        if asked := re.search(r"(?:secret|[Pp]assword) for (?:service )?([^\n]*): $", shown):
            return typed.get(asked[1], "s3cret") + "\n"
        return "\x04" if re.search(r"=[>#] $", shown) else None

    environment = {
        "HOME": f"{folder}/home", "PAGE_FOLDER": str(folder), "TERM": "dumb", "LC_ALL": "C.UTF-8", "USER": "root",
        "SSH_AUTH_SOCK": f"{folder}/agent.socket", "DBUS_SESSION_BUS_ADDRESS": f"unix:path={folder}/bus",
        "PATH": f"{folder}/bin:{os.path.dirname(shutil.which('skr'))}:/usr/local/bin:/usr/bin:/bin",
        "BASH_ENV": str(SETUP / "common.sh"), "SHELL": "/bin/bash", **servers.environment}
    shown = Terminal(["bash", "driver"], folder, environment).run(answer)
    results = shown.split("\036")[1:]
    for step in todo:
        if len(results) < 2:
            sys.exit(f"error: {step.origin}: the commands did not end\n{shown[-3000:]}")
        if problem := step.problem(results[0], int(results[1])):
            sys.exit(f"error: {step.origin}: {problem}")
        results = results[2:]
    log = folder / "stand-ins.log"
    return set(log.read_text().split()) if log.exists() else set()


def run_shell(pages):
    from servers import Servers
    if not shutil.which("skr"):
        sys.exit("error: no skr in PATH: run .ci/build")
    install_missing(PACKAGES)
    stood_in, count, passed_over = set(), 0, []
    with Servers() as servers:
        for page in pages:
            mine = [block for block in blocks(page) if block.language in ("sh", "console", *FILES)]
            passed_over += [block for block in mine if block.reason_not_to_run]
            mine = [block for block in mine if not block.reason_not_to_run]
            if mine:
                stood_in |= run_page(page, mine, servers)
            count += len(mine)
    print(f"ok: {count} shell examples")
    print("stand-ins ran for programs that are not available here:", *sorted(stood_in))
    for block in passed_over:
        print(f"not run: {block}: {block.reason_not_to_run}")
