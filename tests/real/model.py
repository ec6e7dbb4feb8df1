"""A language model on loopback that does what the prompt says: `python -m tests.real.model`, then its port is printed.

It speaks the forms of model_forms.py. The last message of the user with steps rules, one step a turn:

    [[read FILE]]  [[edit FILE::OLD::NEW]]  [[write FILE::TEXT]]  [[shell COMMAND]]    a call of that tool
    [[ask QUESTION]]                                                                   the same, to the user
    [[tool NAME::{"key": "value"}]]                                                    any tool, with its arguments
    [[read A || read B]]                                                               two calls at once
    [[say TEXT]]  [[slow COUNT::SECONDS]]  [[repeat]]                                  text, and the turn ends

`[[slow 200::0.05]]` streams two hundred words, one every 0.05 s; `[[repeat]]` says what the last tool has answered.
After the last step it says that it is done. `GET /requests` answers with the bodies of all requests that offered tools.
"""

from __future__ import annotations

import json
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.real.model_forms import FORMS
from tests.real.model_script import next_turn


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Server

    def log_message(self, *_: Any) -> None:
        """Its standard error stays quiet."""

    def do_HEAD(self) -> None:
        self._answer({})

    def do_GET(self) -> None:
        if self.path == "/requests":
            return self._answer(self.server.requests)
        models = [{"id": f"fake-model{end}", "object": "model", "owned_by": "fake"} for end in ("", "-2")]
        self._answer({"object": "list", "data": models})

    def do_POST(self) -> None:
        body = json.loads(self._body() or b"{}")
        path = self.path.partition("?")[0]
        form = next((form for form in FORMS if path.endswith(form.path)), None)
        if form is None:
            return self._answer({"error": {"message": f"{path} is not spoken here"}}, 404)
        tools, model = form.tools(body), str(body.get("model") or "fake-model")
        if tools:
            self.server.requests.append(body)
        turn = next_turn(form.talk(body), tools)
        with suppress(BrokenPipeError, ConnectionResetError):  # a cancelled turn hangs up
            if not (body.get("stream") or path.endswith(":streamGenerateContent")):
                return self._answer(form.whole(turn, model))
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.send_header("connection", "close")
            self.end_headers()
            self.close_connection = True
            for name, data in form.stream(turn, model):
                self._event(json.dumps(data), name)
            for data in form.last:
                self._event(data)

    def _body(self) -> bytes:
        if "chunked" not in self.headers.get("transfer-encoding", ""):
            return self.rfile.read(int(self.headers.get("content-length") or 0))
        body = b""
        while size := int(self.rfile.readline().split(b";")[0], 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return body

    def _event(self, data: str, name: str = "") -> None:
        head = f"event: {name}\n" if name else ""
        self.wfile.write(f"{head}data: {data}\n\n".encode())
        self.wfile.flush()

    def _answer(self, body: Any, status: int = 200) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.requests: list[dict[str, Any]] = []


if __name__ == "__main__":
    server = Server()
    print(server.server_address[1], flush=True)
    server.serve_forever()
