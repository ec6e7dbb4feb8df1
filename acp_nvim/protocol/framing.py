"""Splits bytes into lines: one message is one line, ended only by "\\n" (U+2028 is text)."""

from io import BytesIO

from acp_nvim import limits


class LineSplitter:
    """Collects bytes however they come and gives complete lines, without line ends and without blank ones.

    A line longer than the limit is dropped up to its newline; `dropped` keeps its first bytes for the log.
    """

    def __init__(self, limit: int = limits.LINE_BYTES) -> None:
        self.limit = limit
        self.dropped: list[bytes] = []
        # BytesIO grows geometrically and getvalue() hands its buffer over: a line of 20 MB is copied once.
        self._held = BytesIO()
        self._too_long = False

    def feed(self, data: bytes) -> list[bytes]:
        first, *lines = data.split(b"\n")
        self._hold(first)
        if not lines:
            return []
        rest = lines.pop()
        if len(data) > self.limit:
            lines = [self._within_limit(line) for line in lines]
        lines.insert(0, self._take())
        self._hold(rest)
        return _without_ends(lines)

    def finish(self) -> list[bytes]:
        """Return what is left at the end of the stream as a line."""
        return _without_ends([self._take()])

    def _hold(self, piece: bytes) -> None:
        if self._too_long:
            return
        if self._held.tell() + len(piece) <= self.limit:
            self._held.write(piece)
            return
        self._too_long = True
        self.dropped.append(
            (self._held.getvalue()[: limits.BAD_LINE_BYTES] + piece[: limits.BAD_LINE_BYTES])[
                : limits.BAD_LINE_BYTES
            ]
        )
        self._held = BytesIO()

    def _take(self) -> bytes:
        held, too_long = self._held, self._too_long
        self._held, self._too_long = BytesIO(), False
        return b"" if too_long else held.getvalue()

    def _within_limit(self, line: bytes) -> bytes:
        if len(line) <= self.limit:
            return line
        self.dropped.append(line[: limits.BAD_LINE_BYTES])
        return b""


def _without_ends(lines: list[bytes]) -> list[bytes]:
    return [line for ended in lines if (line := ended.rstrip(b"\r")) and not line.isspace()]
