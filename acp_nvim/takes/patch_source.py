r"""Reads a patch file, and places its hunks in the texts that there are.

    --- a/notes.txt
    +++ b/notes.txt
    @@ -2,3 +2,3 @@       the lines "b", "c", "d" are looked for where the hunk says, and from there on up and down
     b
    -c                    notes.txt holds x a b c d: the hunk fits one line further down,
    +C                    and makes x a b C d of it
     d

All hunks of a file fit, in their order and without overlapping, or nothing of it is taken. Where they do not fit the
text of now, they may fit the text that the patch was made from, if the repository has that.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from acp_nvim.takes.taken_file import CannotTake
from acp_nvim.text.text_file import Text
from acp_nvim.text.unified_patch import NOWHERE, header_path

_HUNK = re.compile(r"@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@")
_INDEX = re.compile(r"index ([0-9a-f]{4,64})\.\.([0-9a-f]{4,64})(?: (\d{6}))?$")
_MODES = ("old mode ", "new mode ")
_NEW, _DELETED = "new file mode ", "deleted file mode "
_MOVES = ("rename from ", "rename to ", "copy from ", "copy to ")
_BINARY = ("Binary files ", "GIT binary patch")
_LINK, _SUBMODULE, _EXECUTABLE = "120000", "160000", "100755"


class Hunk(NamedTuple):
    first: int  # the line of the old text that it begins at, from 1
    old: list[str]
    new: list[str]
    old_final: bool = True  # the last of these lines has its end
    new_final: bool = True


@dataclass(slots=True)
class PatchedFile:
    old: str = ""  # its path before; NOWHERE: there was no file
    new: str = ""
    hunks: list[Hunk] = field(default_factory=list)
    blob: str = ""  # the beginning of the hash of the text that the patch was made from
    note: str = ""  # what of it cannot be taken
    is_left: bool = False  # nothing of it can

    @property
    def path(self) -> str:
        return self.old if self.new == NOWHERE else self.new


def parse(text: str) -> list[PatchedFile]:
    """Return the files of a patch. Raise CannotTake if it is none, or if a part of it cannot be read."""
    lines = text.removesuffix("\n").split("\n")
    files: list[PatchedFile] = []
    at, is_head = 0, False  # within git's own lines above the hunks of a file
    while at < len(lines):
        line = lines[at].removesuffix("\r")
        if line.startswith("diff --git "):
            files.append(_git_file(line))
            is_head = True
        elif line.startswith("--- ") and at + 1 < len(lines) and lines[at + 1].startswith("+++ "):
            if not is_head:
                files.append(PatchedFile())
            _name(files[-1], line, lines[at + 1].removesuffix("\r"))
            is_head = False
            at += 1
        elif head := _HUNK.match(line):
            if not files or not files[-1].path:
                raise CannotTake(f"line {at + 1} of the patch names no file")
            hunk, at = _hunk(lines, at, head)
            files[-1].hunks.append(hunk)
            continue
        elif is_head:
            _header(files[-1], line)
        at += 1
    if not files:
        raise CannotTake("it is no patch")
    return files


def apply(text: Text, hunks: Sequence[Hunk]) -> Text | None:
    """Return the text with all hunks; None: one of them does not fit."""
    lines, final = list(text.lines), text.final
    shift = done = 0  # of the places of later hunks; up to which line earlier ones have been applied
    for hunk in hunks:
        at = _place(lines, hunk, hunk.first - 1 + (not hunk.old) + shift, done, final)
        if at is None:
            return None
        if at + len(hunk.old) == len(lines):
            final = hunk.new_final if hunk.new else True
        lines[at : at + len(hunk.old)] = hunk.new
        done = at + len(hunk.new)
        shift = at - (hunk.first - 1 + (not hunk.old)) + len(hunk.new) - len(hunk.old)
    return Text(tuple(lines), text.end, final, text.bom)


def _place(lines: list[str], hunk: Hunk, wanted: int, least: int, final: bool) -> int | None:
    """Return where the hunk's old lines stand: the nearest place to the wanted one, not above `least`."""
    size = len(hunk.old)
    if size == 0:  # only its line number says where it goes
        return wanted if least <= wanted <= len(lines) else None
    last = len(lines) - size
    for at in _nearest(wanted, least, last):
        if lines[at] == hunk.old[0] and lines[at : at + size] == hunk.old:
            is_end = at == last
            if (hunk.old_final or (is_end and not final)) and not (is_end and hunk.old_final and not final):
                return at
    return None


def _nearest(wanted: int, first: int, last: int) -> Iterator[int]:
    """Yield the numbers from `first` to `last`, those next to the wanted one first."""
    wanted = min(max(wanted, first), last)
    for away in range(last - first + 1):
        if wanted - away >= first:
            yield wanted - away
        if away and wanted + away <= last:
            yield wanted + away


# --- reading


def _git_file(line: str) -> PatchedFile:
    """Return the file of `diff --git a/x b/x`: a file without hunks has its name nowhere else."""
    rest = line.removeprefix("diff --git ")
    half = len(rest) // 2
    one, other = rest[:half], rest[half + 1 :]
    if rest[half : half + 1] == " " and one[1:] == other[1:]:
        name = _stripped(header_path(one), "a/")
        return PatchedFile(name, name)
    return PatchedFile()


def _name(file: PatchedFile, old: str, new: str) -> None:
    file.old, file.new = header_path(old[4:]), header_path(new[4:])
    if file.old.startswith(("a/", NOWHERE)) and file.new.startswith(("b/", NOWHERE)):
        file.old, file.new = _stripped(file.old, "a/"), _stripped(file.new, "b/")


def _stripped(path: str, prefix: str) -> str:
    return path if path == NOWHERE else path.removeprefix(prefix)


def _header(file: PatchedFile, line: str) -> None:
    """Take a line of git's own between `diff --git` and the hunks."""
    if found := _INDEX.match(line):
        file.blob = found[1]
        _take_mode(file, found[3] or "")
    elif line.startswith(_MODES):
        file.note = file.note or "mode"
        _take_mode(file, line.split(" ")[-1])
    elif line.startswith(_NEW):
        file.old = NOWHERE
        file.note = "mode" if line.endswith(_EXECUTABLE) else file.note
        _take_mode(file, line.split(" ")[-1])
    elif line.startswith(_DELETED):
        file.new = NOWHERE
        _take_mode(file, line.split(" ")[-1])
    elif line.startswith(_MOVES):
        verb, which, path = line.split(" ", 2)
        if which == "from":
            file.old = header_path(path)
        else:
            file.new = header_path(path)
        file.note = "copy" if verb == "copy" else file.note
        file.is_left = file.is_left or verb == "copy"
    elif line.startswith(_BINARY):
        file.note, file.is_left = "binary", True


def _take_mode(file: PatchedFile, mode: str) -> None:
    if mode in (_LINK, _SUBMODULE):
        file.note, file.is_left = "link" if mode == _LINK else "submodule", True


def _hunk(lines: list[str], at: int, head: re.Match[str]) -> tuple[Hunk, int]:
    """Return a hunk and the line behind it. It has to have the lines that its head announces."""
    first, olds, news = int(head[1]), _count(head[2]), _count(head[4])
    old: list[str] = []
    new: list[str] = []
    finals = [True, True]
    kind, start = "", at + 1
    at += 1
    while at < len(lines):
        line = lines[at]
        mark = line[:1] or " "
        if mark == "\\" and kind:
            finals = [finals[0] and kind == "+", finals[1] and kind == "-"]
            at += 1
            continue
        if len(old) >= olds and len(new) >= news:
            break
        if mark not in " +-":
            raise CannotTake(f"the hunk at line {start} of the patch is not whole")
        kind = mark
        if mark != "+":
            old.append(line[1:])
        if mark != "-":
            new.append(line[1:])
        at += 1
    if (len(old), len(new)) != (olds, news):
        raise CannotTake(f"the hunk at line {start} of the patch is not whole")
    return Hunk(first, old, new, *finals), at


def _count(said: str | None) -> int:
    return 1 if said is None else int(said)


def with_ends_of(text: Text, hunks: Sequence[Hunk]) -> list[Hunk]:
    """Return the hunks for a text whose lines end in CRLF: a patch may have its line ends or plain ones."""
    if text.end == "\n":
        return list(hunks)
    return [hunk._replace(old=_bare(hunk.old), new=_bare(hunk.new)) for hunk in hunks]


def _bare(lines: list[str]) -> list[str]:
    return [line.removesuffix("\r") for line in lines]


def new_text(hunks: Sequence[Hunk]) -> str:
    """Return the text of a new file."""
    return _joined([line for hunk in hunks for line in hunk.new], all(hunk.new_final for hunk in hunks))


def old_text(hunks: Sequence[Hunk]) -> str:
    """Return the text of a file that is deleted."""
    return _joined([line for hunk in hunks for line in hunk.old], all(hunk.old_final for hunk in hunks))


def _joined(lines: list[str], is_final: bool) -> str:
    return "\n".join(lines) + ("\n" if lines and is_final else "")
