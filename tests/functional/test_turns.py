"""How turns look in the chat: headings on a ground of their own, the user's words beside a bar, a margin."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.fakes.script import on, on_prompt, result, say, script, wait_file
from tests.functional.editor import Editor
from tests.functional.screen import Screen
from tests.steps.conversation import go_to_line, open_chat, read_chat, send

Open = Callable[..., Editor]
MODES = {"availableModes": [{"id": "ask", "name": "Ask"}], "currentModeId": "ask"}
MODELS = {"availableModels": [{"modelId": "opus", "name": "Opus"}], "currentModelId": "opus"}
OPENED = on("session/new", result({"sessionId": "fresh", "modes": MODES, "models": MODELS}))
WIDE = {"position": "tab"}
REGISTER = "return vim.fn.getreg('\"')"


def ground(screen: Screen, text: str) -> Any:
    return screen.attrs(text).get("background", screen.colours["background"])


def row_of(screen: Screen, text: str) -> str:
    return next(line for line in screen.lines() if text in line)


def test_turns_stand_out(open_editor: Open, tmp_path: Path) -> None:
    go = tmp_path / "go"
    agent = script(tmp_path, OPENED, on_prompt("", say("## A heading\nFine."), wait_file(str(go))))
    editor = open_chat(open_editor, agent, setup={"chat": WIDE}, size=(60, 24))
    words = "replace the loop in total by a sum and then run all of the tests that there are"
    send(editor, words)
    editor.screen.expect("A heading")
    screen = editor.screen
    # the heading: no marker, a bar, when it was sent, a ground up to the edge
    screen.expect(lambda screen: re.fullmatch(r"▎You +\d\d:\d\d", row_of(screen, "You").rstrip()))
    plain = ground(screen, "Fine.")
    assert ground(screen, "You") != plain
    # the user's words on both of their rows, with the bar
    first, second = (line for line in screen.lines() if "replace the loop" in line or "there are" in line)
    assert (first[0], second[0]) == ("▎", "▎")
    assert ground(screen, "replace the loop") == ground(screen, "there are") != plain
    # the agent's: its model and mode, and how long it has run
    screen.expect(
        lambda screen: re.fullmatch(r"▎Scripted · Opus · Ask +\S \d+s", row_of(screen, "▎Scripted").rstrip())
    )
    assert ground(screen, "Scripted · Opus · Ask  ") != plain
    # what the agent calls a heading is none of ours; text has a margin
    assert ground(screen, "A heading") == plain
    assert " Fine." in (line.rstrip() for line in screen.lines())
    go.touch()
    editor.wait_event("AcpTurnEnded")
    screen.expect(lambda screen: row_of(screen, "▎Scripted").rstrip() == "▎Scripted · Opus · Ask")
    # what is yanked is what stands in the buffer, and the cursor's line shows it
    go_to_line(editor, "## Scripted")
    screen.expect("▎## Scripted · Opus · Ask")
    editor.type("yy")
    assert editor.lua(REGISTER) == "## Scripted\n"
    editor.type("G")
    screen.expect("▎Scripted")


def test_a_long_prompt_folds(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path, on_prompt("", say("Read.")))
    editor = open_chat(open_editor, agent, setup={"chat": WIDE}, size=(60, 75))
    lines = [f"line {number}" for number in range(1, 31)]
    editor.acp("prompt", "\n".join(lines[:12]))
    editor.wait_event("AcpTurnEnded", turn=1)
    assert "line 12" in read_chat(editor)
    editor.acp("prompt", "\n".join(lines))
    editor.wait_event("AcpTurnEnded", turn=2)
    editor.screen.expect("… 19 more lines: za shows them")
    assert "line 13" not in read_chat(editor)
    go_to_line(editor, "… 19 more lines: za shows them")
    editor.type("za")
    editor.screen.expect("▎line 30")
    go_to_line(editor, "line 13")
    editor.type("y17j")
    assert editor.lua(REGISTER) == "\n".join(lines[12:]) + "\n"
    editor.type("za")
    editor.screen.expect("… 19 more lines: za shows them")
    # and it is sent again whole
    go_to_line(editor, "… 19 more lines: za shows them")
    editor.type("e")
    prompt = "return vim.api.nvim_buf_get_lines(vim.fn.bufnr('acp://1/prompt'), 0, -1, false)"
    editor.expect_lua(prompt, lines)
