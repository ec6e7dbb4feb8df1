"""What the two halves say to each other: a backend behind a tap, and its messages as they came."""

from __future__ import annotations

import json
import shlex
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.functional.editor import ROOT, Editor

STILL = 0.4  # seconds without a message: the story is over


@dataclass(frozen=True)
class Message:
    direction: str  # "to backend" | "to editor"
    kind: int  # of msgpack-RPC: 0 request, 1 answer, 2 notification
    names: tuple[str, ...]  # the verb, the call, or all that a frame shows
    is_frame: bool
    content: Any

    def __str__(self) -> str:
        kind = ("request", "answer", "notification")[self.kind]
        return f"{self.direction}: {kind} {'frame ' if self.is_frame else ''}{', '.join(self.names)}"


class Port:
    """`Port(tmp_path)`: open the editor with `setup={"python": port.python}`."""

    def __init__(self, folder: Path) -> None:
        self._log = folder / "port.jsonl"
        self._log.touch()
        self.python = str(folder / "python")
        command = [sys.executable, str(ROOT / "tests/fakes/port_tap.py"), str(self._log)]
        Path(self.python).write_text(f'#!/bin/sh\nexec {shlex.join(command)} "$@"\n')
        Path(self.python).chmod(0o755)

    def messages(self) -> list[Message]:
        """Return all messages so far, in their order."""
        requests: dict[int, Message] = {}
        found = []
        text = self._log.read_text(encoding="utf-8", errors="surrogateescape")
        for line in text[: text.rfind("\n") + 1].splitlines():
            direction, message = json.loads(line)
            found.append(_message(direction, message, requests))
        return found

    def settle(self, editor: Editor) -> list[Message]:
        """Wait until nothing is said any more; return all messages so far."""
        size, since = -1, time.monotonic()
        while time.monotonic() - since < STILL:
            if (now := self._log.stat().st_size) != size:
                size, since = now, time.monotonic()
            editor.screen.wait_for_anything(0.005)
        return self.messages()


def _message(direction: str, message: list[Any], requests: dict[int, Message]) -> Message:
    kind = message[0]
    if kind == 1:
        asked = requests[message[1]]
        return Message(direction, kind, asked.names, asked.is_frame, message[2:])
    method, arguments = message[-2:]
    names: tuple[str, ...] = (method,)
    is_frame = False
    if method == "nvim_exec_lua":
        code, arguments = arguments
        is_frame = ".frame(" in code
        names = (
            tuple(call[0] for call in arguments[0])
            if is_frame
            else (str(arguments[0]) if arguments else code,)
        )
    elif method == "acp_nvim":
        names = (arguments[0],)
    found = Message(direction, kind, names, is_frame, arguments)
    if kind == 0:
        requests[message[1]] = found
    return found
