"""What the installation needs without a network: a copy of the plugin, its packages as wheels, a uv of the test's."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import sysconfig
import zipfile
from importlib.metadata import Distribution, distribution, requires
from pathlib import Path

import pytest

from tests.functional.editor import ROOT

PARTS = ("acp_nvim", "build.lua", "lazy.lua", "doc", "ftplugin", "lua", "plugin", "pyproject.toml", "rplugin")
NAME = re.compile(r"^[\w.-]+")
TOOLS = ("cat", "cp", "dirname", "env", "git", "ln", "mkdir", "rm", "sh", "sleep", "uname")
BASE = getattr(sys, "_base_executable", sys.executable)


def copied(folder: Path) -> Path:
    """The plugin in a folder of its own: the same files, and no environment."""
    folder.mkdir(parents=True)
    for part in PARTS:
        (folder / part).symlink_to(ROOT / part)
    return folder


def repository(folder: Path) -> Path:
    """The plugin as it is now, as a repository that can be cloned."""
    git = ["git", "-C", str(folder), "-c", "user.name=a", "-c", "user.email=a@b"]
    folder.mkdir(parents=True)
    listed = subprocess.run(
        ["git", "-C", ROOT, "ls-files", "-z", "--cached", "--others", "--exclude-standard", *PARTS],
        capture_output=True,
        check=True,
    ).stdout
    for name in filter(None, listed.decode().split("\0")):
        if (ROOT / name).is_file() and not name.endswith(".png"):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes((ROOT / name).read_bytes())
    subprocess.run([*git, "init", "-q", "-b", "main"], check=True)
    subprocess.run([*git, "add", "-A"], check=True)
    subprocess.run([*git, "commit", "-q", "-m", "All"], check=True)
    return folder


def needed(names: list[str]) -> dict[str, Distribution]:
    """The packages and all that these need in turn, by their names."""
    found: dict[str, Distribution] = {}
    queue = list(names)
    while queue:
        name = queue.pop().lower().replace("_", "-")
        if name not in found:
            found[name] = distribution(name)
            plain = [
                one for one in requires(name) or [] if "extra ==" not in one and "python_version" not in one
            ]
            queue += [match[0] for one in plain if (match := NAME.match(one))]
    return found


def wheels(folder: Path) -> Path:
    """The packages of this interpreter as wheels, made of what is installed."""
    folder.mkdir(parents=True)
    for name, package in needed(["pynvim", "msgpack", "pydantic", "anyio"]).items():
        about = package.read_text("WHEEL") or ""
        tag = about.split("Tag: ")[1].split()[0]
        path = folder / f"{name.replace('-', '_')}-{package.version}-{tag}.whl"
        with zipfile.ZipFile(path, "w") as wheel:
            for file in package.files or []:
                if (
                    ".." not in file.parts
                    and file.suffix != ".pyc"
                    and file.name not in ("RECORD", "INSTALLER")
                ):
                    wheel.write(str(file.locate()), str(file))
            wheel.writestr(f"{info_of(package)}/RECORD", "")
    return folder


def info_of(package: Distribution) -> str:
    return next(file.parts[0] for file in package.files or [] if file.parts[0].endswith(".dist-info"))


def tools(folder: Path, **scripts: str) -> Path:
    """All of PATH: what a shell needs, and these scripts."""
    folder.mkdir(parents=True)
    for tool in TOOLS:
        if found := next((at / tool for at in map(Path, ("/usr/bin", "/bin")) if (at / tool).exists()), None):
            (folder / tool).symlink_to(found)
    for name, text in scripts.items():
        path = folder / name.replace("_", ".")
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)
    return folder


PYTHON = f'exec {BASE} "$@"'
# what pip would put into the environment is that of the tests
UV = f"""
if [ "$1" = venv ]; then
  for folder; do :; done
  exec {BASE} -I -m venv --without-pip "$folder"
fi
echo "Resolved 10 packages in a moment"
"$4" -I -c "import pathlib, sysconfig
pathlib.Path(sysconfig.get_path('purelib'), 'p.pth').write_text('{sysconfig.get_path("purelib")}')"
"""


def plugin(name: str) -> Path:
    """A plugin of somebody else's, if it is there."""
    folder = Path(os.environ.get("ACP_PLUGINS") or ROOT / ".cache" / "plugins") / name
    if not folder.is_dir():
        pytest.skip(f"there is no {name}: clone it to {folder}")
    return folder
