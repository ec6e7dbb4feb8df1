"""Removed lines in review have the colours of their language, on the ground of what is removed."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.functional.editor import Editor
from tests.functional.screen import Screen
from tests.steps.turns import Play

Open = Callable[..., Editor]
BEFORE = 'local answer = "old"\n\tprint(answer)\n'


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

    def is_coloured(screen: Screen) -> bool:
        look = screen.attrs('"old"')
        plain = screen.attrs("answer = ")
        is_on_its_ground = look.get("background") == plain.get("background")
        return look.get("foreground") != plain.get("foreground") and is_on_its_ground

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
