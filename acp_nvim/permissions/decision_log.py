"""Writes the log of who has allowed or refused what: a private file of bounded size, a JSON object a line."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

from acp_nvim import limits
from acp_nvim.agent import private_files
from acp_nvim.agent.background_writer import BackgroundWriter
from acp_nvim.agent.redaction import Redaction
from acp_nvim.session.permission_scope import Scope
from acp_nvim.session.question import Question
from acp_nvim.session.session import Session
from acp_nvim.session.tool_call import ToolCall
from acp_nvim.text.bounded import abridged

NAME = "permissions.jsonl"


class DecisionLog:
    """Several Neovims append to the same file."""

    def __init__(self, spawn: Callable[..., None], warn_unkept: Callable[[str], None]) -> None:
        self._writer = BackgroundWriter(
            "decisions are not logged", spawn, warn_unkept, limits.DECISIONS_WAITING
        )
        self._folder: Path | None = None
        self._hidden = Redaction(())

    def configure(self, folder: str | None, secrets: Iterable[str]) -> None:
        self._folder, self._hidden = Path(folder) if folder else None, Redaction(secrets)

    def hide(self, secret: str) -> None:
        self._hidden.add([secret])

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
        kept = abridged(self._hidden.value(told), limits.DECISION_TEXT_CHARS, limits.DECISION_ITEMS, depth=3)
        line = json.dumps(kept) + "\n"
        self._writer.add(self._folder / NAME, partial(_append, self._folder, line.encode()))

    def end(self) -> None:
        self._writer.end()

    def close(self) -> None:
        self._writer.close()


def _append(folder: Path, line: bytes) -> None:
    private_files.folder(folder)
    private_files.append(folder / NAME, line, limits.DECISION_LOG_BYTES)
