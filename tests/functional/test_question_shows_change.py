"""An open edit question shows its change: the diff first, the options last, all of it on the screen."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from acp_nvim.chat.change_lines import height
from tests.fakes.script import Step, on_prompt, permission, say, script, tool, wait, wait_file, wait_until
from tests.functional.editor import Editor
from tests.functional.screen import Screen
from tests.steps.conversation import expect_answerable, expect_key, go_to_line, open_chat, read_chat, send

Open = Callable[..., Editor]
HELD = {"review": {"auto_open": False}}
BELOW = {**HELD, "chat": {"position": "bottom", "prompt_height": 3}}
PRICE = '''"""Prices."""


def total(orders):
    result = 0
    for order in orders:
        result += order.net
    return result


def mean(orders):
    return total(orders) / len(orders)
'''
BODY = "    result = 0\n    for order in orders:\n        result += order.net\n    return result\n"
SUM = "    return sum(order.net for order in orders)\n"
OLD_LINES = [f"value_{number} = {number}" for number in range(200)]
NEW_LINES = [f"{line}0" if number % 5 == 0 else line for number, line in enumerate(OLD_LINES)]


def text(lines: list[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def diff(path: str, new: str, **old: str | None) -> dict[str, Any]:
    return {"type": "diff", "path": "{cwd}/" + path, "newText": new, **old}


def edit(*content: dict[str, Any], id: str = "call", **fields: Any) -> Step:
    return permission("Edit the file", id=id, kind="edit", content=list(content), **fields)


def asking(open_editor: Open, folder: Path, step: Step, setup: Any = HELD, **options: Any) -> Editor:
    """The file price.py is there; the agent asks."""
    agent = script(folder, on_prompt("", say("I look at it first.\n"), step, say("you chose {answer}")))
    editor = open_chat(open_editor, agent, setup=setup, **options)
    (editor.project / "price.py").write_text(PRICE)
    (editor.project / "big.py").write_text(text(OLD_LINES))
    send(editor, "go")
    editor.wait_event("AcpQuestion")
    return editor


def colour(editor: Editor, group: str, part: str) -> int:
    return editor.lua("return vim.api.nvim_get_hl(0, { name = ..., link = false })", group)[part]


def ground(editor: Editor, group: str) -> int:
    return colour(editor, group, "bg")


def shown(screen: Screen) -> list[str]:
    """The rows of the screen that belong to the chat and say something, without the border."""
    return [row for line in screen.lines() if (row := line.rpartition("│ ")[2].strip())]


SHAPES = {
    "fragment": [diff("price.py", SUM, oldText=BODY)],
    "whole": [diff("price.py", PRICE.replace(BODY, SUM), oldText=PRICE)],
    "null": [diff("price.py", PRICE.replace(BODY, SUM), oldText=None)],
    "empty": [diff("price.py", PRICE.replace(BODY, SUM), oldText="")],
    "missing": [diff("price.py", PRICE.replace(BODY, SUM))],
    "raw": [],
}


@pytest.mark.parametrize("shape", SHAPES)
def test_whatever_its_shape_the_change_is_counted_and_shown_as_it_changes_the_file(
    open_editor: Open, tmp_path: Path, shape: str
) -> None:
    raw = {"file_path": "{cwd}/price.py", "old_string": BODY, "new_string": SUM}
    fields = {"rawInput": raw} if shape == "raw" else {}
    editor = asking(open_editor, tmp_path, edit(*SHAPES[shape], **fields), size=(120, 36))
    editor.screen.expect("1 ✓ Yes")
    rows = shown(editor.screen)
    assert any("price.py  +1 −4" in row for row in rows)
    first = rows.index("4   def total(orders):")
    assert rows[first + 1 : first + 5] == [
        "5 -     result = 0",
        "6 -     for order in orders:",
        "7 -         result += order.net",
        "8 -     return result",
    ]
    assert rows[first + 5].startswith("5 +     return sum(order.net")
    assert "Yes" in rows[first + 7]  # the last row is broken
    assert editor.acp("questions")[0]["has_diff"] is True


def test_a_new_file_a_missing_fragment_and_several_files(open_editor: Open, tmp_path: Path) -> None:
    new = edit(diff("fresh.py", "import os\n", oldText=None))
    lost = edit(diff("price.py", "b\n", oldText="nowhere in it\n"), id="two")
    several = edit(
        diff("price.py", SUM, oldText=BODY),
        diff("big.py", text(NEW_LINES), oldText=None),
        diff("third.py", "x = 1\n", oldText=None),
        id="three",
    )
    agent = script(
        tmp_path, on_prompt("new", new), on_prompt("lost", lost), on_prompt("several", several), name="three"
    )
    editor = open_chat(open_editor, agent, setup=HELD, size=(120, 40))
    (editor.project / "price.py").write_text(PRICE)
    (editor.project / "big.py").write_text(text(OLD_LINES))
    send(editor, "new")
    editor.screen.expect("fresh.py  +1")
    editor.screen.expect("│ 1 + import os")
    expect_answerable(editor)
    editor.type(":Acp accept<CR>")
    send(editor, "lost")
    editor.screen.expect("│ - nowhere in it")
    editor.screen.expect("The text to replace is not in the file")
    expect_answerable(editor)
    editor.type(":Acp accept<CR>")
    send(editor, "several")
    editor.screen.expect("more lines, gd shows all")
    for words in ("price.py   +1 −4", "big.py   +40 −40", "third.py   +1", "│  1 + x = 1"):
        editor.screen.expect(words)


def test_a_path_that_the_title_names_is_not_repeated(open_editor: Open, tmp_path: Path) -> None:
    """Unless more stands there: then the title could be about another file."""
    new = diff("src/fresh.py", "import os\n", oldText=None)
    plain = permission("Write src/fresh.py", kind="edit", content=[new], id="plain")
    other = permission("Write src/a.py, not src/fresh.py", kind="edit", content=[new], id="other")
    page = on_prompt("page", permission("Fetch https://example.org", kind="fetch", id="page"))
    agent = script(tmp_path, on_prompt("plain", plain), on_prompt("other", other), page)
    editor = open_chat(open_editor, agent, setup=HELD, size=(160, 40))
    send(editor, "plain")
    editor.screen.expect("Write src/fresh.py  +1")
    editor.screen.expect("│ 1 + import os")
    path = str(editor.project / "src/fresh.py")
    assert not [line for line in read_chat(editor) if path in line]
    expect_answerable(editor)
    editor.type(":Acp reject<CR>")
    send(editor, "other")
    editor.screen.expect("Write src/a.py, not src/fresh.py  +1")
    assert [line for line in read_chat(editor) if path in line]
    expect_answerable(editor)
    editor.type(":Acp reject<CR>")
    send(editor, "page")
    editor.screen.expect("fetch   https://example.org")
    editor.screen.expect("1 ✓ Yes")
    assert sum("https://example.org" in line for line in read_chat(editor)) == 1


def test_of_a_long_diff_twelve_rows_are_shown_and_it_can_be_answered(
    open_editor: Open, tmp_path: Path
) -> None:
    editor = asking(open_editor, tmp_path, edit(diff("big.py", text(NEW_LINES))), size=(120, 50))
    editor.screen.expect("big.py  +40 −40")
    editor.screen.expect("more lines, gd shows all")
    drawn = [row for row in editor.screen.lines() if "│   │ " in row.replace("│  │ ", "│   │ ")]
    assert len(drawn) == 13
    expect_answerable(editor)
    editor.type(":Acp accept<CR>")
    editor.wait_event("AcpAnswered", option_id="yes", by="user")
    editor.screen.expect("big.py  +40 −40")


def drawn_change(screen: Screen) -> list[str]:
    """The rows of the diff in the question."""
    rows = [line.partition("  │ ")[2] for line in screen.lines() if "  │ " in line]
    return [row.rpartition(" │")[0].rstrip() or row.rstrip() for row in rows]


@pytest.mark.parametrize("size", [(80, 20), (80, 24), (120, 30)])
def test_where_the_room_ends_both_sides_of_the_hunk_are_there(
    open_editor: Open, tmp_path: Path, size: tuple[int, int]
) -> None:
    """The user sees what comes, not only what goes; each side says how many lines it has left out."""
    loop = [f"step_{number}()" for number in range(14)]
    old, new = text(["def run():", *loop]), text(["def run():", "for step in STEPS:", "step()"])
    step = edit(diff("steps.py", new, oldText=None))
    agent = script(tmp_path, on_prompt("", say("I look at it first.\n"), step))
    editor = open_chat(open_editor, agent, setup=BELOW, size=size)
    (editor.project / "steps.py").write_text(old)
    send(editor, "go")
    editor.screen.expect("steps.py  +2 −14")
    editor.screen.expect("for step in STEPS:")
    rows = drawn_change(editor.screen)
    assert any("- step_0()" in row for row in rows)
    gone = [row for row in rows if "- step" in row]
    assert gone[-1].endswith(f"… {14 - len(gone)} more")
    editor.screen.expect("✗ No")


SIZES = [(80, 20), (80, 24), (30, 40), (200, 50)]


@pytest.mark.parametrize("size", SIZES)
def test_the_options_are_on_the_screen_and_one_command_answers(
    open_editor: Open, tmp_path: Path, size: tuple[int, int]
) -> None:
    step = edit(diff("big.py", text(NEW_LINES), oldText=None))
    editor = asking(open_editor, tmp_path, step, setup=BELOW, size=size)
    for option in ("Yes", "Always", "No"):
        editor.screen.expect(option)
    editor.screen.expect("big.py")
    expect_answerable(editor)
    editor.type("<Esc>:Acp accept<CR>")
    editor.wait_event("AcpAnswered", option_id="yes", by="user")


@pytest.mark.parametrize("size", [(80, 20), (30, 44), (120, 36)])
def test_the_end_stays_on_the_screen_when_the_size_changes(
    open_editor: Open, tmp_path: Path, size: tuple[int, int]
) -> None:
    step = edit(diff("big.py", text(NEW_LINES), oldText=None))
    editor = asking(open_editor, tmp_path, step, setup=BELOW, size=(100, 30))
    editor.screen.expect("more lines, gd shows all")
    editor.type("<Esc>")
    editor.lua("vim.o.columns, vim.o.lines = ...", *size)

    def is_whole(screen: Screen) -> object:
        """From the line of the call to the options, with as much of the diff as fits: it fills its window."""
        lines = screen.lines()
        bar = next(row for row, line in enumerate(lines) if line.startswith(" Scripted"))
        keys = max(row for row, line in enumerate(lines) if line.startswith((" ? ", " Scripted")))
        chat = lines[bar + 1 : keys]
        is_resized = (len(screen.cells()[0]), len(lines)) == size
        return is_resized and chat and all(chat) and chat[0].startswith(" ? edit") and "✗ No" in chat[-1]

    editor.screen.expect(is_whole, what="all of the question")
    expect_answerable(editor)
    editor.type(":Acp accept<CR>")
    editor.wait_event("AcpAnswered", option_id="yes", by="user")


def test_several_questions_in_a_low_chat_come_one_after_the_other(open_editor: Open, tmp_path: Path) -> None:
    """The one that is answered gives way: the last line of the chat stays at the bottom of its window."""
    waiting = [["ask", *permission(f"run number {number}", id=f"call-{number}")[1:]] for number in range(3)]
    agent = script(tmp_path, on_prompt("", *waiting, wait_file(str(tmp_path / "go"))))
    editor = open_chat(open_editor, agent, setup=BELOW, size=(80, 20))
    send(editor, "go")
    editor.expect_lua("return #require('acp_nvim').questions()", 3)
    for number in range(3):
        editor.type("<Esc>:Acp accept<CR>")
        editor.screen.expect(f"run number {number}")
        editor.expect_lua(
            "return #require('acp_nvim').questions()", lambda count, left=2 - number: count <= left + 1
        )
        if editor.lua("return #require('acp_nvim').questions()") > 2 - number:  # it was shown first
            expect_answerable(editor)
            editor.type(":Acp accept<CR>")
        editor.expect_lua("return #require('acp_nvim').questions()", 2 - number)
    (tmp_path / "go").touch()


def test_when_a_proposal_closes_the_next_question_is_whole_and_the_first_accept_counts(
    open_editor: Open, tmp_path: Path
) -> None:
    step = edit(diff("price.py", SUM, oldText=BODY))
    after = permission("pytest -q", id="run", kind="execute", rawInput={"command": "pytest -q"})
    done = tool("call", known=True, status="completed")
    agent = script(tmp_path, on_prompt("", say("First.\n" * 8), step, done, after))
    setup = {"chat": {"position": "bottom"}}
    editor = open_chat(open_editor, agent, setup=setup, size=(80, 24))
    (editor.project / "price.py").write_text(PRICE)
    editor.type("<Esc>")
    editor.acp("prompt", "go")
    editor.screen.expect("d diff")
    editor.type(":Acp diff<CR>")
    diffs = "return #vim.tbl_filter(function(win) return vim.wo[win].diff end, vim.api.nvim_list_wins())"
    editor.expect_lua(diffs, 2)
    expect_answerable(editor)
    editor.type(":Acp accept<CR>")
    editor.wait_event("AcpAnswered", option_id="yes")
    editor.expect_lua(diffs, 0)
    editor.screen.expect("execute pytest -q")
    editor.screen.expect("3 ✗ No")
    expect_answerable(editor)
    editor.type(":Acp accept<CR>")
    editor.wait_event("AcpAnswered", option_id="yes")


def test_a_diff_that_is_opened_again_at_once_leaves_the_options_on_the_screen(
    open_editor: Open, tmp_path: Path
) -> None:
    """Neovim may not notice that the chat was higher between: it tells of no new size then."""
    step = edit(diff("price.py", PRICE.replace(BODY, SUM), oldText=PRICE))
    editor = asking(open_editor, tmp_path, step, size=(140, 44))
    editor.screen.expect("price.py  +1 −4")
    for _ in range(5):
        editor.type(":Acp diff<CR>")
        editor.screen.expect(":w send")
        editor.screen.expect("1 ✓ Yes")
        editor.type(":q<CR>")
        editor.screen.expect_gone(":w send")


def test_the_question_says_that_its_proposal_is_edited(open_editor: Open, tmp_path: Path) -> None:
    """Also once its diff is closed. Its rows are what the agent proposes; what is refused whole has none."""
    step = edit(diff("price.py", PRICE.replace(BODY, SUM), oldText=PRICE))
    editor = asking(open_editor, tmp_path, step, size=(140, 44))
    editor.screen.expect("price.py  +1 −4")
    editor.type(":Acp diff<CR>")
    editor.screen.expect(":w send")
    editor.type(":%s/return sum.*/return math.fsum(order.net for order in orders)/<CR>ggOimport math<Esc>")
    editor.screen.expect("price.py  +1 −4  edited in the diff")
    editor.screen.expect("│ 5 +     return sum(")
    editor.type(":q<CR>")
    editor.screen.expect_gone(":w send")
    editor.screen.expect("price.py  +1 −4  edited in the diff")
    editor.type(":Acp diff<CR>")
    editor.screen.expect(":w send yours")
    editor.screen.expect("1 ✓ Yes")
    editor.type(":%diffget<CR>")
    editor.screen.expect("you refused it all: allowing once rejects it")
    editor.screen.expect_gone("│ 5 +     return sum(")
    editor.type("uuu")
    editor.screen.expect("price.py  +1 −4")
    editor.screen.expect_gone("edited in the diff")
    editor.screen.expect("│ 5 +     return sum(")


def test_what_the_user_has_edited_is_what_one_key_sends(open_editor: Open, tmp_path: Path) -> None:
    new = PRICE.replace(BODY, SUM)
    step = edit(diff("price.py", new, oldText=PRICE))
    go = wait_file(str(tmp_path / "go"))
    write = [
        "request",
        "fs/write_text_file",
        {"sessionId": "{session}", "path": "{cwd}/price.py", "content": new},
    ]
    agent = script(tmp_path, on_prompt("", step, write, tool("call", known=True, status="completed"), go))
    editor = open_chat(open_editor, agent, setup=HELD, size=(220, 44))
    (editor.project / "price.py").write_text(PRICE)
    send(editor, "go")
    editor.screen.expect("price.py  +1 −4")
    editor.type(":Acp diff<CR>")
    editor.screen.expect(":w send")
    editor.type("GoLAST = 1<Esc>:q<CR>")
    editor.screen.expect("+1 −4  edited in the diff")
    editor.screen.expect("price.py +1 −4  g1 yes")  # the bar
    expect_key(editor, "g1")
    editor.type("1")
    editor.wait_event("AcpAnswered", option_id="yes")
    editor.screen.expect("edited")
    wait_until(lambda: (editor.project / "price.py").read_text() == new + "LAST = 1\n")


def test_an_edit_of_a_changed_proposal_is_told_again(open_editor: Open, tmp_path: Path) -> None:
    later = PRICE.replace(BODY, SUM).replace("Prices", "Sums")
    asks = ["ask", *edit(diff("price.py", PRICE.replace(BODY, SUM), oldText=PRICE))[1:]]
    changed = tool("call", known=True, content=[diff("price.py", later, oldText=PRICE)])
    agent = script(
        tmp_path, on_prompt("", asks, wait_file(str(tmp_path / "go")), changed, wait("session/cancel"))
    )
    editor = open_chat(open_editor, agent, setup=HELD, size=(140, 44))
    (editor.project / "price.py").write_text(PRICE)
    send(editor, "go")
    editor.screen.expect("price.py  +1 −4")
    editor.type(":Acp diff<CR>")
    editor.screen.expect(":w send")
    editor.type("GoLAST = 1<Esc>:q<CR>")
    editor.screen.expect("price.py  +1 −4  edited in the diff")
    (tmp_path / "go").touch()
    editor.screen.expect("price.py  +2 −5  edited in the diff")


def test_unsaved_lines_are_lines_of_the_file(open_editor: Open, tmp_path: Path) -> None:
    """The diff is that of the live text: its numbers count unsaved lines, and no such line is removed."""
    step = edit(diff("price.py", PRICE.replace(BODY, SUM), oldText=None))
    agent = script(tmp_path, on_prompt("", step))
    editor = open_editor(
        setup={"agents": {"a": {"command": agent.argv[0], "args": agent.argv[1:]}}, **HELD}, size=(120, 36)
    )
    (editor.project / "price.py").write_text(PRICE)
    editor.type(":edit price.py<CR>ggO# mine<Esc>:Acp<CR>")
    editor.wait_event("AcpSessionStarted")
    send(editor, "go")
    editor.screen.expect("│ 5   def total(orders):")
    editor.screen.expect("price.py  +1 −4")
    assert "- # mine" not in editor.screen.text()


@pytest.mark.parametrize("columns", [80, 120])
def test_what_became_of_a_call_is_not_cut_off(open_editor: Open, tmp_path: Path, columns: int) -> None:
    path = "a_folder/of_some_length/price.py"
    step = edit(diff(path, "x = 1\n", oldText=None))
    agent = script(tmp_path, on_prompt("", step))
    editor = open_chat(open_editor, agent, setup=HELD, size=(columns, 30))
    send(editor, "go")
    editor.screen.expect("1 ✓ Yes")
    editor.screen.expect("        +1")
    expect_answerable(editor)
    editor.type("<Esc>:Acp reject<CR>")
    editor.screen.expect("        +1 rejected")
    editor.type(":set columns=200<CR>")
    editor.screen.expect(f"{path}  +1  rejected")
    editor.type(f":set columns={columns}<CR>")
    editor.screen.expect("        +1 rejected")


def test_a_long_option_goes_on_below_its_name(open_editor: Open, tmp_path: Path) -> None:
    names = ("Yes", "Yes, allow all edits during this session", "No, and tell the agent what to do")
    kinds = ("allow_once", "allow_always", "reject_once")
    options = [(str(number), *option) for number, option in enumerate(zip(names, kinds, strict=True))]
    step = permission("Edit", options, kind="edit", content=[diff("price.py", "x = 1\n", oldText=PRICE)])
    agent = script(tmp_path, on_prompt("", step))
    editor = open_chat(open_editor, agent, setup=HELD, size=(80, 30))
    send(editor, "go")
    editor.screen.expect("2 ✓✓ Yes, allow all")
    below = editor.screen.find("during")
    assert below == (editor.screen.find("2 ✓✓")[0] + 1, editor.screen.find("✓✓ Yes")[1])
    editor.screen.expect("gd diff")


def test_lines_that_are_left_out_between_two_changes_leave_a_sign(open_editor: Open, tmp_path: Path) -> None:
    """An empty line too; where every line between them is shown there is none."""
    new = (
        PRICE.replace("Prices", "Sums")
        .replace("total(orders):", "total(all):")
        .replace("in orders", "in all")
    )
    editor = asking(open_editor, tmp_path, edit(diff("price.py", new, oldText=PRICE)), size=(120, 50))
    editor.screen.expect("in all:")
    rows = [row.rpartition("│")[2] for row in shown(editor.screen)]
    first = next(at for at, row in enumerate(rows) if "Prices" in row)
    assert [row.strip() for row in rows[first : first + 8]] == [
        '1 - """Prices."""',
        '1 + """Sums."""',
        "⋯",
        "4 - def total(orders):",
        "4 + def total(all):",
        "5       result = 0",
        "6 -     for order in orders:",
        "6 +     for order in all:",
    ]


LONG = [f"name_{number} = compute(number, of_orders, with_tax)" for number in range(9, 12)]


def open_long(open_editor: Open, folder: Path, columns: int, indent: str = "") -> Editor:
    """A question about lines 9 to 11, in a chat whose window is as wide as the screen. Its text has a column less."""
    above = [f"line {number}" for number in range(1, 9)]
    code = [f"{indent}{line}" for line in LONG]
    changed = code[1].replace("of_orders", "of_all_orders")
    old, new = text([*above, *code]), text([*above, code[0], changed, code[2]])
    step = edit(diff("long.py", new, oldText=None))
    editor = open_chat(open_editor, script(folder, on_prompt("", step)), setup=BELOW, size=(columns, 44))
    (editor.project / "long.py").write_text(old)
    send(editor, "go")
    editor.screen.expect("✗ No")
    return editor


@pytest.mark.parametrize("columns", [34, 37, 48, 52])
def test_further_rows_of_a_line_of_code_begin_behind_its_gutter(
    open_editor: Open, tmp_path: Path, columns: int
) -> None:
    """With the edge before them, on the ground of the line. In a narrow chat the sign alone stands before the code."""
    editor = open_long(open_editor, tmp_path, columns)
    rows = [line for line in editor.screen.lines() if line.startswith("   │ ")]
    gutters = [" 9   ", "10 - ", "10 + ", "11   "] if columns > 40 else ["  ", "- ", "+ ", "  "]
    size = len(gutters[0])
    assert [row[5 : 5 + size] for row in rows if "name_" in row] == gutters
    bare = "".join(row[5 + size :].rstrip() for row in rows).replace(" ", "")
    assert bare.startswith("".join(LONG[:2]).replace(" ", ""))
    assert all(row[5 + size] != " " for row in rows)
    first = editor.screen.find("+ name")[0]
    grounds = [
        {editor.screen.attrs_at(row, column).get("background") for column in range(1, columns)}
        for row in (first, first + 1)
    ]
    assert grounds[0] - {ground(editor, "AcpDiffAddedText")} == {ground(editor, "AcpDiffAdded")}
    assert grounds[1] - {ground(editor, "AcpDiffAddedText")} == {ground(editor, "AcpDiffAdded")}


def test_the_ground_of_a_line_that_tells_of_more_has_no_hole(open_editor: Open, tmp_path: Path) -> None:
    step = edit(diff("big.py", text(NEW_LINES), oldText=None))
    editor = asking(open_editor, tmp_path, step, setup=BELOW, size=(32, 44))
    editor.screen.expect("more lines")
    row, _ = editor.screen.find("more lines")
    assert "all" in editor.screen.lines()[row + 1]
    for place in (row, row + 1):
        grounds = {editor.screen.attrs_at(place, column).get("background") for column in range(1, 32)}
        assert grounds == {ground(editor, "AcpCode")}


@pytest.mark.parametrize(("columns", "indent"), [(34, ""), (37, ""), (48, ""), (52, ""), (62, "\t")])
def test_the_backend_knows_the_heights_of_the_lines_of_a_diff(
    open_editor: Open, tmp_path: Path, columns: int, indent: str
) -> None:
    editor = open_long(open_editor, tmp_path, columns, indent)
    heights = editor.lua("""
      local win = vim.fn.bufwinid(vim.fn.bufnr("acp://*/chat"))
      local found = {}
      for row, line in ipairs(vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(win), 0, -1, false)) do
        if line:find("name_") then
          local height = vim.api.nvim_win_text_height(win, { start_row = row - 1, end_row = row - 1 })
          found[line] = height.all - height.fill
        end
      end
      return found
    """)
    assert len(heights) == 4
    assert heights == {line: height((line, None), columns - 1) for line in heights}


def test_the_words_that_have_changed_stand_out(open_editor: Open, tmp_path: Path) -> None:
    """In the question and, once it is answered, in the unfolded call."""
    editor = open_long(open_editor, tmp_path, 100)

    def stands_out(sign: str, group: str, words: str) -> None:
        row, column = editor.screen.find(f"10 {sign} name_10")
        line = editor.screen.lines()[row]
        marked = [
            char
            for at, char in enumerate(line)
            if editor.screen.attrs_at(row, at).get("background") == ground(editor, group)
        ]
        assert "".join(marked) == words
        assert editor.screen.attrs_at(row, column).get("foreground") == colour(editor, "AcpNote", "fg")

    stands_out("-", "AcpDiffRemovedText", "of_orders")
    stands_out("+", "AcpDiffAddedText", "of_all_orders")
    expect_answerable(editor)
    editor.type("<Esc>:Acp accept<CR>")
    editor.wait_event("AcpTurnEnded")
    editor.screen.expect_gone("✗ No")
    go_to_line(editor, "edit ")
    editor.type("za")
    editor.screen.expect("10 - name_10")
    stands_out("-", "AcpDiffRemovedText", "of_orders")
    stands_out("+", "AcpDiffAddedText", "of_all_orders")


def test_code_has_the_colours_of_its_side_of_the_change(open_editor: Open, tmp_path: Path) -> None:
    """A string that only the old text opens does not swallow the lines below it."""
    old = 'LAST = 1  # first\nNOTE = """open\nvalue = 2  # stays\n'
    new = 'LAST = 2  # first\nNOTE = "shut"\nvalue = 2  # stays\n'
    agent = script(tmp_path, on_prompt("", edit(diff("note.py", new, oldText=old))))
    editor = open_chat(open_editor, agent, setup=HELD, size=(160, 40))
    (editor.project / "note.py").write_text(old)
    send(editor, "go")
    editor.screen.expect("✗ No")

    def foreground(screen: Screen, line: str, words: str) -> object:
        row, column = screen.find(line)
        return screen.attrs_at(row, column + line.index(words)).get("foreground")

    for line in ("1 - LAST = 1  # first", "1 + LAST = 2  # first", "3   value = 2  # stays"):
        editor.screen.expect(
            lambda screen, line=line: foreground(screen, line, "#") == colour(editor, "Comment", "fg"),
            what=f"a comment in {line}",
        )
        assert foreground(editor.screen, line, " = ") != colour(editor, "Comment", "fg")
    row, column = editor.screen.find("# first")
    assert editor.screen.attrs_at(row, column).get("background") == ground(editor, "AcpDiffRemoved")
    row, column = editor.screen.find('"shut"')
    assert editor.screen.attrs_at(row, column).get("background") in (
        ground(editor, "AcpDiffAdded"),
        ground(editor, "AcpDiffAddedText"),
    )
