"""What was refused or undone, and is asked back, is written."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.fakes.script import on_prompt, script, tool, wait_until
from tests.functional.editor import Editor
from tests.functional.screen import PATIENCE
from tests.steps.conversation import expect_answerable, is_lit
from tests.steps.files import LINES, NOTES, read, read_disk, write
from tests.steps.proposals import (
    NEW,
    ask_edit,
    expect_closed,
    make_diff,
    open_diff,
    open_old,
    write_through,
)

Open = Callable[..., Editor]
LEFT = NEW.replace("TEN\n", "line 10\n")


@pytest.mark.parametrize("reads", [False, True])
@pytest.mark.parametrize("is_open", [True, False])
@pytest.mark.parametrize("how", ["refused", "undone"])
def test_a_yes_to_what_was_refused_is_carried_out(
    open_editor: Open, tmp_path: Path, how: str, is_open: bool, reads: bool
) -> None:
    again = (
        *[read(NOTES)] * reads,
        ask_edit(make_diff(old=LEFT, new=NEW), toolCallId="again"),
        write(NOTES, NEW),
        tool("again", known=True, status="completed"),
    )
    agent = script(tmp_path, on_prompt("edit", *write_through()), on_prompt("", *again))
    editor = open_old(open_editor, agent)
    if not is_open:
        editor.type(":enew | bwipeout! notes.txt<CR>")
    open_diff(editor)
    if how == "refused":
        editor.type("10Gdo")
        expect_answerable(editor)
    editor.type(":w<CR>")
    editor.wait_event("AcpTurnEnded")
    expect_closed(editor)
    if how == "undone":
        wait_until(lambda: read_disk(editor) == NEW)
        editor.type(":edit notes.txt<CR>")
        editor.expect_lua("return #require('acp_nvim').changes({ all = true })", 1)
        editor.type("10G:Acp undo<CR>")
    wait_until(lambda: read_disk(editor) == LEFT)
    editor.acp("prompt", "put it back")
    editor.wait_event("AcpQuestion")
    editor.type(":Acp<CR>")

    def is_answered() -> bool:  # the diff opens by itself meanwhile: a key may have come too soon
        if len(editor.events("AcpAnswered")) < 2 and is_lit(editor.screen):
            editor.type("<M-1>")
        return len(editor.events("AcpAnswered")) == 2

    wait_until(is_answered, PATIENCE)
    editor.wait_event("AcpTurnEnded", turn=2)
    wait_until(lambda: read_disk(editor) == NEW)


@pytest.mark.parametrize("is_open", [True, False])
def test_what_the_user_asks_back_is_written_without_a_question(
    open_editor: Open, tmp_path: Path, is_open: bool
) -> None:
    """The agent was told of the hunk, and of no other line: one that the user has added meanwhile stays."""
    agent = script(tmp_path, on_prompt("edit", *write_through()), on_prompt("", write(NOTES, NEW)))
    editor = open_old(open_editor, agent)
    open_diff(editor)
    editor.type(":w<CR>")
    editor.wait_event("AcpTurnEnded")
    expect_closed(editor)
    editor.type(":edit notes.txt<CR>")
    editor.expect_lua("return #require('acp_nvim').changes({ all = true })", 1)
    editor.type("10G:Acp undo<CR>")
    wait_until(lambda: read_disk(editor) == LEFT)
    editor.type("5Gomine<Esc>:w<CR>")
    wait_until(lambda: "mine" in read_disk(editor))
    if not is_open:
        editor.type(":enew | bwipeout! notes.txt<CR>")
    editor.acp("prompt", "put it back after all")
    editor.wait_event("AcpTurnEnded", turn=2)
    wanted = NEW.replace("line 5\n", "line 5\nmine\n")
    wait_until(lambda: read_disk(editor) == wanted)
    if is_open:
        editor.expect_lua(LINES, wanted.splitlines())


def test_what_is_asked_back_is_written_also_by_an_agent_that_reads_the_file_again(
    open_editor: Open, tmp_path: Path
) -> None:
    again = on_prompt("", read(NOTES), write(NOTES, NEW))
    agent = script(tmp_path, on_prompt("edit", *write_through()), again)
    editor = open_old(open_editor, agent)
    open_diff(editor)
    editor.type(":w<CR>")
    editor.wait_event("AcpTurnEnded")
    expect_closed(editor)
    editor.type("10G:Acp undo<CR>")
    wait_until(lambda: read_disk(editor) == LEFT)
    editor.acp("prompt", "put it back after all")
    editor.wait_event("AcpTurnEnded", turn=2)
    editor.expect_lua(LINES, NEW.splitlines())
    assert read_disk(editor) == NEW
