"""`session/update` in all its shapes, the standard's and those of known agents."""

from typing import Any

import pytest

from acp_nvim.protocol import decode
from acp_nvim.protocol.dialects import STANDARD
from acp_nvim.protocol.schema import (
    UNSET,
    Audio,
    Chunk,
    Command,
    CommandsUpdate,
    CompactionUpdate,
    ContentItem,
    Diff,
    Image,
    InfoUpdate,
    Location,
    ModeUpdate,
    NoticeUpdate,
    OptionsUpdate,
    PlanEntry,
    PlanUpdate,
    Resource,
    ResourceLink,
    TerminalRef,
    Text,
    ToolCallUpdate,
    Unknown,
    UnknownUpdate,
    Usage,
    UsageUpdate,
)


def updates(**fields: Any) -> list[Any]:
    session, found = decode.update({"sessionId": "s", "update": fields}, STANDARD)
    assert session == "s"
    return list(found)


def only(**fields: Any) -> Any:
    [found] = updates(**fields)
    return found


def changed(**fields: Any) -> Any:
    return only(sessionUpdate="tool_call_update", toolCallId="c", **fields)


TEXT = {"type": "text", "text": "hi"}


# Messages


@pytest.mark.statement(54)
@pytest.mark.parametrize(
    ("tag", "role"),
    [("user_message_chunk", "user"), ("agent_message_chunk", "agent"), ("agent_thought_chunk", "thought")],
)
@pytest.mark.parametrize("text", ["hi", "", "\n", " \r\n a\u2028b\t"])
def test_a_chunk_is_handed_on_verbatim(tag: str, role: Any, text: str) -> None:
    assert only(sessionUpdate=tag, content={"type": "text", "text": text}) == Chunk(role, text)


@pytest.mark.statement(55)
@pytest.mark.parametrize(("id", "found"), [("m1", "m1"), (None, None), (5, None), ({}, None)])
def test_a_chunk_may_name_its_message(id: object, found: str | None) -> None:
    assert only(sessionUpdate="agent_message_chunk", content=TEXT, messageId=id) == Chunk(
        "agent", "hi", None, found
    )


@pytest.mark.statement(48)
@pytest.mark.parametrize(
    ("params", "session"),
    [
        ({"sessionId": "a"}, "a"),
        ({"sessionId": 7}, "7"),
        ({"session_id": "b"}, "b"),
        ({"sessionId": None}, None),
    ],
)
def test_every_update_names_its_session(params: dict[str, Any], session: str | None) -> None:
    told = {"sessionUpdate": "agent_message_chunk", "content": TEXT}
    assert decode.update({**params, "update": told}, STANDARD) == (session, [Chunk("agent", "hi")])


@pytest.mark.parametrize(
    "params",
    [
        {"sessionId": "s", "update": {"sessionUpdate": "agent_message_chunk", "content": TEXT}},
        {"sessionId": "s", "update": {"type": "agent_message_chunk", "content": TEXT}},
        {"sessionId": "s", "update": {"type": "agent_message_chunk", "text": "hi"}},
        {"sessionId": "s", "update": {"type": "AgentMessageChunk", "text": "hi"}},
        {"sessionId": "s", "update": {"sessionUpdate": "AgentMessageChunk", "content": "hi"}},
        {"sessionId": "s", "update": {"sessionUpdate": "agentMessageChunk", "content": [TEXT]}},
        {"sessionId": "s", "sessionUpdate": "agent_message_chunk", "content": TEXT},
        {"sessionId": "s", "sessionUpdate": "agent_message_chunk", "content": ["hi"]},
        {"sessionId": "s", "type": "agent_message_chunk", "content": TEXT, "update": None},
        {"sessionId": "s", "sessionUpdate": "agent_message_chunk", "content": TEXT, "update": {"x": 1}},
        {"sessionId": "s", "update": {"sessionUpdate": "agent_message_chunk", "content": {"text": "hi"}}},
        {
            "sessionId": "s",
            "update": {"type": "AgentMessageChunk", "content": {**TEXT, "type": "TextContentBlock"}},
        },
    ],
)
def test_one_chunk_in_all_the_shapes_of_the_documents(params: dict[str, Any]) -> None:
    assert decode.update(params, STANDARD) == ("s", [Chunk("agent", "hi")])


def test_a_chunk_of_several_blocks() -> None:
    content = [TEXT, {"type": "data", "x": 1}, "ho"]
    assert updates(sessionUpdate="agent_message_chunk", content=content, messageId="m") == [
        Chunk("agent", "hi", None, "m"),
        Chunk("agent", None, Unknown("data", {"type": "data", "x": 1}), "m"),
        Chunk("agent", "ho", None, "m"),
    ]


@pytest.mark.statement(57)
@pytest.mark.parametrize(
    ("raw", "block"),
    [
        ({"type": "image", "mimeType": "image/png", "data": "aa"}, Image(mime_type="image/png", data="aa")),
        ({"type": "image", "mimeType": 5, "uri": "x"}, Image(uri="x")),
        ({"type": "audio", "mimeType": "audio/wav", "data": "aa"}, Audio(mime_type="audio/wav", data="aa")),
        ({"type": "resource_link", "uri": "file:///a", "name": "a"}, ResourceLink(uri="file:///a", name="a")),
        ({"type": "resource_link", "uri": "u", "name": 1, "size": -1}, ResourceLink(uri="u")),
        ({"type": "hologram"}, Unknown("hologram", {"type": "hologram"})),
        ({"type": "text", "text": 5}, Unknown("text", {"type": "text", "text": 5})),
        ({"type": "resource_link"}, Unknown("resource_link", {"type": "resource_link"})),
        ({"type": 5}, Unknown("", {"type": 5})),
        (42, Unknown("", 42)),
    ],
)
def test_what_is_no_text_is_a_block(raw: object, block: object) -> None:
    chunk = only(sessionUpdate="agent_message_chunk", content=raw)
    assert (chunk.role, chunk.text) == ("agent", None)
    assert chunk.block == block


@pytest.mark.statement(57)
@pytest.mark.parametrize("tag", ["resource", "embedded_resource", "EmbeddedResourceContentBlock"])
def test_an_embedded_resource_by_each_of_its_names(tag: str) -> None:
    inner = {"uri": "file:///a", "mimeType": "text/plain", "text": "hi"}
    block = only(sessionUpdate="agent_message_chunk", content={"type": tag, "resource": inner}).block
    assert isinstance(block, Resource)
    assert (block.uri, block.mime_type, block.text, block.blob) == ("file:///a", "text/plain", "hi", None)


@pytest.mark.statement(58)
@pytest.mark.parametrize(
    ("params", "tag"),
    [
        ({"sessionId": "s", "update": {"sessionUpdate": "aliens", "x": [1]}}, "aliens"),
        ({"sessionId": "s", "update": {"sessionUpdate": "subagent_update"}}, "subagent_update"),
        ({"sessionId": "s", "update": {"sessionUpdate": "agent_message_chunk"}}, "agent_message_chunk"),
        ({"sessionId": "s", "update": {"sessionUpdate": 5}}, ""),
        ({"sessionId": "s", "update": {}}, ""),
    ],
)
def test_an_update_we_cannot_read_is_kept_raw(params: dict[str, Any], tag: str) -> None:
    assert decode.update(params, STANDARD) == ("s", [UnknownUpdate(tag, params["update"])])


@pytest.mark.statement(58)
@pytest.mark.parametrize("params", [None, 42, "text", []])
def test_params_that_are_no_object_are_kept_raw(params: object) -> None:
    assert decode.update(params, STANDARD) == (None, [UnknownUpdate("", params)])


# Tool calls


@pytest.mark.statement(81)
def test_a_tool_call_may_have_nothing_but_its_id() -> None:
    call = only(sessionUpdate="tool_call", toolCallId="c")
    assert call == ToolCallUpdate("c", known=False)
    assert (call.title, call.kind, call.status, call.raw_input) == (None, None, None, UNSET)


@pytest.mark.statement(82)
def test_only_given_fields_are_given() -> None:
    assert changed() == ToolCallUpdate("c")
    assert changed(status="completed") == ToolCallUpdate("c", status="completed")
    nothing = dict.fromkeys(
        ["title", "kind", "status", "content", "locations", "rawInput", "rawOutput", "_meta"]
    )
    assert changed(**nothing) == ToolCallUpdate("c")


@pytest.mark.statement(82)
def test_an_empty_list_is_given() -> None:
    assert changed(content=[], locations=[]) == ToolCallUpdate("c", content=(), locations=())


@pytest.mark.statement(83, 84)
def test_announcing_and_changing_are_told_apart_by_the_message_only() -> None:
    assert only(sessionUpdate="tool_call", toolCallId="c", status="pending").known is False
    assert only(sessionUpdate="tool_call_update", toolCallId="c", status="pending").known is True


@pytest.mark.parametrize("tag", ["tool_call", "ToolCall", "ToolCallStart", "tool_call_start"])
def test_the_names_of_announcing(tag: str) -> None:
    assert only(type=tag, toolCallId="c") == ToolCallUpdate("c", known=False)


@pytest.mark.parametrize("tag", ["tool_call_update", "ToolCallUpdate", "ToolCallProgress"])
def test_the_names_of_changing(tag: str) -> None:
    assert only(type=tag, toolCallId="c") == ToolCallUpdate("c")


@pytest.mark.parametrize(
    ("fields", "id"),
    [
        ({"toolCallId": "a", "id": "b"}, "a"),
        ({"id": "b"}, "b"),
        ({"tool_call_id": "d"}, "d"),
        ({"id": 5}, "5"),
        ({}, ""),
    ],
)
def test_the_names_of_an_id(fields: dict[str, Any], id: str) -> None:
    assert only(sessionUpdate="tool_call", **fields).id == id


@pytest.mark.parametrize(
    ("fields", "title", "name"),
    [
        ({"title": "T", "name": "N"}, "T", "N"),
        ({"name": "Read"}, "Read", "Read"),
        ({"toolName": "bash"}, "bash", "bash"),
        ({"title": "", "toolName": "bash"}, "bash", "bash"),
        ({"title": 5}, None, None),
    ],
)
def test_the_names_of_a_title(fields: dict[str, Any], title: str | None, name: str | None) -> None:
    call = changed(**fields)
    assert (call.title, call.name) == (title, name)


@pytest.mark.parametrize(
    ("given", "kind"),
    [
        (kind, kind)
        for kind in ("read", "edit", "delete", "move", "search", "execute", "think", "fetch", "switch_mode")
    ]
    + [
        ("command", "execute"),
        ("file", "other"),
        ("aliens", "other"),
        ("other", "other"),
        (None, None),
        (5, None),
    ],
)
def test_kinds(given: object, kind: str | None) -> None:
    assert changed(kind=given).kind == kind


@pytest.mark.parametrize(
    ("given", "status"),
    [(status, status) for status in ("pending", "in_progress", "completed", "failed", "cancelled")]
    + [("aliens", None), (None, None), (5, None), ([], None)],
)
def test_an_unknown_status_keeps_the_old_one(given: object, status: str | None) -> None:
    assert changed(status=given).status == status


@pytest.mark.statement(87)
@pytest.mark.parametrize("value", [{"a": [1]}, [1], "text", 0, False, "", 1.5, {}])
@pytest.mark.parametrize("name", ["rawInput", "raw_input", "args"])
def test_raw_input_is_any_json(name: str, value: object) -> None:
    assert changed(**{name: value}) == ToolCallUpdate("c", raw_input=value)


@pytest.mark.statement(87)
@pytest.mark.parametrize("value", [{"a": [1]}, [1], "text", 0, False, "", 1.5, {}])
@pytest.mark.parametrize("name", ["rawOutput", "raw_output", "result"])
def test_raw_output_is_any_json(name: str, value: object) -> None:
    assert changed(**{name: value}) == ToolCallUpdate("c", raw_output=value)


def test_an_error_fails_the_tool_call() -> None:
    call = changed(status="completed", result=None, error="no such file")
    assert call == ToolCallUpdate("c", status="failed", raw_output="no such file")
    assert changed(status="completed", error=None) == ToolCallUpdate("c", status="completed")


@pytest.mark.parametrize(
    "fields",
    [
        {"content": [{"type": "content", "content": TEXT}]},
        {"content": {"type": "content", "content": TEXT}},
        {"content": [{"type": "content", "content": "hi"}]},
        {"content": [{"type": "content", "content": [TEXT]}]},
        {"content": TEXT},
        {"content": [TEXT]},
        {"content": "hi"},
        {"text": "hi"},
        {"content": None, "text": "hi"},
    ],
)
def test_one_content_in_all_its_shapes(fields: dict[str, Any]) -> None:
    [item] = changed(**fields).content
    assert isinstance(item, ContentItem)
    assert isinstance(item.content, Text)
    assert item.content.text == "hi"


@pytest.mark.statement(85)
def test_bad_items_are_skipped() -> None:
    call = changed(
        content=[
            42,
            None,
            {"type": "diff", "path": "/a"},
            {"type": "terminal"},
            {"type": "content"},
            {"type": "diff", "path": "/a", "newText": "x"},
            {"type": "terminal", "terminalId": "t"},
            {"type": "hologram"},
        ],
        locations=[
            {"line": 3},
            "x",
            {"path": "/a", "line": 0},
            {"path": "/b", "line": -1},
            {"path": "/c", "line": "x"},
        ],
    )
    diff, terminal, unknown = call.content
    assert (diff.path, diff.new_text) == ("/a", "x")
    assert terminal.terminal_id == "t"
    assert unknown == ContentItem(Unknown("hologram", {"type": "hologram"}))
    assert call.locations == (
        Location(path="/a", line=0),
        Location(path="/b"),
        Location(path="/c"),
    )


@pytest.mark.parametrize("value", [42, True, 0.5])
def test_content_that_is_none_keeps_the_old_one(value: object) -> None:
    assert changed(content=value, locations=value) == ToolCallUpdate("c")


@pytest.mark.statement(86)
@pytest.mark.parametrize(
    ("fields", "old"),
    [
        ({}, None),
        ({"oldText": None}, None),
        ({"oldText": ""}, ""),
        ({"oldText": "a"}, "a"),
        ({"oldText": 5}, None),
    ],
)
def test_the_old_text_of_a_diff(fields: dict[str, Any], old: str | None) -> None:
    [diff] = changed(content=[{"type": "diff", "path": "a", "newText": "no newline", **fields}]).content
    assert isinstance(diff, Diff)
    assert (diff.old_text, diff.new_text) == (old, "no newline")


def test_meta_stays_where_it_is() -> None:
    call = changed(_meta={"terminal_output": {"terminal_id": "t", "data": "x"}, "title": "no"})
    assert call.meta == {"terminal_output": {"terminal_id": "t", "data": "x"}, "title": "no"}
    assert call.title is None
    assert changed(_meta=[1]).meta == {}


def test_fields_beyond_ours_do_no_harm() -> None:
    [diff] = changed(content=[{"type": "diff", "path": "a", "newText": "b", "vendor": {"x": 1}}]).content
    assert diff == Diff(path="a", new_text="b")


def test_a_terminal_in_a_tool_call() -> None:
    [item] = changed(content=[{"type": "terminal", "terminalId": "t1"}]).content
    assert isinstance(item, TerminalRef)


# The rest


@pytest.mark.statement(88)
def test_a_plan_replaces_the_plan_and_bad_entries_are_dropped() -> None:
    entries = [
        {"content": "a", "priority": "high", "status": "completed"},
        {"content": "b", "priority": "urgent", "status": None},
        {"status": "pending"},
        "c",
    ]
    assert only(sessionUpdate="plan", entries=entries) == PlanUpdate(
        (PlanEntry(content="a", priority="high", status="completed"), PlanEntry(content="b"))
    )
    assert only(sessionUpdate="plan", entries=[]) == PlanUpdate(())


@pytest.mark.parametrize(
    "tag", ["plan", "available_commands_update", "config_option_update", "current_mode_update", "notice"]
)
def test_an_update_without_its_set_changes_nothing(tag: str) -> None:
    raw: dict[str, Any] = {
        "sessionUpdate": tag,
        "entries": None,
        "availableCommands": 3,
        "configOptions": {},
        "title": "",
    }
    assert only(**raw) == UnknownUpdate(tag, raw)


@pytest.mark.statement(89)
def test_commands() -> None:
    found = only(
        sessionUpdate="available_commands_update",
        availableCommands=[
            {"name": "plan", "description": "d", "input": {"hint": "what"}},
            {"name": "web", "input": None},
            {"description": "no name"},
        ],
    )
    assert isinstance(found, CommandsUpdate)
    assert [(each.name, each.description, each.hint) for each in found.commands] == [
        ("plan", "d", "what"),
        ("web", "", None),
    ]
    assert Command(name="x").hint is None
    none = only(sessionUpdate="available_commands_update", availableCommands=[])
    assert none == CommandsUpdate(())  # which takes back those before


def test_mode_and_options() -> None:
    assert only(sessionUpdate="current_mode_update", currentModeId="ask") == ModeUpdate("ask")
    found = only(
        sessionUpdate="config_option_update", configOptions=[{"id": "x", "type": "boolean"}, {"id": "y"}]
    )
    assert isinstance(found, OptionsUpdate)
    assert [each.id for each in found.options] == ["x"]


@pytest.mark.statement(45)
@pytest.mark.parametrize(
    ("fields", "title", "updated_at"),
    [
        ({}, UNSET, UNSET),
        ({"title": None}, None, UNSET),
        ({"title": "T", "updatedAt": None}, "T", None),
        ({"title": 5, "updatedAt": "now"}, UNSET, "now"),
    ],
)
def test_session_info_omitted_or_null(fields: dict[str, Any], title: Any, updated_at: Any) -> None:
    assert only(sessionUpdate="session_info_update", **fields) == InfoUpdate(title, updated_at)


@pytest.mark.statement(95)
@pytest.mark.parametrize(
    ("fields", "usage"),
    [
        ({"used": 5, "size": 0}, (5, 0, None, None)),
        ({"used": 5, "size": 9, "cost": {"amount": 0.5, "currency": "USD"}}, (5, 9, 0.5, "USD")),
        ({"used": 5, "size": 9, "cost": {"amount": float("inf"), "currency": 3}}, (5, 9, None, None)),
        ({"used": -1, "size": 2**63, "cost": "free"}, (None, None, None, None)),
    ],
)
def test_usage(fields: dict[str, Any], usage: tuple[Any, ...]) -> None:
    found = only(sessionUpdate="usage_update", **fields)
    assert isinstance(found, UsageUpdate)
    assert isinstance(found.usage, Usage)
    assert (found.usage.used, found.usage.size, found.usage.cost_amount, found.usage.cost_currency) == usage


def test_notices_and_compaction() -> None:
    assert only(sessionUpdate="notice", severity="error", title="T", description="D") == NoticeUpdate(
        "error", "T\nD"
    )
    assert only(sessionUpdate="notice", severity="alarm", title="T") == NoticeUpdate("info", "T")
    assert only(
        sessionUpdate="compaction_update", compactionId="k", status="failed", summary=[TEXT], error="E"
    ) == CompactionUpdate("k", "failed", "hi", "E")
    assert only(sessionUpdate="compaction_summary_chunk", compactionId="k", content=TEXT) == CompactionUpdate(
        "k", None, "hi"
    )
