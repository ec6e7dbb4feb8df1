"""What users and other plugins do to an editor while an agent talks: the answer is whole, the question answered."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from tests.fakes.script import mark, on_prompt, permission, repeat, say, script, tool, wait_file, wait_until
from tests.functional.connection import Connection
from tests.functional.editor import Editor
from tests.steps.conversation import open_chat

Open = Callable[..., Editor]
MAPS = """
  vim.keymap.set("n", "<F2>", function() return vim.fn.getcharstr() == "x" and "" or "" end, { expr = true })
  vim.keymap.set("n", "<F3>", "<Cmd>echo 'one' | echo 'two' | echo 'three'<CR>")
"""
# How it begins, and how it ends.
FAULTS: dict[str, tuple[str, str]] = {
    "a hit-enter prompt": (":echo join(range(300), '\\n')<CR>", "G<CR><CR>"),
    "a textlock": ("<F2>", "x"),
    "a command line": (":echo 'half", "'<CR>"),
    "a command-line window": ("q:", ":q<CR>"),
    "an operator": ("d", "<Esc>"),
    "a closed chat": (":Acp close<CR>", ":Acp open<CR>"),
    "only": (":only<CR>", ":Acp open<CR>"),
    "another tab": (":tabnew<CR>", ":tabclose<CR>"),
    "bufdo": (":bufdo silent! normal! ggdG<CR>", ":Acp open<CR>"),
    "windo": (":windo silent! normal! ggdG<CR>", ":Acp open<CR>"),
    "every window elsewhere": (":silent! windo enew!<CR>", ":Acp open<CR>"),
    "a wiped prompt": (":silent! execute 'bwipeout!' bufnr('/prompt$')<CR>", ":Acp open<CR>"),
    "a wiped chat": (":silent! execute 'bwipeout!' bufnr('/chat$')<CR>", ":Acp open<CR>"),
    "all wiped": (":silent! %bwipeout!<CR>", ":Acp open<CR>"),
    "a session restored": (":mksession! s.vim | source s.vim<CR>", ":Acp open<CR>"),
    "an autocommand that fails": (
        ":autocmd User * throw 'theirs'<CR>:autocmd BufWinEnter,WinClosed,TextChanged * throw 'theirs'<CR>",
        "<CR>:autocmd! User<CR>:autocmd! BufWinEnter<CR>:autocmd! WinClosed<CR>:autocmd! TextChanged<CR><CR>",
    ),
    "a macro": ("qqjk", "q"),
    "a selection": ("ggVG", "<Esc>"),
    "a chat read anew": (":Acp open<CR>:silent! wincmd k | silent! edit!<CR>", ":Acp open<CR>"),
    "a chat deleted": (":silent! execute 'bdelete!' bufnr('/chat$')<CR>", ":Acp open<CR>"),
    "a message that cannot be shown": (
        ":lua before = vim.notify vim.notify = function() error('theirs') end<CR>",
        ":lua vim.notify = before<CR>",
    ),
    "no room": (
        ":set lines=4 columns=14 | vsplit | split<CR>",
        ":only | set lines=30 columns=100<CR>:Acp open<CR>",
    ),
    "no modifiable buffers": (":setglobal nomodifiable<CR>", ":setglobal modifiable<CR>"),
    "another language": (
        ":set fileformat=dos paste lazyredraw<CR>",
        ":set fileformat=unix nopaste nolazyredraw<CR>",
    ),
}
ENDED = """
  local status = require('acp_nvim').status({ session = 1 })
  return status.state == 'idle' and status.stop_reason == 'end_turn' and status.turn
"""
CHAT = """
  local buf = vim.fn.bufnr('^acp://1/chat$')
  return buf > 0 and table.concat(vim.api.nvim_buf_get_lines(buf, 0, -1, false), " ") or ""
"""


def holds_once(words: list[str], text: str) -> bool:
    return all(text.count(word) == 1 for word in words)


def test_whatever_happens_to_the_editor_the_conversation_is_whole(open_editor: Open, tmp_path: Path) -> None:
    def turn(number: int) -> list[list[object]]:
        return [
            say(f"begun{number} "),
            wait_file(str(tmp_path / f"go{number}")),
            repeat(20, say(f"w{number}x{{n}} "), tool(f"c{number}", title="work", status="in_progress")),
            mark(f"sent{number}"),
            permission(f"May I {number}?", id=f"q{number}"),
            say(f"end{number}."),
        ]

    agent = script(tmp_path, *(on_prompt(f"go {n}.", *turn(n)) for n in range(len(FAULTS))))
    editor = open_chat(open_editor, agent, init=MAPS)
    other = Connection(editor.address)
    other.notify("nvim_ui_attach", 60, 20, {"rgb": True, "ext_linegrid": True})  # a second user looks on
    for number, (name, (begin, end)) in enumerate(FAULTS.items()):
        editor.type("<Esc>")
        editor.acp("prompt", f"go {number}.", {"session": 1})
        wait_until(lambda number=number: len(agent.got("session/prompt")) > number)
        editor.type(begin)
        (tmp_path / f"go{number}").touch()
        # it lasts until all that streams is on its way
        wait_until(lambda number=number: f"sent{number}" in agent.logged("mark"))
        editor.type(end)
        if editor.mode()["blocking"]:
            editor.type("<C-c><CR>")
        asked = editor.expect_lua("return require('acp_nvim').questions()[1] or false", bool)
        assert editor.acp("answer", asked["id"], "yes"), name
        editor.expect_lua(ENDED, number + 1)
        words = [f"begun{number}", *(f"w{number}x{n} " for n in range(20)), f"end{number}."]
        editor.type("<Esc>")
        editor.acp("open", {"session": 1})
        editor.expect_lua(CHAT, partial(holds_once, words))
        assert editor.lua("return require('acp_nvim').status({ session = 1 }).state") == "idle", name
        log = "\n".join(editor.lua("return require('acp_nvim.ui.log').lines()"))
        assert "raceback" not in log, f"{name}\n{log}"
    other.close()
