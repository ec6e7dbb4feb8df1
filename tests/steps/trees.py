"""A folder of files: laid out, committed, looked at, compared."""

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

Tree = dict[str, tuple[bytes, int]]


def git(folder: Path, *arguments: str) -> None:
    command = ["git", "-c", "user.name=n", "-c", "user.email=e@e", *arguments]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)


def commit(folder: Path) -> Path:
    """Make the folder a repository, if it is none, and commit all files. Return it."""
    git(folder, "init", "-q")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "all")
    return folder


def lay_out(folder: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def tree(folder: Path) -> Tree:
    """Return the files with their bytes and modes, links with their targets, and folders with their modes."""
    return {
        str(path.relative_to(folder)): (_content(path), path.lstat().st_mode)
        for path in folder.rglob("*")
        if ".git" not in path.parts
    }


def _content(path: Path) -> bytes:
    if path.is_symlink():
        return os.fsencode(os.readlink(path))
    return b"" if path.is_dir() else path.read_bytes()


def compare(one: Tree, other: Tree) -> set[str]:
    """Return what differs."""
    return {name for name in one.keys() | other.keys() if one.get(name) != other.get(name)}
