"""An agent runs commands in a folder, and what they have done is undone."""

from collections.abc import Callable
from pathlib import Path

from tests.fakes.script import Step, on_prompt, script
from tests.functional.editor import Editor
from tests.steps.files import open_notes
from tests.steps.review import PENDING
from tests.steps.trees import Tree, commit, tree

Open = Callable[..., Editor]


def begin(open_editor: Open, tmp_path: Path, *steps: Step, **files: str) -> Editor:
    """An agent takes these steps in a repository of these files. Their names have `__` for a dot."""
    agent = script(tmp_path, on_prompt("", *steps))
    editor = open_notes(open_editor, agent, "notes\n", size=(140, 30))
    for name, text in files.items():
        (editor.project / name.replace("__", ".")).write_text(text)
    commit(editor.project)
    return editor


def take_turn(editor: Editor) -> Tree:
    """Return the tree as it was before the turn."""
    before = tree(editor.project)
    editor.acp("prompt", "go")
    editor.wait_event("AcpTurnEnded")
    return before


def undo_turn(editor: Editor, before: Tree) -> None:
    editor.type(":Acp undo turn<CR>")
    editor.screen.expect("undone: ")
    editor.expect_lua(PENDING, 0)
    assert tree(editor.project) == before
