"""What goes along with a prompt: named in its text, put there as chips, or given by a script."""

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.script import ScriptedAgent, on_initialize, on_prompt, script, wait_file, wait_until
from tests.functional.editor import Editor
from tests.steps.conversation import read_chat

Open = Callable[..., Editor]
Block = dict[str, Any]
PNG = b"\x89PNG\r\n\x1a\n" + bytes(20)
LINES = "return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '|')"
PROMPT = "return table.concat(vim.fn.getbufline('acp://1/prompt', 1, '$'), '|')"
TURN = "return require('acp_nvim').status().turn"
ALL = {"embeddedContext": True, "image": True}


def talking(open_editor: Open, tmp_path: Path, takes: dict[str, bool], *rules: Any, **options: Any) -> Any:
    """A session that is ready, its windows closed, and the user in an ordinary window."""
    agent = script(tmp_path, on_initialize(promptCapabilities=takes), *rules)
    spec = {"command": agent.argv[0], "args": agent.argv[1:]}
    options.setdefault("size", (160, 40))
    editor = open_editor(setup={"agents": {"agent": spec}, "default_agent": "agent"}, **options)
    return editor, agent


def begin(editor: Editor) -> None:
    editor.type(":Acp new<CR>")
    editor.wait_event("AcpSessionStarted")
    editor.type(":Acp close<CR>")
    editor.expect_lua("return vim.bo.buftype .. #vim.api.nvim_list_wins()", "1")


def blocks(agent: ScriptedAgent, turn: int = 1) -> list[Block]:
    """What went along with the prompt."""
    prompts = wait_until(lambda: agent.got("session/prompt")[turn - 1 :])
    return list(prompts[0]["params"]["prompt"][1:])


def words(agent: ScriptedAgent, turn: int = 1) -> str:
    return str(agent.got("session/prompt")[turn - 1]["params"]["prompt"][0]["text"])


def resources(agent: ScriptedAgent, turn: int = 1) -> list[tuple[str, str]]:
    """The name (with its lines) and text of each."""
    found = [block["resource"] for block in blocks(agent, turn) if block["type"] == "resource"]
    return [(os.path.basename(each["uri"]), each["text"]) for each in found]


def project(editor: Editor, **files: str) -> None:
    for name, text in files.items():
        path = editor.project / name.replace("__", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


NUMBERED = "".join(f"line {number}\n" for number in range(1, 31))


@pytest.mark.statement(51, 53)
@pytest.mark.parametrize("embeds", [True, False])
def test_a_named_file_goes_along_with_its_unsaved_text(
    open_editor: Open, tmp_path: Path, embeds: bool
) -> None:
    editor, agent = talking(open_editor, tmp_path, {"embeddedContext": embeds})
    project(editor, parse__py="on the disk\n", other__py="other\n")
    editor.type(":edit parse.py<CR>ccunsaved<Esc>")
    begin(editor)
    assert editor.acp("prompt", "look at @parse.py, and (@other.py).") is True
    editor.wait_event("AcpTurnEnded")
    assert words(agent) == "look at @parse.py, and (@other.py)."
    if embeds:
        assert resources(agent) == [("parse.py", "unsaved\n"), ("other.py", "other\n")]
        assert all(block["resource"]["uri"].startswith("file:///") for block in blocks(agent))
    else:
        kinds = [block["type"] for block in blocks(agent)]
        assert kinds == ["resource_link", "text", "resource_link"]
        assert "unsaved" in blocks(agent)[1]["text"]


MENTIONS = [
    ("@a.py", ["a.py"]),
    ("see @a.py.", ["a.py"]),
    ('"@a.py"?!', ["a.py"]),
    ("`@a.py`'s", ["a.py"]),
    ("@a.py's end", ["a.py"]),
    ("看@a.py。", ["a.py"]),
    ("@a.py @a.py", ["a.py"]),
    ("@a.py#L2-3", ["a.py#L2-3"]),
    ("@a.py#L2-L3,", ["a.py#L2-3"]),
    ("@a.py:2-3", ["a.py#L2-3"]),
    ("@a.py:3-2", ["a.py#L2-3"]),
    ("@a.py:2:", ["a.py#L2"]),
    ("@./a.py", ["a.py"]),
    ("@my file.txt is it", ["my%20file.txt"]),
    ("@my\\ file.txt:1", ["my%20file.txt#L1"]),
    ('@"my file.txt"#L1', ["my%20file.txt#L1"]),
    ("@name:1", ["name%3A1"]),
    ("@missing.py @dataclass", []),
    ("me@a.py git@a.py x/@a.py", []),
    ("@ a.py @@a.py @... @/", []),
    ("\\@a.py", []),
]


def test_what_counts_as_a_mention(open_editor: Open, tmp_path: Path) -> None:
    editor, agent = talking(open_editor, tmp_path, ALL)
    project(editor, a__py="1\n2\n3\n", **{"my file__txt": "mine\n", "name:1": "colon\n"})
    begin(editor)
    for turn, (text, wanted) in enumerate(MENTIONS, 1):
        editor.acp("prompt", text)
        editor.wait_event("AcpTurnEnded")
        assert words(agent, turn) == text
        assert [name for name, _ in resources(agent, turn)] == wanted, text


def test_a_folder_and_what_is_no_text_are_linked(open_editor: Open, tmp_path: Path) -> None:
    editor, agent = talking(open_editor, tmp_path, {"embeddedContext": True})
    (editor.project / "src").mkdir()
    (editor.project / "data.bin").write_bytes(b"\0\1\2")
    (editor.project / "shot.png").write_bytes(PNG)
    begin(editor)
    editor.acp("prompt", "@src/ @data.bin @shot.png")
    editor.wait_event("AcpTurnEnded")
    assert [(block["type"], block["name"]) for block in blocks(agent)] == [
        ("resource_link", "src"),
        ("resource_link", "data.bin"),
        ("resource_link", "shot.png"),
    ]


def test_diagnostics_go_along_as_text(open_editor: Open, tmp_path: Path) -> None:
    editor, agent = talking(open_editor, tmp_path, ALL)
    project(editor, a__py="x\n")
    editor.type(":edit a.py<CR>")
    editor.lua(
        "vim.diagnostic.set(vim.api.nvim_create_namespace('t'), 0,"
        "{ { lnum = 0, col = 0, severity = 1, message = 'not\\ndefined', source = 'ruff', code = 'F821' } })"
    )
    editor.type(":Acp<CR>")
    editor.wait_event("AcpSessionStarted")
    editor.type("ifix @diagnostics<Esc><CR>")
    editor.wait_event("AcpTurnEnded")
    assert [block["text"] for block in blocks(agent)] == [
        "diagnostics of a.py:\n1:1 error: not defined (ruff F821)"
    ]
    editor.screen.expect("with diagnostics of a.py")
    editor.lua("require('acp_nvim').prompt('x', { context = { { diagnostics = vim.fn.bufnr('a.py') } } })")
    editor.wait_event("AcpTurnEnded")
    assert "not defined" in blocks(agent, 2)[0]["text"]


def test_names_stand_for_selection_diff_quickfix_and_terminal(open_editor: Open, tmp_path: Path) -> None:
    editor, agent = talking(open_editor, tmp_path, ALL)
    project(editor, parse__py=NUMBERED)
    git = ["git", "-C", str(editor.project), "-c", "user.name=a", "-c", "user.email=a@b"]
    for arguments in (["init", "-q"], ["add", "."], ["commit", "-qm", "All"]):
        subprocess.run([*git, *arguments], check=True)
    (editor.project / "parse.py").write_text(NUMBERED + "an added line\n")
    editor.type(":edit parse.py<CR>2GVj<Esc>:terminal echo from a $((6 * 7))<CR>")
    editor.screen.expect("from a 42")
    editor.type(":buffer parse.py<CR>:cexpr 'parse.py:3: look here'<CR>:Acp<CR>")
    editor.wait_event("AcpSessionStarted")
    editor.type("iall of @sel<Tab> @diff<Tab> @qu<Tab> @te<Tab>")
    editor.expect_lua(
        "return vim.api.nvim_get_current_line()",
        lambda line: line == "all of @selection @diff @quickfix @terminal ",
    )
    # a slow git asks for a second press
    editor.expect_lua(f"if ({PROMPT[7:]}) ~= '' then vim.api.nvim_input('<C-s>') end {TURN}", 1)
    editor.wait_event("AcpTurnEnded")
    (lines, text) = resources(agent)[0]
    assert (lines, text.split()) == ("parse.py#L2-3", ["line", "2", "line", "3"])
    texts = [block["text"] for block in blocks(agent) if block["type"] == "text"]
    assert any("git diff" in text and "+an added line" in text for text in texts)
    assert any("quickfix list" in text and "parse.py:3:0: look here" in text for text in texts)
    assert any(text.startswith("terminal ") and "from a 42" in text for text in texts)
    # what there is nothing of is said, and not sent
    editor.type("<Esc>:call setqflist([])<CR>isee @quickfix<C-s>")
    editor.wait_event("AcpTurnEnded", turn=2)
    editor.screen.expect("the quickfix list is empty")


def test_the_visible_file_goes_along_as_a_chip_that_can_be_deleted(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path, on_initialize(promptCapabilities=ALL))
    spec = {"command": agent.argv[0], "args": agent.argv[1:]}
    editor = open_editor(setup={"agents": {"agent": spec}, "context": "buffer"}, size=(160, 40))
    project(editor, a__py="one\n")
    editor.type(":edit a.py<CR>:Acp<CR>")
    editor.wait_event("AcpSessionStarted")
    editor.type("i")
    editor.expect_lua(PROMPT, "(a.py) ")
    editor.type("<Esc>")  # nothing has been written
    editor.expect_lua(PROMPT, "")
    editor.type("itidy up<C-s>")
    editor.wait_event("AcpTurnEnded", turn=1)
    assert words(agent) == "(a.py) tidy up"
    assert resources(agent) == [("a.py", "one\n")]
    # it has the file: only a changed one goes along again
    editor.type("and now<C-s>")
    editor.wait_event("AcpTurnEnded", turn=2)
    assert (words(agent, 2), resources(agent, 2)) == ("and now", [])
    editor.type("<Esc><C-w>hccchanged<Esc>:Acp<CR>i")
    editor.expect_lua(PROMPT, "(a.py) ")
    # deleted, it stays away until the prompt has been sent
    editor.type("<C-u>alone<Esc>")
    editor.expect_lua(PROMPT, "alone")
    editor.type("ccstill<C-s>")
    editor.wait_event("AcpTurnEnded", turn=3)
    assert (words(agent, 3), resources(agent, 3)) == ("still", [])
    editor.expect_lua(PROMPT, "(a.py) ")
    editor.type("see<C-s>")
    editor.wait_event("AcpTurnEnded", turn=4)
    assert (words(agent, 4), resources(agent, 4)) == ("(a.py) see", [("a.py", "changed\n")])


def test_tab_without_a_menu_is_a_tab(open_editor: Open, tmp_path: Path) -> None:
    editor, agent = talking(open_editor, tmp_path, ALL)
    editor.type(":Acp<CR>")
    editor.wait_event("AcpSessionStarted")
    editor.type("ia<Tab>b<C-s>")
    editor.wait_event("AcpTurnEnded")
    assert words(agent) == "a\tb"


def test_a_selection_becomes_a_chip_that_moves_with_its_lines(open_editor: Open, tmp_path: Path) -> None:
    editor, agent = talking(open_editor, tmp_path, ALL)
    project(editor, parse__py=NUMBERED)
    editor.type(":edit parse.py<CR>")
    begin(editor)
    editor.type(":10,12Acp add<CR>")
    editor.screen.expect("added parse.py 10-12 to the prompt · :Acp prompt to write")
    editor.expect_lua(LINES, "(parse.py 10-12) ")
    assert editor.lua("return { vim.bo.filetype, vim.fn.mode() }") == ["acp_prompt", "n"]
    editor.type("<C-w>pggOnew<CR>new<Esc>:12s/.*/changed/<CR>:Acp<CR>Aexplain<Esc><CR>")
    editor.wait_event("AcpTurnEnded")
    assert words(agent) == "(parse.py 12-14) explain"
    assert resources(agent) == [("parse.py#L12-14", "changed\nline 11\nline 12\n")]
    editor.screen.expect("with parse.py 12-14")
    editor.type("<C-p>")
    editor.expect_lua(LINES, "(parse.py 12-14) explain")
    editor.type("<CR>")
    editor.wait_event("AcpTurnEnded")
    assert resources(agent, 2) == resources(agent)


def test_a_deleted_chip_is_nothing_and_a_moved_one_is_the_same(open_editor: Open, tmp_path: Path) -> None:
    editor, agent = talking(open_editor, tmp_path, ALL)
    project(editor, a__py=NUMBERED, b__py="b\n")
    editor.type(":edit a.py<CR>")
    begin(editor)
    editor.type(":2Acp add<CR>:Acp add b.py<CR>")
    editor.expect_lua(LINES, "(a.py 2) (b.py) ")
    editor.type("0d%xithen <Esc>yypkdd:s/then/now/<CR><CR>")
    editor.wait_event("AcpTurnEnded")
    assert resources(agent) == [("b.py", "b\n")]
    editor.type("u")
    editor.expect_lua(LINES, lambda text: "(b.py)" in text)
    editor.type(":%d<CR>i(a.py 2)<Esc><CR>")
    editor.wait_event("AcpTurnEnded")
    assert resources(agent, 2) == [("a.py#L2", "line 2\n")]


@pytest.mark.parametrize(
    ("how", "why"), [(":bwipeout! a.py", "is gone"), (":buffer a.py<CR>:2,3d", "are deleted")]
)
def test_a_chip_whose_lines_are_gone_is_left_out(
    open_editor: Open, tmp_path: Path, how: str, why: str
) -> None:
    editor, agent = talking(open_editor, tmp_path, ALL)
    project(editor, a__py=NUMBERED, b__py="b\n")
    editor.type(":set hidden<CR>:edit a.py<CR>")
    begin(editor)
    editor.type(f":2,3Acp add<CR><C-w>p:edit b.py<CR>{how}<CR>")
    editor.acp("prompt", "see (a.py 2-3)")
    editor.wait_event("AcpTurnEnded")
    assert blocks(agent) == []
    editor.type(":Acp<CR>")
    editor.screen.expect(
        lambda screen: "left out of the prompt: the" in screen.text() and why in screen.text()
    )


@pytest.mark.parametrize("change", ["ccnew<Esc>", ":s/.*/new/<CR>", "0Dinew<Esc>", "xxxxxxinew<Esc>"])
def test_a_line_that_is_rewritten_is_still_the_chips(open_editor: Open, tmp_path: Path, change: str) -> None:
    editor, agent = talking(open_editor, tmp_path, ALL)
    project(editor, a__py="one\ntwo\nthree\n")
    editor.type(":edit a.py<CR>")
    begin(editor)
    editor.type(f":3Acp add<CR><C-w>pG0{change}Goafter<Esc>")
    editor.acp("prompt", "see (a.py 3)")
    editor.wait_event("AcpTurnEnded")
    assert resources(agent) == [("a.py#L3", "new\n")]


def test_a_chip_outlives_the_unloading_of_its_buffer(open_editor: Open, tmp_path: Path) -> None:
    editor, agent = talking(open_editor, tmp_path, ALL)
    project(editor, a__py=NUMBERED, b__py="b\n")
    editor.type(":edit a.py<CR>")
    begin(editor)
    editor.type(":5Acp add<CR><C-w>pggdd:write<CR>:set nohidden<CR>:edit b.py<CR>")
    editor.expect_lua("return vim.fn.bufloaded('a.py')", 0)
    editor.acp("prompt", "see (a.py 5)")
    editor.wait_event("AcpTurnEnded")
    assert resources(agent) == [("a.py#L4", "line 5\n")]


@pytest.mark.parametrize("how", ["write | edit", "write | edit!", "write | !sed -i s/8/eight/ a.py"])
def test_a_chip_outlives_a_text_that_is_read_anew(open_editor: Open, tmp_path: Path, how: str) -> None:
    editor, agent = talking(open_editor, tmp_path, ALL)
    project(editor, a__py=NUMBERED)
    editor.type(":set autoread<CR>:edit a.py<CR>")
    begin(editor)
    editor.type(f":5,6Acp add<CR><C-w>pggdd:silent {how}<CR>:silent checktime<CR>:1<CR>Oabove<Esc>")
    editor.expect_lua("return vim.fn.getline(1)", "above")
    editor.acp("prompt", "see (a.py 5-6)")
    editor.wait_event("AcpTurnEnded")
    assert resources(agent) == [("a.py#L5-6", "line 5\nline 6\n")]


def test_chips_of_one_name_are_told_apart(open_editor: Open, tmp_path: Path) -> None:
    editor, agent = talking(open_editor, tmp_path, ALL)
    project(editor, **{"x/a__py": "in x\n", "y/a__py": "in y\n"})
    begin(editor)
    editor.type(":Acp add x/a.py y/a.py<CR>:Acp<CR><CR>")
    editor.wait_event("AcpTurnEnded")
    assert words(agent) == "(a.py) (a.py #2) "
    assert [text for _, text in resources(agent)] == ["in x\n", "in y\n"]


def test_add_starts_a_session_and_goes_to_its_prompt(open_editor: Open, tmp_path: Path) -> None:
    editor, agent = talking(open_editor, tmp_path, ALL)
    project(editor, **{"my file__txt": "mine\n"})
    editor.type(":edit my\\ file.txt<CR>:Acp add<CR>")
    editor.wait_event("AcpSessionStarted")
    editor.screen.expect("(my file.txt)")
    editor.expect_lua(LINES, "(my file.txt) ")
    editor.type("<CR>")
    editor.wait_event("AcpTurnEnded")
    assert resources(agent) == [("my%20file.txt", "mine\n")]


def test_quickfix_and_diff_go_along_as_text(open_editor: Open, tmp_path: Path) -> None:
    editor, agent = talking(open_editor, tmp_path, ALL)
    project(editor, a__py="one\n")
    for arguments in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "first"]):
        identity = ["-c", "user.name=a", "-c", "user.email=a@b"]
        subprocess.run(["git", *identity, *arguments], cwd=editor.project, check=True)
    project(editor, a__py="two\n")
    begin(editor)
    editor.lua("vim.fn.setqflist({ { filename = 'a.py', lnum = 1, col = 2, text = ' wrong ', type = 'E' } })")
    editor.type(":Acp add quickfix<CR>:Acp add diff<CR>")
    editor.screen.expect("added diff 2 lines to the prompt")
    editor.expect_lua(LINES, "(quickfix 1) (diff 2 lines) ")
    editor.type("<CR>")
    editor.wait_event("AcpTurnEnded")
    quickfix, diff = (block["text"] for block in blocks(agent))
    assert "a.py:1:2: E wrong" in quickfix
    assert "-one\n+two" in diff
    assert words(agent).startswith("(quickfix 1) (diff 2 lines)")


def slow_git(tmp_path: Path, gate: Path, then: str) -> dict[str, str]:
    """A git that waits for the gate before it says anything of a diff."""
    folder = tmp_path / "bin"
    folder.mkdir()
    wait = f'case "$*" in *" diff "*) while ! [ -e {gate} ]; do read -t 0.02 _ <> <(:); done; {then}; exit;; esac\n'
    (folder / "git").write_text(f'#!/bin/bash\n{wait}exec {shutil.which("git")} "$@"\n')
    (folder / "git").chmod(0o755)
    return {"PATH": f"{folder}:{os.environ['PATH']}"}


def test_a_prompt_does_not_leave_without_the_diff_that_git_still_reads(
    open_editor: Open, tmp_path: Path
) -> None:
    gate = tmp_path / "gate"
    environment = slow_git(tmp_path, gate, r"printf '\n-one\n+two\n'")
    editor, agent = talking(open_editor, tmp_path, ALL, env=environment)
    subprocess.run(["git", "init", "-q"], cwd=editor.project, check=True)
    begin(editor)
    editor.type(":Acp add diff<CR>")
    editor.expect_lua(LINES, "(diff) ")
    editor.type(":Acp prompt look at it<CR>")
    editor.screen.expect("not sent: git is still reading the diff")
    gate.touch()
    editor.expect_lua(LINES, "(diff 2 lines) ")
    editor.type(":Acp prompt look at it<CR>")
    editor.wait_event("AcpTurnEnded")
    assert [block["text"] for block in blocks(agent)] == ["git diff:\n\n-one\n+two\n"]
    assert words(agent).startswith("look at it (diff")


def test_a_diff_that_is_none_leaves_the_prompt_again(open_editor: Open, tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    editor, _ = talking(open_editor, tmp_path, ALL, env=slow_git(tmp_path, gate, "exit 0"))
    subprocess.run(["git", "init", "-q"], cwd=editor.project, check=True)
    begin(editor)
    editor.type(":Acp add diff<CR>")
    editor.expect_lua(LINES, "(diff) ")
    editor.type("Aand this<Esc>")
    gate.touch()
    editor.screen.expect("git sees no changes here")
    editor.expect_lua(LINES, "and this")


def test_chips_that_stand_alone_go_along_with_a_prompt_from_the_command_line(
    open_editor: Open, tmp_path: Path
) -> None:
    editor, agent = talking(open_editor, tmp_path, ALL)
    project(editor, a__py="a\n", b__py="b\n")
    begin(editor)
    editor.type(":Acp add a.py<CR>:Acp add! b.py<CR>")
    editor.expect_lua("return { vim.fn.mode(), vim.fn.getline('.') }", ["i", "(a.py) (b.py) "])
    editor.type("<Esc>:Acp prompt explain these<CR>")
    editor.wait_event("AcpTurnEnded")
    assert words(agent) == "explain these (a.py) (b.py)"
    assert resources(agent) == [("a.py", "a\n"), ("b.py", "b\n")]
    editor.expect_lua(LINES, "")
    editor.type(":Acp add a.py<CR>Aa draft<Esc>:Acp prompt another thing<CR>")
    editor.wait_event("AcpTurnEnded")
    assert words(agent, 2) == "another thing"
    assert resources(agent, 2) == []
    assert editor.lua(LINES) == "(a.py) a draft"


@pytest.mark.parametrize("command", ["Acp add", "Acp prompt explain"])
def test_lines_of_the_prompt_are_not_attached_to_it(open_editor: Open, tmp_path: Path, command: str) -> None:
    editor, agent = talking(open_editor, tmp_path, ALL)
    editor.type(":Acp<CR>")
    editor.wait_event("AcpSessionStarted")
    editor.type(f"ia draft<Esc>V:{command}<CR>")
    editor.screen.expect("lines of the prompt cannot be attached: select lines of a file")
    assert editor.lua(LINES) == "a draft"
    assert agent.got("session/prompt") == []


CANNOT_BE_ADDED = [
    ("add nowhere.py", "no such file: nowhere.py"),
    ("add quickfix", "the quickfix list is empty"),
    ("add diagnostics", "no diagnostics in"),
    ("add diff", "git has no diff"),
    ("add image a.py", "a.py is not a PNG"),
    ("add image none.png", "no such file"),
    ("add image", "add image needs a file name"),
]


def test_what_cannot_be_added_is_told_in_a_line(open_editor: Open, tmp_path: Path) -> None:
    editor, _ = talking(open_editor, tmp_path, ALL)
    project(editor, a__py="a\n")
    editor.type(":edit a.py<CR>")
    begin(editor)
    for command, told in CANNOT_BE_ADDED:
        editor.type(f":echo<CR>:Acp {command}<CR>")
        editor.screen.expect(told)
        assert editor.lua("return vim.api.nvim_get_mode().blocking") is False
        assert editor.lua(PROMPT) == ""


@pytest.mark.statement(52)
def test_a_picture_goes_to_an_agent_that_takes_it(open_editor: Open, tmp_path: Path) -> None:
    editor, agent = talking(open_editor, tmp_path, ALL)
    (editor.project / "shot.jpg").write_bytes(PNG)
    begin(editor)
    editor.type(":Acp add image shot.jpg<CR>:Acp<CR>")
    editor.expect_lua(LINES, "(image shot.jpg) ")
    editor.type("<CR>")
    editor.wait_event("AcpTurnEnded")
    assert [(block["type"], block["mimeType"]) for block in blocks(agent)] == [("image", "image/png")]
    editor.screen.expect("with image shot.jpg")


@pytest.mark.statement(52)
def test_a_picture_is_refused_where_the_agent_takes_none(open_editor: Open, tmp_path: Path) -> None:
    editor, agent = talking(open_editor, tmp_path, {})
    shot = editor.project / "shot.png"
    shot.write_bytes(PNG)
    begin(editor)
    for command in ("image shot.png", "clipboard"):
        editor.type(f":Acp add {command}<CR>")
        editor.screen.expect("this agent takes no images")
        editor.type(":echo<CR>")
        editor.screen.expect_gone("this agent takes no images")
    editor.acp("prompt", "see", {"context": [{"image": str(shot)}]})
    editor.wait_event("AcpTurnEnded")
    assert blocks(agent) == []
    left_out = "left out of the prompt: this agent takes no image files:"
    wait_until(lambda: any(left_out in line for line in read_chat(editor)))


@pytest.mark.parametrize("tool", ["wl-paste", "xclip", "pngpaste"])
def test_the_clipboards_picture(open_editor: Open, tmp_path: Path, tool: str) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "picture").write_bytes(PNG)
    program = tools / tool
    program.write_text(f"#!/bin/sh\ncat {tools / 'picture'}\n")
    program.chmod(0o755)
    path = f"{tools}:{os.environ['PATH']}"
    editor, agent = talking(open_editor, tmp_path, ALL, env={"PATH": path})
    begin(editor)
    editor.type(":Acp add clipboard<CR>")
    editor.screen.expect("added image clipboard-1.png to the prompt")
    editor.type(":Acp<CR><CR>")
    editor.wait_event("AcpTurnEnded")
    editor.screen.expect("with image clipboard-1.png")
    assert [block["mimeType"] for block in blocks(agent)] == ["image/png"]


def test_a_clipboard_without_tool_or_picture_is_told(open_editor: Open, tmp_path: Path) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    editor, _ = talking(open_editor, tmp_path, ALL)
    begin(editor)
    editor.lua("vim.env.PATH = ...", str(tools))
    editor.type(":Acp add clipboard<CR>")
    editor.screen.expect("install wl-clipboard, xclip or pngpaste")
    (tools / "xclip").write_text("#!/bin/sh\nexit 1\n")
    (tools / "xclip").chmod(0o755)
    editor.type(":Acp add clipboard<CR>")
    editor.screen.expect("no picture in the clipboard")


def test_an_edited_queue_keeps_what_goes_along_and_shows_it(open_editor: Open, tmp_path: Path) -> None:
    go = tmp_path / "go"
    editor, agent = talking(open_editor, tmp_path, ALL, on_prompt("busy", wait_file(str(go))))
    project(editor, a__py=NUMBERED)
    editor.type(":edit a.py<CR>")
    begin(editor)
    editor.acp("prompt", "busy")
    editor.type(":2,3Acp prompt explain this<CR>")
    editor.expect_lua("return require('acp_nvim').status().queue", 1)
    editor.type(":Acp queue<CR>")
    editor.screen.expect("with a.py 2-3")
    editor.type(":%s/explain/rewrite/<CR>:w<CR>")
    editor.screen.expect("1 prompt queued")
    go.touch()
    editor.wait_event("AcpTurnEnded", turn=2)
    assert words(agent, 2) == "rewrite this"
    assert resources(agent, 2) == [("a.py#L2-3", "line 2\nline 3\n")]


def test_each_prompt_of_an_edited_queue_keeps_what_goes_along(open_editor: Open, tmp_path: Path) -> None:
    go = tmp_path / "go"
    editor, agent = talking(open_editor, tmp_path, ALL, on_prompt("busy", wait_file(str(go))))
    project(editor, a__py=NUMBERED)
    editor.type(":edit a.py<CR>")
    begin(editor)
    editor.acp("prompt", "busy")
    for line, said in enumerate(("gone", "explain this", "explain that"), 1):
        editor.type(f":{line}Acp prompt {said}<CR>")
    editor.expect_lua("return require('acp_nvim').status().queue", 3)
    editor.type(":Acp queue<CR>")
    editor.screen.expect("with a.py 3")
    # the first goes with its separator, the next gets other words, the last goes before it, and there is a new one
    editor.type("gg2dd:%s/explain this/rewrite this/<CR>:3move 0<CR>:3move 1<CR>")
    editor.type(":$put =getline(2)<CR>:$put ='more'<CR>:w<CR>")
    editor.screen.expect("3 prompts queued")
    go.touch()
    editor.wait_event("AcpTurnEnded", turn=4)
    assert [words(agent, turn) for turn in (2, 3, 4)] == ["explain that", "rewrite this", "more"]
    assert [[uri for uri, _ in resources(agent, turn)] for turn in (2, 3, 4)] == [
        ["a.py#L3"],
        ["a.py#L2"],
        [],
    ]


def test_what_is_too_large_is_linked_and_said(open_editor: Open, tmp_path: Path) -> None:
    editor, agent = talking(open_editor, tmp_path, ALL)
    project(editor, big__txt="x" * 80 + "\n")
    editor.type(":edit big.txt<CR>")
    begin(editor)
    editor.type("20000yyp20000p")
    editor.lua("vim.fn.append(0, vim.fn['repeat']({ ('x'):rep(80) }, 20000))")
    editor.acp("prompt", "@big.txt @big.txt:1-2")
    editor.wait_event("AcpTurnEnded")
    assert [block["type"] for block in blocks(agent)] == ["resource_link", "resource"]
    editor.type(":Acp<CR>")
    editor.screen.expect("big.txt is 1.0 MB: linked, not embedded")


def test_context_that_is_wrong_is_refused_before_anything_is_sent(open_editor: Open, tmp_path: Path) -> None:
    editor, agent = talking(open_editor, tmp_path, ALL)
    begin(editor)
    refused = [
        {"context": [item]}
        for item in ({"file": "/nowhere"}, {"image": "/nowhere"}, {"x": 1}, 1, {"buffer": 99})
    ]
    for options in [*refused, {"context": [{"file": "/etc/hosts", "first": 3, "last": 1}]}, {"context": "x"}]:
        ok, message = editor.lua("return { require('acp_nvim').prompt('x', ...) }", options) or (None, None)
        assert (ok, bool(message)) == (None, True), options
    assert agent.got("session/prompt") == []
