"""What waits in review waits again in the next Neovim: its hunks, whose they are, its keys."""

import os
import signal
import time
from pathlib import Path

import pytest

from tests.fakes.script import (
    on,
    on_initialize,
    on_prompt,
    result,
    run_command,
    wait_file,
    wait_until,
    write_file,
)
from tests.steps.files import LINES, NOTES, join_lines, read_and_edit, write
from tests.steps.restarts import (
    CHANGED,
    Open,
    begin,
    changes,
    described,
    left,
    records,
    take_turn,
    wait_written,
)
from tests.steps.review import PENDING, TEN
from tests.steps.trees import git


@pytest.fixture
def work(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    git(folder, "init", "-q")
    (folder / "notes.txt").write_text(join_lines(TEN))
    return folder


@pytest.mark.parametrize("how", ["through us", "on the disk"])
@pytest.mark.parametrize("end", ["quit", "kill"])
def test_hunks_are_there_again_and_can_be_decided(
    open_editor: Open, tmp_path: Path, work: Path, how: str, end: str
) -> None:
    through = write(NOTES, join_lines(CHANGED))
    steps = [through] if how == "through us" else read_and_edit(NOTES, write_file(NOTES, join_lines(CHANGED)))
    before = begin(open_editor, tmp_path, work, on_prompt("", *steps))
    take_turn(before)
    before.expect_lua(PENDING, 2)
    if end == "kill":
        wait_written(tmp_path)
        before.kill(signal.SIGKILL)
    else:
        before.quit()
    (record,) = records(tmp_path)
    assert record.stat().st_mode & 0o777 == 0o600
    after = begin(open_editor, tmp_path, work)
    after.expect_lua(LINES, CHANGED)
    assert described(after) == [(["line 5"], ["agent"], "pending"), ([], ["eleven"], "pending")]
    (entry,) = changes(after)
    assert (entry["by"], entry.get("session"), entry["agent"]) == ("agent", None, "my agent")
    after.type("gg]h")
    after.expect_lua("return vim.fn.line('.')", 5)
    after.type(":Acp undo<CR>")
    after.expect_lua(LINES, [*TEN, "eleven"])
    assert (work / "notes.txt").read_text() == join_lines([*TEN, "eleven"])
    after.type(":Acp keep all<CR>")
    after.expect_lua(PENDING, 0)
    after.quit()
    again = begin(open_editor, tmp_path, work)
    again.expect_lua(LINES, [*TEN, "eleven"])
    assert described(again) == []


def test_a_newline_is_another_line_s_once_a_line_of_the_user_s_is_below(
    open_editor: Open, tmp_path: Path, work: Path
) -> None:
    """The agent has changed line 5 and dropped the newline of line 10, and the user has added line 11."""
    text = join_lines([*TEN[:4], "agent", *TEN[5:]])
    before = begin(open_editor, tmp_path, work, on_prompt("", write(NOTES, text.rstrip("\n"))))
    take_turn(before)
    before.expect_lua(PENDING, 2)
    before.type("Gomine<Esc>:w<CR>")
    before.expect_lua(PENDING, 1)
    before.quit()
    after = begin(open_editor, tmp_path, work)
    after.expect_lua(LINES, [*TEN[:4], "agent", *TEN[5:], "mine"])
    assert described(after) == [(["line 5"], ["agent"], "pending")]


def test_a_session_that_is_loaded_has_its_hunks_and_counts_on(
    open_editor: Open, tmp_path: Path, work: Path
) -> None:
    left(open_editor, tmp_path, work)
    steps = (
        on_initialize(loadSession=True),
        on("session/load", result({})),
        on_prompt("", write(NOTES, join_lines(["first", *CHANGED[1:]]))),
    )
    after = begin(open_editor, tmp_path, work, *steps)
    (entry,) = changes(after)
    after.acp("load", entry["session_id"])
    after.wait_event("AcpSessionStarted")
    (entry,) = changes(after)
    assert (entry["session"], after.acp("status")["pending"]) == (1, 2)
    after.acp("prompt", "go")
    assert after.wait_event("AcpTurnEnded")["turn"] == 2
    after.expect_lua(PENDING, 3)
    after.type(":Acp undo turn<CR>")
    after.expect_lua(LINES, CHANGED)
    after.type(":Acp undo turn<CR>")
    after.expect_lua(LINES, TEN)


def test_what_has_changed_since_is_somebody_elses(open_editor: Open, tmp_path: Path, work: Path) -> None:
    left(open_editor, tmp_path, work)
    (work / "notes.txt").write_text(join_lines(["above", *CHANGED[:4], "another", *CHANGED[5:]]))
    after = begin(open_editor, tmp_path, work)
    after.expect_lua(PENDING, 1)
    after.type(":Acp undo turn<CR>")
    after.expect_lua(LINES, ["above", *CHANGED[:4], "another", *TEN[5:]])


def test_a_turn_that_was_cut_short_leaves_nothing_unseen(
    open_editor: Open, tmp_path: Path, work: Path
) -> None:
    """Neovim is killed while the agent works, and what the agent has done since is in no record."""
    go = tmp_path / "go"
    before = begin(
        open_editor, tmp_path, work, on_prompt("", write(NOTES, join_lines(CHANGED)), wait_file(str(go)))
    )
    before.acp("new_session")
    before.wait_event("AcpSessionStarted")
    before.acp("prompt", "go")
    before.expect_lua(PENDING, 2)
    wait_until(lambda: any("eleven" in path.read_text() for path in records(tmp_path)))
    before.kill(signal.SIGKILL)
    (work / "notes.txt").write_text(join_lines(["last words", *CHANGED]))
    after = begin(open_editor, tmp_path, work, size=(140, 30))
    after.screen.expect("a turn was cut short")
    assert sorted((each["by"], len(each["hunks"])) for each in changes(after)) == [
        ("agent", 2),
        ("unknown", 1),
    ]
    after.type(":Acp undo all<CR>")
    after.expect_lua(LINES, TEN)


def test_a_file_that_is_gone_is_named_once(open_editor: Open, tmp_path: Path, work: Path) -> None:
    left(open_editor, tmp_path, work)
    (work / "notes.txt").unlink()
    (work / "other.txt").write_text("x\n")
    after = begin(open_editor, tmp_path, work, size=(140, 30))
    after.type(":edit other.txt<CR>")
    after.screen.expect("notes.txt: gone since")
    assert changes(after) == []
    assert not (work / "notes.txt").exists()


@pytest.mark.parametrize("text", ['{"version": 1, "path"', "[]", '{"version": 99}', '{"version": 1}'])
def test_a_record_that_cannot_be_read_is_kept_aside(
    open_editor: Open, tmp_path: Path, work: Path, text: str
) -> None:
    left(open_editor, tmp_path, work)
    (record,) = records(tmp_path)
    record.write_text(text)
    after = begin(open_editor, tmp_path, work, size=(140, 30))
    after.screen.expect("review: cannot read a record")
    after.expect_lua(LINES, CHANGED)
    assert changes(after) == []
    assert [path.read_text() for path in record.parent.glob("*.unreadable-*")] == [text]
    assert records(tmp_path) == []


def test_a_file_is_reviewed_in_one_neovim_at_a_time(open_editor: Open, tmp_path: Path, work: Path) -> None:
    before = begin(open_editor, tmp_path, work, on_prompt("", write(NOTES, join_lines(CHANGED))))
    take_turn(before)
    wait_written(tmp_path)
    beside = begin(open_editor, tmp_path, work, size=(140, 30))
    beside.expect_lua(PENDING, 2)
    (hunk, _) = changes(beside)[0]["hunks"]
    assert "is reviewed in another Neovim" in beside.lua(
        "return select(2, require('acp_nvim').undo(...))", hunk["id"]
    )
    beside.expect_lua(LINES, CHANGED)
    before.kill(signal.SIGKILL)
    assert beside.acp("undo", hunk["id"]) is True
    beside.expect_lua(LINES, [*TEN, "eleven"])


def test_nothing_is_kept_or_read_without_persist(open_editor: Open, tmp_path: Path, work: Path) -> None:
    left(open_editor, tmp_path, work)
    after = begin(open_editor, tmp_path, work, setup={"review": {"persist": False}})
    after.expect_lua(LINES, CHANGED)
    assert changes(after) == []
    after.quit()
    assert len(records(tmp_path)) == 1
    again = begin(open_editor, tmp_path, work)
    again.expect_lua(PENDING, 2)


def test_files_that_were_made_and_deleted(open_editor: Open, tmp_path: Path, work: Path) -> None:
    (work / "old.txt").write_text("old\n")
    left(
        open_editor,
        tmp_path,
        work,
        *run_command(
            f"cd {work} && mkdir made && echo new > made/new.txt && rm old.txt && chmod 755 notes.txt"
        ),
        pending=3,
    )
    after = begin(open_editor, tmp_path, work)
    after.expect_lua(PENDING, 3)
    after.type(":Acp undo turn<CR>")
    wait_until(lambda: (work / "old.txt").exists() and not (work / "made").exists())
    assert (work / "old.txt").read_text() == "old\n"
    assert (work / "notes.txt").stat().st_mode & 0o777 == 0o644


@pytest.mark.parametrize("when", ["before the restart", "after the restart"])
def test_a_commit_of_the_users_keeps(open_editor: Open, tmp_path: Path, work: Path, when: str) -> None:
    """The file as it is, but for one hunk that is undone."""
    git(work, "add", ".")
    git(work, "commit", "-qm", "first")
    left(open_editor, tmp_path, work, noted=True)
    after = begin(open_editor, tmp_path, work) if when == "after the restart" else None
    if after:
        after.expect_lua(PENDING, 2)
    (work / "notes.txt").write_text(join_lines(CHANGED[:-1]))
    git(work, "commit", "-qam", "second")
    (work / "notes.txt").write_text(join_lines(CHANGED))
    if after:
        after.lua("vim.api.nvim_exec_autocmds('FocusGained', {})")
    else:
        after = begin(open_editor, tmp_path, work)
    after.expect_lua(PENDING, 1)
    assert [new for _, new, state in described(after) if state == "pending"] == [["eleven"]]


def test_a_commit_of_the_agents_keeps_nothing(open_editor: Open, tmp_path: Path, work: Path) -> None:
    git(work, "add", ".")
    git(work, "commit", "-qm", "first")
    commit = "git -c user.name=n -c user.email=e@e commit -qam agent"
    left(
        open_editor,
        tmp_path,
        work,
        write(NOTES, join_lines(CHANGED)),
        *run_command(f"cd {work} && {commit}"),
        noted=True,
    )
    after = begin(open_editor, tmp_path, work)
    after.expect_lua(PENDING, 2)
    after.lua("vim.api.nvim_exec_autocmds('FocusGained', {})")
    (work / "notes.txt").write_text(join_lines([*CHANGED, "mine"]))
    git(work, "commit", "-qam", "third")
    after.lua("vim.api.nvim_exec_autocmds('FocusGained', {})")
    after.type(":checktime<CR>:edit<CR>")
    after.expect_lua(LINES, [*CHANGED, "mine"])
    after.expect_lua(PENDING, 2)


def test_what_was_just_kept_stays_so_when_an_agent_writes_again(
    open_editor: Open, tmp_path: Path, work: Path
) -> None:
    """The decision is not written down yet as the next turn changes the file."""
    left(open_editor, tmp_path, work)
    after = begin(open_editor, tmp_path, work, on_prompt("", write(NOTES, join_lines(["more", *CHANGED]))))
    after.acp("new_session")
    after.wait_event("AcpSessionStarted")
    after.lua("vim.defer_fn = function() end")  # nothing is written down soon
    after.type(":Acp keep all<CR>")
    after.acp("prompt", "go")
    after.wait_event("AcpTurnEnded")
    after.quit()
    again = begin(open_editor, tmp_path, work)
    again.expect_lua(PENDING, 1)
    assert [new for _, new, state in described(again) if state == "pending"] == [["more"]]


def test_what_was_decided_is_kept_for_thirty_days(open_editor: Open, tmp_path: Path, work: Path) -> None:
    """What waits is kept without limit."""
    (work / "other.txt").write_text("one\n")
    left(
        open_editor,
        tmp_path,
        work,
        write(NOTES, join_lines(CHANGED)),
        write("{cwd}/other.txt", "one\ntwo\n"),
        pending=3,
    )
    after = begin(open_editor, tmp_path, work, file="other.txt")
    after.expect_lua(PENDING, 3)
    after.type("G:Acp keep<CR>")
    after.expect_lua(PENDING, 2)
    assert after.quit() == 0
    assert len(records(tmp_path)) == 2
    for days, count in ((29, 2), (31, 1)):
        for path in records(tmp_path):
            os.utime(path, (time.time() - days * 86400,) * 2)
        again = begin(open_editor, tmp_path, work)
        again.expect_lua(PENDING, 2)
        assert len(records(tmp_path)) == count
        assert again.quit() == 0


def test_another_session_with_the_same_number_and_name_is_another_one(
    open_editor: Open, tmp_path: Path, work: Path
) -> None:
    """Its turn 1 is not that of the session which an earlier Neovim had, even if the agent gives the name again."""
    left(open_editor, tmp_path, work)
    (work / "other.txt").write_text("one\n")
    after = begin(open_editor, tmp_path, work, on_prompt("", write("{cwd}/other.txt", "two\n")))
    take_turn(after)
    after.expect_lua(PENDING, 3)
    assert [len(each["hunks"]) for each in changes(after) if each.get("session") == 1] == [1]
    after.type(":Acp undo turn<CR>")
    wait_until(lambda: (work / "other.txt").read_text() == "one\n")
    after.expect_lua(LINES, CHANGED)
    after.expect_lua(PENDING, 2)
    after.type(":Acp keep all<CR>")
    after.expect_lua(PENDING, 0)


@pytest.mark.parametrize("command", ["review all", "undo! all", "keep! all"])
def test_the_first_command_knows_what_waits(
    open_editor: Open, tmp_path: Path, work: Path, command: str
) -> None:
    left(open_editor, tmp_path, work)
    after = begin(open_editor, tmp_path, work, file="/tmp/nothing-there.txt")
    after.type(f":Acp {command}<CR>")
    if command == "review all":
        after.expect_lua("return #vim.fn.getqflist()", 2)
    else:
        after.expect_lua(PENDING, 0)
        wanted = TEN if command == "undo! all" else CHANGED
        wait_until(lambda: (work / "notes.txt").read_text() == join_lines(wanted))


def test_what_was_taken_can_be_dropped_later(open_editor: Open, tmp_path: Path, work: Path) -> None:
    git(work, "add", ".")
    git(work, "commit", "-qm", "first")
    (work / "notes.txt").write_text(join_lines(CHANGED))
    git(work, "commit", "-qam", "second")
    git(work, "branch", "theirs")
    git(work, "reset", "-q", "--hard", "HEAD~1")
    before = begin(open_editor, tmp_path, work)
    before.type(":Acp take theirs<CR>")
    before.expect_lua(PENDING, 2)
    wait_until(lambda: len(records(tmp_path)) == 1)
    before.quit()
    after = begin(open_editor, tmp_path, work, file="/tmp/nothing-there.txt")
    after.type(":Acp drop<CR>")
    wait_until(lambda: (work / "notes.txt").read_text() == join_lines(TEN))
    after.expect_lua(PENDING, 0)
