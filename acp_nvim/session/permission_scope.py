"""Collects what a permission is about: the commands, paths, changes and all other arguments of its tool call.

Rules decide by a scope. The question shows the same arguments (`permission_text.py`), so a rule looks at nothing that
the user cannot see. A text that is taken for a path and is none makes a rule allow less, never more.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from itertools import accumulate, chain, islice, product
from typing import NamedTuple

from acp_nvim import limits
from acp_nvim.protocol import schema
from acp_nvim.session import raw_input
from acp_nvim.session.glob_reach import Place, readings
from acp_nvim.session.path_globs import Resolve
from acp_nvim.session.raw_input import Argument, Role
from acp_nvim.session.tool_call import ToolCall
from acp_nvim.session.tool_paths import absolute, from_uri, usable, within


class Scope(NamedTuple):
    agent: str
    kind: str
    tool: str
    title: str
    cwd: str
    command: str | None  # the one that the call runs
    commands: tuple[str, ...]  # that one, and any other that is named somewhere
    texts: tuple[str, ...]  # of arguments that nobody understands
    arguments: tuple[Argument, ...]
    named: tuple[str, ...]  # paths as they are spelled, absolute
    real: tuple[str, ...]  # where they lead; more than one for a path that can be read in several ways
    trees: tuple[str, ...]  # folders of which globs mean anything below, unless a path of the call names them
    changes: bool  # it changes files
    says_what: bool  # it names a path, what is looked for, or what is thought
    is_inside: bool  # all paths, and the folder of the command, lie in the folders of the session
    is_whole: bool  # everything in it could be looked at
    is_certain: bool = True  # the permission is about this call, and no guess of ours

    def is_made_of(self, *roles: Role) -> bool:
        return self.is_whole and all(argument.role in roles for argument in self.arguments)


def scope(call: ToolCall, agent: str, cwd: str, resolve: Resolve, roots: tuple[str, ...]) -> Scope:
    """Return the scope of a call; it is cached. `roots` are the folders of its session, resolved when it began."""
    said = (call.raw_input, call.content, call.locations)
    found: Scope = call.scoped.get(said, lambda: _read(call, agent, cwd, resolve, roots))
    return found._replace(kind=call.kind, tool=call.name, title=call.title)


def _read(call: ToolCall, agent: str, cwd: str, resolve: Resolve, roots: tuple[str, ...]) -> Scope:
    said = raw_input.read(call)
    given = list(_given(call))
    spelled = dict.fromkeys(map(from_uri, (*filter(usable, given), *said.paths, *said.patched)))
    dirs = [argument.value for argument in said.arguments if argument.role == "folder"]
    folders = dict.fromkeys(map(from_uri, (*said.folders, *filter(usable, dirs))))
    found = readings((*spelled, *folders, *said.patterns))

    def places(texts: Iterable[str]) -> Iterator[Place]:
        return (place for text in texts for place in found[text] or ())

    paths = dict.fromkeys([*spelled, *(place.path for place in places(spelled) if not place.is_tree)])
    bases = dict.fromkeys([cwd, *(absolute(folder, cwd) for folder in map(from_uri, said.folders))])
    told = list(islice(product(paths, bases), limits.RAW_INPUT_VALUES))
    lexical = [absolute(path, base) for path, base in told]
    literal = [os.path.join(base, os.path.expanduser(path)) for path, base in told]
    stays = [absolute(folder, cwd) for folder in folders]
    stays += [os.path.join(cwd, place.path) for place in places(folders)]
    wide = [os.path.join(base, place.path) for place in places(spelled) for base in bases if place.is_tree]
    # a glob is meant below a path of its call, and says nothing more if it stays there
    looks = {place.path for place in places(said.patterns)} - {""}
    globs = [(base, os.path.join(base, path)) for path, base in product(looks, lexical or bases)]
    everywhere = [*lexical, *literal, *stays, *wide, *chain.from_iterable(globs[: limits.RAW_INPUT_VALUES])]
    led = dict(_followed(list(dict.fromkeys(everywhere)), resolve))
    real = tuple(dict.fromkeys(led[place] for place in (*lexical, *literal) if place in led))
    trees = [led[place] for place in wide if place in led]
    trees += [led[place] for base, place in globs if place in led and not within(led[place], led[base])]
    held = (*real, *trees, *(led.get(place, "") for place in stays))
    return Scope(
        agent=agent,
        kind=call.kind,
        tool=call.name,
        title=call.title,
        cwd=cwd,
        command=call.command,
        commands=said.commands,
        texts=said.texts,
        arguments=said.arguments,
        named=tuple(dict.fromkeys(lexical)),
        real=real,
        trees=tuple(dict.fromkeys(trees)),
        changes=said.has("change") or any(isinstance(item, schema.Diff) for item in call.content),
        says_what=bool(real) or said.says_what,
        is_inside=all(map(usable, dirs))
        and all(any(within(place, root) for root in roots) for place in held),
        is_whole=said.is_whole
        and None not in found.values()
        and len(told) < limits.RAW_INPUT_VALUES
        and all(map(usable, given))
        and all(place in led for place in everywhere)
        and len(globs) < limits.RAW_INPUT_VALUES,
    )


def _given(call: ToolCall) -> Iterator[str]:
    for item in (*call.locations, *call.content):
        if isinstance(item, schema.Location | schema.Diff):
            yield item.path


def _followed(places: list[str], resolve: Resolve) -> Iterator[tuple[str, str]]:
    """Yield places and where they lead, as far as there is time to look."""
    steps = accumulate(place.count("/") for place in places)
    for place, step in zip(places[: limits.SCOPE_PATHS], steps, strict=False):
        if step <= limits.SCOPE_STEPS:
            yield place, resolve(place)
