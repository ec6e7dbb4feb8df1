"""A read of a part is no read of the whole: an agent has seen the lines that it was given, and no others."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.functional.editor import Editor
from tests.steps.files import join_lines, read_disk
from tests.steps.turns import Play

Open = Callable[..., Editor]
OLD = [f"line {n}" for n in range(1, 31)]
AGENTS = ["agent's 1", *OLD[1:]]  # made of the text that it read first
TYPED = [*OLD[:19], "line 20, mine", *OLD[20:]]
BOTH = ["agent's 1", *TYPED[1:]]
parts = pytest.mark.parametrize(
    "part", [{"line": 1, "limit": 3}, {"limit": 0}, {"line": 25}, {"line": 2, "limit": 1}], ids=str
)


@pytest.fixture
def play(open_editor: Open, tmp_path: Path) -> Play:
    play = Play(open_editor, tmp_path, join_lines(OLD))
    play.turn()
    assert play.read() == join_lines(OLD)
    return play


def type_line_20(play: Play) -> None:
    play.editor.type("20GA, mine<Esc>")
    play.editor.expect_lua("return vim.fn.getline(20)", "line 20, mine")


@parts
def test_an_unsaved_line_outside_of_the_part_stays(play: Play, part: dict[str, int]) -> None:
    type_line_20(play)
    play.read(**part)
    play.write(AGENTS)
    assert play.lines() == BOTH
    assert read_disk(play.editor) == join_lines(BOTH)
    assert play.editor.acp("questions") == []


def test_a_line_that_the_user_has_put_in_above_the_part_stays(play: Play) -> None:
    """The part begins where the buffer has it, behind lines that the agent does not know."""
    play.editor.type("gg2Omine<Esc>")
    play.editor.expect_lua("return vim.fn.line('$')", 32)
    play.read(line=10, limit=3)
    play.write([*OLD[:29], "agent's 30"])
    assert play.lines() == ["mine", "mine", *OLD[:29], "agent's 30"]


@parts
@pytest.mark.parametrize("name", ["notes.txt", "closed.txt"])
def test_a_line_of_another_program_outside_of_the_part_stays(
    play: Play, part: dict[str, int], name: str
) -> None:
    if name == "closed.txt":
        play.path = play.path.with_name(name)
        play.path.write_text(join_lines(OLD))
        play.read()
    play.path.write_text(join_lines(TYPED))
    play.do("checktime")
    play.read(**part)
    play.write(AGENTS)
    assert read_disk(play.editor, name) == join_lines(BOTH)


def test_what_the_agent_has_read_again_it_may_take_back(play: Play) -> None:
    type_line_20(play)
    assert play.read(line=20, limit=1) == "line 20, mine\n"
    play.write(AGENTS)
    assert play.lines() == AGENTS


def test_what_the_agent_has_read_in_parts_it_may_change(play: Play) -> None:
    type_line_20(play)
    assert play.read(line=1, limit=15) + play.read(line=16) == join_lines(TYPED)
    play.write([*TYPED[:19], "ours", *TYPED[20:]])
    assert play.lines() == [*TYPED[:19], "ours", *TYPED[20:]]
    assert play.editor.acp("questions") == []
