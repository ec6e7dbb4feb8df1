"""A plan that an agent asks a yes for: read, edited and refused in a Markdown buffer, like a proposal."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.script import (
    ScriptedAgent,
    Step,
    ask,
    on_prompt,
    permission,
    result,
    say,
    script,
    tool,
    wait_file,
    wait_until,
)
from tests.functional.editor import Editor
from tests.steps.conversation import expect_answerable, open_chat
from tests.steps.proposals import ASIDE, NEW, OLD, get_outcomes, get_prompts, open_diff, write_through

Open = Callable[..., Editor]
PLAN = "# Round the prices\n\n1. Read `price.py`\n2. Write the code\n3. Ship it\n"
OPTIONS = (
    ("acceptEdits", "Yes, and auto-accept edits", "allow_always"),
    ("default", "Yes, and manually approve edits", "allow_once"),
    ("plan", "No, keep planning", "reject_once"),
)
BUFFER = (
    "for _, b in ipairs(vim.api.nvim_list_bufs()) do if vim.b[b].acp_question then return b end end return 0"
)
SHOWN = f"local b = (function() {BUFFER} end)() return b > 0 and #vim.fn.win_findbuf(b) or 0"


def ask_plan(plan: str = PLAN, options: Any = OPTIONS, **fields: Any) -> Step:
    """Ask as claude does to leave its plan mode."""
    content = [{"type": "content", "content": {"type": "text", "text": plan}}]
    fields = {"rawInput": {"plan": plan}, "content": content, **fields}
    return permission("Ready to code?", options, kind="switch_mode", **fields)


def open_plan(open_editor: Open, agent: ScriptedAgent, **options: Any) -> Editor:
    """Send a prompt; the plan opens by itself, and the user goes there."""
    editor = open_chat(open_editor, agent, **{"size": (120, 40), **options})
    editor.type("<C-w>t")
    editor.acp("prompt", "plan it")
    editor.expect_lua(SHOWN, 1)
    editor.type("<C-w>t")
    editor.expect_lua("return vim.b.acp_question ~= nil")
    expect_answerable(editor)
    return editor


@pytest.mark.every_nvim
def test_a_plan_opens_as_markdown_and_is_accepted_as_it_is(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path, on_prompt("", ask_plan(), say("you said {answer}")))
    editor = open_chat(open_editor, agent, size=(120, 40))
    editor.type("<C-w>t")
    window = editor.lua("return vim.api.nvim_get_current_win()")
    editor.acp("prompt", "plan it")
    editor.expect_lua(SHOWN, 1)
    assert editor.lua("return vim.api.nvim_get_current_win()") == window
    editor.screen.expect("plan · :w accepts the plan · :Acp reject · :q later")
    editor.type("<C-w>t")
    assert editor.lua("return { vim.bo.filetype, vim.bo.buftype, vim.wo.diff }") == [
        "markdown",
        "acwrite",
        False,
    ]
    assert editor.lua("return vim.api.nvim_buf_get_lines(0, 0, -1, false)") == PLAN.splitlines()
    [asked] = editor.acp("questions")
    assert asked["has_diff"]
    assert asked["id"] == editor.lua("return vim.b.acp_question")
    expect_answerable(editor)
    editor.type(":w<CR>")
    editor.wait_event("AcpTurnEnded")
    assert get_outcomes(agent) == ["default"]
    editor.expect_lua(SHOWN, 0)
    editor.acp("prompt", "next")
    wait_until(lambda: len(get_prompts(agent)) == 2)
    assert get_prompts(agent)[1] == ["next"]


@pytest.mark.parametrize("stop", ["end_turn", "cancelled", "refusal"])
@pytest.mark.every_nvim
def test_an_edited_plan_is_a_no_and_the_next_message(open_editor: Open, tmp_path: Path, stop: str) -> None:
    agent = script(
        tmp_path, on_prompt("plan it", ask_plan(), result({"stopReason": stop})), on_prompt("", say("ok"))
    )
    editor = open_plan(open_editor, agent)
    editor.acp("prompt", "queued")
    editor.type("/Write<CR>cc2. Write the tests first<Esc>")
    editor.screen.expect("plan · :w refuses it and sends your version · :q later")
    assert get_prompts(agent) == [["plan it"]]
    editor.type(":w<CR>")
    wait_until(lambda: len(get_prompts(agent)) >= 2)
    assert get_outcomes(agent) == ["plan"]
    [told] = get_prompts(agent)[1]
    edited = PLAN.replace("Write the code", "Write the tests first").strip()
    assert told == (
        f"Not yet: I have edited your plan. Go on planning from this version:\n\n{edited}\n\n"
        "What I have changed:\n```diff\n@@ -2,4 +2,4 @@\n \n 1. Read `price.py`\n-2. Write the code\n"
        "+2. Write the tests first\n 3. Ship it\n```"
    )
    editor.expect_lua(SHOWN, 0)
    if stop == "end_turn":
        wait_until(lambda: len(get_prompts(agent)) == 3)
        assert get_prompts(agent)[2] == ["queued"]
    assert sum("Not yet" in text for prompt in get_prompts(agent) for text in prompt) == 1


def test_a_cancel_keeps_an_edited_plan_from_being_sent(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path, on_prompt("plan it", ask_plan()), on_prompt("", say("ok")))
    editor = open_plan(open_editor, agent)
    editor.type("Gdd")
    editor.acp("cancel")
    editor.wait_event("AcpTurnEnded")
    assert get_outcomes(agent) == ["cancelled"]
    assert get_prompts(agent) == [["plan it"]]
    assert PLAN.splitlines()[:-1] in (
        editor.lua("return vim.api.nvim_buf_get_lines(0, 0, -1, false)"),
        editor.lua(ASIDE),
    )


def test_without_a_refusal_an_edited_plan_stays_open(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path, on_prompt("", ask_plan(options=OPTIONS[:2]), say("you said {answer}")))
    editor = open_plan(open_editor, agent)
    editor.type("Gdd:w<CR>")
    editor.screen.expect("not sent, your plan stays open")
    assert editor.lua("return vim.bo.modified") is True
    editor.type("u")
    editor.screen.expect(":w accepts the plan")
    editor.type(":w<CR>")
    editor.wait_event("AcpTurnEnded")
    assert get_outcomes(agent) == ["default"]


def test_a_yes_from_the_chat_does_not_drop_edits(open_editor: Open, tmp_path: Path) -> None:
    agent = script(
        tmp_path, on_prompt("plan it", ask_plan(), say("you said {answer}")), on_prompt("", say("ok"))
    )
    editor = open_plan(open_editor, agent)
    editor.type("Gdd:q<CR>")
    editor.expect_lua(SHOWN, 0)
    asked = editor.acp("questions")[0]["id"]
    assert editor.acp("answer", asked, "default") is None
    assert editor.acp("answer", asked, "acceptEdits") is None
    editor.type(":Acp diff<CR>")
    editor.expect_lua(SHOWN, 1)
    assert editor.lua(f"local b = (function() {BUFFER} end)() return vim.api.nvim_buf_line_count(b)") == 4
    assert editor.acp("answer", asked, "plan") is True
    editor.wait_event("AcpTurnEnded")
    assert get_outcomes(agent) == ["plan"]
    assert get_prompts(agent) == [["plan it"]]
    assert editor.lua(ASIDE) == PLAN.splitlines()[:-1]


def test_a_key_before_the_plan_was_seen_answers_nothing(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path, on_prompt("", ask_plan(), say("you said {answer}")))
    editor = open_chat(open_editor, agent, size=(120, 40))
    editor.acp("prompt", "plan it")
    editor.expect_lua(SHOWN, 1)
    editor.type("<C-w>t:w<CR>")
    editor.screen.expect("not sent")
    assert get_outcomes(agent) == []
    assert len(editor.acp("questions")) == 1


def test_a_plan_that_the_agent_changes_keeps_what_the_user_has_edited(
    open_editor: Open, tmp_path: Path
) -> None:
    changed = PLAN.replace("# Round", "# Round all")
    again = tmp_path / "again"
    update = tool("call", known=True, rawInput={"plan": changed})
    asked = ask(*ask_plan()[1:])
    agent = script(
        tmp_path, on_prompt("", asked, wait_file(str(again)), update, wait_file(str(tmp_path / "end")))
    )
    editor = open_plan(open_editor, agent)
    editor.type("Gdd")
    again.touch()
    wanted = changed.splitlines()[:-1]
    editor.expect_lua("return vim.api.nvim_buf_get_lines(0, 0, -1, false)", wanted)


def test_comments_on_lines_refuse_an_unchanged_plan(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path, on_prompt("plan it", ask_plan()), on_prompt("", say("ok")))
    editor = open_plan(open_editor, agent)
    editor.type(":4Acp comment tests first<CR>")
    editor.screen.expect("tests first")
    editor.screen.expect("plan · :w refuses it and sends your comments · :Acp reject · :q later")
    [asked] = editor.acp("questions")
    assert editor.acp("answer", asked["id"], "default") is None
    editor.type(":w<CR>")
    wait_until(lambda: len(get_prompts(agent)) == 2)
    assert get_outcomes(agent) == ["plan"]
    [told] = get_prompts(agent)[1]
    assert told.startswith("Not yet: I have comments on your plan")
    assert told.endswith('My comments:\n- line 4, "2. Write the code": tests first')
    editor.expect_lua("return #require('acp_nvim').comments()", 0)


def test_a_comment_moves_with_its_line_of_an_edited_plan(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path, on_prompt("plan it", ask_plan()), on_prompt("", say("ok")))
    editor = open_plan(open_editor, agent)
    editor.type(":5Acp comment only after a review<CR>ggOGoal: no cent is lost<Esc>")
    editor.screen.expect("plan · :w refuses it and sends your version")
    expect_answerable(editor)
    editor.type(":w<CR>")
    wait_until(lambda: len(get_prompts(agent)) == 2)
    [told] = get_prompts(agent)[1]
    assert "\n+Goal: no cent is lost\n" in told
    assert told.endswith('My comments:\n- line 6, "3. Ship it": only after a review')


@pytest.mark.parametrize("is_closed", [False, True])
@pytest.mark.every_nvim
def test_edits_of_a_plan_survive_the_end_of_neovim(
    open_editor: Open, tmp_path: Path, is_closed: bool
) -> None:
    state = {"env": {"XDG_STATE_HOME": str(tmp_path / "state")}, "init": f"vim.cmd.cd([[{tmp_path}]])"}
    agent = script(tmp_path, on_prompt("", ask_plan()))
    editor = open_plan(open_editor, agent, **state)
    editor.type("Gdd")
    if is_closed:
        editor.type(":q<CR>")
        editor.expect_lua(BUFFER, 0)
        editor.type(":qa<CR>:qa<CR>")  # a turn runs, so Neovim asks once
    else:
        editor.type(":qa!<CR>")
    editor.wait_exit()
    files = list((tmp_path / "state").rglob("edits/*.json"))
    assert [file.stat().st_mode & 0o777 for file in files] == [0o600]
    agent = script(tmp_path, on_prompt("plan it", ask_plan()), on_prompt("", say("ok")), name="two")
    editor = open_plan(open_editor, agent, **state)
    editor.screen.expect("your edits from before Neovim ended are back (:edit! drops them)")
    assert editor.lua("return vim.api.nvim_buf_get_lines(0, 0, -1, false)") == PLAN.splitlines()[:-1]
    editor.screen.expect("plan · :w refuses it and sends your version")
    editor.type(":w<CR>")
    wait_until(lambda: len(get_prompts(agent)) == 2)
    assert get_outcomes(agent) == ["plan"]
    assert not list((tmp_path / "state").rglob("edits/*.json"))


def test_edits_of_a_proposal_survive_as_well(open_editor: Open, tmp_path: Path) -> None:
    state = {"env": {"XDG_STATE_HOME": str(tmp_path / "state")}, "init": f"vim.cmd.cd([[{tmp_path}]])"}
    (tmp_path / "notes.txt").write_text(OLD)
    for name in ("one", "two"):
        agent = script(tmp_path, on_prompt("", *write_through()), name=name)
        editor = open_chat(open_editor, agent, size=(120, 40), **state)
        editor.type("<C-w>t:edit notes.txt<CR>")
        open_diff(editor)
        if name == "one":
            editor.type("ggOmine<Esc>/SEVENTEEN<CR>do:qa!<CR>")
            editor.wait_exit()
    editor.screen.expect("mine")
    editor.type(":w<CR>")
    editor.wait_event("AcpTurnEnded")
    text = (tmp_path / "notes.txt").read_text()
    assert text == "mine\n" + NEW.replace("SEVENTEEN", "line 17")
    editor.type(":edit! notes.txt<CR>:Acp undo turn<CR>")
    wait_until(lambda: (tmp_path / "notes.txt").read_text() == "mine\n" + OLD)


def test_edits_of_another_plan_go_to_a_buffer(open_editor: Open, tmp_path: Path) -> None:
    state = {"env": {"XDG_STATE_HOME": str(tmp_path / "state")}, "init": f"vim.cmd.cd([[{tmp_path}]])"}
    editor = open_plan(open_editor, script(tmp_path, on_prompt("", ask_plan())), **state)
    editor.type("Gccmine<Esc>:qa!<CR>")
    editor.wait_exit()
    other = "# Another\n\nquite another plan\n"
    editor = open_plan(open_editor, script(tmp_path, on_prompt("", ask_plan(other))), **state)
    assert editor.lua("return vim.api.nvim_buf_get_lines(0, 0, -1, false)") == other.splitlines()
    assert editor.lua(ASIDE) == [*PLAN.splitlines()[:-1], "mine"]


@pytest.mark.parametrize(
    ("fields", "has_plan"),
    [
        ({"rawInput": {}}, True),
        ({"rawInput": {"plan": 3}}, True),
        ({"rawInput": {}, "content": []}, False),
        ({"kind": "other"}, False),
    ],
)
def test_what_is_a_plan(open_editor: Open, tmp_path: Path, fields: dict[str, Any], has_plan: bool) -> None:
    asked = ask_plan(**fields) if "kind" not in fields else permission("Mode?", OPTIONS, **fields, content=[])
    editor = open_chat(open_editor, script(tmp_path, on_prompt("", asked)), size=(120, 40))
    editor.type("<C-w>t")
    editor.acp("prompt", "plan it")
    editor.wait_event("AcpQuestion")
    editor.settle()
    assert editor.acp("questions")[0]["has_diff"] is has_plan
    if has_plan:
        editor.expect_lua(SHOWN, 1)
