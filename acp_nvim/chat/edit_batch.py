"""Collects the edits of one flush, up to a bound of lines and characters."""

from __future__ import annotations

from acp_nvim.chat.splice import Mark, Op


class EditBatch:
    """The edits of one flush. A block is never divided, so the first one may be larger than the bound."""

    def __init__(self, lines: int, chars: int) -> None:
        self.lines, self.chars = lines, chars
        self.ops: list[Op] = []
        self._text: list[str] = []
        self._marks: list[Mark] = []

    @property
    def has_room(self) -> bool:
        return self.lines > 0 and self.chars > 0

    def splice(self, op: Op) -> bool:
        """False if it must wait."""
        lines = op[3] if op[0] == "splice" else ()
        if not self._takes(op[2] - op[1] + len(lines), sum(map(_weight, lines))):
            return False
        self.ops.append(op)
        return True

    def append(self, text: str, new: list[Mark], lines: int) -> bool:
        """False if it must wait."""
        if not self._takes(lines, _weight(text)):
            return False
        self._text.append(text)
        self._marks += new
        return True

    def _takes(self, lines: int, chars: int) -> bool:
        if (lines > self.lines or chars > self.chars) and (self.ops or self._text):
            return False
        self.lines -= lines
        self.chars -= chars
        return True

    def end(self) -> list[Op]:
        if self._text:
            self.ops.append(["append", "".join(self._text), self._marks])
        return self.ops


def _weight(text: str) -> int:
    """Estimate the bytes of a text quickly."""
    return len(text) if text.isascii() else 4 * len(text)


def piece(text: str, offset: int, lines: int, chars: int) -> str:
    """Cut a text to what a frame takes: at most `lines` line ends, and less text if characters take more bytes."""
    taken = text[offset : offset + chars]
    if not taken.isascii():
        taken = taken[: max(1, chars // 4)]
    if taken.count("\n") > lines:
        taken = "\n".join(taken.split("\n", lines)[:lines]) + "\n"
    return taken
