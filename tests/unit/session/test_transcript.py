"""What a transcript makes of updates: statements 54 to 61, 65 and 81 to 88 of the specification."""

from typing import Any

import pytest

from acp_nvim.protocol.schema import (
    Chunk,
    ContentItem,
    Diff,
    Image,
    Location,
    PlanEntry,
    PlanUpdate,
    Text,
    ToolCallUpdate,
)
from acp_nvim.session.entries import AgentContext, Message, Note, Placeholder, Report, Thought
from acp_nvim.session.plan import Plan
from acp_nvim.session.question import Option, Question
from acp_nvim.session.tool_call import ToolCall
from acp_nvim.session.transcript import Transcript

IMAGE = Image(mime_type="image/png", data="AAAA")


@pytest.fixture
def transcript() -> Transcript:
    return Transcript()


def say(transcript: Transcript, *chunks: Any, role: Any = "agent") -> None:
    for chunk in chunks:
        text, name = chunk if isinstance(chunk, tuple) else (chunk, None)
        transcript.chunk(Chunk(role, text, None, name), 1.0)


def spoken(transcript: Transcript) -> list[tuple[str, str]]:
    return [(entry.role, "".join(entry.parts)) for entry in transcript.entries if isinstance(entry, Message)]


def given(transcript: Transcript) -> list[tuple[str, str]]:
    """What stands folded as context for the agent."""
    contexts = (entry for entry in transcript.entries if isinstance(entry, AgentContext))
    return [(entry.role, "".join(map(str, entry.parts))) for entry in contexts]


def text(value: str) -> ContentItem:
    return ContentItem(Text(text=value))


@pytest.mark.statement(54)
def test_chunks_are_joined_as_they_come(transcript: Transcript):
    say(transcript, "a", "\n", "", " b\n\n", "c")
    assert spoken(transcript) == [("agent", "a\n b\n\nc")]


@pytest.mark.statement(54)
def test_another_type_starts_a_block(transcript: Transcript):
    say(transcript, "a")
    say(transcript, "hm", role="thought")
    say(transcript, "b", role="user")
    transcript.chunk(Chunk("user", None, IMAGE), 1.0)
    say(transcript, "c", role="user")
    kinds = [type(entry) for entry in transcript.entries]
    assert kinds == [Message, Thought, Message, Placeholder, Message]
    assert [entry.key for entry in transcript.entries] == [1, 2, 3, 4, 5]


def test_nothing_said_makes_no_block(transcript: Transcript):
    say(transcript, "")
    transcript.chunk(Chunk("agent"), 1.0)
    assert transcript.entries == []


@pytest.mark.statement(55)
def test_another_message_id_starts_a_block(transcript: Transcript):
    say(transcript, ("a", "m1"), ("b", "m1"), ("c", "m2"))
    assert spoken(transcript) == [("agent", "ab"), ("agent", "c")]


@pytest.mark.statement(55)
def test_a_missing_message_id_goes_on(transcript: Transcript):
    say(transcript, "a", ("b", "m1"), "c", ("d", "m1"), ("e", "m2"))
    assert spoken(transcript) == [("agent", "abcd"), ("agent", "e")]


def test_a_chunk_for_a_message_that_is_not_the_last_starts_a_block_at_the_end(transcript: Transcript):
    say(transcript, ("a", "m1"))
    transcript.tool(ToolCallUpdate("t"), 1.0)
    say(transcript, ("b", "m1"))
    assert [type(entry) for entry in transcript.entries] == [Message, ToolCall, Message]


@pytest.mark.statement(56)
@pytest.mark.parametrize("pieces", [["say hello\nnow"], ["say ", "hello", "\nnow"], ["say hello\nnow\n"]])
def test_the_own_prompt_is_not_shown_twice(transcript: Transcript, pieces: list[str]):
    transcript.user("say hello\nnow")
    say(transcript, *pieces, role="user")
    transcript.chunk(Chunk("user", None, IMAGE), 1.0)  # what went along with it
    say(transcript, "hello")
    assert spoken(transcript) == [("user", "say hello\nnow"), ("agent", "hello")]
    assert len(transcript.entries) == 2


@pytest.mark.statement(56)
def test_what_only_begins_like_the_prompt_is_shown_whole_and_not_as_the_users(transcript: Transcript):
    transcript.user("say hello")
    say(transcript, "say ", "goodbye", role="user")
    assert spoken(transcript) == [("user", "say hello")]
    assert given(transcript) == [("agent", "say goodbye")]


@pytest.mark.statement(56)
def test_what_follows_the_echo_is_shown_and_not_as_the_users(transcript: Transcript):
    transcript.user("go on")
    say(transcript, "go on", "and on", role="user")
    assert spoken(transcript) == [("user", "go on")]
    assert given(transcript) == [("agent", "and on")]


def test_after_the_turn_the_users_words_are_shown_as_such(transcript: Transcript):
    """They come from another editor of the same session, or from a replay."""
    transcript.user("go on")
    transcript.end_turn(1.0)
    say(transcript, "from elsewhere", role="user")
    assert spoken(transcript) == [("user", "go on"), ("user", "from elsewhere")]


@pytest.mark.statement(56)
@pytest.mark.parametrize("echo", [["go on"], ["two hunks refused", "go on"], ["two hunks refused\n\ngo on"]])
def test_a_report_before_the_prompt_is_a_part_of_its_own_and_echoed_or_not(
    transcript: Transcript, echo: list[str]
):
    transcript.user("go on", "two hunks refused")
    say(transcript, *echo, role="user")
    report, prompt = transcript.entries
    assert (type(report), "".join(report.parts)) == (Report, "two hunks refused")
    assert (prompt.role, "".join(prompt.parts)) == ("user", "go on")


@pytest.mark.statement(56)
def test_after_its_turn_the_prompt_is_no_echo(transcript: Transcript):
    transcript.user("go on")
    transcript.end_turn(1.0)
    say(transcript, "go on", role="user")
    assert spoken(transcript) == [("user", "go on"), ("user", "go on")]


@pytest.mark.statement(56)
def test_a_replayed_prompt_is_shown(transcript: Transcript):
    say(transcript, "hello", role="user")
    assert spoken(transcript) == [("user", "hello")]


@pytest.mark.statement(61)
def test_late_text_goes_below(transcript: Transcript):
    transcript.user("one")
    say(transcript, "first")
    transcript.end_turn(2.0)
    transcript.note("stop", "max_tokens")
    say(transcript, "late")
    assert [type(entry) for entry in transcript.entries] == [Message, Message, Note, Message]


@pytest.mark.statement(61, 66)
def test_a_late_update_still_counts(transcript: Transcript):
    transcript.tool(ToolCallUpdate("t", status="in_progress"), 1.0)
    transcript.end_turn(2.0, cancelled=True)
    call = transcript.tool(ToolCallUpdate("t", status="completed"), 3.0)
    assert (call.status, call.left, call.ended) == ("completed", "", 3.0)


@pytest.mark.statement(65)
@pytest.mark.parametrize(("cancelled", "left"), [(True, "cancelled"), (False, "left open")])
def test_the_end_of_a_turn_closes_what_is_open(transcript: Transcript, cancelled: bool, left: str):
    for status in ("pending", "in_progress", "completed", "failed"):
        transcript.tool(ToolCallUpdate(status, status=status), 1.0)
    closed = transcript.end_turn(2.0, cancelled)
    assert [(call.id, call.status, call.left) for call in closed] == [
        ("pending", "cancelled", left),
        ("in_progress", "cancelled", left),
    ]
    assert transcript.end_turn(3.0, cancelled) == []


@pytest.mark.statement(65)
def test_what_has_ended_before_is_left_alone(transcript: Transcript):
    call = transcript.tool(ToolCallUpdate("t", status="in_progress"), 1.0)
    transcript.tool(ToolCallUpdate("t", status="completed"), 2.0)
    assert transcript.end_turn(3.0, cancelled=True) == []
    assert call.status == "completed"


@pytest.mark.statement(81)
def test_defaults(transcript: Transcript):
    call = transcript.tool(ToolCallUpdate("t"), 1.0)
    assert (call.title, call.kind, call.status, call.content, call.locations) == (
        "",
        "other",
        "pending",
        (),
        (),
    )


@pytest.mark.statement(82)
def test_only_what_is_given_changes(transcript: Transcript):
    first = ToolCallUpdate("t", title="T", kind="edit", content=(text("a"), text("b")), raw_input={"a": 1})
    call = transcript.tool(first, 1.0)
    transcript.tool(ToolCallUpdate("t", status="in_progress"), 2.0)
    assert (call.title, call.kind, call.content, call.raw_input) == ("T", "edit", first.content, {"a": 1})
    transcript.tool(ToolCallUpdate("t", content=(text("c"),), locations=(Location(path="/x", line=3),)), 3.0)
    assert (call.content, call.locations) == ((text("c"),), (Location(path="/x", line=3),))
    transcript.tool(ToolCallUpdate("t", content=(), locations=()), 3.0)
    assert (call.content, call.locations, call.status) == ((), (), "in_progress")


@pytest.mark.statement(83)
def test_an_update_of_an_unknown_call_creates_it(transcript: Transcript):
    call = transcript.tool(ToolCallUpdate("t", known=True, status="completed"), 1.0)
    assert transcript.entries == [call]
    assert transcript.calls.find("t") is call


@pytest.mark.statement(84)
def test_announcing_a_known_call_updates_it(transcript: Transcript):
    call = transcript.tool(ToolCallUpdate("t", known=False, title="one"), 1.0)
    assert transcript.tool(ToolCallUpdate("t", known=False, title="two"), 2.0) is call
    assert (len(transcript.entries), call.title) == (1, "two")


@pytest.mark.statement(86)
@pytest.mark.parametrize("old", [None, ""])
def test_a_diff_without_an_old_text_is_kept_as_it_is(transcript: Transcript, old: str | None):
    call = transcript.tool(ToolCallUpdate("t", content=(Diff(path="/x", old_text=old, new_text="a"),)), 1.0)
    assert call.content == (Diff(path="/x", old_text=old, new_text="a"),)


@pytest.mark.statement(87)
@pytest.mark.parametrize("raw", [None, 0, False, "", "text", [], [1, [2]], {}, {"a": {"b": None}}, 1.5])
def test_raw_input_and_output_are_any_json(transcript: Transcript, raw: Any):
    call = transcript.tool(ToolCallUpdate("t", raw_input=raw, raw_output=raw), 1.0)
    assert call.raw_input == raw
    assert call.raw_output == raw
    assert call.command is None


@pytest.mark.parametrize(("command", "said"), [("ls -l", "ls -l"), (["ls", "a b"], "ls 'a b'"), (7, None)])
def test_the_command_of_a_call(transcript: Transcript, command: Any, said: str | None):
    assert transcript.tool(ToolCallUpdate("t", raw_input={"command": command}), 1.0).command == said


@pytest.mark.statement(88)
def test_a_plan_replaces_the_plan(transcript: Transcript):
    steps = [PlanEntry(content="a"), PlanEntry(content="b", status="in_progress"), PlanEntry(content="c")]
    transcript.plan(PlanUpdate(tuple(steps)))
    say(transcript, "text")
    assert transcript.plans.progress() == {"done": 0, "total": 3, "current": "b"}
    transcript.plan(PlanUpdate((PlanEntry(content="b", status="completed"), PlanEntry(content="c"))))
    assert [type(entry) for entry in transcript.entries] == [Plan, Message]
    assert transcript.plans.progress() == {"done": 1, "total": 2, "current": "c"}
    transcript.plan(PlanUpdate(()))
    assert transcript.plans.progress() == {"done": 0, "total": 0, "current": None}


@pytest.mark.statement(88)
def test_a_turn_has_a_plan_of_its_own(transcript: Transcript):
    transcript.plan(PlanUpdate((PlanEntry(content="a"),)))
    transcript.user("next")
    assert transcript.plans.progress() is None
    transcript.plan(PlanUpdate((PlanEntry(content="b"),)))
    assert sum(isinstance(entry, Plan) for entry in transcript.entries) == 2


def test_a_thought_ends_with_what_follows(transcript: Transcript):
    transcript.chunk(Chunk("thought", "a"), 1.0)
    transcript.chunk(Chunk("thought", "b"), 3.0)
    thought = transcript.entries[0]
    assert isinstance(thought, Thought)
    assert thought.ended is None
    transcript.chunk(Chunk("agent", "so"), 5.0)
    assert (thought.started, thought.ended) == (1.0, 5.0)
    assert thought.key in transcript.urgent


def test_a_thought_ends_with_its_turn(transcript: Transcript):
    transcript.chunk(Chunk("thought", "a"), 1.0)
    transcript.end_turn(4.0)
    transcript.chunk(Chunk("thought", "late"), 5.0)
    first, second = transcript.entries
    assert (first.ended, second.ended) == (4.0, None)  # type: ignore[union-attr]


def test_only_ends_and_questions_are_urgent(transcript: Transcript):
    call = transcript.tool(ToolCallUpdate("t"), 1.0)
    transcript.tool(ToolCallUpdate("t", status="in_progress"), 1.0)
    assert (transcript.changed, transcript.urgent) == ({call.key}, set())
    transcript.tool(ToolCallUpdate("t", status="failed"), 1.0)
    assert transcript.urgent == {call.key}
    transcript.urgent.clear()
    transcript.tool(ToolCallUpdate("t", status="failed", title="again"), 1.0)
    assert transcript.urgent == set()


def question(**more: Any) -> Question:
    options = (Option("y", "Yes", "allow_once"), Option("n", "No", "reject_once"))
    return Question(1, "permission", "sure?", options, **more)


def test_a_question_goes_into_its_call(transcript: Transcript):
    asked = question(tool_call_id="t")
    call = transcript.ask(asked, ToolCallUpdate("t", title="edit"), 1.0)
    assert call is transcript.calls.find("t")
    assert call.questions == [asked]
    assert call.key in transcript.urgent


@pytest.mark.parametrize(
    ("option", "by", "verdict"),
    [
        (0, "user", ""),
        (1, "user", "rejected"),
        (0, "rule", "allowed by a rule"),
        (1, "rule", "rejected by a rule"),
        (None, "cancel", "cancelled"),
        (None, "exit", "not answered"),
        (None, "agent", "withdrawn"),
    ],
)
def test_the_verdict_stays(transcript: Transcript, option: int | None, by: str, verdict: str):
    asked = question()
    call = transcript.ask(asked, ToolCallUpdate("t"), 1.0)
    asked.end(None if option is None else asked.options[option], by)
    transcript.answered(asked)
    assert call.verdict == verdict


def test_a_question_about_no_call_stands_alone(transcript: Transcript):
    asked = question()
    call = transcript.ask(asked, None, 1.0)
    assert (call.title, transcript.end_turn(2.0)) == ("sure?", [])
    asked.end(asked.options[0], "user")
    transcript.answered(asked)
    assert call.status == "completed"


def test_output_of_the_agents_own_terminals_is_kept(transcript: Transcript):
    meta: list[dict[str, Any]] = [
        {"terminal_output_delta": {"terminal_id": "x", "data": "a"}},
        {
            "terminal_info": {"terminal_id": "x", "cwd": "/"},
            "terminal_output": {"terminal_id": "x", "data": "b"},
        },
        {"terminal_output": "odd", "terminal_output_delta": {"data": 7}},
    ]
    for each in meta:
        call = transcript.tool(ToolCallUpdate("t", meta=each), 1.0)
    assert {name: "".join(said) for name, said in call.terminals.items()} == {"x": "ab"}


def test_keys_are_never_used_again(transcript: Transcript):
    transcript.user("a")
    transcript.note("info", "b")
    transcript.clear()
    transcript.note("info", "c")
    assert [entry.key for entry in transcript.entries] == [3]
    assert transcript.entry(3) is transcript.entries[0]
    assert transcript.entry(2) is transcript.entry(4) is None


def test_who_spoke_in_this_turn(transcript: Transcript):
    say(transcript, "before")
    transcript.user("a")
    say(transcript, "hm", role="thought")
    assert not transcript.spoke_in_turn
    say(transcript, "b")
    assert transcript.spoke_in_turn
