"""Backends that are ready at once: an import is most of what a Neovim costs a test, so it is done once.

Tests that are about the start or the death of the backend's process are marked as `cold` and have their own.
"""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.functional.editor import ROOT

SERVER, STUB = (ROOT / "tests/fakes" / name for name in ("backend_server.py", "backend_stub.py"))


@contextmanager
def warm_backends() -> Iterator[str]:
    """Yield the program that Neovim is to start as its `python`."""
    folder = Path(tempfile.mkdtemp(prefix="acp"))  # a socket's path has to be short
    address, python = folder / "backends", folder / "python"
    stub = shlex.join([sys.executable, "-I", "-S", str(STUB), str(address)])
    python.write_text(f'#!/bin/sh\nexec {stub} "$@"\n')
    python.chmod(0o755)
    with subprocess.Popen(
        [sys.executable, "-I", SERVER, address], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as server:
        assert server.stdout
        assert server.stdout.readline() == b"ready\n"
        yield str(python)
    shutil.rmtree(folder)
