"""Keeps the last log messages with their times, for `:Acp log`."""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Iterable

from acp_nvim import limits
from acp_nvim.agent.redaction import Redaction
from acp_nvim.text.printable import visible

_LEVELS = {"debug": 10, "info": 20, "warn": 30, "error": 40}


class BackendLog(logging.Handler):
    """Collects messages, and what Python's logging reports of this package."""

    def __init__(self) -> None:
        super().__init__()
        self._lines: deque[str] = deque(maxlen=limits.LOG_LINES)
        self._least = _LEVELS["info"]
        self._hidden = Redaction(())
        logging.getLogger("acp_nvim").addHandler(self)

    def keep_from(self, name: str) -> None:
        self._least = _LEVELS.get(name, self._least)

    def hide(self, secrets: Iterable[str]) -> None:
        self._hidden = Redaction(secrets)

    def without_secrets(self, text: str) -> str:
        return self._hidden.text(text)

    def write(self, level: str, text: str) -> None:
        if _LEVELS.get(level, 40) >= self._least:
            stamp = time.strftime("%H:%M:%S")
            lines = self.without_secrets(text).split("\n")
            self._lines.extend(
                f"{stamp} {level:5} {visible(line[: limits.LOG_LINE_CHARS])}" for line in lines
            )

    def emit(self, record: logging.LogRecord) -> None:
        self.write(record.levelname.lower().replace("warning", "warn"), self.format(record))

    def lines(self) -> list[str]:
        return list(self._lines)
