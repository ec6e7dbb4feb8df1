"""Carries MCP messages between an agent and Neovim's backend. The agent starts it, with the standard library alone.

    python -S -I server.py ADDRESS        the token is in $ACP_NVIM_TOKEN

The first line to the socket is the token. The first line from there is `ok`, or a sentence that says why not. All other
lines are messages, and go on as they are. When one side ends, each call that is still open gets an error, and the
process ends within a second: nothing of it is left behind.
"""

import json
import os
import signal
import socket
import sys
import threading

REQUEST_BYTES = 1 << 20
PATIENCE = 0.7  # seconds for the agent to send its first request, to which the reason can be the answer
STUCK = 0.2  # seconds for another thread to finish a line that the agent may not read
SERVER_ERROR, INVALID_REQUEST = -32000, -32600
GONE = "Neovim no longer serves the editor's tools: they are there again when the session is started again"
ENDED = "the server of the editor's tools was ended"


class Relay:
    def __init__(self) -> None:
        self.open: dict[object, None] = {}  # ids of the agent's requests without an answer
        self.changed = threading.Condition()  # guards `open`
        self.writing = threading.Lock()

    def write(self, message: bytes) -> None:
        with self.writing:
            write_all(message)

    def from_agent(self, connection: socket.socket) -> None:
        """Send on what the agent says, until it ends."""
        while line := sys.stdin.buffer.readline(REQUEST_BYTES + 1):
            if len(line) > REQUEST_BYTES:
                while not line.endswith(b"\n") and line:
                    line = sys.stdin.buffer.readline(REQUEST_BYTES)
                self.write(error(None, INVALID_REQUEST, f"a request may have {REQUEST_BYTES} bytes"))
                continue
            message = parsed(line)
            if "method" in message and "id" in message:
                with self.changed:
                    self.open[key(message["id"])] = None
                    self.changed.notify_all()
            try:
                connection.sendall(line if line.endswith(b"\n") else line + b"\n")
            except OSError:
                # The other thread knows why, and ends the process, unless it waits for the agent to read.
                threading.Event().wait(PATIENCE + STUCK)
                self.end(GONE)

    def to_agent(self, lines) -> None:  # type: ignore[no-untyped-def]
        """Hand on what the backend says, until it ends."""
        said = lines.readline().decode(errors="replace").strip()
        if said == "ok":
            try:
                for line in lines:
                    message = parsed(line)
                    if "method" not in message:
                        with self.changed:
                            self.open.pop(key(message.get("id")), None)
                    self.write(line)
            except OSError:
                self.end(ENDED)  # the agent has closed its end
        with self.changed:
            self.changed.wait_for(lambda: self.open, PATIENCE if said != "ok" else 0)
        self.end(said if said not in ("ok", "") else GONE)

    def end(self, why: str) -> None:
        """Answer what is open, and end the process."""
        if self.writing.acquire(timeout=STUCK):
            os.set_blocking(1, False)
            for id in list(self.open):
                try:
                    write_all(error(json.loads(str(id)), SERVER_ERROR, why))
                except OSError:
                    break  # the agent does not read, or has gone
        os._exit(0)


def write_all(data: bytes) -> None:
    while data:
        data = data[os.write(1, data) :]


def error(id: object, code: int, why: str) -> bytes:
    message = {"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": why}}
    return json.dumps(message).encode() + b"\n"


def parsed(line: bytes) -> dict[str, object]:
    try:
        message = json.loads(line)
    except ValueError:
        return {}
    return message if isinstance(message, dict) else {}


def key(id: object) -> str:
    """Return the id as a text: 1 and "1" are two ids."""
    return json.dumps(id)


def stop(*_: object) -> None:
    raise SystemExit


def main() -> None:
    relay = Relay()
    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # of a terminal's <C-c>: the agent ends us
    connection, other = socket.socketpair()
    try:
        found = socket.socket(socket.AF_UNIX)
        found.connect(sys.argv[1])
        found.sendall(os.environ.get("ACP_NVIM_TOKEN", "").encode() + b"\n")
        connection = found
    except OSError:
        other.close()  # nobody is there: as if the backend had ended
    lines = connection.makefile("rb")
    threading.Thread(target=relay.to_agent, args=(lines,), daemon=True).start()
    try:
        relay.from_agent(connection)
    finally:
        relay.end(ENDED)


if __name__ == "__main__":
    main()
