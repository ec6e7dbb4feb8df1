"""Tool calls as agents tell of them: merged, never trusted, and drawn as they are now."""

import copy
from typing import Any

import pytest

from tests.client.conftest import Desk, Talk
from tests.fakes.script import eventually, on_prompt, say, tool, update, wait


async def told(desk: Desk, *steps: Any) -> Talk:
    desk.agent(on_prompt("work", *steps))
    talk = await desk.ready()
    await talk.turn("work")
    return talk


def facts(talk: Talk, id: str = "t") -> list[tuple[Any, ...]]:
    """Of its events: kind, status, title."""
    calls = (data for data in talk.data("AcpToolCall") if data["id"] == id)
    return [(data["kind"], data["status"], data["title"]) for data in calls]


def open_all(desk: Desk, talk: Talk) -> None:
    for mark in desk.editor.chat(talk.number).marks:
        if mark["kind"] == "tool":
            talk.send("toggle", key=mark["key"], open=True)


@pytest.mark.statement(81)
@pytest.mark.parametrize(
    "fields",
    [{}, {"kind": None, "status": None, "content": None}, {"kind": 5, "status": [], "locations": {}}],
)
async def test_what_is_not_given_has_a_default(desk: Desk, fields: dict[str, Any]) -> None:
    talk = await told(desk, tool("t", title="build", **fields), say("done"))
    assert facts(talk) == [("other", "pending", "build"), ("other", "cancelled", "build")]
    assert "tool    build" in talk.lines
    assert talk.data("AcpToolCall")[0]["paths"] == []


@pytest.mark.statement(81)
async def test_unknown_kinds_and_states(desk: Desk) -> None:
    talk = await told(
        desk,
        tool("t", title="teleport", kind="teleport", status="in_progress"),
        tool("t", known=True, status="glowing"),
        tool("t", known=True, status="completed"),
    )
    assert facts(talk) == [("other", "in_progress", "teleport"), ("other", "completed", "teleport")]


@pytest.mark.statement(82)
async def test_only_what_is_given_changes(desk: Desk) -> None:
    text = {"type": "content", "content": {"type": "text", "text": "old words"}}
    new = {"type": "content", "content": {"type": "text", "text": "new words"}}
    talk = await told(
        desk,
        tool(
            "t", title="look", kind="read", status="in_progress", content=[text], locations=[{"path": "/w/a"}]
        ),
        tool("t", known=True, status="completed"),
        tool("t", known=True, content=[new], locations=[{"path": "/w/b", "line": 3}, {"path": "/w/c"}]),
        tool("t", known=True, title=None, kind=None),
    )
    assert facts(talk)[-1] == ("read", "completed", "look")
    assert [data["paths"] for data in talk.data("AcpToolCall")] == [["/w/a"], ["/w/a"], ["/w/b", "/w/c"]]
    open_all(desk, talk)
    await eventually(lambda: "  │ new words" in talk.lines)
    assert "  │ old words" not in talk.lines


@pytest.mark.statement(83)
async def test_an_update_of_an_unknown_call_creates_it(desk: Desk) -> None:
    talk = await told(desk, tool("t", known=True, status="completed", title="late"), say("done"))
    assert facts(talk) == [("other", "completed", "late")]
    assert "tool    late" in talk.lines


@pytest.mark.statement(84)
async def test_a_call_announced_twice_is_one(desk: Desk) -> None:
    talk = await told(
        desk,
        tool("t", title="first"),
        say("between"),
        tool("t", title="second", status="completed"),
        tool("u", title="x"),
    )
    assert [line for line in talk.lines if line.startswith("tool ")] == ["tool    second", "tool    x"]
    assert talk.lines.index("tool    second") < talk.lines.index("between")


@pytest.mark.statement(85)
async def test_bad_items_are_skipped(desk: Desk) -> None:
    good = {"type": "content", "content": {"type": "text", "text": "good"}}
    talk = await told(
        desk,
        tool(
            "t",
            title="list",
            status="completed",
            content=[3, None, {"type": "diff"}, {"type": "terminal"}, good, "bad"],
            locations=[None, {"line": 3}, {"path": 7}, {"path": "/w/a", "line": -4}, {"path": "rel"}],
        ),
    )
    assert talk.data("AcpToolCall")[-1]["paths"] == ["/w/a", f"{desk.folder}/rel"]
    open_all(desk, talk)
    await eventually(lambda: "  │ good" in talk.lines)


@pytest.mark.statement(86)
@pytest.mark.parametrize("old", [None, "", "absent"])
async def test_a_diff_of_a_file_that_was_not_there(desk: Desk, old: str | None) -> None:
    diff = {"type": "diff", "path": "/w/new.txt", "oldText": old, "newText": "one\ntwo"}
    if old == "absent":
        del diff["oldText"]
    talk = await told(desk, tool("t", title="write", kind="edit", status="completed", content=[diff]))
    open_all(desk, talk)
    await eventually(lambda: any("two" in line for line in talk.lines))
    body = [line.removeprefix("  │ ") for line in talk.lines if line.startswith("  │")]
    assert [line.replace("+ ", "+") for line in body if line.startswith("+")] == ["+one", "+two"]
    assert [line for line in body if line.startswith("-")] == []
    assert talk.data("AcpToolCall")[-1]["paths"] == ["/w/new.txt"]


RAW: list[Any] = [0, False, "", "text", [], [[[]]], {}, {"a": {"b": [None]}}, 1.5, {"command": 7}]


@pytest.mark.statement(87)
async def test_raw_input_and_output_of_any_kind(desk: Desk) -> None:
    calls = (
        tool(f"t{n}", title=f"odd {n}", status="completed", rawInput=raw, rawOutput=raw)
        for n, raw in enumerate(RAW)
    )
    talk = await told(desk, *calls, say("fine"))
    open_all(desk, talk)
    for mark in desk.editor.chat(1).marks:
        if mark["kind"] == "tool":
            talk.send("details", key=mark["key"])
    await eventually(lambda: len(desk.editor.floats) == len(RAW))
    assert [lines[0] for lines, _ in desk.editor.floats] == [f"odd {n}" for n in range(len(RAW))]
    assert {filetype for _, filetype in desk.editor.floats} == {"acp_details"}
    assert talk.lines[-1] == "fine"


async def test_titles_cannot_deceive(desk: Desk) -> None:
    talk = await told(desk, tool("t", title="rm\x1b[2K\u202etxt.exe\nsecond", status="completed"))
    assert facts(talk)[-1][2] == "rm^[[2K<202E>txt.exe second"
    assert "\x1b" not in "\n".join(talk.lines)


async def test_a_call_is_told_only_when_a_fact_changes(desk: Desk) -> None:
    stream = [
        tool("t", known=True, content=[{"type": "content", "content": {"type": "text", "text": f"{n}"}}])
        for n in range(30)
    ]
    talk = await told(
        desk, tool("t", title="run", status="in_progress"), *stream, tool("t", known=True, status="completed")
    )
    assert [status for _, status, _ in facts(talk)] == ["in_progress", "completed"]


@pytest.mark.statement(117)
async def test_a_terminal_of_the_agents_own_is_shown(desk: Desk) -> None:
    meta = {"terminal_output": {"terminal_id": "x", "data": "compiling\n"}}
    ref, ended = {"type": "terminal", "terminalId": "x"}, {"terminal_id": "x", "exit_code": 2}
    talk = await told(
        desk,
        tool("t", title="make", kind="execute", status="in_progress", _meta=meta),
        tool("t", known=True, content=[ref], status="completed", _meta={"terminal_exit": ended}),
    )
    open_all(desk, talk)
    await eventually(lambda: "  │ compiling" in talk.lines)
    assert desk.editor.terminals == {"x": "make [exit 2]"}


@pytest.mark.parametrize("in_content", [True, False])
async def test_a_change_that_failed_tells_why_and_nothing_raw(desk: Desk, in_content: bool) -> None:
    text = "```\n<tool_use_error>The file has not been read yet.</tool_use_error>\nat line 3\n```"
    told_so = {"content": [{"type": "content", "content": {"type": "text", "text": text}}]}
    how = told_so if in_content else {"rawOutput": text}
    raw = {"file_path": "/w/a", "old_string": "one", "new_string": "two"}
    talk = await told(
        desk,
        tool("t", title="edit", kind="edit", rawInput=raw),
        tool("t", known=True, status="failed", **how),
    )
    await eventually(lambda: "edit    /w/a  The file has not been read yet." in talk.lines)
    shown = "\n".join(talk.lines)
    assert not [raw for raw in ("tool_use_error", "```", "old_string", "at line 3") if raw in shown]


async def test_a_chat_drawn_anew_is_the_same(desk: Desk) -> None:
    diff = {"type": "diff", "path": "/w/a", "oldText": "a\n", "newText": "b\n"}
    talk = await told(
        desk,
        say("# one\n"),
        tool("t", title="edit", kind="edit", status="failed", content=[diff]),
        update({"sessionUpdate": "plan", "entries": [{"content": "do"}]}),
        say("two\n\n"),
        tool("u", title="run"),
    )
    before = copy.deepcopy(desk.editor.chat(1))
    desk.editor.chat(1).lines[0] = "out of step"
    talk.send("render")
    await eventually(lambda: desk.editor.chat(1) == before)


async def test_a_flood_of_text_arrives_whole(desk: Desk) -> None:
    talk = await told(desk, ["repeat", 3000, [say("line {n}\n")]], say("end"))
    await eventually(lambda: talk.lines[-1] == "end")
    assert talk.says.split("\n")[:-1] == [f"line {number}" for number in range(3000)]
    assert desk.editor.frames < 1500


async def test_what_is_running_is_told_while_text_floods(desk: Desk) -> None:
    desk.agent(
        on_prompt("work", say("x" * 600_000), tool("t", title="run", status="in_progress"), wait("never"))
    )
    talk = await desk.ready()
    talk.prompt("work")
    await eventually(lambda: facts(talk) == [("other", "in_progress", "run")])
    assert "tool    run" in talk.lines
