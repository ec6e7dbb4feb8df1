"""Replays a saved trace as a session without an agent, so that the conversation is shown again."""

from __future__ import annotations

import json
from contextlib import suppress
from functools import partial
from math import isfinite
from typing import Any, NamedTuple

from acp_nvim import limits
from acp_nvim.host import turn_end
from acp_nvim.permissions import elicitation
from acp_nvim.permissions import request as permissions
from acp_nvim.protocol import decode, dialects, schema, steering
from acp_nvim.protocol.errors import RpcError
from acp_nvim.protocol.jsonrpc import Failure, Response
from acp_nvim.session import sent_prompt
from acp_nvim.session.asker import Asker, announced
from acp_nvim.session.question import Question
from acp_nvim.session.queue import Prompt
from acp_nvim.session.session import Session
from acp_nvim.session.subagent import Subagent
from acp_nvim.text.printable import name_of, one_line

Message = dict[str, Any]
Entry = tuple[float, str, Message]


class Played(NamedTuple):
    left_out: int  # messages of other sessions than the first that was prompted
    cut: int | None  # the line with which the file breaks off

    def told(self) -> str | None:
        said = []
        if self.cut:
            said.append(f"line {self.cut} is cut off: replayed up to there")
        if self.left_out:
            said.append(f"{self.left_out} messages of other sessions are left out")
        return "; ".join(said) or None


def play(session: Session, file: str) -> Played:
    """Play a file. Raises OSError or ValueError, with the number of the line, before anything is shown."""
    entries, cut = _read(file)
    return Played(Player(session).play(entries), cut)


def recall(session: Session, file: str) -> None:
    """Show in a session what was said before its backend ended. Raises as `play` does."""
    earlier = Session(session.number, session.agent, session.cwd)
    Player(earlier).play(_read(file)[0], "the backend ended here")
    session.continue_from(earlier)
    if title := earlier.facts.get("agent_title"):  # what it said stands under this name
        session.facts = {"agent_title": title, **session.facts}


def _read(file: str) -> tuple[list[Entry], int | None]:
    """Read the entries, and the number of the last line if it is cut off, because its writer was killed."""
    entries: list[Entry] = []
    broken: int | None = None
    with open(file, encoding="utf-8", errors="replace") as lines:
        for number, line in enumerate(lines, 1):
            if broken is None and entries and not _is_json(line):
                broken = number
            elif broken is not None:
                raise _no_entry(broken)
            elif entry := _entry(number, line):
                entries.append(entry)
    if not entries:
        raise ValueError("no messages in the file")
    return entries, broken


def _is_json(line: str) -> bool:
    try:
        json.loads(line)
    except ValueError:
        return False
    except RecursionError:
        return True
    return True


def _entry(number: int, line: str) -> Entry | None:
    try:
        entry = json.loads(line)
        message = entry["msg"]
        when = float(entry["t"])
        if not isfinite(when):
            raise _no_entry(number)
        return (when, str(entry["dir"]), message) if isinstance(message, dict) else None
    except (KeyError, TypeError, ValueError, OverflowError, RecursionError) as error:
        raise _no_entry(number) from error


def _no_entry(number: int) -> ValueError:
    return ValueError(f"line {number} is not a recorded message")


class Player:
    def __init__(self, session: Session) -> None:
        self._session = session
        self._dialect = dialects.choose("auto", None)
        self._ours: dict[str, str] = {}  # id, which may come back as text, and method
        # by id: our report and the words that have no answer yet
        self._steered: dict[str, tuple[str, Prompt]] = {}
        self._pulls: set[str] = set()  # ids of requests for the user's words, which have no answer yet
        self._asked: dict[str, Question] = {}  # by the JSON of their id
        self._results: dict[str, list[tuple[str, Any]]] = {}  # what each option would be answered by

    def play(self, entries: list[Entry], end: str = "the recording ends here") -> int:
        self._session.ready("replay")
        prompted = (_params(message) for _, way, message in entries if way == "->" and _is_prompt(message))
        wanted = next(prompted, {}).get("sessionId")
        left_out = 0
        for when, direction, message in entries:
            said_in = _params(message).get("sessionId", wanted)
            child = self._session.subagents.get(said_in) if isinstance(said_in, str) else None
            if child and direction == "<-":
                self._from_child(child, message, when)
            elif wanted is not None and said_in != wanted:
                left_out += 1
            elif direction == "->":
                self._session.clock = partial(float, when)
                self._to_agent(message, when)
            elif direction == "<-":
                self._from_agent(message, when)
        self._session.end_turn(entries[-1][0] if entries else 0.0, error=end)
        self._session.phase = "stopped"
        return left_out

    # --- to the agent

    def _to_agent(self, message: Message, when: float) -> None:
        method, params = message.get("method"), _params(message)
        if "id" in message and isinstance(method, str):
            self._ours[str(message["id"])] = method
        if method in ("session/new", "session/load"):
            self._session.cwd = str(params.get("cwd") or self._session.cwd)
        elif _is_prompt(message):
            report, prompt = _sent(params.get("prompt"))
            self._session.begin_turn(prompt, report)
            self._session.transcript.await_answer()
        elif method == steering.METHOD and "id" in message:
            report, prompt = self._steered[str(message["id"])] = _sent(params.get("prompt"))
            self._session.transcript.expect_echo(prompt.text, report)
        elif method == "session/cancel":
            self._session.cancel()
        elif method is None and _key(message) in self._pulls:
            self._pulls.remove(_key(message))
            for sent in map(_sent, self._dialect.words_of(message.get("result"))):
                self._steer(*sent)
        elif method is None and (question := self._asked.pop(_key(message), None)):
            self._answered(question, message.get("result"), self._results.pop(_key(message), []))

    def _answered(self, question: Question, result: Any, results: list[tuple[str, Any]]) -> None:
        if not question.of_its_call:
            return self._answered_in_words(question, result if isinstance(result, dict) else {})
        result = _without_part(question, result)
        id = next((id for id, meant in results if meant == result), None)
        chosen = None if id is None else question.option(id)
        self._session.questions.end(question, chosen, "user" if chosen else "cancel")

    def _answered_in_words(self, question: Question, result: dict[str, Any]) -> None:
        content = result.get("content")
        question.content = content if isinstance(content, dict) else {}
        chosen = question.option(
            {"accept": "answer", "decline": "decline"}.get(str(result.get("action")), "")
        )
        self._session.questions.end(question, chosen, "user" if chosen else "cancel")

    # --- from the agent

    def _from_agent(self, message: Message, when: float) -> None:
        method = message.get("method")
        if method == "session/update":
            for update in decode.update(message.get("params"), self._dialect)[1]:
                self._session.apply(update, when)
        elif isinstance(method, str) and dialects.asks(method) and "id" in message:
            self._ask(message, when, Asker(self._session))
        elif method == "elicitation/create" and "id" in message:
            self._ask_in_words(message, when)
        elif method is not None and method == self._dialect.pulls and "id" in message:
            self._pulls.add(_key(message))
        elif method is None:
            self._answer(self._ours.pop(str(message.get("id")), ""), message, when)

    def _from_child(self, child: Subagent, message: Message, when: float) -> None:
        """Play what was said in the session of a subagent."""
        if message.get("method") == "session/update":
            for update in decode.update(message.get("params"), self._dialect)[1]:
                self._session.subagents.apply(child, update, when)
        elif dialects.asks(str(message.get("method"))) and "id" in message:
            self._ask(message, when, announced(self._session, child))

    def _answer(self, method: str, message: Message, when: float) -> None:
        if method == "initialize":
            self._introduce(decode.initialized(message.get("result")))
        elif method in ("session/new", "session/load"):
            self._session.controls.begin(decode.new_session(message.get("result")))
        elif method == steering.METHOD:
            sent = self._steered.pop(str(message.get("id")), None)
            outcome = steering.outcome(message.get("result"))
            if sent and outcome in steering.DELIVERED:
                self._steer(*sent, starts_turn=outcome == "startedNewTurn")
        elif method == "session/prompt":
            turn_end.end(self._session, _result(method, message), when)

    def _steer(self, report: str, prompt: Prompt, starts_turn: bool = False) -> None:
        self._session.steered(
            prompt if prompt.text else None, report, prompt.attached, starts_turn=starts_turn
        )

    def _introduce(self, agent: schema.Initialized) -> None:
        info = agent.agent_info
        self._dialect = dialects.choose("auto", info)
        title = name_of((info and (info.title or info.name)) or self._session.agent)
        version = info.version if info else None
        self._session.facts = {"agent_title": title, "agent_version": version}

    def _ask(self, message: Message, when: float, asker: Asker) -> None:
        dialect = dialects.of_permission(message["method"], message.get("params"), self._dialect)
        request = decode.permission(message.get("params"), dialect)
        question, call = permissions.posed(request, asker, message["id"], dialect)
        self._asked[_key(message)] = question
        self._results[_key(message)] = [
            (each.id, dialect.permission_answer(each.id, request)) for each in request.options
        ]
        self._session.questions.ask(question, call, when)

    def _ask_in_words(self, message: Message, when: float) -> None:
        with suppress(RpcError):  # it was refused in the conversation, too
            question = elicitation.posed(decode.elicitation(message.get("params")), self._session)
            self._asked[_key(message)] = question
            self._session.questions.ask(question, None, when)


def _result(method: str, message: Message) -> Response | Failure:
    error = message.get("error")
    if error is None:
        return Response(0, method, message.get("result"))
    return Failure(0, method, RpcError.from_wire(error))


def _is_prompt(message: Message) -> bool:
    return message.get("method") == "session/prompt"


def _params(message: Message) -> dict[str, Any]:
    params = message.get("params")
    return params if isinstance(params, dict) else {}


def _key(message: Message) -> str:
    return json.dumps(message.get("id"))


def _without_part(question: Question, result: Any) -> Any:
    """Note in the question which part of a proposal the user has allowed, and return the answer without it."""
    meta = result.get("_meta") if isinstance(result, dict) else None
    match meta:
        case {"acp_nvim": {"partly": str(part), "lines": [int(added), int(removed)]}}:
            question.partly, question.allowed_lines = one_line(part[: limits.NAME_CHARS]), (added, removed)
            return {name: value for name, value in result.items() if name != "_meta"}
    return result


def _sent(prompt: Any) -> tuple[str, Prompt]:
    """Return our report and the user's prompt."""
    return sent_prompt.read(decode.blocks(prompt))
