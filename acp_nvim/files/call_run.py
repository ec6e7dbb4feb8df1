"""Knows when a call ran that may change files, and which files it names: paths, patterns, the words of its command."""

from __future__ import annotations

import glob
import os
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import NamedTuple

from acp_nvim import limits
from acp_nvim.files import disk
from acp_nvim.session import raw_input
from acp_nvim.session.identity_cache import IdentityCache
from acp_nvim.session.path_globs import anchored, matches
from acp_nvim.session.tool_call import ToolCall
from acp_nvim.session.tool_paths import absolute, usable, within
from acp_nvim.text.printable import one_line

LAG_NS = 10_000_000  # by which the clock of a file system may be behind ours
_CHANGES_FILES = ("execute", "delete", "move", "edit", "other")
_WORD = re.compile(r"[^\s;&|<>()\"'`]+")


class CallName(NamedTuple):
    """A command, as a change is called after it."""

    id: str
    title: str


class Targets(NamedTuple):
    """What a call names, resolved. A folder stands for all that is below it."""

    paths: frozenset[str]
    globs: tuple[str, ...]

    def have(self, path: str) -> bool:
        place = path
        while place not in self.paths and place != "/":
            place = os.path.dirname(place)
        return place in self.paths or any(matches(glob, path) for glob in self.globs)


@dataclass(slots=True, eq=False)
class CallRun:
    """A call and when it ran, in nanoseconds. `began` is None if nobody knows, `ended` is None while it runs."""

    call: ToolCall
    cwd: str
    began: int | None
    ended: int | None = None
    shown_by: ToolCall | None = None  # it is the command of a terminal, which this call shows
    _targets: IdentityCache[Targets] = field(default_factory=IdentityCache)
    _named: IdentityCache[Named] = field(default_factory=IdentityCache)

    def named(self, anew: bool) -> Named:
        """Return what the words of its command name, as it was when they were first read, or `anew`."""
        if anew:
            self._named = IdentityCache()
        return self._named.get((self.call.raw_input, self.call.title), lambda: _named(self.call, self.cwd))

    @property
    def targets(self) -> Targets:
        call = self.call
        said = (call.raw_input, call.content, call.locations, call.title)
        return self._targets.get(said, lambda: _targets(call, self.cwd))

    @property
    def name(self) -> CallName | None:
        """Return what its changes are called after; None: it is no command."""
        call = self.call
        if call.kind != "execute" and call.command is None:
            return None
        shown_by = self.shown_by or call
        command = shown_by.command or call.command or call.title
        return CallName(shown_by.id, one_line(command)[: limits.COMMAND_NAME_CHARS])

    @property
    def runs_git(self) -> bool:
        return any(os.path.basename(word) == "git" for word in _words(self.call))

    @property
    def may_change(self) -> bool:
        """Whether it may have changed files. A read may not, nor a call that waits for its user."""
        asks = any(question.is_open for question in self.call.questions)
        return self.call.kind in _CHANGES_FILES and not asks

    @property
    def is_bound(self) -> bool:
        """Whether it changes what it names and nothing else. A command may change anything."""
        return self.name is None and any(self.targets)

    def ran(self, at: int, earlier: int = 0, is_open: bool = False) -> bool:
        """Whether it ran at that time. `earlier`: it may have begun that much before its message was read. `is_open`:
        it may have ended since."""
        if self.began is None:
            return False
        return self.began - earlier <= at + LAG_NS and (is_open or self.ended is None or at <= self.ended)

    def has_run_at(self, at: int) -> bool:
        """Whether it ran at that time, whatever the lag of a clock, and is over."""
        return self.began is not None and self.ended is not None and self.began <= at <= self.ended


def _targets(call: ToolCall, cwd: str) -> Targets:
    said = raw_input.read(call)
    named = [*call.paths(cwd), *filter(usable, (*said.paths, *said.patched, *_words(call)))]
    plain = {
        find(absolute(each, cwd)) for each in named if "*" not in each for find in (disk.resolve, disk.place)
    }
    globs = (anchored(each, cwd, disk.resolve) for each in (*named, *said.patterns) if "*" in each)
    # the session's folder says where a call runs, not what it changes, and so do those above
    home = disk.resolve(cwd)
    return Targets(frozenset(each for each in plain if not within(home, each)), tuple(dict.fromkeys(globs)))


class Named(NamedTuple):
    """What the words of a command name, symlinks unresolved."""

    files: list[str]  # those below folders, too
    missing: list[str]  # what is not there, and may be made


def _named(call: ToolCall, cwd: str) -> Named:
    files: dict[str, None] = {}
    missing: dict[str, None] = {}
    for word in filter(usable, _words(call)):
        path = absolute(word, cwd)
        found = islice(glob.iglob(path), limits.COMMAND_FILES) if "*" in word and "**" not in word else [path]
        for each in found:
            files |= dict.fromkeys(islice(_files_below(each, cwd), limits.COMMAND_FILES))
            if not os.path.lexists(each):
                missing[each] = None
    return Named(list(islice(files, limits.COMMAND_FILES)), list(missing))


def is_file_name(path: str) -> bool:
    """Whether a word is likelier to be a file's name than another argument: it has an extension."""
    return "." in os.path.basename(path)[1:]


def _files_below(path: str, cwd: str) -> Iterator[str]:
    """Yield the file or link, or the files below the folder, unless it is that of the session or above it."""
    if os.path.isfile(path) or os.path.islink(path):
        yield path
    elif not within(cwd, path):
        for folder, folders, names in os.walk(path):
            folders[:] = sorted(set(folders) - {".git"})
            yield from (each for name in sorted(names) if os.path.isfile(each := os.path.join(folder, name)))


def _words(call: ToolCall) -> list[str]:
    commands = raw_input.read(call).commands or ((call.title,) if call.kind == "execute" else ())
    words = [word for command in commands for word in _split(command)]
    return list(dict.fromkeys(words))[: limits.COMMAND_WORDS]


def _split(command: str) -> Iterator[str]:
    """Yield the words of a command line, and the values of its options.

    sed -i 's/a b/c/' *.py && cp x.py --target=y    sed, s/a, b/c/, *.py, cp, x.py, --target=y, y
    """
    try:
        parts = shlex.split(command)
    except ValueError:  # a quote is left open
        parts = [command]
    for part in parts:
        for word in _WORD.findall(part):
            yield word
            if "=" in word:
                yield word.partition("=")[2]
