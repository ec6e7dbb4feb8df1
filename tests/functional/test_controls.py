"""Mode, model and options by keys, commands and the API, in a real Neovim."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.script import error, on, on_prompt, say, script, wait, wait_file, wait_until
from tests.functional.editor import Editor
from tests.steps.controls import MODELS, MODES, OPTIONS, make_select, make_switch, on_new_session
from tests.steps.conversation import open_chat, send

Open = Callable[..., Editor]
STATUS = "return require('acp_nvim').status()[...]"


def complete(editor: Editor, line: str) -> list[str]:
    return list(editor.lua("return vim.fn.getcompletion(..., 'cmdline')", line))


def failure(editor: Editor, function: str, *arguments: Any) -> str:
    """What the API says of it; nothing was raised and nothing was done."""
    code = "local f, args = ..., select(2, ...) return { pcall(require('acp_nvim')[f], unpack(args)) }"
    result = editor.lua(code, function, arguments)
    assert result[0] is True
    assert result[1] is None
    return str(result[2])


@pytest.mark.backends
def test_the_mode_by_command_key_and_api(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path, on_new_session(modes=MODES, models=MODELS))
    editor = open_chat(open_editor, agent, size=(120, 30))
    editor.screen.expect("Ask")
    assert complete(editor, "Acp mode ") == ["ask", "code"]
    editor.type("<Esc>:Acp mode code<CR>")
    editor.expect_lua(STATUS, "code", "mode")
    editor.screen.expect("Code")
    editor.type(":Acp model Large<CR>")  # by its name
    editor.expect_lua(STATUS, "large", "model")
    editor.screen.expect("Large")
    assert editor.acp("set_mode", "ask") is True
    editor.expect_lua(STATUS, "ask", "mode")
    assert editor.acp("set_mode", "code", {"session": 1}) is True
    editor.expect_lua(STATUS, "code", "mode")


def test_a_heading_gives_up_words_rather_than_the_time(open_editor: Open, tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    begun = on_prompt("", say("I begin."), wait_file(str(gate)))
    agent = script(tmp_path, on_new_session(modes=MODES, models=MODELS), begun)
    editor = open_chat(open_editor, agent, size=(60, 30))
    editor.type("<Esc>igo<Esc><CR>")
    editor.screen.expect(lambda screen: re.search(r"▎Scripted · small +\S 0s", screen.text()))
    editor.type(":set columns=120<CR>")
    editor.screen.expect(lambda screen: re.search(r"▎Scripted · small · Ask +\S \ds", screen.text()))
    gate.touch()


def test_a_remark_on_a_model_is_for_those_who_choose(open_editor: Open, tmp_path: Path) -> None:
    names = {"a": "Default (recommended)", "b": "Large (1M context)"}
    offered = [{"modelId": id, "name": name} for id, name in names.items()]
    models = {"currentModelId": "a", "availableModels": offered}
    agent = script(tmp_path, on_new_session(models=models), on_prompt("", say("Hi.")))
    editor = open_chat(open_editor, agent, size=(120, 30))
    editor.screen.expect(
        lambda screen: screen.text().count("Scripted · Default\n") == 2, what="bar and welcome"
    )
    send(editor, "hello")
    editor.wait_event("AcpTurnEnded")
    editor.screen.expect(
        lambda screen: screen.text().count("Scripted · Default\n") == 2, what="bar and heading"
    )
    assert editor.acp("status")["models"] == [{"id": id, "name": name} for id, name in names.items()]
    editor.type("<Esc>:Acp model<CR>")
    editor.screen.expect("Default (recommended)")
    editor.type("2")
    editor.screen.expect("Scripted · Large (1M context)")


def test_the_mode_key(open_editor: Open, tmp_path: Path) -> None:
    editor = open_chat(open_editor, script(tmp_path, on_new_session(modes=MODES)))
    editor.type("<S-Tab>")
    editor.expect_lua(STATUS, "code", "mode")
    editor.type("i<S-Tab>")
    editor.expect_lua(STATUS, "ask", "mode")
    assert editor.lua("return vim.api.nvim_get_mode().mode") == "i"
    assert editor.lua("return vim.api.nvim_get_current_line()") == ""


def test_the_mode_key_pressed_before_the_answer_goes_on_from_what_was_asked(
    open_editor: Open, tmp_path: Path
) -> None:
    gate = tmp_path / "gate"
    three = {"currentModeId": "a", "availableModes": [{"id": id, "name": id} for id in "abc"]}
    agent = script(
        tmp_path, on_new_session(modes=three), on("session/set_mode", wait_file(str(gate)), times=1)
    )
    editor = open_chat(open_editor, agent)
    editor.type("<S-Tab><S-Tab>")
    wait_until(lambda: agent.got("session/set_mode"))
    gate.touch()
    editor.expect_lua(STATUS, "c", "mode")
    assert [message["params"]["modeId"] for message in agent.got("session/set_mode")] == ["b", "c"]


def test_a_key_of_the_users_own_is_theirs(open_editor: Open, tmp_path: Path) -> None:
    init = "vim.keymap.set({'n', 'i'}, '<S-Tab>', function() _G.mine = (_G.mine or 0) + 1 end)"
    agent = script(tmp_path, on_new_session(modes=MODES))
    editor = open_chat(open_editor, agent, init=init)
    editor.type("<Esc><S-Tab>i<S-Tab>")
    editor.expect_lua("return _G.mine", 2)
    assert agent.got("session/set_mode") == []


def test_a_mode_is_chosen_in_a_list_that_holds_nothing_up(open_editor: Open, tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    agent = script(
        tmp_path, on_new_session(modes=MODES), on_prompt("", wait_file(str(gate)), say("still here"))
    )
    editor = open_chat(open_editor, agent)
    send(editor, "hello")
    editor.wait_event("AcpTurnStarted")
    editor.type("<Esc>:Acp mode<CR>")
    editor.screen.expect("● Ask")
    gate.touch()
    editor.wait_event("AcpTurnEnded")  # with the list open
    editor.screen.expect("still here")
    editor.type("j<CR>")
    editor.expect_lua(STATUS, "code", "mode")
    editor.type(":Acp mode<CR>")
    editor.screen.expect("● Code")
    assert editor.lua("return vim.fn.line('.')") == 2  # on what is so now
    editor.type("q")
    assert len(agent.got("session/set_mode")) == 1


def test_a_model_is_chosen_by_its_group(open_editor: Open, tmp_path: Path) -> None:
    groups = [
        {
            "group": "f",
            "name": "Fast",
            "options": [{"value": "a", "name": "Aye", "description": "for short work"}],
        },
        {"group": "b", "name": "Big", "options": [{"value": "b", "name": "Bee"}]},
    ]
    model = {**make_select("m", "a", category="model"), "options": groups}
    agent = script(tmp_path, on_new_session(configOptions=[model]))
    editor = open_chat(open_editor, agent)
    editor.type("<Esc>:Acp model<CR>")
    editor.screen.expect("● Fast / Aye  · for short work")
    editor.screen.expect("Big / Bee")
    editor.type("j<CR>")
    editor.expect_lua(STATUS, "b", "model")


def test_options_of_both_types(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path, on_new_session(configOptions=[*OPTIONS, make_switch("web", True)]))
    editor = open_chat(open_editor, agent, size=(120, 30))
    assert complete(editor, "Acp option ") == ["effort", "tone", "web"]
    assert complete(editor, "Acp option effort ") == ["low", "high"]
    assert complete(editor, "Acp option web of") == ["off"]
    editor.type("<Esc>:Acp option effort high<CR>")
    editor.expect_lua("return require('acp_nvim').status().options[1].value", "high")
    editor.type(":Acp option web off<CR>")
    editor.expect_lua("return require('acp_nvim').status().options[3].value", False)
    editor.type(":Acp option<CR>")
    editor.screen.expect("Effort: High")
    editor.screen.expect("Web: off")
    editor.type("G<CR>")
    editor.screen.expect("● off")
    editor.type("gg<CR>")
    editor.expect_lua("return require('acp_nvim').status().options[3].value", True)
    assert editor.acp("set_option", "tone", "warm") is True
    editor.expect_lua("return require('acp_nvim').status().options[2].value", "warm")


def test_what_is_wrong_is_said_at_once_and_not_sent(open_editor: Open, tmp_path: Path) -> None:
    options = [make_select("effort", "low", "low", "high"), make_switch("web", True)]
    agent = script(tmp_path, on_new_session(modes=MODES, configOptions=options))
    editor = open_chat(open_editor, agent)
    for function, arguments, words in [
        ("set_mode", ["cod"], "did you mean 'code'?"),
        ("set_mode", [7], "must be a string"),
        ("set_mode", ["code", {"session": 9}], "no session 9"),
        ("set_model", ["x"], "no models to choose from"),
        ("set_option", ["effrt", "low"], "did you mean 'effort'?"),
        ("set_option", ["effort", "hihg"], "did you mean 'high'?"),
        ("set_option", ["effort", True], "must be a string"),
        ("set_option", ["web", "true"], "true or false"),
        ("set_option", ["web"], "a string or a boolean"),
    ]:
        assert words in failure(editor, function, *arguments)
    editor.type("<Esc>:Acp model<CR>")
    editor.screen.expect("has no models to choose from")
    editor.type(":Acp mode nonsense<CR>")
    editor.screen.expect("no mode 'nonsense'. Choose ask or code")
    assert [message["method"] for message in agent.got()] == ["initialize", "session/new"]


def test_what_the_agent_refuses_comes_as_a_message(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path, on_new_session(modes=MODES), on("session/set_mode", error(-32603, "not today")))
    editor = open_chat(open_editor, agent, size=(120, 30))
    assert editor.acp("set_mode", "code") is True
    editor.screen.expect("mode 'code' was not set: not today")
    assert editor.lua(STATUS, "mode") == "ask"


def test_before_the_session_is_there_and_without_one(open_editor: Open, tmp_path: Path) -> None:
    assert "no session" in failure(open_editor(), "set_mode", "code")
    gate = tmp_path / "gate"
    new = on("session/new", wait_file(str(gate)), on_new_session(modes=MODES)["do"][0])
    agent = script(tmp_path, new, on_prompt("", wait("never")))
    spec = {"command": agent.argv[0], "args": agent.argv[1:]}
    editor = open_editor(setup={"agents": {"a": spec}})
    assert editor.acp("new_session") == 1
    assert editor.acp("set_mode", "code") is True
    gate.touch()
    editor.wait_event("AcpSessionStarted")
    assert editor.lua(STATUS, "mode") == "code"


def test_defaults_of_the_configuration(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path, on_new_session(modes=MODES, configOptions=OPTIONS))
    defaults = {"mode": "code", "options": {"effort": "high"}}
    spec = {"command": agent.argv[0], "args": agent.argv[1:], "defaults": defaults}
    editor = open_editor(setup={"agents": {"a": spec}})
    editor.acp("new_session")
    editor.wait_event("AcpSessionStarted")
    status = editor.acp("status")
    assert (status["mode"], status["options"][0]["value"]) == ("code", "high")


def test_bars_are_drawn_without_a_copy_of_what_the_agent_offers(open_editor: Open, tmp_path: Path) -> None:
    editor = open_chat(open_editor, script(tmp_path, on_new_session(modes=MODES, models=MODELS)))
    editor.screen.expect("Ask")
    copies = editor.lua(
        """
        local copies, copy, bars = {}, vim.deepcopy, require("acp_nvim.chat.winbar")
        vim.deepcopy = function(value, ...)
          table.insert(copies, debug.traceback())
          return copy(value, ...)
        end
        local line = require("acp_nvim").statusline()
        for _, win in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
          for _, draw in ipairs({ bars.text, bars.prompt_text, bars.place_text }) do
            vim.api.nvim_win_call(win, draw)
          end
        end
        local drawn = #copies
        local own = require("acp_nvim").status()
        vim.deepcopy, own.modes[1].name = copy, "changed by its reader"
        return { line ~= "", drawn, #copies > drawn, require("acp_nvim").status().modes[1].name }
        """
    )
    assert copies == [True, 0, True, "Ask"]
