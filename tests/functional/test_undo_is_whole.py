"""`:Acp undo turn` says what it did and what is left, `:Acp redo` takes it back, `:Acp review turn` shows a turn."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.fakes.script import (
    Step,
    delete_file,
    obey,
    on_prompt,
    run_command,
    script,
    tool,
    wait_until,
    write_file,
)
from tests.functional.editor import Editor
from tests.steps.files import LINES, NOTES, call_edit, join_lines, open_notes, read, read_disk, write
from tests.steps.review import CHANGED, PENDING, TEN, WAYS
from tests.steps.trees import commit, tree

Open = Callable[..., Editor]
A, B, NEW = "{cwd}/a.txt", "{cwd}/b.txt", "{cwd}/new.txt"
SAVED = "return not vim.bo.modified"
QUIET = {"notify": False}  # the last line has what is tested
ITEMS = "return vim.tbl_map(function(item) return item.text end, vim.fn.getqflist())"
FIRST = [*TEN[:4], "first", *TEN[5:]]


def begin(open_editor: Open, tmp_path: Path, *turns: list[Step], **files: str) -> Editor:
    """An agent takes these steps, one list each turn; notes.txt is open. Names of files have `__` for a dot."""
    agent = script(tmp_path, *(on_prompt(f"turn {n}", *steps) for n, steps in enumerate(turns, 1)))
    editor = open_notes(
        open_editor, agent, join_lines(TEN), setup=QUIET, size=(160, 30), init="vim.g.maplocalleader = ','\n"
    )
    for name, text in files.items():
        (editor.project / name.replace("__", ".")).write_text(text)
    commit(editor.project)
    return editor


def take_turn(editor: Editor, turn: int = 1) -> None:
    editor.acp("prompt", f"turn {turn}")
    editor.wait_event("AcpTurnEnded", turn=turn)
    editor.type(":<BS>")


def undo(editor: Editor, said: str, command: str = "undo turn") -> None:
    editor.type(f":Acp {command}<CR>")
    editor.screen.expect(said)


def redo(editor: Editor, said: str) -> None:
    editor.type(":Acp redo<CR>")
    editor.screen.expect(said)


# What is left ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("keys", "left"),
    [
        ("7Gccmine<Esc>:w<CR>", "1 line of yours in notes.txt"),  # a line of the agent's
        ("Gomine<CR>mine<Esc>:w<CR>", "2 lines of yours in notes.txt"),
        ("Gomine<Esc>", "1 line of yours in notes.txt"),
        ("4Gdd:w<CR>", "1 line of yours in notes.txt"),
        ("7G,k", "1 kept in notes.txt"),
        ("7G,kGomine<Esc>:w<CR>", "1 line of yours in notes.txt; 1 kept in notes.txt"),
    ],
)
def test_what_is_the_user_s_or_kept_is_left_and_said(
    open_editor: Open, tmp_path: Path, way: str, keys: str, left: str
) -> None:
    editor = begin(open_editor, tmp_path, WAYS[way])
    take_turn(editor)
    editor.expect_lua(PENDING, 3)
    editor.type(keys)
    undo(editor, f" in notes.txt (turn 1) · left: {left}")
    editor.expect_lua(PENDING, 0)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("keys", "left", "disk"),
    [
        ("u", "", TEN),  # all of it is gone from the buffer, unsaved
        ("2GccLINE<Esc>", " · left: 1 line of yours in notes.txt", TEN),
        ("7Gdd", "", TEN),
        ("uGomine<Esc>", " · left: 1 line of yours in notes.txt", TEN),
    ],
)
def test_what_is_on_the_disk_goes_also_where_the_buffer_has_other_lines(
    open_editor: Open, tmp_path: Path, way: str, keys: str, left: str, disk: list[str]
) -> None:
    editor = begin(open_editor, tmp_path, WAYS[way])
    take_turn(editor)
    editor.expect_lua(PENDING, 3)
    editor.type(keys)
    editor.expect_lua("return vim.bo.modified")
    before = editor.lua(LINES)
    undo(editor, f"undone: 3 changes in notes.txt (turn 1){left}")
    wait_until(lambda: read_disk(editor) == join_lines(disk))
    editor.expect_lua(PENDING, 0)
    editor.expect_lua("return vim.bo.modified", left != "")
    redo(editor, "redone: 3 changes in notes.txt (turn 1)")
    editor.expect_lua(LINES, before)
    assert read_disk(editor) == join_lines(CHANGED)
    editor.expect_lua("return vim.bo.modified")
    undo(editor, f"undone: 3 changes in notes.txt (turn 1){left}")
    assert read_disk(editor) == join_lines(disk)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("keys", "pending", "left"),
    [
        ("Gomine<Esc>7G,u", 2, " · left: 1 line of yours in notes.txt"),
        ("7Gdd2G,u", 1, ""),  # the disk still has the line
    ],
)
def test_what_a_key_has_undone_under_unsaved_lines_is_not_left_of_the_turn(
    open_editor: Open, tmp_path: Path, way: str, keys: str, pending: int, left: str
) -> None:
    editor = begin(open_editor, tmp_path, WAYS[way])
    take_turn(editor)
    editor.expect_lua(PENDING, 3)
    editor.type(keys)
    editor.expect_lua(PENDING, pending)
    editor.expect_lua("return vim.bo.modified")
    undo(editor, f"undone: 2 changes in notes.txt (turn 1){left}")
    assert read_disk(editor) == join_lines(TEN)


def test_what_the_user_had_typed_before_is_not_left_of_the_turn(open_editor: Open, tmp_path: Path) -> None:
    editor = begin(open_editor, tmp_path, [read(NOTES), *WAYS["through us"]])
    editor.type("Gobefore<Esc>")
    take_turn(editor)
    editor.expect_lua(PENDING, 3)
    undo(editor, "undone: 3 changes in notes.txt (turn 1)")
    editor.screen.expect_gone("left: ")
    editor.expect_lua(LINES, [*TEN, "before"])


def test_a_created_file_with_lines_of_the_user_stays_with_these(open_editor: Open, tmp_path: Path) -> None:
    editor = begin(open_editor, tmp_path, call_edit(NEW, write(NEW, "one\ntwo\n")))
    take_turn(editor)
    editor.type(":edit new.txt<CR>Gomine<Esc>:w<CR>")
    editor.expect_lua(SAVED)
    undo(editor, "undone: 1 change in new.txt (turn 1) · left: 1 line of yours in new.txt")
    assert read_disk(editor, "new.txt") == "mine\n"


@pytest.mark.parametrize("is_open", [True, False])
def test_a_file_that_cannot_be_written_is_left_and_named(
    open_editor: Open, tmp_path: Path, is_open: bool
) -> None:
    steps = [
        *call_edit(A, read(A), write_file(A, "A\n"), id="a"),
        *call_edit(B, read(B), write_file(B, "B\n"), id="b"),
    ]
    editor = begin(open_editor, tmp_path, steps, a__txt="a\n", b__txt="b\n")
    take_turn(editor)
    editor.expect_lua(PENDING, 2)
    if is_open:
        editor.type(":edit b.txt | set readonly<CR>")
        undo(editor, "undone: 1 change in a.txt (turn 1) · left: not writable: b.txt")
        assert read_disk(editor, "b.txt") == "B\n"
        return
    (editor.project / "b.txt").unlink()
    (editor.project / "b.txt").mkdir()
    undo(editor, "undone: 1 change in a.txt (turn 1) · left: a folder now: b.txt")


def test_three_files_are_named_and_the_others_counted(open_editor: Open, tmp_path: Path) -> None:
    names = [f"{n}.txt" for n in range(5)]
    steps = [step for n in names for step in call_edit("{cwd}/" + n, write("{cwd}/" + n, "x\n"), id=n)]
    editor = begin(open_editor, tmp_path, steps)
    take_turn(editor)
    for name in names:
        editor.type(f":edit {name}<CR>Gomine<Esc>:w<CR>")
        editor.expect_lua(SAVED)
    said = "; ".join(f"1 line of yours in {name}" for name in names[:3])
    undo(editor, f"undone: 5 changes in 5 files (turn 1) · left: {said}; 2 more files")


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("git mv a.txt m.txt", "1 change in a.txt"),
        ("mv a.txt m.txt; echo more >> m.txt; rm b.txt", "2 changes in 2 files"),
        ("printf '1\\n2\\n3\\n' > n.txt", "1 change in n.txt"),
        ("rm -r a.txt b.txt", "2 changes in 2 files"),
    ],
)
def test_a_file_made_removed_or_moved_is_one_change_in_one_file(
    open_editor: Open, tmp_path: Path, command: str, said: str
) -> None:
    text = "a\nb\nc\nd\n"
    editor = begin(open_editor, tmp_path, run_command(command, read(NOTES)), a__txt=text, b__txt="b\n")
    before = tree(editor.project)
    take_turn(editor)
    after = tree(editor.project)
    undo(editor, f"undone: {said} (turn 1)")
    assert tree(editor.project) == before
    redo(editor, "redone: ")
    assert tree(editor.project) == after
    undo(editor, f"undone: {said} (turn 1)")
    assert tree(editor.project) == before


def test_a_turn_that_runs_says_so(open_editor: Open, tmp_path: Path) -> None:
    orders = tmp_path / "orders"
    orders.touch()
    editor = begin(open_editor, tmp_path, [*WAYS["through us"], obey(str(orders))])
    editor.acp("prompt", "turn 1")
    editor.expect_lua(PENDING, 3)
    undo(editor, "undone: 3 changes in notes.txt (turn 1) · turn 1 still runs")
    assert read_disk(editor) == join_lines(TEN)
    orders.write_text('["end"]\n')
    editor.wait_event("AcpTurnEnded")


def test_the_folders_that_were_made_for_new_files_go_with_these(open_editor: Open, tmp_path: Path) -> None:
    paths = ["{cwd}/sub/deep/1.txt", "{cwd}/sub/2.txt", "{cwd}/sub/deep/3.txt"]
    steps = [step for path in paths for step in call_edit(path, write(path, "x\n"), id=path)]
    editor = begin(open_editor, tmp_path, steps)
    before = tree(editor.project)
    take_turn(editor)
    editor.expect_lua(PENDING, 3)
    undo(editor, "undone: 3 changes in 3 files (turn 1)")
    assert tree(editor.project) == before


@pytest.mark.parametrize(
    ("command", "moved"),
    [
        ("echo A > a.txt; git -c user.name=n -c user.email=e commit -qam a", "HEAD"),
        ("echo A > a.txt; git switch -qc other", "branch"),
        ("echo A > a.txt; git checkout -q --detach", "branch"),
        ("echo A > a.txt; git add a.txt", "index"),
        ("echo A > a.txt; git status; git diff", ""),
    ],
)
def test_what_the_turn_has_moved_in_git_is_said(
    open_editor: Open, tmp_path: Path, command: str, moved: str
) -> None:
    editor = begin(open_editor, tmp_path, run_command(command, read(NOTES)), a__txt="a\n")
    take_turn(editor)
    editor.expect_lua(PENDING, 1)
    undo(editor, "undone: 1 change in a.txt (turn 1)")
    assert read_disk(editor, "a.txt") == "a\n"
    if moved:
        editor.screen.expect(f"(turn 1) · git: {moved} moved in the turn, not undone")
    else:
        editor.screen.expect_gone("git:")


# Which turn -----------------------------------------------------------------------------------------------------------


def two_turns(open_editor: Open, tmp_path: Path, *more: list[Step]) -> Editor:
    second = call_edit(A, read(A), write_file(A, "A\nb\n"))
    editor = begin(open_editor, tmp_path, [write(NOTES, join_lines(FIRST))], second, *more, a__txt="a\nb\n")
    take_turn(editor, 1)
    take_turn(editor, 2)
    editor.expect_lua(PENDING, 2)
    return editor


def test_a_turn_is_undone_by_its_number(open_editor: Open, tmp_path: Path) -> None:
    editor = two_turns(open_editor, tmp_path)
    assert editor.lua("return vim.fn.getcompletion('Acp undo turn ', 'cmdline')") == ["1", "2"]
    undo(editor, "undone: 1 change in notes.txt (turn 1) · 1 in other turns", "undo turn 1")
    assert (read_disk(editor), read_disk(editor, "a.txt")) == (join_lines(TEN), "A\nb\n")
    undo(editor, "nothing left to undo in this turn", "undo turn 1")
    undo(editor, "nothing left to undo in this turn", "undo turn 9")
    undo(editor, "'x' is not the number of a turn", "undo turn x")
    undo(editor, "usage: :Acp undo [all|turn [n]]", "undo turn 1 2")
    undo(editor, "undone: 1 change in a.txt (turn 2)")


def test_the_api_undoes_a_turn_and_takes_it_back(open_editor: Open, tmp_path: Path) -> None:
    editor = two_turns(open_editor, tmp_path)
    call = "return { require('acp_nvim').%s }"
    assert editor.lua(call % "undo_turn(1, { session = 1 })") == [True]
    wait_until(lambda: read_disk(editor) == join_lines(TEN))
    message = "local ok, message = require('acp_nvim').%s; return { ok == nil, message }"
    assert editor.lua(message % "undo_turn(7)") == [True, "nothing left to undo in turn 7"]
    assert editor.lua(message % "undo_turn(1, { session = 5 })")[0]
    assert editor.lua(call % "undo_turn()") == [True]
    wait_until(lambda: read_disk(editor, "a.txt") == "a\nb\n")
    assert editor.lua(call % "redo()") == [True]
    wait_until(lambda: read_disk(editor, "a.txt") == "A\nb\n")
    assert editor.lua(call % "redo()") == [True]
    wait_until(lambda: read_disk(editor) == join_lines(FIRST))
    assert editor.lua(message % "redo()") == [True, "nothing to redo: no turn was undone"]


@pytest.mark.parametrize("of", [1, 2])
def test_what_one_of_two_has_made_either_undoes(open_editor: Open, tmp_path: Path, of: int) -> None:
    """Two commands ran at once, and nobody knows which has made the change."""
    orders = tmp_path / "orders"
    orders.touch()
    making = tool("w", title="make", kind="execute", status="in_progress", rawInput={"command": "make"})
    generate = run_command("for n in a; do echo new > $n.txt; done", read(NOTES))
    agent = script(tmp_path, on_prompt("make", making, obey(str(orders))), on_prompt("generate", *generate))
    editor = open_notes(open_editor, agent, setup=QUIET, size=(160, 30))
    (editor.project / "a.txt").write_text("a\n")
    commit(editor.project)
    editor.acp("prompt", "make")
    editor.expect_lua("return require('acp_nvim').status().state", "running")
    editor.acp("new_session")
    editor.expect_lua("return require('acp_nvim').status({ session = 2 }).state", "idle")
    editor.acp("prompt", "generate", {"session": 2})
    editor.wait_event("AcpTurnEnded", session=2)
    orders.write_text('["end"]\n')
    editor.wait_event("AcpTurnEnded", session=1)
    editor.expect_lua("return #require('acp_nvim').changes({ session = 2 })", 1)
    assert [file["by"] for file in editor.acp("changes", {"all": True})] == ["one of two"]
    editor.type(f":Acp open {of}<CR><Esc>")
    editor.expect_lua("return require('acp_nvim').status().session", of)
    undo(editor, "undone: 1 change in a.txt (turn 1)")
    assert read_disk(editor, "a.txt") == "a\n"
    redo(editor, "redone: 1 change in a.txt (turn 1)")
    assert read_disk(editor, "a.txt") == "new\n"


# Redo -----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("is_open", [True, False])
@pytest.mark.parametrize("way", WAYS)
def test_redo_brings_the_turn_back_and_it_is_pending(
    open_editor: Open, tmp_path: Path, way: str, is_open: bool
) -> None:
    editor = begin(open_editor, tmp_path, WAYS[way])
    take_turn(editor)
    editor.expect_lua(PENDING, 3)
    if not is_open:
        editor.type(":enew | bwipeout! notes.txt<CR>")
    ids = [hunk["id"] for hunk in editor.acp("changes")[0]["hunks"]]
    undo(editor, "undone: 3 changes in notes.txt (turn 1)")
    editor.expect_lua(PENDING, 0)
    redo(editor, "redone: 3 changes in notes.txt (turn 1)")
    editor.expect_lua(PENDING, 3)
    assert read_disk(editor) == join_lines(CHANGED)
    assert [hunk["id"] for hunk in editor.acp("changes")[0]["hunks"]] == ids
    if is_open:
        editor.expect_lua(LINES, CHANGED)
        editor.type("u")
        editor.expect_lua(PENDING, 0)
        editor.type("<C-r>")
        editor.expect_lua(PENDING, 3)
    redo(editor, "nothing to redo: no turn was undone")
    undo(editor, "undone: 3 changes in notes.txt (turn 1)")
    assert read_disk(editor) == join_lines(TEN)


@pytest.mark.parametrize("save", [":w<CR>", ""])
def test_lines_that_the_user_has_written_since_stay(open_editor: Open, tmp_path: Path, save: str) -> None:
    editor = begin(open_editor, tmp_path, WAYS["through us"])
    take_turn(editor)
    undo(editor, "undone: 3 changes")
    editor.type(f"4Gccmine<Esc>{save}")
    redo(editor, "redone: 3 changes in notes.txt (turn 1)")
    wanted = [*CHANGED[:3], "mine", *CHANGED[4:]]
    editor.expect_lua(LINES, wanted)
    editor.expect_lua(PENDING, 3)
    assert read_disk(editor) == join_lines(wanted if save else CHANGED)
    undo(editor, "undone: 3 changes in notes.txt (turn 1) · left: 1 line of yours in notes.txt")


@pytest.mark.parametrize("is_open", [True, False])
def test_redo_makes_and_deletes_files_again(open_editor: Open, tmp_path: Path, is_open: bool) -> None:
    steps = [
        *call_edit(NEW, write(NEW, "one\ntwo\n"), id="new"),
        *call_edit(A, read(A), delete_file(A), id="delete"),
        *call_edit(B, read(B), write_file(B, "B\r\nb"), id="edit"),
    ]
    editor = begin(open_editor, tmp_path, steps, a__txt="a\n", b__txt="b\nb\n")
    (editor.project / "b.txt").chmod(0o640)
    before = tree(editor.project)
    if is_open:
        editor.type(":edit a.txt<CR>:edit b.txt<CR>")
        editor.expect_lua("return vim.fn.expand('%:t')", "b.txt")
    take_turn(editor)
    editor.expect_lua("return #require('acp_nvim').changes()", 3)
    after = tree(editor.project)
    assert after != before
    for _ in range(2):
        undo(editor, "undone: 4 changes in 3 files (turn 1)")
        assert tree(editor.project) == before
        redo(editor, "redone: 4 changes in 3 files (turn 1)")
        assert tree(editor.project) == after
        editor.expect_lua("return #require('acp_nvim').changes()", 3)
    if is_open:
        editor.type(":edit a.txt<CR>")
        editor.screen.expect("deleted")


@pytest.mark.parametrize(
    ("keys", "why"),
    [
        (":edit a.txt<CR>gg,k", "nothing to redo: other changes were decided since"),
        ("u", "not redone: notes.txt has changes of turn 1 again"),
    ],
)
def test_redo_says_why_not(open_editor: Open, tmp_path: Path, keys: str, why: str) -> None:
    editor = two_turns(open_editor, tmp_path)
    undo(editor, "undone: 1 change in notes.txt (turn 1)", "undo turn 1")
    editor.type(keys)
    redo(editor, why)


@pytest.mark.parametrize(
    "keys",
    [
        ":enew | bwipeout notes.txt new.txt<CR>",
        ":enew | bunload notes.txt new.txt<CR>",
        ":split new.txt<CR>:edit<CR>",
    ],
)
@pytest.mark.parametrize("is_open", [True, False])
def test_redo_after_its_buffers_have_gone_or_come(
    open_editor: Open, tmp_path: Path, is_open: bool, keys: str
) -> None:
    steps = [*WAYS["on disk"], *call_edit(NEW, write(NEW, "one\ntwo\n"), id="new")]
    editor = begin(open_editor, tmp_path, steps)
    take_turn(editor)
    editor.expect_lua(PENDING, 4)
    if not is_open:
        editor.type(":enew | bwipeout notes.txt<CR>")
    undo(editor, "undone: 4 changes in 2 files (turn 1)")
    editor.type(keys)
    redo(editor, "redone: 4 changes in 2 files (turn 1)")
    assert (read_disk(editor), read_disk(editor, "new.txt")) == (join_lines(CHANGED), "one\ntwo\n")
    editor.expect_lua(PENDING, 4)
    undo(editor, "undone: 4 changes in 2 files (turn 1)")
    assert read_disk(editor) == join_lines(TEN)
    assert not (editor.project / "new.txt").exists()


def test_a_file_that_is_another_by_now_is_left_by_a_redo(open_editor: Open, tmp_path: Path) -> None:
    steps = [*WAYS["through us"], *call_edit(A, read(A), delete_file(A), id="delete")]
    editor = begin(open_editor, tmp_path, steps, a__txt="a\n")
    take_turn(editor)
    editor.expect_lua(PENDING, 4)
    undo(editor, "undone: 4 changes in 2 files (turn 1)")
    (editor.project / "a.txt").write_text("a\nmine\n")
    redo(editor, "redone: 3 changes in notes.txt (turn 1) · left: changed since: a.txt")
    assert (read_disk(editor), read_disk(editor, "a.txt")) == (join_lines(CHANGED), "a\nmine\n")


def test_no_redo_once_the_session_has_ended(open_editor: Open, tmp_path: Path) -> None:
    editor = two_turns(open_editor, tmp_path)
    undo(editor, "undone: 1 change in notes.txt (turn 1)", "undo turn 1")
    editor.type(":Acp sessions<CR>xx")
    editor.expect_lua("return #require('acp_nvim').sessions()", 0)
    redo(editor, "nothing to redo: the session of that turn has ended")


def test_no_redo_over_a_later_turn_s_lines(open_editor: Open, tmp_path: Path) -> None:
    editor = two_turns(open_editor, tmp_path, [write(NOTES, join_lines([*TEN, "third"]))])
    undo(editor, "undone: 1 change in notes.txt (turn 1)", "undo turn 1")
    take_turn(editor, 3)
    editor.expect_lua(PENDING, 2)
    redo(editor, "not redone: turn 3 has written notes.txt since")
    editor.expect_lua(LINES, [*TEN, "third"])


def test_redo_after_a_turn_that_wrote_elsewhere(open_editor: Open, tmp_path: Path) -> None:
    editor = two_turns(open_editor, tmp_path, call_edit(B, write(B, "b\n")))
    undo(editor, "undone: 1 change in notes.txt (turn 1)", "undo turn 1")
    take_turn(editor, 3)
    editor.expect_lua(PENDING, 2)
    redo(editor, "redone: 1 change in notes.txt (turn 1)")
    editor.expect_lua(LINES, FIRST)
    editor.expect_lua(PENDING, 3)
    undo(editor, "undone: 1 change in b.txt (turn 3)")
    undo(editor, "undone: 1 change in a.txt (turn 2)")
    undo(editor, "undone: 1 change in notes.txt (turn 1)")


# Review of a turn -----------------------------------------------------------------------------------------------------


def test_a_turn_is_reviewed_as_a_whole(open_editor: Open, tmp_path: Path) -> None:
    editor = two_turns(open_editor, tmp_path)
    editor.type("5G,k")
    editor.expect_lua(PENDING, 1)
    for command, title, items in [
        ("review turn 1", "turn 1: notes.txt +1 −1", ["kept: +1 -1 first"]),
        ("review turn", "turn 2: a.txt +1 −1", ["+1 -1 A"]),
        ("review since", "turn 2: a.txt +1 −1", ["+1 -1 A"]),
        ("review", "turn 2: a.txt +1 −1", ["+1 -1 A"]),
        ("review session 1", "session 1: a.txt +1 −1", ["+1 -1 A"]),
        ("review 1", "session 1: a.txt +1 −1", ["+1 -1 A"]),
        ("review all", "all sessions: a.txt +1 −1", ["+1 -1 A"]),
    ]:
        editor.type(f":Acp {command}<CR>")
        editor.expect_lua("return vim.fn.getqflist({ title = 0 }).title", title)
        editor.expect_lua(ITEMS, items)
    completed = "return vim.fn.getcompletion(..., 'cmdline')"
    assert editor.lua(completed, "Acp review ") == ["turn", "session", "all", "since", "1"]
    assert editor.lua(completed, "Acp review session ") == ["1"]
    undo(editor, "nothing left to review in this turn", "review turn 8")
    undo(editor, "no session 8. Open: 1", "review session 8")
    undo(editor, "usage: :Acp review [turn [n]|session [n]|all|since]", "review everything")
