"""Steps with sessions that go on in another Neovim."""

from collections.abc import Callable
from typing import Any

from tests.fakes.script import ScriptedAgent, wait_until
from tests.functional.editor import Editor

Open = Callable[..., Editor]


def open_with_agent(open_editor: Open, agent: ScriptedAgent, **options: Any) -> Editor:
    """Open Neovim with one configured agent."""
    spec = {"command": agent.argv[0], "args": agent.argv[1:]}
    return open_editor(setup={"agents": {"my agent": spec}}, **options)


def converse_and_quit(open_editor: Open, agent: ScriptedAgent, *prompts: str) -> dict[str, Any]:
    """Talk in a Neovim and quit it; return options for another one in the same folder."""
    editor = open_with_agent(open_editor, agent)
    for prompt in prompts:
        editor.type(f":Acp prompt {prompt}<CR>")
        editor.wait_event("AcpTurnEnded")
    folder = editor.home / "state/nvim/acp_nvim/transcripts"
    wait_until(lambda: any("stopReason" in file.read_text() for file in folder.glob("*.jsonl")))
    assert editor.quit() == 0
    enter = f"vim.cmd.cd({str(editor.project)!r})"
    return {"env": {"XDG_STATE_HOME": str(editor.home / "state")}, "init": enter, "size": (140, 40)}
