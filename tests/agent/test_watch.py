"""What agents change on disk themselves: what is seen of it, what becomes of it in buffers, and whose it is."""

from __future__ import annotations

import os
import subprocess
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from io import FileIO
from pathlib import Path
from typing import Any

import anyio
import pytest
from anyio.abc import TaskGroup

from acp_nvim import limits
from acp_nvim.files import disk, file_snapshot
from acp_nvim.files.disk_changes import FileChange
from acp_nvim.files.disk_watcher import DiskWatcher
from acp_nvim.files.file_snapshot import Held, Unknown
from acp_nvim.protocol import schema
from acp_nvim.session.queue import Prompt
from acp_nvim.session.tool_call import ToolCall
from tests.fakes.script import eventually
from tests.unit.files import conftest
from tests.unit.files.conftest import Agent

agent = conftest.agent  # the fixture, for tests that run a real git

BASE = "one\ntwo\nthree\nfour\nfive\n"


class Watched:
    """A turn under way, and what its watch has handed on."""

    def __init__(self, agent: Agent, tasks: TaskGroup) -> None:
        self.agent, self.tasks = agent, tasks
        self.changes: list[tuple[str, Held, str | None, str]] = []
        self.busy = 0
        self.watch = DiskWatcher(
            agent.files,
            self._spawn,
            self._changed,
            lambda session, turn, moved: None,
            lambda level, text: None,
        )
        self.path = agent.root / "f"

    def _changed(self, change: FileChange) -> None:
        name = os.path.relpath(change.given, self.agent.root)
        self.changes.append((name, change.before, change.after, change.by.by))

    def _spawn(self, job: Callable[..., Awaitable[None]], *arguments: Any) -> None:
        async def run() -> None:
            self.busy += 1
            try:
                await job(*arguments)
            finally:
                self.busy -= 1

        self.tasks.start_soon(run)

    async def rest(self) -> None:
        """Nothing of the watch runs but what waits for the user."""
        await anyio.wait_all_tasks_blocked()
        await eventually(lambda: self.busy == len(list(self.agent.session.questions)))

    async def begin(self, *loaded: Path) -> None:
        self.agent.begin_turn()
        self.agent.session.begin_turn(Prompt("go"))
        self.watch.begin(self.agent.session, map(str, loaded))
        await self.rest()

    async def end(self) -> None:
        self.agent.session.end_turn(0, "end_turn")
        self.watch.end(self.agent.session)
        await self.rest()

    async def call(self, *paths: Path | str, status: str = "in_progress", id: str = "c") -> None:
        places = tuple(schema.Location(path=str(path)) for path in paths)
        self.watch.tool_call_changed(self.agent.session, ToolCall(1, id, 0, status=status, locations=places))
        await self.rest()

    async def edited(self, text: str, path: Path | None = None) -> None:
        """The agent names the file, writes it, and says so."""
        path = path or self.path
        await self.call(path)
        path.write_text(text, newline="")
        await self.call(path, status="completed")

    def modified(self, path: str, is_modified: bool) -> None:
        self.agent.files.documents.modified(path, is_modified)
        self.watch.modified(path, is_modified)


@asynccontextmanager
async def watching(agent: Agent, text: str | None = BASE) -> AsyncIterator[Watched]:
    if text is not None:
        (agent.root / "f").write_text(text, newline="")
    async with anyio.create_task_group() as tasks:
        watched = Watched(agent, tasks)
        agent.editor.tell = watched.modified
        await watched.begin()
        with anyio.fail_after(10):
            yield watched
        watched.watch.forget(agent.session)


@pytest.mark.statement(105)
async def test_a_change_is_handed_on_with_the_text_from_before(agent: Agent) -> None:
    async with watching(agent) as watched:
        await watched.edited("new\n")
        await watched.edited("newer\n")
        await watched.end()
    assert watched.changes == [("f", BASE, "new\n", "agent"), ("f", "new\n", "newer\n", "agent")]


async def test_what_stays_as_it_is_is_no_change(agent: Agent) -> None:
    async with watching(agent) as watched:
        await watched.call(watched.path, status="completed")
        await watched.edited(BASE)
        await watched.end()
    assert watched.changes == []


async def test_a_call_that_is_over_when_it_is_named_hides_the_earlier_text(agent: Agent) -> None:
    async with watching(agent) as watched:
        watched.path.write_text("new\n")
        await watched.call(watched.path, status="completed")
    assert watched.changes == [("f", Unknown.TEXT, "new\n", "agent")]


async def test_the_turn_s_end_and_the_end_of_a_command_are_moments_to_look(agent: Agent) -> None:
    async with watching(agent) as watched:
        await watched.call(watched.path)
        watched.path.write_text("a\n")
        watched.watch.look(agent.session)
        await watched.rest()
        watched.path.write_text("b\n")
        await watched.end()
    assert [after for _, _, after, _ in watched.changes] == ["a\n", "b\n"]


async def test_files_come_and_go(agent: Agent) -> None:
    async with watching(agent, None) as watched:
        await watched.edited("made\n")
        watched.path.unlink()
        await watched.end()
    assert watched.changes == [("f", None, "made\n", "agent"), ("f", "made\n", None, "agent")]


async def test_only_files_inside_the_roots(agent: Agent, tmp_path_factory: pytest.TempPathFactory) -> None:
    outside = tmp_path_factory.mktemp("outside")
    (outside / "o").write_text("o\n")
    (agent.root / "link").symlink_to(outside / "o")
    os.mkfifo(agent.root / "fifo")
    (agent.root / "binary").write_bytes(b"\xff\0")
    async with watching(agent) as watched:
        odd = [outside / "o", agent.root / "link", agent.root / "fifo", agent.root, agent.root / "binary"]
        await watched.call(*odd)
        (outside / "o").write_text("changed\n")
        (agent.root / "binary").write_bytes(b"\xfe\0\0")
        await watched.call(*odd, status="failed")
        await watched.end()
    assert watched.changes == [("binary", b"\xff\0", b"\xfe\0\0", "agent")]


async def test_the_paths_of_a_turn_are_bounded(agent: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "WATCHED_FILES", 20)
    async with watching(agent) as watched:
        paths = [agent.root / f"n{n}" for n in range(30)]
        await watched.call(*paths)
        for path in paths:
            path.write_text("x\n")
        await watched.end()
    assert len(watched.changes) == 20


async def test_large_files_are_read_beside(agent: Agent) -> None:
    large = "line\n" * 100_000
    async with watching(agent, large) as watched:
        await watched.edited(large + "more\n")
    assert watched.changes == [("f", large, large + "more\n", "agent")]


async def test_what_we_write_for_the_agent_is_no_surprise(agent: Agent) -> None:
    async with watching(agent) as watched:
        await watched.call(watched.path)
        await agent.write(watched.path, "ours\n")
        watched.watch.wrote(str(watched.path), "ours\n")
        await watched.end()
    assert watched.changes == []


async def test_what_the_user_saves_is_not_the_agent_s(agent: Agent) -> None:
    async with watching(agent) as watched:
        buffer = agent.editor.open(watched.path)
        await watched.call(watched.path)
        buffer.edit(["user's"])
        buffer.save()
        await watched.end()
        assert watched.changes == []
        await watched.begin()
        await watched.edited("agent's\n")
    assert watched.changes == [("f", "user's\n", "agent's\n", "agent")]
    assert buffer.lines == ["agent's"]


@pytest.mark.parametrize("is_torn", [True, False])
async def test_an_undo_while_the_file_is_read_is_not_the_agent_s(
    agent: Agent, monkeypatch: pytest.MonkeyPatch, is_torn: bool
) -> None:
    """The file is read around the undo's write. Torn: the old stamp comes with the new text."""
    async with watching(agent) as watched:
        await watched.edited("agent's\n")
        path, look = watched.path, file_snapshot.look

        def told() -> None:
            watched.watch.wrote(str(path), BASE)

        def undone_meanwhile(given: str) -> tuple[Any, Held]:
            monkeypatch.setattr(file_snapshot, "look", look)
            now, text = look(given)
            path.write_text(BASE)
            if is_torn:
                agent.editor.before = lambda name: told()
                return now, BASE
            anyio.from_thread.run_sync(told)
            return now, text

        monkeypatch.setattr(file_snapshot, "look", undone_meanwhile)
        os.utime(path, (0, 0))
        watched.watch.look(agent.session)
        await watched.rest()
        await watched.end()
    assert file_snapshot.look is look
    assert watched.changes == [("f", BASE, "agent's\n", "agent")]


async def test_a_file_that_an_undo_removes_is_not_deleted_by_the_agent(agent: Agent) -> None:
    async with watching(agent, None) as watched:
        await watched.edited("made\n")
        watched.path.unlink()
        agent.editor.before = lambda name: watched.watch.wrote(str(watched.path), None)
        await watched.end()
    assert watched.changes == [("f", None, "made\n", "agent")]


async def test_a_look_that_comes_too_late_takes_nobody_else_s_change_for_the_agent_s(
    agent: Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A call ends, the agent answers, another program writes, and only then the file of the call is read."""
    async with watching(agent) as watched:
        await watched.edited("agent's\n")
        path, look = watched.path, file_snapshot.look

        def end() -> None:
            agent.session.end_turn(0, "end_turn")
            watched.watch.end(agent.session)

        def late(given: str) -> tuple[Any, Held]:
            monkeypatch.setattr(file_snapshot, "look", look)
            anyio.from_thread.run_sync(end)
            path.write_text("somebody else's\n")
            return look(given)

        await watched.call(path)
        monkeypatch.setattr(file_snapshot, "look", late)
        await watched.call(path, status="completed")
    assert file_snapshot.look is look
    assert watched.changes == [("f", BASE, "agent's\n", "agent")]


async def test_a_call_after_the_answer_still_counts(agent: Agent) -> None:
    async with watching(agent) as watched:
        await watched.edited("agent's\n")
        await watched.end()
        await watched.call(watched.path, id="late")
        watched.path.write_text("a subagent's\n")
        await watched.call(watched.path, status="completed", id="late")
    assert [after for _, _, after, _ in watched.changes] == ["agent's\n", "a subagent's\n"]


# --- buffers


@pytest.mark.statement(105)
@pytest.mark.parametrize("text", ["new\n", "", "\n", "one\r\ntwo\r\n", "no end", "\ufeffbom\n", "é漢\0\n"])
async def test_an_unmodified_buffer_becomes_what_the_disk_holds(agent: Agent, text: str) -> None:
    async with watching(agent) as watched:
        buffer = agent.editor.open(watched.path)
        await watched.edited(text)
        assert buffer.data() == watched.path.read_bytes()
        assert not buffer.modified
        assert buffer.steps == [["one", "two", "three", "four", "five"]]


@pytest.mark.statement(105)
async def test_a_loaded_buffer_is_kept_in_step_though_nobody_names_it(agent: Agent) -> None:
    async with watching(agent) as watched:
        buffer = agent.editor.open(watched.path)
        await watched.begin(watched.path)
        watched.path.write_text("new\n")
        await watched.end()
        assert buffer.lines == ["new"]
    assert watched.changes == [("f", BASE, "new\n", "unknown")]


async def test_a_loaded_file_is_read_once_as_the_turn_begins(
    agent: Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the agent builds on and what its changes are compared with is one text."""
    reads: list[int] = []

    class Counted(FileIO):
        def __init__(self, handle: int) -> None:
            super().__init__(handle)
            reads.append(handle)

    async with watching(agent) as watched:
        with monkeypatch.context() as patched:
            patched.setattr(disk, "FileIO", Counted)
            await watched.begin(watched.path)
        assert len(reads) == 1
        watched.path.write_text("another program's\n")
        assert agent.files.baselines.base(agent.session, str(watched.path)) == BASE.encode()


@pytest.mark.statement(104)
async def test_unsaved_lines_elsewhere_are_merged_and_stay_unsaved(agent: Agent) -> None:
    async with watching(agent) as watched:
        buffer = agent.editor.open(watched.path)
        buffer.edit(["mine", "two", "three", "four", "five"])
        await watched.edited("one\ntwo\nthree\nfour\nFIVE\n")
        assert buffer.lines == ["mine", "two", "three", "four", "FIVE"]
        assert buffer.modified
        await watched.edited("one\ntwo\nTHREE\nfour\nFIVE\n")
        assert buffer.lines == ["mine", "two", "THREE", "four", "FIVE"]
        buffer.save()
        await watched.end()
    assert agent.asked == []
    assert [after for _, _, after, _ in watched.changes] == [
        "one\ntwo\nthree\nfour\nFIVE\n",
        "one\ntwo\nTHREE\nfour\nFIVE\n",
    ]


@pytest.mark.statement(103)
async def test_an_agent_that_writes_through_us_and_then_the_disk_takes_no_unsaved_line_back(
    agent: Agent,
) -> None:
    wrote, merged = "ONE\ntwo\nthree\nfour\nfive\n", ["ONE", "two", "three", "four", "five", "mine"]
    async with watching(agent) as watched:
        buffer = agent.editor.open(watched.path)
        await watched.begin(watched.path)
        buffer.edit([*BASE.split(), "mine"])
        await watched.call(watched.path)
        await agent.write(watched.path, wrote)
        watched.watch.wrote(str(watched.path), watched.path.read_text())
        assert (buffer.lines, buffer.modified) == (merged, False)
        watched.path.write_text(wrote)  # the same once more, past us
        await watched.call(watched.path, status="completed")
        assert (buffer.lines, buffer.modified) == (merged, True)
        watched.path.write_text(wrote.replace("five", "FIVE"))
        await watched.end()
        assert buffer.lines == ["ONE", "two", "three", "four", "FIVE", "mine"]
    assert watched.changes == [("f", wrote, wrote.replace("five", "FIVE"), "agent")]


@pytest.mark.statement(104)
async def test_unsaved_lines_that_the_editor_tells_of_late_are_not_taken_for_a_removal(agent: Agent) -> None:
    async with watching(agent) as watched:
        buffer = agent.editor.open(watched.path)
        await watched.call(watched.path)
        agent.editor.tell = lambda path, modified: None
        buffer.edit(["mine", "two", "three", "four", "five"])
        watched.path.write_text("one\ntwo\nthree\nfour\nFIVE\n")
        watched.modified(str(watched.path), True)
        await watched.call(watched.path, status="completed")
        assert buffer.lines == ["mine", "two", "three", "four", "FIVE"]


async def test_a_user_who_types_meanwhile_and_a_locked_editor_are_waited_for(agent: Agent) -> None:
    async with watching(agent) as watched:
        buffer = agent.editor.open(watched.path)
        typed = iter([["mine", "two", "three", "four", "five"]])

        def types(name: str) -> None:
            if name == "document_sync" and (lines := next(typed, None)):
                buffer.show(lines)

        agent.editor.before, agent.editor.locks = types, 1
        await watched.edited("one\ntwo\nthree\nfour\nFIVE\n")
        assert buffer.lines == ["mine", "two", "three", "four", "FIVE"]


async def test_a_buffer_that_cannot_be_changed_stays(agent: Agent, caplog: pytest.LogCaptureFixture) -> None:
    async with watching(agent) as watched:
        buffer = agent.editor.open(watched.path)
        agent.editor.failure = "E21: Cannot make changes"
        await watched.edited("new\n")
        assert buffer.lines[0] == "one"
    assert "E21" in caplog.text
    assert watched.changes == [("f", BASE, "new\n", "agent")]


# --- overlaps


async def overlapping(watched: Watched) -> Any:
    buffer = watched.agent.editor.open(watched.path)
    buffer.edit(["one", "user's", "three", "four", "five"])
    await watched.edited("one\nagent's\nthree\nfour\nFIVE\n")
    return buffer


@pytest.mark.statement(104)
@pytest.mark.parametrize(("answer", "line"), [("agent", "agent's"), ("mine", "user's"), ("merge", "both's")])
async def test_an_overlap_is_the_user_s_to_decide(agent: Agent, answer: str, line: str) -> None:
    agent.merged = "one\nboth's\nthree\nfour\nFIVE\n"
    agent.answers = [answer]
    async with watching(agent) as watched:
        buffer = await overlapping(watched)
        assert [question.kind for question in agent.asked] == ["conflict"]
        assert buffer.lines == ["one", line, "three", "four", "FIVE"]
        assert buffer.modified is (answer != "agent")
        await watched.end()
    assert len(agent.asked) == 1
    assert len(watched.changes) == 1


@pytest.mark.statement(104)
async def test_what_is_typed_while_the_question_is_open_stays(agent: Agent) -> None:
    async with watching(agent) as watched:
        buffer = await overlapping(watched)
        assert buffer.lines[1] == "user's"
        buffer.edit(["one", "user's", "three", "FOUR", "five"])
        question = agent.asked[0]
        agent.session.questions.end(question, question.option("agent"), "user")
        await watched.rest()
        assert buffer.lines == ["one", "agent's", "three", "FOUR", "FIVE"]


@pytest.mark.statement(104)
async def test_a_turn_that_ends_decides_nothing_and_neither_does_its_cancel(agent: Agent) -> None:
    async with watching(agent) as watched:
        buffer = await overlapping(watched)
        (question,) = agent.session.questions
        agent.session.cancel()
        await watched.end()
        agent.session.begin_turn(Prompt("more"))
        watched.watch.begin(agent.session)
        await watched.end()
        agent.session.agent_ended("exited", "it crashed", 0)
        await watched.rest()
        assert (list(agent.session.questions), question.version) == ([question], 1)
        assert buffer.lines[1] == "user's"
        agent.session.questions.end(question, None, "cancel")
        await watched.rest()
        assert buffer.lines == ["one", "user's", "three", "four", "FIVE"]
    assert len(agent.asked) == 1


@pytest.mark.statement(104)
async def test_a_question_about_the_disk_is_renewed_when_it_changes_once_more(agent: Agent) -> None:
    async with watching(agent) as watched:
        buffer = await overlapping(watched)
        (question,) = agent.session.questions
        await watched.edited("ONE\nagent's\nthree\nfour\nFIVE\n")
        assert (list(agent.session.questions), question.version > 1) == ([question], True)
        (shown,) = [body for port, *_, body in agent.editor.notified if port == "proposal"]
        assert shown["files"][0]["right"] == "ONE\nagent's\nthree\nfour\nFIVE\n"
        assert (shown["renews"], shown["version"]) == (True, question.version)
        agent.files.conflicts.open[question.id].take("ONE\nboth's\nthree\nfour\nFIVE\n", None)
        agent.session.questions.end(question, question.option("merge"), "user")
        await watched.rest()
        assert buffer.lines == ["ONE", "both's", "three", "four", "FIVE"]


async def test_a_conflict_that_is_none_any_more_is_not_asked_about(agent: Agent) -> None:
    async with watching(agent) as watched:
        buffer = await overlapping(watched)
        await watched.edited(BASE)
        assert not list(agent.session.questions)
        assert buffer.lines == ["one", "user's", "three", "four", "five"]


async def test_a_session_that_is_closed_asks_no_more(agent: Agent) -> None:
    async with watching(agent) as watched:
        await overlapping(watched)
        watched.watch.begin(agent.session)
        watched.watch.forget(agent.session)
        await eventually(lambda: watched.busy == 0)
    assert not list(agent.session.questions)


# --- git


def git(root: Path, *arguments: str) -> None:
    who = ["-c", "user.name=n", "-c", "user.email=e"]
    subprocess.run(["git", *who, "-C", str(root), *arguments], check=True, capture_output=True)


@pytest.mark.statement(105)
async def test_git_tells_what_nobody_named(agent: Agent) -> None:
    for name in ("clean", "dirty", "gone", "still"):
        (agent.root / name).write_text(f"{name}\n")
    git(agent.root, "init", "-q")
    git(agent.root, "add", ".")
    git(agent.root, "commit", "-qm", "all")
    (agent.root / "dirty").write_text("user's\n")
    (agent.root / "still").write_text("user's\n")
    (agent.root / "sub").mkdir()
    async with watching(agent, None) as watched:
        (agent.root / "clean").write_text("CLEAN\n")
        (agent.root / "dirty").write_text("DIRTY\n")
        (agent.root / "gone").unlink()
        (agent.root / "sub" / "ne w").write_text("NEW\n")
        await watched.end()
    assert sorted(watched.changes) == [
        ("clean", "clean\n", "CLEAN\n", "unknown"),
        ("dirty", "user's\n", "DIRTY\n", "unknown"),
        ("gone", "gone\n", None, "unknown"),
        ("sub/ne w", None, "NEW\n", "unknown"),
    ]


async def test_what_a_filter_would_make_of_a_commit_is_not_guessed(agent: Agent) -> None:
    """Attributes that name no program hold all the same."""
    (agent.root / ".gitattributes").write_text("large filter=lfs\nempty filter=\ndos text eol=crlf\n")
    for name in ("large", "dos", "empty"):
        (agent.root / name).write_text("pointer\n")
    git(agent.root, "init", "-q")
    git(agent.root, "add", ".")
    git(agent.root, "commit", "-qm", "all")
    (agent.root / "dos").unlink()
    git(agent.root, "checkout", "dos")
    async with watching(agent, None) as watched:
        for name in ("large", "dos", "empty"):
            (agent.root / name).write_text("changed\n")
        await watched.end()
    assert sorted(watched.changes, key=lambda change: change[0]) == [
        ("dos", "pointer\r\n", "changed\n", "unknown"),
        ("empty", Unknown.TEXT, "changed\n", "unknown"),
        ("large", Unknown.TEXT, "changed\n", "unknown"),
    ]


@pytest.mark.statement(105)
async def test_a_turn_may_be_over_before_git_has_answered(agent: Agent) -> None:
    path = agent.root / "clean"
    path.write_text("clean\n")
    git(agent.root, "init", "-q")
    git(agent.root, "add", ".")
    git(agent.root, "commit", "-qm", "all")
    buffer = agent.editor.open(path)
    async with watching(agent, None) as watched:
        await watched.end()
        watched.watch.begin(agent.session)
        path.write_text("new\n")
        await watched.end()
        assert buffer.lines == ["new"]
    assert watched.changes == [("clean", "clean\n", "new\n", "unknown")]


async def test_without_git_there_is_what_was_named(agent: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(agent.root))
    async with watching(agent) as watched:
        await watched.edited("new\n")
        await watched.end()
    assert len(watched.changes) == 1


async def test_what_is_dirty_is_read_up_to_a_size(agent: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "DIRTY_FILE_BYTES", 10)
    git(agent.root, "init", "-q")
    (agent.root / "large").write_text("user's, and large\n")
    (agent.root / "small").write_text("user's\n")
    async with watching(agent, None) as watched:
        for name in ("large", "small"):
            (agent.root / name).write_text("agent's\n")
        await watched.end()
    assert sorted(watched.changes, key=lambda change: change[0]) == [
        ("large", Unknown.TEXT, "agent's\n", "unknown"),
        ("small", "user's\n", "agent's\n", "unknown"),
    ]
