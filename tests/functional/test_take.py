"""What somebody else has changed becomes pending hunks over the working tree, in real repositories."""

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.script import on_prompt, script, wait_until
from tests.functional.editor import Editor
from tests.steps.conversation import expect_answerable, open_chat
from tests.steps.files import NOTES, join_lines, write
from tests.steps.review import PENDING, TEN
from tests.steps.trees import commit, git, tree

Open = Callable[..., Editor]
THEIRS = ["line 1", "LINE 2", *TEN[2:9], "line 10", "line 11"]


def repository(folder: Path, before: dict[str, bytes], after: dict[str, bytes | None]) -> None:
    """A repository whose branch `feature` has made `after` of `before`; HEAD is where it left."""
    folder.mkdir(exist_ok=True)
    put(folder, before)
    commit(folder)
    git(folder, "branch", "-M", "main")
    git(folder, "checkout", "-qb", "feature")
    put(folder, after)
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "feature", "--allow-empty")
    git(folder, "checkout", "-q", "main")


def put(folder: Path, files: dict[str, Any]) -> None:
    for name, data in files.items():
        path = folder / name
        if data is None:
            path.unlink()
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)


def lines(*texts: str) -> bytes:
    return join_lines(list(texts)).encode()


def start(
    open_editor: Open, before: dict[str, bytes], after: dict[str, bytes | None], **options: Any
) -> Editor:
    editor = open_editor(**options)
    repository(editor.project, before, after)
    return editor


def changes(editor: Editor) -> dict[str, list[tuple[list[str], list[str]]]]:
    """Return the old and new lines of all pending hunks, by the names of their files."""
    hunks = [(file, hunk) for file in editor.acp("changes") or [] for hunk in file["hunks"]]
    found: dict[str, list[tuple[list[str], list[str]]]] = {}
    for file, hunk in sorted(hunks, key=lambda each: each[1]["first"]):
        if hunk["state"] == "pending":
            found.setdefault(Path(file["path"]).name, []).append((hunk["old"], hunk["new"]))
    return found


def take(editor: Editor, source: str, **options: Any) -> int:
    """Take, and wait until that is over."""
    n = editor.acp("take", source, options)
    assert isinstance(n, int), n
    editor.wait_event("AcpTurnEnded", session=n)
    return n


@pytest.mark.every_nvim
def test_a_branch_is_pending_and_dropped_to_the_byte(open_editor: Open) -> None:
    crlf = lines(*TEN).replace(b"\n", b"\r\n")
    before = {
        "a.txt": lines(*TEN),
        "dos.txt": crlf,
        "end.txt": b"one\ntwo",
        "gone.txt": b"bye\n",
        "same.txt": b"s\n",
    }
    after: dict[str, bytes | None] = {
        "a.txt": lines(*THEIRS),
        "dos.txt": crlf.replace(b"line 5", b"LINE 5"),
        "end.txt": b"one\ntwo\nthree",
        "gone.txt": None,
        "new/deep.txt": b"new\nfile\n",
    }
    editor = start(open_editor, before, after)
    (editor.project / "a.txt").write_bytes(lines("mine", *TEN))  # not committed
    was = tree(editor.project)
    editor.type(":edit a.txt<CR>")
    editor.type(":Acp take feature<CR>")
    editor.screen.expect("taken: 5 files from feature · :Acp review")
    assert changes(editor) == {
        "a.txt": [(["line 2"], ["LINE 2"]), ([], ["line 11"])],
        "deep.txt": [([], ["new", "file"])],
        "dos.txt": [(["line 5"], ["LINE 5"])],
        "end.txt": [([], ["three"])],
        "gone.txt": [(["bye"], [])],
    }
    assert (editor.project / "a.txt").read_bytes() == lines("mine", *THEIRS)
    assert (editor.project / "dos.txt").read_bytes() == after["dos.txt"]
    assert (editor.project / "end.txt").read_bytes() == after["end.txt"]
    assert not (editor.project / "gone.txt").exists()
    [session] = editor.acp("sessions")
    assert (session["agent"], session["title"], session["state"]) == ("taken", "taken: feature", "idle")
    assert session["turn"] == 1
    editor.screen.expect("LINE 2")
    editor.type(":Acp drop<CR>")
    editor.screen.expect("undone: 6 changes in 5 files")
    editor.expect_lua(PENDING, 0)
    assert tree(editor.project) == was
    editor.expect_lua("return #require('acp_nvim').sessions()", 0)
    editor.type(":Acp drop<CR>")
    editor.screen.expect("nothing to drop")


@pytest.mark.every_nvim
def test_unsaved_lines_are_merged(open_editor: Open) -> None:
    editor = start(open_editor, {"a.txt": lines(*TEN)}, {"a.txt": lines(*THEIRS)})
    editor.type(":edit a.txt<CR>5Gomine<Esc>")
    take(editor, "feature")
    assert changes(editor) == {"a.txt": [(["line 2"], ["LINE 2"]), ([], ["line 11"])]}
    wanted = ["line 1", "LINE 2", *TEN[2:5], "mine", *TEN[5:9], "line 10", "line 11"]
    assert editor.lua("return vim.api.nvim_buf_get_lines(0, 0, -1, false)") == wanted
    editor.type("2G:Acp undo<CR>G:Acp keep<CR>")
    editor.expect_lua(PENDING, 0)
    assert editor.lua("return vim.api.nvim_buf_get_lines(0, 0, -1, false)")[1] == "line 2"


@pytest.mark.parametrize(("option", "second"), [("agent", "THEIRS 2"), ("mine", "mine 2"), (None, "mine 2")])
@pytest.mark.parametrize("is_open", [True, False], ids=["open", "closed"])
def test_a_place_that_both_have_changed_is_asked_about(
    open_editor: Open, option: str | None, second: str, is_open: bool
) -> None:
    theirs = ["line 1", "THEIRS 2", *TEN[2:9], "THEIRS 10"]
    editor = start(
        open_editor, {"a.txt": lines(*TEN), "b.txt": b"b\n"}, {"a.txt": lines(*theirs), "b.txt": b"B\n"}
    )
    mine = ["line 1", "mine 2", *TEN[2:]]
    (editor.project / "a.txt").write_bytes(lines(*mine))
    if is_open:
        editor.type(":edit a.txt<CR>")
    n = editor.acp("take", "feature")
    editor.wait_event("AcpQuestion", session=n)
    wait_until(lambda: "b.txt" in changes(editor))
    assert "a.txt" not in changes(editor)
    assert (editor.project / "a.txt").read_bytes() == lines(*mine)
    [asked] = editor.acp("questions", {"session": n})
    assert (asked["kind"], asked["session"]) == ("conflict", n)
    assert [each["id"] for each in asked["options"]] == ["agent", "mine", "merge"]
    if option is None:
        assert editor.acp("drop") is True
        editor.expect_lua(PENDING, 0)
        assert (editor.project / "a.txt").read_bytes() == lines(*mine)
        assert (editor.project / "b.txt").read_bytes() == b"b\n"
        return
    assert editor.acp("answer", asked["id"], option) is True
    editor.wait_event("AcpTurnEnded", session=n)
    last = (["line 10"], ["THEIRS 10"])
    first = [(["mine 2"], ["THEIRS 2"])] if option == "agent" else []
    assert changes(editor)["a.txt"] == [*first, last]
    assert (editor.project / "a.txt").read_bytes() == lines("line 1", second, *TEN[2:9], "THEIRS 10")


def test_a_conflict_is_answered_in_the_chat_of_the_take(open_editor: Open) -> None:
    editor = start(open_editor, {"a.txt": b"one\n"}, {"a.txt": b"ONE\n"})
    (editor.project / "a.txt").write_bytes(b"mine\n")
    n = editor.acp("take", "feature")
    editor.wait_event("AcpQuestion", session=n)
    editor.type(f":Acp open {n}<CR>")
    editor.screen.expect("conflict in a.txt")
    expect_answerable(editor)
    editor.type(":Acp accept<CR>")
    editor.wait_event("AcpTurnEnded", session=n)
    assert (editor.project / "a.txt").read_bytes() == b"ONE\n"


@pytest.mark.parametrize(("option", "is_there"), [("agent", False), ("mine", True)])
def test_a_file_that_is_deleted_there_and_changed_here_is_asked_about(
    open_editor: Open, option: str, is_there: bool
) -> None:
    editor = start(open_editor, {"a.txt": b"one\n", "b.txt": b"b\n"}, {"a.txt": None, "b.txt": b"B\n"})
    (editor.project / "a.txt").write_bytes(b"mine\n")
    n = editor.acp("take", "feature")
    editor.wait_event("AcpQuestion", session=n)
    [asked] = editor.acp("questions", {"session": n})
    assert editor.acp("answer", asked["id"], option) is True
    editor.wait_event("AcpTurnEnded", session=n)
    assert (editor.project / "a.txt").exists() is is_there
    assert editor.acp("drop") is True
    editor.expect_lua(PENDING, 0)
    assert (editor.project / "a.txt").read_bytes() == b"mine\n"


def test_a_commit_and_a_range(open_editor: Open) -> None:
    editor = start(open_editor, {"a.txt": lines(*TEN)}, {"a.txt": lines("first", *TEN)})
    git(editor.project, "checkout", "-q", "feature")
    put(editor.project, {"a.txt": lines("first", *TEN, "last")})
    git(editor.project, "commit", "-qam", "second")
    git(editor.project, "checkout", "-q", "main")
    take(editor, "feature~0")
    assert changes(editor) == {"a.txt": [([], ["last"])]}
    editor.type(":Acp drop all<CR>")
    editor.expect_lua(PENDING, 0)
    n = take(editor, "main..feature")
    assert changes(editor) == {"a.txt": [([], ["first"]), ([], ["last"])]}
    assert editor.acp("status", {"session": n})["title"] == "taken: main..feature"
    editor.type(":Acp undo all<CR>")
    editor.expect_lua(PENDING, 0)
    editor.acp("take", "feature..main")  # whose lines are not there: they cannot be taken away
    editor.screen.expect("nothing to take: your files have all of feature..main")
    assert (editor.project / "a.txt").read_bytes() == lines(*TEN)
    editor.expect_lua("return #require('acp_nvim').sessions()", 1)


def test_a_worktree_with_what_is_not_committed(open_editor: Open, tmp_path: Path) -> None:
    editor = start(open_editor, {"a.txt": lines(*TEN), "old.txt": b"old\n"}, {"a.txt": lines("first", *TEN)})
    other = tmp_path / "other tree"
    git(editor.project, "worktree", "add", "-q", str(other), "feature")
    put(other, {"a.txt": lines("first", *TEN, "last"), "new.txt": b"new\n", "old.txt": None})
    editor.type(f":Acp take {other}<CR>")
    editor.screen.expect("taken: 3 files from")
    assert changes(editor) == {
        "a.txt": [([], ["first"]), ([], ["last"])],
        "new.txt": [([], ["new"])],
        "old.txt": [(["old"], [])],
    }


def test_of_a_patch_with_a_hunk_that_does_not_fit_nothing_is_taken(open_editor: Open, tmp_path: Path) -> None:
    before = {"a.txt": lines(*TEN), "b.txt": lines(*TEN), "dos.txt": lines(*TEN).replace(b"\n", b"\r\n")}
    editor = start(open_editor, before, {})
    put(editor.project, {"b.txt": lines("line 1", "other", *TEN[2:])})
    hunks = (
        "@@ -1,3 +1,3 @@\n line 1\n-line 2\n+LINE 2\n line 3\n@@ -9,2 +9,3 @@\n line 9\n line 10\n+line 11\n"
    )
    names = ("a.txt", "b.txt", "dos.txt")
    patch = "".join(f"--- a/{name}\n+++ b/{name}\n{hunks}" for name in names)
    patch += "--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1 @@\n+new\n\\ No newline at end of file\n"
    (tmp_path / "x.patch").write_text(patch)
    editor.type(":edit a.txt<CR>Omine<Esc>")
    editor.type(f":Acp take {tmp_path}/x.patch<CR>")
    editor.screen.expect("left: b.txt (a hunk does not fit)")
    added = [(["line 2"], ["LINE 2"]), ([], ["line 11"])]
    assert changes(editor) == {"a.txt": added, "dos.txt": added, "new.txt": [([], ["new"])]}
    assert (editor.project / "new.txt").read_bytes() == b"new"
    wanted = lines(*THEIRS).replace(b"\n", b"\r\n")
    assert (editor.project / "dos.txt").read_bytes() == wanted
    assert editor.lua("return vim.api.nvim_buf_get_lines(0, 0, 3, false)") == ["mine", "line 1", "LINE 2"]


def test_a_patch_of_git_is_merged_with_the_text_it_was_made_from(open_editor: Open, tmp_path: Path) -> None:
    editor = start(open_editor, {"a.txt": lines(*TEN)}, {"a.txt": lines(*THEIRS)})
    with open(tmp_path / "f.patch", "w") as file:
        subprocess.run(["git", "diff", "main", "feature"], cwd=editor.project, stdout=file, check=True)
    put(editor.project, {"a.txt": lines("line 1", "mine", *TEN[2:])})
    n = editor.acp("take", str(tmp_path / "f.patch"))
    editor.wait_event("AcpQuestion", session=n)
    [asked] = editor.acp("questions", {"session": n})
    assert editor.acp("answer", asked["id"], "mine") is True
    editor.wait_event("AcpTurnEnded", session=n)
    assert changes(editor) == {"a.txt": [([], ["line 11"])]}


def test_links_modes_and_binary_files_are_named(open_editor: Open) -> None:
    editor = start(open_editor, {"run.sh": b"x\n", "a.png": b"\x00\x01", "l": b"text\n", "t": b"t\n"}, {})
    git(editor.project, "checkout", "-q", "feature")
    (editor.project / "run.sh").chmod(0o755)
    put(editor.project, {"a.png": b"\x00\x02", "t": b"T\n"})
    (editor.project / "l").unlink()
    (editor.project / "l").symlink_to("t")
    git(editor.project, "commit", "-qam", "odd")
    git(editor.project, "checkout", "-q", "main")
    was = tree(editor.project)
    n = take(editor, "feature")
    assert changes(editor) == {"t": [(["t"], ["T"])]}
    editor.screen.expect("left: a.png (binary), l (link), run.sh (mode)")
    editor.type(":Acp drop<CR>")
    editor.expect_lua(PENDING, 0)
    assert tree(editor.project) == was
    assert n == 1


@pytest.mark.parametrize("option", ["once", "no"])
def test_what_lies_outside_or_behind_a_link_is_asked_about(
    open_editor: Open, tmp_path: Path, option: str
) -> None:
    editor = start(open_editor, {"in/a.txt": b"a\n", "b.txt": b"b\n"}, {"in/a.txt": b"A\n", "b.txt": b"B\n"})
    n = editor.acp("take", "feature", {"cwd": str(editor.project / "in")})
    editor.wait_event("AcpQuestion", session=n)
    [asked] = editor.acp("questions", {"session": n})
    assert asked["kind"] == "outside"
    assert asked["path"] == str(editor.project / "b.txt")
    assert editor.acp("answer", asked["id"], option) is True
    editor.wait_event("AcpTurnEnded", session=n)
    assert (editor.project / "b.txt").read_bytes() == (b"B\n" if option == "once" else b"b\n")
    assert (editor.project / "in/a.txt").read_bytes() == b"A\n"


def test_a_link_in_the_way_is_asked_about(open_editor: Open) -> None:
    editor = start(open_editor, {"in/a.txt": b"a\n"}, {"in/a.txt": b"A\n"})
    (editor.project / "in").rename(editor.project / "real")
    (editor.project / "in").symlink_to("real")
    n = editor.acp("take", "feature")
    editor.wait_event("AcpQuestion", session=n)
    [asked] = editor.acp("questions", {"session": n})
    assert asked["kind"] == "outside"
    assert "through a link" in asked["title"]


@pytest.mark.parametrize(
    "source", ["--output=x", "-q", "nowhere", "a..nowhere", "main..--upload-pack=x", "\n", "", "x.patch"]
)
def test_what_is_no_source_is_said_in_one_line(open_editor: Open, source: str) -> None:
    editor = start(open_editor, {"a.txt": b"a\n"}, {})
    (editor.project / "x.patch").write_text("@@ nonsense\n")
    n = editor.acp("take", source)
    if n is not None:
        editor.screen.expect("nothing taken: ")
        editor.expect_lua("return #require('acp_nvim').sessions()", 0)
    assert not (editor.project / "x").exists()
    assert editor.acp("changes") == []


def test_it_is_no_conversation_and_reviewed_by_whoever_reviews(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path, on_prompt("", write(NOTES, "agent\n")))
    editor = open_chat(open_editor, agent)
    repository(editor.project, {"a.txt": b"a\n", "notes.txt": b"n\n"}, {"a.txt": b"A\n"})
    n = take(editor, "feature")
    assert editor.acp("status")["agent"] != "taken"
    assert editor.acp("prompt", "hello", {"session": n}) is None
    editor.acp("prompt", "edit")
    editor.expect_lua(PENDING, 2)
    assert set(changes(editor)) == {"a.txt", "notes.txt"}
    assert len(editor.acp("changes", {"session": n})) == 1
    editor.type("<C-w>t:Acp undo turn<CR>")  # the newest by time
    editor.expect_lua(PENDING, 1)
    assert set(changes(editor)) == {"a.txt"}
    editor.type(":Acp keep all<CR>")
    editor.expect_lua(PENDING, 0)
    assert (editor.project / "a.txt").read_bytes() == b"A\n"


def test_the_newest_take_is_dropped_first(open_editor: Open) -> None:
    editor = start(open_editor, {"a.txt": lines(*TEN)}, {"a.txt": lines("first", *TEN)})
    git(editor.project, "checkout", "-qb", "other", "main")
    put(editor.project, {"a.txt": lines(*TEN, "last")})
    git(editor.project, "commit", "-qam", "other")
    git(editor.project, "checkout", "-q", "main")
    take(editor, "feature")
    take(editor, "other")
    assert changes(editor) == {"a.txt": [([], ["first"]), ([], ["last"])]}
    editor.type(":Acp drop<CR>")
    editor.expect_lua(PENDING, 1)
    assert changes(editor) == {"a.txt": [([], ["first"])]}
    editor.type(":Acp drop<CR>")
    editor.expect_lua(PENDING, 0)
    assert (editor.project / "a.txt").read_bytes() == lines(*TEN)
