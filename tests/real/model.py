"""A language model on loopback that does what the prompt says: `python -m tests.real.model`, then its port is printed.

It speaks chat completions, streamed and not. The last message of the user with steps rules, one step a turn:

    [[read FILE]]  [[edit FILE::OLD::NEW]]  [[write FILE::TEXT]]  [[shell COMMAND]]    a call of that tool
    [[ask QUESTION]]                                                                   the same, to the user
    [[read A || read B]]                                                               two calls at once
    [[say TEXT]]  [[slow COUNT::SECONDS]]  [[repeat]]                                  text, and the turn ends

`[[slow 200::0.05]]` streams two hundred words, one every 0.05 s; `[[repeat]]` says what the last tool has answered.
After the last step it says that it is done.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from typing import Any

STEP = re.compile(r"\[\[(.+?)\]\]", re.S)
DONE = "That was all."
# What the agents call their tools and the arguments of these.
TOOLS = {
    "read": ["read_file", "Read", "read"],
    "edit": ["edit_file", "Edit", "edit", "replace"],
    "write": ["write_file", "Write", "write"],
    "shell": ["run_shell_command", "Bash", "bash", "Shell", "shell"],
    "ask": ["ask_user"],
}
ARGUMENTS = {
    "path": ["file_path", "filePath", "absolute_path", "path"],
    "old": ["old_string", "oldString", "old_text", "old"],
    "new": ["new_string", "newString", "new_text", "new"],
    "content": ["content", "contents", "text"],
    "command": ["command", "cmd"],
    "question": ["question"],
}
FIELDS = {
    "read": ["path"],
    "edit": ["path", "old", "new"],
    "write": ["path", "content"],
    "shell": ["command"],
    "ask": ["question"],
}
Schema = dict[str, Any]
Call = tuple[str, dict[str, Any]]
numbers = count(1)


@dataclass
class Turn:
    text: str = DONE
    pause: float = 0.0  # after each piece
    calls: list[Call] = field(default_factory=list)

    def pieces(self) -> list[str]:
        return re.findall(r"\S*\s*", self.text)[:-1]


def next_turn(messages: list[dict[str, Any]], tools: dict[str, Schema]) -> Turn:
    said = [(message.get("role"), words(message.get("content"))) for message in messages]
    scripts = [place for place, (role, text) in enumerate(said) if role == "user" and STEP.search(text)]
    if not scripts or not tools:  # without tools somebody wants a title or a summary
        return Turn("A talk with a script")
    steps = STEP.findall(said[scripts[-1]][1])
    done = sum(1 for message in messages[scripts[-1] + 1 :] if message.get("tool_calls"))
    if done < len(steps) and steps[done] == "repeat":
        return Turn([text for role, text in said if role == "tool"][-1])
    return step(steps[done], tools) if done < len(steps) else Turn()


def step(text: str, tools: dict[str, Schema]) -> Turn:
    verb, _, rest = text.partition(" ")
    if verb == "say":
        return Turn(rest)
    if verb == "slow":
        many, _, seconds = rest.partition("::")
        return Turn("".join(f"word{n} " for n in range(int(many))), float(seconds))
    calls = [call(part, tools) for part in text.split(" || ")]
    return Turn(f"Now {verb}. ", calls=calls)


def call(text: str, tools: dict[str, Schema]) -> Call:
    verb, _, rest = text.partition(" ")
    name = next(name for name in TOOLS[verb] if name in tools)
    schema = tools[name]
    known = schema.get("properties", {})
    arguments = {key: smallest(known[key], key) for key in schema.get("required", []) if key in known}
    for role, value in zip(FIELDS[verb], rest.split("::") if verb != "shell" else [rest], strict=True):
        arguments[next(key for key in ARGUMENTS[role] if key in known)] = value
    return name, arguments


def smallest(schema: Schema, key: str) -> Any:
    """Something for an argument that the script does not name."""
    if schema.get("enum"):
        return schema["enum"][0]
    kind = schema.get("type", "string")
    return {"integer": 30, "number": 30, "boolean": False, "array": [], "object": {}}.get(kind, key)


def words(content: Any) -> str:
    """Of several scripted parts only the last: agents join what the user said one after another."""
    if isinstance(content, str):
        return content
    parts = [part.get("text") or "" for part in content or [] if isinstance(part, dict)]
    scripted = [part for part in parts if STEP.search(part)]
    return scripted[-1] if scripted else "\n".join(parts)


class Door(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: Any) -> None:
        """Its standard error stays quiet."""

    def do_GET(self) -> None:
        models = [{"id": f"fake-model{end}", "object": "model", "owned_by": "fake"} for end in ("", "-2")]
        self._answer({"object": "list", "data": models})

    def do_POST(self) -> None:
        body = json.loads(self._body() or b"{}")
        if not self.path.partition("?")[0].endswith("/chat/completions"):
            return self._answer({"error": {"message": f"{self.path} is not spoken here"}}, 404)
        offered = [tool["function"] for tool in body.get("tools") or []]
        tools = {tool["name"]: tool.get("parameters", {}) for tool in offered}
        turn = next_turn(body.get("messages", []), tools)
        with suppress(BrokenPipeError, ConnectionResetError):  # a cancelled turn hangs up
            (self._stream if body.get("stream") else self._whole)(turn, body.get("model"))

    def _body(self) -> bytes:
        if "chunked" not in self.headers.get("transfer-encoding", ""):
            return self.rfile.read(int(self.headers.get("content-length") or 0))
        body = b""
        while size := int(self.rfile.readline().split(b";")[0], 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return body

    def _whole(self, turn: Turn, model: str | None) -> None:
        message = {"role": "assistant", "content": turn.text, "tool_calls": called(turn) or None}
        choice = {"index": 0, "message": message, "finish_reason": reason(turn)}
        self._answer({**head(model), "object": "chat.completion", "choices": [choice], "usage": USAGE})

    def _stream(self, turn: Turn, model: str | None) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        self.close_connection = True
        for delta in deltas(turn):
            self._event(model, [{"index": 0, "delta": delta, "finish_reason": None}])
            time.sleep(turn.pause if "content" in delta else 0)
        self._event(model, [{"index": 0, "delta": {}, "finish_reason": reason(turn)}])
        self._event(model, [], usage=USAGE)
        self.wfile.write(b"data: [DONE]\n\n")

    def _event(self, model: str | None, choices: list[Any], **more: Any) -> None:
        chunk = {**head(model), "object": "chat.completion.chunk", "choices": choices, **more}
        self.wfile.write(f"data: {json.dumps(chunk)}\n\n".encode())
        self.wfile.flush()

    def _answer(self, body: Any, status: int = 200) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


USAGE = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}


def deltas(turn: Turn) -> Iterator[dict[str, Any]]:
    yield {"role": "assistant", "content": ""}
    yield from ({"content": piece} for piece in turn.pieces())
    yield from ({"tool_calls": [{"index": place, **one}]} for place, one in enumerate(called(turn)))


def called(turn: Turn) -> list[dict[str, Any]]:
    return [
        {
            "id": f"call_{next(numbers):04}",
            "type": "function",
            "function": {"name": name, "arguments": json.dumps(arguments)},
        }
        for name, arguments in turn.calls
    ]


def reason(turn: Turn) -> str:
    return "tool_calls" if turn.calls else "stop"


def head(model: str | None) -> dict[str, Any]:
    return {"id": f"chat-{next(numbers)}", "created": int(time.time()), "model": model or "fake-model"}


class Server(ThreadingHTTPServer):
    daemon_threads = True


if __name__ == "__main__":
    server = Server(("127.0.0.1", 0), Door)
    print(server.server_address[1], flush=True)
    server.serve_forever()
