"""Who has allowed or refused what: a JSON object a line, on disk for the user alone, and bounded."""

from __future__ import annotations

import json
import logging
import time
from collections import deque
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from anyio import to_thread

from acp_nvim import limits
from acp_nvim.agent import private_files
from acp_nvim.agent.redaction import Redaction
from acp_nvim.session.permission_scope import Scope
from acp_nvim.session.question import Question
from acp_nvim.session.session import Session
from acp_nvim.session.tool_call import ToolCall

log = logging.getLogger(__name__)
NAME = "permissions.jsonl"


class DecisionLog:
    """Lines wait for a thread: the disk may be slow. Several Neovims write to the same file."""

    def __init__(self, spawn: Callable[..., None], say_unkept: Callable[[str], None]) -> None:
        self._spawn, self._say_unkept = spawn, say_unkept
        self._folder: Path | None = None
        self._hidden = Redaction(())
        self._waiting: deque[str] = deque(maxlen=limits.DECISIONS_WAITING)
        self._is_writing = self._is_failing = self._is_closing = False

    def configure(self, folder: str | None, secrets: Iterable[str]) -> None:
        self._folder, self._hidden = Path(folder) if folder else None, Redaction(secrets)

    def record(self, session: Session, question: Question, call: ToolCall, asked: Scope) -> None:
        if self._folder is None:
            return
        told = {
            "t": round(time.time(), 3),
            "session": session.number,
            "session_id": session.id,
            "agent": session.agent,
            "title": call.title,
            "kind": call.kind,
            "tool": call.name,
            "command": list(asked.commands),
            "paths": list(asked.named),
            "options": [[option.id, option.name, option.kind] for option in question.options],
            "by": question.ended_by,
            "rule": f"{question.rule}: {question.because}" if question.ended_by == "rule" else None,
            "option": question.answer.id if question.answer else None,
        }
        self._waiting.append(json.dumps(_short(self._hidden.value(told))))
        if not self._is_writing and not self._is_closing:
            self._is_writing = True
            self._spawn(self._drain)

    async def _drain(self) -> None:
        try:
            while self._waiting:
                if trouble := await to_thread.run_sync(self._write):
                    self._say_unkept(trouble)
        finally:
            self._is_writing = False

    def closing(self) -> None:
        """No task can be started any more: lines wait for `close`."""
        self._is_closing = True

    def close(self) -> None:
        """What still waits must not be lost."""
        if self._waiting and (trouble := self._write()):
            log.error(trouble)

    def _write(self) -> str | None:
        """What is wrong, the first time."""
        lines = [self._waiting.popleft() for _ in range(len(self._waiting))]
        folder, was_failing = self._folder, self._is_failing
        try:
            if folder:
                private_files.folder(folder)
                text = "".join(f"{line}\n" for line in lines)
                private_files.append(folder / NAME, text.encode(), limits.DECISION_LOG_BYTES)
            self._is_failing = False
        except OSError as error:
            self._is_failing = True
            return None if was_failing else f"decisions are not logged: {error.strerror}: {folder}/{NAME}"
        return None


def _short(value: Any) -> Any:
    if isinstance(value, str) and len(value) > limits.DECISION_TEXT_CHARS:
        return f"{value[: limits.DECISION_TEXT_CHARS]}… ({len(value)} characters)"
    if isinstance(value, list):
        return [_short(item) for item in value[: limits.DECISION_ITEMS]]
    return {key: _short(item) for key, item in value.items()} if isinstance(value, dict) else value
