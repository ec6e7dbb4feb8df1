"""A connection to Neovim for tests: msgpack-rpc on a socket that waits, without a loop or a look at the API first."""

from __future__ import annotations

import itertools
import socket
from collections.abc import Iterator
from typing import Any

import msgpack

GONE = (OSError, EOFError)  # how a connection says that Neovim has ended


class Refused(Exception):
    """Neovim answers with an error."""


class Connection:
    """For one thread. `patience` in seconds; None: an answer may take as long as it likes."""

    def __init__(self, address: str, patience: float | None = None) -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.settimeout(patience)
        self._socket.connect(address)
        self._numbers = itertools.count()
        self._reader = msgpack.Unpacker(
            raw=False, strict_map_key=False, unicode_errors="surrogateescape", ext_hook=handle
        )

    def request(self, method: str, *arguments: Any) -> Any:
        number = next(self._numbers)
        self._send([0, number, method, arguments])
        for kind, *rest in self._messages():
            if kind == 1 and rest[0] == number:
                if rest[1]:
                    raise Refused(rest[1][1])
                return rest[2]
        raise EOFError

    def notify(self, method: str, *arguments: Any) -> None:
        self._send([2, method, arguments])

    def notifications(self) -> Iterator[tuple[str, list[Any]]]:
        """Until Neovim has ended."""
        for kind, *rest in self._messages():
            if kind == 2:
                yield rest[0], rest[1]

    def close(self) -> None:
        self._socket.close()

    def _send(self, message: list[Any]) -> None:
        self._socket.sendall(msgpack.packb(message, unicode_errors="surrogateescape"))

    def _messages(self) -> Iterator[list[Any]]:
        while True:
            yield from self._reader
            data = self._socket.recv(1 << 16)
            if not data:
                raise EOFError("the connection has ended")
            self._reader.feed(data)


def handle(_kind: int, data: bytes) -> Any:
    """A buffer, window or tab page: its number."""
    return msgpack.unpackb(data)
