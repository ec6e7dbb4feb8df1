"""What commands of an agent have done to files is in review with the command's name, and `undo turn` takes it back."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.fakes.script import (
    mark,
    obey,
    on_prompt,
    request,
    run_command,
    script,
    tool,
    touch,
    wait_file,
    wait_until,
    write_file,
)
from tests.functional.editor import Editor
from tests.steps.commands import begin, take_turn, undo_turn
from tests.steps.files import call_edit, open_notes, read
from tests.steps.review import PENDING
from tests.steps.terminals import create_terminal
from tests.steps.trees import commit, lay_out, tree

Open = Callable[..., Editor]


def test_a_file_that_is_moved_and_then_edited_is_back_under_its_name(
    open_editor: Open, tmp_path: Path
) -> None:
    move, receipt = "git mv report.py receipt.py", "{cwd}/receipt.py"
    editor = begin(
        open_editor,
        tmp_path,
        *call_edit("{cwd}/report.py", read("{cwd}/report.py"), id="look"),
        *run_command(move),
        *call_edit(receipt, read(receipt), id="look again"),
        *call_edit(receipt, read(receipt), write_file(receipt, "def receipt\nend\n")),
        report__py="def report\nend\n",
    )
    before = take_turn(editor)
    editor.expect_lua("return #require('acp_nvim').changes()", 2)
    receipt_py, report_py = editor.acp("changes")
    assert (receipt_py["created"], report_py["deleted"]) == (True, True)
    assert report_py["hunks"][0]["call"] == {"id": "run", "title": move}
    undo_turn(editor, before)


@pytest.mark.parametrize(
    ("command", "count"),
    [
        ("for n in a b new; do echo new >> $n.txt; done", 3),
        ("rm a.txt b.txt", 2),
        ("mv a.txt c.txt && cp b.txt d.txt", 3),
        ("sed -i s/./x/ *.txt", 3),
        ("for n in b; do ln -sf a.txt $n.txt; done", 1),
    ],
)
def test_what_a_command_does_is_undone_as_a_whole(
    open_editor: Open, tmp_path: Path, command: str, count: int
) -> None:
    editor = begin(open_editor, tmp_path, *run_command(command), a__txt="a\n", b__txt="b\nb\n")
    before = take_turn(editor)
    assert tree(editor.project) != before
    editor.expect_lua("return #require('acp_nvim').changes()", count)
    changes = editor.acp("changes")
    assert {each["by"] for each in changes} == {"agent"}
    assert {hunk["call"]["title"] for each in changes for hunk in each["hunks"]} == {command}
    undo_turn(editor, before)


@pytest.mark.parametrize("is_shown", [True, False])
@pytest.mark.parametrize("folder", ["", "sub"])
@pytest.mark.parametrize("is_repository", [True, False])
def test_a_command_that_runs_through_us_names_its_changes(
    open_editor: Open, tmp_path: Path, is_repository: bool, folder: str, is_shown: bool
) -> None:
    """Whether or not a call shows its terminal."""
    command, terminal = "sed -i s/a/x/ a.txt && mv b.txt c.txt", "terminal-1"
    shown = tool("call", title="run", kind="execute", content=[{"type": "terminal", "terminalId": terminal}])
    agent = script(
        tmp_path,
        on_prompt(
            "",
            create_terminal(f"until [ -e {tmp_path}/go ]; do :; done; {command}", cwd=f"{{cwd}}/{folder}"),
            *[shown] * is_shown,
            touch(str(tmp_path / "go")),
            request("terminal/wait_for_exit", {"sessionId": "{session}", "terminalId": terminal}),
        ),
    )
    editor = open_notes(open_editor, agent, "notes\n", size=(140, 30))
    lay_out(editor.project, {f"{folder}/{name}.txt".lstrip("/"): f"{name}\n" for name in "ab"})
    if is_repository:
        commit(editor.project)
    before = take_turn(editor)
    editor.expect_lua("return #require('acp_nvim').changes()", 3)
    hunks = [hunk for each in editor.acp("changes") for hunk in each["hunks"]]
    assert {hunk["call"]["id"] for hunk in hunks} == {"call" if is_shown else terminal}
    assert all(hunk["call"]["title"].endswith(command) for hunk in hunks)
    undo_turn(editor, before)


def test_each_of_two_sessions_undoes_its_own(open_editor: Open, tmp_path: Path) -> None:
    """One agent counts, and is cancelled when the other one has long written a file."""
    orders = tmp_path / "orders"
    orders.touch()
    agent = script(
        tmp_path,
        on_prompt("count", obey(str(orders))),
        on_prompt(
            "write",
            *run_command("echo price > price.py", read("{cwd}/notes.txt")),
            *call_edit("{cwd}/notes.txt", id="e"),
        ),
    )
    editor = open_notes(open_editor, agent, size=(140, 30))
    editor.acp("prompt", "count")
    editor.expect_lua("return require('acp_nvim').status().state", "running")
    editor.acp("new_session")
    editor.expect_lua("return require('acp_nvim').status({ session = 2 }).state", "idle")
    editor.acp("prompt", "write", {"session": 2})
    editor.wait_event("AcpTurnEnded", session=2)
    wait_until(lambda: (editor.project / "price.py").exists())
    orders.write_text('["end"]\n')
    editor.wait_event("AcpTurnEnded", session=1)
    editor.expect_lua("return #require('acp_nvim').changes({ session = 2 })", 1)
    assert editor.acp("changes", {"session": 1}) == []
    assert [each["by"] for each in editor.acp("changes", {"session": 2})] == ["agent"]
    editor.type(":Acp undo turn<CR>")
    editor.screen.expect("undone: 1 change in price.py")
    assert not (editor.project / "price.py").exists()


def test_what_changes_long_after_the_call_that_named_the_file_is_another_program_s(
    open_editor: Open, tmp_path: Path
) -> None:
    """The agent works on in that turn, and no call of it runs."""
    go, path = tmp_path / "go", "{cwd}/a.txt"
    edit = call_edit(path, read(path), write_file(path, "a\nagent\n"))
    editor = begin(open_editor, tmp_path, *edit, read("{cwd}/notes.txt"), wait_file(str(go)), a__txt="a\n")
    start_work(editor)
    editor.wait_event("AcpFileRead", path=str(editor.project / "notes.txt"))
    file, clock = editor.project / "a.txt", tmp_path / "clock"
    since = clock_of(clock)
    wait_until(lambda: clock_of(clock) > since + 2.2e9)
    file.write_text("theirs\na\nagent\n")
    go.touch()
    editor.wait_event("AcpTurnEnded")
    editor.expect_lua(
        "return vim.tbl_map(function(each) return each.by end, require('acp_nvim').changes())",
        ["unknown", "agent"],
    )
    editor.type(":Acp undo turn<CR>")
    editor.screen.expect("undone: 1 change in a.txt")
    assert file.read_text() == "theirs\na\n"


def clock_of(path: Path) -> int:
    """Return the time of the file system, in nanoseconds."""
    path.touch()
    return path.stat().st_ctime_ns


def start_work(editor: Editor) -> None:
    editor.acp("prompt", "go")
    editor.expect_lua("return require('acp_nvim').status().state", "running")


SAVED = {
    "it stays open": ":edit a.txt<CR>Omine<Esc>:w<CR>",
    "it is closed at once": ":edit a.txt<CR>Omine<Esc>:w<CR>:bwipeout<CR>",
    "by another buffer": ":enew<CR>imine<CR>a<Esc>:w! a.txt<CR>:bwipeout!<CR>",
    "a part of another buffer": ":edit b.txt<CR>Omine<Esc>:1w! >> a.txt<CR>:bwipeout!<CR>",
}


@pytest.mark.parametrize("is_repository", [True, False])
@pytest.mark.parametrize("way", SAVED)
def test_what_the_user_saves_while_a_command_runs_is_the_user_s(
    open_editor: Open, tmp_path: Path, way: str, is_repository: bool
) -> None:
    go = tmp_path / "go"
    work = run_command("sed -i s/b/B/ b.txt; cat a.txt", read("{cwd}/b.txt"), wait_file(str(go)))
    editor = begin(open_editor, tmp_path, *work, a__txt="a\n", b__txt="b\nb\n")
    if not is_repository:
        shutil.rmtree(editor.project / ".git")
    start_work(editor)
    editor.type(SAVED[way])
    wait_until(lambda: "mine" in (editor.project / "a.txt").read_text())
    saved = (editor.project / "a.txt").read_bytes()
    go.touch()
    editor.wait_event("AcpTurnEnded")
    editor.expect_lua("return #require('acp_nvim').changes()", 1)
    assert [os.path.basename(each["path"]) for each in editor.acp("changes")] == ["b.txt"]
    editor.type(":Acp undo! turn<CR>")
    editor.screen.expect("undone: ")
    assert (editor.project / "a.txt").read_bytes() == saved
    assert (editor.project / "b.txt").read_text() == "b\nb\n"


READ_AS_IT_IS_SAVED = """
vim.api.nvim_create_autocmd("BufWritePost", { pattern = "a.txt", callback = function()
  vim.cmd("doautocmd BufReadPost")
  local till = vim.uv.hrtime() + 2e8
  while vim.uv.hrtime() < till do end
end })
"""


def test_what_is_saved_at_once_is_the_user_s_beside_a_turn_that_is_over(
    open_editor: Open, tmp_path: Path
) -> None:
    """The backend hears that the file was read and looks at it, and then that it was saved."""
    go = tmp_path / "go"
    work = run_command("sed -i s/b/B/ b.txt", read("{cwd}/b.txt"), wait_file(str(go)))
    agent = script(tmp_path, on_prompt("earlier"), on_prompt("work", *work), on_prompt("later"))
    editor = open_notes(open_editor, agent, "notes\n", size=(140, 30), init=READ_AS_IT_IS_SAVED)
    lay_out(editor.project, {"a.txt": "a\n", "b.txt": "b\nb\n"})
    commit(editor.project)
    editor.acp("new_session")
    editor.expect_lua("return require('acp_nvim').status({ session = 2 }).state", "idle")
    editor.acp("prompt", "earlier", {"session": 2})
    editor.wait_event("AcpTurnEnded", session=2)
    editor.acp("prompt", "work", {"session": 1})
    editor.expect_lua("return require('acp_nvim').status({ session = 1 }).state", "running")
    editor.lua("vim.cmd(...)", "noautocmd edit a.txt | execute 'normal! Omine' | write")
    editor.acp("prompt", "later", {"session": 2})
    editor.wait_event("AcpTurnEnded", session=2)
    go.touch()
    editor.wait_event("AcpTurnEnded", session=1)
    editor.lua("require('acp_nvim.review').wait_for_disk()")
    assert [os.path.basename(each["path"]) for each in editor.acp("changes", {"all": True})] == ["b.txt"]
    assert (editor.project / "a.txt").read_text() == "mine\na\n"


def test_what_is_saved_in_a_file_that_the_agent_edits_is_the_user_s(
    open_editor: Open, tmp_path: Path
) -> None:
    """He opens the file when the agent has written it, types a line, saves and closes it."""
    go = tmp_path / "go"
    a = "{cwd}/a.txt"
    steps = call_edit(a, read(a), write_file(a, "A\nb\n"), mark("written"), wait_file(str(go)))
    editor = begin(open_editor, tmp_path, *steps, a__txt="a\nb\n")
    start_work(editor)
    wait_until(lambda: (editor.project / "a.txt").read_text() == "A\nb\n")
    editor.type(":edit a.txt<CR>")
    editor.expect_lua(PENDING, 1)
    editor.type("Gomine<Esc>:w<CR>:bwipeout<CR>")
    wait_until(lambda: "mine" in (editor.project / "a.txt").read_text())
    go.touch()
    editor.wait_event("AcpTurnEnded")
    editor.type(":Acp undo turn<CR>")
    editor.screen.expect("undone: 1 change in a.txt")
    assert (editor.project / "a.txt").read_text() == "a\nb\nmine\n"


@pytest.mark.parametrize("is_early", [True, False])
@pytest.mark.parametrize("is_repository", [True, False])
def test_a_file_that_is_opened_while_a_command_runs_is_watched(
    open_editor: Open, tmp_path: Path, is_repository: bool, is_early: bool
) -> None:
    """Early: the command has changed it already. Only git knows what it held then."""
    go, done = tmp_path / "go", tmp_path / "done"
    command = (
        f"for n in a; do echo new >> $n.txt; done; touch {done}; while [ ! -e {go} ]; do sleep 0.01; done"
    )
    late = f"while [ ! -e {go} ]; do sleep 0.01; done; for n in a; do echo new >> $n.txt; done"
    editor = begin(open_editor, tmp_path, *run_command(command if is_early else late), a__txt="a\n")
    if not is_repository:
        shutil.rmtree(editor.project / ".git")
    start_work(editor)
    if is_early:
        wait_until(done.exists)
    editor.type(":edit a.txt<CR>")
    editor.expect_lua("return vim.fn.expand('%:t')", "a.txt")
    if is_early and is_repository:
        editor.expect_lua(PENDING, 1)  # at once
    editor.acp("rename", "heard")  # the backend hears of the file before that
    editor.expect_lua("return require('acp_nvim').status().title", "heard")
    go.touch()
    editor.wait_event("AcpTurnEnded")
    if is_early and not is_repository:
        editor.expect_lua("return #require('acp_nvim').changes()", 1)
        assert editor.acp("changes")[0]["unknown"]
        return
    editor.expect_lua("return vim.fn.getline(1, '$')", ["a", "new"])
    editor.expect_lua(PENDING, 1)
    editor.type(":Acp undo turn<CR>")
    editor.screen.expect("undone: 1 change in a.txt")
    editor.expect_lua("return vim.fn.getline(1, '$')", ["a"])
    assert (editor.project / "a.txt").read_text() == "a\n"


def test_lines_typed_where_the_agent_has_just_taken_one_out_are_beside_its_change(
    open_editor: Open, tmp_path: Path
) -> None:
    """The user has read the file, and typed, before anybody has looked at what has become of it."""
    go, a = tmp_path / "go", "{cwd}/a.txt"
    steps = call_edit(a, read(a), write_file(a, "one\nthree\n"), mark("written"), wait_file(str(go)))
    agent = script(tmp_path, on_prompt("", *steps))
    editor = open_notes(open_editor, agent, "notes\n", size=(140, 30))
    (editor.project / "a.txt").write_text("one\ntwo\nthree\n")
    start_work(editor)
    wait_until(lambda: agent.logged("mark"))
    editor.lua("vim.cmd(...)", "edit a.txt | execute 'normal! omine'")
    go.touch()
    editor.wait_event("AcpTurnEnded")
    editor.expect_lua(PENDING, 1)
    assert editor.lua("return vim.fn.getline(1, '$')") == ["one", "mine", "three"]
    editor.type(":Acp undo turn<CR>")
    editor.expect_lua("return vim.fn.sort(vim.fn.getline(1, '$'))", ["mine", "one", "three", "two"])
    assert (editor.project / "a.txt").read_text() == "one\ntwo\nthree\n"


AS_BYTES = {
    "a file that is made anew": ("printf 'new\\n' > t && mv t b.txt", 1),
    "a text that lost its byte order mark": ("printf 'new\\n' > bom.txt", 1),
    "a file with a byte order mark that is deleted": ("rm bom.txt", 1),
    "latin1": ("sed -i s/x/y/ latin1.txt", 1),
    "latin1 that is deleted": ("rm latin1.txt", 1),
    "a folder that is deleted": ("rm -r sub", 2),
    "a folder that is moved": ("mv sub other", 4),
    "a folder that is made": ("mkdir -p new/deep && echo x > new/deep/x.txt", 1),
    "a link in the place of a file": ("ln -sf a.txt b.txt", 1),
    "a link to a file elsewhere": ("rm b.txt && ln -s /etc/hostname b.txt", 1),
}


@pytest.mark.parametrize("is_repository", [True, False])
@pytest.mark.parametrize("way", AS_BYTES)
def test_bytes_modes_and_folders_are_as_before(
    open_editor: Open, tmp_path: Path, way: str, is_repository: bool
) -> None:
    command, count = AS_BYTES[way]
    steps = run_command(command, read("{cwd}/notes.txt"))
    editor = begin(open_editor, tmp_path, *steps, a__txt="a\n", b__txt="b\nb\n")
    sub = editor.project / "sub"
    (sub / "deep").mkdir(parents=True)
    (sub / "one.txt").write_text("one\n")
    (sub / "deep" / "two.txt").write_text("two\n")
    (editor.project / "bom.txt").write_bytes(b"\xef\xbb\xbfx\n")
    (editor.project / "latin1.txt").write_bytes(b"\xe4x\n\xf6x\n")
    commit(editor.project)
    if not is_repository:
        shutil.rmtree(editor.project / ".git")
    (editor.project / "b.txt").chmod(0o640)
    sub.chmod(0o750)
    before = take_turn(editor)
    editor.expect_lua("return #require('acp_nvim').changes()", count)
    undo_turn(editor, before)


@pytest.mark.parametrize("is_open", [True, False])
@pytest.mark.parametrize(
    "command", ["git mv a.txt m.txt", "mv a.txt m.txt", "rm a.txt", "git checkout -- a.txt"]
)
def test_a_line_that_is_saved_while_the_agent_works_comes_back(
    open_editor: Open, tmp_path: Path, command: str, is_open: bool
) -> None:
    """It was typed before the prompt, and the command takes it along."""
    go = tmp_path / "go"
    steps = run_command(command, read("{cwd}/notes.txt"), mark("begun"), wait_file(str(go)))
    editor = begin(open_editor, tmp_path, *steps, a__txt="a\n")
    editor.type(":edit a.txt<CR>Omine<Esc>")
    editor.expect_lua("return vim.bo.modified")
    start_work(editor)
    editor.type(":w<CR>" if is_open else ":w<CR>:bwipeout<CR>")
    wait_until(lambda: (editor.project / "a.txt").read_text() == "mine\na\n")
    before = tree(editor.project)
    editor.expect_lua("return vim.bo.modified", False)
    go.touch()
    editor.wait_event("AcpTurnEnded")
    editor.expect_lua("return #require('acp_nvim').changes()", 2 if "m.txt" in command else 1)
    undo_turn(editor, before)


def test_a_link_in_whose_place_a_file_stands_comes_back(open_editor: Open, tmp_path: Path) -> None:
    """Only git knows where it led."""
    steps = run_command("for n in link; do rm $n.txt; echo x > $n.txt; done", read("{cwd}/notes.txt"))
    editor = begin(open_editor, tmp_path, *steps, a__txt="a\n")
    (editor.project / "link.txt").symlink_to("a.txt")
    commit(editor.project)
    before = take_turn(editor)
    editor.expect_lua("return #require('acp_nvim').changes()", 1)
    undo_turn(editor, before)
