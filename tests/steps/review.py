"""Steps in the review of changes that have happened."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.fakes.script import on_prompt, script, write_file
from tests.functional.editor import Editor
from tests.steps.files import NOTES, join_lines, open_notes, read_and_edit, write

Open = Callable[..., Editor]
PENDING = """local n = 0
for _, file in ipairs(require('acp_nvim').changes({ all = true })) do
  for _, hunk in ipairs(file.hunks) do n = n + (hunk.state == 'pending' and 1 or 0) end
end
return n"""
TEN = [f"line {n}" for n in range(1, 11)]
CHANGED = [*TEN[:1], "LINE 2", *TEN[2:6], "new", *TEN[6:9]]  # one changed, one added, the last deleted


def start_review(
    open_editor: Open,
    tmp_path: Path,
    *steps: Any,
    before: str = join_lines(TEN),
    pending: int = 3,
    **options: Any,
) -> Editor:
    """Let the agent take these steps; notes.txt is in the window, with so many pending hunks."""
    agent = script(tmp_path, on_prompt("", *steps))
    editor = open_notes(open_editor, agent, before, **options)
    editor.acp("prompt", "edit")
    editor.wait_event("AcpTurnEnded")
    editor.expect_lua(PENDING, pending)
    return editor


def list_hunks(editor: Editor, index: int = 0) -> list[dict[str, Any]]:
    """Return the hunks of a file, pending and decided."""
    return list(editor.acp("changes", {"all": True})[index]["hunks"])


WAYS = {
    "through us": [write(NOTES, join_lines(CHANGED))],
    "on disk": read_and_edit(NOTES, write_file(NOTES, join_lines(CHANGED))),
}
