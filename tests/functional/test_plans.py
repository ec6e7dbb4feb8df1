"""Plans as the user sees them: several at once, each with its steps, and one that is given up."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.fakes.script import Step, on_prompt, script, update, wait_file
from tests.functional.editor import Editor
from tests.steps.conversation import go_to_line, open_chat, send

Open = Callable[..., Editor]


def plan(id: str, *steps: tuple[str, str]) -> Step:
    entries = [{"content": content, "status": status, "priority": "medium"} for content, status in steps]
    told = {"type": "items", "planId": id, "entries": entries}
    return update({"sessionUpdate": "plan_update", "plan": told})


@pytest.mark.statement(128)
def test_two_plans_stand_beside_each_other(open_editor: Open, tmp_path: Path) -> None:
    go = tmp_path / "go"
    agent = script(
        tmp_path,
        on_prompt(
            "",
            plan("a", ("read the prices", "completed"), ("round them", "in_progress")),
            plan("b", ("write a test", "pending")),
            wait_file(str(go)),
            plan("a", ("read the prices", "completed"), ("round them", "completed")),
            update({"sessionUpdate": "plan_removed", "planId": "b"}),
        ),
    )
    editor = open_chat(open_editor, agent, size=(120, 30))
    send(editor, "go")
    for shown in ("◻ plan 1/2", "▸ round them", "◻ plan 0/1", "◻ write a test"):
        editor.screen.expect(shown)
    editor.expect_lua("return #require('acp_nvim').status().plans", 2)
    go.touch()
    editor.screen.expect("plan 2/2")
    editor.screen.expect("plan 0/1  dropped")
    editor.expect_lua(
        "return vim.tbl_map(function(plan) return plan.id end, require('acp_nvim').status().plans)", ["a"]
    )
    go_to_line(editor, "plan 2/2")
    editor.type("za")
    editor.screen.expect_gone("read the prices")
    editor.wait_event("AcpTurnEnded")


def test_a_long_step_goes_on_below_its_words(open_editor: Open, tmp_path: Path) -> None:
    go = tmp_path / "go"
    long = "run `make test` in **all** folders that have a Makefile, and in those that have none"
    steps = plan("a", ("read the prices", "completed"), (long, "in_progress"), ("end", "pending"))
    editor = open_chat(
        open_editor,
        script(tmp_path, on_prompt("", steps, wait_file(str(go)))),
        setup={"chat": {"position": "tab"}},
        size=(40, 30),
    )
    send(editor, "go")
    editor.screen.expect(
        """\
   ✓ read the prices
   ▸ run make test in all folders
     that have a Makefile, and in those
     that have none
   ◻ end"""
    )
    assert editor.screen.attrs("make test") != editor.screen.attrs("that have none")
    # the line of the plan names the step only where the steps do not stand below, and goes on likewise
    editor.screen.expect(" ◻ plan 1/3\n   ✓ read the prices")
    go_to_line(editor, "plan 1/3")
    editor.type("za<C-w>j")
    editor.screen.expect(
        """\
 ◻ plan 1/3  run make test in all
             folders that have a
             Makefile, and in those"""
    )
    go_to_line(editor, "plan 1/3")
    editor.type("za")
    editor.screen.expect("▸ run make test")
    go_to_line(editor, f"    {long}")
    editor.type("yy")
    assert editor.lua("return vim.fn.getreg('\"')") == f"    {long}\n"
    go.touch()


@pytest.mark.parametrize(
    ("columns", "shown"),
    [
        (100, r" \S \d+s  round 9% of them all 1/3   <C-c> cancel  g[?] keys *$"),
        (44, r" \S \d+s  round 9% of them… 1/3   <C-c> cancel *$"),
        (36, r" \S \d+s  round 9%… 1/3   <C-c> cancel *$"),
    ],
)
def test_the_prompts_bar_says_the_step_under_way(
    open_editor: Open, tmp_path: Path, columns: int, shown: str
) -> None:
    go = tmp_path / "go"
    steps = plan("a", ("read", "completed"), ("round `9%` of them all", "in_progress"), ("end", "pending"))
    agent = script(tmp_path, on_prompt("", steps, wait_file(str(go))))
    editor = open_chat(open_editor, agent, setup={"chat": {"position": "tab"}}, size=(columns, 30))
    send(editor, "go")
    editor.screen.expect("◻ end")
    editor.screen.expect(
        lambda screen: any(re.match(shown, line) for line in screen.lines()), what="the step in the bar"
    )
    times = re.findall(r"\b\d+s\b", editor.screen.text())
    assert len(times) == 2, editor.screen.text()  # in the heading and in the bar
    assert "running" in editor.screen.lines()[1]
    go.touch()
    editor.wait_event("AcpTurnEnded")
    editor.screen.expect("<CR> send")
