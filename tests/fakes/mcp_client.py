"""A small MCP client, as agents have one: it starts a server of `mcpServers` and speaks with it over its pipes.

server = McpServer(entry)              starts it, with nothing in its environment but the entry's
server.begin()                         initialize, initialized, tools/list: the names of the tools
server.call("read_buffer", path="a")   the text of the answer
server.end()                           closes its input; how long it took to end
"""

from __future__ import annotations

import json
import os
import queue
import subprocess
import threading
import time
from typing import Any

PATIENCE = 10
Json = dict[str, Any]


class McpServer:
    def __init__(self, entry: Json, cwd: str | None = None) -> None:
        env = {pair["name"]: pair["value"] for pair in entry["env"]}
        self.process = subprocess.Popen(
            [entry["command"], *entry["args"]],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=cwd,
            env={"PATH": os.environ["PATH"], **env},
        )
        self._answers: dict[int | None, Json] = {}
        self._said: queue.Queue[Json | None] = queue.Queue()
        self._number = 0
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout
        for line in self.process.stdout:
            self._said.put(json.loads(line))
        self._said.put(None)

    # --- messages

    def send(self, **message: Any) -> None:
        assert self.process.stdin
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self.process.stdin.flush()

    def ask(self, method: str, params: Any = None) -> int:
        """Send a request; its id."""
        self._number += 1
        self.send(id=self._number, method=method, params=params or {})
        return self._number

    def answer(self, number: int | None, seconds: float = PATIENCE) -> Json:
        """The whole answer to a request, an error too."""
        deadline = time.monotonic() + seconds
        while number not in self._answers:
            message = self._said.get(timeout=max(0.01, deadline - time.monotonic()))
            assert message is not None, "the server has ended"
            self._answers[message["id"]] = message
        return self._answers.pop(number)

    def request(self, method: str, params: Any = None, seconds: float = PATIENCE) -> Json:
        return self.answer(self.ask(method, params), seconds)

    # --- what clients do

    def initialize(self, revision: str = "2025-11-25") -> Json:
        info = {"name": "test", "version": "1"}
        params = {"protocolVersion": revision, "capabilities": {}, "clientInfo": info}
        result: Json = self.request("initialize", params)["result"]
        self.send(method="notifications/initialized")
        return result

    def begin(self) -> list[str]:
        self.initialize()
        return [tool["name"] for tool in self.request("tools/list")["result"]["tools"]]

    def begin_call(self, tool: str, **arguments: Any) -> int:
        return self.ask("tools/call", {"name": tool, "arguments": arguments})

    def result(self, number: int, seconds: float = PATIENCE) -> tuple[str, bool]:
        """The text of an answer, and whether it is an error."""
        answer = self.answer(number, seconds)
        assert "result" in answer, answer
        [content] = answer["result"]["content"]
        return content["text"], answer["result"]["isError"]

    def call(self, tool: str, **arguments: Any) -> str:
        text, is_error = self.result(self.begin_call(tool, **arguments))
        assert not is_error, text
        return text

    def fail(self, tool: str, **arguments: Any) -> str:
        text, is_error = self.result(self.begin_call(tool, **arguments))
        assert is_error, text
        return text

    # --- the end

    def end(self) -> float:
        """Close its input. Return the seconds that it took to end."""
        assert self.process.stdin
        self.process.stdin.close()
        return self.wait()

    def wait(self, seconds: float = PATIENCE) -> float:
        began = time.monotonic()
        self.process.wait(seconds)
        return time.monotonic() - began

    def __enter__(self) -> McpServer:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe:
                try:
                    pipe.close()
                except BrokenPipeError:
                    continue
