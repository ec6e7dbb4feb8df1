"""Calls of a subagent within the call that has begun it: counted, the one under way named, folded to one line."""

from typing import Any

import pytest

from acp_nvim import limits
from acp_nvim.chat.chat_view import ChatView
from acp_nvim.protocol.schema import Chunk, ToolCallUpdate
from acp_nvim.session.question import Option, Question
from acp_nvim.session.tool_call import ToolCall
from acp_nvim.session.transcript import Transcript
from tests.fakes.editor import ChatBuffer


class Shown:
    """The rows of a conversation in which a subagent works."""

    def __init__(self) -> None:
        self.transcript = Transcript()
        self.view = ChatView(self.transcript, lambda: "A", "/w", lambda _: "")
        self.buffer = ChatBuffer()

    def tool(self, id: str, now: float = 0.0, **update: Any) -> ToolCall:
        return self.transcript.tool(ToolCallUpdate(id, known=False, **update), now)

    def update(self, id: str, now: float = 0.0, **update: Any) -> None:
        self.transcript.tool(ToolCallUpdate(id, **update), now)

    @property
    def lines(self) -> list[str]:
        more = True
        while more:
            ops, more = self.view.flush()
            self.buffer.apply(ops, self.view.total)
        return self.buffer.lines[1:]

    def beside(self, row: int) -> str:
        assert self.lines
        (mark,) = [mark for mark in self.buffer.marks if mark["row"] == row and "icon" in mark]
        return "".join(text for text, _ in mark.get("eol", []))


@pytest.fixture
def shown() -> Shown:
    found = Shown()
    found.tool("a", title="Explore the code", kind="think", status="in_progress")
    return found


@pytest.mark.statement(137)
def test_calls_of_a_subagent_fold_into_the_line_of_its_call(shown: Shown) -> None:
    shown.tool("b", parent="a", title="Look", kind="search", status="completed")
    shown.tool("c", parent="a", title="x.py", kind="read", status="in_progress")
    assert shown.lines == ["agent   Explore the code  ▸ read x.py"]
    assert shown.beside(1) == "  2 calls"
    shown.update("c", status="failed")
    assert shown.lines == ["agent   Explore the code"]
    assert shown.beside(1) == "  2 calls, 1 failed"


@pytest.mark.statement(137)
def test_the_line_unfolds_to_the_calls(shown: Shown) -> None:
    key = shown.transcript.calls.find("a").key  # type: ignore[union-attr]
    shown.tool("b", parent="a", title="Look", kind="search", status="completed")
    shown.tool("c", parent="b", title="x.py", kind="read", status="in_progress")
    shown.view.toggle(key, True)
    assert shown.lines == ["agent   Explore the code  ▸ read x.py", "search  Look", "read    x.py"]
    icons = [mark["icon"]["text"] for mark in shown.buffer.marks if "icon" in mark]
    assert icons == ["⠋ ", "  ✓ ", "    ⠋ "]
    shown.update("c", status="completed")
    shown.view.toggle(key, False)
    assert shown.lines == ["agent   Explore the code"]


@pytest.mark.statement(137)
def test_a_nested_call_unfolds_by_itself(shown: Shown) -> None:
    call = shown.tool("b", parent="a", title="Look", kind="search", raw_input={"what": "this"})
    shown.view.toggle(shown.transcript.entries[0].key, True)
    shown.view.toggle(call.key, True)
    assert shown.lines[1:] == ["search  Look", "  │ {", '  │   "what": "this"', "  │ }"]


@pytest.mark.statement(137)
def test_a_nested_call_that_asks_is_never_hidden(shown: Shown) -> None:
    for number in range(limits.SHOWN_STEPS + 2):
        shown.tool(f"n{number}", parent="a", title="Look", kind="search", status="completed")
    question = Question(1, "permission", "may I", (Option("y", "Yes", "allow_once"),), "n0")
    shown.transcript.ask(question, ToolCallUpdate("n0"), 0.0)
    assert shown.lines[1:] == ["search  Look", "    may I", "    1 Yes"]
    assert "▸ search Look" in shown.lines[0]
    shown.view.toggle(shown.transcript.entries[0].key, True)
    assert len(shown.lines) == 1 + 3 + limits.SHOWN_STEPS
    question.end(question.options[0], "user")
    shown.transcript.answered(question)
    shown.view.toggle(shown.transcript.entries[0].key, False)
    assert shown.lines == ["agent   Explore the code"]


@pytest.mark.statement(137)
@pytest.mark.parametrize("parent", ["b", "nobody", "", None])
def test_a_call_without_a_parent_that_is_known_stands_alone(shown: Shown, parent: str | None) -> None:
    shown.tool("b", parent=parent, title="Look", kind="search")
    assert shown.lines == ["think   Explore the code", "search  Look"]


@pytest.mark.statement(137)
def test_a_thousand_levels_are_drawn_as_few(shown: Shown) -> None:
    shown.tool("0", parent="a", title="Look", kind="search", status="completed")
    for number in range(1000):
        shown.tool(str(number + 1), parent=str(number), title="Look", kind="search", status="completed")
    shown.view.toggle(shown.transcript.entries[0].key, True)
    assert shown.lines[-1] == "search  Look"
    assert shown.beside(1) == "  1,001 calls"
    widest = max(len(mark["icon"]["text"]) for mark in shown.buffer.marks if "icon" in mark)
    assert widest == 2 * limits.NESTED_DEPTH + 2


@pytest.mark.statement(137)
def test_words_of_the_agent_go_on_around_the_calls_of_a_subagent(shown: Shown) -> None:
    shown.tool("b", parent="a", title="Look", kind="search", status="completed")
    shown.transcript.chunk(Chunk("agent", "Found"), 0.0)
    shown.tool("c", parent="a", title="Look", kind="search", status="completed")
    shown.transcript.chunk(Chunk("agent", "it."), 0.0)
    assert shown.lines == ["agent   Explore the code", "", "Foundit."]


@pytest.mark.statement(137)
def test_the_title_of_a_step_hides_nothing(shown: Shown) -> None:
    shown.tool("b", parent="a", title="x\u202ey\x1b[31m" + "z" * 5000, kind="search")
    (line,) = shown.lines
    assert line.startswith("agent   Explore the code  ▸ search x<202E>y^[[31m")
    assert len(line) < 120
