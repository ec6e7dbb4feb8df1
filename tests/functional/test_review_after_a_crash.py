"""Neovim is killed while an agent works: no line of an agent's is ever reviewed unseen, and none of the user's lost."""

import signal
from pathlib import Path

import pytest

from tests.fakes.script import on_prompt, shell, wait_file, wait_until, write_file
from tests.steps.files import LINES, NOTES, join_lines, write
from tests.steps.restarts import CHANGED, Open, begin, changes, described, records, wait_written
from tests.steps.review import PENDING, TEN
from tests.steps.trees import git

DIES = """vim.api.nvim_create_autocmd('BufWritePost', { callback = function()
  vim.uv.kill(vim.uv.os_getpid(), 'sigkill')
end })"""
PID = "return vim.fn.getpid()"


@pytest.fixture
def work(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    git(folder, "init", "-q")
    (folder / "notes.txt").write_text(join_lines(TEN))
    return folder


@pytest.mark.every_nvim
@pytest.mark.parametrize("unsaved", [False, True])
def test_a_buffer_that_was_just_saved_for_an_agent_waits(
    open_editor: Open, tmp_path: Path, work: Path, unsaved: bool
) -> None:
    """Neovim dies in the moment in which the file is written."""
    before = begin(open_editor, tmp_path, work, on_prompt("", write(NOTES, join_lines(CHANGED))))
    before.acp("new_session")
    before.wait_event("AcpSessionStarted")
    if unsaved:
        before.type("ggOmine<Esc>")
    before.lua(DIES)
    before.acp("prompt", "go")
    before.wait_exit()
    (work / ".notes.txt.swp").unlink(missing_ok=True)
    after = begin(open_editor, tmp_path, work, size=(140, 30))
    after.screen.expect("a turn was cut short")
    new = [new for _, new, state in described(after) if state == "pending"]
    assert [line for lines in new for line in lines if line != "mine"] == ["agent", "eleven"]
    assert {each["by"] for each in changes(after)} == {"unknown"}
    after.type(":Acp undo all<CR>")
    after.expect_lua(LINES, TEN)


@pytest.mark.parametrize("is_new", [False, True])
def test_a_file_that_no_buffer_holds_waits(
    open_editor: Open, tmp_path: Path, work: Path, is_new: bool
) -> None:
    other = work / "made/other.txt" if is_new else work / "other.txt"
    if not is_new:
        other.write_text("one\n")
    write_other = write(f"{{cwd}}/{other.relative_to(work)}", "one\ntwo\n")
    before = begin(
        open_editor, tmp_path, work, on_prompt("", write_other, shell(f"kill -9 $(cat {work}/pid)"))
    )
    (work / "pid").write_text(str(before.lua(PID)))
    before.acp("new_session")
    before.wait_event("AcpSessionStarted")
    before.acp("prompt", "go")
    before.wait_exit()
    after = begin(open_editor, tmp_path, work, size=(140, 30))
    after.expect_lua(PENDING, 1)
    after.type(":Acp undo all<CR>")
    wait_until(lambda: not other.exists() if is_new else other.read_text() == "one\n")
    after.expect_lua(PENDING, 0)


def test_a_file_in_review_that_the_agent_changes_by_itself_waits(
    open_editor: Open, tmp_path: Path, work: Path
) -> None:
    """The change of the second turn is on the disk, and nobody has told Neovim yet."""
    first = write(NOTES, join_lines(CHANGED))
    go = tmp_path / "go"
    second = [wait_file(str(go)), write_file(NOTES, join_lines(["unseen", *CHANGED])), wait_file("never")]
    before = begin(open_editor, tmp_path, work, on_prompt("first", first), on_prompt("second", *second))
    before.acp("new_session")
    before.wait_event("AcpSessionStarted")
    before.acp("prompt", "first")
    before.wait_event("AcpTurnEnded")
    wait_written(tmp_path)
    before.acp("prompt", "second")
    wait_until(lambda: records(tmp_path, "running"))
    go.touch()
    wait_until(lambda: (work / "notes.txt").read_text().startswith("unseen"))
    before.kill(signal.SIGKILL)
    after = begin(open_editor, tmp_path, work, size=(140, 30))
    after.screen.expect("a turn was cut short")
    assert sorted((each["by"], len(each["hunks"])) for each in changes(after)) == [
        ("agent", 2),
        ("unknown", 1),
    ]
    after.kill(signal.SIGKILL)  # it is written down by then, and told once
    again = begin(open_editor, tmp_path, work, size=(140, 30))
    again.expect_lua(PENDING, 3)
    assert "cut short" not in again.lua("return vim.fn.execute('messages')")


def test_a_write_that_was_not_made_leaves_no_record(open_editor: Open, tmp_path: Path, work: Path) -> None:
    """The text is what the file holds already, or the save fails."""
    fails = "vim.api.nvim_create_autocmd('BufWritePre', { callback = function() error('no') end })"
    before = begin(open_editor, tmp_path, work, on_prompt("", write(NOTES, join_lines(CHANGED))))
    before.lua(fails)
    before.acp("new_session")
    before.wait_event("AcpSessionStarted")
    before.acp("prompt", "go")
    before.wait_event("AcpTurnEnded")
    wait_until(lambda: not records(tmp_path) + records(tmp_path, "running"))
    assert (work / "notes.txt").read_text() == join_lines(TEN)


def test_a_turn_that_has_ended_is_not_cut_short_by_a_quit(
    open_editor: Open, tmp_path: Path, work: Path
) -> None:
    """The user is quicker than the last look at the disk."""
    before = begin(open_editor, tmp_path, work, on_prompt("", write(NOTES, join_lines(CHANGED))))
    before.lua("""vim.api.nvim_create_autocmd('User', { pattern = 'AcpTurnEnded', callback = function()
      vim.schedule(function() vim.cmd('qall!') end)
    end })""")
    before.acp("new_session")
    before.wait_event("AcpSessionStarted")
    before.acp("prompt", "go")
    before.wait_exit()
    assert len(records(tmp_path)) == 1
    assert records(tmp_path, "running") == []
