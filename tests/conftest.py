"""Settings that all tests share."""

import gc
import os
from collections.abc import Generator

import pytest
from hypothesis import settings

from tests.contract import is_contract

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


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if "contract" not in config.option.markexpr:
        return  # every test module is parsed for the mark, in every process of pytest
    for item in items:
        if isinstance(item, pytest.Function) and is_contract(item.path, item.function.__name__):
            item.add_marker("contract")
