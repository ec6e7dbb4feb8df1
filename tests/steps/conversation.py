"""Steps in the chat: open it, send a prompt, read it, go to a line of it."""

from collections.abc import Callable
from typing import Any

from tests.fakes.script import ScriptedAgent
from tests.functional.editor import Editor

Open = Callable[..., Editor]


def open_chat(open_editor: Open, *agents: ScriptedAgent, **options: Any) -> Editor:
    """Open the chat with the first agent by keys; its prompt is ready to type in."""
    specs = {
        f"agent{n}": {"command": agent.argv[0], "args": agent.argv[1:]} for n, agent in enumerate(agents)
    }
    setup = {"agents": specs, "default_agent": "agent0", **options.pop("setup", {})}
    editor = open_editor(setup=setup, **options)
    editor.type(":Acp<CR>")
    editor.wait_event("AcpSessionStarted")
    return editor


def send(editor: Editor, text: str) -> None:
    """Type a text into the prompt and send it, wherever the cursor is."""
    editor.type(f"<Esc>:Acp<CR>i{text}<Esc><CR>")


def read_chat(editor: Editor, session: int = 1) -> list[str]:
    """Return the lines of the chat."""
    code = "return vim.api.nvim_buf_get_lines(vim.fn.bufnr('^acp://' .. ... .. '/chat$'), 0, -1, false)"
    return list(editor.lua(code, session))


def go_to_line(editor: Editor, line: str) -> None:
    """Put the cursor on that line of the chat."""
    editor.lua(
        """local buf = vim.fn.bufnr('^acp://1/chat$')
        vim.api.nvim_set_current_win(vim.fn.bufwinid(buf))
        vim.fn.cursor(1, 1)
        assert(vim.fn.search([[\\V]] .. (...), 'cW') > 0, 'not in the chat')""",
        line,
    )


def is_lit(screen: Any, key: str = "") -> bool:
    """Whether the bar of a question shows the key, or any key, in bold."""
    rows = [(row, line) for row, line in enumerate(screen.lines()) if " ? " in line and key in line]
    return any(
        screen.attrs_at(row, column).get("bold")
        for row, line in rows
        for column in range(line.index(" ? "), len(line))
        if line.startswith(key or tuple("<g:"), column)
    )


def expect_key(editor: Editor, key: str) -> None:
    """Wait until the key of a question's bar is lit: only then does it count."""
    editor.screen.expect(lambda screen: is_lit(screen, key), what=f"{key} lights up")


def expect_answerable(editor: Editor) -> None:
    """Look at the question until it may be answered: the bar lights its keys, a diff alone takes its time."""
    if any(" ? " in line for line in editor.screen.lines()):
        return editor.screen.expect(is_lit, what="the bar's keys light up")
    look(editor)


def look(editor: Editor) -> None:
    """Look at the screen as long as a question has to be seen. A bold winbar tells nothing of the keys in it."""
    editor.lua("vim.g.has_looked = false vim.defer_fn(function() vim.g.has_looked = true end, 750)")
    editor.expect_lua("return vim.g.has_looked")
