"""What a session has taken, as the user sees it: the bar, `:Acp usage`, and its key in the chat."""

from collections.abc import Callable
from pathlib import Path

from tests.fakes.script import on_prompt, result, say, script, update
from tests.functional.editor import Editor

Open = Callable[..., Editor]
USAGE = {"inputTokens": 1200345, "outputTokens": 950, "cachedReadTokens": 40, "totalTokens": 1201335}
CONTEXT = {
    "sessionUpdate": "usage_update",
    "used": 45000,
    "size": 200000,
    "cost": {"amount": 1.5, "currency": "USD"},
}


def test_a_currency_is_shown_without_what_it_hides(open_editor: Open, tmp_path: Path) -> None:
    told = update({**CONTEXT, "cost": {"amount": 1.5, "currency": "\x1b\u202e" + "€" * 1000}})
    agent = script(tmp_path, on_prompt("", told, say("Hi")))
    spec = {"command": agent.argv[0], "args": agent.argv[1:]}
    editor = open_editor(setup={"agents": {"agent": spec}, "default_agent": "agent"}, size=(160, 40))
    editor.type(":Acp<CR>")
    editor.wait_event("AcpSessionStarted")
    editor.acp("prompt", "hello")
    editor.wait_event("AcpTurnEnded")
    editor.expect_lua("return require('acp_nvim').status().usage.cost.currency", "^[<202E…")
    editor.type(":Acp usage<CR>")
    editor.screen.expect("cost              1.50 ^[<202E…")


def test_tokens_context_and_cost_are_shown(open_editor: Open, tmp_path: Path) -> None:
    answer = result({"stopReason": "end_turn", "usage": USAGE})
    agent = script(tmp_path, on_prompt("", say("Hi"), update(CONTEXT), answer))
    spec = {"command": agent.argv[0], "args": agent.argv[1:]}
    editor = open_editor(setup={"agents": {"agent": spec}, "default_agent": "agent"}, size=(160, 40))
    editor.type(":Acp<CR>")
    editor.wait_event("AcpSessionStarted")
    editor.type(":Acp usage<CR>")
    editor.screen.expect("Scripted has not reported tokens, context or cost yet")
    for _ in range(2):
        editor.acp("prompt", "hello")
        assert editor.wait_event("AcpTurnEnded")["tokens"]["total"] == 1201335
    editor.screen.expect("2.4M tokens")
    editor.type(":Acp usage<CR>")
    for line in (
        "tokens                 this turn    this session",
        "input                  1,200,345       2,400,690",
        "output                       950           1,900",
        "read from cache               40              80",
        "total                  1,201,335       2,402,670",
        "context window    45,000 of 200,000 (23%)",
        "cost              1.50 USD",
    ):
        editor.screen.expect(line)
    editor.type("q")
    editor.screen.expect_gone("context window")
    editor.type("<C-w>kgu")
    editor.screen.expect("context window")
