"""Steps with proposals: the agent asks with a diff, the user decides it hunk by hunk."""

from collections.abc import Callable
from typing import Any

from tests.fakes.script import ScriptedAgent, permission, tool, wait_until
from tests.functional.editor import Editor
from tests.steps.conversation import expect_answerable
from tests.steps.files import NOTES, get_answers, open_notes, write

Open = Callable[..., Editor]
OLD = "".join(f"line {n}\n" for n in range(1, 21))
NEW = OLD.replace("line 3\n", "THREE\n").replace("line 10\n", "TEN\n").replace("line 17\n", "SEVENTEEN\n")
DIFFS = """
  return #vim.tbl_filter(function(win) return vim.wo[win].diff end, vim.api.nvim_tabpage_list_wins(0))
"""
MIXED = OLD.replace("line 10\n", "TEN\n").replace("line 17\n", "17\n")
ASIDE = """
  for _, buf in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_get_name(buf):find('/yours/', 1, true) then
      return vim.api.nvim_buf_get_lines(buf, 0, -1, false)
    end
  end
"""
LAYOUT = """
  return { vim.fn.winrestcmd(), #vim.api.nvim_list_wins(), vim.fn.bufname(), vim.fn.winsaveview() }
"""


def make_diff(path: str = NOTES, old: str | None = OLD, new: str = NEW) -> dict[str, Any]:
    """Return a diff as an agent sends it."""
    return {"type": "diff", "path": path, "oldText": old, "newText": new}


def ask_edit(*content: dict[str, Any], **fields: Any) -> list[Any]:
    """The agent asks for permission with these diffs, or with that of OLD and NEW."""
    return permission("edit notes.txt", kind="edit", content=list(content or (make_diff(),)), **fields)


def write_through(*steps: Any) -> tuple[Any, ...]:
    """The agent asks, takes the steps, writes NEW through the editor and completes its call."""
    return (ask_edit(), *steps, write(NOTES, NEW), tool("call", known=True, status="completed"))


def open_old(open_editor: Open, agent: ScriptedAgent, text: str = OLD, **options: Any) -> Editor:
    """Open notes.txt with OLD and begin a session beside it."""
    options.setdefault("size", (120, 40))
    return open_notes(open_editor, agent, text, **options)


def open_diff(editor: Editor) -> None:
    """Send a prompt; the proposal opens by itself, and the user goes to its right side."""
    editor.acp("prompt", "edit it")
    editor.expect_lua(DIFFS, 2)
    editor.type("<C-w>t<C-w>l")
    editor.expect_lua("return vim.bo.buftype", "acwrite")
    expect_answerable(editor)


def expect_closed(editor: Editor) -> None:
    """Wait until no diff is open."""
    editor.expect_lua(DIFFS, 0)


def get_prompts(agent: ScriptedAgent) -> list[list[str]]:
    """Return the texts of each prompt that the agent got."""
    return [
        [block.get("text", "") for block in message["params"]["prompt"]]
        for message in agent.got("session/prompt")
    ]


def get_outcomes(agent: ScriptedAgent) -> list[str]:
    """Return the options that the agent got as answers, or "cancelled"."""
    return [
        answer["outcome"].get("optionId", "cancelled")
        for answer in get_answers(agent)
        if answer.get("outcome")
    ]


def decide_mixed(editor: Editor) -> None:
    """Refuse the first hunk, take the second, edit the third, and write."""
    editor.type("gg]cdo")
    expect_answerable(editor)
    editor.type("/SEVENTEEN<CR>cc17<Esc>:w<CR>")


def get_report(editor: Editor, agent: ScriptedAgent) -> str:
    """Send the next prompt; return what the agent is told before it."""
    editor.acp("prompt", "and now?")
    wait_until(lambda: len(get_prompts(agent)) == 2)
    report, text = get_prompts(agent)[1]
    assert text == "and now?"
    return report
