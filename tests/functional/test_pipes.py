"""A pipe, or a device, where there was a file: nobody waits for who holds its other end."""

import hashlib
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.fakes.script import mark, on_prompt, script, tool, wait_file, wait_until
from tests.functional.editor import Editor
from tests.steps.files import get_answers, open_notes, read, write

Open = Callable[..., Editor]


def test_a_pipe_in_the_place_of_an_open_file_stops_nobody(open_editor: Open, tmp_path: Path) -> None:
    """Of a file without a last line end the disk is asked whether it has got one."""
    go = tmp_path / "go"
    notes = "{cwd}/notes.txt"
    agent = script(
        tmp_path,
        on_prompt(
            "", read(notes), mark("read"), wait_file(str(go)), read(notes), write(notes, "new\n"), read(notes)
        ),
    )
    editor = open_notes(open_editor, agent, text="one\ntwo")
    editor.acp("prompt", "read")
    wait_until(lambda: agent.logged("mark"))
    (editor.project / "notes.txt").unlink()
    os.mkfifo(editor.project / "notes.txt")
    go.touch()
    editor.wait_event("AcpTurnEnded")
    first, *later = get_answers(agent)
    assert first == {"content": "one\ntwo"}
    assert ["not a" in answer["message"] for answer in later] == [True] * 3
    editor.type("Ax<Esc>")
    editor.expect_lua("return vim.fn.getline(1)", "onex")


@pytest.mark.parametrize("kind", ["pipe", "pipe that is read"])
def test_a_pipe_in_the_place_of_the_history_stops_nobody(
    open_editor: Open, tmp_path: Path, kind: str
) -> None:
    agent = script(tmp_path)
    mine = {"command": agent.argv[0], "args": agent.argv[1:]}
    editor = open_editor(setup={"agents": {"mine": mine}})
    state = Path(editor.lua("return vim.fn.stdpath('state')")) / "acp_nvim/history"
    state.mkdir(parents=True)
    name = hashlib.sha256(str(editor.project.resolve()).encode()).hexdigest()[:32]
    os.mkfifo(state / f"{name}.jsonl")
    reader = os.open(state / f"{name}.jsonl", os.O_RDONLY | os.O_NONBLOCK) if kind != "pipe" else None
    editor.type(":Acp<CR>")
    editor.wait_event("AcpSessionStarted")
    editor.type("ihello<Esc><CR>")
    editor.wait_event("AcpTurnEnded")
    assert len(agent.got("session/prompt")) == 1
    editor.expect_lua("return vim.fn.execute('messages'):match('attempt to')", None)
    if reader is not None:
        assert os.read(reader, 100) == b""  # nobody has written there, or still could
        os.close(reader)


@pytest.mark.skipif(not os.path.exists("/proc/self"), reason="this system has no /proc")
def test_what_the_system_makes_up_is_not_followed(open_editor: Open, tmp_path: Path) -> None:
    """`/proc/kmsg` is a regular file by its mode, and has no end."""
    place = [{"path": "/proc/version"}], [{"path": "{cwd}/other.txt", "line": 3}]
    go = tmp_path / "go"
    first, second = (
        tool(f"r{number}", title="Read", kind="read", status="completed", locations=each)
        for number, each in enumerate(place)
    )
    agent = script(tmp_path, on_prompt("", first, wait_file(str(go)), second))
    editor = open_notes(open_editor, agent, size=(140, 40))
    (editor.project / "other.txt").write_text("".join(f"line {n}\n" for n in range(1, 9)))
    editor.type(":Acp follow<CR>:Acp<CR>")
    editor.expect_lua("return require('acp_nvim').status().following")
    editor.acp("prompt", "look")
    editor.screen.expect("version: it is a system file without a size")
    go.touch()
    editor.screen.expect("line 3")
    assert editor.lua("return vim.fn.bufnr('/proc/version')") == -1
