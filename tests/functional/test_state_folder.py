"""A state folder that takes nothing: what was to outlive Neovim is lost, and nothing else."""

from collections.abc import Callable
from pathlib import Path

from tests.fakes.script import on_prompt, permission, say, script
from tests.functional.editor import Editor
from tests.steps.files import open_notes

Open = Callable[..., Editor]
TEXT = "return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\\n')"
WARNINGS = """return vim.tbl_filter(function(line)
  return line:find('not kept', 1, true) or line:find('not logged', 1, true) or line:find('E739', 1, true)
end, vim.split(vim.fn.execute('messages'), '\\n'))"""


def test_a_prompt_goes_out_once_and_one_warning_tells_what_is_lost(open_editor: Open, tmp_path: Path) -> None:
    """History, transcript, the log of decisions, the review: none of them can be written."""
    agent = script(tmp_path, on_prompt("", permission("Run it?", [("no", "No", "reject_once")]), say("done")))
    editor = open_notes(open_editor, agent, setup={"permissions": [{"action": "reject"}]})
    folder = Path(editor.lua("return vim.fn.stdpath('state')"))
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "acp_nvim").write_text("a file, where a folder should be")
    assert editor.acp("prompt", "by a script") is True
    editor.wait_event("AcpTurnEnded")
    editor.type(":Acp<CR>iby hand<C-s>")
    editor.wait_event("AcpTurnEnded")
    editor.expect_lua(TEXT, "")
    sent = [message["params"]["prompt"][-1]["text"] for message in agent.got("session/prompt")]
    assert sent == ["by a script", "by hand"]
    warnings = editor.expect_lua(WARNINGS, lambda lines: len(lines) > 1)
    assert all("acp_nvim" in warning for warning in warnings)
    assert ["review: " in warning for warning in warnings].count(True) == 1  # of what waits for the user
    editor.type("<Esc>:Acp log<CR>")
    editor.expect_lua(
        TEXT, lambda text: all(what in text for what in ("transcript cannot be saved", "decisions are"))
    )
    assert len(editor.lua(WARNINGS)) == 2


def test_the_warning_names_the_folder_on_a_narrow_screen(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path, on_prompt("", say("done")))
    editor = open_notes(open_editor, agent, size=(80, 24))
    folder = Path(editor.lua("return vim.fn.stdpath('state')"))
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "acp_nvim").write_text("a file, where a folder should be")
    editor.type(":Acp<CR>iby hand<C-s>")
    (warning,) = editor.expect_lua(WARNINGS, lambda lines: len(lines) > 0)
    assert warning.endswith("/acp_nvim")


RACED = """local mkdir = vim.fn.mkdir
vim.fn.mkdir = function(folder, ...) -- another program makes the parent that is missing first, just before this one
  local missing
  for parent in vim.fs.parents(folder) do
    missing = vim.fn.isdirectory(parent) == 0 and parent or missing
  end
  if missing then
    mkdir(missing)
    error("Vim:E739: Cannot create directory " .. missing .. ": file already exists")
  end
  return mkdir(folder, ...)
end"""


def test_the_first_prompt_on_a_fresh_machine_is_in_the_history(open_editor: Open, tmp_path: Path) -> None:
    """The backend makes the same folders at the same moment: one of three may be there each time."""
    state = {"XDG_STATE_HOME": str(tmp_path / "fresh" / "state")}
    agent = script(tmp_path, on_prompt("", say("done")))
    editor = open_notes(open_editor, agent, env=state, setup={"transcripts": {"keep": 0}})
    editor.lua("vim.fn.delete(..., 'rf')", str(tmp_path / "fresh"))
    editor.lua(RACED)
    editor.type(":Acp<CR>iby hand<C-s>")
    editor.wait_event("AcpTurnEnded")
    (file,) = (tmp_path / "fresh").glob("state/*/acp_nvim/history/*")
    assert file.read_text() == '"by hand"\n'
    assert "E739" not in editor.lua("return vim.fn.execute('messages')")
