"""What `make test` leaves to `make test-all`: on older Neovims most of what the newest one runs anyway."""

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

import pytest

STEP = 4


def cases_to_leave(items: Iterable[Any]) -> set[pytest.Item]:
    """Return the cases on older Neovims but for the first one of every fourth test function of a module.

    The first function of a module is among those that stay, and so is what is marked `every_nvim`.
    """
    on_neovim = [item for item in items if "program" in _parameters(item)]
    programs = {item.callspec.indices["program"]: item.callspec.params["program"] for item in on_neovim}
    left: set[pytest.Item] = set()
    functions: defaultdict[object, set[str]] = defaultdict(set)  # by module and Neovim
    for item in on_neovim:
        program = item.callspec.params["program"]
        if program == programs[max(programs)] or item.get_closest_marker("every_nvim"):
            continue
        seen = functions[item.path, program]
        if item.originalname in seen or len(seen) % STEP:
            left.add(item)
        seen.add(item.originalname)
    return left


def _parameters(item: Any) -> dict[str, Any]:
    return item.callspec.params if hasattr(item, "callspec") else {}
