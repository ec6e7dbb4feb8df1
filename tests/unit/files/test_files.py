"""Reading and writing files for an agent: what the user sees, byte for byte, and nothing of the user's lost."""

from __future__ import annotations

import errno
import os
import stat
import time
from pathlib import Path
from typing import Any

import anyio
import pytest

from acp_nvim.files import disk
from acp_nvim.proposals.agent_change import AgentChange
from acp_nvim.proposals.decision import Decision, Sides
from acp_nvim.proposals.proposed_file import ProposedFile
from acp_nvim.protocol.errors import INTERNAL_ERROR, INVALID_PARAMS, NOT_FOUND
from tests.unit.files.conftest import Agent

FOUR = "one\ntwo\nthree\nfour\n"
ODD = {
    "empty": b"",
    "one empty line": b"\n",
    "no final newline": b"one\ntwo",
    "crlf": b"one\r\ntwo\r\n",
    "crlf without the last": b"one\r\ntwo",
    "mixed": b"one\r\ntwo\nthree\r\n",
    "bom": b"\xef\xbb\xbfone\ntwo\n",
    "bom and crlf": b"\xef\xbb\xbfone\r\ntwo\r\n",
    "nul": b"one\0two\nthree\n",
    "lone cr": b"one\rtwo\nthree\n",
    "separators": "one\u2028two\u0085three\x0c\n\x1d\n".encode(),
    "wide": "é漢😀\ntwo\n".encode(),
    "blank lines": b"\n\n\nx\n\n",
    "long": b"x" * 100_000 + b"\nend",
}


def made(path: Path, content: bytes | str = FOUR) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


# --- reading


@pytest.mark.statement(97)
@pytest.mark.parametrize("loaded", [False, True])
@pytest.mark.parametrize(
    ("line", "limit", "content"),
    [
        (None, None, FOUR),
        (3, None, "three\nfour\n"),
        (None, 2, "one\ntwo\n"),
        (2, 2, "two\nthree\n"),
        (0, 1, "one\n"),
        (4, 1, "four\n"),
        (4, 99, "four\n"),
        (1, 0, ""),
        (4, 0, ""),
        (2.0, 1, "two\n"),
    ],
)
async def test_line_and_limit(agent: Agent, line: Any, limit: Any, content: str, loaded: bool) -> None:
    path = made(agent.root / "f")
    if loaded:
        agent.editor.open(path).edit(["one", "two", "three", "x"])
        agent.editor.buffers[str(path)].edit(["one", "two", "three", "four"])
        agent.editor.buffers[str(path)].modified = True
    assert await agent.read(path, line=line, limit=limit) == content


@pytest.mark.statement(98)
@pytest.mark.parametrize(
    ("text", "line", "limit"),
    [(FOUR, 5, None), (FOUR, 5, 0), ("", 2, None), ("a", 2, 1), ("a\n", 2, 1)],
)
async def test_past_the_end(agent: Agent, text: str, line: int, limit: int | None) -> None:
    path = made(agent.root / "f", text)
    assert await agent.code(agent.read(path, line=line, limit=limit)) == INVALID_PARAMS


@pytest.mark.statement(98)
async def test_the_first_line_of_an_empty_file_is_there(agent: Agent) -> None:
    assert await agent.read(made(agent.root / "f", ""), line=1, limit=1) == ""


@pytest.mark.parametrize("odd", [-1, "two", True, [], 1.5])
@pytest.mark.parametrize("name", ["line", "limit"])
async def test_numbers_that_are_none(agent: Agent, name: str, odd: Any) -> None:
    assert await agent.code(agent.read(made(agent.root / "f"), **{name: odd})) == INVALID_PARAMS


@pytest.mark.statement(99)
async def test_what_cannot_be_read(agent: Agent) -> None:
    made(agent.root / "f")
    (agent.root / "loop").symlink_to(agent.root / "loop")
    os.mkfifo(agent.root / "fifo")
    for path, code in [
        ("missing", NOT_FOUND),
        ("f/below", NOT_FOUND),
        (".", INVALID_PARAMS),
        ("loop", INTERNAL_ERROR),
        ("fifo", INTERNAL_ERROR),
        ("n" * 300, INTERNAL_ERROR),
    ]:
        assert await agent.code(agent.read(f"{agent.root}/{path}")) == code, path
    for odd in ("f", "", "./f", f"{agent.root}/f\0", "~/f"):
        assert await agent.code(agent.read(odd)) == INVALID_PARAMS, odd


@pytest.mark.statement(99)
async def test_a_missing_file_is_named(agent: Agent) -> None:
    with pytest.raises(Exception, match=str(agent.root / "missing")):
        await agent.read(agent.root / "missing")


@pytest.mark.statement(96)
async def test_unsaved_text_is_what_the_agent_reads(agent: Agent) -> None:
    path = made(agent.root / "f")
    agent.editor.open(path).edit(["mine"])
    assert await agent.read(path) == "mine\n"
    assert agent.told == [("read", "f", None)]


@pytest.mark.statement(96)
async def test_a_buffer_is_found_through_a_symlink(agent: Agent) -> None:
    path = made(agent.root / "f")
    (agent.root / "link").symlink_to("f")
    agent.editor.open(path).edit(["mine"])
    assert await agent.read(agent.root / "link", line=1) == "mine\n"
    assert agent.told == [("read", "link", 1)]


async def test_other_encodings_are_read_from_their_buffer_or_refused(agent: Agent) -> None:
    path = made(agent.root / "f", "café\n".encode("latin-1"))
    assert await agent.code(agent.read(path)) == INTERNAL_ERROR
    agent.editor.open(path, encoding="latin-1")
    assert await agent.read(path) == "café\n"


@pytest.mark.statement(100)
async def test_a_file_that_is_no_utf8_is_not_overwritten(agent: Agent) -> None:
    path = made(agent.root / "f", b"caf\xe9\n")
    assert await agent.code(agent.write(path, "cafe\n")) == INTERNAL_ERROR
    assert path.read_bytes() == b"caf\xe9\n"


async def test_an_editor_that_waits_for_its_user_is_not_waited_for(agent: Agent) -> None:
    path = made(agent.root / "f")
    agent.editor.open(path)
    agent.editor.answering = anyio.Event()
    with anyio.fail_after(2):
        assert await agent.read(path) == FOUR


async def test_unsaved_text_is_waited_for(agent: Agent) -> None:
    path = made(agent.root / "f")
    agent.editor.open(path).edit(["mine"])
    agent.editor.answering = anyio.Event()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(agent.read, path)
        await anyio.wait_all_tasks_blocked()
        assert agent.told == []
        agent.editor.answering.set()
    assert agent.told == [("read", "f", None)]


# --- writing


@pytest.mark.statement(100)
@pytest.mark.parametrize("loaded", [False, True])
@pytest.mark.parametrize("name", ODD)
async def test_odd_files_survive_read_write_read(agent: Agent, name: str, loaded: bool) -> None:
    path = made(agent.root / "f", ODD[name])
    if loaded:
        agent.editor.open(path)
    first = await agent.read(path)
    await agent.write(path, first)
    assert path.read_bytes() == ODD[name]
    await agent.write(path, f"new\n{first}")
    await agent.write(path, first)
    assert await agent.read(path) == first
    assert path.read_bytes() == ODD[name]


@pytest.mark.statement(100)
async def test_lines_keep_the_ends_that_their_file_has(agent: Agent) -> None:
    path = made(agent.root / "f", "one\r\ntwo\r\n")
    await agent.read(path)
    await agent.write(path, "one\r\nnew\ntwo\r\n")
    assert path.read_bytes() == b"one\r\nnew\r\ntwo\r\n"


@pytest.mark.statement(101)
@pytest.mark.parametrize("content", ["", "a", "a\n", "a\r\nb\n", "\ufeffa\n", "é\0\n"])
async def test_a_new_file_has_just_what_was_sent(agent: Agent, content: str) -> None:
    path = agent.root / "new" / "folder" / "f"
    await agent.write(path, content)
    assert path.read_bytes() == content.encode()
    assert agent.told == [("written", "f", None, content.removeprefix("\ufeff"))]
    assert os.listdir(path.parent) == ["f"]
    mask = os.umask(0)
    os.umask(mask)
    assert stat.S_IMODE(path.stat().st_mode) == 0o666 & ~mask


@pytest.mark.statement(101)
async def test_symlinks_and_modes_are_kept(agent: Agent) -> None:
    path = made(agent.root / "real" / "f")
    path.chmod(0o750)
    (agent.root / "link").symlink_to("real/f")
    await agent.write(agent.root / "link", "new\n")
    assert (agent.root / "link").is_symlink()
    assert path.read_text() == "new\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o750


@pytest.mark.statement(102)
async def test_a_clean_buffer_is_edited_in_one_step_and_saved(agent: Agent) -> None:
    path = made(agent.root / "f")
    buffer = agent.editor.open(path)
    await agent.read(path)
    await agent.write(path, FOUR.replace("two", "2").replace("four\n", "four"))
    assert path.read_text() == "one\n2\nthree\nfour"
    assert (buffer.modified, len(buffer.steps)) == (False, 1)
    assert agent.editor.options["autocmds"] is True
    assert agent.editor.options["base"] == FOUR
    assert agent.told[-1] == ("written", "f", FOUR, "one\n2\nthree\nfour")
    buffer.undo()
    assert buffer.lines == FOUR.split()


@pytest.mark.statement(103)
async def test_unsaved_lines_survive_and_are_saved(agent: Agent) -> None:
    path = made(agent.root / "f")
    buffer = agent.editor.open(path)
    await agent.read(path)
    buffer.edit(["one", "two", "three", "mine"])
    await agent.write(path, FOUR.replace("one", "1"))
    assert path.read_text() == "1\ntwo\nthree\nmine\n"
    assert not buffer.modified
    await agent.write(path, FOUR.replace("one", "1").replace("two", "2"))  # from its own belief
    assert path.read_text() == "1\n2\nthree\nmine\n"
    assert agent.asked == []


@pytest.mark.statement(103)
@pytest.mark.parametrize(
    ("answer", "after"), [("agent", "1\ntwo\nthree\nFOUR\n"), ("mine", None), (None, None)]
)
async def test_only_the_user_decides_an_overlap(agent: Agent, answer: str | None, after: str | None) -> None:
    path = made(agent.root / "f")
    buffer = agent.editor.open(path)
    await agent.read(path)
    buffer.edit(["one", "two", "three", "mine"])
    agent.answers = [answer]
    writing = agent.write(path, "1\ntwo\nthree\nFOUR\n")
    if after is None:
        assert await agent.code(writing) == INTERNAL_ERROR
        assert (path.read_text(), buffer.lines[3], buffer.modified) == (FOUR, "mine", True)
    else:
        await writing
        assert path.read_text() == after
    (question,) = agent.asked
    assert (question.kind, question.path, question.has_diff) == ("conflict", str(path), True)
    assert [(each.id, each.kind) for each in question.options] == [
        ("agent", "allow_once"),
        ("mine", "reject_once"),
        ("merge", "allow_once"),
    ]
    assert not agent.files.conflicts.open


async def test_the_agents_way_leaves_what_is_disjoint(agent: Agent) -> None:
    path = made(agent.root / "f")
    buffer = agent.editor.open(path)
    await agent.read(path)
    buffer.edit(["mine", "two", "three", "mine, too"])
    agent.answers = ["agent"]
    await agent.write(path, FOUR.replace("four", "4"))
    assert buffer.lines == ["mine", "two", "three", "4"]


async def test_a_merge_by_hand_is_what_is_saved(agent: Agent) -> None:
    path = made(agent.root / "f")
    agent.editor.open(path).edit(["one", "two", "three", "mine"])
    await agent.read(path)
    agent.editor.buffers[str(path)].edit(["one", "two", "three", "mine!"])
    agent.answers = ["merge"]
    agent.merged = "one\ntwo\nthree\nmine! and FOUR\n"
    await agent.write(path, FOUR.replace("four", "FOUR"))
    assert path.read_text() == agent.merged


async def test_conflicts_are_shown_with_plain_ends_and_saved_with_those_of_the_file(agent: Agent) -> None:
    path = made(agent.root / "f", "one\r\ntwo\r\n")
    buffer = agent.editor.open(path)
    await agent.read(path)
    buffer.edit(["one", "mine"])
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(agent.write, path, "one\r\nTWO\r\n")
        await anyio.wait_all_tasks_blocked()
        (conflict,) = agent.files.conflicts.open.values()
        assert (conflict.mine, conflict.agents) == ("one\nmine\n", "one\nTWO\n")
        (question,) = agent.asked
        agent.session.questions.end(question, question.option("agent"), "user")
    assert path.read_bytes() == b"one\r\nTWO\r\n"


async def test_a_merge_without_a_text_asks_again(agent: Agent) -> None:
    path = made(agent.root / "f")
    agent.begin_turn()
    agent.editor.open(path).edit(["mine"])
    agent.answers = ["merge", "mine"]
    assert await agent.code(agent.write(path, "theirs\n")) == INTERNAL_ERROR
    assert [question.note for question in agent.asked] == ["", "nothing was merged yet"]


async def test_what_the_user_types_while_asked_is_kept(agent: Agent) -> None:
    path = made(agent.root / "f")
    buffer = agent.editor.open(path)
    await agent.read(path)
    buffer.edit(["one", "two", "three", "mine"])
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(agent.write, path, "one\ntwo\nthree\nFOUR\n")
        await anyio.wait_all_tasks_blocked()
        buffer.edit(["typed", *buffer.lines])
        (question,) = agent.asked
        agent.session.questions.end(question, question.option("agent"), "user")
    assert path.read_text() == "typed\none\ntwo\nthree\nFOUR\n"
    assert len(agent.asked) == 1


async def test_a_new_overlap_while_asked_is_a_new_question(agent: Agent) -> None:
    path = made(agent.root / "f")
    buffer = agent.editor.open(path)
    await agent.read(path)
    buffer.edit(["one", "two", "three", "mine"])
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(agent.write, path, "one\ntwo\nthree\nFOUR\n")
        await anyio.wait_all_tasks_blocked()
        buffer.edit(["one", "two", "three", "mine, once more"])
        agent.session.questions.end(agent.asked[0], agent.asked[0].option("agent"), "user")
        await anyio.wait_all_tasks_blocked()
        assert path.read_text() == FOUR
        agent.session.questions.end(agent.asked[1], agent.asked[1].option("agent"), "user")
    assert path.read_text() == "one\ntwo\nthree\nFOUR\n"


# --- the disk under it


@pytest.mark.statement(104)
@pytest.mark.parametrize("loaded", [False, True])
async def test_a_disk_that_changed_is_merged(agent: Agent, loaded: bool) -> None:
    path = made(agent.root / "f")
    if loaded:
        agent.editor.open(path)
    await agent.read(path)
    path.write_text(FOUR.replace("four", "4"))
    await agent.write(path, FOUR.replace("one", "1"))
    assert path.read_text() == "1\ntwo\nthree\n4\n"
    assert agent.asked == []


@pytest.mark.statement(104)
@pytest.mark.parametrize("loaded", [False, True])
async def test_a_disk_that_changed_in_the_same_lines_asks(agent: Agent, loaded: bool) -> None:
    path = made(agent.root / "f")
    if loaded:
        agent.editor.open(path)
    await agent.read(path)
    path.write_text(FOUR.replace("four", "4"))
    agent.answers = ["mine"]
    assert await agent.code(agent.write(path, FOUR.replace("four", "vier"))) == INTERNAL_ERROR
    assert path.read_text() == FOUR.replace("four", "4")


@pytest.mark.statement(104)
async def test_three_sides_that_are_disjoint_merge(agent: Agent) -> None:
    path = made(agent.root / "f")
    buffer = agent.editor.open(path)
    await agent.read(path)
    buffer.edit(["one", "mine", "three", "four"])
    path.write_text(FOUR.replace("four", "4"))
    await agent.write(path, FOUR.replace("one", "1"))
    assert path.read_text() == "1\nmine\nthree\n4\n"
    assert agent.asked == []


@pytest.mark.statement(104)
@pytest.mark.parametrize(
    ("answer", "after"), [("agent", "1\nmine\nthree\n4\n"), ("mine", "one\ndisk\nthree\n4\n")]
)
async def test_a_disk_that_overlaps_unsaved_lines_asks(agent: Agent, answer: str, after: str) -> None:
    path = made(agent.root / "f")
    buffer = agent.editor.open(path)
    await agent.read(path)
    buffer.edit(["one", "mine", "three", "four"])
    path.write_text("one\ndisk\nthree\n4\n")
    agent.answers = [answer]
    writing = agent.write(path, FOUR.replace("one", "1"))
    if answer == "mine":
        assert await agent.code(writing) == INTERNAL_ERROR
    else:
        await writing
    assert path.read_text() == after
    assert "disk" in agent.asked[0].note


@pytest.mark.statement(104)
async def test_what_the_user_saved_meanwhile_is_not_a_foreign_change(agent: Agent) -> None:
    path = made(agent.root / "f")
    buffer = agent.editor.open(path)
    await agent.read(path)
    buffer.edit(["one", "two", "three", "mine"])
    buffer.save()
    buffer.edit(["one", "two", "three", "mine!"])
    await agent.write(path, FOUR.replace("one", "1"))
    assert path.read_text() == "1\ntwo\nthree\nmine!\n"
    assert agent.asked == []


@pytest.mark.parametrize("loaded", [False, True])
async def test_an_unread_file_that_is_as_old_as_the_turn_is_its_own_base(agent: Agent, loaded: bool) -> None:
    path = made(agent.root / "f")
    agent.begin_turn()
    if loaded:
        agent.editor.open(path).edit(["one", "two", "three", "mine"])
    await agent.write(path, FOUR.replace("one", "1"))
    assert path.read_text() == ("1\ntwo\nthree\nmine\n" if loaded else "1\ntwo\nthree\nfour\n")


async def test_an_unread_file_that_changed_in_the_turn_asks(agent: Agent) -> None:
    path = made(agent.root / "f")
    agent.begin_turn()
    path.write_text("new\n")
    agent.answers = ["mine"]
    assert await agent.code(agent.write(path, "theirs\n")) == INTERNAL_ERROR
    await agent.write(path, "new\n")  # what is there anyway needs nobody's leave
    assert len(agent.asked) == 1


async def test_loaded_files_are_remembered_as_they_were_when_the_turn_began(agent: Agent) -> None:
    path = made(agent.root / "f")
    agent.editor.open(path)
    agent.begin_turn(path)
    path.write_text(FOUR.replace("four", "4"))
    await agent.write(path, FOUR.replace("one", "1"))
    assert path.read_text() == "1\ntwo\nthree\n4\n"


async def test_a_file_that_has_gone_is_made_anew(agent: Agent) -> None:
    path = made(agent.root / "f")
    await agent.read(path)
    path.unlink()
    await agent.write(path, "new\n")
    assert path.read_text() == "new\n"


async def test_the_agent_is_taken_to_believe_what_it_sent(agent: Agent) -> None:
    path = made(agent.root / "f", "a\nb\nc\n")
    agent.editor.open(path)
    agent.editor.formats = lambda lines: [f"  {line.strip()}" for line in lines]
    await agent.read(path)
    await agent.write(path, "a\nB\nc\n")
    assert path.read_text() == "  a\n  B\n  c\n"
    assert agent.told[-1] == ("written", "f", "a\nb\nc\n", "  a\n  B\n  c\n")
    await agent.write(path, "a\nB\nc\nd\n")
    assert path.read_text() == "  a\n  B\n  c\n  d\n"


async def test_autocommands_are_left_out_where_the_user_says_so(agent: Agent) -> None:
    agent.files.configure("ask", autocmds=False)
    path = made(agent.root / "f")
    agent.editor.open(path)
    agent.editor.formats = lambda lines: ["formatted"]
    await agent.write(path, "new\n")
    assert path.read_text() == "new\n"


async def test_a_file_keeps_its_encoding(agent: Agent) -> None:
    path = made(agent.root / "f", "café\nzwei\ndrei\n".encode("latin-1"))
    agent.begin_turn(path)
    agent.editor.open(path, encoding="latin-1")
    await agent.write(path, "café\nzwei\nvier\n")  # unread: the base is the disk, in its encoding
    assert path.read_bytes() == "café\nzwei\nvier\n".encode("latin-1")
    path.write_bytes("thé\nzwei\nvier\n".encode("latin-1"))
    await agent.write(path, "café\nzwei\nfünf\n")
    assert path.read_bytes() == "thé\nzwei\nfünf\n".encode("latin-1")
    assert agent.asked == []


@pytest.mark.parametrize("content", ["a\r\nb\r\n", "a\nb", ""])
async def test_a_new_buffer_takes_the_ends_that_come(agent: Agent, content: str) -> None:
    path = agent.root / "new" / "f"
    buffer = agent.editor.open(path)
    await agent.write(path, content)
    assert path.read_bytes() == content.encode()
    assert not any("\r" in line for line in buffer.lines)


async def test_an_editor_that_forbids_edits_is_asked_again(agent: Agent) -> None:
    path = made(agent.root / "f")
    agent.editor.open(path)
    agent.editor.locks = 2
    await agent.write(path, "new\n")
    assert path.read_text() == "new\n"


# --- what goes wrong


@pytest.mark.statement(106)
async def test_what_the_editor_cannot_save_is_an_error(agent: Agent) -> None:
    path = made(agent.root / "f")
    agent.editor.open(path)
    agent.editor.failure = "E212: Can't open file for writing"
    await agent.read(path)
    assert await agent.code(agent.write(path, "new\n")) == INTERNAL_ERROR
    assert agent.told == [("read", "f", None)]
    agent.editor.failure = None
    await agent.write(path, FOUR.replace("one", "1"))  # the belief is the old one
    assert agent.asked == []


@pytest.mark.statement(106)
async def test_what_the_disk_refuses_leaves_it_as_it_was(agent: Agent, monkeypatch: Any) -> None:
    path = made(agent.root / "f")

    def full(handle: int, *rest: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(disk, "_dress", full)
    assert await agent.code(agent.write(path, "new\n")) == INTERNAL_ERROR
    assert path.read_text() == FOUR
    assert os.listdir(agent.root) == ["f"]


@pytest.mark.statement(106)
async def test_what_cannot_be_written(agent: Agent) -> None:
    read_only = made(agent.root / "ro")
    read_only.chmod(0o444)
    made(agent.root / "f")
    os.mkfifo(agent.root / "fifo")
    for name, code in [
        ("ro", INTERNAL_ERROR),
        (".", INVALID_PARAMS),
        ("f/below", INTERNAL_ERROR),
        ("fifo", INTERNAL_ERROR),
        ("n" * 300, INTERNAL_ERROR),
    ]:
        assert await agent.code(agent.write(f"{agent.root}/{name}", "new\n")) == code, name
    assert await agent.code(agent.write("f", "new\n")) == INVALID_PARAMS
    assert await agent.code(agent.write(agent.root / "f", None)) == INVALID_PARAMS
    assert read_only.read_text() == FOUR


async def test_nothing_to_write_is_not_written(agent: Agent) -> None:
    path = made(agent.root / "f")
    before = path.stat()
    await agent.write(path, FOUR)
    agent.editor.open(path)
    await agent.write(path, FOUR)
    after = path.stat()
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)
    assert [what[0] for what in agent.told] == ["written", "written"]


# --- several at once


async def test_requests_on_one_file_are_served_in_their_order(agent: Agent) -> None:
    path = made(agent.root / "f", "0\n")
    agent.editor.open(path)
    async with anyio.create_task_group() as tasks:
        for number in range(1, 9):
            tasks.start_soon(agent.write, path, f"{number}\n")
    assert [what[2:] for what in agent.told] == [(f"{n}\n", f"{n + 1}\n") for n in range(8)]
    assert not agent.files._locks


async def test_other_files_do_not_wait_for_a_question(agent: Agent) -> None:
    path, other = made(agent.root / "f"), made(agent.root / "g")
    agent.editor.open(path)
    await agent.read(path)
    agent.editor.buffers[str(path)].edit(["mine"])
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(agent.write, path, "theirs\n")
        await anyio.wait_all_tasks_blocked()
        assert await agent.read(other) == FOUR
        tasks.cancel_scope.cancel()


async def test_a_request_withdrawn_while_asked_takes_its_question_along(agent: Agent) -> None:
    path = made(agent.root / "f")
    buffer = agent.editor.open(path)
    await agent.read(path)
    buffer.edit(["mine"])
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(agent.write, path, "theirs\n")
        await anyio.wait_all_tasks_blocked()
        assert len(agent.session.questions) == 1
        tasks.cancel_scope.cancel()
    assert len(agent.session.questions) == 0
    assert [question.ended_by for question in agent.asked] == ["agent"]
    assert (path.read_text(), buffer.lines) == (FOUR, ["mine"])


async def test_a_request_that_is_withdrawn_leaves_nothing_half_done(agent: Agent) -> None:
    path = made(agent.root / "f")
    buffer = agent.editor.open(path)
    await agent.read(path)
    agent.told.clear()
    async with anyio.create_task_group() as tasks:

        def withdraw(called: str) -> None:
            if called == "document_write":
                tasks.cancel_scope.cancel()

        agent.editor.before = withdraw
        tasks.start_soon(agent.write, path, "new\n")
    agent.editor.before = lambda called: None
    assert path.read_text() == "new\n"
    assert not buffer.modified
    assert agent.told
    await agent.write(path, "new\nand newer\n")
    assert agent.asked == []


async def test_an_editor_that_is_gone_is_not_waited_for(agent: Agent) -> None:
    path = made(agent.root / "f")
    agent.editor.open(path)
    with anyio.fail_after(5):
        async with anyio.create_task_group() as tasks:
            agent.editor.answering = anyio.Event()
            tasks.start_soon(agent.write, path, "new\n")
            await anyio.wait_all_tasks_blocked()
            tasks.cancel_scope.cancel()
            agent.files.close()
    assert path.read_text() == FOUR


async def test_where_a_write_has_nothing_to_change_what_the_user_has_typed_since_is_saved(
    agent: Agent,
) -> None:
    path = made(agent.root / "f")
    buffer = agent.editor.open(path)
    await agent.write(path, FOUR.replace("one", "1"))
    buffer.edit([*buffer.lines, "typed"])
    await agent.write(path, FOUR.replace("one", "1"))
    assert path.read_text() == "1\ntwo\nthree\nfour\ntyped\n"


async def test_an_overlap_with_what_our_write_has_left_is_asked_about_the_buffer_as_it_is(
    agent: Agent,
) -> None:
    path = made(agent.root / "f")
    buffer = agent.editor.open(path)
    await agent.write(path, FOUR.replace("one", "1"))
    buffer.edit([*buffer.lines, "typed"])
    path.write_text(FOUR.replace("one", "disk"))
    agent.answers = ["agent"]
    await agent.write(path, FOUR.replace("one", "2"))
    assert path.read_text() == "2\ntwo\nthree\nfour\ntyped\n"


async def test_sessions_believe_each_for_itself(agent: Agent) -> None:
    path = made(agent.root / "f")
    other = agent.new_session(agent.root)
    await agent.read(path)
    await agent.read(path, other)
    await agent.write(path, FOUR.replace("one", "1"))
    await agent.write(path, FOUR.replace("four", "4"), other)
    assert path.read_text() == "1\ntwo\nthree\n4\n"


@pytest.mark.alone
async def test_reading_costs_little(agent: Agent) -> None:
    path = made(agent.root / "f", "".join(f"some text of line {n}\n" for n in range(2000)))
    agent.editor.open(path)
    times = []
    for _ in range(50):
        began = time.process_time()
        await agent.read(path)
        times.append(time.process_time() - began)
    assert sorted(times)[25] < 0.003  # 0.2 ms alone on a machine


@pytest.mark.parametrize("unsaved", [[], ["mine"]])
@pytest.mark.parametrize("before", [False, True])
async def test_what_was_refused_goes_also_where_the_disk_was_written_before(
    agent: Agent, before: bool, unsaved: list[str]
) -> None:
    path = made(agent.root / "f")
    agent.begin_turn(path)
    live = "".join(f"{line}\n" for line in [*FOUR.split(), *unsaved])
    buffer = agent.editor.open(path)
    buffer.edit(live.split())
    right, decided = live.replace("one", "1").replace("three", "3"), live.replace("three", "3")
    written, saved = FOUR.replace("one", "1").replace("three", "3"), FOUR.replace("three", "3")
    file = ProposedFile(str(path), [], AgentChange(FOUR, written), FOUR)
    about = Sides(file, live, right, saved=saved, written=frozenset([written]))
    decision = Decision(str(path), about, decided)
    agent.expected.add(agent.session, "call", [decision])
    if before:
        path.write_text(written)
    await agent.write(path, written)
    assert path.read_text() == decided
    assert buffer.lines == decided.split()
