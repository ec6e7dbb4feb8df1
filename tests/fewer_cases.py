"""What `make test` leaves to `make test-all`: of a test with many cases in a Neovim most, and on older Neovims most of
what the newest one runs anyway."""

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

import pytest

STEP = 16  # functions of a module, of which an older Neovim runs one


def cases_to_leave(items: Iterable[Any]) -> set[pytest.Item]:
    """Return what is neither of these: on the newest Neovim the first case of each function; on older ones that of
    every sixteenth function of a module; what is marked `every_nvim`; and what runs in no Neovim.
    """
    on_neovim = [item for item in items if "program" in _parameters(item)]
    programs = {item.callspec.indices["program"]: item.callspec.params["program"] for item in on_neovim}
    modules: defaultdict[tuple[object, str], dict[str, list[Any]]] = defaultdict(lambda: defaultdict(list))
    for item in on_neovim:
        modules[item.path, item.callspec.params["program"]][item.originalname].append(item)
    left: set[pytest.Item] = set()
    for (_, program), functions in modules.items():
        for number, cases in enumerate(functions.values()):
            if cases[0].get_closest_marker("every_nvim"):
                continue
            is_run = program == programs[max(programs)] or number % STEP == 0
            left.update(cases[1:] if is_run else cases)
    return left


def _parameters(item: Any) -> dict[str, Any]:
    return item.callspec.params if hasattr(item, "callspec") else {}
