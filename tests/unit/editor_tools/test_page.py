"""Answers are bounded, and say how to get the rest."""

from acp_nvim import limits
from acp_nvim.editor_tools.page import Page


def test_too_many_lines() -> None:
    page, count = Page(), 0
    while page.add("x"):
        count += 1
    assert count == limits.TOOL_LINES + 1, "the name of the file, and so many lines"
    assert page.text("ask for more").endswith("\nx\nmore: true (ask for more)")


def test_too_many_bytes() -> None:
    page = Page()
    while page.add("ä" * limits.TOOL_LINE_CHARS):
        pass
    assert len(page.text("go on").encode()) <= 64 * 1024


def test_a_long_line_is_cut() -> None:
    page = Page()
    page.add("x" * 10_000_000)
    assert len(page.text("")) == limits.TOOL_LINE_CHARS + 1


def test_too_many_places() -> None:
    page = Page()
    for number in range(200):
        page.add_place(f"{number // 60}.py", number, "text")
    lines = page.text("narrow").split("\n")
    assert len([line for line in lines if ": text" in line]) == limits.TOOL_PLACES
    assert lines[-1] == "more: true (narrow)"
