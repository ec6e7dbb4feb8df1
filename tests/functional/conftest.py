"""Functional tests run on every Neovim, and where they say so on both backends."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.agent.processes import HAS_PROC
from tests.functional.editor import ROOT, Editor
from tests.functional.screen import Screen
from tests.functional.warm_backends import warm_backends


def neovims() -> list[Path]:
    """Those of ACP_NVIMS, a list like PATH, or those that `make nvims` has brought.

    The latter are links, and without /proc a Neovim looks for its runtime files beside the name it was started by.
    """
    named = [Path(path) for path in os.environ.get("ACP_NVIMS", "").split(":") if path]
    found = named or sorted(path.resolve() for path in ROOT.glob(".nvim/*/bin/nvim"))
    if not found:
        raise pytest.UsageError("no Neovim: `make nvims` brings both, ACP_NVIMS=path:path names some")
    return found


@cache  # pytest asks for it with every test
def name(program: Path) -> str:
    """nvim-0.10"""
    said = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout
    return "nvim-" + ".".join(said.split()[1].lstrip("v").split(".")[:2])


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "program" in metafunc.fixturenames:
        metafunc.parametrize("program", neovims(), ids=name, scope="session")
    if "backend" in metafunc.fixturenames:
        both = metafunc.definition.get_closest_marker("backends")
        metafunc.parametrize("backend", ["job", "rplugin"] if both else ["job"], scope="session")


@pytest.fixture(scope="session")
def manifest(program: Path, backend: str, tmp_path_factory: pytest.TempPathFactory) -> Path | None:
    """What `:UpdateRemotePlugins` writes, which only the remote plugin needs."""
    if backend == "job":
        return None
    home = tmp_path_factory.mktemp("manifest")
    path = home / "rplugin.vim"
    on_path = "lua vim.opt.runtimepath:prepend(vim.env.ACP_TEST_ROOT)"
    host = "let g:python3_host_prog = $ACP_TEST_PYTHON"
    clean = [program, "--headless", "-u", "NORC", "-i", "NONE", "-n"]
    subprocess.run(
        [*clean, "--cmd", on_path, "--cmd", host, "+UpdateRemotePlugins", "+qa!"],
        env={
            "PATH": os.environ["PATH"],
            "HOME": str(home),
            "NVIM_RPLUGIN_MANIFEST": str(path),
            "ACP_TEST_ROOT": str(ROOT),
            "ACP_TEST_PYTHON": sys.executable,
        },
        check=True,
        capture_output=True,
        timeout=60,
    )
    return path


@pytest.fixture(scope="session")
def warm_python() -> Iterator[str]:
    with warm_backends() as python:
        yield python


@pytest.fixture
def python(request: pytest.FixtureRequest, backend: str) -> str:
    """What Neovim starts the backend with. Warm ones need what only Linux has (SOCK_SEQPACKET, pidfd)."""
    is_cold = backend == "rplugin" or request.node.get_closest_marker("cold") or not HAS_PROC
    return sys.executable if is_cold else str(request.getfixturevalue("warm_python"))


COMPILE = """
vim.loader.enable()
for _, folder in ipairs({ vim.env.ACP_TEST_ROOT .. "/lua", vim.env.VIMRUNTIME .. "/lua/vim" }) do
  for _, file in ipairs(vim.fn.glob(folder .. "/**/*.lua", true, true)) do
    loadfile(file)
  end
end
"""


@pytest.fixture(scope="session")
def compiled_lua(program: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Modules of the plugin and of Neovim as bytecode: to compile them takes a fifth of what a chat costs a Neovim."""
    home = tmp_path_factory.mktemp("bytecode")
    subprocess.run(
        [program, "--clean", "--headless", "-n", "--cmd", f"lua {COMPILE}", "+qa!"],
        env={"HOME": str(home), "XDG_CACHE_HOME": str(home), "ACP_TEST_ROOT": str(ROOT)},
        check=True,
        capture_output=True,
        timeout=60,
    )
    return home / "nvim/luac"


@pytest.fixture
def bytecode(request: pytest.FixtureRequest) -> Path | None:
    """None for tests of a Neovim as users start it."""
    return None if request.node.get_closest_marker("cold") else request.getfixturevalue("compiled_lua")


@pytest.fixture
def jit(request: pytest.FixtureRequest) -> bool:
    """True for tests of a Neovim as users start it, and for those that measure it."""
    return any(map(request.node.get_closest_marker, ("cold", "alone")))


@pytest.fixture
def open_editor(
    program: Path,
    python: str,
    backend: str,
    manifest: Path | None,
    bytecode: Path | None,
    jit: bool,
    tmp_path: Path,
) -> Iterator[Callable[..., Editor]]:
    """`open_editor(setup={…}, init="lua", size=(columns, rows), env={…})`: as many as the test needs."""
    with ExitStack() as opened:
        count = iter(range(1000))

        def start(**options: Any) -> Editor:
            options.setdefault("python", python)
            options.setdefault("backend", backend)
            options.setdefault("bytecode", bytecode)
            options.setdefault("jit", jit)
            editor = Editor(program, tmp_path / f"editor-{next(count)}", manifest=manifest, **options)
            opened.callback(editor.close)
            return editor

        yield start


@pytest.fixture
def editor(open_editor: Callable[..., Editor]) -> Editor:
    """Neovim with the plugin as it comes, without a call of setup()."""
    return open_editor()


@pytest.fixture
def screen(editor: Editor) -> Screen:
    return editor.screen
