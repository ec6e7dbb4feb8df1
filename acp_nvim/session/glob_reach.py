r"""Finds where a path or a glob of an agent may lead, however the tool that gets it reads it.

A tool may expand braces, classes, wildcards, `~user` and variables, or none of these. What is returned covers all.

    src/**/*.py          below src
    {src,../etc}/*.key   below src; below ../etc
    [/]etc/shadow        /etc/shadow
    ~root/*              below /root
    $HOME/*, x*/../y     unknown: nobody can say before it is expanded

Given up: a link that a wildcard meets below its folder. What lists files by a wildcard names them, and to read one is
another call.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from typing import NamedTuple

from acp_nvim import limits

_PIECE = re.compile(
    r"\\(?P<escaped>.)"
    r"|(?P<set>\[[!^]?\]?(?:\[:\w+:\]|\\.|[^\]\\])*\])"
    r"|(?P<variable>\$(?:\w|[{('\"])|`)"
    r"|(?P<wild>[*?])"
    r"|(?P<plain>.)",
    re.S,
)
_GROUP = re.compile(r"(?<!\\)(?:\{([^{}()]*)\}|([?*+@!]?)\(([^{}()]*)\))")
_RANGE = re.compile(r"(?:\w+\.\.)+-?\w+")
_SINGLE = re.compile(r"\[\\?([^\]\\\w!^\[])\]")
# The text by kinds: / and . as they are, S a class that may be /, D one that may be a dot, $ a variable, x all else.
# Two dots of a class, a wildcard or around a variable may be the folder above.
_ABOVE = re.compile(r"(?:^|[/S])\*?[.DS]\*?[.DS?*]\*?(?:$|[/S])")
_MEMBER = re.compile(r"(\\.|.)(?:-(\\.|.))?", re.S)  # of a class: a character, or a range from one to another
_READ = re.compile(r"[][{}()*?~$`\\]")


class Place(NamedTuple):
    path: str  # relative, or absolute
    is_tree: bool  # all that lies below it is meant


def reach(text: str) -> list[Place] | None:
    """Return the places; None if they cannot be known, or only with much work."""
    if (
        len(text) >= limits.PATH_CHARS
        or "\0" in text
        or len(re.findall(r"[\[{(]", text)) > limits.GLOB_ALTERNATIVES
    ):
        return None
    if not _READ.search(text):
        return [Place(text, False)]
    alternatives = _expanded(_SINGLE.sub(lambda one: f"\\{one[1]}", text))
    if alternatives is None:
        return None
    places = [_place(each) for each in dict.fromkeys(alternatives)]
    return None if None in places else [place for place in places if place]


def readings(texts: Iterable[str]) -> dict[str, list[Place] | None]:
    """Return the places of several texts, each by its text. Only so many are read that hold more than a plain path."""
    found: dict[str, list[Place] | None] = {}
    count = 0
    for text in texts:
        if text not in found:
            count += bool(_READ.search(text))
            found[text] = reach(text) if count <= limits.GLOBS else None
    return found


def _expanded(text: str) -> list[str] | None:
    """Expand braces and groups, the innermost first; None if there are too many."""
    done: list[str] = []
    left = [text]
    while left:
        if len(left) + len(done) > limits.GLOB_ALTERNATIVES or sum(map(len, left)) > limits.GLOB_CHARS:
            return None
        each = left.pop()
        group = _GROUP.search(each)
        if group is None:
            done.append(each)
            continue
        is_brace = group[1] is not None
        inside = group[1] if is_brace else group[3]
        middles = inside.split("," if is_brace else "|")
        before, behind = each[: group.start()], each[group.end() :]
        if len(middles) == 1 and not group[2] and (before[-1:] == "$" or not re.search(r"/|\.\.", inside)):
            # a variable's name, or a file's: ${HOME}, app/(group)/{id}
            name = "v" if before[-1:] == "$" else f"\\{group[0][:-1]}\\{group[0][-1]}"
            left.append(f"{before}{name}{behind}")
            continue
        if is_brace and len(middles) == 1 and ".." in inside and not _RANGE.fullmatch(inside):
            return None
        middles += _repeated(group[2] or "", middles)
        left += [f"{before}{middle}{behind}" for middle in middles]
    return done


def _repeated(mark: str, middles: list[str]) -> list[str]:
    """Return what else ?(a), *(a), +(a) and !(a) may stand for."""
    more = [middle * 2 for middle in middles] if mark and mark in "*+" else []
    return [*more, *([""] if mark and mark in "?*!" else []), *(["*"] if mark == "!" else [])]


def _place(text: str) -> Place | None:
    text = os.path.expanduser(text) if text.startswith("~") else text
    if re.match(r"~[^/]*[*?$\[`+\d-]", text):  # ~*, ~$USER, ~+
        return None
    pieces = list(_PIECE.finditer(text))
    kinds = "".join(map(_kind, pieces))
    literals = [piece["escaped"] or piece[0] for piece in pieces]
    first = next((at for at, kind in enumerate(kinds) if kind in "SD*?$c"), len(kinds))
    if kinds[:1] in ("S", "$"):  # it may be absolute
        return None
    start = first if first == len(kinds) else kinds.rfind("/", 0, first) + 1
    if _ABOVE.search(re.sub(r"[*$]+", "*", kinds[start:])):
        return None
    return Place("".join(literals[:start]), True) if "*" in kinds else Place("".join(literals), False)


def _kind(piece: re.Match[str]) -> str:
    if found := piece["set"]:
        return _kind_of_set(found)
    if piece["variable"]:
        return "$"
    char = piece["escaped"] or piece[0]
    return char if char in "/." or piece["wild"] else "x"


def _kind_of_set(text: str) -> str:
    """Return what a class may be: "S" for a slash and any other, "D" for a dot, else "c"."""
    inside = text[1:-1]
    if re.search(r"\[:\w+:\]", inside):  # [[:punct:]]
        return "S"
    is_other = inside[:1] in ("!", "^")
    members = _MEMBER.sub(
        lambda each: "-".join(map(_escaped, filter(None, each.groups()))), inside[is_other:]
    )
    try:
        one = re.compile(f"[{'^' * is_other}{members}]")
    except re.error:
        return "S"
    return "S" if one.match("/") else "D" if one.match(".") else "c"


def _escaped(member: str) -> str:
    return member if member.startswith("\\") else re.escape(member)
