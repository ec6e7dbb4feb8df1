"""How a conversation looks, and how much of it goes into one flush."""

from typing import Any

import pytest

from acp_nvim.chat.chat_view import ChatView
from acp_nvim.protocol.schema import (
    Audio,
    Chunk,
    ContentItem,
    Image,
    PlanEntry,
    PlanUpdate,
    Resource,
    ResourceLink,
    Text,
    ToolCallUpdate,
    Unknown,
)
from acp_nvim.session.transcript import Transcript
from tests.fakes.editor import ChatBuffer


class Chat:
    """A transcript, its view, and the buffer that shows it."""

    def __init__(self) -> None:
        self.transcript = Transcript()
        self.view = ChatView(self.transcript, lambda: "Claude", "/w")
        self.buffer = ChatBuffer()

    def say(self, text: str | None, role: Any = "agent", block: Any = None, now: float = 0.0) -> None:
        self.transcript.chunk(Chunk(role, text, block), now)

    def tool(self, call: str = "t", now: float = 0.0, **more: Any) -> int:
        return self.transcript.tool(ToolCallUpdate(call, **more), now).key

    def plan(self, *steps: str) -> None:
        entries = [
            PlanEntry(content=step, status="completed" if step.isupper() else "pending") for step in steps
        ]
        self.transcript.plan(PlanUpdate(tuple(entries)))

    def show(self) -> str:
        while self.step()[1]:
            pass
        return self.buffer.text

    def step(self, *args: Any, **options: Any) -> tuple[list[Any], bool]:
        ops, more = self.view.flush(*args, **options)
        self.buffer.apply(ops, self.view.total)
        return ops, more

    def marks(self, kind: str) -> list[dict[str, Any]]:
        return [mark for mark in self.buffer.marks if mark["kind"] == kind]


@pytest.fixture
def chat() -> Chat:
    return Chat()


def output(text: str) -> tuple[ContentItem, ...]:
    return (ContentItem(Text(text=text)),)


def test_an_empty_chat_is_one_empty_line(chat: Chat):
    assert chat.step() == ([], False)
    assert chat.view.total == 1


def test_a_turn_has_its_duration_at_its_heading(chat: Chat):
    chat.transcript.user("One")
    chat.say("Text.")
    chat.transcript.time_turn(2.0)
    chat.transcript.user("Two")
    chat.say("Text\nand more.")
    chat.show()
    chat.transcript.time_turn(75.0)
    chat.transcript.user("Three")
    chat.transcript.time_turn(9.0)
    text = chat.show()
    took = [(mark["row"], mark.get("took")) for mark in chat.marks("agent")]
    assert took == [(3, None), (9, "1 min 15 s")], text
    assert not [mark for mark in chat.marks("user") if "took" in mark]
    chat.view.reset()
    chat.buffer = ChatBuffer()
    assert chat.show() == text
    assert took == [(mark["row"], mark.get("took")) for mark in chat.marks("agent")]


def test_a_conversation(chat: Chat):
    chat.transcript.user("Rename it\n")
    chat.say("I look first.")
    chat.say("hm", role="thought", now=1.0)
    chat.tool(title="Read src/a.py", kind="read", status="completed", now=5.0)
    chat.say("Found.")
    chat.transcript.user("Go on")
    assert chat.show().split("\n") == [
        "## You",
        "Rename it",
        "",
        "## Claude",
        "I look first.",
        "thought for 4 s",
        "read    src/a.py",
        "",
        "Found.",
        "",
        "## You",
        "Go on",
    ]
    kinds = [(mark["row"], mark["kind"]) for mark in chat.buffer.marks]
    assert kinds == [
        (0, "user"),
        (1, "text"),
        (3, "agent"),
        (4, "text"),
        (5, "thought"),
        (6, "tool"),
        (8, "text"),
        (10, "user"),
        (11, "text"),
    ]


@pytest.mark.statement(54)
def test_text_stands_as_it_came(chat: Chat):
    text = "# a\r\n\x1b[1m\u202e\t漢 \n\n\n```\nx"
    for character in text:
        chat.say(character)
        chat.step()
    assert chat.show() == "## Claude\n" + text


@pytest.mark.statement(55)
def test_another_message_stands_apart(chat: Chat):
    for name in ("m1", "m2"):
        chat.transcript.chunk(Chunk("agent", name, None, name), 0.0)
    assert chat.show() == "## Claude\nm1\n\nm2"


@pytest.mark.statement(56)
def test_the_prompt_is_shown_once(chat: Chat):
    chat.transcript.user("hello")
    chat.say("hello", role="user")
    assert chat.show() == "## You\nhello"


@pytest.mark.parametrize("pieces", [["\n\n| a |\n|---|"], ["\n", "\n", "| a |\n|---|"]])
def test_blank_lines_at_the_beginning_of_a_message_are_left_out(chat: Chat, pieces: list[str]):
    chat.transcript.user("hello")
    for piece in pieces:
        chat.say(piece)
        chat.show()
    assert chat.show() == "## You\nhello\n\n## Claude\n| a |\n|---|"


@pytest.mark.parametrize("pieces", [["a\n\n"], ["a", "\n", "\n"], ["a\n", "\n"]])
def test_a_block_begins_on_the_blank_line_that_is_there(chat: Chat, pieces: list[str]):
    for piece in pieces:
        chat.say(piece)
        chat.step()
    chat.tool(title="x", status="in_progress")
    chat.say("b\n\n\n")
    chat.tool("u", title="y")
    assert chat.show() == "## Claude\na\n\ntool    x\n\nb\n\n\ntool    y"
    chat.tool(title="z", status="completed")
    assert chat.show() == "## Claude\na\n\ntool    z\n\nb\n\n\ntool    y"


def test_each_prompt_has_its_header(chat: Chat):
    chat.transcript.user("a")
    chat.transcript.user("b")
    assert chat.show() == "## You\na\n\n## You\nb"


@pytest.mark.statement(57)
@pytest.mark.parametrize(
    ("block", "line"),
    [
        (Image(mime_type="image/png", data="A" * 16384), "[image image/png, 12 KiB]"),
        (Image(uri="https://x/y.png"), "[image image https://x/y.png]"),
        (Audio(mime_type="audio/wav", data="A" * 4), "[audio audio/wav, 3 B]"),
        (ResourceLink(uri="file:///a", name="a"), "[link a: file:///a]"),
        (ResourceLink(uri="file:///a\n\u202e"), "[link file:///a <202E>]"),
        (Resource(uri="file:///a", text="hidden"), "[resource file:///a]"),
        (Unknown("data", {}), "[unknown content data]"),
    ],
)
def test_what_is_no_text_has_a_line_of_its_own(chat: Chat, block: Any, line: str):
    chat.say("before")
    chat.say(None, block=block)
    chat.say("after")
    assert chat.show() == f"## Claude\nbefore\n{line}\nafter"


@pytest.mark.statement(59)
@pytest.mark.parametrize(
    ("reason", "words"),
    [
        ("max_tokens", "stopped at the token limit: send another prompt to go on"),
        ("max_turn_requests", "stopped at the limit of requests per turn: send another prompt to go on"),
        ("refusal", "refused: the agent will not continue, and forgets this prompt and what followed"),
        ("cancelled", "cancelled"),
        ("tool_use\u202e", "stopped: tool_use<202E>"),
        ("", "stopped without giving a reason"),
    ],
)
def test_why_a_turn_stopped(chat: Chat, reason: str, words: str):
    chat.say("text")
    chat.transcript.note("stop", reason)
    assert chat.show() == f"## Claude\ntext\n{words}"


@pytest.mark.statement(60)
def test_an_error_stands_where_it_happened(chat: Chat):
    chat.transcript.user("a")
    chat.transcript.note("error", "mine: broken (-32603)\n\x1b[1m more\n")
    chat.transcript.user("b")
    assert chat.show() == "## You\na\n  mine: broken (-32603)\n   more\n\n## You\nb"
    (mark,) = chat.marks("error")  # whose icon stands over the blanks
    assert {mark["line_hl"], *(mark["line_hl"] for mark in chat.marks("note"))} == {"AcpError"}


@pytest.mark.statement(61)
def test_late_text_is_shown_below(chat: Chat):
    chat.say("a")
    chat.transcript.end_turn(1.0)
    chat.transcript.note("stop", "cancelled")
    chat.show()
    chat.say("late")
    assert chat.show() == "## Claude\na\ncancelled\n\nlate"


@pytest.mark.statement(65)
def test_a_cancelled_turn_shows_its_calls_cancelled(chat: Chat):
    chat.tool(status="in_progress", title="pytest", kind="execute")
    chat.show()
    assert chat.marks("tool")[0]["running"]
    chat.transcript.end_turn(1.0, cancelled=True)
    chat.show()
    (mark,) = chat.marks("tool")
    assert mark["icon"] == {"text": "⊘ ", "hl": "AcpCancelled"}
    assert mark["eol"] == [["  cancelled", "AcpCancelled"]]
    assert "running" not in mark


@pytest.mark.statement(82, 84)
def test_a_call_changes_in_place(chat: Chat):
    chat.tool("a", title="one")
    chat.tool("b", title="two")
    chat.say("text")
    chat.show()
    chat.tool("a", title="three", status="completed")
    assert chat.step()[0] == [["splice", 1, 2, ["tool    three"], [chat.marks("tool")[0]]]]
    assert chat.buffer.text == "## Claude\ntool    three\ntool    two\n\ntext"


def test_several_changes_above_long_text_find_their_rows(chat: Chat):
    keys = [chat.tool(name, title=name, content=output(f"{name}1\n{name}2")) for name in "abc"]
    chat.say("one\ntwo\n")
    chat.show()
    chat.tool("d", title="d")
    chat.say("three\nfour")
    chat.show()
    for key in keys[:2]:
        chat.view.toggle(key)
    chat.tool("c", title="C")
    chat.tool("d", title="D")
    folded = "tool    a\n  │ a1\n  │ a2\ntool    b\n  │ b1\n  │ b2\ntool    C"
    assert chat.show() == f"## Claude\n{folded}\n\none\ntwo\n\ntool    D\n\nthree\nfour"


def test_changes_beyond_the_frame_wait_for_the_next(chat: Chat):
    keys = [chat.tool(name, title=name, content=output("1\n2\n3")) for name in "ab"]
    chat.show()
    for key in keys:
        chat.view.toggle(key)
    ops, more = chat.step(4)
    assert (len(ops), more) == (1, True)
    assert chat.buffer.text == "## Claude\ntool    a\ntool    b\n  │ 1\n  │ 2\n  │ 3"
    assert chat.show() == "## Claude\ntool    a\n  │ 1\n  │ 2\n  │ 3\ntool    b\n  │ 1\n  │ 2\n  │ 3"


def test_a_change_of_marks_leaves_the_text(chat: Chat):
    chat.tool("a", title="one")
    chat.show()
    chat.tool("a", status="completed")
    ((name, first, last, marks),) = chat.step()[0]
    assert (name, first, last, marks[0]["icon"]["text"]) == ("marks", 1, 2, "✓ ")


@pytest.mark.statement(83)
def test_an_unannounced_call_is_shown(chat: Chat):
    chat.tool("call-7", status="completed")
    assert chat.show() == "## Claude\ntool    call-7"


@pytest.mark.statement(88)
def test_a_plan_is_one_block(chat: Chat):
    chat.plan("READ", "change", "test")
    chat.say("text")
    assert chat.show() == "## Claude\nplan 1/3\n    READ\n    change\n    test\n\ntext"
    chat.plan("READ", "TEST")
    assert chat.show() == "## Claude\nplan 2/2\n    READ\n    TEST\n\ntext"


def test_a_long_plan_is_folded(chat: Chat):
    chat.plan(*map(str, range(9)))
    assert chat.show() == "## Claude\nplan 0/9  0"


def test_a_thought_unfolds(chat: Chat):
    chat.say("one\ntwo", role="thought")
    assert chat.show() == "## Claude\nthinking …"
    chat.view.toggle(1)
    assert chat.show() == "## Claude\nthinking …\n  │ one\n  │ two"
    chat.say("\nthree", role="thought")
    chat.step(middle=False)
    assert chat.buffer.text.endswith("  │ three")
    chat.view.toggle(1, False)
    assert chat.show() == "## Claude\nthinking …"


def test_a_call_unfolds_and_a_failure_says_why(chat: Chat):
    key = chat.tool(title="x", status="completed", content=output("a\n\x1b[31mb\x1b[0m\x07\n"))
    chat.tool("f", title="y", status="failed", content=output("why"))
    assert chat.show() == "## Claude\ntool    x\ntool    y  why"
    chat.view.toggle(key)
    assert chat.show() == "## Claude\ntool    x\n  │ a\n  │ b^G\ntool    y  why"


def test_what_cannot_be_folded_is_left_alone(chat: Chat):
    chat.say("a")
    chat.show()
    chat.view.toggle(1)
    chat.view.toggle(99)
    assert chat.step() == ([], False)


def test_updates_in_the_middle_wait_but_ends_do_not(chat: Chat):
    chat.tool("a", title="a")
    chat.tool("b", title="b")
    chat.show()
    chat.tool("a", title="A")
    chat.tool("b", status="completed")
    ops, more = chat.step(middle=False)
    assert [op[:3] for op in ops] == [["marks", 2, 3]]
    assert (more, chat.view.waiting) == (False, True)
    assert chat.show() == "## Claude\ntool    A\ntool    b"
    assert not chat.view.waiting


def test_a_reset_shows_everything_anew_and_keeps_what_is_unfolded(chat: Chat):
    key = chat.tool(title="x", content=output("a"))
    chat.view.toggle(key)
    before = chat.show()
    chat.view.reset()
    chat.buffer = ChatBuffer()
    assert chat.show() == before


def test_after_a_clear_keys_still_find_their_entries(chat: Chat):
    chat.tool("a", title="a")
    chat.show()
    chat.transcript.clear()
    chat.view.reset()
    chat.buffer = ChatBuffer()
    chat.say("hello")
    key = chat.tool("b", title="b", content=output("c"))
    chat.view.toggle(key)
    assert chat.show() == "## Claude\nhello\ntool    b\n  │ c"


def test_a_header_is_one_line_whatever_the_agent_calls_itself():
    transcript = Transcript()
    view = ChatView(transcript, lambda: "E\nvil\u202e" + "x" * 1000, "/w")
    transcript.chunk(Chunk("agent", "a"), 0.0)
    ((_, text, _),) = view.flush()[0]
    assert text.startswith("## E vil<202E>x")
    assert len(text.split("\n")) == 2


def lines_of(op: list[Any]) -> int:
    return op[1].count("\n") if op[0] == "append" else op[2] - op[1] + len(op[3])


@pytest.mark.slow
def test_a_million_lines_go_by_in_frames(chat: Chat):
    chat.say("line\n" * 1_000_000)
    frames = 0
    more = True
    while more:
        ops, more = chat.view.flush()
        frames += 1
        assert sum(map(lines_of, ops)) <= 2000
    assert chat.view.total == 1_000_002
    assert frames <= 502


@pytest.mark.parametrize("character", ["x", "漢"])
def test_a_line_of_megabytes_grows_by_a_frame_or_by_what_it_has(chat: Chat, character: str):
    chat.say(character * 4_000_000)
    shown, more = 0, True
    while more:
        ((_, text, _),), more = chat.view.flush()
        size = len(text.encode())
        assert size <= max(256 * 1024 + 100, shown)
        shown += size
    assert shown == len(f"## Claude\n{character * 4_000_000}".encode())


def test_what_follows_a_line_of_megabytes_goes_by_in_frames_again(chat: Chat):
    chat.say("x" * 4_000_000)
    chat.show()
    chat.tool(title="x")
    chat.say("y" * 4_000_000)
    first, second = (chat.view.flush()[0][0][1] for _ in range(2))
    assert 200_000 < max(len(first), len(second)) < 300_000


@pytest.mark.slow
def test_many_entries_go_by_in_frames(chat: Chat):
    for number in range(3000):
        chat.tool(str(number), title="x")
    ops, more = chat.step()
    assert more
    assert lines_of(ops[0]) <= 2000
    chat.show()
    assert chat.view.total == 3001


def test_folded_megabytes_are_not_looked_at_and_unfolded_ones_are_cut(chat: Chat):
    key = chat.tool(title="x", content=output("line\n" * 4_000_000))
    assert chat.show() == "## Claude\ntool    x"
    chat.view.toggle(key)
    text = chat.show()
    assert text.count("\n") == 2 + 2000
    assert text.endswith("  │ … 3,998,000 more lines: K shows all")


def test_one_huge_line_of_output_is_cut(chat: Chat):
    chat.view.toggle(chat.tool(title="x", content=output("y" * 20_000_000)))
    assert len(chat.show()) < 300_000
    assert chat.buffer.lines[-1] == "  │ … more of a long line: K shows all"
