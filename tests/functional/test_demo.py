"""`make demo` in a terminal, and what the welcome of the demo agent says."""

import fcntl
import os
import pty
import select
import struct
import termios
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pyte
import pytest

from tests.functional.editor import ROOT, Editor
from tests.functional.screen import PATIENCE

TRY = ["/tour  see all it does", "/edit  decide on a diff", "/help  what else to try"]


class Terminal:
    """A terminal with the demo in it."""

    def __init__(self, program: Path, folder: Path) -> None:
        self._screen = pyte.Screen(120, 36)
        self._stream = pyte.ByteStream(self._screen)
        environment = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
        environment |= {"HOME": str(folder), "TMPDIR": str(folder), "TERM": "xterm", "NVIM": str(program)}
        self.pid, self._terminal = pty.fork()
        if self.pid == 0:
            os.execve(ROOT / "tests/tools/demo.sh", ["demo.sh"], environment)
        fcntl.ioctl(self._terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 36, 120, 0, 0))

    def expect(self, *texts: str) -> None:
        """Wait until all of these are on the screen."""
        end = time.monotonic() + 3 * PATIENCE
        while not all(text in self.text() for text in texts):
            readable, _, _ = select.select([self._terminal], [], [], max(0.0, end - time.monotonic()))
            assert readable, f"{texts} is not on the screen\n{self.text()}"
            self._stream.feed(os.read(self._terminal, 65536))

    def text(self) -> str:
        return "\n".join(self._screen.display)

    def type(self, keys: str) -> None:
        os.write(self._terminal, keys.encode())

    def close(self) -> int:
        """Quit Neovim; the status with which the demo ends."""
        self.type("\x1b:qa!\r")
        try:
            while os.read(self._terminal, 65536):
                pass
        except OSError:  # Linux has no end of file for terminals
            pass
        os.close(self._terminal)
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


@pytest.fixture
def demo(program: Path, tmp_path: Path) -> Iterator[Terminal]:
    terminal = Terminal(program, tmp_path)
    yield terminal
    assert terminal.close() == 0
    assert list(tmp_path.glob("tmp*")) == [], "its scratch folder"


def test_the_demo_is_ready_to_type_in_a_small_project(demo: Terminal) -> None:
    demo.expect("def greet(name):", "-- INSERT --", *TRY)
    demo.type("/edit @gre\t\x13")  # Tab completes, Control-S sends
    demo.expect("▎/edit @greet.py", "I am the demo agent", "edit    greet.py  +2")


@pytest.mark.parametrize("columns", [48, 80, 120])
def test_no_command_that_the_demo_agent_names_is_broken(
    open_editor: Callable[..., Editor], columns: int
) -> None:
    editor = open_editor(setup={"default_agent": "demo"}, size=(columns, 40))
    editor.type(":Acp<CR>")
    editor.wait_event("AcpSessionStarted")
    editor.acp("prompt", "/write")
    editor.wait_event("AcpTurnEnded")
    for command in ("/help", ":Acp review"):
        editor.screen.expect(f"│ {command}")
    editor.acp("prompt", "/slow")
    editor.screen.expect("│ :Acp cancel")


def test_only_the_demo_agent_says_what_to_try(open_editor: Callable[..., Editor]) -> None:
    editor = open_editor(setup={"default_agent": "demo"}, size=(80, 24))
    editor.type(":Acp<CR>")
    for line in TRY:
        editor.screen.expect(line)
    editor.type(":Acp close<CR>")
    own = {"demo": {"command": "cat"}}
    editor = open_editor(setup={"default_agent": "demo", "agents": own}, size=(80, 24))
    editor.type(":Acp<CR>")
    editor.screen.expect("write a prompt")
    assert "/tour" not in editor.screen.text()
