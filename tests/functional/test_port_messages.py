"""How many messages the two halves exchange for one thing that the user or the agent does.

A message too many is most often a thing that both halves know: one asks the other what it has, hears that it has
changed, and asks anew. STORIES has what each story costs today beside what it shall cost; whoever makes one cheaper
lowers its number, and a number never goes up.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.script import mark, on_prompt, say, script, wait_file, wait_until
from tests.functional.editor import Editor
from tests.steps.conversation import expect_answerable, open_chat, send
from tests.steps.files import LINES, NOTES, open_notes, read, write
from tests.steps.port import Message, Port
from tests.steps.processes import find_backend, stopped
from tests.steps.proposals import DIFFS, open_diff, open_old, write_through
from tests.steps.review import CHANGED, PENDING, TEN, WAYS, start_review

Open = Callable[..., Editor]
Begun = tuple[Editor, Callable[[], None]]  # the editor just before the story, and the story
FOR_EVER = wait_file("/nowhere")
TICK = 100_000  # the changedtick of the file is above this, so that it is known where it stands in a message
LATER = f"""
  vim.api.nvim_create_autocmd('BufRead', {{ pattern = 'notes.txt', callback = function()
    local undolevels, line = vim.bo.undolevels, vim.fn.getline(1)
    vim.bo.undolevels = -1
    while vim.b.changedtick < {TICK} do vim.api.nvim_buf_set_lines(0, 0, 1, true, {{ line }}) end
    vim.bo.undolevels = undolevels
    vim.bo.modified = false
  end }})
"""


def say_a_chunk(open_editor: Open, folder: Path, port: Port) -> Begun:
    agent = script(
        folder, on_prompt("", say("begun"), wait_file(str(folder / "go")), say(" and more"), FOR_EVER)
    )
    editor = open_chat(open_editor, agent, setup={"python": port.python})
    send(editor, "hello")
    editor.screen.expect("begun")

    def story() -> None:
        (folder / "go").touch()
        editor.screen.expect("begun and more")

    return editor, story


def send_a_prompt(open_editor: Open, folder: Path, port: Port) -> Begun:
    agent = script(folder, on_prompt("", FOR_EVER))
    editor = open_chat(open_editor, agent, setup={"python": port.python})

    def story() -> None:
        send(editor, "hello")
        editor.wait_event("AcpTurnStarted")

    return editor, story


def write_into_a_modified_buffer(open_editor: Open, folder: Path, port: Port) -> Begun:
    steps = [read(NOTES), mark("read"), wait_file(str(folder / "go")), write(NOTES, "one\nTWO\nthree\n")]
    agent = script(folder, on_prompt("", *steps, FOR_EVER))
    editor = open_notes(open_editor, agent, setup={"python": port.python}, init=LATER)
    editor.acp("prompt", "hello")
    wait_until(lambda: agent.logged("mark"))
    editor.type("Gofour<Esc>")
    editor.expect_lua("return vim.bo.modified", True)

    def story() -> None:
        (folder / "go").touch()
        editor.wait_event("AcpFileWritten")
        assert editor.lua(LINES) == ["one", "TWO", "three", "four"]

    return editor, story


def refuse_one_hunk_of_a_diff(open_editor: Open, folder: Path, port: Port) -> Begun:
    steps = [mark("begun"), wait_file(str(folder / "go")), *write_through()]
    agent = script(folder, on_prompt("", *steps, FOR_EVER))
    editor = open_old(open_editor, agent, setup={"python": port.python}, init=LATER)
    editor.acp("prompt", "hello")
    wait_until(lambda: agent.logged("mark"))

    def story() -> None:
        (folder / "go").touch()
        editor.expect_lua(DIFFS, 2)
        editor.type("<C-w>t<C-w>l")
        editor.expect_lua("return vim.bo.buftype", "acwrite")
        expect_answerable(editor)
        editor.type("gg]cdo:w<CR>")
        editor.wait_event("AcpFileWritten")
        assert "line 3" in editor.lua(LINES)
        editor.expect_lua(DIFFS, 0)

    return editor, story


def type_into_a_diff(open_editor: Open, folder: Path, port: Port) -> Begun:
    agent = script(folder, on_prompt("", *write_through()))
    editor = open_old(open_editor, agent, setup={"python": port.python}, init=LATER)
    editor.acp("open", {})
    open_diff(editor)

    def story() -> None:
        for count in (1, 2, 3):
            editor.type(f"gg{count}Omine<Esc>")
            editor.expect_lua("return vim.api.nvim_buf_get_lines(0, 0, 1, true)", ["mine"])
            editor.screen.expect("edited in the diff")

    return editor, story


def undo_a_hunk(open_editor: Open, folder: Path, port: Port) -> Begun:
    editor = start_review(open_editor, folder, *WAYS["through us"], setup={"python": port.python}, init=LATER)

    def story() -> None:
        editor.type("gg]h")
        editor.expect_lua("return vim.fn.line('.')", 2)
        editor.type(":Acp undo<CR>")
        editor.expect_lua(LINES, [TEN[0], "line 2", *CHANGED[2:]])
        editor.expect_lua(PENDING, 2)

    return editor, story


@dataclass(frozen=True)
class Price:
    """What a story may cost. A frame and its acknowledgement count as one frame."""

    messages: int  # that are no frames
    frames: int  # one more than usual where a busy machine makes two of one
    goal: tuple[int, int]  # messages and frames

    def holds(self, told: list[Message]) -> bool:
        frames = [each for each in told if each.is_frame and each.kind == 0]
        rest = [each for each in told if not each.is_frame]
        return len(rest) <= self.messages and len(frames) <= self.frames


STORIES: dict[Callable[[Open, Path, Port], Begun], Price] = {
    say_a_chunk: Price(0, 1, goal=(0, 1)),
    send_a_prompt: Price(1, 1, goal=(1, 1)),
    write_into_a_modified_buffer: Price(2, 2, goal=(2, 1)),
    refuse_one_hunk_of_a_diff: Price(3, 5, goal=(3, 4)),
    type_into_a_diff: Price(1, 1, goal=(1, 1)),
    undo_a_hunk: Price(1, 1, goal=(1, 0)),
}


def numbers(content: Any) -> Iterator[int]:
    if isinstance(content, int):
        yield content
    elif isinstance(content, list | dict):
        for each in content.values() if isinstance(content, dict) else content:
            yield from numbers(each)


@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.__name__)
def test_a_story_costs_no_more_messages_than_it_did(
    open_editor: Open, tmp_path: Path, story: Callable[[Open, Path, Port], Begun]
) -> None:
    port, price = Port(tmp_path), STORIES[story]
    editor, happens = story(open_editor, tmp_path, port)
    before = len(port.settle(editor))
    happens()
    told = port.settle(editor)[before:]
    assert price.holds(told), "\n".join([f"more than {price}:", *map(str, told)])
    ticks = {
        name
        for each in told
        if any(TICK <= number < TICK + 1000 for number in numbers(each.content))
        for name in each.names
    }
    assert ticks == set()


@pytest.mark.cold
def test_an_undo_changes_the_text_before_a_message_is_sent(open_editor: Open, tmp_path: Path) -> None:
    editor = start_review(open_editor, tmp_path, *WAYS["through us"])
    with stopped(find_backend(editor)):
        editor.type("gg]h:Acp undo<CR>")
        editor.expect_lua(LINES, [TEN[0], "line 2", *CHANGED[2:]], timeout=1)
