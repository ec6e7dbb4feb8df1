"""An agent that nobody knows mixes all forms that are tolerated: its transcript is that of the standard."""

from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_nvim.protocol import decode
from acp_nvim.protocol.dialects import STANDARD
from acp_nvim.protocol.schema import Chunk, PlanUpdate, ToolCallUpdate, UnknownUpdate
from acp_nvim.session.entries import Message, Thought
from acp_nvim.session.plan import Plan
from acp_nvim.session.tool_call import ToolCall
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
ids = st.sampled_from(["a", "b", "7"])  # numbers may come as such
paths = st.sampled_from(["/p/f", "/p/g h"])
NOT_A_LIST_ITEM = [None, 5, "", {}, {"path": 3}]


@dataclass(frozen=True)
class Said:
    tag: str
    text: str


@dataclass(frozen=True)
class Did:
    """`status` is None for one that is announced, and "" for an update that leaves it as it is."""

    id: str
    status: str | None
    fields: Json  # title, kind, input, output, text, diff, places


@dataclass(frozen=True)
class Planned:
    entries: list[tuple[str, str, str]]  # content, priority, status


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
    st.sampled_from(["in_progress", "completed", "failed", ""]),
    st.fixed_dictionaries(
        {},
        optional={
            "text": words,
            "output": values,
            "input": values,
            "diff": st.tuples(paths, st.none() | st.just("") | words, words),
            "places": st.lists(st.tuples(paths, st.none() | st.integers(0, 99)), max_size=2),
        },
    ).filter(lambda fields: not {"text", "diff"} <= fields.keys()),  # both are the content
)
planned = st.builds(
    Planned,
    st.lists(
        st.tuples(
            words, st.sampled_from(["high", "medium", "low"]), st.sampled_from(["pending", "completed"])
        ),
        max_size=3,
    ),
)
stories = st.lists(said | announced | changed | planned, min_size=1, max_size=12)


def standard(event: Said | Did | Planned) -> Json:
    if isinstance(event, Planned):
        update: Json = {"sessionUpdate": "plan", "entries": [entry(*each) for each in event.entries]}
    elif isinstance(event, Said):
        update = {"sessionUpdate": event.tag, "content": {"type": "text", "text": event.text}}
    else:
        tag = "tool_call" if event.status is None else "tool_call_update"
        update = {"sessionUpdate": tag, "toolCallId": event.id}
        update |= {"status": event.status} if event.status else {}
        for name, value in event.fields.items():
            if name == "text":
                update["content"] = [{"type": "content", "content": {"type": "text", "text": value}}]
            elif name == "diff":
                update["content"] = [diff(*value)]
            elif name == "places":
                update["locations"] = [place(*each) for each in value]
            else:
                update[STANDARD_NAMES.get(name, name)] = value
    return {"sessionId": "s", "update": update}


def entry(content: str, priority: str, status: str) -> Json:
    return {"content": content, "priority": priority, "status": status}


def diff(path: str, old: str | None, new: str) -> Json:
    return {"type": "diff", "path": path, "oldText": old, "newText": new}


def place(path: str, line: int | None) -> Json:
    return {"path": path, "line": line}


def without_nulls(item: Json) -> Json:
    return {key: value for key, value in item.items() if value is not None}


def odd(event: Said | Did | Planned, draw: Any) -> Json:
    """The same, by forms that are drawn."""

    def one(*forms: Any) -> Any:
        return draw(st.sampled_from(forms))

    def among_others(items: list[Json]) -> list[Any]:
        """With bad items between them, which are skipped."""
        return [each for item in items for each in (*one((), tuple(NOT_A_LIST_ITEM)), item)]

    if isinstance(event, Planned):
        entries = [entry(*each) for each in event.entries]
        for each in entries:
            if each["priority"] == "medium":  # what is odd, or not there, has its default
                each |= {"priority": one("medium", "urgent", None, 1)}
            if each["status"] == "pending" and one(True, False):
                del each["status"]
        update: Json = {one("sessionUpdate", "type"): one("plan", "Plan"), "entries": among_others(entries)}
        return enveloped(update, one)
    tag = (
        event.tag if isinstance(event, Said) else "tool_call" if event.status is None else "tool_call_update"
    )
    update = {one("sessionUpdate", "type"): one(*TAGS[tag])}
    if isinstance(event, Said):
        key, value = one(*message_forms(event.text))
        update[key] = value
    else:
        update[one(*NAMES["id"])] = one(event.id, int(event.id)) if event.id.isdigit() else event.id
        fails = event.status == "failed" and "output" in event.fields and one(True, False)
        if event.status == "":
            update |= one({}, {"status": "thinking"}, {"status": None}, {"status": 3})
        elif event.status is not None and not fails:
            update["status"] = event.status
        for name, value in event.fields.items():
            if name == "text":
                key, value = one(*content_forms(value))
                update[key] = value
            elif name == "diff":
                item = one(diff(*value), without_nulls(diff(*value)))
                update["content"] = one([item], item, [None, item, 5])
            elif name == "places":
                items = [one(place(*each), without_nulls(place(*each))) for each in value]
                update["locations"] = one(items[0], items) if len(items) == 1 else among_others(items)
            elif name == "kind":
                update["kind"] = one(*KINDS[value])
            elif name == "output" and fails and value not in (0, "", [], {}):
                update["error"] = value
            else:
                update[one(*NAMES[name])] = value
        if fails and "error" not in update:
            update["status"] = "failed"
    if "locations" not in update:
        update |= one({}, {"locations": None}, {"locations": "nowhere"})
    return enveloped(update, one)


def enveloped(update: Json, one: Any) -> Json:
    update |= one({}, {"_meta": {"x": 1}}, {"_meta": 5}, {"vendor": [1]}, {"messageId": None})
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
            elif isinstance(update, PlanUpdate):
                transcript.plan(update)
            elif not isinstance(update, UnknownUpdate):
                assert isinstance(update, ToolCallUpdate)
                transcript.tool(update, 0)
    return [shown(entry) for entry in transcript.entries]


def shown(entry: object) -> Any:
    if isinstance(entry, Message | Thought):
        return type(entry).__name__, "".join(entry.parts)
    if isinstance(entry, Plan):
        return entry.entries
    assert isinstance(entry, ToolCall)
    told = entry.id, entry.title, entry.kind, entry.status, entry.raw_input, entry.raw_output
    return *told, entry.content, entry.locations


@pytest.mark.statement(54, 58, 81, 82, 83, 84, 85, 86, 87, 88)
@given(data=st.data(), story=stories)
def test_all_forms_mixed_give_the_transcript_of_the_standard(
    data: Any, story: list[Said | Did | Planned]
) -> None:
    strange = st.sampled_from([None, {"sessionUpdate": "weather"}, {"type": "WeatherReport", "text": "rain"}])
    mixed: list[Json] = []
    for event in story:
        mixed.append(odd(event, data.draw))
        if (noise := data.draw(strange)) is not None:
            mixed.append({"sessionId": "s", "update": noise})
    assert told(mixed) == told([standard(event) for event in story])
