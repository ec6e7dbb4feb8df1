"""Recognizes the user's prompt when the agent sends it back: the chat shows it already."""

from __future__ import annotations


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
