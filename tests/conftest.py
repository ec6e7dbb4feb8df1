"""Settings that all tests share."""

import gc
import os
from collections.abc import Generator
from typing import Any

import pytest
from hypothesis import settings

from tests.contract import is_contract
from tests.fewer_cases import cases_to_leave

LEFT = pytest.StashKey[int]()

# Smaller in `make check`, so that it stays quick; ACP_HYPOTHESIS=thorough digs deeper.
settings.register_profile("glance", max_examples=8, deadline=None)
settings.register_profile("quick", max_examples=30, deadline=None)
settings.register_profile("thorough", max_examples=2000, deadline=None)
settings.load_profile(os.environ.get("ACP_HYPOTHESIS", "quick"))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """What is collected stays to the end: looking for garbage among it takes a tenth of `make check`."""
    gc.disable()
    collected = yield
    gc.freeze()
    gc.enable()
    return collected


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> Generator[None, object, object]:
    if (
        "contract" in config.option.markexpr
    ):  # else every test module is parsed for the mark, in every process
        for item in items:
            if isinstance(item, pytest.Function) and is_contract(item.path, item.function.__name__):
                item.add_marker("contract")
    to_leave = cases_to_leave(items) if os.environ.get("ACP_FEWER_CASES") else set()
    done = yield  # -k and -m have chosen now
    left = [item for item in items if item in to_leave]
    items[:] = [item for item in items if item not in to_leave]
    config.hook.pytest_deselected(items=left)
    config.stash[LEFT] = getattr(config, "workeroutput", {})["left"] = len(left)
    return done


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Take the number from one of xdist's processes: they have collected the same."""
    node.config.stash[LEFT] = getattr(node, "workeroutput", {}).get("left", 0)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    if left := config.stash.get(LEFT, 0):
        terminalreporter.write_line(f"{left} cases are left to `make test-all`")
