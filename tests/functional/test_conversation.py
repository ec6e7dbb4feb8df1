"""A first conversation: a real Neovim, a real agent, keys typed and the screen read."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.fakes.script import ScriptedAgent, on_prompt, permission, say, script, think, tool, update, wait
from tests.functional.editor import Editor

Open = Callable[..., Editor]


def talking(open_editor: Open, agent: ScriptedAgent, **options: Any) -> Editor:
    """The chat with that agent, opened by `:Acp` and ready to type in."""
    spec = {"command": agent.argv[0], "args": agent.argv[1:]}
    setup = {"agents": {"mine": spec}, **options.pop("setup", {})}
    editor = open_editor(setup=setup, **options)
    editor.type(":Acp<CR>")
    editor.wait_event("AcpSessionStarted")
    return editor


@pytest.mark.backends
def test_the_demo_agent_answers_where_nothing_is_configured(editor: Editor) -> None:
    editor.type(":Acp<CR>")
    editor.wait_event("AcpSessionStarted")
    editor.type("i/plan<Esc><CR>")
    editor.screen.expect("## You")
    editor.wait_event("AcpTurnEnded", stop_reason="end_turn", timeout=30)
    editor.screen.expect("plan")
