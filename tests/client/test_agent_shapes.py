"""The golden messages of agents, sent in the course of a turn: what the user sees of them, and what goes back."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.client.conftest import Desk, Talk
from tests.fakes.script import ScriptedAgent, eventually, on, on_prompt, request, result, tool, update

GOLDEN = Path(__file__).parents[1] / "golden" / "standard"


def wire(name: str) -> Any:
    return json.loads((GOLDEN / f"{name}.json").read_text())["wire"]


def told(name: str) -> Any:
    return update(wire(name)["params"]["update"])


def asks(name: str) -> Any:
    return request("session/request_permission", {**wire(name)["params"], "sessionId": "{session}"})


def answers(agent: ScriptedAgent) -> list[Any]:
    outcomes = [message["result"]["outcome"] for message in agent.got() if "method" not in message]
    return [outcome.get("optionId", outcome["outcome"]) for outcome in outcomes]


def heads(talk: Talk) -> list[str]:
    kinds = ("tool", "edit", "read", "execute", "search")
    return [" ".join(line.split()) for line in talk.lines if line.startswith(kinds)]


async def turn(desk: Desk, *steps: Any, cwd: Path | None = None) -> Talk:
    desk.agent(on_prompt("work", *steps))
    talk = await desk.ready(cwd=cwd)
    await talk.turn("work")
    return talk


@pytest.mark.parametrize("name", ["session_new_two_model_options", "session_new_model_by_current"])
async def test_of_two_options_for_the_model_the_provider_is_not_it(desk: Desk, name: str) -> None:
    config = wire(name)["result"]
    agent = desk.agent(on("session/new", result(config)), on("session/set_config_option", result({})))
    talk = await desk.ready()
    assert talk.status["model"] == "large"
    assert [model["id"] for model in talk.status["models"]] == ["large", "small"]
    talk.send("set_model", id="small")
    await eventually(
        lambda: talk.status["model"] == "small"
    )  # an answer without options means what was asked
    (sent,) = agent.got("session/set_config_option")
    assert (sent["params"]["configId"], sent["params"]["value"]) == (
        config["configOptions"][1]["id"],
        "small",
    )
    talk.send("set_model", id="large")
    await eventually(lambda: talk.status["model"] == "large")
    assert [option["value"] for option in talk.status["options"]] == ["acme", "large"]


async def test_an_agent_that_does_not_introduce_itself_is_called_by_its_configuration(desk: Desk) -> None:
    desk.agent(
        on("initialize", result(wire("initialize_no_agent_info")["result"])), on_prompt("work", ["say", "ok"])
    )
    talk = await desk.ready()
    await talk.turn("work")
    assert "## mine" in talk.lines
    assert talk.status.get("agent_version") is None


async def test_a_call_without_kind_and_status_is_a_tool_that_waits(desk: Desk) -> None:
    talk = await turn(desk, told("tool_call_no_kind_no_status"))
    first = talk.data("AcpToolCall")[0]
    assert (first["id"], first["kind"], first["status"]) == ("0", "other", "pending")
    assert heads(talk) == ["tool Look around src"]


async def test_a_status_may_go_back(desk: Desk) -> None:
    begun = tool("call_1", title="Build", kind="execute", status="in_progress")
    done = tool("call_1", known=True, status="completed")
    talk = await turn(desk, begun, told("tool_call_update_back_to_pending"), done)
    assert [data["status"] for data in talk.data("AcpToolCall")] == ["in_progress", "pending", "completed"]
    assert heads(talk) == ["execute make test Build"]


async def test_a_place_in_line_0_is_the_file(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "price.py").write_text("one\n")
    talk = await turn(desk, told("tool_call_line_0"))
    assert heads(talk) == ["read price.py"]
    places = [data["line"] for data in talk.data("AcpLocation")]
    assert places == [1]


async def test_the_folder_of_a_command_does_not_stand_for_it(desk: Desk, tmp_path: Path) -> None:
    call = {
        **wire("tool_call_folder_as_location")["params"]["update"],
        "locations": [{"path": str(tmp_path)}],
    }
    talk = await turn(desk, update(call), update({**call, "toolCallId": "call_2", "rawInput": None}))
    assert heads(talk) == ["execute make test", "execute make test"]


async def test_an_id_is_no_title(desk: Desk) -> None:
    talk = await turn(desk, told("tool_call_id_as_title"))
    assert heads(talk) == ["search total("]


async def test_ids_that_are_texts_come_back_as_they_are(desk: Desk) -> None:
    message = wire("request_permission_uuid")
    text = json.dumps(message).replace("sess_1", "s1") + "\n"
    agent = desk.agent(on_prompt("work", ["raw", text], ["wait", "go on"]))
    talk = await desk.ready()
    talk.prompt("work")
    (question,) = await talk.asked()
    assert question["tool_call_id"] == "0f8fad5b-d9cb-469f-a165-70867728950e"
    talk.answer("allow")
    await eventually(lambda: answers(agent) == ["allow"])
    (answer,) = [each for each in agent.got() if "method" not in each]
    assert answer["id"] == message["id"]
    desk.client.hosts[0].connection.notify("go on", {})
    await talk.ended(1)


@pytest.mark.parametrize(
    ("name", "call", "shows"),
    [
        ("request_permission_title_alone", "call_1", ["Allow write_file?", "price.py", "new line"]),
        ("request_permission_own_id", "call_1", ["price.py", "new line"]),
        ("request_permission_before_after", "call_1", ["price.py", "old line", "new line"]),
        ("request_permission_patch_input", "call_1", ["price.py", "old line", "new line"]),
        ("request_permission_commands", "call_1", ["make", "rm -rf build"]),
    ],
)
async def test_a_question_shows_what_it_asks_and_is_allowed_by_no_bare_rule(
    desk: Desk, tmp_path: Path, name: str, call: str, shows: list[str]
) -> None:
    (tmp_path / "price.py").write_text("keep\nold line\n")
    text = {"path": "price.py", "content": "keep\nnew line\n"}
    above = tool("call_1", title="Write price.py", kind="edit", status="pending", rawInput=text)
    steps = (
        [above, asks(name)] if wire(name)["params"]["toolCall"]["toolCallId"] == "perm_1" else [asks(name)]
    )
    agent = desk.agent(on_prompt("work", *steps))
    rules = [{"action": "allow"}, {"action": "allow", "kind": "other"}, {"action": "allow", "agent": "mine"}]
    desk.send("setup", config={"agents": desk._agents, "permissions": rules})
    talk = await desk.ready(cwd=tmp_path)
    talk.prompt("work")
    (question,) = await talk.asked()
    assert question["tool_call_id"] == call
    await eventually(lambda: all(any(words in line for line in talk.lines) for words in shows))
    assert len(heads(talk)) == 1
    talk.answer("deny")
    await talk.ended(1)
    assert answers(agent) == ["deny"]
