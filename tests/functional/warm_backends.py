"""Backends that are ready at once: an import is most of what a Neovim costs a test, so it is done once.

Tests that are about the start or the death of the backend's process are marked as `cold` and have their own.
"""

from __future__ import annotations

import py_compile
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.functional.editor import ROOT

SERVER = ROOT / "tests/fakes/backend_server.py"
# Compiled, because Python compiles the file that it is to run anew with each start.
STUB = py_compile.compile(str(ROOT / "tests/fakes/backend_stub.py"), doraise=True)


@contextmanager
def warm_backends() -> Iterator[str]:
    """Yield the program that Neovim is to start as its `python`."""
    folder = Path(tempfile.mkdtemp(prefix="acp"))  # a socket's path has to be short
    address, python = folder / "backends", folder / "python"
    stub = shlex.join([sys.executable, "-I", "-S", STUB, str(address)])
    python.write_text(f'#!/bin/sh\nexec {stub} "$@"\n')
    python.chmod(0o755)
    with subprocess.Popen(
        [sys.executable, "-I", SERVER, address], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as server:
        assert server.stdout
        assert server.stdout.readline() == b"ready\n"
        yield str(python)
    shutil.rmtree(folder)
