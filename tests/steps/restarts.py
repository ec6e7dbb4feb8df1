"""Neovims one after the other in one project, with what the earlier ones have left in its state folder."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.fakes.script import on_prompt, script, wait_until
from tests.functional.editor import Editor
from tests.steps.files import NOTES, join_lines, write
from tests.steps.review import PENDING, TEN

Open = Callable[..., Editor]
CHANGED = [*TEN[:4], "agent", *TEN[5:], "eleven"]


def records(tmp_path: Path, name: str = "review-*") -> list[Path]:
    return sorted((tmp_path / "state/nvim/acp_nvim/projects").glob(f"*/{name}.json"))


def wait_written(tmp_path: Path) -> Path:
    """What waits is written down, and the turn is over."""

    def written() -> list[Path]:
        return [path for path in records(tmp_path) if json.loads(path.read_text())["turns"]]

    wait_until(lambda: written() and not records(tmp_path, "running"))
    return written()[0]


def begin(open_editor: Open, tmp_path: Path, work: Path, *steps: Any, **options: Any) -> Editor:
    """A Neovim in the project, with the state that earlier ones have left, and an agent."""
    setup, init = options.pop("setup", {}), options.pop("init", "")
    options["env"] = {"XDG_STATE_HOME": str(tmp_path / "state"), "NVIM_APPNAME": "nvim"}
    options["init"] = f"vim.cmd.cd([[{work}]])\n{init}"
    agent = script(tmp_path, *steps, name=options.pop("name", "agent"))
    spec = {"command": agent.argv[0], "args": agent.argv[1:]}
    file = options.pop("file", "notes.txt")
    editor = open_editor(setup={"agents": {"my agent": spec}, **setup}, **options)
    editor.type(f":edit {file}<CR>")
    return editor


def take_turn(editor: Editor) -> None:
    editor.acp("new_session")
    editor.wait_event("AcpSessionStarted")
    editor.acp("prompt", "go")
    editor.wait_event("AcpTurnEnded")


def changes(editor: Editor) -> list[dict[str, Any]]:
    return list(editor.acp("changes", {"all": True}))


def described(editor: Editor) -> list[tuple[list[str], list[str], str]]:
    return [(hunk["old"], hunk["new"], hunk["state"]) for each in changes(editor) for hunk in each["hunks"]]


def left(
    open_editor: Open, tmp_path: Path, work: Path, *steps: Any, pending: int = 2, noted: bool = False
) -> None:
    """A Neovim has ended with pending hunks; noted: and knows what HEAD was."""
    before = begin(
        open_editor, tmp_path, work, on_prompt("", *(steps or [write(NOTES, join_lines(CHANGED))]))
    )
    take_turn(before)
    before.expect_lua(PENDING, pending)
    wait_until(lambda: not noted or records(tmp_path, "head"))
    assert before.quit() == 0
