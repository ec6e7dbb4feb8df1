"""Recognizes the user's prompt when the agent sends it back: the chat shows it already."""

from __future__ import annotations


class PromptEchoes:
    """The echoes that may still come of what was sent in this turn: the prompt, and words that steer."""

    def __init__(self) -> None:
        self._echoes: list[PromptEcho] = []

    def __bool__(self) -> bool:
        return bool(self._echoes)

    def expect(self, prompt: str, report: str = "") -> None:
        self._echoes.append(PromptEcho(prompt, report))

    def clear(self) -> None:
        self._echoes.clear()

    def take(self, piece: str) -> str:
        """Return what of a piece of the user's words is no echo. Another text of the user ends all echoes."""
        if any(echo.takes(piece) for echo in self._echoes):
            return ""
        text = "".join(echo.held_back() for echo in self._echoes) + piece
        self.clear()
        return text


class PromptEcho:
    """Compares the echo with the prompt, piece by piece, ignoring white space."""

    def __init__(self, prompt: str, report: str = "") -> None:
        """`report` was sent before the prompt, and not every agent sends it back."""
        self._bare = _flat(prompt)
        self._prompt = _flat(f"{report} {prompt}")
        self._at = 0
        self._taken: list[str] = []

    def takes(self, piece: str) -> bool:
        """Whether `piece` continues the prompt; if not, it is another text of the user."""
        bare = _flat(piece)
        start = self._next()
        if not self._at and bare and not self._prompt.startswith(bare):
            self._prompt, start = self._bare, 0
        if not self._prompt.startswith(bare, start):
            return False
        self._at = start + len(bare)
        self._taken.append(piece)
        return True

    def held_back(self) -> str:
        """Return what was taken for an echo but was the beginning of another text."""
        return "".join(self._taken) if self._next() < len(self._prompt) else ""

    def _next(self) -> int:
        at = self._at
        while at < len(self._prompt) and self._prompt[at].isspace():
            at += 1
        return at


def _flat(text: str) -> str:
    return " ".join(text.split())
