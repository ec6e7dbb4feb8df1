"""The backend's part of the review: what the editor is told of the disk, and what it tells of the user's decisions."""

from typing import Any

import anyio
import pytest

from acp_nvim.files import git_status
from tests.client.conftest import Desk, Talk
from tests.fakes.script import (
    ScriptedAgent,
    delete_file,
    eventually,
    on_prompt,
    request,
    say,
    tool,
    write_file,
)

NOTES = "{cwd}/notes.txt"
OLD = "".join(f"line {n}\n" for n in range(1, 8))
NEW = OLD.replace("line 2\n", "TWO\n").replace("line 6\n", "SIX\n")
NOTE = "notes.txt +2 −2 · ,k keep ,u undo · :Acp review"


def named(*steps: Any, path: str = NOTES) -> tuple[Any, ...]:
    """A call that names the file, looks at it, and then does something to it past us."""
    begins = tool(path, title="Edit", kind="edit", status="in_progress", locations=[{"path": path}])
    look = request("fs/read_text_file", {"sessionId": "{session}", "path": path})
    return begins, look, *steps, tool(path, known=True, status="completed")


class Told:
    """What the editor has been told of one file."""

    def __init__(self, desk: Desk, name: str = "notes.txt") -> None:
        self.file = desk.folder / name
        self._desk = desk

    @property
    def all(self) -> list[dict[str, Any]]:
        return [change for path, change in self._desk.editor.changes if path == str(self.file)]

    async def one(self) -> dict[str, Any]:
        await eventually(lambda: self.all)
        [change] = self.all
        return change


async def reviewed(desk: Desk, *steps: Any) -> tuple[Talk, Told, ScriptedAgent]:
    (desk.folder / "notes.txt").write_text(OLD)
    agent = desk.agent(on_prompt("edit", *steps), on_prompt("", say("ok")))
    talk = await desk.ready()
    await talk.turn("edit")
    return talk, Told(desk), agent


@pytest.mark.statement(123)
async def test_what_was_written_past_us_is_told(desk: Desk) -> None:
    talk, notes, _ = await reviewed(desk, *named(write_file(NOTES, NEW)))
    change = await notes.one()
    assert (change["before"], change["after"], change["by"], change["known"]) == (OLD, NEW, "agent", True)
    assert (change["session"], change["turn"], change["deleted"]) == (talk.number, 1, False)
    assert desk.editor.turns == [(talk.number, 1)]


@pytest.mark.statement(123)
async def test_a_write_through_us_is_told_as_well(desk: Desk) -> None:
    write = request("fs/write_text_file", {"sessionId": "{session}", "path": NOTES, "content": NEW})
    _, notes, _ = await reviewed(desk, write)
    change = await notes.one()
    assert (change["before"], change["after"]) == (OLD, NEW)


@pytest.mark.parametrize("name", ["notes.txt", "new.txt"])
async def test_an_agent_that_writes_the_disk_before_it_writes_through_us_hides_nothing(
    desk: Desk, name: str
) -> None:
    path = f"{{cwd}}/{name}"
    begins = tool("c", title="Edit", kind="edit", status="in_progress", locations=[{"path": path}])
    asks = request("fs/read_text_file", {"sessionId": "{session}", "path": NOTES})
    write = request("fs/write_text_file", {"sessionId": "{session}", "path": path, "content": NEW})
    await reviewed(
        desk, begins, asks, write_file(path, NEW), write, tool("c", known=True, status="completed")
    )
    change = await Told(desk, name).one()
    assert (change["before"], change["after"]) == (OLD if name == "notes.txt" else None, NEW)


@pytest.mark.statement(124)
async def test_created_and_deleted_files_are_told(desk: Desk) -> None:
    new = "{cwd}/new.txt"
    moved = (*named(write_file(new, OLD), path=new), *named(delete_file(NOTES)))
    _, notes, _ = await reviewed(desk, *moved)
    gone, made = await notes.one(), await Told(desk, "new.txt").one()
    assert (gone["deleted"], gone["before"], gone["after"]) == (True, OLD, None)
    assert gone["mode"] is not None
    assert (made["deleted"], made["before"], made["after"], made["known"]) == (False, None, OLD, True)


async def test_a_file_whose_earlier_text_is_unknown_is_told_so(desk: Desk) -> None:
    late = tool("e", title="Edit", kind="edit", status="completed", locations=[{"path": NOTES}])
    # later than the tick in which the turn has begun
    _, notes, _ = await reviewed(desk, ["think_for", 0.02], write_file(NOTES, NEW), late)
    change = await notes.one()
    assert (change["known"], change["before"]) == (False, None)


async def test_a_file_that_goes_once_the_agent_has_answered_is_not_its_deletion(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However long the turn's last look takes."""
    looked = anyio.Event()

    async def slow(folder: str) -> None:
        await looked.wait()

    monkeypatch.setattr(git_status, "tree", slow)
    talk, notes, _ = await reviewed(desk, *named(write_file(NOTES, NEW)))
    await notes.one()
    notes.file.unlink()
    looked.set()
    await talk.turn("and now?")
    assert [change["deleted"] for change in notes.all] == [False]


async def test_what_an_undo_has_written_is_not_the_agent_s(desk: Desk) -> None:
    """The editor writes the file in the middle of a turn, and says so."""
    undo = request("fs/read_text_file", {"sessionId": "{session}", "path": NOTES})
    (desk.folder / "notes.txt").write_text(OLD)
    go = desk.folder / "go"
    desk.agent(on_prompt("edit", *named(write_file(NOTES, NEW)), ["wait_file", str(go)], *named(undo)))
    talk, notes = await desk.ready(), Told(desk)
    talk.prompt("edit")
    await notes.one()
    notes.file.write_text(OLD)
    desk.send("reviewed", undone=[str(notes.file)])
    go.touch()
    await talk.ended(1)
    await talk.turn("and now?")
    assert len(notes.all) == 1


async def test_the_line_below_a_turn_is_the_editor_s(desk: Desk) -> None:
    """It is shown once the turn is over, below its own turn, and says what the editor says."""
    talk, _, _ = await reviewed(desk, *named(write_file(NOTES, NEW)))
    await talk.turn("look")
    desk.send("reviewed", notes=[{"session": talk.number, "turn": 1, "text": NOTE}])
    await eventually(lambda: NOTE in talk.lines)
    assert talk.lines.index("look") > talk.lines.index(NOTE) > talk.lines.index("edit")
    desk.send("reviewed", notes=[{"session": talk.number, "turn": 1, "text": "kept 1, undone 1"}])
    await eventually(lambda: "kept 1, undone 1" in talk.lines)
    assert NOTE not in talk.lines


async def test_a_line_about_what_nobody_knows_is_dropped(desk: Desk) -> None:
    talk, _, _ = await reviewed(desk, *named(write_file(NOTES, NEW)))
    desk.send(
        "reviewed", notes=[{"session": 77, "turn": 1, "text": NOTE}, {"session": 1, "turn": 9, "text": NOTE}]
    )
    await talk.turn("and now?")
    assert NOTE not in talk.lines


async def test_the_next_prompt_begins_with_what_the_user_has_made_of_the_agent_s_lines(desk: Desk) -> None:
    talk, notes, agent = await reviewed(desk, *named(write_file(NOTES, NEW)))
    lines = ["@@ -1,3 +1,3 @@", " line 1", "-TWO", "+line 2", " line 3"]
    file = {"path": str(notes.file), "undone": 1, "changed": 0, "lines": lines, "more": 3}
    gone = {**file, "path": str(desk.folder / "new.txt"), "removed": True}
    desk.send("reviewed", reports=[{"session": talk.number, "files": [file, gone]}])
    await talk.turn("and now?")
    report, words = (block["text"] for block in agent.got("session/prompt")[-1]["params"]["prompt"])
    assert words == "and now?"
    assert report.startswith("notes.txt: 1 hunk undone by the user.")
    assert "\n".join(lines) in report
    assert "… (3 more lines)" in report
    assert "new.txt: the user has removed this file of yours." in report
    await talk.turn("once more")
    assert len(agent.got("session/prompt")[-1]["params"]["prompt"]) == 1
