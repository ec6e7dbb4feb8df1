"""What the agent is told of refused hunks is one folded line in the chat; unfolded it is a diff, and no Markdown."""

from collections.abc import Callable
from pathlib import Path

from tests.fakes.script import on_prompt, say, script
from tests.functional.editor import Editor
from tests.steps.conversation import go_to_line, read_chat, send
from tests.steps.proposals import decide_mixed, open_diff, open_old, write_through

Open = Callable[..., Editor]


def ground(editor: Editor, group: str) -> object:
    return editor.lua("return vim.api.nvim_get_hl(0, { name = ..., link = false }).bg", group)


def test_the_report_of_a_mixed_decision_is_shown_as_a_diff(open_editor: Open, tmp_path: Path) -> None:
    agent = script(
        tmp_path, on_prompt("edit", *write_through()), on_prompt("now", say("- a *list* of its own"))
    )
    editor = open_old(open_editor, agent)
    editor.type(":Acp<CR><C-w>t")
    open_diff(editor)
    decide_mixed(editor)
    editor.wait_event("AcpTurnEnded")
    send(editor, "and now?")
    editor.wait_event("AcpTurnEnded", turn=2)
    editor.screen.expect("▸ reported to Scripted: 1 hunk of notes.txt")
    for words in ("reported to Scripted", "and now?"):  # one ground
        assert editor.screen.attrs(words).get("background") == ground(editor, "AcpPrompt")
    told = next(row for row, line in enumerate(read_chat(editor)) if line.startswith("reported to"))
    assert read_chat(editor)[told - 1 : told + 2 : 2] == ["## You", "and now?"]
    assert not [line for line in read_chat(editor) if line.startswith("+")]
    go_to_line(editor, "reported to Scripted")
    editor.type("za")
    editor.screen.expect("▾ reported to Scripted")
    body = [line.removeprefix("  │ ") for line in read_chat(editor) if line.startswith("  │ ")]
    removed = next(line for line in body if line.startswith("-"))
    added = next(line for line in body if line.startswith("+"))
    go_to_line(editor, removed)
    editor.screen.expect(removed)
    assert editor.screen.attrs(removed).get("background") == ground(editor, "AcpDiffRemoved")
    assert editor.screen.attrs(added).get("background") == ground(editor, "AcpDiffAdded")
    report = tmp_path / "talk.md"
    editor.type(f":Acp export {report}<CR>")
    editor.screen.expect("talk.md")
    editor.expect_lua("return vim.fn.filereadable(...)", 1, str(report))
    text = report.read_text()
    assert text.index("```diff") < text.index(removed) < text.index("```\n", text.index(removed))


def test_the_report_quotes_nothing_that_is_gone(open_editor: Open, tmp_path: Path) -> None:
    """What the user has changed or undone after the decision is told as it is when the prompt goes out."""
    agent = script(tmp_path, on_prompt("edit", *write_through()), on_prompt("now", say("ok")))
    editor = open_old(open_editor, agent)
    open_diff(editor)
    decide_mixed(editor)  # line 3 stays, TEN is taken, SEVENTEEN is 17 now
    editor.wait_event("AcpTurnEnded")
    editor.expect_lua("return vim.fn.bufname()", "notes.txt")
    editor.type(":%s/^17$/another/<CR>:10Acp undo<CR>")
    editor.expect_lua("return vim.fn.getline(10)", "line 10")
    editor.expect_lua("return vim.fn.getline(17)", "another")
    editor.acp("prompt", "now")
    editor.wait_event("AcpTurnEnded", turn=2)
    report, words = (block["text"] for block in agent.got("session/prompt")[1]["params"]["prompt"])
    assert words == "now"
    assert report.endswith("\n\n")
    signed = [line for line in report.split("\n") if line.startswith(("-", "+"))]
    assert signed == ["-THREE", "+line 3", "-TEN", "+line 10"]  # 17 is the user's own
    assert "1 hunk refused and 1 hunk changed by the user" in report
    assert "Where the text there has changed since, no lines are shown." in report
    assert "1 hunk undone" in report
