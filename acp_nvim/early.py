"""Neovim's first words are heard, and the agent they are about is started, before all that is dear to import.

What was heard goes on to `backend`. Where it is about something else, or not there yet, an agent starts a little
later, and nothing else is different.
"""

from __future__ import annotations

import os
import select
from typing import Any

import msgpack

from acp_nvim import leaders
from acp_nvim.agent import launch, settings

_FROM_NEOVIM = 0
_AT_ONCE = 1 << 20  # bytes
_PATIENCE = 0.03  # seconds: Neovim draws its windows first, and the agent is worth more than what is imported meanwhile

Word = tuple[str, list[Any]]  # a notification: its name and its arguments


def listen() -> list[Word]:
    """What there is by now, or soon, to the end of its last word."""
    unpacker = msgpack.Unpacker(unicode_errors="surrogateescape")
    heard: list[Word] = []
    fed = 0
    while fed > unpacker.tell() or select.select([_FROM_NEOVIM], [], [], 0 if heard else _PATIENCE)[0]:
        data = os.read(_FROM_NEOVIM, _AT_ONCE)
        if not data:
            break  # Neovim is gone: to be noticed by who waits for more
        fed += len(data)
        unpacker.feed(data)
        heard += [(name, arguments) for kind, name, arguments in unpacker]
    return heard


def start_agent(heard: list[Word]) -> None:
    """What Neovim would have to end if we died now is written down at once."""
    said = {words[0]: words[1] for name, words in reversed(heard) if name == "acp_nvim"}
    pid = _started(said["setup"], said["new"]) if {"setup", "new"} <= said.keys() else None
    if pid:
        leaders.write(said["setup"].get("leaders"), [pid])


def _started(setup: dict[str, Any], new: dict[str, Any]) -> int | None:
    configured, _ = settings.read(setup.get("config"))
    try:
        spec = settings.agent(configured, settings.asked_for(new))
    except ValueError:
        return None  # to be told when the session is opened
    return launch.ahead(launch.of(spec, settings.folder(new)))
