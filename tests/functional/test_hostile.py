"""Texts of an agent that would like to be more than texts: in every room they are shown, and do nothing."""

import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.script import (
    ScriptedAgent,
    ask,
    error,
    on,
    on_prompt,
    permission,
    request,
    result,
    say,
    script,
    think,
    tool,
    update,
    wait_file,
    wait_until,
    write_file,
)
from tests.functional.editor import Editor
from tests.steps.conversation import expect_answerable, go_to_line, open_chat, read_chat, send
from tests.steps.files import write

Open = Callable[..., Editor]
NAME = "%{execute('let g:pwned = 1')} | let g:pwned = 2 `x` $(x)"


def evil(word: str = "") -> str:
    """Formats, commands, modelines, keys, sequences for a terminal, what turns text around, what nobody sees."""
    return (
        f"{word}%{{execute('let g:pwned = 3')}}%{{%v:lua.vim.g.pwned%}}%!execute('let g:pwned = 4')"
        " | let g:pwned = 5 <CR>:let g:pwned = 6<CR> vim: set ft=pwned : "
        "\x1b]52;c;cHduZWQ=\x07\x1b[2J\x9b31m\u202e\u2066\u200b\U000e0041\U000e007f"
        "$(touch pwned) `touch pwned` '||touch pwned||'"
    )


def lines(word: str = "") -> str:
    return f"{evil(word)}\nvim: set ft=pwned sw=7 :\n:let g:pwned = 7\n"


def file_text(word: str) -> str:
    """In files and in what an agent says it is Neovim that draws, and it shows no tags."""
    return lines(word).replace("\U000e0041\U000e007f", "")


def on_screen(editor: Editor) -> set[str]:
    """What no cell of a screen may hold: terminals would act by it, or leave it out."""
    return {
        char for char in editor.screen.text() if char != "\n" and unicodedata.category(char) in ("Cc", "Cf")
    }


# Any plugin's :doautocmd looks for modelines in the buffer that it happens in; in a file they are the user's affair.
PWNED = """
  vim.cmd("redrawstatus! | redraw!")
  for _, win in ipairs(vim.api.nvim_list_wins()) do
    local buftype = vim.bo[vim.api.nvim_win_get_buf(win)].buftype
    if buftype ~= "" and buftype ~= "quickfix" then
      vim.api.nvim_win_call(win, function() vim.cmd("doautocmd User Theirs") end)
    end
  end
  local found = { vim.g.pwned }
  for _, buf in ipairs(vim.api.nvim_list_bufs()) do
    if vim.bo[buf].filetype == "pwned" or vim.bo[buf].shiftwidth == 7 then
      table.insert(found, vim.api.nvim_buf_get_name(buf))
    end
  end
  return found
"""


def innocent(editor: Editor, where: str) -> None:
    assert editor.lua(PWNED) == [], where
    assert not on_screen(editor), f"{where}: {on_screen(editor)!r}\n{editor.screen.picture()}"
    assert not [path for path in editor.home.parent.rglob("*") if path.name == "pwned"], where
    assert editor.mode()["blocking"] is False, where
    assert editor.lua("return { vim.fn.getreg('+'), vim.fn.getreg('*') }") == ["", ""], where


CLIPBOARD = """
  local held = { ["+"] = { { "" }, "v" }, ["*"] = { { "" }, "v" } }
  local function copy(name) return function(lines) held[name] = { lines, "v" } end end
  local function paste(name) return function() return held[name] end end
  vim.g.clipboard = {
    name = "test",
    copy = { ["+"] = copy("+"), ["*"] = copy("*") },
    paste = { ["+"] = paste("+"), ["*"] = paste("*") },
  }
  vim.o.modeline, vim.o.modelines = true, 5
  vim.api.nvim_create_autocmd("User", { pattern = "Theirs", command = "let g:theirs = 1" })
  vim.o.title, vim.o.laststatus, vim.o.showtabline = true, 2, 2
  vim.o.statusline = "%f %{%v:lua.require'acp_nvim'.statusline()%}"
"""


def spoken(role: str, text: str) -> dict[str, Any]:
    return {"sessionUpdate": f"{role}_message_chunk", "content": {"type": "text", "text": text}}


def initialize(**more: Any) -> Any:
    info = {"name": evil("name"), "title": evil("title"), "version": evil("1")}
    capabilities = {
        "loadSession": True,
        "sessionCapabilities": {"list": {}, "resume": {}, "fork": {}, "close": {}, "delete": {}},
        evil("capability"): {},
    }
    answer = {"protocolVersion": 1, "agentInfo": info, "agentCapabilities": capabilities, **more}
    return on("initialize", result(answer))


CONTROLS = {
    "sessionId": "{session}",
    "modes": {
        "currentModeId": evil("m"),
        "availableModes": [{"id": evil("m"), "name": evil("Mode")}, {"id": "b", "name": evil("Other")}],
    },
    "models": {
        "currentModelId": evil("l"),
        "availableModels": [{"modelId": evil("l"), "name": evil("Model")}],
    },
    "configOptions": [
        {
            "id": evil("o"),
            "name": evil("Option"),
            "type": "select",
            "currentValue": evil("v"),
            "options": [{"value": evil("v"), "name": evil("Value")}, {"value": "w", "name": evil("W")}],
        }
    ],
}
LISTED = {
    "sessions": [
        {
            "sessionId": evil("id"),
            "title": lines("Saved"),
            "cwd": f"/{evil('cwd')}",
            "updatedAt": evil("now"),
        },
        {"sessionId": lines("id2"), "title": "", "cwd": "%{execute('let g:pwned = 8')}"},
    ]
}
TELLING = (
    update({"sessionUpdate": "session_info_update", "title": lines("Title")}),
    update(
        {
            "sessionUpdate": "available_commands_update",
            "availableCommands": [
                {"name": evil("command"), "description": lines("does"), "input": {"hint": evil("hint")}}
            ],
        }
    ),
    update(
        {
            "sessionUpdate": "usage_update",
            "used": 10,
            "size": 100,
            "cost": {"amount": 1.5, "currency": evil("E")},
        }
    ),
    update({"sessionUpdate": "notice", "severity": evil("error"), "content": evil("notice"), "text": evil()}),
    update({"sessionUpdate": "plan", "entries": [{"content": lines("Plan"), "status": "in_progress"}]}),
    think(file_text("Thought")),
    say(file_text("Words") + f"\n[good](https://bad.example/{NAME})\n```pwned\n{file_text('')}```\n"),
    tool(
        evil("call"),
        title=lines("Call"),
        kind=evil("kind"),
        status="completed",
        toolName=evil("tool"),
        rawInput={evil("key"): lines("value"), "command": evil("ls")},
        rawOutput=lines("output"),
        locations=[{"path": f"/{evil('nowhere')}", "line": 3}, {"path": f"{{cwd}}/{NAME}", "line": 1}],
        content=[
            {"type": "content", "content": {"type": "text", "text": lines("content")}},
            {
                "type": "content",
                "content": {"type": "resource_link", "uri": evil("file:///"), "name": evil("N")},
            },
            {"type": "diff", "path": f"{{cwd}}/{NAME}", "oldText": lines("old"), "newText": lines("new")},
            {"type": "terminal", "terminalId": evil("t")},
        ],
    ),
)


def started(open_editor: Open, agent: ScriptedAgent, rows: int = 45) -> Editor:
    editor = open_chat(open_editor, agent, init=CLIPBOARD, size=(140, rows))
    (editor.project / NAME).write_text(file_text("file"))
    return editor


def test_in_the_chat_and_the_bars_and_the_lists(open_editor: Open, tmp_path: Path) -> None:
    rules = (initialize(), on("session/new", result(CONTROLS)), on("session/list", result(LISTED)))
    agent = script(tmp_path, *rules, on_prompt("", *TELLING, error(-32000, lines("Failed"))))
    editor = started(open_editor, agent)
    send(editor, "go")
    editor.wait_event("AcpTurnEnded")
    editor.expect_lua("return require('acp_nvim').status().title ~= nil")
    innocent(editor, "the chat")
    assert "title%%{" in editor.acp("statusline"), "others put it into a format"
    go_to_line(editor, "Call")
    editor.type("zR")
    innocent(editor, "unfolded")
    editor.type("K")
    editor.expect_lua("return vim.api.nvim_win_get_config(0).relative ~= ''")
    innocent(editor, "details")
    editor.type("q")
    for command in (
        "log",
        "trace",
        "sessions",
        "agents",
        "mode",
        "model",
        "option",
        "why",
        "usage",
        "status",
    ):
        editor.type(f"<Esc>:Acp {command}<CR>")
        innocent(editor, command)
        editor.type("<Esc>q<Esc>")
    editor.type("<Esc>:Acp sessions<CR>")
    editor.screen.expect("saved")
    innocent(editor, "the saved sessions")
    editor.type("q")
    for command in ("mode", "model", "option", "load", "resume", "delete", "rename", "login", "open", "new"):
        found = editor.lua("return vim.fn.getcompletion('Acp ' .. ... .. ' ', 'cmdline')", command)
        innocent(editor, f"completion of {command}: {found}")
        editor.type(f":Acp {command} <Tab><Tab><C-c>")
        innocent(editor, f"completion of {command} by keys")
    editor.type(":Acp rename <Tab><CR>")
    innocent(editor, "its own title")
    editor.type("<Esc>:Acp<CR>i/<C-x><C-u>")
    innocent(editor, "completion of a command")
    editor.type("<C-n><C-y><Esc>")
    innocent(editor, "a completed command")


@pytest.mark.parametrize("unit", ["[", "[`", "*[", "[a]("])
def test_unfinished_markup_is_read_at_once(open_editor: Open, unit: str) -> None:
    """Neovim waits for it in every frame in which such a line grows."""
    took = open_editor().lua(
        """local unit, best = ..., math.huge
        for word = 1, 5 do
          local began = vim.uv.hrtime()
          require("acp_nvim.chat.inline_markdown").read(word .. unit:rep(math.floor(3990 / #unit)))
          best = math.min(best, (vim.uv.hrtime() - began) / 1e6)
        end
        return best""",
        unit,
    )
    assert took < 20, f"{took} ms for one line"


def test_a_long_line_without_tabs_is_measured_at_once(open_editor: Open) -> None:
    took, tabs = open_editor().lua(
        """local began, expand = vim.uv.hrtime(), require("acp_nvim.ui.printable").expand
        expand(("x"):rep(30000), 8)
        return { (vim.uv.hrtime() - began) / 1e6, expand("a\\tb\\t\\tc", 4) }"""
    )
    assert took < 100, f"{took} ms for one line"
    assert tabs == "a   b       c"


def test_in_a_session_that_was_saved(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path, initialize(), on("session/list", result(LISTED)), on_prompt("", say("x")))
    editor = started(open_editor, agent)
    editor.type("<Esc>:Acp sessions<CR>")
    editor.screen.expect("Saved")
    editor.type("/Saved<CR><CR>")
    editor.screen.expect("press <CR> again")
    innocent(editor, "asked")
    editor.type("<CR>")
    innocent(editor, "opened")
    editor.type(":Acp sessions<CR>/id2<CR><CR><CR>")
    innocent(editor, "opened by its id")


FIELDS = {
    evil("field"): {
        "type": "string",
        "title": lines("Field"),
        "description": lines("About"),
        "default": evil(),
    },
    "choice": {"type": "string", "title": evil("Choice"), "enum": [evil("a"), evil("b")]},
}
FORM = {
    "sessionId": "{session}",
    "mode": "form",
    "message": lines("Message"),
    "requestedSchema": {"type": "object", "properties": FIELDS, "required": ["choice"]},
}
OPTIONS = (("yes", evil("Yes"), "allow_once"), ("no", lines("No"), "reject_once"))


def test_in_questions_and_forms(open_editor: Open, tmp_path: Path) -> None:
    agent = script(
        tmp_path,
        on_prompt(
            "ask", permission(lines("May I"), OPTIONS, rawInput={"command": lines("rm")}, kind="execute")
        ),
        on_prompt("form", request("elicitation/create", FORM)),
    )
    editor = started(open_editor, agent, rows=90)
    send(editor, "ask")
    editor.wait_event("AcpQuestion")
    editor.screen.expect("1 ")
    innocent(editor, "a question")
    command = next(line for line in read_chat(editor) if "$ rm" in line)
    assert "<202E>" in command
    assert "<E0041>" in command, "what is concealed in a command is seen"
    editor.lua("vim.fn.setqflist({})")
    expect_answerable(editor)
    editor.type("<Esc>:Acp reject<CR>")
    editor.wait_event("AcpTurnEnded")
    send(editor, "form")
    editor.wait_event("AcpQuestion")
    expect_answerable(editor)
    editor.type("<Esc>:Acp accept<CR>")
    editor.expect_lua("return vim.bo.filetype", "acp_form")
    innocent(editor, "a form")
    editor.type(":w<CR>")
    editor.screen.expect("not sent")
    innocent(editor, "a form that is not right")


def test_a_page_is_opened_only_by_the_user_and_only_as_a_page(open_editor: Open, tmp_path: Path) -> None:
    def page(url: str) -> Any:
        params = {
            "sessionId": "{session}",
            "mode": "url",
            "message": "Look",
            "url": url,
            "elicitationId": "e",
        }
        return request("elicitation/create", params)

    urls = [
        "file:///etc/passwd",
        "--help",
        "javascript:x",
        "https://",
        "ssh://-oProxyCommand=x/",
        "https://a b",
    ]
    last = page("https://good.example/$(touch${IFS}pwned)%s|x")
    agent = script(
        tmp_path, on_prompt("", *(step for url in urls for step in (page(url), say("{answer}"))), last)
    )
    editor = started(open_editor, agent)
    editor.lua("_G.opened = {} vim.ui.open = function(...) table.insert(_G.opened, { ... }) end")
    send(editor, "go")
    editor.wait_event("AcpQuestion")
    assert "good.example" in "".join(read_chat(editor))
    assert editor.lua("return _G.opened") == []
    assert "".join(read_chat(editor)).count("only http and https") == len(urls)
    expect_answerable(editor)
    editor.type("<Esc>:Acp accept<CR>")
    editor.expect_lua("return _G.opened", [["https://good.example/$(touch${IFS}pwned)%s|x"]])
    innocent(editor, "a page")


EDIT = {
    "type": "diff",
    "path": f"{{cwd}}/{NAME}",
    "oldText": file_text("file"),
    "newText": file_text("changed"),
}
OTHER = {
    "type": "diff",
    "path": "{cwd}/other %{execute('let g:pwned = 9')}.txt",
    "oldText": None,
    "newText": file_text(""),
}


def test_in_a_proposal_and_its_quickfix_list(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path, on_prompt("", permission(evil("Edit"), kind="edit", content=[EDIT, OTHER])))
    editor = started(open_editor, agent)
    send(editor, "go")
    editor.expect_lua("return #vim.fn.getqflist()", 2)
    innocent(editor, "a proposal")
    editor.type("<Esc>:copen<CR>")
    innocent(editor, "its list")
    editor.type(":cnext<CR>")
    innocent(editor, "its second file")
    expect_answerable(editor)
    editor.type(":Acp reject<CR>")
    editor.wait_event("AcpTurnEnded")
    innocent(editor, "refused")


def test_in_a_review_and_its_quickfix_list(open_editor: Open, tmp_path: Path) -> None:
    path = f"{{cwd}}/{NAME}"
    agent = script(tmp_path, on_prompt("", write(path, f"same\n{file_text('changed')}more\n")))
    editor = started(open_editor, agent)
    (editor.project / NAME).write_text(f"same\n\U000e0041{lines('file')}")  # what is deleted is drawn by us
    send(editor, "go")
    editor.wait_event("AcpTurnEnded")
    editor.type("<Esc>:Acp review<CR>")
    editor.expect_lua("return #vim.fn.getqflist() > 0")
    innocent_names(editor)
    editor.type(":copen<CR>")
    assert editor.lua("return vim.g.pwned") is None
    assert not on_screen(editor)


def innocent_names(editor: Editor) -> None:
    """The user has asked for this file: its modelines are the user's affair, all else is not."""
    assert editor.lua("return vim.g.pwned") is None
    assert not on_screen(editor), f"{on_screen(editor)!r}\n{editor.screen.picture()}"


def test_what_follows_or_reloads_a_file_does_nothing_by_its_modeline(
    open_editor: Open, tmp_path: Path
) -> None:
    go = tmp_path / "go"
    agent = script(
        tmp_path,
        on_prompt(
            "",
            tool("t", title="look", locations=[{"path": "{cwd}/seen.txt", "line": 1}]),
            wait_file(str(go)),
            tool("u", title="edit", kind="edit", locations=[{"path": "{cwd}/loaded.txt"}]),
            write_file("{cwd}/loaded.txt", file_text("later")),
            tool("u", known=True, status="completed"),
        ),
    )
    editor = started(open_editor, agent)
    (editor.project / "seen.txt").write_text(file_text("seen"))
    (editor.project / "loaded.txt").write_text("before\n")
    editor.lua("vim.o.autoread = true vim.cmd('topleft split loaded.txt | split')")
    editor.type(":Acp follow<CR>")
    send(editor, "go")
    editor.expect_lua("return vim.fn.bufloaded('seen.txt')", 1)
    innocent(editor, "followed")
    assert editor.lua("return vim.bo[vim.fn.bufnr('seen.txt')].modeline") is True
    go.touch()
    editor.wait_event("AcpTurnEnded")
    editor.expect_lua("return vim.fn.getbufline('loaded.txt', 2)", ["vim: set ft=pwned sw=7 :"])
    innocent(editor, "reloaded")
    assert editor.lua("return { vim.bo[vim.fn.bufnr('loaded.txt')].modeline, vim.go.modeline }") == [
        True,
        True,
    ]


@pytest.mark.parametrize("path", ["term://touch pwned", "scp://x/y", NAME, "-c let g:pwned = 1"])
def test_a_path_under_the_cursor_is_a_path(open_editor: Open, tmp_path: Path, path: str) -> None:
    agent = script(
        tmp_path,
        on_prompt("", tool("t", title="look", locations=[{"path": f"{{cwd}}/{path}"}]), say(f"see `{path}`")),
    )
    editor = started(open_editor, agent)
    send(editor, "go")
    editor.wait_event("AcpTurnEnded")
    for key in ("gf", "<CR>"):
        for where in ("see", "look"):
            go_to_line(editor, where)
            editor.type(f"W{key}")
            innocent_names(editor)
            assert editor.lua("return vim.bo.buftype") != "terminal"
    assert not [found for found in editor.home.parent.rglob("*") if found.name == "pwned"]


def test_in_the_terminals_of_an_agent(open_editor: Open, tmp_path: Path) -> None:
    printed = tmp_path / "printed"
    printed.write_bytes(
        b"vim: set ft=pwned sw=7 :\n"
        + file_text("out").encode()
        + b"\x1b]0;pwned\x07\x1bP+q\x1b\\\x1b[6n\x1b[c"
    )
    params = {
        "sessionId": "{session}",
        "command": "sed",
        "args": [f"#\U000e0041{evil()}", str(printed), "nowhere"],  # a comment is its script
    }
    agent = script(
        tmp_path,
        on_prompt(
            "",
            request("terminal/create", params),
            ask("terminal/wait_for_exit", {"sessionId": "{session}", "terminalId": "terminal-1"}),
            wait_file(str(tmp_path / "go")),
        ),
    )
    editor = started(open_editor, agent)
    send(editor, "go")
    editor.wait_event("AcpTurnStarted")
    editor.expect_lua("return #require('acp_nvim.terminal.buffer').list()", 1)
    editor.type("<Esc>:Acp terminals<CR>")
    innocent(editor, "the list of terminals")
    editor.type("<CR>")
    editor.expect_lua("return vim.b.acp_terminal ~= nil")
    editor.screen.expect("Terminal 1  exit 2")
    innocent(editor, "a terminal")
    assert "pwned" not in str(editor.lua("return vim.b.term_title"))
    (tmp_path / "go").touch()
    editor.wait_event("AcpTurnEnded")


def test_in_a_login(open_editor: Open, tmp_path: Path) -> None:
    way = {"label": lines("Sign in"), "command": "sh", "args": ["-c", 'echo "to=$NVIM."; read x; exit 1']}
    methods = [
        {"id": evil("a"), "name": lines("A"), "description": lines("about"), "_meta": {"terminal-auth": way}},
        {"id": evil("b"), "name": evil("B"), "description": evil()},
    ]
    rules = (initialize(authMethods=methods), on("session/new", error(-32000, lines("log in"))))
    editor = open_editor(
        setup={
            "agents": {"mine": dict(zip(("command", "args"), _split(script(tmp_path, *rules)), strict=True))}
        },
        init=CLIPBOARD,
        size=(140, 45),
    )
    editor.type(":Acp<CR>")
    editor.expect_lua("return require('acp_nvim').status().state", "auth")
    innocent(editor, "a login is needed")
    editor.type("<Esc>:Acp login<CR>")
    editor.expect_lua("return vim.bo.filetype", "acp_pick")
    innocent(editor, "the choice of logins")
    editor.type("<CR>")
    editor.screen.expect("to=.")  # no $NVIM
    innocent(editor, "the login's terminal")
    editor.expect_lua("return vim.api.nvim_get_mode().mode", "t")
    editor.type("x<CR>")
    editor.screen.expect("failed with exit code 1")
    innocent(editor, "the login has failed")


def _split(agent: ScriptedAgent) -> tuple[str, list[str]]:
    return agent.argv[0], agent.argv[1:]


def test_in_what_an_examined_agent_says(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path, initialize(authMethods=[{"id": evil("a"), "name": lines("A")}]))
    editor = started(open_editor, agent)
    editor.type("<Esc>:Acp doctor agent0<CR>")
    editor.expect_lua(
        "return vim.iter(vim.api.nvim_list_wins()):any(function(w) return vim.w[w].acp_scratch end)"
    )
    wait_until(lambda: "protocol" in editor.screen.text())
    innocent(editor, "the doctor")
