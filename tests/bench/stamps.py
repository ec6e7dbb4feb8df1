"""The backend with a clock at its doors, for `chunk_latency.py`: a stamp is a line `name seconds` in BENCH_STAMPS."""

import os
import time
from collections.abc import Callable
from typing import Any

from acp_nvim import entrance
from acp_nvim.agent.connection import Connection
from acp_nvim.editor.neovim import Neovim

OUT = os.open(os.environ["BENCH_STAMPS"], os.O_WRONLY | os.O_CREAT | os.O_APPEND)


def stamp(name: str) -> None:
    os.write(OUT, f"{name} {time.monotonic()}\n".encode())


def stamped(owner: Any, method: str, before: str = "", after: str = "") -> None:
    real: Callable[..., Any] = getattr(owner, method)

    def call(self: Any, *arguments: Any) -> Any:
        if before:
            stamp(before)
        result = real(self, *arguments)
        if after:
            stamp(after)
        return result

    setattr(owner, method, call)


if __name__ == "__main__":
    stamped(Connection, "_receive", before="read", after="applied")
    stamped(Neovim, "_batch", before="drawn")
    stamped(Neovim, "_send", before="sent")
    entrance.main()
