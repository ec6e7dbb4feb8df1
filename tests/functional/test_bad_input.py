"""Whatever an agent sends and a user gets wrong: one clear line, and the rest works on."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.script import (
    Rule,
    ScriptedAgent,
    Step,
    blob,
    bytewise,
    error,
    flood,
    huge,
    leave,
    on,
    on_initialize,
    on_prompt,
    permission,
    raw,
    result,
    say,
    script,
    silence,
    stderr,
    tool,
    update,
)
from tests.functional.editor import Editor

Open = Callable[..., Editor]


def spec(agent: ScriptedAgent, **more: Any) -> dict[str, Any]:
    return {"command": agent.argv[0], "args": agent.argv[1:], **more}


def beside(open_editor: Open, folder: Path, bad: dict[str, Any], **options: Any) -> Editor:
    """Neovim with two agents: `bad`, and `good`, which answers."""
    good = script(folder, on_prompt("hello", say("Hello yourself.")), name="good")
    return open_editor(setup={"agents": {"bad": bad, "good": spec(good)}}, **options)


def told(editor: Editor, *pieces: str) -> None:
    """One line below the windows, which does not stop Neovim."""
    editor.screen.expect(
        lambda screen: all(piece in screen.lines()[-1] for piece in pieces), what=f"a line with {pieces}"
    )
    assert editor.mode()["blocking"] is False
    assert len(editor.screen.lines()[-1]) <= editor.lua("return vim.v.echospace")


def send(editor: Editor, text: str) -> None:
    editor.type(f":Acp prompt {text}<CR>")
    editor.wait_event("AcpTurnStarted")


def others_converse(editor: Editor) -> None:
    """A conversation with the good agent in the same Neovim."""
    editor.type(":Acp new good<CR>")
    editor.wait_event("AcpSessionStarted")
    editor.type("ihello<Esc><CR>")
    editor.screen.expect("Hello yourself.")
    editor.wait_event("AcpTurnEnded", stop_reason="end_turn")
    assert editor.acp("status")["agent"] == "good"


def log_with(editor: Editor, wanted: str) -> str:
    """The log, once this text is in it."""
    editor.type(":Acp log<CR>")
    shown = "return table.concat(vim.fn.getbufline(vim.fn.bufnr('acp://log'), 1, '$'), '\\n')"
    return str(editor.expect_lua(shown, lambda text: wanted in text))


# --- agents that cannot be started


def test_an_agent_that_nobody_configured(open_editor: Open, tmp_path: Path) -> None:
    editor = beside(open_editor, tmp_path, {"command": "any"})
    editor.type(":Acp new nope<CR>")
    told(editor, "no agent 'nope'", ":Acp agents")
    assert editor.acp("sessions") == []
    editor.type(":Acp new goood<CR>")
    told(editor, "no agent 'goood' (did you mean 'good'?)")
    others_converse(editor)


def not_executable(folder: Path) -> dict[str, Any]:
    (folder / "plain").touch()
    return {"command": str(folder / "plain")}


def without_interpreter(folder: Path) -> dict[str, Any]:
    (folder / "orphan").write_text("#!/nowhere/interpreter\n")
    (folder / "orphan").chmod(0o755)
    return {"command": str(folder / "orphan")}


UNSTARTABLE = {
    "command missing": (lambda _: {"command": "no-such-agent"}, "command not found"),
    "not executable": (not_executable, "not executable"),
    "interpreter missing": (without_interpreter, "the interpreter it names does not exist"),
    "folder missing": (
        lambda _: {"command": "cat", "cwd": "/nowhere/at/all"},
        "no such folder: /nowhere/at/all",
    ),
}


@pytest.mark.parametrize("case", UNSTARTABLE)
def test_an_agent_that_cannot_be_started(open_editor: Open, tmp_path: Path, case: str) -> None:
    make, why = UNSTARTABLE[case]
    editor = beside(open_editor, tmp_path, make(tmp_path))
    editor.type(":Acp new bad<CR>")
    told(editor, "bad", why)
    editor.wait_event("AcpSessionEnded", session=1, reason="failed")
    status = editor.acp("status")
    assert (status["state"], status.get("pid")) == ("failed", None)
    assert why in status["error"]
    others_converse(editor)


# --- agents that do not become ready


def starting(*rules: Rule, start: list[Step] | None = None) -> Callable[[Path], dict[str, Any]]:
    return lambda folder: spec(script(folder, *rules, name="bad", start=start or []))


LOGIN = [{"id": "key", "name": "With a key"}, {"id": "web", "name": "In the browser"}]
UNREADY = {
    "dies at once": (
        starting(start=[stderr("no licence found\n"), leave(3)]),
        "bad exited with status 3: no licence found",
    ),
    "version 7": (starting(on_initialize(version=7)), "bad speaks protocol version 7, this plugin version 1"),
    "initialize fails": (
        starting(on("initialize", error(-32603, "no memory"))),
        "bad refused to start: no memory",
    ),
    "session/new fails": (
        starting(on("session/new", error(-32603, "the quota is spent"))),
        "bad could not start a session: the quota is spent",
    ),
    "no session id": (
        starting(on("session/new", result({}))),
        "bad could not start a session: the agent sent no session id",
    ),
    "no object": (
        starting(on("session/new", result(["s1"]))),
        "bad could not start a session: the agent sent no session id",
    ),
}


@pytest.mark.parametrize("case", UNREADY)
def test_an_agent_that_does_not_become_ready(open_editor: Open, tmp_path: Path, case: str) -> None:
    make, why = UNREADY[case]
    editor = beside(open_editor, tmp_path, make(tmp_path))
    editor.type(":Acp new bad<CR>")
    told(editor, *why.split(": "))  # what to do may stand between
    editor.wait_event("AcpSessionEnded", session=1, reason="failed")
    status = editor.acp("status")
    assert status["state"] == "failed"
    assert why in status["error"]
    others_converse(editor)


def test_an_agent_that_wants_a_login_names_its_ways(open_editor: Open, tmp_path: Path) -> None:
    ready = on("initialize", result({"protocolVersion": 1, "authMethods": LOGIN}))
    locked = on("session/new", error(-32000, "Authentication required"))
    editor = beside(open_editor, tmp_path, spec(script(tmp_path, ready, locked)))
    editor.type(":Acp new bad<CR>")
    editor.expect_lua("return require('acp_nvim').status().state", "auth")
    editor.screen.expect("With a key")
    editor.screen.expect("In the browser")
    editor.screen.expect("needs login")
    editor.screen.expect(":Acp login")
    assert editor.mode()["blocking"] is False
    others_converse(editor)


def test_an_agent_that_answers_nothing(open_editor: Open, tmp_path: Path) -> None:
    mute = script(tmp_path, on("initialize", silence()))
    editor = beside(open_editor, tmp_path, spec(mute, timeout_ms=150))
    editor.type(":Acp new bad<CR>")
    told(editor, "bad has not answered initialize for 0.15 s", ":Acp stop")
    assert editor.acp("status")["state"] == "starting"
    editor.type(":Acp stop<CR>")
    editor.wait_event("AcpSessionEnded", session=1, reason="stopped")
    assert editor.acp("status")["state"] == "stopped"
    others_converse(editor)


# --- agents that talk, but how


def test_garbage_before_and_between_messages(open_editor: Open, tmp_path: Path) -> None:
    noise = raw('Welcome!\n{"half": \n[1, 2\n\n\x00\x1b[31mred\n{}\n[]\nnull\n42\n')
    talk = on_prompt("talk", noise, say("Still "), noise, say("here."), noise)
    agent = script(tmp_path, on("session/new", noise), talk, start=[noise])
    editor = beside(open_editor, tmp_path, spec(agent))
    editor.type(":Acp new bad<CR>")
    editor.wait_event("AcpSessionStarted")
    send(editor, "talk")
    editor.wait_event("AcpTurnEnded", stop_reason="end_turn")
    editor.screen.expect("Still here.")
    assert "Welcome!" not in editor.screen.text()
    log_with(editor, "Welcome!")
    others_converse(editor)


def test_messages_that_come_byte_by_byte(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path, on_prompt("talk", say("Größe 世界 "), say("🙂 done")), start=[bytewise(True)])
    editor = beside(open_editor, tmp_path, spec(agent))
    editor.type(":Acp new bad<CR>")
    editor.wait_event("AcpSessionStarted")
    send(editor, "talk")
    editor.screen.expect("Größe 世界 🙂 done")
    others_converse(editor)


MEGABYTES = 20_000_000
MEGABYTES_TAKE = (
    30  # seconds, as long as all of them go through an agent, the backend and Neovim on a busy machine
)


def test_a_message_of_20_megabytes(open_editor: Open, tmp_path: Path) -> None:
    """One line on the wire, many in the chat."""
    text = "".join(f"row {n} ".ljust(1999, "x") + "\n" for n in range(MEGABYTES // 2000))
    agent = script(tmp_path, on_prompt("talk", say(text), say("That was long.")))
    editor = beside(open_editor, tmp_path, spec(agent))
    editor.type(":Acp new bad<CR>")
    editor.wait_event("AcpSessionStarted")
    send(editor, "talk")
    editor.wait_event("AcpTurnEnded", stop_reason="end_turn", timeout=MEGABYTES_TAKE)
    editor.screen.expect("That was long.")
    rows = "return vim.tbl_filter(function(l) return l:find('^row ') end, vim.api.nvim_buf_get_lines(...))"
    chat = editor.lua("return vim.fn.bufnr('acp://1/chat')")
    assert len(editor.lua(rows, chat, 0, -1, True)) == MEGABYTES // 2000
    others_converse(editor)


def test_a_message_without_any_line_end(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path, on_prompt("talk", huge(MEGABYTES), say("\nThat was long.")))
    editor = beside(open_editor, tmp_path, spec(agent))
    editor.type(":Acp new bad<CR>")
    editor.wait_event("AcpSessionStarted")
    send(editor, "talk")
    editor.wait_event("AcpTurnEnded", stop_reason="end_turn", timeout=MEGABYTES_TAKE)
    editor.screen.expect("That was long.")
    others_converse(editor)


def test_a_tool_call_of_20_megabytes(open_editor: Open, tmp_path: Path) -> None:
    output = [{"type": "content", "content": {"type": "text", "text": "x" * MEGABYTES}}]
    call = tool("big", title="Read all", status="completed", content=output)
    agent = script(tmp_path, on_prompt("talk", call, say("That was big.")))
    editor = beside(open_editor, tmp_path, spec(agent))
    editor.type(":Acp new bad<CR>")
    editor.wait_event("AcpSessionStarted")
    send(editor, "talk")
    editor.screen.expect("That was big.", timeout=MEGABYTES_TAKE)
    others_converse(editor)


def test_a_flooded_stderr(open_editor: Open, tmp_path: Path) -> None:
    talk = on_prompt("talk", flood(100_000), blob(10_000_000), stderr("\nlast words\n"), say("Phew."))
    editor = beside(open_editor, tmp_path, spec(script(tmp_path, talk)))
    editor.type(":Acp new bad<CR>")
    editor.wait_event("AcpSessionStarted")
    send(editor, "talk")
    editor.screen.expect("Phew.")
    assert len(log_with(editor, "last words")) < 1_000_000
    others_converse(editor)


def test_an_agent_that_dies_in_a_turn(open_editor: Open, tmp_path: Path) -> None:
    dying = on_prompt("talk", say("I begin."), stderr("Traceback\nKeyError: 'oops'\n"), leave(1))
    editor = beside(open_editor, tmp_path, spec(script(tmp_path, dying)))
    editor.type(":Acp new bad<CR>")
    editor.wait_event("AcpSessionStarted")
    send(editor, "talk")
    told(editor, "bad exited with status 1 (:Acp restart): KeyError: 'oops'")
    editor.wait_event("AcpTurnEnded", turn=1)
    editor.wait_event("AcpSessionEnded", session=1, reason="exited")
    assert editor.acp("status")["state"] == "failed"
    others_converse(editor)


ODD: list[Any] = [
    {"sessionUpdate": "weather_report", "sky": "blue"},
    {"sessionUpdate": None},
    {"sessionUpdate": "agent_message_chunk"},
    {"sessionUpdate": "agent_message_chunk", "content": {"type": "hologram"}},
    {"sessionUpdate": "agent_message_chunk", "content": 42},
    {
        "sessionUpdate": "tool_call",
        "toolCallId": 7,
        "title": ["a"],
        "kind": {},
        "content": "text",
        "locations": 1,
    },
    {"sessionUpdate": "tool_call_update", "toolCallId": "never announced", "status": "exploded"},
    {"sessionUpdate": "plan", "entries": [None, {}, "x", {"content": "one step", "status": "odd"}]},
    {"sessionUpdate": "available_commands_update", "availableCommands": {"a": 1}},
    {"sessionUpdate": "current_mode_update", "currentModeId": 9},
    {"sessionUpdate": "usage_update", "used": "much", "size": -1},
    [],
    "text",
    None,
]


def test_updates_of_unknown_kinds_and_shapes(open_editor: Open, tmp_path: Path) -> None:
    odd = [step for params in ODD for step in (update(params),)]
    agent = script(tmp_path, on_prompt("talk", *odd, say("And that was all.")))
    editor = beside(open_editor, tmp_path, spec(agent))
    editor.type(":Acp new bad<CR>")
    editor.wait_event("AcpSessionStarted")
    send(editor, "talk")
    editor.screen.expect("And that was all.")
    editor.wait_event("AcpTurnEnded", stop_reason="end_turn")
    assert editor.mode()["blocking"] is False
    others_converse(editor)


# --- hostile text

OWN = "execute('let g:owned = 1')"
BIDI = "\u202eevil\u202c"
HOSTILE = f"%{{{OWN}}} %{{%{OWN}%}} %#Error# %1*\x1b]0;owned\x07\x1b[2J\r\x9b31m {BIDI} `={OWN}` <C-r>=1 "
HOSTILE += "| let g:owned = 1"


def hostile_agent(folder: Path) -> ScriptedAgent:
    """Hostile in all that is shown: names, titles, commands, modes, plans, questions, messages, stderr."""
    info = {"name": HOSTILE, "title": HOSTILE, "version": HOSTILE}
    ready = on("initialize", result({"protocolVersion": 1, "agentInfo": info, "agentCapabilities": {}}))
    modes = {"currentModeId": "m", "availableModes": [{"id": "m", "name": HOSTILE}]}
    opened = on("session/new", result({"sessionId": HOSTILE, "modes": modes}))
    talk = on_prompt(
        "talk",
        update({"sessionUpdate": "session_info_update", "title": f"about {HOSTILE}"}),
        update({"sessionUpdate": "plan", "entries": [{"content": HOSTILE, "status": "in_progress"}]}),
        update(
            {
                "sessionUpdate": "available_commands_update",
                "availableCommands": [{"name": HOSTILE, "description": HOSTILE}],
            }
        ),
        tool(
            "t", title=HOSTILE, kind="execute", rawInput={"command": HOSTILE}, locations=[{"path": HOSTILE}]
        ),
        say(f"{HOSTILE}\n# vim: set shiftwidth=17 foldexpr={OWN} :\n"),
        stderr(HOSTILE + "\n"),
        permission(HOSTILE, [("yes", HOSTILE, "allow_once")], id="q", rawInput={"command": HOSTILE}),
        say("The end."),
        error(-32603, HOSTILE),
    )
    return script(folder, ready, opened, talk)


def test_hostile_text_is_text(open_editor: Open, tmp_path: Path) -> None:
    editor = beside(open_editor, tmp_path, spec(hostile_agent(tmp_path)), size=(160, 50))
    editor.lua("vim.o.modeline = true; vim.o.modelineexpr = true; vim.o.title = true")
    editor.lua("vim.o.statusline = '%{%v:lua.require(\"acp_nvim\").statusline()%}'; vim.o.laststatus = 2")
    editor.type(":Acp new bad<CR>")
    editor.wait_event("AcpSessionStarted")
    send(editor, "talk")
    question = editor.wait_event("AcpQuestion")
    editor.screen.expect("needs you")
    editor.screen.expect("^[[2J")
    assert editor.acp("answer", question["id"], "yes") is True
    editor.wait_event("AcpTurnEnded")
    editor.screen.expect("The end.")
    editor.type(":Acp log<CR>:redrawstatus!<CR>")
    editor.screen.expect("stderr of bad")
    for shown in (editor.acp("status")["title"], editor.acp("statusline"), editor.screen.text()):
        assert not {"\x1b", "\x07", "\x9b", "\u202e"} & set(shown)
    assert editor.lua("return vim.g.owned") is None
    assert editor.lua("return vim.o.shiftwidth") == 8
    assert all(
        editor.lua(
            "return vim.tbl_map(function(b) return vim.bo[b].shiftwidth ~= 17 end, vim.api.nvim_list_bufs())"
        )
    )
    assert HOSTILE.split("\r")[0] in editor.lua(
        "return table.concat(vim.fn.getbufline(vim.fn.bufnr('acp://1/chat'), 1, '$'), '\\n')"
    )
    others_converse(editor)


# --- what a user configures and scripts

WRONG_SETUP = {
    "unknown key": ({"permision": []}, "unknown key 'permision' (did you mean 'permissions'?)"),
    "unknown key inside": ({"chat": {"widht": 1}}, "unknown key 'chat.widht' (did you mean 'width'?)"),
    "wrong type": ({"notify": "yes"}, "'notify' must be a boolean"),
    "wrong type inside": ({"fs": {"read": 1}}, "'fs.read' must be a boolean"),
    "wrong value": ({"chat": {"position": "top"}}, "'chat.position' must be one of right, left, bottom"),
    "no command": ({"agents": {"mine": {"args": ["--acp"]}}}, "'agents.mine.command' is missing"),
    "servers that are no table": (
        {"agents": {"mine": {"command": "any", "mcp_servers": 5}}},
        "'agents.mine.mcp_servers' must be a table",
    ),
    "no record": ({"agents": {"mine": "my-agent"}}, "'agents.mine' must be a"),
}


@pytest.mark.parametrize("case", WRONG_SETUP)
def test_a_wrong_configuration_is_one_line_and_the_rest_counts(
    open_editor: Open, tmp_path: Path, case: str
) -> None:
    wrong, why = WRONG_SETUP[case]
    good = script(tmp_path, on_prompt("hello", say("Hello yourself.")))
    agents = {"good": spec(good), **wrong.get("agents", {})}
    editor = open_editor()
    editor.lua(
        "require('acp_nvim').setup(...)",
        {"python": editor.lua("return vim.g.acp_nvim.python"), **wrong, "agents": agents},
    )
    told(editor, why)
    others_converse(editor)


WRONG_SERVERS = {
    "both a list and names": (
        "{ x = { command = 'y' }, { name = 'z' } }",
        "must be a list or have names only",
    ),
    "a gap": ("{ [3] = { name = 'z' } }", "must be a list or have names only, not [3]"),
    "a function": ("{ x = { command = 'y', env = { A = print } } }", "cannot hold a function"),
    "a circle": ("(function() local t = {} t.x = t return t end)()", "is nested too deeply"),
}


@pytest.mark.parametrize("case", WRONG_SERVERS)
def test_what_cannot_be_sent_to_the_backend_spoils_no_other_agent(
    open_editor: Open, tmp_path: Path, case: str
) -> None:
    code, why = WRONG_SERVERS[case]
    good = script(tmp_path, on_prompt("hello", say("Hello yourself.")))
    editor = open_editor()
    setup = """local config = ...
    config.agents.mine = { command = "any", mcp_servers = %s }
    require("acp_nvim").setup(config)"""
    agents = {"good": spec(good)}
    editor.lua(setup % code, {"python": editor.lua("return vim.g.acp_nvim.python"), "agents": agents})
    told(editor, "'agents.mine.mcp_servers'", why)
    others_converse(editor)


WRONG_NUMBERS = {
    "no number": ("{ chat = { width = 0/0 } }", "'chat.width' must be a finite number"),
    "infinite": ("{ chat = { width = math.huge } }", "'chat.width' must be a finite number"),
    "infinite rows": (
        "{ chat = { prompt_height = math.huge } }",
        "'chat.prompt_height' must be a finite number",
    ),
    "kept for ever": ("{ transcripts = { keep = math.huge } }", "'transcripts.keep' must be a finite number"),
    "of an agent": (
        "{ agents = { mine = { command = 'y', mcp_servers = { { timeout = -math.huge } } } } }",
        "cannot hold a number that is not finite",
    ),
}


def test_a_number_has_to_be_finite(editor: Editor) -> None:
    for case, (code, why) in WRONG_NUMBERS.items():
        editor.type(f":echo '{case}'<CR>")
        told(editor, case)
        problems = editor.lua(f"return select(2, require('acp_nvim.config.settings').setup({code}))")
        assert why in " ".join(problems), case
        assert editor.lua("return require('acp_nvim.config.settings').get().chat.width") == 0.4, case
        told(editor, why)


def test_an_agent_needs_a_name(open_editor: Open, tmp_path: Path) -> None:
    good = script(tmp_path, on_prompt("hello", say("Hello yourself.")))
    editor = open_editor()
    editor.lua(
        """local spec = ...
        local agents = { { command = 'mine' }, good = spec }
        require('acp_nvim').setup({ python = vim.g.acp_nvim.python, agents = agents })""",
        spec(good),
    )
    told(editor, "'agents[1]' needs a name as its key")
    others_converse(editor)


def test_a_start_does_not_wait_for_the_check_of_its_configuration(open_editor: Open) -> None:
    init = """
    require('acp_nvim').setup({ notify = 'yes' })
    require('acp_nvim').setup({ chat = { width = 'wide' } })
    vim.g.checked = package.loaded['acp_nvim.config.schema'] ~= nil"""
    editor = open_editor(init=init)
    editor.expect_lua(
        "return vim.fn.execute('messages'):find(\"'chat.width' must be\", 1, true) ~= nil", True
    )
    assert editor.lua("return vim.g.checked") is False


def test_setup_with_something_else_than_a_table(editor: Editor) -> None:
    assert editor.lua("return require('acp_nvim').setup('fast')") is True
    told(editor, "setup() takes a table, not a string")


CALLS = {
    "acp.prompt()": "the prompt has no text",
    "acp.prompt(42)": "the prompt has no text",
    "acp.prompt('  ')": "the prompt has no text",
    "acp.prompt('hi', 'now')": "options must be a table",
    "acp.prompt('hi', { session = 99 })": "there is no session 99",
    "acp.prompt('hi', { session = {} })": "there is no session",
    "acp.prompt('hi', { context = 7 })": "context",
    "acp.prompt('hi', { context = { 7 } })": "context",
    "acp.prompt('hi', { context = { { file = '/nowhere' } } })": "/nowhere",
    "acp.new_session({ agent = 'nope' })": "no agent 'nope'",
    "acp.new_session({ agent = 1 })": "must be a string",
    "acp.new_session({ agent = 'good', cwd = '/nowhere' })": "no such folder: /nowhere",
    "acp.new_session({ agent = 'good', cwd = 1 })": "folder must be a string",
    "acp.new_session({ agent = 'good', roots = 'x' })": "roots must be a list",
    "acp.new_session({ agent = 'good', roots = { '/nowhere' } })": "no such folder: /nowhere",
    "acp.new_session('good')": "options must be a table",
    "acp.open({ session = 99 })": "there is no session 99",
    "acp.open({ agent = 'nope' })": "no agent 'nope'",
    "acp.cancel({ session = 99 })": "there is no session 99",
    "acp.status({ session = 'x' })": "there is no session x",
    "acp.questions({ session = 99 })": "there is no session 99",
    "acp.commands({ session = 99 })": "there is no session 99",
    "acp.answer(99, 'yes')": "there is no question 99",
    "acp.answer()": "there is no question",
    "acp.answer({}, {})": "there is no question",
    "acp.load()": "needs the id",
    "acp.replay('/nowhere')": "no such file",
    "acp.replay(3)": "",
}


def test_wrong_arguments_return_nil_and_a_message(open_editor: Open, tmp_path: Path) -> None:
    editor = beside(open_editor, tmp_path, {"command": "any"})
    others_converse(editor)
    call = """
    local acp = require("acp_nvim")
    local value, message = (function() return %s end)()
    return { value == nil, message }
    """
    wrong = {}
    for code, part in CALLS.items():
        is_nil, message = [*editor.lua(call % code), None, None][:2]
        if not (is_nil and isinstance(message, str) and part in message and "\n" not in message):
            wrong[code] = (is_nil, message)
    assert wrong == {}
    assert len(editor.acp("sessions")) == 1
    assert editor.mode()["blocking"] is False


def test_a_first_call_in_a_fast_event_is_refused_and_spoils_no_later_one(editor: Editor) -> None:
    editor.lua(
        """local acp, timer = require("acp_nvim"), vim.uv.new_timer()
        timer:start(0, 0, function()
          timer:close()
          FOUND = { { pcall(acp.status) }, { pcall(acp.prompt, "hi") }, { pcall(acp.setup, {}) } }
          for i, result in ipairs(FOUND) do
            FOUND[i] = { result[1], result[2] == nil, result[3] }
          end
        end)"""
    )
    found = editor.expect_lua("return FOUND", lambda value: value is not None)
    assert found == [[True, True, "not in a fast event: call it in vim.schedule()"]] * 3
    assert list(editor.acp("sessions")) == []
    editor.type(":Acp cancel<CR>")
    told(editor, "there is no session")


WRONG_COMMANDS = [
    ("Acp sing", "no subcommand 'sing'"),
    ("Acp stop!", "'stop' takes no !"),
    ("1Acp stop", "'stop' takes no range"),
    ("Acp stop", "no agent is running"),
    ("Acp cancel", "there is no session"),
    ("Acp trace sideways", "usage: :Acp trace [on|off|save {file}], not 'sideways'"),
    ("Acp replay /nowhere", "no such file: /nowhere"),
    ("Acp new good /nowhere", "no such folder: /nowhere"),
    ("Acp answer 1", "no open question"),
]


def test_a_wrong_command_is_one_line(open_editor: Open, tmp_path: Path) -> None:
    editor = beside(open_editor, tmp_path, {"command": "any"})
    for line, why in WRONG_COMMANDS:
        editor.type(f":{line}<CR>")
        told(editor, why)
