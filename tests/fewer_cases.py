"""What `make test` leaves to `make test-all`: of a test with many cases in a Neovim most, and on older Neovims most of
what the newest one runs anyway."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

import pytest

CASES = 2  # of one function on the newest Neovim
STEP = 8  # functions of a module, of which an older Neovim runs one


def cases_to_leave(items: Iterable[Any]) -> set[pytest.Item]:
    """Return what is neither of these: on the newest Neovim two cases of each function, the first and the last;
    on older ones the first case of every eighth function of a module; what is marked `every_nvim`; and what runs
    in no Neovim.
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
            if program == programs[max(programs)]:
                left.update(set(cases) - set(_spread(cases)))
            else:
                left.update(cases if number % STEP else cases[1:])
    return left


def _spread(cases: Sequence[Any]) -> Sequence[Any]:
    if len(cases) <= CASES:
        return cases
    return [cases[number * (len(cases) - 1) // (CASES - 1)] for number in range(CASES)]


def _parameters(item: Any) -> dict[str, Any]:
    return item.callspec.params if hasattr(item, "callspec") else {}
