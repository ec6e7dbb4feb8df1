"""What informs can be read, in every colour scheme: measured on the screen."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.script import on_prompt, permission, say, script, think, tool, update, wait_file
from tests.functional.contrast import LEAST, SCHEMES, colours, contrast, put_on, runs
from tests.functional.editor import Editor
from tests.steps.conversation import expect_answerable, open_chat, send
from tests.steps.files import NOTES, open_notes, write
from tests.steps.forms import FIELDS, open_form
from tests.steps.proposals import DIFFS, make_diff
from tests.steps.terminals import OPEN_TERMINALS
from tests.tools import schemes

Open = Callable[..., Editor]
MARKDOWN = (
    "## Heading\n**bold** and *italic* and `code` and [a link](https://example.org)\n\n"
    "- a bullet\n- [x] ~~ticked~~\n> a quote\n\n| a | `b` |\n|---|---|\n| c | [d](e) |\n\n"
    "```\nplain code\n```\n```diff\n-gone\n+come\n```\n"
)
PLAN = [
    {"content": "a step that is done", "priority": "high", "status": "completed"},
    {"content": "a step that is under way", "priority": "high", "status": "in_progress"},
    {"content": "a step to come", "priority": "low", "status": "pending"},
]
# a line that has changed, lines that have come, one that is gone
TEXT = "".join(f"line {n} \n" for n in range(1, 61))
CHANGED = (
    TEXT.replace("line 3 \n", "THREE\n")
    .replace("line 8 \n", "line 8 \nten\nand a half\n")
    .replace("line 12 \n", "")
)
USAGE = {
    "sessionUpdate": "usage_update",
    "used": 21_000,
    "size": 100_000,
    "cost": {"amount": 0.2, "currency": "USD"},
}


class Look:
    """Measures screens in one scheme after the other, and tells of all that cannot be read at once."""

    def __init__(self, editor: Editor) -> None:
        self._editor = editor
        self._found: list[str] = []
        self._measured = 0

    def at(self, what: str, keeps: float = 1) -> None:
        """`keeps`: the share that code, whose colours are the scheme's, has to keep of its contrast on Normal."""
        for scheme in SCHEMES:
            put_on(self._editor, scheme)
            shown, normal = list(runs(self._editor)), self._editor.screen.colours["background"]
            self._measured += len(shown)
            dim = sorted(
                {
                    run
                    for run in shown
                    if run.ratio
                    < min(LEAST, keeps * contrast(run.foreground, normal) if keeps < 1 else LEAST)
                }
            )
            self._found += [f"{what}: {scheme:<16} {run}" for run in dim]

    def ends(self) -> None:
        assert self._measured > 100
        assert not self._found, "\n".join(["less than 4.5 : 1", *self._found])


def a_turn() -> tuple[Any, ...]:
    """Everything that a chat can show of a turn, at the end a command that runs."""
    counted = [make_diff(NOTES, "a\nb\n", "a\nc\nd\n")]
    failed = {"content": [{"type": "content", "content": {"type": "text", "text": "exit code 1"}}]}
    return (
        think("I think about it."),
        say(MARKDOWN),
        update({"sessionUpdate": "plan", "entries": PLAN}),
        update(USAGE),
        tool(
            "done",
            title="read notes.txt",
            kind="read",
            status="completed",
            locations=[{"path": NOTES, "line": 3}],
        ),
        tool("edited", title="edit notes.txt", kind="edit", status="completed", content=counted),
        tool("failed", title="make", kind="execute", status="failed", **failed),
        tool("waiting", title="a call to come", kind="search", status="pending"),
        tool("running", title="sleep 9", kind="execute", status="in_progress"),
    )


def test_a_conversation_can_be_read(open_editor: Open, tmp_path: Path) -> None:
    go = tmp_path / "go"
    agent = script(
        tmp_path,
        on_prompt("refuse", permission("rm x", kind="execute")),
        on_prompt("", *a_turn(), wait_file(str(go))),
    )
    editor = open_notes(open_editor, agent, size=(110, 50), setup={"chat": {"width": 0.75}})
    look = Look(editor)
    editor.type(":Acp<CR>i")
    editor.screen.expect("Ask Scripted")
    look.at("empty prompt, insert mode")
    editor.type("go on<C-s>")
    editor.screen.expect("sleep 9")
    editor.type("then this<C-s><Esc>")
    editor.screen.expect("1 queued")
    look.at("a turn runs, normal mode")
    editor.type("<C-w>kgg]tza]tza]tzagg")
    editor.screen.expect("exit code 1")
    look.at("tool calls unfolded")
    editor.type(":Acp queue<CR>")
    editor.screen.expect("edit, then :w")
    look.at("the queue")
    editor.type(":q<CR>:Acp sessions<CR>")
    editor.screen.expect("g? keys")
    look.at("the sessions")
    editor.type("g?")
    editor.screen.expect("close the window")
    look.at("the keys in a float")
    editor.type("q<C-w>t")
    look.at("the cursor in a file")
    go.touch()
    look.ends()


def test_a_change_can_be_read(open_editor: Open, tmp_path: Path) -> None:
    """As a question, as a proposal, in the file once it has happened."""
    agent = script(
        tmp_path,
        on_prompt("write", write(NOTES, CHANGED)),
        on_prompt("", permission("edit notes.txt", kind="edit", content=[make_diff(old=TEXT, new=CHANGED)])),
    )
    editor = open_notes(open_editor, agent, TEXT, size=(120, 50), setup={"review": {"auto_open": False}})
    look = Look(editor)
    editor.type(":Acp<CR>iedit it<C-s>")
    editor.screen.expect("needs you")
    look.at("a question, insert mode")
    in_all_schemes(editor, gone=["- line 3"], come=["THREE"])
    editor.type("<Esc>")
    look.at("a question, normal mode")
    editor.type("<C-w>k")
    look.at("a question, the cursor in the chat")
    editor.type(":Acp diff<CR>")
    editor.expect_lua(DIFFS, 2)
    editor.screen.expect("lines: ")  # a fold
    look.at("a proposal, the cursor on the right")
    editor.type("<C-w>h")
    look.at("a proposal, the cursor on the left")
    in_all_schemes(editor, gone=["line 3 ", "line 12 "], come=["THREE", "ten", "and a half"], as_it_is=["╱"])
    expect_answerable(editor)
    editor.type(":Acp reject<CR>")
    editor.wait_event("AcpTurnEnded")
    editor.acp("prompt", "write")
    editor.wait_event("AcpTurnEnded")
    editor.type("<C-w>t")
    editor.screen.expect("line 12")  # which is gone: a virtual line
    editor.type("gg]h")
    editor.screen.expect("]h next")
    look.at("a review, its keys at the hunk")
    editor.type("20G")
    in_all_schemes(editor, gone=["line 3 ", "line 12 "], come=["THREE", "ten", "and a half"])
    look.ends()


def test_a_question_that_leaves_lines_out_can_be_read(open_editor: Open, tmp_path: Path) -> None:
    """How many is said on the ground of the change."""
    new = "".join(f"other {n}\n" for n in range(20))
    agent = script(
        tmp_path,
        on_prompt("", permission("edit notes.txt", kind="edit", content=[make_diff(NOTES, TEXT, new)])),
    )
    held = {"review": {"auto_open": False}}
    editor = open_notes(open_editor, agent, TEXT, setup=held, size=(120, 40))
    editor.type(":Acp<CR>iedit it<C-s>")
    editor.screen.expect("+20 −60")
    editor.screen.expect("… 14 more")
    look = Look(editor)
    look.at("a question that leaves lines out")
    look.ends()


def test_changed_words_and_the_numbers_of_lines_can_be_read(open_editor: Open, tmp_path: Path) -> None:
    new = TEXT.replace("line 3 \n", "line 3 of more\n").replace("line 8 \n", "line of 8\n")
    change = permission("edit notes.txt", kind="edit", content=[make_diff(NOTES, TEXT, new)])
    held = {"review": {"auto_open": False}}
    editor = open_notes(
        open_editor, script(tmp_path, on_prompt("", change)), TEXT, setup=held, size=(120, 40)
    )
    editor.type(":Acp<CR>iedit it<C-s>")
    editor.screen.expect("8 + line of 8")
    look = Look(editor)
    look.at("words within a line")
    in_all_schemes(editor, gone=["- line 8"], come=["of more", "of 8"])
    look.ends()


def test_code_in_a_question_can_be_read(open_editor: Open, tmp_path: Path) -> None:
    """It has the scheme's colours, on grounds that leave it what contrast it has."""
    code = 'def total(orders):\n    """Sum it up."""\n    result = 0  # nothing yet\n    return result\n'
    new = code.replace('"""Sum it', '"""Add them').replace("0  # nothing yet", "sum(orders, 0)  # at once")
    change = permission("edit", kind="edit", content=[make_diff("{cwd}/price.py", code, new)])
    held = {"review": {"auto_open": False}}
    editor = open_notes(open_editor, script(tmp_path, on_prompt("", change)), setup=held, size=(120, 40))
    (editor.project / "price.py").write_text(code)
    editor.type(":Acp<CR>iedit it<C-s>")
    editor.screen.expect("3 + ")
    comment = "return vim.api.nvim_get_hl(0, { name = 'Comment', link = false }).fg"
    editor.screen.expect(lambda screen: screen.attrs("# at once").get("foreground") == editor.lua(comment))
    look = Look(editor)
    look.at("code in a question", keeps=0.75)
    look.ends()


def test_lines_that_a_proposal_replaces_can_be_read(open_editor: Open, tmp_path: Path) -> None:
    """The user's own are marked; code has the scheme's colours, on grounds that leave it what contrast it has."""
    code = 'def total(orders):\n    """Sum it up."""\n    result = 0  # nothing yet\n    return result\n'
    new = code.replace("0  # nothing yet", "sum(orders, 0)  # at once").replace(
        "    return", "    if True:\n        return"
    )
    path = "{cwd}/price.py"
    agent = script(
        tmp_path, on_prompt("", permission("edit", kind="edit", content=[make_diff(path, code, new)]))
    )
    editor = open_notes(open_editor, agent, size=(120, 40))
    (editor.project / "price.py").write_text(code)
    editor.type(":edit price.py<CR>:syntax on<CR>3GA of mine<Esc>")
    editor.acp("prompt", "edit it")
    editor.expect_lua(DIFFS, 2)
    editor.screen.expect("yours, unsaved")
    look = Look(editor)
    look.at("a proposal of code", keeps=0.75)
    look.ends()


def in_all_schemes(editor: Editor, gone: list[str], come: list[str], as_it_is: Sequence[str] = ()) -> None:
    """What goes has a red ground, what comes a green one: Neovim's own would have a deleted line green."""
    screen = editor.screen

    def ground(text: str) -> tuple[int, int, int]:
        _, colour = colours(screen, screen.attrs(text))
        return colour >> 16, colour >> 8 & 255, colour & 255

    for scheme in SCHEMES:
        put_on(editor, scheme)
        for text in gone:
            red, green, blue = ground(text)
            assert red - max(green, blue) > 12, (scheme, text, red, green, blue)
        for text in come:
            red, green, blue = ground(text)
            assert green - max(red, blue) > 12, (scheme, text, red, green, blue)
        for text in as_it_is:
            assert ground(text) == ground("line 5"), (scheme, text)


def test_a_form_can_be_read(open_editor: Open, tmp_path: Path) -> None:
    editor = open_form(open_editor, tmp_path, FIELDS)
    look = Look(editor)
    look.at("a form")
    expect_answerable(editor)
    editor.type(":w<CR>")
    editor.screen.expect("✗")
    look.at("a form with a fault")
    editor.type("<C-w>t")
    look.at("a form, the cursor elsewhere")
    look.ends()


def test_lists_and_the_bar_of_a_terminal_can_be_read(editor: Editor) -> None:
    look = Look(editor)
    for command, text in (
        ("agents", "not found"),
        ("doctor demo", "answered in"),
        ("log", "info: acp_nvim"),
    ):
        editor.type(f":Acp {command}<CR>")
        editor.screen.expect(text)
        look.at(command)
    editor.lua(OPEN_TERMINALS)
    for command, text in (("terminals", "pytest -q"), ("terminals 2", "q close")):
        editor.type(f":Acp {command}<CR>")
        editor.screen.expect(text)
        look.at(command)
        editor.type("<C-w>t")
        look.at(command + ", the cursor elsewhere")
    look.ends()


def test_a_scheme_of_the_users_own_is_left_alone(editor: Editor) -> None:
    """What the user or the scheme defines stays, whatever comes after; what is ours follows."""
    editor.type(":Acp<CR>")
    editor.screen.expect("· Ask")
    editor.type("<Esc>:highlight AcpNote guifg=#010203<CR>")
    put_on(editor, "retrobox dark")
    note = "return vim.api.nvim_get_hl(0, { name = 'AcpNote' })"
    assert editor.lua(note)["fg"] != 0x010203  # `:highlight clear` is the scheme's
    editor.type(":highlight AcpNote guifg=#010203<CR>:set background=light<CR>")
    editor.expect_lua("return vim.o.background", "light")
    editor.type(":highlight AcpNote guifg=#010203<CR>:doautocmd ColorScheme<CR>")
    editor.expect_lua(note, lambda group: group["fg"] == 0x010203)


@pytest.mark.every_nvim
@pytest.mark.parametrize("name", list(schemes.SCHEMES))
def test_a_record_of_a_scheme_is_true(name: str, program: Path) -> None:
    facts = schemes.drawn(program, name)
    if facts is None:
        pytest.skip("make plugins brings the scheme")
    known = schemes.recorded(name)["groups"]
    shared = facts["groups"].keys() & known.keys()  # a newer Neovim knows groups of its own
    assert len(shared) > 200
    assert {group: facts["groups"][group] for group in shared} == {group: known[group] for group in shared}


@pytest.mark.every_nvim
def test_a_ground_has_no_hole_in_its_rows(open_editor: Open, tmp_path: Path) -> None:
    """Beside a floating chat, where the rows of an option and of a diff within a list begin, and at their end."""
    many = " and more of it" * 6
    options = (("yes", f"Yes{many} to all", "allow_once"), ("no", "No", "reject_once"))
    block = f"- a list\n\n  ```diff\n  -gone{many} gone\n  ```\n"
    agent = script(tmp_path, on_prompt("", say(block), permission("Run it", options)))
    editor = open_chat(open_editor, agent, setup={"chat": {"position": "float"}}, size=(100, 40))
    send(editor, "go")
    screen = editor.screen
    screen.expect("to all")
    screen.expect("it gone")
    put_on(editor, "tokyonight-moon")
    top, left = screen.find("a list")
    left -= 3  # the margin

    def ground(row: int, column: int) -> int:
        return colours(screen, screen.attrs_at(row, column))[1]

    for needle in ("to all", "it gone"):
        row, column = screen.find(needle)
        assert ground(row, left) == ground(top, left + 1), "the margin has the ground of the float"
        assert {ground(row, at) for at in range(left + 1, column)} == {ground(row, column)}
