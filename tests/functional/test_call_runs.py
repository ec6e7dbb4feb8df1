"""Runs of finished calls in the chat: one line, which unfolds with the keys of every fold."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.fakes.script import Step, on_prompt, say, script, tool
from tests.functional.editor import Editor
from tests.steps.conversation import go_to_line, open_chat, read_chat, send

Open = Callable[..., Editor]


def read(number: int, **fields: Any) -> Step:
    path = f"{{cwd}}/file_{number}.py"
    call = {"title": f"Read file_{number}.py", "kind": "read", "status": "completed", **fields}
    text = f"the text of file {number}"
    return tool(f"read-{number}", locations=[{"path": path}], rawOutput=text, **call)


def test_a_run_of_calls_is_one_line_until_it_is_unfolded(open_editor: Open, tmp_path: Path) -> None:
    calls = [read(number) for number in range(1, 25)]
    calls.insert(12, read(0, status="failed"))
    agent = script(tmp_path, on_prompt("", say("I look."), *calls, say("I have read them.")))
    editor = open_chat(open_editor, agent, setup={"chat": {"position": "tab"}}, size=(80, 50))
    send(editor, "go")
    editor.wait_event("AcpTurnEnded")
    editor.screen.expect("▸ ✓ read 12 files")
    shown = [line for line in read_chat(editor) if line.startswith("read")]
    assert [line[:12] for line in shown] == ["read 12 file", "read    file", "read 12 file"]
    go_to_line(editor, "read 12 files")
    editor.type("za")
    editor.screen.expect("▾ ✓ read 12 files")
    editor.screen.expect("   ✓ read    file_12.py")
    # a call of the run has all that a call has
    go_to_line(editor, "read    file_12.py")
    editor.type("yyK")
    assert editor.lua("return vim.fn.getreg('\"')") == "read    file_12.py\n"
    editor.screen.expect("locations:")
    editor.type("q")
    # the next call, and then the next run
    editor.type("]t]t")
    editor.expect_lua("return vim.api.nvim_get_current_line()", "read 12 files")
    editor.type("[t[t[tzc")
    editor.type("gg]tza")
    editor.screen.expect(lambda screen: screen.text().count("▸ ✓ read 12 files") == 2)
    editor.type("K")
    editor.screen.expect("▾ ✓ read 12 files")
    # all of them, with what belongs to their calls
    editor.type("zM")
    editor.screen.expect(lambda screen: screen.text().count("▸ ✓ read 12 files") == 2)
    editor.type("zR")
    editor.screen.expect("  │ the text of file 1")
    go_to_line(editor, "read 12 files")
    editor.type("zM<CR>")
    editor.screen.expect_gone("  │ the text of file 1")
    editor.screen.expect("▾ ✓ read 12 files")
