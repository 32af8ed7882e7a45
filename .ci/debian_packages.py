"""Installs programs that a check needs, from Debian's packages."""
import os
import shutil
import subprocess


def install_missing(packages):
    """Installs the packages of those programs that are not in PATH; `packages` maps a program to its package."""
    if missing := [package for program, package in packages.items() if not shutil.which(program)]:
        subprocess.run(["apt-get", "update", "-qq"], check=True)
        subprocess.run(
            ["apt-get", "install", "-y", "-qq", "--no-install-recommends", *missing], check=True, stdout=subprocess.DEVNULL,
            env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"})
