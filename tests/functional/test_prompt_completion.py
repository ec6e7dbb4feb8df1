"""What the menu of the prompt offers: commands with their hints, and files."""

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.script import (
    on,
    on_prompt,
    say,
    script,
    update,
)
from tests.functional.editor import Editor
from tests.steps.conversation import open_chat
from tests.steps.proposals import get_prompts

Open = Callable[..., Editor]
LINES = "return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '|')"


def words(editor: Editor) -> list[str]:
    """What the menu offers."""
    return list(
        editor.lua("return vim.tbl_map(function(each) return each.word end, vim.fn.complete_info().items)")
    )


def commands(*named: tuple[str, str, str]) -> Any:
    offered = [
        {"name": name, "description": what, **({"input": {"hint": hint}} if hint else {})}
        for name, what, hint in named
    ]
    return update({"sessionUpdate": "available_commands_update", "availableCommands": offered})


def test_commands_complete_with_their_hints(open_editor: Open, tmp_path: Path) -> None:
    offers = commands(("plan", "Makes a plan", "what to plan"), ("play", "Plays", ""), ("test", "Tests", ""))
    agent = script(tmp_path, on("session/new", offers))
    editor = open_chat(open_editor, agent)
    editor.expect_lua("return #require('acp_nvim').commands()", 3)
    editor.type("i/pl<C-x><C-u>")
    editor.expect_lua("return vim.fn.pumvisible()", 1)
    assert words(editor) == ["/plan", "/play"]
    editor.screen.expect("what to plan  Makes a plan")
    editor.type("<C-y>")
    editor.expect_lua(LINES, "/plan ")
    editor.screen.expect_gone("Makes a plan")
    editor.screen.expect("/plan what to plan")
    editor.type("<Esc>:%d<CR>inot /pl<C-x><C-o>")
    editor.expect_lua("return vim.fn.complete_info().items", [])
    editor.type("<Esc>")
    assert editor.lua("return vim.fn.getcompletion('Acp prompt /pl', 'cmdline')") == ["/plan", "/play"]


@pytest.mark.parametrize("waits", [True, False], ids=["menu", "typed fast"])
def test_one_blank_follows_what_tab_completes(open_editor: Open, tmp_path: Path, waits: bool) -> None:
    offers = commands(
        ("edit", "Edits", "what to edit"), ("echo", "Echoes", "a text"), ("tour", "Shows all", "")
    )
    agent = script(tmp_path, on("session/new", offers), on_prompt("", say("got it")))
    editor = open_chat(open_editor, agent)
    (editor.project / "notes.txt").write_text("x")
    (editor.project / "deep").mkdir()
    (editor.project / "deep/er.txt").write_text("x")
    editor.expect_lua("return #require('acp_nvim').commands()", 3)

    def complete(keys: str) -> None:
        editor.type(keys)
        if waits:
            editor.expect_lua("return vim.fn.pumvisible()", 1)

    complete("i/ed")
    editor.type("<Tab>it and")
    editor.expect_lua(LINES, "/edit it and")
    complete(" @not")
    editor.type("<Tab> then")  # a blank by habit is the same one
    editor.expect_lua(LINES, "/edit it and @notes.txt then")
    complete(" @dee")
    editor.type("<Tab>")
    editor.expect_lua(LINES, "/edit it and @notes.txt then @deep/")
    complete("er")
    editor.type("<Tab>")
    editor.expect_lua(LINES, "/edit it and @notes.txt then @deep/er.txt ")
    editor.type("<C-s>")
    editor.wait_event("AcpTurnEnded")
    complete("/to")
    editor.type("<Tab>")
    editor.expect_lua(LINES, "/tour")
    editor.type("<Esc>cc/ec all of it<Home><Right><Right><Right><Tab>x")
    editor.expect_lua(LINES, "/echo xall of it")


def test_the_menu_opens_by_itself_and_chooses_nothing(open_editor: Open, tmp_path: Path) -> None:
    offers = commands(("plan", "Makes a plan", ""), ("play", "Plays", ""), ("test", "Tests", ""))
    editor = open_chat(open_editor, script(tmp_path, on("session/new", offers)))
    (editor.project / "notes.txt").write_text("x")
    editor.expect_lua("return #require('acp_nvim').commands()", 3)
    before = editor.lua("return vim.o.completeopt")
    editor.type("i/")
    editor.screen.expect("Makes a plan")
    editor.type("p")
    editor.expect_lua(
        "return vim.tbl_map(function(i) return i.word end, vim.fn.complete_info().items)",
        lambda w: w[:2] == ["/plan", "/play"] and len(w) == 2,
    )
    editor.expect_lua(LINES, "/p")
    editor.type("<C-n><C-n><C-y>")
    editor.expect_lua(LINES, "/play")
    editor.expect_lua("return vim.fn.pumvisible()", 0)
    editor.type(" see @not")
    editor.screen.expect("@notes.txt")
    editor.type("<CR>me@not and/or")
    editor.expect_lua(LINES, "/play see @not|me@not and/or")
    editor.expect_lua("return vim.fn.pumvisible()", 0)
    assert editor.lua("return vim.o.completeopt") == before
    editor.type(" @")
    editor.expect_lua("return vim.fn.pumvisible()", 1)
    editor.type("<Esc>")
    assert editor.lua("return vim.o.completeopt") == before


@pytest.mark.parametrize(
    ("typed", "chosen"), [("/pl", "/pl"), ("see @not", "see @not"), ("/pl|<C-n>", "/plan")]
)
def test_sending_closes_the_menu(open_editor: Open, tmp_path: Path, typed: str, chosen: str) -> None:
    offers = commands(("plan", "Makes a plan", ""), ("play", "Plays", ""))
    agent = script(tmp_path, on("session/new", offers), on_prompt("", say("got it")))
    editor = open_chat(open_editor, agent)
    (editor.project / "notes.txt").write_text("x")
    editor.expect_lua("return #require('acp_nvim').commands()", 2)
    completeopt = editor.lua("return vim.o.completeopt")
    editor.type("i")
    for keys in typed.split("|"):
        editor.type(keys)
        editor.expect_lua("return vim.fn.pumvisible()", 1)
    editor.expect_lua(LINES, chosen)
    editor.type("<C-s>")
    editor.wait_event("AcpTurnEnded")
    editor.expect_lua("return vim.fn.pumvisible()", 0)
    assert editor.lua(LINES) == ""
    assert editor.mode()["mode"] == "i"
    assert editor.lua("return vim.o.completeopt") == completeopt
    assert get_prompts(agent) == [[chosen]]
    editor.type("/")
    editor.screen.expect("Makes a plan")


def test_of_very_many_commands_the_menu_has_as_many_as_anybody_reads(
    open_editor: Open, tmp_path: Path
) -> None:
    offers = commands(*((f"c{n:03}", "", "") for n in range(1000)))
    editor = open_chat(open_editor, script(tmp_path, on("session/new", offers)))
    editor.expect_lua("return #require('acp_nvim').commands()", 1000)
    editor.type("i/c")
    editor.expect_lua("return vim.fn.pumvisible()", 1)
    assert words(editor) == [f"/c{n:03}" for n in range(100)]
    editor.type("99")
    editor.expect_lua(
        "return vim.tbl_map(function(i) return i.word end, vim.fn.complete_info().items)",
        [f"/c99{n}" for n in range(10)],
    )


@pytest.mark.parametrize(("of_user", "rows"), [(0, 12), (5, 5)])
def test_a_long_menu_leaves_the_chat_on_the_screen(
    open_editor: Open, tmp_path: Path, of_user: int, rows: int
) -> None:
    offers = commands(*((f"c{n:02}", "", "") for n in range(40)))
    editor = open_chat(open_editor, script(tmp_path, on("session/new", offers)), size=(100, 40))
    editor.lua("vim.o.pumheight = ...", of_user)
    editor.expect_lua("return #require('acp_nvim').commands()", 40)
    editor.type("i/")
    editor.expect_lua("return vim.fn.pum_getpos().height", rows)
    editor.type("<Esc>")
    assert editor.lua("return vim.o.pumheight") == of_user


def test_files_complete_from_what_git_lists(open_editor: Open, tmp_path: Path) -> None:
    editor = open_editor(init="")
    (editor.project / "src").mkdir()
    for name in (
        "src/new\nline.py",
        "src/parse.py",
        "src/my file.py",
        "ignored.py",
        ".gitignore",
        "readme.md",
        "src/deep.md",
    ):
        (editor.project / name).write_text("ignored.py\n")
    subprocess.run(["git", "init", "-q", "."], cwd=editor.project, check=True)
    agent = script(tmp_path)
    editor.lua(
        "require('acp_nvim').setup({ default_agent = 'a', agents = { a = { command = ..., args = select(2, ...) } } })",
        agent.argv[0],
        agent.argv[1:],
    )
    editor.type(":edit readme.md<CR>:Acp<CR>")
    editor.wait_event("AcpSessionStarted")
    listed = "return require('acp_nvim.prompt.project_files').of(vim.fn.getcwd()).complete"
    editor.expect_lua(listed, True)
    editor.type("ifix @<C-x><C-u>")
    editor.expect_lua("return vim.fn.pumvisible()", 1)
    offered = words(editor)
    assert offered[:2] == ["@readme.md", "@diagnostics"]
    assert {"@src/", "@src/parse.py", "@src/my\\ file.py"} <= set(offered)
    assert "@ignored.py" not in offered
    assert not any("\n" in word or "\0" in word or "line.py" in word for word in offered), "it cannot attach"
    for typed, wanted in (
        ("par", "@src/parse.py"),
        ("src/my", "@src/my\\ file.py"),
        ("sp.py", "@src/parse.py"),
    ):
        editor.type(f"<Esc>:%d<CR>i@{typed}<C-x><C-o>")
        editor.expect_lua(LINES, wanted)
    editor.type("<Esc>:%d<CR>ime@par<C-x><C-o>")
    editor.expect_lua("return vim.fn.pumvisible()", 0)


@pytest.mark.alone
def test_completion_in_a_large_repository_never_waits(open_editor: Open, tmp_path: Path) -> None:
    editor = open_chat(open_editor, script(tmp_path))
    entered = """
      local listing, paths, lower = require('acp_nvim.prompt.project_files').of(vim.fn.getcwd()), {}, {}
      for i = 1, 50000 do
        paths[i] = ('packages/component%d/source/Module%d.ts'):format(i % 500, i)
        lower[i] = paths[i]:lower()
      end
      listing.paths, listing.lower, listing.complete, listing.walks = paths, lower, true, true
    """
    editor.expect_lua("return require('acp_nvim.prompt.project_files').of(vim.fn.getcwd()).complete", True)
    editor.lua(entered)
    took = editor.lua(
        """
        local worst = 0
        for _, typed in ipairs({ '@', '@m', '@module4999', '@mts', '@zzzzzz', '@pcsm', '@' .. ('m'):rep(30) }) do
          local best = math.huge
          for _ = 1, 3 do
            local start = vim.uv.hrtime()
            require('acp_nvim.prompt.completion').candidates(1, typed)
            best = math.min(best, vim.uv.hrtime() - start)
          end
          worst = math.max(worst, best)
        end
        return worst / 1e6
        """
    )
    assert took < 20
