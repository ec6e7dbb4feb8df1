"""Which finished calls fold to one line, and what always stays on the screen."""

from typing import Any

import pytest

from acp_nvim.chat.chat_view import ChatView
from acp_nvim.protocol.schema import Chunk, ContentItem, Location, Text, ToolCallUpdate
from acp_nvim.session.question import Option, Question
from acp_nvim.session.transcript import Transcript
from tests.fakes.editor import ChatBuffer


class Story:
    def __init__(self) -> None:
        self.transcript = Transcript()
        self.view = ChatView(self.transcript, lambda: "Claude", "/w")
        self.buffer = ChatBuffer()

    def call(self, id: str, kind: str = "read", status: str = "completed", **more: Any) -> int:
        places = (Location(path=f"/w/{id}"),)
        update = ToolCallUpdate(id, title=id, kind=kind, status=status, locations=places, **more)
        return self.transcript.tool(update, 0.0).key

    def say(self, text: str, role: Any = "agent") -> None:
        self.transcript.chunk(Chunk(role, text), 0.0)

    def shown(self) -> list[str]:
        """The lines below the heading."""
        more = True
        while more:
            ops, more = self.view.flush()
            self.buffer.apply(ops, self.view.total)
        return self.buffer.lines[1:]


@pytest.fixture
def story() -> Story:
    return Story()


def test_calls_that_look_fold_to_one_line(story: Story) -> None:
    for id in "ab":
        story.call(id)
    assert story.shown() == ["read    a", "read    b"]
    story.call("c", "search")
    assert story.shown() == ["read 2 files · searched 1×"]
    story.call("d", status="in_progress")
    assert story.shown() == ["read 2 files · searched 1×", "read    d"]
    story.call("d")
    story.call("a2", "fetch")
    assert story.shown() == ["read 3 files · searched 1× · fetched 1 page"]


def test_text_and_calls_of_another_sort_end_a_run(story: Story) -> None:
    for id in "abc":
        story.call(id)
    story.say("I have read them.")
    for id in "def":
        story.call(id)
    for id in "gh":
        story.call(id, "execute")
    story.call("j", "edit")
    lines = [
        "read 3 files",
        "",
        "I have read them.",
        "read 3 files",
        "execute g",
        "execute h",
        "edit    j",
    ]
    assert story.shown() == lines


def test_many_calls_of_several_sorts_fold_to_one_line(story: Story) -> None:
    for id, kind in zip("abcde", ["read", "execute", "read", "execute", "search"], strict=True):
        story.call(id, kind)
    assert len(story.shown()) == 5
    story.call("f", "execute")
    assert story.shown() == ["read 2 files · ran 3 commands · searched 1×", "execute f"]
    story.call("g")
    assert story.shown() == ["read 3 files · ran 3 commands · searched 1×", "execute f"]
    story.call("h", "execute", status="failed")
    story.call("i")
    assert story.shown() == [
        "read 3 files · ran 3 commands · searched 1×",
        "execute f",
        "execute h",
        "read    i",
    ]


def test_a_command_that_tells_of_a_failure_by_its_exit_code_is_never_hidden(story: Story) -> None:
    for id in "abcdef":
        story.call(id)
    story.call("g", "execute", raw_output={"output": "2 failed", "metadata": {"exit": 1}})
    assert story.shown() == ["read 6 files", "execute g", "  │ 2 failed"]


def test_a_command_that_a_signal_has_ended_is_never_hidden(story: Story) -> None:
    killed = {"terminal_exit": {"terminal_id": "t", "exit_code": None, "signal": "SIGKILL"}}
    story.call("a", "execute", meta=killed)
    for id in "bcd":
        story.call(id, "execute")
    assert story.shown() == ["execute a", "ran 3 commands", "execute d"]


@pytest.mark.parametrize("order", ["abcd", "dcba", "bdac"])
def test_the_order_in_which_calls_end_does_not_matter(story: Story, order: str) -> None:
    for id in "abcd":
        story.call(id, status="in_progress")
    for id in order:
        story.call(id)
        story.shown()
    assert story.shown() == ["read 4 files"]


def test_a_failed_call_is_never_hidden(story: Story) -> None:
    for id in "abcdefg":
        story.call(id)
    assert story.shown() == ["read 7 files"]
    story.call("d", status="failed")
    assert story.shown() == ["read 3 files", "read    d", "read 3 files"]


def test_a_call_that_asks_is_never_hidden(story: Story) -> None:
    for id in "abcdefg":
        story.call(id)
    question = Question(1, "permission", "sure?", (Option("1", "Yes", "allow_once"),))
    story.transcript.ask(question, ToolCallUpdate("d"), 0.0)
    shown = story.shown()
    assert shown[:2] == ["read 3 files", "read    d"]
    assert shown[-1] == "read 3 files"
    question.end(question.options[0], "user")
    story.transcript.answered(question)
    assert story.shown() == ["read 7 files"]


def test_thoughts_between_calls_fold_with_them(story: Story) -> None:
    for id in "abc":
        story.say("hm", "thought")
        story.call(id)
    assert story.shown() == ["read 3 files"]
    story.say("Error: no connection", "thought")
    story.call("d")
    assert story.shown() == ["read 3 files", "Error: no connection", "read    d"]


def test_of_commands_the_newest_stays_until_the_agent_has_said_something(story: Story) -> None:
    for number, id in enumerate("abcd", 1):
        story.call(id, "execute", content=(ContentItem(Text(text=f"{id} is done\n")),))
        if number > 2:
            assert story.shown() == [f"ran {number} commands", f"execute {id}", f"  │ {id} is done"]
    story.call("e", "edit")
    story.say("hm", "thought")
    assert story.shown()[:4] == ["ran 4 commands", "execute d", "  │ d is done", "edit    e"]
    story.say("All is done.")
    assert story.shown()[:2] == ["ran 4 commands", "edit    e"]
    for id in "fgh":
        story.call(id, "execute")
    assert story.shown()[-2:] == ["ran 3 commands", "execute h"]


def test_a_run_unfolds_and_its_calls_within_it(story: Story) -> None:
    first = story.call("a", raw_output="text of a")
    for id in "bcd":
        story.call(id)
    story.shown()
    story.view.toggle(first, run="line")
    assert story.shown() == ["read 4 files", "read    a", "read    b", "read    c", "read    d"]
    story.view.toggle(first)
    assert story.shown()[1:4] == ["read    a", "  │ text of a", "read    b"]
    story.call("e")
    assert story.shown()[-1] == "read    e"
    story.view.toggle(first, run="line")
    assert story.shown() == ["read 5 files"]
    story.view.toggle(first, True, run="calls")
    assert story.shown()[:4] == ["read 5 files", "read    a", "  │ text of a", "read    b"]
    story.view.toggle(first, False, run="calls")
    assert story.shown() == ["read 5 files"]
    story.view.toggle(first, True, run="line")
    assert story.shown()[1:3] == ["read    a", "read    b"]
