"""Refused hunks of an agent that writes the disk itself do not stay there, however often it writes them."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.fakes.script import mark, on_prompt, script, tool, wait_file, wait_until, write_file
from tests.functional.editor import Editor
from tests.steps.files import LINES, NOTES, read_disk
from tests.steps.proposals import MIXED, NEW, ask_edit, decide_mixed, open_diff, open_old

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
