"""Runs of finished calls in the chat: one line, which unfolds with the keys of every fold."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.fakes.script import Step, on_prompt, say, script, tool, update, wait
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


def test_everything_that_folds_unfolds_at_once(open_editor: Open, tmp_path: Path) -> None:
    context = {"type": "text", "text": "for the model", "annotations": {"audience": ["assistant"]}}
    agent = script(
        tmp_path,
        on_prompt(
            "",
            update({"sessionUpdate": "agent_message_chunk", "content": context}),
            say("Done."),
        ),
    )
    editor = open_chat(open_editor, agent, setup={"chat": {"position": "tab"}}, size=(80, 50))
    editor.acp("prompt", "\n".join(f"point {number}" for number in range(1, 21)))
    editor.wait_event("AcpTurnEnded")
    folded = ("… 9 more lines", "▸ context for the agent")
    unfolded = ("point 20", "│ for the model")
    for words in folded:
        editor.screen.expect(words)
    go_to_line(editor, "Done.")
    editor.type("zMzR")
    for words in unfolded:
        editor.screen.expect(words)
    editor.type("zM")
    for words in folded:
        editor.screen.expect(words)
    for words in unfolded:
        editor.screen.expect_gone(words)


def run(number: int) -> Step:
    output = [{"type": "content", "content": {"type": "text", "text": f"{number} lines"}}]
    return tool(f"run-{number}", title=f"wc {number}", kind="execute", status="completed", content=output)


def test_calls_that_look_and_commands_by_turns_are_one_line(open_editor: Open, tmp_path: Path) -> None:
    calls = [step for number in range(1, 13) for step in (read(number), run(number))]
    agent = script(
        tmp_path,
        on_prompt("look", *calls, read(13), wait("session/cancel")),
        on_prompt("", say("They are fine.")),
    )
    editor = open_chat(open_editor, agent, setup={"chat": {"position": "tab"}}, size=(80, 50))
    send(editor, "look")
    editor.screen.expect(" ▸ ✓ read 13 files · ran 12 commands\n   ✓ execute wc 12\n   │ 12 lines\n")
    editor.type(":Acp cancel<CR>")
    editor.wait_event("AcpTurnEnded")
    editor.screen.expect("12 lines")
    # what the agent says takes the place of the newest command
    send(editor, "And?")
    editor.screen.expect("They are fine.")
    editor.screen.expect_gone("12 lines")
    assert [line for line in read_chat(editor) if line.startswith(("read", "execute"))] == [
        "read 13 files · ran 12 commands"
    ]
    go_to_line(editor, "read 13 files")
    editor.type("za")
    editor.screen.expect(" ▾ ✓ read 13 files · ran 12 commands\n   ✓ read    file_1.py\n   ✓ execute wc 1\n")
    editor.type("]t]tyyK")
    assert editor.lua("return vim.fn.getreg('\"')") == "execute wc 1\n"
    editor.screen.expect("1 lines")
    editor.type("q[t[tza")
    editor.screen.expect_gone("execute wc 1")


def test_the_line_of_a_run_goes_on_below_its_words(open_editor: Open, tmp_path: Path) -> None:
    calls = [step for number in range(1, 5) for step in (read(number), run(number))]
    agent = script(tmp_path, on_prompt("", *calls, say("They are fine.")))
    editor = open_chat(open_editor, agent, setup={"chat": {"position": "tab"}}, size=(28, 30))
    send(editor, "go")
    editor.wait_event("AcpTurnEnded")
    editor.screen.expect(" ▸ ✓ read 4 files · ran 4\n     commands\n")
