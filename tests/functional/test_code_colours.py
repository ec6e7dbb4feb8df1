"""Removed lines in review and files in unfolded calls have the colours of their language."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.fakes.script import on_prompt, script, tool
from tests.functional.editor import Editor
from tests.functional.screen import Screen
from tests.steps.conversation import go_to_line, open_chat, send
from tests.steps.turns import Play

pytestmark = pytest.mark.every_nvim
Open = Callable[..., Editor]
BEFORE = 'local answer = "old"\n\tprint(answer)\n'


def is_coloured(screen: Screen) -> bool:
    """A string in the code has a colour of its own, on the ground of its line."""
    look, plain = screen.attrs('"old"'), screen.attrs("answer = ")
    is_on_its_ground = look.get("background") == plain.get("background")
    return look.get("foreground") != plain.get("foreground") and is_on_its_ground


@pytest.mark.parametrize("syntax", ["lua", "vim"])
def test_removed_lines_have_the_colours_of_their_language(
    open_editor: Open, tmp_path: Path, syntax: str
) -> None:
    play = Play(open_editor, tmp_path, BEFORE.replace("local", "let") if syntax == "vim" else BEFORE)
    word = "let" if syntax == "vim" else "local"
    screen = play.editor.screen
    play.do(f"colorscheme habamax | set filetype={syntax}")
    play.turn()
    play.read()
    play.write(["changed"])
    screen.expect(f'{word} answer = "old"')

    screen.expect(is_coloured)
    assert screen.attrs(f"{word} answer").get("background") == screen.attrs("print(answer)").get("background")


def test_lines_without_a_language_have_the_colour_of_what_is_removed(
    open_editor: Open, tmp_path: Path
) -> None:
    play = Play(open_editor, tmp_path, BEFORE)
    play.do("set filetype=")
    play.turn()
    play.read()
    play.write(["changed"])
    play.editor.screen.expect('local answer = "old"')
    assert play.editor.screen.attrs('"old"') == play.editor.screen.attrs("local answer")


@pytest.mark.parametrize("number", ["", "     1→", "1\t"])
def test_a_file_that_an_agent_has_read_has_the_colours_of_its_language(
    open_editor: Open, tmp_path: Path, number: str
) -> None:
    """Unfolded, with the numbers that some agents put before its lines."""
    text = {"type": "content", "content": {"type": "text", "text": f'```\n{number}local answer = "old"\n```'}}
    call = tool(
        "c",
        title="Read a.lua",
        kind="read",
        status="completed",
        locations=[{"path": "{cwd}/a.lua"}],
        content=[text],
    )
    editor = open_chat(open_editor, script(tmp_path, on_prompt("", call)))
    editor.lua("vim.cmd.colorscheme('habamax')")
    send(editor, "go")
    editor.wait_event("AcpTurnEnded")
    editor.screen.expect("read    a.lua")
    go_to_line(editor, "read    a.lua")
    editor.type("za")
    editor.screen.expect('local answer = "old"')
    editor.screen.expect(is_coloured)
