"""Refused hunks of an agent that writes the disk itself do not stay there, however often it writes them."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.fakes.script import ask, mark, on_prompt, script, tool, wait_file, wait_until, write_file
from tests.functional.editor import Editor
from tests.steps.files import LINES, NOTES, get_answers, read_disk
from tests.steps.port import Port
from tests.steps.processes import stopped
from tests.steps.proposals import MIXED, NEW, ask_edit, decide_mixed, get_outcomes, open_diff, open_old

Open = Callable[..., Editor]
DONE = tool("call", known=True, status="completed")


@pytest.mark.parametrize("when", ["at once", "when it was taken back", "when the call has ended"])
def test_a_text_that_is_written_twice(open_editor: Open, tmp_path: Path, when: str) -> None:
    """Agents that format or check their own edit write the whole of it again."""
    go = tmp_path / "go"
    again = {
        "at once": [write_file(NOTES, NEW), write_file(NOTES, NEW), DONE],
        "when it was taken back": [
            write_file(NOTES, NEW),
            mark("written"),
            wait_file(str(go)),
            write_file(NOTES, NEW),
            DONE,
        ],
        "when the call has ended": [
            write_file(NOTES, NEW),
            DONE,
            mark("written"),
            wait_file(str(go)),
            write_file(NOTES, NEW),
        ],
    }[when]
    agent = script(tmp_path, on_prompt("edit", ask_edit(), *again))
    editor = open_old(open_editor, agent)
    open_diff(editor)
    decide_mixed(editor)
    if when == "when the call has ended":
        wait_until(lambda: read_disk(editor) == MIXED)
    elif when != "at once":
        wait_until(lambda: agent.logged("mark"))
    go.touch()
    editor.wait_event("AcpTurnEnded")
    assert read_disk(editor) == MIXED
    editor.expect_lua(LINES, MIXED.splitlines())


@pytest.mark.parametrize("unsaved", [False, True])
def test_a_text_that_comes_to_the_disk_under_a_write_through_us(
    open_editor: Open, tmp_path: Path, unsaved: bool
) -> None:
    """opencode writes through us and, without waiting for the answer, the disk: here while Neovim is busy."""
    port = Port(tmp_path)
    begin, go, end = tmp_path / "begin", tmp_path / "go", tmp_path / "end"
    through = ask("fs/write_text_file", {"sessionId": "{session}", "path": NOTES, "content": NEW})
    on_disk = [wait_file(str(go)), write_file(NOTES, NEW), mark("written"), wait_file(str(end)), DONE]
    agent = script(tmp_path, on_prompt("edit", ask_edit(), wait_file(str(begin)), through, *on_disk))
    editor = open_old(open_editor, agent, setup={"python": port.python})
    mine = "mine\n" if unsaved else ""
    if unsaved:
        editor.type("Gomine<Esc>")
    open_diff(editor)
    decide_mixed(editor)
    wait_until(lambda: get_outcomes(agent))
    with stopped(editor.pid):
        begin.touch()
        wait_until(lambda: any("document_write" in each.names for each in port.messages()))
        go.touch()
        wait_until(lambda: agent.logged("mark"))
    wait_until(lambda: {} in get_answers(agent))
    end.touch()
    editor.wait_event("AcpTurnEnded")
    editor.expect_lua(LINES, (MIXED + mine).splitlines())
    editor.type("<C-w>t:write<CR>")
    wait_until(lambda: read_disk(editor) == MIXED + mine)
