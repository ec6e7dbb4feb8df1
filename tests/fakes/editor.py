"""An editor in memory: it takes frames as the real one does, and is stricter about them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

Mark = dict[str, Any]
_KINDS = {
    "user",
    "agent",
    "text",
    "tool",
    "step",
    "error",
    "run",
    "thought",
    "plan",
    "question",
    "option",
    "body",
    "report",
    "context",
    "note",
    "changes",
}


@dataclass
class ChatBuffer:
    """Lines and their marks. Every mark must lie in the rows that its operation has written."""

    lines: list[str] = field(default_factory=lambda: [""])
    rows: list[list[Mark]] = field(default_factory=lambda: [[]])  # the marks of each line

    @property
    def text(self) -> str:
        return "\n".join(self.lines)

    @property
    def marks(self) -> list[Mark]:
        return [{**mark, "row": row} for row, marks in enumerate(self.rows) for mark in marks]

    def apply(self, ops: Iterable[list[Any]], total: int) -> None:
        for name, *args in ops:
            getattr(self, f"_{name}")(*args)
        assert len(self.lines) == len(self.rows) == total, f"{len(self.lines)} lines, {total} were told"

    def at(self, row: int) -> Mark | None:
        """The mark that a row without one belongs to."""
        return next((self.rows[above][-1] for above in range(row, -1, -1) if self.rows[above]), None)

    def _append(self, text: str, marks: list[Mark]) -> None:
        first = len(self.lines) - 1
        head, *more = text.split("\n")
        self.lines[-1] += head
        self.lines += more
        self.rows += [[] for _ in more]
        self._set(first, len(self.lines), marks)

    def _splice(self, first: int, last: int, lines: list[str], marks: list[Mark]) -> None:
        assert 0 <= first <= last <= len(self.lines)
        assert not any("\n" in line for line in lines)
        self.lines[first:last] = lines
        self.rows[first:last] = [[] for _ in lines]
        self._set(first, first + len(lines), marks)

    def _marks(self, first: int, last: int, marks: list[Mark]) -> None:
        assert 0 <= first < last <= len(self.lines)
        self.rows[first:last] = [[] for _ in range(first, last)]
        self._set(first, last, marks)

    def _set(self, first: int, last: int, marks: list[Mark]) -> None:
        for mark in marks:
            assert first <= mark["row"] < last, f"{mark} is not in {first}..{last}"
            assert mark["kind"] in _KINDS, mark
            self._check_spans(mark)
            self.rows[mark["row"]].append({name: value for name, value in mark.items() if name != "row"})

    def _check_spans(self, mark: Mark) -> None:
        """Columns are bytes, on the borders of characters."""
        line = self.lines[mark["row"]].encode(errors="surrogatepass")
        for start, end, _ in mark.get("spans", ()):
            assert 0 <= start < end <= len(line), mark
            line[start:end].decode(errors="surrogatepass")


class FakeEditor:
    """The port: `frame` takes a batch of calls and says what went wrong; what came can be looked at."""

    def __init__(self) -> None:
        self.is_ready = False
        self.chats: dict[int, ChatBuffer] = {}
        self.statuses: dict[int, dict[str, Any]] = {}
        self.questions: dict[int, list[dict[str, Any]]] = {}
        self.commands: dict[int, list[dict[str, Any]]] = {}
        self.history: dict[int, list[Any]] = {}
        self.queues: dict[int, list[Any]] = {}
        self.recalled: dict[int, str] = {}
        self.events: list[tuple[str, dict[str, Any]]] = []
        self.messages: list[tuple[str, str]] = []
        self.reports: dict[int, dict[str, Any]] = {}  # on agents that were examined, by ticket
        self.terminals: dict[str, str] = {}  # what they run, and how it ended
        self.places: list[tuple[int, str, int]] = []
        self.windows: list[tuple[str, str, list[str]]] = []
        self.floats: list[tuple[list[str], str]] = []
        self.changes: list[tuple[str, dict[str, Any]]] = []  # of files on the disk: path, what
        self.standings: list[tuple[str, dict[str, Any]]] = []  # of files on the disk: path, what
        self.turns: list[tuple[int, int]] = []  # that have begun
        self.over: list[tuple[int, int]] = []  # turns of which all changes are known
        self.proposals: list[dict[str, Any]] = []
        self.carried_out: list[int] = []  # questions whose decision has come to be
        self.forms: dict[int, tuple[list[str], list[dict[str, Any]]]] = {}  # by question: words, fields
        self.form_errors: dict[int, dict[str, str]] = {}
        self.visited: list[str] = []
        self.listings: list[dict[str, Any]] = []  # what agents have saved
        self.logins: list[tuple[int, Any]] = []  # what was to be chosen, or run in a terminal
        self.frames = 0

    def frame(self, batch: Iterable[list[Any]]) -> list[str]:
        self.frames += 1
        return [error for call in batch if (error := self._run(call))]

    def chat(self, session: int = 1) -> ChatBuffer:
        return self.chats.setdefault(session, ChatBuffer())

    def _run(self, call: list[Any]) -> str | None:
        name, *args = call
        handler: Callable[..., None] | None = getattr(self, f"_on_{name}", None)
        if handler is None:
            return f"no such function: {name}"
        try:
            handler(*args)
        except (AssertionError, TypeError, KeyError, IndexError) as error:
            return f"{name}: {error!r}"
        return None

    def _on_ready(self) -> None:
        self.is_ready = True

    def _on_status(self, session: int, patch: dict[str, Any]) -> None:
        known = self.statuses.get(session, {}) | patch
        self.statuses[session] = {key: value for key, value in known.items() if value is not None}

    def _on_event(self, name: str, data: dict[str, Any]) -> None:
        self.events.append((name, data))

    def _on_chat(self, session: int, ops: list[list[Any]], total: int) -> None:
        self.chat(session).apply(ops, total)

    def _on_reset(self, session: int) -> None:
        self.chats[session] = ChatBuffer()

    def _on_questions(self, session: int, questions: list[dict[str, Any]]) -> None:
        self.questions[session] = questions

    def _on_commands(self, session: int, commands: list[dict[str, Any]]) -> None:
        self.commands[session] = commands

    def _on_message(self, level: str, text: str, path: str | None = None) -> None:
        assert level in ("info", "warn", "error")
        self.messages.append((level, text + (path or "")))

    def _on_unkept(self, text: str) -> None:
        self.messages.append(("warn", text))

    def _on_terminal_open(self, session: int, id: str, command: str) -> None:
        self.terminals[id] = command

    def _on_terminal_exit(self, session: int, id: str, status: str) -> None:
        self.terminals[id] += f" [{status}]"

    def _on_show_place(self, session: int, path: str, line: int) -> None:
        self.places.append((session, path, line))

    def _on_show(self, name: str, filetype: str, lines: list[str]) -> None:
        self.windows.append((name, filetype, lines))

    def _on_float(
        self, lines: list[str], filetype: str, regions: list[dict[str, Any]], pictures: list[dict[str, Any]]
    ) -> None:
        assert all(0 <= picture["row"] < len(lines) for picture in pictures)
        assert all(0 <= region["first"] <= region["last"] < len(lines) for region in regions)
        self.floats.append((lines, filetype))

    def _on_form(self, question: int, session: int, words: list[str], fields: list[dict[str, Any]]) -> None:
        assert session in self.statuses
        self.forms[question] = words, fields

    def _on_form_errors(self, question: int, errors: dict[str, str]) -> None:
        self.form_errors[question] = errors

    def _on_visit(self, url: str) -> None:
        self.visited.append(url)

    def _on_changed(self, path: str, change: dict[str, Any]) -> None:
        self.changes.append((path, change))

    def _on_stands(self, path: str, change: dict[str, Any]) -> None:
        self.standings.append((path, change))

    def _on_turn_begins(self, session: int, turn: int, prompt: str, restored: int | None) -> None:
        self.turns.append((session, turn))

    def _on_turn_over(self, session: int, turn: int, moved: list[str]) -> None:
        assert (session, turn) in self.turns
        self.over.append((session, turn))

    def _on_reported(self, session: int) -> None:
        assert session in self.statuses

    def _on_proposal(self, shown: dict[str, Any]) -> None:
        assert shown["files"]
        assert shown["kind"] in ("proposal", "merge", "view")
        self.proposals.append(shown)

    def _on_proposal_done(self, question: int, done: bool) -> None:
        if done:
            self.carried_out.append(question)

    def _on_queue(self, session: int, items: list[Any]) -> None:
        self.queues[session] = items

    def _on_fill_prompt(self, session: int, text: str) -> None:
        self.recalled[session] = text

    def _on_history(self, session: int, items: list[Any]) -> None:
        self.history.setdefault(session, []).extend(items)

    def _on_doctored(self, ticket: int, report: dict[str, Any]) -> None:
        self.reports[ticket] = report

    def _on_listed(self, listings: list[dict[str, Any]]) -> None:
        self.listings = listings

    def _on_login_choose(self, session: int, methods: list[dict[str, Any]]) -> None:
        self.logins.append((session, methods))

    def _on_login_run(self, session: int, what: dict[str, Any]) -> None:
        self.logins.append((session, what))

    def _on_ended(self, session: int) -> None:
        for known in (self.chats, self.statuses, self.questions, self.commands):
            known.pop(session, None)
