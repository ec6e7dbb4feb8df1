"""Alt and a digit, as real terminals send it, answers in the prompt."""

import fcntl
import os
import pty
import struct
import subprocess
import termios
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from tests.fakes.script import on_prompt, permission, script
from tests.functional.editor import Editor
from tests.steps.conversation import expect_key, open_chat

Open = Callable[..., Editor]
ENCODINGS = {"escape": b"\x1b1", "csi-u": b"\x1b[49;3u", "other-keys": b"\x1b[27;3;49~"}


@contextmanager
def terminal(program: Path, address: str) -> Iterator[int]:
    """A terminal with Neovim's own screen in it; what is written there has been typed."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 160, 0, 0))
    environment = {
        "TERM": "xterm-256color",
        "PATH": os.environ["PATH"],
        "HOME": str(Path(address).parent),
        "LANG": "C.UTF-8",
    }
    process = subprocess.Popen(
        [program, "--server", address, "--remote-ui"],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env=environment,
        start_new_session=True,
    )
    os.close(theirs)

    def drain() -> None:
        with suppress(OSError):  # the terminal is gone
            while os.read(ours, 65536):
                pass

    reader = threading.Thread(target=drain, daemon=True)
    reader.start()
    try:
        yield ours
    finally:
        process.terminate()
        process.wait()
        reader.join(5)
        os.close(ours)


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_alt_and_a_digit_answers(open_editor: Open, tmp_path: Path, program: Path, encoding: str) -> None:
    agent = script(tmp_path, on_prompt("", permission("run it")))
    editor = open_chat(open_editor, agent, size=(160, 40))
    with terminal(program, editor.address) as keyboard:
        editor.expect_lua("return #vim.api.nvim_list_uis()", 2)
        os.write(keyboard, b"igo\x13")
        editor.wait_event("AcpQuestion")
        expect_key(editor, "<M-1>")
        os.write(keyboard, ENCODINGS[encoding])
        assert editor.wait_event("AcpAnswered")["option_id"] == "yes"
        assert editor.lua("return vim.fn.mode()") == "i"
