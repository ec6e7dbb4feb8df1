"""Play a saved wire file into a session, without an agent: what was said then is shown again."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from acp_nvim.protocol import decode, dialects, schema
from acp_nvim.session.questions import Option, Question
from acp_nvim.session.queue import Prompt
from acp_nvim.session.session import Session
from acp_nvim.session.visible import one_line


def play(session: Session, file: str) -> None:
    """Raises OSError or ValueError, with the number of the line, before anything is shown."""
    entries = list(_read(file))
    Player(session).play(entries)


def _read(file: str) -> Iterator[tuple[float, str, dict[str, Any]]]:
    with open(file, encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            try:
                entry = json.loads(line)
                if isinstance(entry["msg"], dict):
                    yield float(entry["t"]), str(entry["dir"]), entry["msg"]
            except (KeyError, TypeError, ValueError, RecursionError) as error:
                raise ValueError(f"line {number} is no wire entry ({error})") from error


class Player:
    def __init__(self, session: Session) -> None:
        self._session = session
        self._dialect = dialects.choose("auto", None)
        self._ours: dict[Any, str] = {}
        self._asked: dict[Any, Question] = {}

    def play(self, entries: list[tuple[float, str, dict[str, Any]]]) -> None:
        self._session.ready("replay")
        for when, direction, message in entries:
            if direction == "->":
                self._to_agent(message, when)
            elif direction == "<-":
                self._from_agent(message, when)
        end = entries[-1][0] if entries else 0.0
        self._session.end_turn(end, error="the recording ends here")
        self._session.phase = "stopped"

    def _to_agent(self, message: dict[str, Any], when: float) -> None:
        method, params = message.get("method"), message.get("params") or {}
        if "id" in message and method:
            self._ours[message["id"]] = method
        if method == "session/prompt":
            self._session.begin_turn(Prompt(_said(params.get("prompt"))), when)
        elif method == "session/cancel":
            self._session.cancel()
        elif method is None and message.get("id") in self._asked:
            self._answered(self._asked.pop(message["id"]), message.get("result"))

    def _answered(self, question: Question, result: Any) -> None:
        outcome = result.get("outcome") if isinstance(result, dict) else None
        chosen = str(outcome.get("optionId")) if isinstance(outcome, dict) else ""
        self._session.end_question(question, question.option(chosen), "user")

    def _from_agent(self, message: dict[str, Any], when: float) -> None:
        method = message.get("method")
        if method == "session/update":
            for update in decode.update(message.get("params"), self._dialect)[1]:
                self._update(update, when)
        elif method == "session/request_permission":
            self._ask(message, when)
        elif method is None and self._ours.get(message.get("id")) == "session/prompt":
            self._prompted(message, when)

    def _update(self, update: Any, when: float) -> None:
        if type(update) is schema.Chunk:
            self._session.transcript.chunk(update, when)
        else:
            self._session.apply(update, when)

    def _ask(self, message: dict[str, Any], when: float) -> None:
        request = decode.permission(message.get("params"), self._dialect)
        options = tuple(Option(option.id, one_line(option.name), option.kind) for option in request.options)
        title = one_line(request.tool_call.title or "permission")
        question = Question(self._session.number, "permission", title, options, request.tool_call.id)
        self._asked[message.get("id")] = question
        self._session.ask(question, request.tool_call, when)

    def _prompted(self, message: dict[str, Any], when: float) -> None:
        if "error" in message:
            error = message["error"]
            text = error.get("message") if isinstance(error, dict) else error
            self._session.end_turn(when, error=str(text))
        else:
            self._session.end_turn(when, decode.prompt_answer(message.get("result")).stop_reason)


def _said(prompt: Any) -> str:
    if isinstance(prompt, str):
        return prompt
    blocks = prompt if isinstance(prompt, list) else []
    return "\n".join(
        str(block.get("text", "")) for block in blocks if isinstance(block, dict) and block.get("text")
    )
