"""Makes the environment in which git looks at a repository without running any program that the repository names.

A repository's configuration and attributes may name programs: filters, hooks, a file system monitor, an external diff,
a transport for objects that are missing. Whoever can write there could have them run by our asking. So git never reads
that configuration while it looks at files: it works with a git folder of our own, which is empty, and is told where the
index, the objects and the files are. Of the real configuration only the settings in `_KEPT` are handed on, which say
how files are compared and can name no program.
"""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

# These neither look at files nor run anything: they find the repository and read what it says of itself.
WHERE = (
    "rev-parse",
    "--show-toplevel",
    *(word for name in ("index", "objects", "info", "HEAD") for word in ("--git-path", name)),
)
COMMIT = ("rev-parse", "--verify", "--quiet", "HEAD")
SETTINGS = ("config", "--list", "-z")
QUESTIONS = (WHERE, COMMIT, SETTINGS)

_KEPT = {
    "core.filemode",
    "core.symlinks",
    "core.ignorecase",
    "core.precomposeunicode",
    "core.trustctime",
    "core.checkstat",
    "core.autocrlf",
    "core.eol",
    "core.sparsecheckout",
    "core.sparsecheckoutcone",
}
_EMPTY_TREE = {
    "sha1": "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    "sha256": "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
}
# No object is fetched, no password asked for, no lock waited for.
_QUIET = {
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
}


def finding() -> dict[str, str]:
    """Return the environment for WHERE, COMMIT and SETTINGS: the user's own."""
    return {**os.environ, **_QUIET}


class Repository(NamedTuple):
    """A repository as git is shown it."""

    top: str  # of its files, resolved
    commit: str | None  # what HEAD was; None: there is none yet
    against: str  # the commit, or the tree without files
    head: str  # the file that names the branch
    excludes: tuple[str, ...]  # the option that names the patterns of this repository alone
    env: dict[str, str]
    options: tuple[str, ...]

    def command(self, *arguments: str) -> list[str]:
        return ["git", "--no-pager", *self.options, *arguments]


def read(folder: str, where: bytes, commit: bytes | None, settings: bytes) -> Repository | None:
    """Make a repository of git's answers to WHERE, COMMIT and SETTINGS in the folder; None: it cannot be used."""
    lines = os.fsdecode(where).split("\n")
    if len(lines) != 6:  # a path with a newline in it
        return None
    top, index, objects, info, head = (os.path.join(folder, line) for line in lines[:5])
    said = _settings(settings)
    form = said.get("extensions.objectformat", "sha1").lower()
    if form not in _EMPTY_TREE:
        return None
    blank = _blank(form)
    env = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    env |= {
        **_QUIET,
        "GIT_DIR": blank,
        "GIT_WORK_TREE": top,
        "GIT_INDEX_FILE": index,
        "GIT_OBJECT_DIRECTORY": objects,
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_ATTR_NOSYSTEM": "1",
        "HOME": blank,  # where older ones look for what GIT_CONFIG_GLOBAL names
        "XDG_CONFIG_HOME": blank,
    }
    excludes = os.path.join(info, "exclude")
    was = commit.decode().strip() if commit else None
    return Repository(
        os.path.realpath(top),
        was,
        was or _EMPTY_TREE[form],
        head,
        (f"--exclude-from={excludes}",) if os.path.isfile(excludes) else (),
        env,
        _options(said, info),
    )


def _settings(listed: bytes) -> dict[str, str]:
    """Return the last value of each key; "true" for a key without a value."""
    pairs = (os.fsdecode(entry).partition("\n") for entry in listed.split(b"\0") if entry)
    return {key.lower(): value if separator else "true" for key, separator, value in pairs}


def _options(said: Mapping[str, str], info: str) -> tuple[str, ...]:
    values = {key: value for key, value in said.items() if key in _KEPT}
    values["core.excludesfile"] = _users(said, "core.excludesfile", "ignore")
    own = os.path.join(info, "attributes")
    own = own if os.path.isfile(own) else _users(said, "core.attributesfile", "attributes")
    values["core.attributesfile"] = own
    values["core.fsmonitor"] = "false"
    values["core.hookspath"] = os.devnull
    return tuple(word for key, value in values.items() for word in ("-c", f"{key}={value}"))


def _users(said: Mapping[str, str], key: str, name: str) -> str:
    config = os.environ.get("XDG_CONFIG_HOME") or "~/.config"
    return os.path.expanduser(said.get(key) or f"{config}/git/{name}")


@cache
def _blank(form: str) -> str:
    """Make an empty git folder that only this user can write to. It is deleted when the process ends."""
    folder = tempfile.mkdtemp(prefix="acp_nvim-git-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    os.mkdir(os.path.join(folder, "refs"))
    is_newer = form != "sha1"
    config = f"[core]\n\trepositoryformatversion = {int(is_newer)}\n\tbare = false\n"
    config += f"[extensions]\n\tobjectformat = {form}\n" if is_newer else ""
    for name, text in (("HEAD", "ref: refs/heads/none\n"), ("config", config)):
        with open(os.path.join(folder, name), "w") as file:
            file.write(text)
    return folder
