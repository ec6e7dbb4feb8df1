"""What agents change beside lines is in review and in undo: modes, links, files that are no text or empty."""

import os
import shutil
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.fakes.script import on_prompt, request, run_command, script
from tests.functional.editor import Editor
from tests.steps.commands import begin, take_turn, undo_turn
from tests.steps.files import open_notes, read
from tests.steps.messages import expect_no_prompt
from tests.steps.review import PENDING
from tests.steps.trees import Tree, commit, tree

Open = Callable[..., Editor]
PICTURE, OTHER = b"\x89PNG\r\n\x1a\n\0" + b"a" * 12000, b"\x89PNG\r\n\x1a\n\0" + b"b" * 9000

ALONE = {
    "a mode": ("chmod 600 a.txt", "a.txt", "mode 644 → 600"),
    "the mode of a picture": ("chmod 755 p.png", "p.png", "mode 644 → 755"),
    "a picture": ("cp q.png p.png", "p.png", "binary, 12 → 9 KB"),
    "a new picture": ("cp p.png n.png", "n.png", "new, binary, 12 KB"),
    "a picture that is removed": ("rm p.png", "p.png", "deleted, binary, 12 KB"),
    "a new link": ("ln -s a.txt n.txt", "n.txt", "new, link to a.txt"),
    "a link that is removed": ("rm l.txt", "l.txt", "deleted, link to a.txt"),
    "a link that leads elsewhere": ("ln -sf b.txt l.txt", "l.txt", "link a.txt → b.txt"),
    "a link to a folder": ("ln -sfn sub d.lnk", "d.lnk", "link . → sub"),
    "a new empty file": ("touch n.txt", "n.txt", "new, empty"),
    "an empty file that is removed": ("rm e.txt", "e.txt", "deleted, empty"),
    "a picture that becomes a text": ("cp a.txt p.png", "p.png", "binary, 12 KB → text"),
    "a text that becomes a picture": ("cp p.png a.txt", "a.txt", "text → binary, 12 KB"),
    "a link that becomes a text": ("rm l.txt; cp b.txt l.txt", "l.txt", "link to a.txt → text"),
    "line ends": ("printf 'b\\r\\nb\\r\\n' > b.txt", "b.txt", "line ends LF → CRLF"),
    "line ends that go": ("printf 'w\\nw\\n' > w.txt", "w.txt", "line ends CRLF → LF"),
    "a byte order mark": ("printf '\\357\\273\\277a\\n' > a.txt", "a.txt", "BOM added"),
    "a byte order mark that goes": ("printf 'm\\n' > m.txt", "m.txt", "BOM removed"),
    "line ends and a mark": (
        "printf '\\357\\273\\277b\\r\\nb\\r\\n' > b.txt",
        "b.txt",
        "line ends LF → CRLF, BOM added",
    ),
    "a link that becomes a picture": ("rm l.txt; cp p.png l.txt", "l.txt", "link to a.txt → binary, 12 KB"),
}


def lay_out(editor: Editor) -> None:
    """Files that are no text beside a.txt and b.txt."""
    (editor.project / "p.png").write_bytes(PICTURE)
    (editor.project / "q.png").write_bytes(OTHER)
    (editor.project / "e.txt").touch()
    (editor.project / "w.txt").write_bytes(b"w\r\nw\r\n")
    (editor.project / "m.txt").write_bytes(b"\xef\xbb\xbfm\n")
    (editor.project / "l.txt").symlink_to("a.txt")
    (editor.project / "d.lnk").symlink_to(".")
    (editor.project / "sub").mkdir()
    (editor.project / "sub" / "x.txt").write_text("x\n")


@pytest.mark.parametrize("is_repository", [True, False])
@pytest.mark.parametrize("way", ALONE)
def test_what_has_no_lines_is_a_hunk_with_a_note(
    open_editor: Open, tmp_path: Path, way: str, is_repository: bool
) -> None:
    command, name, note = ALONE[way]
    steps = run_command(command, read("{cwd}/notes.txt"))
    editor = begin(open_editor, tmp_path, *steps, a__txt="a\n", b__txt="b\nb\n")
    lay_out(editor)
    if is_repository:
        commit(editor.project)
    else:
        shutil.rmtree(editor.project / ".git")
    before = take_turn(editor)
    assert tree(editor.project) != before
    editor.expect_lua("return #require('acp_nvim').changes()", 1)
    change = editor.acp("changes")[0]
    assert os.path.basename(change["path"]) == name
    assert [(h["old"], h["new"], h["note"]) for h in change["hunks"]] == [([], [], note)]
    assert change["hunks"][0]["call"]["title"] == command
    undo_turn(editor, before)


LISTED = "return vim.tbl_map(function(i) return i.text end, vim.fn.getqflist())"


def begin_turn(open_editor: Open, tmp_path: Path, command: str, count: int = 1) -> tuple[Editor, Tree]:
    """One turn has run a command. Return the tree as it was before."""
    steps = run_command(command, read("{cwd}/notes.txt"))
    editor = begin(open_editor, tmp_path, *steps, a__txt="a\n", b__txt="b\nb\n")
    lay_out(editor)
    commit(editor.project)
    before = take_turn(editor)
    editor.expect_lua("return #require('acp_nvim').changes()", count)
    return editor, before


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_mode_is_reviewed_and_undone_in_its_buffer(open_editor: Open, tmp_path: Path) -> None:
    editor, before = begin_turn(open_editor, tmp_path, "chmod 755 a.txt")
    editor.type(":Acp open<CR>")
    editor.screen.expect("± a.txt mode 644 → 755")
    editor.type(":wincmd p<CR>:Acp review<CR>")
    editor.expect_lua(LISTED, ["mode 644 → 755"])
    editor.expect_lua("return vim.fn.expand('%:t')", "a.txt")
    editor.screen.expect(
        lambda screen: screen.text().count("mode 644 → 755") == 2
    )  # in the chat, above the text
    editor.type("\\u")
    editor.expect_lua(PENDING, 0)
    assert tree(editor.project) == before
    editor.screen.expect("± undone 1")


def test_a_mode_that_is_kept_is_not_undone(open_editor: Open, tmp_path: Path) -> None:
    editor, _ = begin_turn(open_editor, tmp_path, "chmod 755 a.txt; cp q.png p.png", 2)
    hunks = {Path(each["path"]).name: each["hunks"][0]["id"] for each in editor.acp("changes")}
    assert editor.acp("keep", hunks["a.txt"])
    editor.expect_lua(PENDING, 1)
    assert editor.acp("undo", hunks["p.png"])
    editor.expect_lua(PENDING, 0)
    states = {Path(each["path"]).name: each["hunks"][0]["state"] for each in editor.acp("changes")}
    assert states == {"a.txt": "kept", "p.png": "undone"}
    assert mode_of(editor.project / "a.txt") == 0o755
    assert (editor.project / "p.png").read_bytes() == PICTURE


def test_lines_and_a_mode_are_decided_apart_and_undone_together(open_editor: Open, tmp_path: Path) -> None:
    editor, before = begin_turn(open_editor, tmp_path, "chmod 600 a.txt; echo more >> a.txt")
    assert [(h["new"], h.get("note")) for h in editor.acp("changes")[0]["hunks"]] == [
        ([], "mode 644 → 600"),
        (["more"], None),
    ]
    assert editor.acp("undo", editor.acp("changes")[0]["hunks"][1]["id"])
    editor.expect_lua(PENDING, 1)
    path = editor.project / "a.txt"
    assert (path.read_text(), mode_of(path)) == ("a\n", 0o600)
    undo_turn(editor, before)


def test_what_is_made_empty_and_then_written_is_one_change(open_editor: Open, tmp_path: Path) -> None:
    new = "mkdir -p new && touch new/n.txt"
    write, made = "echo x >> new/n.txt", "{cwd}/new/n.txt"
    steps = [*run_command(new, id="one"), read(made), *run_command(write, id="two"), read(made)]
    editor = begin(open_editor, tmp_path, *steps, a__txt="a\n")
    before = take_turn(editor)
    editor.expect_lua("return #(((require('acp_nvim').changes()[1] or {}).hunks or {{}})[1].new or {})", 1)
    change = editor.acp("changes")[0]
    assert (change["created"], [hunk["new"] for hunk in change["hunks"]]) == (True, [["x"]])
    editor.type(":Acp undo turn<CR>")
    editor.screen.expect("undone: 1 change in n.txt")
    assert tree(editor.project) == before


def test_each_turn_takes_back_its_own_mode_and_bytes(open_editor: Open, tmp_path: Path) -> None:
    agent = script(
        tmp_path,
        on_prompt("one", *run_command("chmod 755 a.txt; cp q.png p.png", read("{cwd}/notes.txt"))),
        on_prompt("two", *run_command("chmod 700 a.txt; cp e.txt p.png", read("{cwd}/notes.txt"))),
    )
    editor = open_notes(open_editor, agent, "notes\n", size=(140, 30))
    lay_out(editor)
    (editor.project / "a.txt").write_text("a\n")
    trees = [tree(editor.project)]
    for n, prompt in enumerate(("one", "two"), 1):
        editor.acp("prompt", prompt)
        editor.wait_event("AcpTurnEnded", turn=n)
        editor.expect_lua(PENDING, 2)
        trees.append(tree(editor.project))
    for n in (1, 0):
        editor.type(":Acp undo turn<CR>")
        editor.screen.expect(f"undone: 2 changes in 2 files (turn {n + 1})")
        assert tree(editor.project) == trees[n]
    editor.expect_lua(PENDING, 0)


def test_folders_with_pictures_come_and_go(open_editor: Open, tmp_path: Path) -> None:
    command = "rm -r pics && mkdir -p new/deep && cp p.png new/deep/n.png"
    editor = begin(open_editor, tmp_path, *run_command(command), a__txt="a\n")
    lay_out(editor)
    (editor.project / "pics").mkdir()
    (editor.project / "pics" / "one.png").write_bytes(OTHER)
    commit(editor.project)
    (editor.project / "pics").chmod(0o750)
    before = take_turn(editor)
    editor.expect_lua("return #require('acp_nvim').changes()", 2)
    undo_turn(editor, before)


def change_bytes(project: Path) -> None:
    (project / "p.png").write_bytes(PICTURE + b"more")


def change_mode(project: Path) -> None:
    (project / "a.txt").chmod(0o700)


def lead_elsewhere(project: Path) -> None:
    (project / "l.txt").unlink()
    (project / "l.txt").symlink_to("e.txt")


def put_link(project: Path) -> None:
    """It leads to a file with the same bytes, which is not the agent's."""
    (project / "p.png").rename(project / "kept.png")
    (project / "p.png").symlink_to("kept.png")


def put_folder(project: Path) -> None:
    (project / "p.png").unlink()
    (project / "p.png").mkdir()


@pytest.mark.parametrize(
    ("command", "name", "change", "why"),
    [
        ("cp q.png p.png", "p.png", change_bytes, "changed since"),
        ("cp q.png p.png", "p.png", put_link, "changed since"),
        ("cp q.png p.png", "p.png", put_folder, "a folder now"),
        ("chmod 755 a.txt", "a.txt", change_mode, "changed since"),
        ("ln -sf b.txt l.txt", "l.txt", lead_elsewhere, "changed since"),
        (
            "cp p.png n.png",
            "n.png",
            lambda project: (project / "n.png").write_text("mine\n"),
            "changed since",
        ),
    ],
)
def test_what_has_changed_since_is_left(
    open_editor: Open,
    tmp_path: Path,
    command: str,
    name: str,
    change: Callable[[Path], object],
    why: str,
) -> None:
    editor, _ = begin_turn(open_editor, tmp_path, command)
    change(editor.project)
    now = tree(editor.project)
    editor.type(":Acp undo turn<CR>")
    editor.screen.expect(f"left: {why}: {name}")
    assert tree(editor.project) == now
    editor.expect_lua(PENDING, 1)


@pytest.mark.parametrize("is_loaded", [True, False])
def test_lines_are_not_undone_through_a_link_that_came_since(
    open_editor: Open, tmp_path: Path, is_loaded: bool
) -> None:
    """It leads to a file with the same text, which is not the agent's."""
    editor, _ = begin_turn(open_editor, tmp_path, "echo more >> a.txt")
    if is_loaded:
        editor.type(":edit a.txt<CR>")
        editor.expect_lua(PENDING, 1)
    (editor.project / "a.txt").rename(editor.project / "kept.txt")
    (editor.project / "a.txt").symlink_to("kept.txt")
    now = tree(editor.project)
    editor.type(":Acp undo all<CR>")
    editor.screen.expect("a.txt: not undone: a link has come into its path")
    assert tree(editor.project) == now


def test_unsaved_lines_are_not_overwritten(open_editor: Open, tmp_path: Path) -> None:
    editor, before = begin_turn(open_editor, tmp_path, "rm e.txt; cp b.txt e.txt; cp q.png p.png", 2)
    editor.type(":edit p.png<CR>Omine<Esc>")
    editor.expect_lua("return vim.bo.modified")
    editor.type(":Acp undo turn<CR>")
    editor.screen.expect("left: its buffer has unsaved lines, :w or :e! first: p.png")
    assert (editor.project / "p.png").read_bytes() == OTHER
    editor.type(":edit!<CR>")
    editor.expect_lua("return vim.bo.modified", False)
    undo_turn(editor, before)
    editor.expect_lua("return vim.fn.getline(3):find('aaaa') ~= nil")


@pytest.mark.parametrize("large", [b"\0" * (1 << 20) + b"1", b"line\n" * (1 << 18)])
def test_a_large_file_is_left_and_said(open_editor: Open, tmp_path: Path, large: bytes) -> None:
    """A picture, and a text in whose place there is one now."""
    steps = run_command("cp p.png large.png", read("{cwd}/notes.txt"))
    editor = begin(open_editor, tmp_path, *steps, a__txt="a\n")
    lay_out(editor)
    (editor.project / "large.png").write_bytes(large)
    take_turn(editor)
    editor.expect_lua("return #require('acp_nvim').changes()", 1)
    assert editor.acp("changes")[0]["unknown"]
    editor.type(":Acp undo turn<CR>")
    editor.screen.expect("earlier text unknown: large.png")
    assert (editor.project / "large.png").read_bytes() == PICTURE


@pytest.mark.parametrize(
    "way",
    [
        "a mode",
        "line ends",
        "line ends that go",
        "a byte order mark",
        "a byte order mark that goes",
        "a picture",
        "a picture that is removed",
        "a new empty file",
        "an empty file that is removed",
        "a text that becomes a picture",
        "a picture that becomes a text",
    ],
)
def test_a_file_that_is_open_is_put_back_and_asks_nothing(
    open_editor: Open, tmp_path: Path, way: str
) -> None:
    command, name, _ = ALONE[way]
    editor = begin(open_editor, tmp_path, *run_command(command, read("{cwd}/notes.txt")), a__txt="a\n")
    lay_out(editor)
    commit(editor.project)
    editor.type(f":edit {name}<CR>")
    editor.expect_lua("return vim.fn.expand('%:t')", name)
    lines = editor.lua("return vim.fn.getline(1, '$')")
    before = take_turn(editor)
    editor.expect_lua("return #require('acp_nvim').changes()", 1)
    undo_turn(editor, before)
    editor.expect_lua("return vim.fn.getline(1, '$')", lines)
    editor.type(":checktime<CR>")
    editor.expect_lua("return vim.bo.modified", False)
    expect_no_prompt(editor)


@pytest.mark.parametrize("way", ALONE)
def test_the_undo_of_a_turn_is_taken_back(open_editor: Open, tmp_path: Path, way: str) -> None:
    command, name, _ = ALONE[way]
    editor, before = begin_turn(open_editor, tmp_path, command)
    after = tree(editor.project)
    undo_turn(editor, before)
    editor.type(":Acp redo<CR>")
    editor.screen.expect(f"redone: 1 change in {name} (turn 1)")
    editor.expect_lua(PENDING, 1)
    assert tree(editor.project) == after
    undo_turn(editor, before)


def test_a_picture_that_was_moved_is_one_change(open_editor: Open, tmp_path: Path) -> None:
    editor, before = begin_turn(open_editor, tmp_path, "mv p.png n.png", 2)
    undo_turn(editor, before)
    editor.screen.expect("undone: 1 change in p.png (turn 1)")


def test_lines_and_a_mode_are_redone(open_editor: Open, tmp_path: Path) -> None:
    editor, before = begin_turn(open_editor, tmp_path, "chmod 600 a.txt; echo more >> a.txt")
    after = tree(editor.project)
    undo_turn(editor, before)
    editor.type(":Acp redo<CR>")
    editor.screen.expect("redone: 2 changes in a.txt (turn 1)")
    assert tree(editor.project) == after
    editor.expect_lua(PENDING, 2)


def test_a_link_and_what_it_leads_to_have_their_own_names(open_editor: Open, tmp_path: Path) -> None:
    editor, before = begin_turn(open_editor, tmp_path, "chmod 755 a.txt; ln -sf b.txt l.txt", 2)
    notes = {Path(each["path"]).name: each["hunks"][0]["note"] for each in editor.acp("changes")}
    assert notes == {"a.txt": "mode 644 → 755", "l.txt": "link a.txt → b.txt"}
    undo_turn(editor, before)


TO_DOS = "printf 'b\\r\\nb\\r\\n' > b.txt"


@pytest.mark.parametrize("is_loaded", [True, False])
def test_line_ends_are_undone_below_what_the_user_has_written_since(
    open_editor: Open, tmp_path: Path, is_loaded: bool
) -> None:
    editor, _ = begin_turn(open_editor, tmp_path, TO_DOS)
    path = editor.project / "b.txt"
    if is_loaded:
        editor.type(":edit b.txt<CR>Gosaved<Esc>:w<CR>")
        editor.expect_lua("return vim.bo.modified", False)
        editor.type("Ounsaved<Esc>")
    else:
        path.write_bytes(b"b\r\nb\r\nsaved\r\n")
    editor.type(":Acp undo turn<CR>")
    editor.screen.expect("undone: 1 change in b.txt (turn 1)")
    assert path.read_bytes() == b"b\nb\nsaved\n"
    editor.expect_lua(PENDING, 0)
    if is_loaded:
        editor.type(":w<CR>")
        editor.expect_lua("return vim.bo.modified", False)
        assert path.read_bytes() == b"b\nb\nunsaved\nsaved\n"


def test_line_ends_that_changed_since_are_left(open_editor: Open, tmp_path: Path) -> None:
    """The user's own mark came beside the agent's line ends."""
    editor, _ = begin_turn(open_editor, tmp_path, TO_DOS)
    editor.type(":edit b.txt<CR>:set bomb | write<CR>")
    editor.expect_lua("return vim.bo.modified", False)
    editor.type(":Acp undo turn<CR>")
    editor.screen.expect("left: changed since: b.txt")
    assert (editor.project / "b.txt").read_bytes() == b"\xef\xbb\xbfb\r\nb\r\n"


def take_turns(open_editor: Open, tmp_path: Path, *commands: str) -> tuple[Editor, list[Tree]]:
    """Each turn runs a command that changes b.txt. Return the trees as they were before each."""
    turns = [
        on_prompt(f"go {n}", *run_command(command, read("{cwd}/notes.txt")))
        for n, command in enumerate(commands, 1)
    ]
    editor = open_notes(open_editor, script(tmp_path, *turns), "notes\n", size=(140, 30))
    (editor.project / "b.txt").write_text("b\nb\n")
    commit(editor.project)
    trees = []
    for n in range(1, len(commands) + 1):
        trees.append(tree(editor.project))
        editor.acp("prompt", f"go {n}")
        editor.wait_event("AcpTurnEnded", turn=n)
    return editor, trees


NOTES = """
local hunks = (require('acp_nvim').changes()[1] or { hunks = {} }).hunks
return vim.tbl_map(function(hunk) return hunk.note or table.concat(hunk.new, ' ') end, hunks)
"""


@pytest.mark.parametrize("newest_first", [True, False])
def test_turns_take_back_lines_and_line_ends_in_any_order(
    open_editor: Open, tmp_path: Path, newest_first: bool
) -> None:
    editor, trees = take_turns(open_editor, tmp_path, TO_DOS, "printf 'more\\r\\n' >> b.txt")
    editor.expect_lua(NOTES, ["line ends LF → CRLF", "more"])
    path = editor.project / "b.txt"
    for turn in (2, 1) if newest_first else (1, 2):
        editor.type(f":Acp undo turn {turn}<CR>")
        editor.screen.expect(f"undone: 1 change in b.txt (turn {turn})")
        between = b"b\r\nb\r\n" if newest_first else b"b\nb\nmore\n"
        assert path.read_bytes() == (between if turn == (2 if newest_first else 1) else b"b\nb\n")
    assert tree(editor.project) == trees[0]


def test_line_ends_that_came_with_lines_and_went_alone_are_as_they_were(
    open_editor: Open, tmp_path: Path
) -> None:
    to_unix = "printf 'b\\nb\\nmore\\n' > b.txt"
    editor, trees = take_turns(open_editor, tmp_path, TO_DOS + "; printf 'more\\r\\n' >> b.txt", to_unix)
    editor.expect_lua(NOTES, ["more"])
    editor.type(":Acp undo all<CR>")
    editor.expect_lua(PENDING, 0)
    assert tree(editor.project) == trees[0]


def test_line_ends_that_are_kept_stay_when_lines_are_undone(open_editor: Open, tmp_path: Path) -> None:
    editor, _ = take_turns(open_editor, tmp_path, TO_DOS, "printf 'more\\r\\n' >> b.txt")
    editor.expect_lua(NOTES, ["line ends LF → CRLF", "more"])
    assert editor.acp("keep", editor.acp("changes")[0]["hunks"][0]["id"])
    editor.type(":Acp undo all<CR>")
    editor.expect_lua(PENDING, 0)
    assert (editor.project / "b.txt").read_bytes() == b"b\r\nb\r\n"


@pytest.mark.parametrize("is_loaded", [True, False])
def test_a_byte_order_mark_that_an_agent_writes_through_us_is_undone(
    open_editor: Open, tmp_path: Path, is_loaded: bool
) -> None:
    write = {"sessionId": "{session}", "path": "{cwd}/a.txt", "content": "\ufeffa\n"}
    editor = begin(open_editor, tmp_path, request("fs/write_text_file", write), a__txt="a\n")
    if is_loaded:
        editor.type(":edit a.txt<CR>")
        editor.expect_lua("return vim.fn.expand('%:t')", "a.txt")
    before = take_turn(editor)
    assert (editor.project / "a.txt").read_bytes() == b"\xef\xbb\xbfa\n"
    editor.expect_lua(NOTES, ["BOM added"])
    undo_turn(editor, before)
    editor.type(":Acp redo<CR>")
    editor.screen.expect("redone: 1 change in a.txt (turn 1)")
    assert (editor.project / "a.txt").read_bytes() == b"\xef\xbb\xbfa\n"
