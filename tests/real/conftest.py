"""Whole stories with the real agents that `make test-agents` has installed, in every Neovim.

Only that target plays them (ACP_REAL_AGENTS); the ordinary tests play what was recorded of them, tests/scenarios.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.functional.conftest import name, neovims
from tests.real.story import Story
from tests.tools import agents

collect_ignore_glob = [] if os.environ.get("ACP_REAL_AGENTS") else ["test_*"]


def wanted() -> list[str]:
    """Those that ACP_REAL_AGENTS names, or all."""
    named = os.environ.get("ACP_REAL_AGENTS", "").replace(",", " ").split()
    return sorted(agents.recipes()) if named in ([], ["all"]) else named


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "program" in metafunc.fixturenames:
        metafunc.parametrize("program", neovims(), ids=name, scope="session")
    if "agent" in metafunc.fixturenames:
        metafunc.parametrize("agent", wanted())


@pytest.fixture(scope="session")
def model() -> Iterator[str]:
    """The address of the scripted model."""
    command = [sys.executable, "-m", "tests.real.model"]
    with subprocess.Popen(command, cwd=agents.ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        yield f"http://127.0.0.1:{process.stdout.readline().strip()}"
        process.terminate()


@pytest.fixture
def start(
    program: Path, agent: str, model: str, tmp_path: Path, request: pytest.FixtureRequest
) -> Iterator[Callable[..., Story]]:
    if why := agents.why_not(agent):
        pytest.skip(f"{agent}: {why}")
    with ExitStack() as opened:

        def start(**options: Any) -> Story:
            story = Story(program, agent, model, tmp_path, **options)
            opened.callback(story.close, request.node.originalname)
            return story

        yield start


@pytest.fixture
def story(start: Callable[..., Story]) -> Story:
    """One session with the agent, ready, its chat on the screen."""
    return start().ready()
