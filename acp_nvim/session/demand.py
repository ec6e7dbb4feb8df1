"""What a permission is asked for, as rules look at it: every command, every path and every change that is in the call.

An agent may name them in many ways. What is taken for a path and is none makes a rule allow less, never more.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import accumulate, islice, product
from typing import Any, NamedTuple

from acp_nvim.protocol import schema
from acp_nvim.session import mentioned
from acp_nvim.session.beside import FOLDERS, beside, plain
from acp_nvim.session.globs import Resolve
from acp_nvim.session.paths import absolute, from_uri, usable
from acp_nvim.session.tool_calls import ToolCall

_MOST_PATHS = 500  # that are followed to where they lead
_MOST_STEPS = 10_000  # of all of them: each is a look at the disk
_RUN_IN = FOLDERS | {"directory", "dir", "dirpath"}  # beside a command


class Demand(NamedTuple):
    agent: str
    kind: str
    tool: str
    title: str
    cwd: str
    command: str | None  # the one that is shown
    commands: tuple[str, ...]  # that one, and any other that is named somewhere
    named: tuple[str, ...]  # paths as they are called, absolute
    real: tuple[str, ...]  # where they lead; more than one for a path that can be read in two ways
    files: bool  # it names some beside its command: a rule has to name them, too
    changes: bool  # it carries a diff, or what amounts to one
    unclear: bool  # there is more in it than could be read


def demand(call: ToolCall, agent: str, cwd: str, resolve: Resolve, roots: tuple[str, ...] = ()) -> Demand:
    """`roots`: the further folders of its session. What an update leaves as it was is not looked at again."""
    said = (call.raw_input, call.content, call.locations)
    asked: Demand = call.demanded.of(said, lambda: _read(call, agent, cwd, resolve, roots))
    return asked._replace(kind=call.kind, tool=call.name, title=call.title)


def _read(call: ToolCall, agent: str, cwd: str, resolve: Resolve, roots: tuple[str, ...]) -> Demand:
    found = list(mentioned.walk(call.raw_input))
    said = [*_given(call), *mentioned.paths(found)]
    paths = list(filter(usable, said))
    folders = (value for name, value in found if name in FOLDERS and usable(value))
    bases = list(dict.fromkeys([cwd, *(absolute(folder, cwd) for folder in folders)]))
    told = list(islice(product(map(from_uri, dict.fromkeys(paths)), bases), mentioned.MOST))
    lexical = [absolute(path, base) for path, base in told]
    literal = [os.path.join(base, os.path.expanduser(path)) for path, base in told]
    places = list(dict.fromkeys([*lexical, *literal]))
    near = list(_as_far_as_followed(places))
    more = [(plain(name), value) for name, value in beside(call)]
    own = [resolve(root) for root in (cwd, *roots)]
    return Demand(
        agent=agent,
        kind=call.kind,
        tool=call.name,
        title=call.title,
        cwd=cwd,
        command=call.command,
        commands=tuple(dict.fromkeys(mentioned.commands(call, found))),
        named=tuple(dict.fromkeys(lexical)),
        real=tuple(dict.fromkeys(map(resolve, near))),
        files=any(mentioned.names_path(name) and name not in _RUN_IN for name, _ in more),
        changes=any(isinstance(item, schema.Diff) for item in call.content)
        or any(name in mentioned.CHANGES and bool(value) for name, value in found),
        unclear=_is_opaque(call.raw_input)
        or not all(_is_known(name, value, cwd, resolve, own) for name, value in more)
        or mentioned.MOST in (len(found), len(told))
        or len(paths) < len(said)
        or len(near) < len(places),
    )


def _given(call: ToolCall) -> Iterator[str]:
    for item in (*call.locations, *call.content):
        if isinstance(item, schema.Location | schema.Diff):
            yield item.path


def _as_far_as_followed(places: list[str]) -> Iterator[str]:
    steps = accumulate(place.count("/") for place in places)
    return (place for place, step in zip(places[:_MOST_PATHS], steps, strict=False) if step <= _MOST_STEPS)


def _is_opaque(raw_input: Any) -> bool:
    return not isinstance(raw_input, dict | None) and raw_input not in ("", [])


def _is_known(name: str, value: Any, cwd: str, resolve: Resolve, own: list[str]) -> bool:
    """Beside a command: a folder of the session's to run it in, or what rules of paths and changes look at."""
    if name in _RUN_IN:
        place = resolve(absolute(value, cwd)) if usable(value) else ""
        return any(os.path.commonpath([place, folder]) == folder for folder in own if place)
    return name in mentioned.CHANGES or mentioned.names_path(name)
