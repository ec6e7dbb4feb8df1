"""The review before an editor in memory: what it is told of changes on the disk, and what its decisions do there."""

from pathlib import Path
from typing import Any

import anyio
import pytest

from acp_nvim.files import git_status
from tests.client.conftest import Desk, Talk
from tests.fakes.script import (
    delete_file,
    eventually,
    mark,
    on_prompt,
    request,
    say,
    tool,
    wait_file,
    write_file,
)

NOTES = "{cwd}/notes.txt"
OLD = "".join(f"line {n}\n" for n in range(1, 8))
DECIDE = ",k keep ,u undo · :Acp review"
NEW = OLD.replace("line 2\n", "TWO\n").replace("line 6\n", "SIX\n")


def named(*steps: Any, path: str = NOTES) -> tuple[Any, ...]:
    """A call that names the file, looks at it, and then does something to it past us."""
    begins = tool(path, title="Edit", kind="edit", status="in_progress", locations=[{"path": path}])
    look = request("fs/read_text_file", {"sessionId": "{session}", "path": path})
    return begins, look, *steps, tool(path, known=True, status="completed")


class Reviewed:
    """The hunks of one file, as the editor has been told of them in all."""

    def __init__(self, desk: Desk, name: str = "notes.txt") -> None:
        self.file = desk.folder / name
        self._desk = desk

    @property
    def told(self) -> dict[str, Any]:
        return dict(self._desk.editor.hunks.get(str(self.file), ({},))[0])

    @property
    def pending(self) -> list[dict[str, Any]]:
        return [hunk for hunk in self.told.get("set", []) if hunk["state"] == "pending"]

    async def has(self, count: int) -> list[int]:
        await eventually(lambda: len(self.pending) == count)
        return [hunk["id"] for hunk in self.pending]


async def reviewed(desk: Desk, *steps: Any) -> tuple[Talk, Reviewed]:
    (desk.folder / "notes.txt").write_text(OLD)
    desk.agent(on_prompt("edit", *steps), on_prompt("", say("ok")))
    talk = await desk.ready()
    await talk.turn("edit")
    return talk, Reviewed(desk)


@pytest.mark.statement(123)
async def test_what_was_written_past_us_is_told_and_taken_back_by_hunks(desk: Desk) -> None:
    talk, notes = await reviewed(desk, *named(write_file(NOTES, NEW)))
    first, _ = await notes.has(2)
    shown = [(hunk["first"], hunk["old"], hunk["new"], hunk["by"]) for hunk in notes.pending]
    assert shown == [(1, ["line 2"], ["TWO"], "agent"), (5, ["line 6"], ["SIX"], "agent")]
    await eventually(lambda: f"notes.txt +2 −2 · {DECIDE}" in "\n".join(talk.lines))
    desk.send("undo", ids=[first])
    await eventually(lambda: notes.file.read_text() == NEW.replace("TWO", "line 2"))
    await eventually(lambda: [hunk["state"] for hunk in notes.told["set"]] == ["undone"])


@pytest.mark.statement(125)
async def test_kept_is_not_undone(desk: Desk) -> None:
    _, notes = await reviewed(desk, *named(write_file(NOTES, NEW)))
    first, second = await notes.has(2)
    desk.send("keep", ids=[first])
    desk.send("undo", ids=[first, second], aloud=True)
    await desk.message("1 change undone")
    assert notes.file.read_text() == NEW.replace("SIX", "line 6")
    desk.send("undo", ids=[first, second], aloud=True)
    await desk.message("0 changes undone")
    assert notes.file.read_text() == NEW.replace("SIX", "line 6")


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
    file = Reviewed(desk, name)
    await file.has(2 if name == "notes.txt" else 1)
    assert file.told.get("created", False) is (name == "new.txt")


@pytest.mark.statement(123)
async def test_a_write_through_us_is_in_review_as_well(desk: Desk) -> None:
    write = request("fs/write_text_file", {"sessionId": "{session}", "path": NOTES, "content": NEW})
    _, notes = await reviewed(desk, write)
    await notes.has(2)


@pytest.mark.statement(124)
async def test_created_and_deleted_files_go_and_come_back(desk: Desk) -> None:
    new = "{cwd}/new.txt"
    moved = (*named(write_file(new, OLD), path=new), *named(delete_file(NOTES)))
    _, notes = await reviewed(desk, *moved)
    made = Reviewed(desk, "new.txt")
    ids = [*await notes.has(1), *await made.has(1)]
    assert (notes.told["deleted"], made.told["created"]) == (True, True)
    desk.send("undo", ids=ids, aloud=True)
    await desk.message("2 changes undone")
    assert notes.file.read_text() == OLD
    assert not made.file.exists()


async def test_a_file_whose_earlier_text_is_unknown_is_told_without_hunks(desk: Desk) -> None:
    late = tool("e", title="Edit", kind="edit", status="completed", locations=[{"path": NOTES}])
    # later than the tick in which the turn has begun
    talk, notes = await reviewed(desk, ["think_for", 0.02], write_file(NOTES, NEW), late)
    await eventually(lambda: notes.told.get("unknown"))
    assert (notes.pending, len(notes.told["unknown"])) == ([], 1)
    await eventually(lambda: notes_in(talk) == ["notes.txt: earlier text unknown, no undo · :Acp review"])
    desk.send("keep", ids=[], all=1)
    await eventually(lambda: notes.told.get("over"))
    await eventually(lambda: notes_in(talk) == ["nothing left to review"])
    assert notes.file.read_text() == NEW


@pytest.mark.parametrize("place", ["a folder", "other lines", "no file"])
async def test_what_cannot_be_taken_back_is_said(desk: Desk, place: str) -> None:
    talk, notes = await reviewed(desk, *named(write_file(NOTES, NEW)))
    ids = await notes.has(2)
    # nobody looks at the turn's files any more
    await eventually(lambda: ":Acp review" in "\n".join(talk.lines))
    notes.file.unlink()
    if place == "a folder":
        notes.file.mkdir()
    elif place == "other lines":
        notes.file.write_text("all else\n")
    desk.send("undo", ids=ids, aloud=True)
    said = {"a folder": "not undone: Is a directory", "other lines": "2 changes no longer there"}
    assert said.get(place, "no longer there") in await desk.message("notes.txt: ")
    assert notes.file.is_dir() == (place == "a folder")
    assert place != "other lines" or notes.file.read_text() == "all else\n"
    await talk.turn("and now?")


async def test_a_file_that_goes_once_the_agent_has_answered_is_not_its_deletion(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However long the turn's last look takes."""
    looked = anyio.Event()

    async def slow(folder: str) -> None:
        await looked.wait()

    monkeypatch.setattr(git_status, "tree", slow)
    talk, notes = await reviewed(desk, *named(write_file(NOTES, NEW)))
    ids = await notes.has(2)
    notes.file.unlink()
    looked.set()
    await eventually(lambda: ":Acp review" in "\n".join(talk.lines))
    assert not notes.told["deleted"]
    desk.send("undo", ids=ids, aloud=True)
    await desk.message("2 changes no longer there")
    assert not notes.file.exists()


async def test_a_deletion_that_was_found_as_the_buffer_went_is_taken_back_whole(
    desk: Desk, tmp_path: Path
) -> None:
    seen, go = tmp_path / "seen", tmp_path / "go"
    deletes = named(delete_file(NOTES), mark("deleted"), wait_file(str(go)), path="{cwd}/./notes.txt")
    (desk.folder / "notes.txt").write_text(OLD)
    shorter = NEW.replace("line 4\n", "")
    agent = desk.agent(on_prompt("edit", *named(write_file(NOTES, shorter)), wait_file(str(seen)), *deletes))
    talk, notes = await desk.ready(), Reviewed(desk)
    talk.prompt("edit")
    await notes.has(3)
    seen.touch()
    await eventually(lambda: agent.logged("mark"))
    desk.send("edited", path=str(notes.file), seq=1, gone=True)
    await eventually(lambda: notes.told["gone"])  # what was changed; what was taken away would come back
    go.touch()
    await eventually(lambda: notes.told["deleted"])
    desk.send("undo", ids=await notes.has(1), aloud=True)
    await desk.message("1 change undone")
    assert notes.file.read_text() == OLD


@pytest.mark.parametrize("back", ["", OLD + "mine\n"])
async def test_a_deleted_file_that_somebody_has_made_anew_is_theirs(desk: Desk, back: str) -> None:
    talk, notes = await reviewed(desk, *named(delete_file(NOTES)))
    await eventually(lambda: ":Acp review" in "\n".join(talk.lines))
    ids = await notes.has(1)
    typed = {"path": str(notes.file), "buf": 1, "seq": 2, "tick": 9, "edits": [[7, 7, ["mine"]]]}
    desk.send("edited", **typed)  # what the editor told before it knew
    if back:
        notes.file.write_text(back)
    desk.send("undo", ids=ids, aloud=True)
    said = await desk.message("notes.txt: 1 change no longer there" if back else "1 change undone")
    assert notes.file.read_text() == (back or OLD), said
    assert (notes.pending, notes.told["deleted"]) == ([], False)


async def test_ids_that_nobody_knows_do_nothing(desk: Desk) -> None:
    _, notes = await reviewed(desk, *named(write_file(NOTES, NEW)))
    await notes.has(2)
    desk.send("undo", ids=[0, 987_654_321], aloud=True)
    await desk.message("0 changes undone")
    desk.send("keep", ids=[0, 987_654_321], aloud=True)
    await desk.message("0 changes kept")
    assert notes.file.read_text() == NEW
    assert Path(notes.told["path"]) == notes.file


def notes_in(talk: Talk) -> list[str]:
    """The lines about changes in files."""
    words = (":Acp review", "kept ", "undone ", "nothing left")
    return [line for line in talk.lines if line.endswith(words) or line.startswith(words)]


async def test_a_turn_that_changed_something_has_one_line_that_is_kept_up_to_date(desk: Desk) -> None:
    """Below its own turn, and below no other."""
    (desk.folder / "notes.txt").write_text(OLD)
    later = NEW.replace("line 4\n", "FOUR\n")
    desk.agent(
        on_prompt("edit", *named(write_file(NOTES, NEW))),
        on_prompt("again", say("Once more.\n\n"), *named(write_file(NOTES, later))),
        on_prompt("", say("Nothing to do.\n\n")),
    )
    talk, file = await desk.ready(), Reviewed(desk)
    await talk.turn("edit")
    await eventually(lambda: notes_in(talk) == [f"notes.txt +2 −2 · {DECIDE}"])
    await talk.turn("look")
    await talk.turn("again")
    await eventually(lambda: len(notes_in(talk)) == 2)
    await talk.turn("look again")
    first, last = notes_in(talk)
    assert (first, last) == (f"notes.txt +2 −2 · {DECIDE}", f"notes.txt +1 −1 · {DECIDE}")
    lines = list(talk.lines)
    assert lines.index(last) > lines.index("again") > lines.index("Nothing to do.") > lines.index(first)
    assert lines.index("look") > lines.index(first)
    assert lines.index("look again") > lines.index(last)

    two, four, six = await file.has(3)
    desk.send("keep", ids=[two])
    await eventually(lambda: notes_in(talk)[0] == f"notes.txt +1 −1 · kept 1 · {DECIDE}")
    desk.send("undo", ids=[six])
    await eventually(lambda: notes_in(talk)[0] == "kept 1, undone 1")
    desk.send("undo", ids=[four], aloud=True, turn=3, session=talk.number)
    assert "turn 3 (again): 1 change undone" in await desk.message("turn 3")
    await eventually(lambda: notes_in(talk) == ["kept 1, undone 1", "undone 1"])
    assert talk.lines.index("undone 1") == lines.index(last)

    await talk.turn("and now?")  # what was decided is forgotten, the lines stay
    assert notes_in(talk) == ["kept 1, undone 1", "undone 1"]


async def test_a_line_about_several_files_counts_them(desk: Desk) -> None:
    new, late = "{cwd}/new.txt", "{cwd}/late.txt"
    begins = tool("e", title="Edit", kind="edit", status="completed", locations=[{"path": late}])
    write_late = (["think_for", 0.02], write_file(late, "x\n"), begins)  # nobody knows what it was
    (desk.folder / "late.txt").write_text("y\n")
    steps = (*named(write_file(NOTES, NEW)), *named(write_file(new, "one\n"), path=new), *write_late)
    talk, file = await reviewed(desk, *steps)
    first, second = await file.has(2)
    await eventually(lambda: notes_in(talk) == [f"3 files +3 −2 · {DECIDE}"])
    desk.send("keep", ids=[first, second], all=talk.number, turn=1)
    await eventually(lambda: notes_in(talk) == [f"new.txt +1 −0 · kept 2 · {DECIDE}"])
