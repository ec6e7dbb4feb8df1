"""Keeps a conversation: its folder, its options, what was allowed for good, and what was said and done so far."""

from __future__ import annotations

import os
import time
from collections.abc import Callable

from .prompt import Prompt
from .wire import INVALID_PARAMS, Json, RpcError, Wire

MODES = [
    {"id": "ask", "name": "Ask", "description": "Ask before every edit and every command"},
    {"id": "auto", "name": "Auto", "description": "Edit without asking, but ask before every command"},
]
MODELS = [
    {"value": "demo-small", "name": "Demo small", "description": "A context window of 32,000 tokens"},
    {"value": "demo-large", "name": "Demo large", "description": "The same, with a window of 200,000 tokens"},
]
WINDOW = {"demo-small": 32_000, "demo-large": 200_000}


class Transcript:
    """The updates of a session as they would be sent again: pieces joined, tool calls in their last state."""

    def __init__(self) -> None:
        self._updates: list[Json] = []
        self._tools: dict[str, Json] = {}
        self._plan: Json | None = None  # the plan of the last prompt
        self._length = 0  # of all text
        # Text that is still streaming: joined once, for its pieces may be many.
        self._pieces: list[str] = []

    def add(self, update: Json) -> None:
        tag = update["sessionUpdate"]
        if tag == "tool_call":
            self._tools[update["toolCallId"]] = self._append(update)
        elif tag == "tool_call_update":
            self.amend(update["toolCallId"], update)
        elif tag.endswith("_chunk"):
            self._add_chunk(update)
        elif tag == "plan":
            self._add_plan(update)

    def amend(self, tool_call_id: str, fields: Json) -> None:
        changed = {name: value for name, value in fields.items() if name != "sessionUpdate"}
        self._tools[tool_call_id].update(changed)

    def copy(self) -> Transcript:
        twin = Transcript()
        for update in self.told():
            twin.add(update)
        return twin

    def told(self) -> list[Json]:
        self._join_pieces()
        return self._updates

    def tokens(self) -> int:
        """About how much of a context window the text would fill."""
        return self._length // 4

    def _add_plan(self, update: Json) -> None:
        if self._plan is None:
            self._plan = self._append(update)
        else:
            self._plan.update(update)

    def _add_chunk(self, update: Json) -> None:
        if update["sessionUpdate"] == "user_message_chunk":
            self._plan = None
        if update["content"]["type"] == "text":
            self._length += len(update["content"]["text"])
        last = self._updates[-1] if self._updates else {}
        same = all(last.get(name) == update.get(name) for name in ("sessionUpdate", "messageId"))
        if same and last["content"]["type"] == update["content"]["type"] == "text":
            self._pieces.append(update["content"]["text"])
        else:
            self._append(update)

    def _join_pieces(self) -> None:
        if self._pieces:
            first = self._updates[-1]["content"]
            self._updates[-1]["content"] = {**first, "text": first["text"] + "".join(self._pieces)}
            self._pieces = []

    def _append(self, update: Json) -> Json:
        self._join_pieces()
        self._updates.append(dict(update))
        return self._updates[-1]


class Session:
    """One of several conversations of a client."""

    def __init__(self, wire: Wire, cwd: str, booleans: bool) -> None:
        self.id = f"demo-{os.urandom(4).hex()}"
        self.cwd = cwd
        self.title: str | None = None
        self.updated_at = now()
        self.mode = "ask"
        self.model = "demo-small"
        self.thinks = True
        self.turns = 0
        self.verdicts: dict[str, bool] = {}  # what "always" was chosen for -> allowed?
        self.transcript = Transcript()
        self.closed = False
        self._wire = wire
        self._booleans = booleans  # does the client know options of type boolean?
        self._calls = 0
        self._messages = 0

    def update(self, tag: str, **fields: object) -> None:
        """Tells the client, and remembers."""
        update: Json = {"sessionUpdate": tag, **fields}
        self.transcript.add(update)
        self._wire.notify("session/update", {"sessionId": self.id, "update": update})

    def remember(self, prompt: Prompt) -> None:
        """The client shows what its user says; we repeat it only when this session is loaded."""
        self.turns += 1
        message_id = self.new_message_id()
        for block in prompt.blocks:
            self.transcript.add(
                {"sessionUpdate": "user_message_chunk", "content": block, "messageId": message_id}
            )

    def replay(self) -> None:
        for update in self.transcript.told():
            self._wire.notify("session/update", {"sessionId": self.id, "update": update})

    def new_call_id(self) -> str:
        self._calls += 1
        return f"call-{self._calls}"

    def new_message_id(self) -> str:
        self._messages += 1
        return f"{self.id}-message-{self._messages}"

    def entitle(self, prompt: str) -> None:
        """A session is called after its first prompt."""
        self.updated_at = now()
        if self.title is None:
            line = prompt.strip().partition("\n")[0]
            self.title = line[:60] or "A prompt without text"
        self.update("session_info_update", title=self.title, updatedAt=self.updated_at)

    def tell_usage(self) -> None:
        size = WINDOW[self.model]
        cost = {"amount": 0.0, "currency": "USD"}
        self.update("usage_update", used=min(self.transcript.tokens(), size), size=size, cost=cost)

    def fork(self, cwd: str) -> Session:
        twin = Session(self._wire, cwd, self._booleans)
        twin.title = f"{self.title} (fork)" if self.title else None
        twin.mode, twin.model, twin.thinks = self.mode, self.model, self.thinks
        twin.turns, twin.verdicts = self.turns, dict(self.verdicts)
        twin.transcript = self.transcript.copy()
        twin._calls, twin._messages = self._calls, self._messages
        return twin

    def info(self) -> Json:
        info = {"sessionId": self.id, "cwd": self.cwd, "updatedAt": self.updated_at}
        return {**info, "title": self.title} if self.title else info

    def state(self) -> Json:
        """The part of an answer to session/new, load, resume and fork that tells modes and options."""
        return {
            "modes": {"currentModeId": self.mode, "availableModes": MODES},
            "configOptions": self.options(),
        }

    def options(self) -> list[Json]:
        """Options have come to replace modes: so the mode is an option, too, and both ways stay in step."""
        modes = [{"value": mode["id"], "name": mode["name"]} for mode in MODES]
        options = [
            _select("mode", "Mode", self.mode, modes),
            _select("model", "Model", self.model, MODELS),
        ]
        if self._booleans:
            thoughts = {
                "id": "thoughts",
                "name": "Think aloud",
                "type": "boolean",
                "currentValue": self.thinks,
            }
            options.append(thoughts)
        return options

    def set_mode(self, mode: object) -> None:
        self.mode = _one_of(mode, [known["id"] for known in MODES])

    def set_option(self, name: str, value: object) -> None:
        setters: dict[str, Callable[[object], None]] = {"mode": self.set_mode, "model": self._set_model}
        if self._booleans:
            setters["thoughts"] = self._set_thinks
        if name not in setters:
            raise RpcError(INVALID_PARAMS, f"unknown option: {name}")
        setters[name](value)

    def _set_model(self, model: object) -> None:
        self.model = _one_of(model, list(WINDOW))

    def _set_thinks(self, value: object) -> None:
        if not isinstance(value, bool):
            raise RpcError(INVALID_PARAMS, "`value` must be true or false")
        self.thinks = value


def now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def _select(name: str, label: str, value: str, choices: list[dict[str, str]]) -> Json:
    option = {"id": name, "name": label, "category": name, "type": "select"}
    return {**option, "currentValue": value, "options": choices}


def _one_of(value: object, known: list[str]) -> str:
    if not isinstance(value, str) or value not in known:
        raise RpcError(INVALID_PARAMS, f"unknown value: {value!r}; known are {', '.join(known)}")
    return value
