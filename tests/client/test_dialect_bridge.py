"""An agent as the quick reference for builders of clients describes it; its bridge's three faults are not ours."""

import json

import pytest

from tests.client.conftest import Desk
from tests.client.dialect_steps import answers, asked, begin, calls, cancelled, decided
from tests.fakes.documents import bridge
from tests.fakes.script import eventually, notify, on, on_prompt, result, say


@pytest.mark.statement(9, 71, 81)
async def test_a_story(desk: Desk) -> None:
    agent = begin(desk, bridge(), "bridge", ids="perm_")
    talk = await desk.ready()
    question = await asked(talk, "work")
    assert (question["title"], [option["id"] for option in question["options"]]) == (
        "Bash",
        ["allow", "reject"],
    )
    assert "make all" in "\n".join(talk.lines)
    talk.answer("allow")
    await talk.ended(1)
    assert calls(talk)[-1] == ("Bash", "completed")
    assert talk.data("AcpToolCall")[-1]["kind"] == "execute"
    assert (await decided(talk, "again", "reject_once", 2))["status"] == "failed"
    outcomes = [answer["outcome"]["optionId"] for answer in answers(agent)]
    assert outcomes == ["allow", "reject"]
    assert [message["id"] for message in agent.got() if "method" not in message] == ["perm_0", "perm_1"]
    assert await cancelled(talk, 3) == "cancelled"
    talk.send("close")
    await eventually(lambda: agent.logged("eof"))


async def test_it_works_without_the_setting_where_capabilities_are_not_required(desk: Desk) -> None:
    hello = on("initialize", result({"protocolVersion": 1, "capabilities": {}}))
    agent = begin(desk, [hello, *bridge()])
    talk = await desk.ready()
    assert (await decided(talk, "work", "allow_once", 1))["status"] == "completed"
    (sent,) = agent.got("initialize")
    assert "capabilities" not in sent["params"]


async def test_names_of_the_reference_are_read_and_never_sent(desk: Desk) -> None:
    """A file goes along as a standard block, and a permission that is a notification is nobody's question."""
    block = {"type": "embedded_resource", "resource": {"uri": "file:///a", "text": "x"}}
    agent = begin(
        desk,
        [
            *bridge()[:3],
            on_prompt(
                "",
                notify(
                    "session/update",
                    {"sessionId": "{session}", "update": {"type": "agent_message_chunk", "content": block}},
                ),
                notify("session/request_permission", {"sessionId": "{session}", "options": []}),
                say("over"),
            ),
        ],
        "bridge",
    )
    talk = await desk.ready()
    file = desk.folder / "a.txt"
    file.write_text("one\n")
    await talk.turn("look", context=[{"file": str(file)}])
    assert talk.events("AcpQuestion") == []
    assert "[resource file:///a]" in "\n".join(talk.lines)
    sent = json.dumps(agent.got())
    assert "embedded_resource" not in sent
    assert "sessionUpdate" not in sent
