"""Transcripts that outlive the backend and Neovim, and the conversation as Markdown, in a real Neovim."""

import json
import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.fakes.script import on, on_initialize, on_prompt, result, say, script, tool, wait_file, wait_until
from tests.functional.editor import Editor
from tests.steps.conversation import open_chat, read_chat, send
from tests.steps.processes import find_backend

Open = Callable[..., Editor]
DIFF = {"type": "diff", "path": "a.py", "oldText": "one\n", "newText": "two\n"}
EDIT = tool("t", title="edit a.py", kind="edit", status="completed", content=[DIFF])


def kept(editor: Editor) -> list[Path]:
    return sorted((editor.home / "state/nvim/acp_nvim/transcripts").glob("*.jsonl"))


@pytest.mark.backends
def test_a_session_is_kept_and_played_in_another_neovim(open_editor: Open, tmp_path: Path) -> None:
    editor = open_chat(open_editor, script(tmp_path, on_prompt("", say("I *did* it"), EDIT)))
    send(editor, "do it")
    editor.wait_event("AcpTurnEnded")
    wait_until(lambda: kept(editor))
    (file,) = kept(editor)
    assert file.stat().st_mode & 0o777 == 0o600
    before = read_chat(editor)
    assert editor.quit() == 0
    assert all({"t", "dir", "msg"} == json.loads(line).keys() for line in file.read_text().splitlines())
    other = open_editor()
    other.type(f":Acp replay {file}<CR>")
    other.screen.expect("I did it")
    other.expect_lua(
        "return vim.api.nvim_buf_get_lines(vim.fn.bufnr('^acp://1/chat$'), 0, -1, false)", before
    )


@pytest.mark.cold
def test_after_a_crash_the_chat_goes_on_where_it_was(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path, on_prompt("one", say("first answer")), on_prompt("two", say("second answer")))
    editor = open_chat(open_editor, agent)
    send(editor, "one")
    editor.wait_event("AcpTurnEnded")
    wait_until(lambda: kept(editor) and "stopReason" in kept(editor)[0].read_text())
    os.kill(find_backend(editor), signal.SIGKILL)
    editor.wait_event("AcpSessionEnded")
    send(editor, "two")
    editor.wait_event("AcpTurnEnded", turn=2)
    lines = read_chat(editor)
    assert [lines.count(line) for line in ("one", "first answer", "two", "second answer")] == [1, 1, 1, 1]
    assert lines.index("first answer") < lines.index("second answer")
    assert any("started again" in line for line in lines)
    assert len(kept(editor)) == 1


def test_export(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path, on_prompt("", say("I *did* it\n"), EDIT))
    editor = open_chat(open_editor, agent, size=(120, 30))
    send(editor, "do **it**")
    editor.wait_event("AcpTurnEnded")
    file = editor.project / "out.md"
    editor.type(":Acp export out.md<CR>")
    editor.screen.expect("the conversation is in")
    text = file.read_text()
    assert "\n## You\n\ndo **it**\n" in text
    assert "\n## Scripted\n\nI *did* it\n" in text
    assert (
        "- **edit** `a.py` (completed)\n\n  ```diff\n  --- a.py\n  +++ a.py\n  -one\n  +two\n  ```\n" in text
    )
    file.write_text("mine")
    editor.type(":Acp export out.md<CR>")
    editor.screen.expect("the file exists, :Acp export! overwrites it: ")
    assert file.read_text() == "mine"
    editor.type(":Acp export! out.md<CR>")
    wait_until(lambda: file.read_text() == text)
    editor.screen.expect("the conversation is in")
    assert "out.md" in editor.lua("return vim.fn.getcompletion('Acp export o', 'cmdline')")
    editor.type(":Acp export<CR>")
    editor.screen.expect("export needs a file")


def test_after_a_kill_in_a_turn_the_next_neovim_offers_to_go_on(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path, on_prompt("", say("I am at it"), EDIT, wait_file("/nowhere")))
    editor = open_chat(open_editor, agent)
    send(editor, "do it<CR>with care")
    wait_until(lambda: kept(editor) and "I am at it" in kept(editor)[0].read_text())
    editor.kill()
    editor.assert_no_orphans()
    opens = on("session/new", result({"sessionId": "fresh"}))
    again = script(tmp_path, on_initialize(loadSession=True), opens, name="second")
    other = open_editor(
        setup={"agents": {"agent0": {"command": again.argv[0], "args": again.argv[1:]}}},
        env={"XDG_STATE_HOME": str(editor.home / "state")},
        init=f"vim.cmd.cd({str(editor.project)!r})",
        size=(200, 40),
    )
    other.type(":Acp<CR><Esc>")
    other.screen.expect('<CR>   go on from the turn that was cut off "do it"')
    other.screen.expect("write a prompt")  # it is the usual welcome
    other.wait_event("AcpSessionStarted")
    other.type("<CR>")
    other.wait_event("AcpSessionStarted", session=2)
    prompt = "return table.concat(vim.fn.getbufline('acp://2/prompt', 1, '$'), '|')"
    other.expect_lua(prompt, "do it|with care")
    assert [other.acp("status")[key] for key in ("session_id", "turn", "queue")] == ["s1", 1, 0]
    assert len(again.got("session/load")) == 1
    assert again.got("session/prompt") == [], "nothing is sent by itself"
