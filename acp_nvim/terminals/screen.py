"""Keeps what the user sees of one terminal, ours or the agent's own: the end of its output, readable as long as its
session exists, and how much of it the terminal buffer has got."""

from __future__ import annotations

import codecs

from acp_nvim import limits
from acp_nvim.session.session import Session
from acp_nvim.terminals.colours import Colours
from acp_nvim.terminals.output_tail import Tail

_PLAIN, _DIM = "\x1b[0m", "\x1b[0;2m"


class Screen:
    def __init__(self, session: Session, terminal_id: str) -> None:
        self.session, self.id = session, terminal_id
        self.status: str | None = None  # how it ended
        self.exit_code: int | None = None  # of a command of ours
        self.signal = ""  # that ended a command of ours
        self.is_ours = False  # its command will tell how it ended
        self.viewer: int | None = None  # the buffer that is fed
        self.fed = False  # a task feeds it now
        self.tail = Tail(limits.TERMINAL_SCREEN_BYTES)
        self._shown = 0  # bytes that the buffer has, or has missed
        self._told: str | None = None
        self._restart()

    def write(self, data: bytes) -> None:
        self.tail.feed(data)

    def text(self) -> str:
        """Return the text as a screen shows it: lines after a carriage return overwrite what was there."""
        text = self.tail.text(ended=self.status is not None)[0]
        if "\r" not in text:
            return text
        return "\n".join(line.rstrip("\r").rpartition("\r")[2] for line in text.split("\n"))

    def show_in(self, buffer: int) -> None:
        """Show it again from the beginning of what is kept."""
        self.viewer = buffer
        self._restart()

    @property
    def has_news(self) -> bool:
        """Whether the terminal buffer has not got all of the output yet."""
        return self._shown < self.tail.total or self._told != self.status

    def take(self) -> str:
        """Return the next piece for the buffer. When too much waits, only the newest output and a note about the
        rest."""
        first, data = self.tail.since(self._shown, limits.TERMINAL_FEED_BYTES)
        skipped, self._shown = first - self._shown, first + len(data)
        at_end = self._shown == self.tail.total
        if not skipped:
            return self._paint(data, at_end) + (self._end() if at_end else "")
        self._decoder, self._colours = _decoder(), Colours()
        data = data[data.find(b"\n") + 1 :]
        note = f"{_PLAIN}\r\n{_DIM}… {skipped:,} bytes left out{_PLAIN}\r\n"
        return note + self._paint(data, at_end) + (self._end() if at_end else "")

    def _restart(self) -> None:
        self._shown, self._told = 0, None
        self._decoder, self._colours = _decoder(), Colours()

    def _paint(self, data: bytes, at_end: bool) -> str:
        return self._colours.feed(self._decoder.decode(data, at_end and self.status is not None))

    def _end(self) -> str:
        if self._told == self.status:
            return ""
        self._told = self.status
        return f"{_PLAIN}\r\n{_DIM}[{self.status}]{_PLAIN}\r\n"


def _decoder() -> codecs.IncrementalDecoder:
    return codecs.getincrementaldecoder("utf-8")("replace")
