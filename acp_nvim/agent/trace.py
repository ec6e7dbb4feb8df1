"""Records what went over the wire in both directions, and stderr: bounded, as raw bytes that are decoded when saved."""

from __future__ import annotations

import json
import os
import time
from collections import deque
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any, Literal, NamedTuple

from acp_nvim import limits
from acp_nvim.agent.redaction import Redaction
from acp_nvim.agent.wire_log import WireFile
from acp_nvim.protocol.framing import LineSplitter

Direction = Literal["->", "<-", "stderr"]


class _Record(NamedTuple):
    seconds: float
    direction: Direction
    data: bytes
    begins_line: bool


class WireTrace:
    """Records whole reads, which costs almost nothing, and drops the oldest first."""

    def __init__(
        self,
        secrets: Iterable[str] = (),
        most_bytes: int = limits.TRACE_BYTES,
        on: bool = True,
        file: WireFile | None = None,
    ) -> None:
        self.on = on
        self._file = file  # gets everything, also while recording is off
        self._unwritten: dict[Direction, LineSplitter] = {}
        self.redaction = Redaction(secrets)
        self._most = most_bytes
        self._size = 0
        self._records: deque[_Record] = deque()
        self._count = 0  # of the records so far
        self._greeting: list[_Record] = []  # kept for good: a trace begins with initialize
        self._has_greeted = not on
        self._between_lines: dict[Direction, bool] = {}
        self._began = time.monotonic()

    def start(self) -> bool:
        """Start recording again; return False if the trace is on already. What was recorded before is dropped, except
        the first messages, because a record with a gap would look complete."""
        if self.on:
            return False
        self._records.clear()
        self._size = 0
        self._has_greeted = True
        self.on = True
        return True

    def stop(self) -> None:
        self.on = False

    def record(self, direction: Direction, data: bytes) -> None:
        begins_line = self._between_lines.get(direction, True)
        self._between_lines[direction] = data.endswith(b"\n")
        if self._file:
            self._write(direction, self._unwritten.setdefault(direction, LineSplitter()).feed(data))
        if not self.on:
            return
        record = _Record(time.monotonic() - self._began, direction, data, begins_line)
        self._records.append(record)
        self._count += 1
        self._keep_greeting(record)
        self._size += len(data) + limits.TRACE_RECORD_BYTES
        while self._size > self._most:
            self._size -= len(self._records.popleft().data) + limits.TRACE_RECORD_BYTES

    def _keep_greeting(self, record: _Record) -> None:
        """Keep everything up to the end of the agent's first line, the answer to initialize, unless it is too long."""
        if self._has_greeted:
            return
        _, answered, rest = record.data.partition(b"\n")
        self._has_greeted = record.direction == "<-" and bool(answered)
        if self._has_greeted and rest:
            record = record._replace(data=record.data[: -len(rest)])
        self._greeting.append(record)
        if sum(len(each.data) for each in self._greeting) > self._most // 4:
            self._greeting, self._has_greeted = [], True

    def close(self) -> None:
        """Write the unfinished last lines, too."""
        for direction, splitter in self._unwritten.items():
            self._write(direction, splitter.finish())
        self._unwritten.clear()

    def _write(self, direction: Direction, lines: list[bytes]) -> None:
        seconds = time.monotonic() - self._began
        if self._file and lines:
            self._file.write(b"".join(_encoded(self._entry(seconds, direction, line)) for line in lines))

    def entries(self) -> Iterator[dict[str, Any]]:
        """Yield an entry for each line of the wire: `t`, `dir` and `msg`, which is text if the line is no JSON
        object."""
        lost = self._greeting[: self._count - len(self._records)]
        for seconds, direction, line in chain(self._lines(lost), self._lines(tuple(self._records))):
            yield self._entry(seconds, direction, line)

    def save(self, path: str, over: bool = False) -> int:
        """Write the entries and return their number. The file is new and only its owner can read it; with `over` an
        existing file is overwritten and keeps its mode."""
        count = 0
        flags = os.O_WRONLY | os.O_CREAT | (os.O_TRUNC if over else os.O_EXCL)
        with os.fdopen(os.open(path, flags, 0o600), "wb") as file:
            for entry in self.entries():
                file.write(_encoded(entry))
                count += 1
        return count

    def _lines(self, records: Iterable[_Record]) -> Iterator[tuple[float, Direction, bytes]]:
        splitters: dict[Direction, LineSplitter] = {}
        seconds = 0.0
        for seconds, direction, data, begins_line in records:
            if direction not in splitters:
                if not begins_line:  # the line's head was given up: so is its rest
                    _, newline, data = data.partition(b"\n")
                    if not newline:
                        continue
                splitters[direction] = LineSplitter()
            for line in splitters[direction].feed(data):
                yield seconds, direction, line
        for direction, splitter in splitters.items():
            for line in splitter.finish():
                yield seconds, direction, line

    def _entry(self, seconds: float, direction: Direction, line: bytes) -> dict[str, Any]:
        return {"t": round(seconds, 6), "dir": direction, "msg": self._message(direction, line)}

    def _message(self, direction: Direction, line: bytes) -> Any:
        if direction != "stderr":
            try:
                message = json.loads(line)
                if isinstance(message, dict):
                    return self.redaction.value(message)
            except (ValueError, RecursionError):
                pass  # not a message: recorded as the text it is
        return self.redaction.text(line.decode(errors="replace"))


def _encoded(entry: dict[str, Any]) -> bytes:
    return json.dumps(entry, ensure_ascii=False).encode(errors="replace") + b"\n"
