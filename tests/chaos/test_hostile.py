"""What a hostile agent may send: whatever it is, the next word is shown, all others go on, and every request of it is
answered once."""

from __future__ import annotations

import os
import socket
from pathlib import Path
from typing import Any

import pytest

from acp_nvim import limits
from tests.chaos.puppet import Json
from tests.chaos.stage import YES, Stage, stage
from tests.client.conftest import desk
from tests.fakes.script import eventually

__all__ = ["desk", "stage"]
INFINITE, NO_NUMBER, HUGE = float("inf"), float("nan"), 2**70


NUMBERS: dict[str, Json] = {
    "a line": {
        "sessionUpdate": "tool_call",
        "toolCallId": "t",
        "rawInput": {"path": "{file}", "line": HUGE},
    },
    "a place": {
        "sessionUpdate": "tool_call",
        "toolCallId": "t",
        "locations": [{"path": "{file}", "line": HUGE}],
    },
    "raw input": {
        "sessionUpdate": "tool_call",
        "toolCallId": HUGE,
        "kind": "execute",
        "rawInput": {"command": [INFINITE, NO_NUMBER, HUGE], "cwd": HUGE, "path": NO_NUMBER},
    },
    "usage": {
        "sessionUpdate": "usage_update",
        "used": HUGE,
        "size": INFINITE,
        "cost": {"amount": NO_NUMBER, "currency": HUGE},
    },
    "a mode": {"sessionUpdate": "current_mode_update", "currentModeId": HUGE},
    "an option": {
        "sessionUpdate": "config_option_update",
        "configOptions": [{"id": HUGE, "name": HUGE, "type": "select", "currentValue": HUGE, "options": []}],
    },
    "an exit": {
        "sessionUpdate": "tool_call",
        "toolCallId": "t",
        "_meta": {"terminal_exit": {"terminal_id": HUGE, "exit_code": HUGE}},
    },
}


@pytest.mark.parametrize("name", NUMBERS)
async def test_no_number_is_too_large_for_the_way_to_the_editor(stage: Stage, name: str) -> None:
    file = stage.desk.folder / "file.txt"
    file.write_text("text\n")
    update = {
        key: _filled(value, str(file)) for key, value in NUMBERS[name].items() if key != "sessionUpdate"
    }
    stage.update(NUMBERS[name]["sessionUpdate"], **update)
    stage.permission({"toolCallId": "p", **{key: update[key] for key in ("rawInput",) if key in update}})
    await stage.talk.asked()
    await stage.goes_on()


def _filled(value: Any, file: str) -> Any:
    if isinstance(value, dict):
        return {key: _filled(item, file) for key, item in value.items()}
    if isinstance(value, list):
        return [_filled(item, file) for item in value]
    return file if value == "{file}" else value


@pytest.mark.parametrize("kind", ["permissions", "permissions of one call", "forms", "files outside"])
async def test_more_questions_than_anybody_answers_are_refused(stage: Stage, kind: str) -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string"}}}
    asked = [
        stage.ask("fs/read_text_file", path="/etc/hostname")
        if kind == "files outside"
        else stage.ask("elicitation/create", mode="form", message="?", requestedSchema=schema)
        if kind == "forms"
        else stage.permission({"toolCallId": "t" if "one" in kind else f"t{number}", "title": "may"})
        for number in range(3 * limits.OPEN_QUESTIONS)
    ]
    if kind == "files outside":  # one file is served at a time: those behind it wait for their turn
        await stage.talk.asked(1)
    else:
        await stage.talk.asked(limits.OPEN_QUESTIONS)
        refused = await stage.answered(*asked[limits.OPEN_QUESTIONS :])
        assert all("to answer first" in each["error"]["message"] for each in refused)
    await stage.goes_on()
    stage.talk.send("cancel")
    await eventually(lambda: not stage.talk.questions)
    await stage.answered(*asked)
    stage.permission({"toolCallId": "later", "title": "may"})
    await stage.goes_on()


async def test_one_id_for_two_requests_is_two_requests(stage: Stage) -> None:
    for number in range(2):
        call = {"toolCallId": f"t{number}", "title": "may"}
        params = {"sessionId": "s1", "toolCall": call, "options": YES}
        stage.agent.send({"id": "same", "method": "session/request_permission", "params": params})
    await stage.talk.asked(2)
    stage.talk.answer("y", stage.talk.questions[1]["id"])
    await stage.talk.asked(1)
    stage.talk.answer("y")
    await stage.talk.asked(0)
    assert len([each for each in stage.agent.got if each.get("id") == "same"]) == 2


async def test_an_id_that_another_session_has_opens_none(stage: Stage) -> None:
    """Else what is said to one would be shown in the other."""
    thief = await stage.open("s1")
    await thief.until("failed")
    assert "id of session 1" in thief.status["error"]
    thief.send("close")
    await stage.goes_on()
    other = await stage.open("s2")
    await other.until("idle")


async def test_a_terminal_is_of_one_session(stage: Stage) -> None:
    other = await stage.open("s2")
    await other.until("idle")
    [made] = await stage.answered(stage.ask("terminal/create", command="sleep", args=["60"]))
    name = made["result"]["terminalId"]
    methods = ("terminal/output", "terminal/kill", "terminal/wait_for_exit", "terminal/release")
    asked = [stage.agent.ask(method, {"sessionId": "s2", "terminalId": name}) for method in methods]
    assert all("does not exist" in each["error"]["message"] for each in await stage.answered(*asked))
    [seen] = await stage.answered(stage.ask("terminal/output", terminalId=name))
    assert "exitStatus" not in seen["result"]


ODD_FILES = ("fifo", "socket", "folder", "sparse", "nul\0", "x" * 300, "y" * 5000, "deep/" * 1500 + "f")


@pytest.mark.parametrize("name", ODD_FILES, ids=lambda name: name[:8].strip("\0"))
async def test_what_is_no_file_stops_nobody(
    stage: Stage, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "folder").mkdir()
    monkeypatch.chdir(tmp_path)  # a socket's path may have 107 bytes
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("socket")
    with (tmp_path / "sparse").open("wb") as sparse:
        sparse.truncate(10 << 30)
    path = f"{tmp_path}/{name}"
    diff = {"type": "diff", "path": path, "oldText": "a", "newText": "b"}
    reading, writing = (
        stage.ask("fs/read_text_file", path=path),
        stage.ask("fs/write_text_file", path=path, content="x"),
    )
    assert all("error" in each for each in await stage.answered(reading, writing))
    call = {"toolCallId": "t", "kind": "edit", "content": [diff], "rawInput": {"path": path}}
    stage.update("tool_call", **call, locations=[{"path": path, "line": 1}])
    stage.permission(call)
    await stage.talk.asked()
    stage.update("tool_call_update", toolCallId="t", status="completed")
    await stage.goes_on()


async def test_a_message_as_large_as_may_be_holds_nobody_up(stage: Stage) -> None:
    old, new = "old line\n" * 2_000_000, "new line\n" * 2_000_000
    diff = {"type": "diff", "path": f"{stage.desk.folder}/f", "oldText": old, "newText": new}
    stage.update("tool_call", toolCallId="t", kind="edit", content=[diff])
    stage.permission({"toolCallId": "t"})
    await stage.talk.asked()
    await stage.goes_on()


async def test_an_error_as_large_as_may_be_is_told_in_few_words(stage: Stage) -> None:
    (prompt,) = stage.agent.open
    error = {"code": HUGE, "message": "no\n\x1b[31m" * 1_000_000, "data": {"more": ["x"] * 100_000}}
    stage.agent.send({"id": prompt, "error": error})
    await stage.talk.ended(1)
    assert len(stage.talk.status["error"]) < 20_000
    assert len("\n".join(stage.talk.lines)) < 50_000
