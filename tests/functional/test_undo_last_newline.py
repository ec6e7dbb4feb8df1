"""The end of the last line is of whoever has written that line: an undo and a redo put back theirs, and no other."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.fakes.script import Step, on_prompt, script, write_file
from tests.functional.editor import Editor
from tests.steps.files import NOTES, call_edit, open_notes, read, read_disk, write
from tests.steps.review import PENDING

Open = Callable[..., Editor]
pytestmark = pytest.mark.every_nvim
ways = pytest.mark.parametrize("way", ["through us", "on disk"])
loads = pytest.mark.parametrize("loaded", [True, False])
IDS = """local ids = {}
for _, file in ipairs(require('acp_nvim').changes({ all = true })) do
  for _, hunk in ipairs(file.hunks) do ids[#ids + 1] = hunk.state == 'pending' and hunk.id or nil end
end
return ids"""
ADD = """local name, row, is_kept = ...
vim.cmd.edit(name)
vim.api.nvim_buf_set_lines(0, row, row, true, { "mine" })
vim.cmd("silent write")
vim.cmd.buffer("other")
if not is_kept then
  vim.cmd.bwipeout(name)
end"""
CASES = 30


def steps_of(way: str, path: str, text: str) -> list[Step]:
    return call_edit(path, read(path), write(path, text) if way == "through us" else write_file(path, text))


def take_turn(editor: Editor, turn: int) -> None:
    editor.acp("prompt", f"turn {turn:03}")
    editor.wait_event("AcpTurnEnded", turn=turn)
    editor.lua("require('acp_nvim.review').wait_for_disk()")


def begin(
    open_editor: Open, tmp_path: Path, way: str, loaded: bool, before: str, *turns: str | list[str]
) -> Editor:
    """An agent has written notes.txt: a text a turn, or several."""
    texts = [[turn] if isinstance(turn, str) else turn for turn in turns]
    rules = [
        on_prompt(f"turn {n:03}", *(step for text in turn for step in steps_of(way, NOTES, text)))
        for n, turn in enumerate(texts, 1)
    ]
    editor = open_notes(open_editor, script(tmp_path, *rules), before)
    editor.lua("vim.cmd('new other')")
    if not loaded:
        editor.lua("vim.cmd.bwipeout('notes.txt')")
    for n in range(1, len(texts) + 1):
        take_turn(editor, n)
    assert read_disk(editor) == texts[-1][-1]
    return editor


@ways
@loads
@pytest.mark.parametrize("verb", ["undo", "keep"])
@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("c5\nn4", "l0\nn7\n"),  # both lines are others, and there is a newline now
        ("b", "b\nb\n"),  # the same last line, which the agent has written
        ("b", "a\nb\n"),
    ],
)
def test_nothing_is_left_of_a_newline_that_came_with_lines(
    open_editor: Open, tmp_path: Path, way: str, loaded: bool, verb: str, before: str, after: str
) -> None:
    editor = begin(open_editor, tmp_path, way, loaded, before, after)
    for n in editor.lua(IDS):
        editor.acp(verb, n)
    assert (read_disk(editor), editor.lua(PENDING)) == (before if verb == "undo" else after, 0)


@ways
@loads
@pytest.mark.parametrize("before", ["a\na\nc\nb", "c\nb", "b"])
def test_a_turn_that_has_changed_the_newline_and_the_number_of_lines_is_undone_whole(
    open_editor: Open, tmp_path: Path, way: str, loaded: bool, before: str
) -> None:
    editor = begin(open_editor, tmp_path, way, loaded, before, "b\na\nb\n")
    editor.acp("undo_turn", 1)
    assert (read_disk(editor), editor.lua(PENDING)) == (before, 0)
    editor.acp("redo")
    assert read_disk(editor) == "b\na\nb\n"


@ways
@loads
@pytest.mark.parametrize("verb", ["undo all", "undo turn"])
def test_a_line_of_the_user_s_below_keeps_its_newline(
    open_editor: Open, tmp_path: Path, way: str, loaded: bool, verb: str
) -> None:
    editor = begin(open_editor, tmp_path, way, loaded, "c5\nn4", "l0\nn7\n")
    editor.lua(ADD, "notes.txt", -1, loaded)
    editor.type(f":Acp {verb}<CR>")
    editor.expect_lua(PENDING, 0)
    assert read_disk(editor) == "c5\nn4\nmine\n"


@ways
def test_the_file_under_an_unsaved_line_ends_as_it_did(open_editor: Open, tmp_path: Path, way: str) -> None:
    editor = begin(open_editor, tmp_path, way, True, "c5\nn4", "l0\nn7\n")
    editor.lua("vim.cmd.buffer('notes.txt') vim.fn.append('$', 'mine')")
    editor.type(":Acp undo turn<CR>")
    editor.expect_lua(PENDING, 0)
    assert read_disk(editor) == "c5\nn4"
    editor.type(":Acp redo<CR>")
    editor.screen.expect("redone: ")
    assert read_disk(editor) == "l0\nn7\n"
    editor.lua("vim.cmd('silent write')")
    assert read_disk(editor) == "l0\nn7\nmine\n"


@ways
@loads
def test_the_undo_of_an_earlier_turn_leaves_the_newline_of_a_later_line(
    open_editor: Open, tmp_path: Path, way: str, loaded: bool
) -> None:
    editor = begin(open_editor, tmp_path, way, loaded, "a\nb\nc", "A\nb\nC\n", "A\nb\nCC\n")
    editor.acp("undo_turn", 1)
    assert read_disk(editor) == "a\nb\nCC\n"
    editor.acp("undo_turn", 2)
    assert (read_disk(editor), editor.lua(PENDING)) == ("a\nb\nc", 0)


@ways
@loads
@pytest.mark.parametrize(
    ("texts", "verb", "left"),
    [
        (["a\nb\n", "a\nB\n"], "undo all", ("a\nb", 0)),
        (["a\nb\n", "a\nB\n"], "undo turn", ("a\nb\n", 1)),
        (["a\nb\n", "a\nb\nc\n"], "undo all", ("a\nb", 0)),
        (["a\nb\n", "a\nb\nc\n"], "undo turn", ("a\nb\n", 1)),
    ],
)
def test_a_newline_that_a_later_line_has_covered_goes_with_all_changes(
    open_editor: Open,
    tmp_path: Path,
    way: str,
    loaded: bool,
    texts: list[str],
    verb: str,
    left: tuple[str, int],
) -> None:
    editor = begin(open_editor, tmp_path, way, loaded, "a\nb", *texts)
    editor.type(f":Acp {verb}<CR>")
    editor.expect_lua(PENDING, left[1])
    assert read_disk(editor) == left[0]


@ways
@loads
def test_a_newline_that_the_same_turn_has_covered_goes_with_the_turn(
    open_editor: Open, tmp_path: Path, way: str, loaded: bool
) -> None:
    editor = begin(open_editor, tmp_path, way, loaded, "a\nb", ["a\nb\n", "a\nb\nc\n"])
    editor.acp("undo_turn", 1)
    assert (read_disk(editor), editor.lua(PENDING)) == ("a\nb", 0)


# Any text ------------------------------------------------------------------------------------------------------------


@dataclass
class Text:
    lines: list[str]
    is_final: bool

    def __str__(self) -> str:
        return "\n".join(self.lines) + ("\n" if self.is_final else "")


@dataclass
class Case:
    before: Text
    after: Text
    when: str  # the user adds a line: never, before the undo, between the undo and the redo
    row: int  # above all lines, or below
    by_hunk: bool


def case_of(r: random.Random) -> Case:
    def text() -> Text:
        return Text([r.choice("abc") for _ in range(r.randint(1, 4))], r.random() < 0.5)

    before, after = text(), text()
    while str(before) == str(after):
        after = text()
    return Case(before, after, r.choice(["never", "before", "between"]), r.choice([0, -1]), r.random() < 0.3)


def check(read_now: str, wanted: Text, was: Text, has_mine: bool) -> None:
    """The lines of `wanted`, which were those of `was`, and the user's, who has saved all of it with a newline."""
    lines = read_now.removesuffix("\n").split("\n")
    assert [line for line in lines if line != "mine"] == wanted.lines
    assert lines.count("mine") == has_mine
    is_other = (wanted.lines[-1], wanted.is_final) != (was.lines[-1], was.is_final)
    size = min(len(wanted.lines), len(was.lines))
    is_longer = wanted.lines[:size] == was.lines[:size]  # of equal lines the last ones are new
    is_agents = is_other or is_longer
    is_users = has_mine and (lines[-1] == "mine" or not is_agents)
    assert read_now.endswith("\n") == (is_users or wanted.is_final)


@ways
@loads
def test_any_text(open_editor: Open, tmp_path: Path, way: str, loaded: bool) -> None:
    r = random.Random(f"{way} {loaded}")
    cases = [case_of(r) for _ in range(CASES)]
    rules = [
        on_prompt(f"turn {n:03}", *steps_of(way, f"{{cwd}}/{n}.txt", str(case.after)))
        for n, case in enumerate(cases, 1)
    ]
    editor = open_notes(open_editor, script(tmp_path, *rules))
    editor.lua("vim.cmd('new other')")
    for n, case in enumerate(cases, 1):
        name = f"{n}.txt"
        (editor.project / name).write_text(str(case.before))
        if loaded:
            editor.lua("vim.cmd.edit(...) vim.cmd.buffer('other')", name)
        take_turn(editor, n)
        assert read_disk(editor, name) == str(case.after), case
        if case.when == "before":
            editor.lua(ADD, name, case.row, loaded)
        pending = editor.lua(PENDING)
        if pending == 0:  # only the newline was the agent's, and now it is followed by a line of the user's
            assert (str(case.before).strip(), case.row) == (str(case.after).strip(), -1), case
            continue
        undone = read_disk(editor, name)
        if case.by_hunk:
            for hunk in r.sample(editor.lua(IDS), pending):
                assert editor.acp("undo", hunk), case
        else:
            assert editor.acp("undo_turn", n), case
        check(read_disk(editor, name), case.before, case.after, case.when == "before")
        assert editor.lua(PENDING) == 0, case
        if case.by_hunk:
            continue
        if case.when == "between":
            editor.lua(ADD, name, case.row, loaded)
        assert editor.acp("redo"), case
        if case.when == "between":
            check(read_disk(editor, name), case.after, case.before, True)
        else:
            assert (read_disk(editor, name), editor.lua(PENDING)) == (undone, pending), case
        if editor.lua(PENDING):
            assert editor.acp("undo_turn", n), case
            check(read_disk(editor, name), case.before, case.after, case.when != "never")
        assert editor.lua(PENDING) == 0, case
