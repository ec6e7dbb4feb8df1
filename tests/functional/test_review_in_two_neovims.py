"""Two Neovims review one project: the first that changes a file's review writes it down, the other one goes on when
that has died, and no hunk of either is lost."""

import json
import signal
from pathlib import Path

import pytest

from tests.fakes.script import on_prompt, wait_until
from tests.steps.files import LINES, NOTES, join_lines, write
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

BOTH = ["other", *CHANGED]


@pytest.fixture
def work(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    git(folder, "init", "-q")
    (folder / "notes.txt").write_text(join_lines(TEN))
    return folder


def test_the_first_that_decides_writes(open_editor: Open, tmp_path: Path, work: Path) -> None:
    left(open_editor, tmp_path, work)
    written = records(tmp_path)[0].read_text()
    one = begin(open_editor, tmp_path, work, size=(120, 30))
    one.expect_lua(PENDING, 2)
    other = begin(open_editor, tmp_path, work, size=(120, 30))
    other.expect_lua(PENDING, 2)
    assert records(tmp_path)[0].read_text() == written
    (work / "notes.txt").write_text(join_lines([*CHANGED, "somebody else's"]))
    one.type(":checktime<CR>")
    one.expect_lua(LINES, [*CHANGED, "somebody else's"])
    (work / "notes.txt").write_text(join_lines(CHANGED))
    one.type(":checktime<CR>")
    one.expect_lua(LINES, CHANGED)
    one.lua("require('acp_nvim.project.records').flush()")
    assert records(tmp_path)[0].read_text() == written
    other.type("gg]h:Acp undo<CR>")
    other.expect_lua(LINES, [*TEN, "eleven"])
    wait_until(lambda: records(tmp_path)[0].read_text() != written)
    one.type(":Acp keep all<CR>")
    one.screen.expect("notes.txt is reviewed in another Neovim")
    other.quit()
    one.type(":checktime<CR>:Acp keep all<CR>")
    one.expect_lua(PENDING, 0)
    assert one.quit() == 0
    assert described(begin(open_editor, tmp_path, work)) == []


@pytest.mark.parametrize(
    "keys",
    [":Acp keep<CR>", ":Acp undo<CR>", ":%Acp undo<CR>", ":Acp undo turn<CR>", ":Acp undo all<CR>", "\\\\u"],
)
def test_the_other_one_says_where_it_is_reviewed(
    open_editor: Open, tmp_path: Path, work: Path, keys: str
) -> None:
    before = begin(open_editor, tmp_path, work, on_prompt("", write(NOTES, join_lines(CHANGED))))
    take_turn(before)
    wait_written(tmp_path)
    beside = begin(open_editor, tmp_path, work, size=(120, 30))
    beside.expect_lua(PENDING, 2)
    beside.type("gg]h" + keys)
    beside.screen.expect(f"notes.txt is reviewed in another Neovim (process {before.pid})")
    beside.expect_lua(LINES, CHANGED)
    beside.expect_lua(PENDING, 2)


@pytest.mark.every_nvim
@pytest.mark.parametrize("unsaved", [False, True])
@pytest.mark.parametrize("shown", [False, True])
def test_both_agents_work_in_one_file(
    open_editor: Open, tmp_path: Path, work: Path, unsaved: bool, shown: bool
) -> None:
    """shown: the other one has read the first one's record before its agent writes."""
    rules = on_prompt("nothing"), on_prompt("go", write(NOTES, join_lines(CHANGED)))
    one = begin(open_editor, tmp_path, work, *rules, name="one")
    one.acp("new_session")
    one.wait_event("AcpSessionStarted")
    one.acp("prompt", "nothing")
    one.wait_event("AcpTurnEnded")
    steps = on_prompt("", write(NOTES, join_lines(BOTH)))
    other = None if shown else begin(open_editor, tmp_path, work, steps, name="other")
    assert not other or changes(other) == []
    one.acp("prompt", "go")
    wait_written(tmp_path)
    other = other or begin(open_editor, tmp_path, work, steps, name="other")
    other.type(":checktime<CR>")
    other.expect_lua(LINES, CHANGED)
    take_turn(other)
    other.expect_lua(PENDING, 3 if shown else 1)
    one.kill(signal.SIGKILL)
    if unsaved:
        other.type("Gomine<Esc>")
    (hunk,) = [hunk for each in changes(other) for hunk in each["hunks"] if hunk["new"] == ["other"]]
    assert other.acp("keep", hunk["id"]) is True
    other.expect_lua(PENDING, 2)
    assert [new for _, new, state in described(other) if state == "pending"] == [["agent"], ["eleven"]]
    wait_until(lambda: json.loads(records(tmp_path)[0].read_text())["decided"])
    other.kill(signal.SIGKILL)
    (work / ".notes.txt.swp").unlink(missing_ok=True)
    after = begin(open_editor, tmp_path, work)
    after.expect_lua(PENDING, 2)
    after.type(":Acp undo all<CR>")
    after.expect_lua(LINES, ["other", *TEN])
