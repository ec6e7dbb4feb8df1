"""An agent that nobody knows mixes all forms that are tolerated: its transcript is that of the standard."""

from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_nvim.protocol import decode
from acp_nvim.protocol.dialects import STANDARD
from acp_nvim.protocol.schema import Chunk, ContentItem, Text, ToolCallUpdate, UnknownUpdate
from acp_nvim.session.entries import Message, Thought
from acp_nvim.session.tool_calls import ToolCall
from acp_nvim.session.transcript import Transcript

Json = dict[str, Any]
STANDARD_NAMES = {"id": "toolCallId", "title": "title", "input": "rawInput", "output": "rawOutput"}
NAMES = {
    "id": ["toolCallId", "id", "tool_call_id"],
    "title": ["title", "name", "toolName"],
    "input": ["rawInput", "raw_input", "args", "input"],
    "output": ["rawOutput", "raw_output", "result"],
}
TAGS = {
    "agent_message_chunk": ["agent_message_chunk", "AgentMessageChunk", "agentMessageChunk"],
    "agent_thought_chunk": ["agent_thought_chunk", "AgentThoughtChunk"],
    "tool_call": ["tool_call", "ToolCall", "ToolCallStart"],
    "tool_call_update": ["tool_call_update", "ToolCallUpdate", "ToolCallProgress"],
}
KINDS = {
    "execute": ["execute", "command"],
    "other": ["other", "file", "newest"],
    "edit": ["edit"],
    "read": ["read"],
}

words = st.text(st.characters(codec="utf-8", exclude_categories=["Cc"]), min_size=1, max_size=8)
values = st.one_of(
    st.integers(-9, 9), words, st.lists(words, max_size=2), st.dictionaries(words, words, max_size=2)
)
ids = st.sampled_from(["a", "b", "c"])


@dataclass(frozen=True)
class Said:
    tag: str
    text: str


@dataclass(frozen=True)
class Did:
    """`status` is None for one that is announced."""

    id: str
    status: str | None
    fields: Json  # title, kind, input, output, text


said = st.builds(Said, st.sampled_from(["agent_message_chunk", "agent_thought_chunk"]), words)
announced = st.builds(
    Did,
    ids,
    st.none(),
    st.fixed_dictionaries(
        {"title": words, "kind": st.sampled_from(sorted(KINDS))}, optional={"input": values}
    ),
)
changed = st.builds(
    Did,
    ids,
    st.sampled_from(["in_progress", "completed", "failed"]),
    st.fixed_dictionaries({}, optional={"text": words, "output": values, "input": values}),
)
stories = st.lists(said | announced | changed, min_size=1, max_size=12)


def standard(event: Said | Did) -> Json:
    if isinstance(event, Said):
        update: Json = {"sessionUpdate": event.tag, "content": {"type": "text", "text": event.text}}
    else:
        tag = "tool_call" if event.status is None else "tool_call_update"
        update = {"sessionUpdate": tag, "toolCallId": event.id}
        update |= {} if event.status is None else {"status": event.status}
        for name, value in event.fields.items():
            if name == "text":
                update["content"] = [{"type": "content", "content": {"type": "text", "text": value}}]
            else:
                update[STANDARD_NAMES.get(name, name)] = value
    return {"sessionId": "s", "update": update}


def odd(event: Said | Did, draw: Any) -> Json:
    """The same, by forms that are drawn."""

    def one(*forms: Any) -> Any:
        return draw(st.sampled_from(forms))

    tag = (
        event.tag if isinstance(event, Said) else "tool_call" if event.status is None else "tool_call_update"
    )
    update: Json = {one("sessionUpdate", "type"): one(*TAGS[tag])}
    if isinstance(event, Said):
        key, value = one(*message_forms(event.text))
        update[key] = value
    else:
        update[one(*NAMES["id"])] = event.id
        fails = event.status == "failed" and "output" in event.fields and one(True, False)
        if event.status is not None and not fails:
            update["status"] = event.status
        for name, value in event.fields.items():
            if name == "text":
                key, value = one(*content_forms(value))
                update[key] = value
            elif name == "kind":
                update["kind"] = one(*KINDS[value])
            elif name == "output" and fails and value not in (0, "", [], {}):
                update["error"] = value
            else:
                update[one(*NAMES[name])] = value
        if fails and "error" not in update:
            update["status"] = "failed"
    update |= one({}, {"_meta": {"x": 1}}, {"locations": None}, {"vendor": [1]}, {"messageId": None})
    session = {one("sessionId", "session_id"): "s"}
    return (
        {**session, **update} if one(True, False) else {**session, "update": update, **one({}, {"extra": 1})}
    )


def message_forms(text: str) -> list[tuple[str, Any]]:
    block = {"type": "text", "text": text}
    half = len(text) // 2
    return [
        ("content", block),
        ("content", {"type": "TextContentBlock", "text": text}),
        ("content", {"text": text}),
        ("content", text),
        ("content", [block]),
        ("content", [text[:half], {"type": "data", "data": text[half:]}] if half else [text]),
        ("text", text),
    ]


def content_forms(text: str) -> list[tuple[str, Any]]:
    block = {"type": "text", "text": text}
    wrapped = {"type": "content", "content": block}
    return [
        ("content", [wrapped]),
        ("content", wrapped),
        ("content", [block]),
        ("content", block),
        ("content", [None, wrapped, 5]),
        ("content", text),
        ("text", text),
    ]


def told(messages: list[Json]) -> list[Any]:
    """What the transcript shows of them."""
    transcript = Transcript()
    for message in messages:
        session, updates = decode.update(message, STANDARD)
        assert session == "s"
        for update in updates:
            if isinstance(update, Chunk):
                transcript.chunk(update, 0)
            elif not isinstance(update, UnknownUpdate):
                assert isinstance(update, ToolCallUpdate)
                transcript.tool(update if update.known else update.with_defaults(), 0)
    return [shown(entry) for entry in transcript.entries]


def shown(entry: object) -> Any:
    if isinstance(entry, Message | Thought):
        return type(entry).__name__, "".join(entry.parts)
    assert isinstance(entry, ToolCall)
    texts = [item.content.text for item in entry.content if isinstance(item, ContentItem) and _is_text(item)]
    return entry.id, entry.title, entry.kind, entry.status, texts, entry.raw_input, entry.raw_output


def _is_text(item: ContentItem) -> bool:
    assert isinstance(item.content, Text)
    return True


@pytest.mark.statement(54, 58, 81, 82, 83, 84, 85, 87)
@given(data=st.data(), story=stories)
def test_all_forms_mixed_give_the_transcript_of_the_standard(data: Any, story: list[Said | Did]) -> None:
    strange = st.sampled_from([None, {"sessionUpdate": "weather"}, {"type": "WeatherReport", "text": "rain"}])
    mixed: list[Json] = []
    for event in story:
        mixed.append(odd(event, data.draw))
        if (noise := data.draw(strange)) is not None:
            mixed.append({"sessionId": "s", "update": noise})
    assert told(mixed) == told([standard(event) for event in story])
