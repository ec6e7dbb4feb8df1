"""The editor's tools in a real Neovim: what an agent gets to know, and what it changes."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.script import on_prompt, tool, wait_file, wait_until
from tests.functional.editor import Editor
from tests.steps.conversation import expect_answerable
from tests.steps.editor_tools import CART, SHOP, TEST, begin, connect, expect_attached
from tests.steps.proposals import DIFFS

Open = Callable[..., Editor]


@pytest.mark.backends
@pytest.mark.every_nvim
def test_unsaved_lines_and_the_selection_reach_the_agent(open_editor: Open, tmp_path: Path) -> None:
    editor, agent = begin(open_editor, tmp_path, init="")
    editor.type("Aunsaved<Esc>")
    with connect(agent) as server:
        editor.expect_lua("return vim.bo.modified")
        text = wait_until(
            lambda: (said := server.call("read_buffer", path="cart.py")).count("unsaved)") and said
        )
        assert text == "cart.py (unsaved)\n1: def total(orders):unsaved\n2:     return sum(orders)"
        part = server.call("read_buffer", filePath=f"file://{editor.project}/cart.py", first=2, last=2)
        assert part == "cart.py (unsaved)\n2:     return sum(orders)"
        assert server.call("open_files") == "cart.py (unsaved): current, cursor in line 1"
        assert server.call("selection") == "nothing is selected; the cursor is in cart.py (unsaved), line 1"
        editor.type("jV")
        editor.settle()
        assert server.call("selection") == "cart.py (unsaved)\n2:     return sum(orders)"
        assert server.call("search_buffers", query="unsaved") == (
            "cart.py (unsaved)\n1: def total(orders):unsaved"
        )
        assert server.call("read_buffer", path="shop.py").startswith("shop.py\n1: from cart import total")
        assert "no such text file" in server.fail("read_buffer", path="none.py")
        calls = editor.expect_lua("return require('acp_nvim').status().tools.calls", lambda count: count > 7)
        editor.type("<Esc>:Acp tools<CR>")
        editor.screen.expect(f"mine #1: connected, 12 tools, {calls} calls")
        assert server.end() < 1
    editor.wait_event("AcpTools", state="ended")


@pytest.mark.every_nvim
def test_what_the_language_server_knows(open_editor: Open, tmp_path: Path) -> None:
    editor, agent = begin(open_editor, tmp_path)
    expect_attached(editor)
    editor.type("Gobroken = 'ä😀' + total<Esc>")
    with connect(agent) as server:
        where = {"path": "cart.py", "symbol": "total", "line_content": "broken ="}
        found = wait_until(
            lambda: "broken line" in (said := server.call("get_file_problems", path="cart.py")) and said
        )
        assert found == "cart.py (unsaved)\n3: broken = 'ä😀' + total\n    error: broken line (toy)"
        assert "broken line" in server.call("get_file_problems", severity="error")
        assert server.call("get_symbol_info", **where) == (
            "**total** is a word\ndefined in:\ncart.py (unsaved)\n1: def total(orders):"
        )
        assert server.call("find_usages", **where) == "\n".join(
            [
                "cart.py (unsaved)",
                "1: def total(orders):",
                "3: broken = 'ä😀' + total",
                "shop.py",
                "1: from cart import total",
                "3: print(total([1, 2]))",
                "test.py",
                "1: from cart import total",
                "3: assert total([]) == 0",
            ]
        )
        assert (
            server.call("search_symbol", query="tot")
            == "cart.py (unsaved)\n1: def total(orders):  # total (function)"
        )
        twice = server.call("find_usages", path="shop.py", symbol="total", lineContent="total")
        assert "lines 1, 3: line 1 was taken" in twice
        assert "has no 'nope'" in server.fail(
            "find_usages", path="shop.py", symbol="nope", line_content="print"
        )
        assert "no line of shop.py has" in server.fail(
            "find_usages", path="shop.py", symbol="a", line_content="zz"
        )


@pytest.mark.every_nvim
def test_a_file_that_is_not_open_is_loaded_for_a_moment(open_editor: Open, tmp_path: Path) -> None:
    editor, agent = begin(open_editor, tmp_path)
    (editor.project / "other.py").write_text("sloppy = 1\n")
    with connect(agent) as server:
        assert server.call("get_file_problems", path="other.py") == (
            "other.py\n1: sloppy = 1\n    warning: sloppy line (toy)"
        )
        assert server.call("get_file_problems", path="other.py", severity="error") == "no problems"
        assert "other.py" not in server.call("open_files")
        listed = "return #vim.fn.getbufinfo({ buflisted = 1 })"
        assert editor.lua(listed) == 1
        editor.expect_lua("return vim.fn.bufexists('other.py')", 0, timeout=15)
        assert not list(editor.home.rglob("*other.py.swp"))


def test_without_a_language_server_the_answer_says_what_to_do(open_editor: Open, tmp_path: Path) -> None:
    _, agent = begin(open_editor, tmp_path, init="")
    with connect(agent) as server:
        where = {"path": "cart.py", "symbol": "total", "line_content": "def"}
        assert server.fail("find_usages", **where) == (
            "no language server is attached to cart.py: search the files by text instead"
        )
        assert "edit the files yourself" in server.fail("rename_symbol", **where, new_name="x")


def test_a_file_that_nobody_looks_at_has_no_known_problems(open_editor: Open, tmp_path: Path) -> None:
    _, agent = begin(open_editor, tmp_path, init="")
    with connect(agent) as server:
        told = server.call("get_file_problems", path="shop.py")
        assert told == "no problems are known: no language server looks at shop.py"


def test_several_sessions_and_the_doctor(open_editor: Open, tmp_path: Path) -> None:
    editor, agent = begin(open_editor, tmp_path, init="")
    editor.acp("new_session")
    wait_until(lambda: len(agent.got("session/new")) == 2)
    with connect(agent):
        editor.type(":Acp tools<CR>")
        editor.screen.expect("mine #1: sent, 12 tools, 0 calls")
        editor.screen.expect("mine #2: ")
        editor.type(":close<CR>:Acp doctor mine<CR>")
        editor.screen.expect("tools       mine #1: sent, 12 tools, 0 calls")


def test_places_outside_the_folder_and_settings(open_editor: Open, tmp_path: Path) -> None:
    setup = {"fs": {"read": False, "outside": "deny"}}
    editor, agent = begin(open_editor, tmp_path, init="", setup=setup)
    secret = tmp_path / "secret.txt"
    secret.write_text("password\n")
    editor.type(f":split {secret}<CR>")
    editor.settle()
    with connect(agent) as server:
        assert "fs.read" in server.fail("read_buffer", path="cart.py")
        assert "outside" in server.fail("read_buffer", path=str(secret))
        assert server.call("open_files").split("\n") == [
            "cart.py: shown, cursor in line 1",
            "1 file outside the session's folders left out",
        ]
        assert server.call("search_buffers", query="o").split("\n") == [
            "cart.py",
            "1:",
            "2:",
            "1 file outside the session's folders left out",
        ]
        assert "password" not in server.call("selection")


def test_the_call_of_the_agent_and_ours_are_one_line(open_editor: Open, tmp_path: Path) -> None:
    go = tmp_path / "go"
    name = "mcp__acp_nvim__read_buffer"
    told = tool(
        "t1",
        title=name,
        status="pending",
        _meta={"claudeCode": {"toolName": name}},
        rawInput={"path": "cart.py"},
    )
    rule = on_prompt("", told, wait_file(str(go)), tool("t1", known=True, status="completed"))
    editor, agent = begin(open_editor, tmp_path, rule, init="")
    with connect(agent) as server:
        editor.type(":Acp<CR>")
        editor.acp("prompt", "read it")
        editor.wait_event("AcpToolCall", id="t1")
        assert server.call("read_buffer", path="cart.py").startswith("cart.py\n1:")
        go.touch()
        editor.wait_event("AcpTurnEnded")
    calls = [data for _, data in editor.events("AcpToolCall")]
    assert {call["id"] for call in calls} == {"t1"}
    assert {call["kind"] for call in calls[-1:]} == {"read"}
    editor.screen.expect("cart.py")
    editor.type(":Acp why<CR>")
    editor.screen.expect("allowed: reading what you have open")


RENAME = {"path": "cart.py", "symbol": "total", "line_content": "def total", "new_name": "sum_of"}


def texts(editor: Editor) -> dict[str, str]:
    return {name: (editor.project / name).read_text() for name in ("cart.py", "shop.py", "test.py")}


def begin_change(open_editor: Open, tmp_path: Path, **options: Any) -> tuple[Editor, Any, Path]:
    """cart.py has an unsaved line, shop.py is loaded, test.py is not; a turn is running."""
    editor, agent = begin(open_editor, tmp_path, **options)
    expect_attached(editor)
    editor.type(":badd shop.py | call bufload('shop.py')<CR>Go# mine<Esc>gg")
    editor.expect_lua("return vim.bo.modified")
    server = connect(agent)
    editor.type(":Acp<CR>")
    editor.acp("prompt", "rename it")
    wait_until(lambda: agent.got("session/prompt"))
    return editor, server, tmp_path / "go"


def renamed(text: str) -> str:
    return text.replace("total", "sum_of")


@pytest.mark.every_nvim
def test_a_rename_is_decided_as_one_proposal_and_undone_as_one(open_editor: Open, tmp_path: Path) -> None:
    editor, server, go = begin_change(open_editor, tmp_path)
    with server:
        number = server.begin_call("rename_symbol", **RENAME)
        editor.wait_event("AcpQuestion")
        [question] = editor.acp("questions")
        assert question["kind"] == "permission"
        assert [(option["id"], option["kind"]) for option in question["options"]] == [
            ("allow", "allow_once"),
            ("reject", "reject_once"),
        ]
        assert len(question["files"]) == 3
        editor.screen.expect("sum_of")
        assert editor.acp("answer", question["id"], "allow")
        text, is_error = server.result(number)
        assert not is_error
        assert text.startswith("the user allowed the change, and it is written: cart.py")
        assert texts(editor) == {
            "cart.py": f"{renamed(CART)}# mine\n",
            "shop.py": renamed(SHOP),
            "test.py": renamed(TEST),
        }
        go.touch()
        editor.wait_event("AcpTurnEnded")
    assert not editor.lua("return vim.bo[vim.fn.bufnr('cart.py')].modified")
    assert editor.acp("undo_turn")
    wait_until(lambda: texts(editor)["test.py"] == TEST)
    assert texts(editor)["shop.py"] == SHOP
    lines = editor.lua("return vim.api.nvim_buf_get_lines(vim.fn.bufnr('cart.py'), 0, -1, false)")
    assert lines == [*CART.splitlines(), "# mine"]


@pytest.mark.every_nvim
def test_a_refused_hunk_is_told_and_stays_as_it_was(open_editor: Open, tmp_path: Path) -> None:
    editor, server, go = begin_change(open_editor, tmp_path)
    with server:
        number = server.begin_call("rename_symbol", **RENAME)
        editor.wait_event("AcpQuestion")
        editor.expect_lua(DIFFS, 2)
        editor.type("<C-w>t<C-w>l")
        editor.expect_lua("return vim.bo.buftype", "acwrite")
        expect_answerable(editor)
        editor.type("ggdo:w<CR>")  # of the only hunk of cart.py; the next file opens
        while editor.acp("questions"):
            editor.type(":w<CR>")
            editor.settle()
        text, is_error = server.result(number)
        assert not is_error
        assert "the user allowed 4 of 5 hunks" in text
        assert "cart.py" in text
        go.touch()
        editor.wait_event("AcpTurnEnded")
    assert texts(editor) == {"cart.py": CART, "shop.py": renamed(SHOP), "test.py": renamed(TEST)}
    lines = editor.lua("return vim.api.nvim_buf_get_lines(vim.fn.bufnr('cart.py'), 0, -1, false)")
    assert lines == [*CART.splitlines(), "# mine"], "unsaved lines of a refused file stay unsaved"


def test_a_rejected_change_writes_nothing(open_editor: Open, tmp_path: Path) -> None:
    editor, server, _ = begin_change(open_editor, tmp_path)
    with server:
        number = server.begin_call("rename_symbol", **RENAME)
        editor.wait_event("AcpQuestion")
        [question] = editor.acp("questions")
        editor.acp("answer", question["id"], "reject")
        text, _ = server.result(number)
        assert text == "the user rejected the change: nothing was written"
    assert texts(editor) == {"cart.py": CART, "shop.py": SHOP, "test.py": TEST}


def test_a_late_decision_is_told_with_the_next_prompt(open_editor: Open, tmp_path: Path) -> None:
    editor, server, go = begin_change(open_editor, tmp_path, setup={"editor_tools_wait_ms": 200})
    with server:
        assert server.call("rename_symbol", **RENAME) == "waiting for the user: the result will be told"
        go.touch()
        editor.wait_event("AcpTurnEnded")
        [question] = editor.acp("questions")
        editor.acp("answer", question["id"], "allow")
        wait_until(lambda: texts(editor)["test.py"] == renamed(TEST))
        editor.expect_lua("return #require('acp_nvim').questions()", 0)
        editor.acp("prompt", "and now?")
        editor.wait_event("AcpTurnEnded", turn=2)


def test_rules_decide_the_editors_tools(open_editor: Open, tmp_path: Path) -> None:
    rules = [
        {"action": "reject", "tool": "neovim.format_file"},
        {"action": "allow", "tool": "neovim.rename_symbol"},
    ]
    editor, server, _ = begin_change(open_editor, tmp_path, setup={"permissions": rules})
    with server:
        assert "rule 1" in server.fail("format_file", path="cart.py")
        assert server.call("rename_symbol", **RENAME).startswith("the user allowed the change")
        assert not editor.events("AcpQuestion")
        answered = editor.wait_event("AcpAnswered")
        assert answered["by"] == "tool"
    assert texts(editor)["test.py"] == renamed(TEST)


@pytest.mark.every_nvim
def test_code_actions_and_formatting(open_editor: Open, tmp_path: Path) -> None:
    allow = [{"action": "allow", "tool": f"neovim.{name}"} for name in ("code_action", "format_file")]
    editor, server, _ = begin_change(open_editor, tmp_path, setup={"permissions": allow})
    path = editor.project / "test.py"
    with server:
        for action in ("Mend the line", "Mend it later", "Mend by command", 1):
            path.write_text("x = broken  \n")
            editor.type("<Esc>:silent! bwipe! test.py<CR>")
            editor.settle()
            listed = server.call("code_action", path="test.py", line_content="broken")
            assert listed.split("\n")[:4] == [
                "1: Mend the line",
                "2: Mend it later",
                "3: Mend by command",
                "4: Open a menu",
            ]
            server.call("code_action", path="test.py", line_content="broken", apply=action)
            assert path.read_text() == "x = mended  \n"
        menu = server.fail("code_action", path="test.py", line_content="mended", apply="Open a menu")
        assert "refused" in menu
        assert "no code action is called 'Bend'" in server.fail("code_action", path="test.py", apply="Bend")
        server.call("format_file", path="test.py")
        assert path.read_text() == "x = mended\n"
        assert server.call("format_file", path="test.py") == "test.py is formatted already"


def test_show_tells_whether_the_user_sees_it(open_editor: Open, tmp_path: Path) -> None:
    editor, agent = begin(open_editor, tmp_path, init="")
    with connect(agent) as server:
        assert "follow-along is off" in server.call("show", path="shop.py", line=3)
        editor.wait_event("AcpLocation", line=3)
        editor.type(":split<CR>:Acp follow<CR><C-w>w")
        editor.expect_lua("return require('acp_nvim').status().following")
        wait_until(lambda: server.call("show", path="test.py", line=3) == "shown: test.py, line 3")
        editor.screen.expect("assert total")


@pytest.mark.parametrize("by", ["user", "rule"])
def test_what_was_asked_is_kept_and_what_a_rule_allowed_waits(
    open_editor: Open, tmp_path: Path, by: str
) -> None:
    rules = [{"action": "allow", "tool": "neovim.rename_symbol"}] if by == "rule" else []
    editor, server, go = begin_change(open_editor, tmp_path, setup={"permissions": rules}, asked="keep")
    with server:
        number = server.begin_call("rename_symbol", **RENAME)
        if by == "user":
            editor.wait_event("AcpQuestion")
            [question] = editor.acp("questions")
            editor.acp("answer", question["id"], "allow")
        server.result(number)
        go.touch()
        editor.wait_event("AcpTurnEnded")
    wanted = {"kept"} if by == "user" else {"pending"}
    code = """return vim.iter(require('acp_nvim').changes()):map(function(file)
      return vim.iter(file.hunks):map(function(hunk) return hunk.state end):totable() end):flatten():totable()"""
    states = editor.expect_lua(code, lambda states: len(states) >= 3)
    assert set(states) == wanted


@pytest.mark.every_nvim
def test_a_change_without_a_turn_can_be_undone_as_one(open_editor: Open, tmp_path: Path) -> None:
    editor, agent = begin(open_editor, tmp_path)
    expect_attached(editor)
    with connect(agent) as server:
        number = server.begin_call("rename_symbol", **RENAME)
        editor.wait_event("AcpQuestion")
        [question] = editor.acp("questions")
        editor.acp("answer", question["id"], "allow")
        assert server.result(number)[0].startswith("the user allowed the change")
        editor.wait_event("AcpTurnEnded", turn=1)
        assert texts(editor)["test.py"] == renamed(TEST)
    assert editor.acp("undo_turn")
    wait_until(lambda: texts(editor) == {"cart.py": CART, "shop.py": SHOP, "test.py": TEST})


@pytest.mark.parametrize("where", ["beside", "over"])
def test_what_is_typed_while_the_proposal_waits(open_editor: Open, tmp_path: Path, where: str) -> None:
    editor, server, _ = begin_change(open_editor, tmp_path, setup={"review": {"auto_open": False}})
    with server:
        number = server.begin_call("rename_symbol", **RENAME)
        editor.wait_event("AcpQuestion")
        editor.type("<Esc><C-w>t")
        editor.type("Go# typed<Esc>" if where == "beside" else "ggcc# typed<Esc>")
        editor.expect_lua("return vim.fn.search('# typed', 'nw') > 0")
        [question] = editor.acp("questions")
        editor.acp("answer", question["id"], "allow")
        if where == "over":
            editor.wait_event("AcpQuestion")
            [conflict] = editor.acp("questions")
            assert conflict["kind"] == "conflict"
            editor.acp("answer", conflict["id"], "mine")
        text, _ = server.result(number)
    if where == "beside":
        assert texts(editor)["cart.py"] == f"{renamed(CART)}# mine\n# typed\n"
    else:
        assert "cart.py was not written: the user keeps their own version" in text
        assert texts(editor)["cart.py"] == CART
    assert texts(editor)["test.py"] == renamed(TEST)
