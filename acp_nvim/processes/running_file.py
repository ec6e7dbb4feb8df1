"""Writes which agents and commands are running, to a file that Neovim reads if the backend dies.

A message would not do: Neovim handles none at a hit-enter prompt, and drops the rest when the channel is closed.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable

log = logging.getLogger(__name__)


def write(path: str | None, leaders: Iterable[int]) -> None:
    """Write the process numbers of the session leaders. `path` lies in a private folder of Neovim's."""
    if path is None:
        return
    beside = f"{path}.new"
    try:
        with open(beside, "w") as file:
            file.write("".join(f"{leader}\n" for leader in leaders))
        os.replace(beside, path)
    except OSError as error:
        log.warning("cannot record which processes Neovim would have to end: %s", error)
