"""What was allowed or rejected for good is listed, and taken back."""

from collections.abc import Callable
from pathlib import Path

from tests.fakes.script import on_prompt, permission, request, say, script
from tests.functional.editor import Editor
from tests.steps.controls import MODES, on_new_session
from tests.steps.conversation import expect_key, open_chat, send

Open = Callable[..., Editor]
WIDE = (160, 40)
LINES = "return vim.api.nvim_buf_get_lines(0, 0, -1, false)"


def test_what_holds_for_good_is_listed_and_taken_back(open_editor: Open, tmp_path: Path) -> None:
    make = permission("make all", kind="execute", rawInput={"command": "make all"})
    outside = request("fs/read_text_file", {"sessionId": "{session}", "path": str(tmp_path / "notes.txt")})
    (tmp_path / "notes.txt").write_text("notes\n")
    agent = script(
        tmp_path,
        on_prompt("make", make, say("made {answer}")),
        on_prompt("read", outside, say("read")),
        on_prompt("always", permission("Edit things", id="e"), say("done")),
    )
    editor = open_chat(open_editor, agent, size=WIDE)

    def asks(text: str, keys: str) -> None:
        send(editor, text)
        editor.wait_event("AcpQuestion")
        expect_key(editor, "g1")
        editor.type(keys)
        if keys.endswith("2"):  # an "always" takes it twice
            editor.screen.expect(f"{keys} again: always")
            editor.type(keys)
        editor.wait_event("AcpTurnEnded")

    editor.type(":Acp forget<CR>")
    editor.screen.expect("nothing is remembered: you are asked each time")
    editor.type("q")
    asks("make", ":Acp allow!<CR>")
    send(editor, "make")  # the rule answers
    editor.wait_event("AcpAnswered", by="rule")
    editor.wait_event("AcpTurnEnded")
    asks("read", "2")
    asks("always", "g2")
    assert [each["by"] for each in editor.acp("status")["remembered"]] == ["session", "session", "agent"]

    editor.type(":Acp forget<CR>")
    editor.screen.expect("only Scripted can forget it")
    editor.screen.expect(
        lambda screen: "make all" in screen.text() and f"read below {tmp_path}" in screen.text()
    )
    editor.type("Gx")
    editor.screen.expect("only Scripted can forget it: in its settings; :Acp new starts without it")
    editor.type("ggx")
    editor.screen.expect("taken back, you will be asked again")
    editor.expect_lua(LINES, lambda lines: len(lines) == 2)
    editor.type("q")
    asks("make", "g3")  # no rule answers any more
    editor.type(":Acp forget <C-a><Home>")
    editor.screen.expect(":Acp forget 2 3 all")
    editor.type("<Esc>:Acp forget all<CR>")
    editor.expect_lua("return #require('acp_nvim').status().remembered", 1)
    asks("read", "g3")  # the folder is closed again
    editor.type(":Acp forget 2<CR>")
    editor.screen.expect("nothing is remembered as '2'")


def test_an_agents_own_memory_may_go_with_its_mode(open_editor: Open, tmp_path: Path) -> None:
    agent = script(
        tmp_path, on_new_session(modes=MODES), on_prompt("", permission("Edit things", id="e"), say("done"))
    )
    editor = open_chat(open_editor, agent, size=(100, 30))
    send(editor, "go")
    editor.wait_event("AcpQuestion")
    expect_key(editor, "g1")
    editor.type("g2g2")
    editor.wait_event("AcpTurnEnded")
    editor.type(":Acp forget<CR>")
    editor.screen.expect("Another :Acp mode may make Scripted forget")
    editor.type("x")
    editor.screen.expect("only Scripted can forget it: :Acp mode may take it back")
