"""`:Acp sessions`: what lives here and what agents have saved, in one list, by the keys alone."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.script import (
    ScriptedAgent,
    error,
    on,
    on_initialize,
    on_prompt,
    permission,
    result,
    say,
    script,
    update,
    wait,
    wait_file,
    wait_until,
)
from tests.functional.editor import Editor
from tests.steps.conversation import read_chat
from tests.steps.files import write
from tests.steps.sessions import converse_and_quit, open_with_agent

Open = Callable[..., Editor]
ALL = on_initialize(
    loadSession=True, sessionCapabilities={"list": {}, "resume": {}, "fork": {}, "close": {}, "delete": {}}
)
LISTED = "return vim.api.nvim_buf_get_lines(vim.fn.bufnr('acp://sessions'), 0, -1, false)"


def saved(id: str, title: str, hours: float) -> dict[str, Any]:
    when = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - 3600 * hours - 5))
    return {"sessionId": id, "title": title, "cwd": "/", "updatedAt": when}


def spoken(role: str, text: str) -> dict[str, Any]:
    return {"sessionUpdate": f"{role}_message_chunk", "content": {"type": "text", "text": text}}


HISTORY = (
    update(spoken("user", "An old question")),
    update(spoken("agent", "An old answer.")),
    update({"sessionUpdate": "tool_call", "toolCallId": "t", "title": "look around", "status": "completed"}),
)
PAGE = on(
    "session/list", result({"sessions": [saved("old", "Parse the log", 3), saved("older", "Tidy up", 80)]})
)


def agent_of(tmp_path: Path, *rules: Any, name: str = "mine") -> ScriptedAgent:
    return script(tmp_path, *rules, name=name)


def start(open_editor: Open, *agents: ScriptedAgent, **options: Any) -> Editor:
    names = [agent.log.stem for agent in agents]
    specs = {
        name: {"command": agent.argv[0], "args": agent.argv[1:]}
        for name, agent in zip(names, agents, strict=True)
    }
    return open_editor(setup={"agents": specs, "default_agent": names[0]}, **options)


def rows(editor: Editor) -> list[str]:
    return [" ".join(line.split()) for line in editor.lua(LISTED)]


def show(editor: Editor, *wanted: str) -> list[str]:
    """The list, once every text stands in one of its lines."""
    editor.type(":Acp sessions<CR>")
    return expect(editor, *wanted)


def expect(editor: Editor, *wanted: str) -> list[str]:
    editor.expect_lua(
        LISTED, lambda lines: all(any(text in " ".join(line.split()) for line in lines) for text in wanted)
    )
    return rows(editor)


def chat(editor: Editor) -> None:
    editor.type(":Acp<CR>")
    editor.wait_event("AcpSessionStarted")


def send(editor: Editor, text: str) -> None:
    editor.type(f"i{text}<Esc><CR>")


def test_the_list_shows_what_lives_and_what_is_saved(open_editor: Open, tmp_path: Path) -> None:
    again = {"sessionId": "s1", "title": "This very one", "cwd": "/"}
    page = on("session/list", result({"sessions": [saved("old", "Parse\nthe log", 3), again, "odd"]}))
    mine = agent_of(tmp_path, ALL, page, on_prompt("hello", say("Hi.")))
    editor = start(open_editor, mine, size=(120, 30))
    chat(editor)
    send(editor, "hello")
    editor.wait_event("AcpTurnEnded")
    assert show(editor, "saved")[0].startswith("1 done mine hello")
    editor.type("q:Acp rename Say hello<CR>")
    lines = show(editor, "saved", "Say hello")
    assert len(lines) == 2
    assert lines[0].startswith("1 done mine Say hello")
    assert lines[1] == "saved mine Parse the log / 3 h ago"
    editor.screen.expect("Sessions   <CR> go to  l load")
    assert editor.lua("return { vim.bo.filetype, vim.bo.modifiable, vim.fn.mode() }") == [
        "acp_sessions",
        False,
        "n",
    ]
    editor.type("g?")
    editor.screen.expect("delete permanently")
    rows = editor.lua("return vim.fn.map(vim.fn.getline(1, '$'), 'strdisplaywidth(v:val)')")
    assert max(rows) <= 56, "it fits a screen of 60 columns"


def test_the_list_is_as_high_as_what_it_shows(open_editor: Open, tmp_path: Path) -> None:
    editor = start(open_editor, script(tmp_path), size=(120, 48))
    chat(editor)
    editor.type(":Acp sessions<CR>")
    editor.screen.expect("lists no earlier sessions")
    height = "return vim.api.nvim_win_get_height(0)"
    editor.expect_lua(height, 4)
    for session in range(2, 9):
        editor.acp("new_session", {})
        editor.expect_lua("return #require('acp_nvim').sessions()", session)
    editor.expect_lua(height, 10)
    editor.type("<C-w>-")
    editor.acp("new_session", {})
    expect(editor, "9 idle")
    assert editor.lua(height) == 9


def test_a_saved_session_whose_folder_holds_a_nul_is_listed(open_editor: Open, tmp_path: Path) -> None:
    listed = {"sessionId": "odd", "cwd": "/tmp/a\0b", "title": "Odd"}
    agent = agent_of(tmp_path, ALL, on("session/list", result({"sessions": [listed]})), name="odd")
    editor = start(open_editor, agent, size=(120, 30))
    chat(editor)
    editor.type("<Esc>:Acp sessions<CR>")
    editor.screen.expect("/tmp/a^@b")
    assert editor.mode()["blocking"] is False


def test_equal_titles_are_told_apart_by_first_words(open_editor: Open, tmp_path: Path) -> None:
    again = converse_and_quit(open_editor, script(tmp_path, on_prompt("", say("So."))), "tidy up the parser")
    page = [saved("s1", "Fix it", 3), saved("s7", "Fix it", 4), saved("s8", "Another", 5)]
    agent = agent_of(tmp_path, ALL, on("session/list", result({"sessions": page})), name="second")
    editor = open_with_agent(open_editor, agent, **again)
    lines = show(editor, "Fix it · tidy up the parser")
    assert [line.split(" /")[0] for line in lines] == [
        "saved my agent Fix it · tidy up the parser",
        "saved my agent Fix it",  # nothing is kept of it here
        "saved my agent Another",
    ]


def test_the_list_shows_what_waits_and_when_something_happened(open_editor: Open, tmp_path: Path) -> None:
    change = write("{cwd}/a.txt", "two\n")
    mine = agent_of(
        tmp_path,
        on_prompt("change", change, say("Done.")),
        on_prompt("ask", permission("May I?")),
        on_prompt(""),
    )
    editor = start(open_editor, mine, size=(120, 30))
    (editor.project / "a.txt").write_text("one\n")
    chat(editor)
    send(editor, "change")
    editor.wait_event("AcpTurnEnded")
    editor.expect_lua("return require('acp_nvim').status().pending", 1)
    editor.type(":Acp new<CR>")
    editor.wait_event("AcpSessionStarted", session=2)
    editor.type(":Acp open 2<CR>")
    send(editor, "ask")
    editor.wait_event("AcpQuestion")
    first, second = show(editor, "?1", "±1")
    assert first.startswith("1 done mine change")
    assert first.endswith("±1 just now")
    assert second.startswith("2 needs you mine ask")
    assert second.endswith("?1 just now")
    editor.type(":Acp rename change<CR>")
    expect(editor, "change · ask")


def test_a_saved_session_is_loaded_with_its_tool_calls(open_editor: Open, tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    late = update(spoken("agent", "Told late."))
    mine = agent_of(tmp_path, ALL, PAGE, on("session/load", *HISTORY, wait_file(str(gate)), result({}), late))
    editor = start(open_editor, mine, size=(120, 40))
    chat(editor)
    show(editor, "saved mine Tidy up")
    editor.type("2Gl")
    editor.screen.expect("press l again: the agent may then read and write in /")
    editor.type("l")
    editor.screen.expect("An old answer.")
    editor.screen.expect("look around")
    assert editor.acp("status")["state"] == "starting"
    gate.touch()
    editor.wait_event("AcpSessionStarted", session=2)
    editor.screen.expect("Told late.")
    assert editor.acp("status")["session_id"] == "old"
    assert mine.got("session/load")[0]["params"] == {"sessionId": "old", "cwd": "/", "mcpServers": []}
    assert editor.lua("return vim.bo.filetype") == "acp_prompt"
    lines = show(editor, "2 idle mine Parse the log", "Tidy up")
    assert len(lines) == 3  # the saved one is listed once


def test_a_session_is_resumed_and_says_so(open_editor: Open, tmp_path: Path) -> None:
    mine = agent_of(tmp_path, ALL, PAGE)
    editor = start(open_editor, mine)
    chat(editor)
    show(editor, "saved")
    editor.type("2Grr")
    editor.wait_event("AcpSessionStarted", session=2)
    editor.screen.expect("resumed: the agent remembers")
    assert [message["params"]["sessionId"] for message in mine.got("session/resume")] == ["old"]
    assert not mine.got("session/load")


def test_a_refused_one_leaves_what_was_there_before(open_editor: Open, tmp_path: Path) -> None:
    refusal = on("session/load", error(-32002, "no such session"))
    editor = start(open_editor, agent_of(tmp_path, ALL, PAGE, refusal, on_prompt("", say("Here I am."))))
    chat(editor)
    send(editor, "hello")
    editor.screen.expect("Here I am.")
    editor.type(":Acp load nothing<CR>")
    editor.screen.expect("could not load nothing")
    editor.screen.expect("Here I am.")
    assert [status["session"] for status in editor.acp("sessions")] == [1]
    assert editor.mode()["blocking"] is False


@pytest.mark.parametrize("command", ["load other", "fork"])
def test_whoever_types_when_one_is_refused_is_not_moved(
    open_editor: Open, tmp_path: Path, command: str
) -> None:
    """No word of the draft is lost, and none gets into the prompt of another session by itself."""
    go = tmp_path / "go"
    refusal = [wait_file(str(go)), error(-32002, "no such session")]
    rules = [on(f"session/{name}", *refusal) for name in ("load", "fork")]
    mine = agent_of(tmp_path, ALL, PAGE, *rules, on_prompt("", say("Here I am.")))
    editor = start(open_editor, mine)
    chat(editor)
    send(editor, "hello")
    editor.screen.expect("Here I am.")
    editor.type(f":Acp {command}<CR>")
    editor.expect_lua("return vim.fn.bufname()", "acp://2/prompt")
    editor.type("ione ")
    editor.expect_lua("return vim.fn.mode()", "i")
    go.touch()
    editor.expect_lua("return #require('acp_nvim').sessions()", 1)
    editor.screen.expect("This session is closed")
    editor.type("two<C-s><S-Tab><Esc>")
    editor.screen.expect(f"could not {command[:4]}")
    editor.type("<CR>")
    editor.screen.expect("not sent, this session is closed")
    state = "return { vim.fn.bufname(), vim.fn.getline(1) }"
    assert editor.lua(state) == ["acp://2/prompt", "one two"]
    assert editor.lua("return vim.fn.getbufline('acp://1/prompt', 1, '$')") == [""]
    editor.type(":Acp<CR>")
    editor.expect_lua(state, ["acp://1/prompt", "one two"])
    editor.type("ggdG<C-p>")
    editor.expect_lua(state, ["acp://1/prompt", "one two"])
    assert len(mine.got("session/prompt")) == 1
    assert editor.lua("return vim.fn.bufexists('acp://2/prompt') + vim.fn.bufexists('acp://2/chat')") == 0


def test_what_the_agent_does_not_offer_is_one_line(open_editor: Open, tmp_path: Path) -> None:
    mine = agent_of(tmp_path, on_initialize())
    editor = start(open_editor, mine)
    chat(editor)
    for command, words in {
        "load x": "cannot load earlier sessions: x was not opened",
        "resume x": "cannot resume earlier sessions: x was not opened",
        "fork": "cannot fork",
        "delete x": "cannot delete",
        "logout": "cannot log out",
    }.items():
        editor.type(f":Acp {command}<CR>")
        editor.screen.expect(words)
    editor.type(":Acp sessions<CR>")
    editor.screen.expect("mine: lists no earlier sessions")
    assert [message["method"] for message in mine.got()] == ["initialize", "session/new"]


def test_going_from_one_to_another_while_both_work(open_editor: Open, tmp_path: Path) -> None:
    work = on_prompt("long", say("Slow and steady."), wait("never"))
    editor = start(open_editor, agent_of(tmp_path, ALL, work, on_prompt("ask", permission("Run it?"))))
    chat(editor)
    send(editor, "long")
    editor.screen.expect("Slow and steady.")
    editor.type(":Acp new<CR>")
    editor.wait_event("AcpSessionStarted", session=2)
    send(editor, "ask")
    editor.wait_event("AcpQuestion")
    lines = show(editor, "1 running mine", "2 needs you mine")
    assert len(lines) == 2
    editor.type("1G<CR>")
    editor.screen.expect("Slow and steady.")
    editor.expect_lua("return vim.b.acp_session", 1)
    editor.screen.expect_gone("acp://sessions")
    assert editor.lua("return vim.fn.bufexists('acp://sessions')") == 0


def test_the_cursor_stays_on_its_session_while_the_list_changes(open_editor: Open, tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    mine = agent_of(tmp_path, ALL, PAGE, on_prompt("wait", wait_file(str(gate))))
    editor = start(open_editor, mine)
    chat(editor)
    send(editor, "wait")
    editor.wait_event("AcpTurnStarted")
    show(editor, "1 running", "Tidy up")
    editor.type("3G")
    line = "return (vim.api.nvim_get_current_line():gsub('%s+', ' '))"
    editor.expect_lua(line, lambda text: "Tidy up" in text)
    gate.touch()
    expect(editor, "1 done")
    editor.lua("require('acp_nvim').new_session({ agent = 'mine' })")
    expect(editor, "2 idle")
    assert "Tidy up" in editor.lua(line)
    assert editor.lua("return vim.fn.line('.')") == 4
    editor.lua("require('acp_nvim').close_session({ session = 1 })")
    editor.expect_lua("return vim.fn.line('$')", 3)
    assert "Tidy up" in editor.lua(line)


def test_more_of_the_list_comes_at_its_end(open_editor: Open, tmp_path: Path) -> None:
    pages = [
        on(
            "session/list",
            result(
                {
                    "sessions": [saved(f"p{n}-{i}", f"Page {n} item {i}", i) for i in range(3)],
                    "nextCursor": f"c{n}",
                }
            ),
            text=f'"c{n - 1}"' if n else "",
            times=1,
        )
        for n in (2, 1, 0)
    ]
    mine = agent_of(tmp_path, ALL, *pages, on("session/list", result({"sessions": []})))
    editor = start(open_editor, mine, size=(110, 40))
    chat(editor)
    show(editor, "Page 0 item 2")
    editor.screen.expect("m loads more")
    assert len(mine.got("session/list")) == 1
    editor.type("m")
    expect(editor, "Page 1 item 2")
    editor.type("G")
    lines = expect(editor, "Page 2 item 2")
    assert len(lines) == 10


def test_close_and_delete_by_two_presses(open_editor: Open, tmp_path: Path) -> None:
    mine = agent_of(tmp_path, ALL, PAGE)
    editor = start(open_editor, mine)
    chat(editor)
    editor.type("ia draft<Esc>")
    show(editor, "Tidy up")
    editor.type("2Gd")
    editor.screen.expect("press d again to delete")
    editor.type("j")
    editor.screen.expect_gone("press d again to delete")
    editor.type("kd")
    editor.screen.expect("press d again to delete")
    assert not mine.got("session/delete")
    editor.type("d")
    editor.expect_lua(LISTED, lambda lines: not any("Parse the log" in line for line in lines))
    assert [message["params"] for message in mine.got("session/delete")] == [{"sessionId": "old"}]
    editor.type("1Gx")
    editor.wait_event("AcpSessionEnded", reason="closed")
    editor.expect_lua(LISTED, lambda lines: len(lines) == 1)
    wait_until(lambda: mine.got("session/close"))
    assert editor.acp("sessions") == []
    assert editor.lua("return require('acp_nvim.prompt.history').of(vim.fn.getcwd())") == ["a draft"]
    editor.type("q")
    wait_until(lambda: mine.logged("eof"))  # nobody needs its process any more


def test_without_a_session_the_default_agent_is_asked(open_editor: Open, tmp_path: Path) -> None:
    mine = agent_of(tmp_path, ALL, PAGE, on("session/load", *HISTORY))
    editor = start(open_editor, mine)
    show(editor, "Parse the log")
    assert [message["method"] for message in mine.got()] == ["initialize", "session/list"]
    editor.type("<CR><CR>")
    editor.wait_event("AcpSessionStarted", session=1)
    editor.screen.expect("An old answer.")
    assert editor.acp("status")["session_id"] == "old"


OF_FOLDERS = on("session/fork", result({"sessionId": "twin"}))


@pytest.mark.parametrize(("key", "method"), [("<CR>", "load"), ("l", "load"), ("r", "resume"), ("f", "fork")])
def test_a_folder_of_the_agents_is_named_whole_and_asked_about(
    open_editor: Open, tmp_path: Path, key: str, method: str
) -> None:
    """It lies outside of the current folder, also by way of a link, and is longer than the list is wide."""
    there = tmp_path / "/".join("a-folder-of-a-long-name" for _ in range(6)) / "end"
    there.mkdir(parents=True)
    (tmp_path / "link").symlink_to(there)
    page = on(
        "session/list", result({"sessions": [{**saved("old", "Parse the log", 3), "cwd": "{cwd}/out"}]})
    )
    mine = agent_of(tmp_path, ALL, page, OF_FOLDERS)
    editor = start(open_editor, mine, size=(80, 30))
    (editor.project / "out").symlink_to(tmp_path / "link")
    chat(editor)
    show(editor, "saved mine Parse the log")
    editor.type(f"2G{key}")
    editor.screen.expect(f"press {key} again: the agent may then read and write in")
    shown = "".join(line.strip() for line in editor.screen.text().split("\n"))
    assert str(there) in shown
    assert not mine.got(f"session/{method}")
    editor.type("1G2G" + key)  # a look elsewhere takes the question back
    editor.screen.expect(f"press {key} again")
    assert not mine.got(f"session/{method}")
    editor.type(key)
    editor.wait_event("AcpSessionStarted", session=2)
    assert mine.got(f"session/{method}")[0]["params"]["cwd"] == f"{editor.project}/out"


@pytest.mark.parametrize("folder", ["", "/src"])
def test_a_folder_of_the_project_is_not_asked_about(open_editor: Open, tmp_path: Path, folder: str) -> None:
    page = on(
        "session/list", result({"sessions": [{**saved("old", "Parse it", 3), "cwd": "{cwd}" + folder}]})
    )
    mine = agent_of(tmp_path, ALL, page, on("session/load", *HISTORY))
    editor = start(open_editor, mine)
    (editor.project / "src").mkdir()
    chat(editor)
    show(editor, "saved mine Parse it")
    editor.type("2G<CR>")
    editor.wait_event("AcpSessionStarted", session=2)
    assert mine.got("session/load")[0]["params"]["cwd"] == f"{editor.project}{folder}"


def test_a_fork_becomes_the_current_session(open_editor: Open, tmp_path: Path) -> None:
    mine = agent_of(tmp_path, ALL, on("session/fork", result({"sessionId": "twin"})))
    editor = start(open_editor, mine)
    chat(editor)
    editor.type(":Acp fork<CR>")
    editor.wait_event("AcpSessionStarted", session=2)
    editor.expect_lua("return require('acp_nvim').status().session_id", "twin")
    editor.screen.expect("forked")


WATCH = """
local chat = vim.fn.bufwinid(vim.fn.bufnr('^acp://1/chat$'))
scrolled, behind, busy = 0, 0, {}
vim.api.nvim_create_autocmd('WinScrolled', { callback = function()
  scrolled = scrolled + 1
  behind = behind + (vim.fn.line('w$', chat) < vim.fn.line('$', chat) and 1 or 0)
end })
local began = os.clock() -- of the processor: a busy machine must not count
loops = { vim.uv.new_check(), vim.uv.new_prepare() }
loops[1]:start(function() began = os.clock() end)
loops[2]:start(function() busy[#busy + 1] = (os.clock() - began) * 1000 end)
"""


def test_ten_sessions_on_two_agents_stream_at_once(open_editor: Open, tmp_path: Path) -> None:
    """Nothing crosses, the one in sight scrolls with its end, and Neovim is busy for moments only, between which
    any other client has its turn."""
    count = 200
    line = [["say", "{session} {n}. \n\n"], ["think_for", 0.005]]
    rules = ALL, on_prompt("", ["repeat", count, line])
    agents = [agent_of(tmp_path, *rules, name=name) for name in ("one", "two")]
    editor = start(open_editor, *agents)
    chat(editor)
    for number in range(1, 10):
        editor.acp("new_session", {"agent": ("one", "two")[number % 2]})
    editor.expect_lua(
        "return #vim.tbl_filter(function(s) return s.state == 'idle' end, require('acp_nvim').sessions())", 10
    )
    editor.lua(WATCH)
    with editor.second_client():
        for number in range(1, 11):
            editor.acp("prompt", f"go {number}", {"session": number})
        assert editor.screen.wait_for(lambda: len(editor.events("AcpTurnEnded")) == 10, 30)
    scrolled, behind, busy = editor.lua("return { scrolled, behind, busy }")
    assert (scrolled > 10, behind) == (True, 0)
    assert sorted(busy)[int(len(busy) * 0.99)] < 10
    for number in range(1, 11):
        id = editor.acp("status", {"session": number})["session_id"]
        said = " ".join(f"{id} {n}.  " for n in range(count)).strip()
        wait_until(lambda number=number, said=said: said in " ".join(read_chat(editor, number)))
        text = " ".join(read_chat(editor, number))
        assert f"go {number} " in text
        assert not [other for other in range(1, 6) if f"s{other}" != id and f"s{other} 7. " in text]


def test_when_neovim_leaves_the_agent_is_told(open_editor: Open, tmp_path: Path) -> None:
    closing = agent_of(tmp_path, ALL)
    mute = agent_of(tmp_path, on_initialize(), name="mute")
    editor = start(open_editor, closing, mute)
    chat(editor)
    editor.type(":Acp new mute<CR>")
    editor.wait_event("AcpSessionStarted", session=2)
    editor.type(":qa!<CR>")
    editor.wait_exit()
    assert [message["params"] for message in closing.got("session/close")] == [{"sessionId": "s1"}]
    assert not mute.got("session/close")
