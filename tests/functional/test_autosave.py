"""Files that an autocommand of the user saves, which is not nested: Neovim tells nobody of such a save."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.fakes.script import wait_until
from tests.functional.editor import Editor
from tests.steps.files import LINES, join_lines
from tests.steps.review import TEN, list_hunks
from tests.steps.turns import Play

Open = Callable[..., Editor]
AGENTS = [*TEN[:8], "AGENT 9", TEN[9]]
MINE = ["mine", *TEN]
WAYS = {"through us": Play.write, "on disk": lambda play, lines: play.write_disk(join_lines(lines))}


def autosaved(open_editor: Open, tmp_path: Path, command: str) -> Play:
    """The agent has read the file; then the user has typed a line at its top, which the autocommand has saved."""
    play = Play(open_editor, tmp_path)
    play.do(f"set hidden | autocmd {command}")
    play.turn()
    play.read()
    play.editor.type("ggOmine<Esc>:enew<CR>" if "BufLeave" in command else "ggOmine<Esc>")
    wait_until(lambda: play.path.read_text() == join_lines(MINE))
    return play


@pytest.mark.parametrize("command", ["InsertLeave * silent! write", "BufLeave * silent! wall"])
def test_what_was_saved_is_not_the_agents(open_editor: Open, tmp_path: Path, command: str) -> None:
    play = autosaved(open_editor, tmp_path, command)
    play.write(AGENTS)
    play.end()
    assert play.lines() == ["mine", *AGENTS]
    assert [hunk["new"] for hunk in list_hunks(play.editor)] == [["AGENT 9"]]
    play.undo_all()
    assert play.path.read_text() == join_lines(MINE)


@pytest.mark.parametrize("way", WAYS)
def test_what_is_typed_beside_a_saved_line_is_no_conflict(
    open_editor: Open, tmp_path: Path, way: str
) -> None:
    play = autosaved(open_editor, tmp_path, "InsertLeave * silent! write")
    play.editor.type("omore")
    play.editor.expect_lua("return vim.bo.modified")
    WAYS[way](play, ["mine", *AGENTS] if way == "on disk" else AGENTS)
    play.editor.expect_lua(LINES, ["mine", "more", *AGENTS])
    play.editor.type("<Esc>")
    wait_until(lambda: play.path.read_text() == join_lines(["mine", "more", *AGENTS]))
    play.end()
    assert play.editor.acp("questions") == []
    assert [hunk["new"] for hunk in list_hunks(play.editor)] == [["AGENT 9"]]
