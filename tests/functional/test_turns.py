"""How turns look in the chat: headings on a ground of their own, the user's words beside a bar, a margin."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.fakes.script import on, on_prompt, permission, result, say, script, wait_file
from tests.functional.editor import Editor
from tests.functional.screen import Screen
from tests.steps.conversation import go_to_line, open_chat, read_chat, send
from tests.steps.messages import expect_message

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


def test_a_turn_that_is_over_says_how_long_it_took(open_editor: Open, tmp_path: Path) -> None:
    """The recording of a turn with a question is played with other times: a minute, half of it the user's."""
    asks = permission("run it", kind="execute", rawInput={"command": "make"})
    agent = script(tmp_path, on_prompt("", say("I run it."), asks, say("Done.")))
    editor = open_chat(open_editor, agent, size=(120, 30))
    send(editor, "go")
    editor.wait_event("AcpQuestion")
    editor.acp("answer", editor.acp("questions")[0]["id"], "yes")
    editor.wait_event("AcpTurnEnded")
    editor.screen.expect("Done.")
    assert not re.search(r"Scripted.* \d+ s", editor.screen.text()), "a short turn is no news"
    editor.type(":Acp trace save t.jsonl<CR>")
    expect_message(editor, "messages in")
    recording = editor.project / "t.jsonl"
    entries = [json.loads(line) for line in recording.read_text().splitlines()]
    methods = [entry["msg"].get("method") for entry in entries]
    prompt, asked = methods.index("session/prompt"), methods.index("session/request_permission")
    answered = next(
        at
        for at, entry in enumerate(entries)
        if entry["msg"].get("id") == entries[asked]["msg"]["id"] and at > asked and entry["dir"] == "->"
    )
    for at, entry in enumerate(entries):
        entry["t"] = 0 if at <= prompt else 20 if at <= asked else 50 if at <= answered else 60
    recording.write_text("".join(json.dumps(entry) + "\n" for entry in entries))
    editor.type(":Acp replay t.jsonl<CR>")
    editor.screen.expect(lambda screen: re.search(r"▎Scripted.* 30 s", screen.text()), what="30 s")
