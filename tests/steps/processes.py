"""Steps with the processes behind Neovim."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager

from tests.agent.processes import parent
from tests.functional.editor import Editor, command_line


def find_backend(editor: Editor) -> int:
    """Return the pid of the backend that `:Acp` has started as a job."""
    # what it starts looks like it for a moment
    jobs = (pid for pid in editor.pids() if parent(pid) == editor.pid)
    (found,) = (pid for pid in jobs if command_line(pid).endswith("-m acp_nvim "))
    assert "backend_stub" not in command_line(found), "not the backend: mark the test as `cold`"
    return found


def find_python(editor: Editor) -> str:
    """Return the interpreter of the backend, as Neovim has started it."""
    return command_line(find_backend(editor)).split()[1]


@contextmanager
def stopped(pid: int) -> Iterator[None]:
    """Hold a process: it neither reads nor answers."""
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)
