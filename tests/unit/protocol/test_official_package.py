"""An independent witness: messages built by the package `agent-client-protocol` are read right."""

import tomllib
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from acp import schema as witness

from acp_nvim.protocol import decode, encode
from acp_nvim.protocol.dialects import STANDARD
from acp_nvim.protocol.methods import client_capabilities
from acp_nvim.protocol.schema import (
    Chunk,
    CommandsUpdate,
    ContentItem,
    Diff,
    ModeUpdate,
    PlanUpdate,
    TerminalRef,
    Text,
    ToolCallUpdate,
)

PROJECT = Path(__file__).parents[3] / "pyproject.toml"


def wire(model: Any) -> Any:
    return model.model_dump(mode="json", by_alias=True, exclude_none=True)


def told(update: Any) -> Any:
    session, [found] = decode.update({"sessionId": "s", "update": wire(update)}, STANDARD)
    assert session == "s"
    return found


@pytest.mark.statement(152)
def test_the_package_is_one_whose_names_are_known() -> None:
    project = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]
    (wanted,) = (
        each for each in project["optional-dependencies"]["test"] if each.startswith("agent-client-protocol")
    )
    assert wanted.endswith("< 1")
    assert int(version("agent-client-protocol").partition(".")[0]) < 1


HI = witness.TextContentBlock(type="text", text="hi")


@pytest.mark.parametrize(
    ("model", "tag", "role"),
    [
        (witness.UserMessageChunk, "user_message_chunk", "user"),
        (witness.AgentMessageChunk, "agent_message_chunk", "agent"),
        (witness.AgentThoughtChunk, "agent_thought_chunk", "thought"),
    ],
)
def test_chunks(model: Any, tag: str, role: Any) -> None:
    assert told(model(session_update=tag, content=HI)) == Chunk(role, "hi")


def test_a_tool_call_and_its_update() -> None:
    content = [
        witness.ContentToolCallContent(type="content", content=HI),
        witness.FileEditToolCallContent(type="diff", path="/a", old_text="x\n", new_text="y\n"),
        witness.TerminalToolCallContent(type="terminal", terminal_id="t"),
    ]
    places = [witness.ToolCallLocation(path="/a", line=3)]
    fields: dict[str, Any] = {"tool_call_id": "c", "title": "T", "kind": "edit", "status": "in_progress"}
    start = witness.ToolCallStart(
        session_update="tool_call", content=content, locations=places, raw_input={"a": 1}, **fields
    )
    call = told(start)
    assert isinstance(call, ToolCallUpdate)
    assert (call.id, call.title, call.kind, call.status, call.known) == (
        "c",
        "T",
        "edit",
        "in_progress",
        False,
    )
    assert call.raw_input == {"a": 1}
    text, diff, terminal = call.content or ()
    assert isinstance(text, ContentItem)
    assert isinstance(text.content, Text)
    assert isinstance(diff, Diff)
    assert (diff.path, diff.old_text, diff.new_text) == ("/a", "x\n", "y\n")
    assert isinstance(terminal, TerminalRef)
    assert terminal.terminal_id == "t"
    assert [(place.path, place.line) for place in call.locations or ()] == [("/a", 3)]

    progress = witness.ToolCallProgress(
        session_update="tool_call_update", tool_call_id="c", status="completed", raw_output=["x"]
    )
    assert told(progress) == ToolCallUpdate("c", status="completed", raw_output=["x"])


def test_the_other_updates() -> None:
    entry = witness.PlanEntry(content="a", priority="high", status="in_progress")
    plan = told(witness.AgentPlanUpdate(session_update="plan", entries=[entry]))
    assert isinstance(plan, PlanUpdate)
    assert [(each.content, each.priority, each.status) for each in plan.entries] == [
        ("a", "high", "in_progress")
    ]

    mode = witness.CurrentModeUpdate(session_update="current_mode_update", current_mode_id="ask")
    assert told(mode) == ModeUpdate("ask")

    command = witness.AvailableCommand(name="web", description="d")
    commands = told(
        witness.AvailableCommandsUpdate(
            session_update="available_commands_update", available_commands=[command]
        )
    )
    assert isinstance(commands, CommandsUpdate)
    assert [(each.name, each.description, each.hint) for each in commands.commands] == [("web", "d", None)]


def test_a_permission_and_its_answer() -> None:
    asked = witness.RequestPermissionRequest(
        session_id="s",
        tool_call=witness.ToolCallUpdate(tool_call_id="c", title="T"),
        options=[witness.PermissionOption(option_id="o", name="Yes", kind="allow_once")],
    )
    request = decode.permission(wire(asked), STANDARD)
    assert (request.session_id, request.tool_call) == ("s", ToolCallUpdate("c", title="T"))
    for choice, outcome in (("o", witness.AllowedOutcome), (None, witness.DeniedOutcome)):
        answer = STANDARD.permission_answer(choice, request)
        assert isinstance(witness.RequestPermissionResponse.model_validate(answer).outcome, outcome)


@pytest.mark.statement(24)
def test_initialize_both_ways() -> None:
    ours = client_capabilities(read=True, write=True, terminal=True)
    request = witness.InitializeRequest.model_validate(encode.initialize("0.1.0", ours))
    assert request.protocol_version == 1
    assert request.client_info is not None
    assert request.client_info.name == "acp_nvim"
    assert request.client_capabilities is not None
    assert request.client_capabilities.fs is not None
    assert request.client_capabilities.fs.write_text_file

    answer = decode.initialized(
        wire(
            witness.InitializeResponse(
                protocol_version=1,
                agent_info=witness.Implementation(name="a", version="1"),
                agent_capabilities=witness.AgentCapabilities(load_session=True),
            )
        )
    )
    assert (answer.protocol_version, answer.can_load, answer.takes("image")) == (1, True, False)
    assert answer.agent_info is not None
    assert answer.agent_info.name == "a"


@pytest.mark.statement(50, 51)
def test_what_a_prompt_holds_is_understood() -> None:
    sent = [encode.text("hi"), encode.file("/a", "x\n"), encode.link("/b"), encode.image(b"x", "image/png")]
    prompt = witness.PromptRequest.model_validate({"sessionId": "s", "prompt": sent}).prompt
    assert [block.type for block in prompt] == ["text", "resource", "resource_link", "image"]
