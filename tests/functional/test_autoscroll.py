"""The end of a chat is on the screen while the chat follows it, without empty rows below it."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.fakes.script import Step, on_prompt, say, script
from tests.functional.editor import Editor
from tests.functional.screen import Screen
from tests.steps.conversation import open_chat, send

Open = Callable[..., Editor]


def chat_rows(screen: Screen) -> list[str]:
    """What is drawn in the chat's window: a chat at the bottom has all columns."""
    lines = screen.lines()
    top = next(row for row, line in enumerate(lines) if line.startswith(" Scripted"))
    prompt = next(row for row, line in enumerate(lines) if line.startswith(" press i to ask"))
    return lines[top + 1 : prompt - 1]  # its bar is between them


@pytest.mark.parametrize("size", [(80, 24), (30, 40)])
def test_a_long_paragraph_is_followed_without_empty_rows(
    open_editor: Open, tmp_path: Path, size: tuple[int, int]
) -> None:
    words: list[Step] = []
    for number in range(120):
        above = "\n\n" if number % 6 == 0 else ""
        words += [say(above + f"word{number} and some more of it, " * 3), ["think_for", 0.02]]
    agent = script(tmp_path, on_prompt("", say("Begin.\n\n"), *words, say("the end")))
    editor = open_chat(open_editor, agent, size=size, setup={"chat": {"position": "bottom"}})
    most = 0

    def is_over(screen: Screen) -> bool:
        nonlocal most
        if "word" in screen.text() and "Begin" not in screen.text():
            rows = chat_rows(screen)
            most = max(most, len(rows) - len("\n".join(rows).rstrip("\n").split("\n")))
        return "the end" in screen.text()

    send(editor, "hello")
    editor.screen.expect(is_over)
    assert most == 0
