"""Which agents and commands live, in a file that Neovim reads should we die.

A message would not do: Neovim takes up none at a hit-enter prompt, and drops what it has not taken up of a channel that
is closed.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable

log = logging.getLogger(__name__)


def write(path: str | None, leaders: Iterable[int]) -> None:
    """Each leads a session of the system's. `path`: in a folder of Neovim's for its user alone."""
    if path is None:
        return
    beside = f"{path}.new"
    try:
        with open(beside, "w") as file:
            file.write("".join(f"{leader}\n" for leader in leaders))
        os.replace(beside, path)
    except OSError as error:
        log.warning("what Neovim would have to end is not written down: %s", error)
