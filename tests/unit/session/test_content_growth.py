"""Content that comes in pieces: a piece comes behind what is there, unless it tells all of it again."""

from dataclasses import replace

from acp_nvim.protocol.schema import ContentItem, Diff, Text, ToolCallGrowth, ToolCallUpdate, ToolContent
from acp_nvim.session.transcript import Transcript

DIFF = Diff(path="/a", old_text="a", new_text="b")
LONG = "x" * 600


def text(words: str) -> ContentItem:
    return ContentItem(Text(text=words))


def after(
    *told: ToolContent | tuple[ToolContent, ...], first: tuple[ToolContent, ...] = ()
) -> list[ToolContent]:
    """The content of a call after these updates."""
    transcript = Transcript()
    transcript.tool(ToolCallUpdate("c", known=False, content=first), 0)
    for each in told:
        content = each if isinstance(each, tuple) else (each,)
        transcript.tool(ToolCallGrowth("c", content=content), 0)
    call = transcript.calls.find("c")
    assert call is not None
    return list(call.content)


def test_pieces_of_an_output_are_one_text() -> None:
    assert after(text("one\nt"), text("wo\n"), text("three")) == [text("one\ntwo\nthree")]


def test_what_is_told_all_again_is_not_doubled() -> None:
    assert after(text("one\n"), text("one\ntwo\n"), text("one\ntwo\n")) == [text("one\ntwo\n")]
    assert after(text(LONG + "1"), text(LONG + "… left out …9")) == [text(LONG + "… left out …9")]


def test_what_was_there_before_the_output_stays() -> None:
    first = (DIFF, text("What the tool does"))
    assert after((DIFF, text("a")), (DIFF, text("ab")), first=first) == [*first, text("ab")]
    assert after(DIFF, first=(DIFF,)) == [DIFF]


def test_a_text_behind_something_else_begins_anew() -> None:
    assert after(text("a"), DIFF, text("b"), text("c")) == [text("a"), DIFF, text("bc")]


def test_other_agents_replace() -> None:
    transcript = Transcript()
    for content in ((text("a"),), (text("b"),), ()):
        call = transcript.tool(replace(ToolCallUpdate("c"), content=content), 0)
        assert call.content == content
