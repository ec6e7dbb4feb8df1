"""`keys = "<leader>a"`: one set of maps, beside those that the user has, and what a task costs with it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.script import (
    ScriptedAgent,
    ask,
    notify,
    on,
    on_prompt,
    permission,
    result,
    say,
    script,
    wait_file,
)
from tests.functional.editor import Editor
from tests.functional.packages import plugin
from tests.steps.conversation import expect_key

Open = Callable[..., Editor]
LEADER = "vim.g.mapleader = ' '\n"
MODELS = {
    "availableModels": [{"modelId": id, "name": id.title()} for id in ("opus", "haiku")],
    "currentModelId": "opus",
}
MADE = "return vim.fn.maparg(..., 'n', false, true).desc"


def setup_of(agent: ScriptedAgent, **more: Any) -> dict[str, Any]:
    spec = {"command": agent.argv[0], "args": agent.argv[1:]}
    return {"agents": {"mine": spec}, "default_agent": "mine", "keys": "<leader>a", **more}


def enter_prompt(editor: Editor) -> None:
    editor.type(":Acp<CR>")
    editor.wait_event("AcpSessionStarted")


def test_what_each_task_costs(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path, on_prompt("", say("So.")))
    editor = open_editor(setup=setup_of(agent), init=LEADER, size=(140, 40))
    (editor.project / "a.txt").write_text("one\ntwo\n")
    editor.type(":edit a.txt<CR>")
    # toggle: 3 keys open it
    editor.type(" aa")
    editor.wait_event("AcpSessionStarted")
    editor.expect_lua("return vim.bo.filetype", "acp_prompt")
    # the selection with words: 3 keys, the words and <CR>
    editor.type("<C-w>pggVj apexplain<CR>")
    editor.wait_event("AcpTurnEnded")
    sent = agent.got("session/prompt")[-1]["params"]["prompt"]
    assert sent[0]["text"] == "explain"
    assert "a.txt" in str(sent[1])
    # or into the prompt, ready to type
    editor.type("ggV aaexplain<C-s>")
    editor.wait_event("AcpTurnEnded")
    assert agent.got("session/prompt")[-1]["params"]["prompt"][0]["text"] == "(a.txt 1) explain"
    # follow: 3
    editor.type("<Esc> af")
    editor.expect_lua("return require('acp_nvim').status().following")
    # another session: 4
    editor.type(" aS")
    editor.wait_event("AcpSessionStarted", session=2)
    editor.type(" as<CR>")
    editor.expect_lua("return vim.fn.bufname()", "acp://1/prompt")


def test_what_changed_and_undoing_the_turn_cost_three_keys(open_editor: Open, tmp_path: Path) -> None:
    edit = [
        [
            "request",
            "fs/write_text_file",
            {"sessionId": "{session}", "path": "{cwd}/a.txt", "content": "one\nTWO\n"},
        ]
    ]
    agent = script(tmp_path, on_prompt("", *edit, say("Done.")))
    editor = open_editor(setup=setup_of(agent), init=LEADER, size=(140, 40))
    file = editor.project / "a.txt"
    file.write_text("one\ntwo\n")
    editor.type(" aaigo<C-s>")
    editor.wait_event("AcpTurnEnded")
    editor.expect_lua("return #require('acp_nvim').changes()", 1)
    editor.type("<Esc> ar")
    editor.expect_lua("return { vim.fn.expand('%:t'), vim.fn.line('.') }", ["a.txt", 2])
    editor.type(" au")
    editor.expect_lua("return vim.fn.readfile(...)", ["one", "two"], str(file))


def test_the_model_costs_four_keys(open_editor: Open, tmp_path: Path) -> None:
    agent = script(
        tmp_path,
        on("session/new", result({"sessionId": "s", "models": MODELS})),
        on("session/set_model", result({})),
    )
    editor = open_editor(setup=setup_of(agent), init=LEADER)
    enter_prompt(editor)
    editor.expect_lua("return require('acp_nvim').status().model", "opus")
    editor.type(" am")
    editor.screen.expect("2   Haiku")
    editor.type("2")
    editor.expect_lua("return require('acp_nvim').status().model", "haiku")


@pytest.mark.parametrize("how", ["setup", "vim.g", "setup later"])
def test_keys_of_the_user_stay_and_are_named(open_editor: Open, tmp_path: Path, how: str) -> None:
    before = "vim.keymap.set('n', '<leader>ap', '<Cmd>echo 1<CR>', { desc = 'Mine' })\n"
    late = "vim.keymap.set('n', '<leader>ac', function() vim.g.mine = 1 end)\n"
    python = {"keys": "<leader>a"}
    if how == "setup later":
        editor = open_editor(init=LEADER + before + late)
        editor.lua("require('acp_nvim').setup({ keys = '<leader>a', python = vim.g.python3_host_prog })")
    else:  # the init file goes on behind the call of setup()
        options = {"setup": python} if how == "setup" else {}
        again = (
            ""
            if how == "setup"
            else "vim.g.acp_nvim = vim.tbl_extend('force', vim.g.acp_nvim, { keys = '<leader>a' })\n"
        )
        editor = open_editor(init=LEADER + again + before + late, **options)
    editor.expect_lua(MADE, "Open or close the chat", " aa")
    assert editor.lua(MADE, " ap") == "Mine"
    assert editor.lua("return vim.fn.maparg(' ap', 'x')") == ":Acp prompt<Space>".replace("<Space>", " ")
    if how != "setup later":
        loaded = "return vim.tbl_filter(function(name) return name:find('^acp_nvim') end, vim.tbl_keys(package.loaded))"
        few = {
            "acp_nvim",
            "acp_nvim.config.setup_options",
            "acp_nvim.config.global_keys",
            "acp_nvim.config.settings",
            "acp_nvim.config.schema",
        }
        assert set(editor.lua(loaded)) <= few
    editor.type(" ac")
    editor.expect_lua("return vim.g.mine", 1)
    editor.type(":checkhealth acp_nvim<CR>")
    said = "return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\\n')"
    health = editor.expect_lua(said, lambda text: "keys are mapped under <leader>a" in text)
    assert "<leader>ap (mode n) is yours already: Mine" in health
    assert "<leader>ac (mode n) is yours already: a function" in health
    assert "Map another key for: Cancel the turn" in health


def test_another_prefix_takes_the_place_of_the_first_and_none_is_the_default(open_editor: Open) -> None:
    editor = open_editor(setup={}, init=LEADER)
    editor.expect_lua("return vim.v.vim_did_enter", 1)
    assert editor.lua("return vim.fn.maparg(' aa', 'n')") == ""
    editor.lua("require('acp_nvim').setup({ keys = '<leader>a' })")
    assert editor.lua(MADE, " aa") == "Open or close the chat"
    editor.lua("require('acp_nvim').setup({ keys = 'gz' })")
    assert editor.lua("return vim.fn.maparg(' aa', 'n')") == ""
    assert editor.lua(MADE, "gzu") == "Undo the whole turn"
    editor.lua("require('acp_nvim').setup({ keys = 7 })")
    editor.screen.expect("'keys' must be a string, not 7")
    editor.lua("require('acp_nvim').setup({})")
    assert editor.lua("return vim.fn.maparg('gzu', 'n')") == ""


def test_which_key_shows_the_group_and_what_each_key_does(open_editor: Open) -> None:
    which_key = str(plugin("which-key.nvim"))
    init = (
        f"{LEADER}vim.opt.runtimepath:prepend({which_key!r})\nrequire('which-key').setup({{ delay = 0 }})\n"
    )
    editor = open_editor(setup={"keys": "<leader>a"}, init=init, size=(140, 40))
    editor.expect_lua(MADE, "Open or close the chat", " aa")
    editor.type(" ")
    editor.screen.expect("+agent")
    editor.type("a")
    editor.screen.expect("Undo the whole turn")
    editor.type("<Esc>")


@pytest.mark.parametrize(("keys", "presses"), [(" ay", 1), (" aY", 2), (" x", 1)])
def test_a_yes_by_key_is_not_for_a_question_that_has_only_just_come(
    open_editor: Open, tmp_path: Path, keys: str, presses: int
) -> None:
    go = tmp_path / "go"
    first, second = (
        ask("session/request_permission", permission(command, id=command, rawInput={"command": command})[2])
        for command in ("ls precious", "rm -rf precious")
    )
    replaced = (first, wait_file(str(go)), notify("$/cancel_request", {"requestId": 0}), second)
    agent = script(tmp_path, on_prompt("", *replaced, wait_file(str(tmp_path / "end"))))
    plug = "vim.keymap.set('n', ' x', '<Plug>(acp-accept)')\n"
    editor = open_editor(setup=setup_of(agent), init=LEADER + plug, size=(140, 40))
    enter_prompt(editor)
    editor.type("igo<C-s><Esc>")
    editor.screen.expect("ls precious")
    go.touch()
    editor.screen.expect("rm -rf precious")
    editor.type(keys)
    editor.screen.expect("the question has just appeared: press")
    assert not [data for _, data in editor.events("AcpAnswered") if data["by"] == "user"]
    expect_key(editor, "g1")
    for _ in range(presses - 1):
        editor.type(keys)
        editor.screen.expect("<leader>aY again: always")
        assert not [data for _, data in editor.events("AcpAnswered") if data["by"] == "user"]
    editor.type(keys)
    assert editor.wait_event("AcpAnswered", by="user")["option_id"] in ("yes", "always")


HERE = "return vim.bo.filetype .. ' ' .. vim.fn.mode()"


def test_a_key_goes_from_a_file_to_the_prompt_ready_to_type(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path, on_prompt("", say("So.")))
    editor = open_editor(setup=setup_of(agent), init=LEADER)
    editor.type(":edit a.txt<CR>")
    editor.type(" ai")
    editor.wait_event("AcpSessionStarted")
    editor.expect_lua(HERE, "acp_prompt i")
    editor.type("one draught é<Esc><C-w>h")
    editor.expect_lua(HERE, "text n")
    editor.type(" ai and more<C-s>")
    editor.wait_event("AcpTurnEnded")
    assert agent.got("session/prompt")[-1]["params"]["prompt"][0]["text"] == "one draught é and more"


def test_the_key_of_the_chat_goes_there_first_and_then_closes_it(open_editor: Open, tmp_path: Path) -> None:
    editor = open_editor(setup=setup_of(script(tmp_path)), init=LEADER)
    editor.type(":edit a.txt<CR>")
    editor.type(" aa")
    editor.wait_event("AcpSessionStarted")
    editor.expect_lua(HERE, "acp_prompt n")
    editor.type("<C-w>h aa")
    editor.expect_lua(HERE, "acp_prompt n")
    editor.type("<C-w>k aa")
    editor.expect_lua("return vim.fn.winnr('$')", 1)
    editor.expect_lua(HERE, "text n")


def test_prompt_without_words_goes_to_the_prompt(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path)
    editor = open_editor(setup=setup_of(agent), init=LEADER)
    editor.type(":Acp prompt<CR>")
    editor.wait_event("AcpSessionStarted")
    editor.expect_lua(HERE, "acp_prompt n")
    editor.type("<C-w>h:Acp prompt<CR>")
    editor.expect_lua(HERE, "acp_prompt n")
    editor.type("<C-w>h:1Acp prompt<CR>")
    editor.screen.expect("nothing to send")
    assert agent.got("session/prompt") == []


def test_the_prompt_opens_in_insert_mode_for_the_users_own_commands(
    open_editor: Open, tmp_path: Path
) -> None:
    agent = script(tmp_path, on_prompt("", say("So.")))
    editor = open_editor(setup={**setup_of(agent), "chat": {"insert": True}}, init=LEADER)
    started = "return require('acp_nvim').open()"
    editor.lua(started)
    editor.wait_event("AcpSessionStarted")
    editor.expect_lua(HERE, "acp_prompt n")
    for there in (
        ":Acp<CR>",
        " aa",
        ":Acp prompt<CR>",
        ":Acp add<CR>",
        ":Acp switch<CR>1",
        ":Acp sessions<CR><CR>",
    ):
        editor.type(f"<Esc>:1wincmd w<CR>{there}")
        editor.expect_lua(HERE, "acp_prompt i")
    editor.type("<Esc>:Acp rename a title<CR>")
    editor.screen.expect("a title")
    editor.expect_lua(HERE, "acp_prompt n")
    editor.type("<C-w>h:Acp prompt it is sent from here<CR>")
    editor.wait_event("AcpTurnEnded")
    editor.expect_lua(HERE, " n")
