"""Real Neovims as in tests/functional: all of them in `make chaos` and `make soak`, else the newest."""

import os
import sys
from pathlib import Path

import pytest

from tests.functional.conftest import compiled_lua, manifest, name, neovims, open_editor

__all__ = ["compiled_lua", "manifest", "open_editor"]


@pytest.fixture
def bytecode(compiled_lua: Path) -> Path:
    return compiled_lua


@pytest.fixture
def jit() -> bool:
    return True


@pytest.fixture
def python() -> str:
    """Each backend is a process as users have it: many are killed here."""
    return sys.executable


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "program" in metafunc.fixturenames:
        every = "ACP_CHAOS" in os.environ or "ACP_SOAK" in os.environ
        metafunc.parametrize("program", neovims()[0 if every else -1 :], ids=name, scope="session")
    if "backend" in metafunc.fixturenames:
        metafunc.parametrize("backend", ["job"], scope="session")
