"""Markdown tables in the chat: drawn to its width, yanked as the agent has written them."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from textwrap import indent
from typing import Any

import pytest

from tests.fakes.script import on_prompt, permission, repeat, say, script, wait_file
from tests.functional.editor import Editor
from tests.functional.screen import PATIENCE
from tests.steps.conversation import go_to_line, is_lit, open_chat, read_chat, send

pytestmark = pytest.mark.every_nvim
Open = Callable[..., Editor]
TABLE = """\
| Setting | Default | What it does |
|---------|:-------:|-------------:|
| `width` | 0.4 | share of the columns, above one it counts **columns**, which is what many want |
| a \\| b | [8](https://example.org/rows) | rows |"""
WIDE = """\
 │ Setting │ Default │                                           What it does │
 ├─────────┼─────────┼────────────────────────────────────────────────────────┤
 │ width   │   0.4   │     share of the columns, above one it counts columns, │
 │         │         │                                which is what many want │
 │ a | b   │    8    │                                                   rows │
 That is all."""
NARROW = """\
 │ Setting │ Default │   What it does │
 ├─────────┼─────────┼────────────────┤
 │ width   │   0.4   │   share of the │
 │         │         │ columns, above │
 │         │         │  one it counts │
 │         │         │ columns, which │
 │         │         │   is what many │
 │         │         │           want │
 │ a | b   │    8    │           rows │
 That is all."""
ONE_ROW = """
  local before = vim.fn.winsaveview()
  vim.cmd([[execute "normal! \\<C-e>" | redraw]])
  local now = vim.fn.winsaveview()
  return (now.topline ~= before.topline or now.skipcol ~= before.skipcol) and now.topline < vim.fn.line("$")
"""
REGISTER = "return vim.fn.getreg('\"')"


def drawn(editor: Editor) -> str:
    """The screen from the first row of the table on."""
    lines = [line.rstrip() for line in editor.screen.lines()]
    first = next((row for row, line in enumerate(lines) if line.startswith(" │")), 0)
    return "\n".join(lines[first:])


def talk(open_editor: Open, tmp_path: Path, *steps: Any, **options: Any) -> Editor:
    agent = script(tmp_path, on_prompt("", *steps))
    editor = open_chat(open_editor, agent, setup={"chat": {"position": "tab"}}, **options)
    send(editor, "go")
    return editor


def test_a_table_is_drawn_to_the_width(open_editor: Open, tmp_path: Path) -> None:
    editor = talk(open_editor, tmp_path, say(f"Look:\n\n{TABLE}\n\nThat is all."), size=(80, 40))
    editor.wait_event("AcpTurnEnded")

    def is_drawn(table: str) -> Callable[[Any], bool]:
        wanted = "\n".join(line for line in table.split("\n")[:-1])
        return lambda _: drawn(editor).startswith(wanted)

    editor.screen.expect(is_drawn(WIDE), what="the table in 80 columns")
    assert editor.screen.attrs("Setting").get("bold")
    editor.type(":set columns=40<CR>")
    editor.screen.expect(is_drawn(NARROW), what="the table in 40 columns")
    editor.type(":set columns=80<CR>")
    editor.screen.expect(is_drawn(WIDE), what="the table in 80 columns again")
    # the cursor's line is the agent's, and so is what is yanked
    lines = TABLE.split("\n")
    go_to_line(editor, lines[3])
    editor.screen.expect(" | a \\| b | [8](https://example.org/rows) | rows |")
    editor.screen.expect(" │ Setting │ Default │")
    go_to_line(editor, lines[0])
    editor.type("y3j")
    assert editor.lua(REGISTER) == TABLE + "\n"
    editor.type("<C-w>j")
    editor.screen.expect(is_drawn(WIDE), what="the table without the cursor")


def test_the_end_stays_in_sight_as_a_table_gets_rows(open_editor: Open, tmp_path: Path) -> None:
    go = tmp_path / "go"
    row = f"| {'some words ' * 20}| {'other words ' * 20}|\n"
    steps = (say("| a | b |\n|---|---|\n"), repeat(5, say(row)), say("\nThe end."), wait_file(str(go)))
    editor = talk(open_editor, tmp_path, *steps, size=(60, 24))
    editor.screen.expect("The end.")
    editor.screen.expect(lambda screen: screen.text().count("│ some words") > 0)
    lines = editor.screen.lines()
    bar = next(row for row, line in enumerate(lines) if "<CR> queue" in line)
    assert lines[bar - 1].strip() == "The end.", editor.screen.picture()
    go.touch()


@pytest.mark.parametrize(
    "text",
    [
        "| no table |\n| at all |",
        "| a | b |\n|---|---|\n" + "| 1 | 2 |\n" * 120,
        f"|{' a |' * 60}\n|{'---|' * 60}\n|{' b |' * 60}",
    ],
    ids=["no second line", "too long", "too many columns"],
)
def test_what_cannot_be_drawn_stands_as_it_is(open_editor: Open, tmp_path: Path, text: str) -> None:
    editor = talk(open_editor, tmp_path, say(f"{text}\n\nThe end."), size=(80, 24))
    editor.wait_event("AcpTurnEnded")
    editor.screen.expect("The end.")
    assert "│" not in "".join(editor.screen.lines()[2:16])
    assert text.split("\n")[0] in read_chat(editor)


def test_a_table_made_to_cost_much_costs_little(open_editor: Open, tmp_path: Path) -> None:
    """Backticks of all lengths, long words, wide characters, as many rows as are drawn."""
    cells = " | ".join(["`" * (n % 17 + 1) + "世" * 9 for n in range(5)])
    rows = "".join(f"| {cells} {'x' * (n % 40)} |\n" for n in range(60))
    editor = talk(open_editor, tmp_path, say(f"| a |\n|---|\n{rows}\nThe end."), size=(60, 24))
    editor.screen.expect("The end.")
    editor.wait_event("AcpTurnEnded")
    editor.type("<C-w>k")
    spent = editor.lua(
        """local began = os.clock()
        vim.cmd("normal! gg")
        vim.cmd.redraw()
        vim.wait(300, function() return os.clock() - began > 0.3 end, 10)
        return os.clock() - began"""
    )
    assert spent < 0.25, f"{spent} s of CPU"
    editor.screen.expect(" `世世世")


def test_a_question_below_a_table_is_answered_when_all_of_it_was_seen(
    open_editor: Open, tmp_path: Path
) -> None:
    """The table's last rows are virtual lines above the question: they are none of its rows."""
    command = " ".join(f"word_{number}" for number in range(60))
    table = f"| a | b |\n|---|---|\n| {'one ' * 20}| {'two ' * 20}|\n"
    asks = permission("run it", kind="execute", rawInput={"command": command})
    editor = talk(open_editor, tmp_path, say(table), asks, say("you chose {answer}"), size=(40, 24))
    editor.wait_event("AcpQuestion")
    editor.type("<Esc><C-w>k")
    for _ in range(8):
        editor.type(":Acp answer 1<CR>")
        if editor.lua("return #require('acp_nvim').questions()") == 0:
            break
        editor.screen.wait_for(partial(is_lit, editor.screen), 1)  # once it has been read
    editor.wait_event("AcpAnswered", option_id="yes", by="user")


@pytest.mark.parametrize(
    ("columns", "drawn_rows"),
    [
        (40, [" │ word │ a long text that is broken  │", " │      │ at its blanks.              │"]),
        (
            22,
            [
                " │ word │ a long    │",
                " │      │ text that │",
                " │      │ is broken │",
                " │      │ at its    │",
            ],
        ),
    ],
)
def test_words_stay_whole_while_there_is_room(
    open_editor: Open, tmp_path: Path, columns: int, drawn_rows: list[str]
) -> None:
    table = "| a | b |\n|---|---|\n| word | a long text that is **broken** at its `blanks`. |\n"
    editor = talk(open_editor, tmp_path, say(f"{table}\nThe end."), size=(columns, 40))
    editor.wait_event("AcpTurnEnded")
    editor.screen.expect(lambda screen: drawn(editor).split("\n")[2:][: len(drawn_rows)] == drawn_rows)


PADDED = """\
| File                                    | What it does                                         |
| --------------------------------------- | ---------------------------------------------------- |
| `price.py`                              | adds up                                              |
| `report.py`                             | prints                                               |"""
DRAWN = """\
 │ File      │ What it does │
 ├───────────┼──────────────┤
 │ price.py  │ adds up      │
 │ report.py │ prints       │"""


def test_lines_that_are_longer_than_their_cells_leave_no_empty_rows(
    open_editor: Open, tmp_path: Path
) -> None:
    editor = talk(open_editor, tmp_path, say(f"Look:\n\n{PADDED}\n\nThe end."), size=(60, 30))
    editor.wait_event("AcpTurnEnded")
    if not editor.lua("return vim.fn.has('nvim-0.11') == 1"):  # cannot hide a line
        editor.screen.expect(" │ report.py │ prints       │")
        return
    editor.screen.expect(lambda _: drawn(editor).startswith(f"{DRAWN}\n\n The end."), what="no empty rows")
    # the cursor's line stands as it came, between those above and those below it
    heading, _, price, report = PADDED.split("\n")
    go_to_line(editor, price)
    above, below = DRAWN.split("\n")[:2], DRAWN.split("\n")[3]

    def shows_line(_: Any) -> bool:
        rows = drawn(editor).split("\n")
        return rows[:2] == above and rows[2].startswith(" | `price.py`") and below in rows[3:5]

    editor.screen.expect(shows_line, what="the cursor's line")
    go_to_line(editor, heading)
    editor.type("y3j")
    assert editor.lua(REGISTER) == f"{PADDED}\n"
    go_to_line(editor, report)
    editor.screen.expect(lambda _: drawn(editor).startswith("\n".join(DRAWN.split("\n")[:3]) + "\n | `rep"))
    editor.type("<C-w>j")
    editor.screen.expect(lambda _: drawn(editor).startswith(f"{DRAWN}\n\n The end."), what="no empty rows")
    # without conceal nothing is drawn over or beside the lines
    editor.type("<C-w>k:setlocal conceallevel=0<CR>")
    editor.screen.expect(lambda screen: "│" not in screen.text())


def test_an_answer_may_end_in_a_table(open_editor: Open, tmp_path: Path) -> None:
    editor = talk(open_editor, tmp_path, say(PADDED), size=(60, 30))
    editor.wait_event("AcpTurnEnded")
    editor.screen.expect(" │ report.py │ prints       │")
    if editor.lua("return vim.fn.has('nvim-0.11') == 1"):
        editor.screen.expect(lambda _: drawn(editor).startswith(DRAWN), what="the table")
    editor.type("imore<C-s>")
    editor.screen.expect(lambda _: drawn(editor).count("prints       │") >= 2, what="both tables")


def test_a_row_that_still_grows_stands_as_it_comes(open_editor: Open, tmp_path: Path) -> None:
    go, end = tmp_path / "go", tmp_path / "end"
    begun = say("| a | b |\n|---|---|\n| 1 | one |\n| 2 | tw")
    editor = talk(open_editor, tmp_path, begun, wait_file(str(go)), say("o |"), wait_file(str(end)))
    editor.screen.expect(" │ 1   │ one │\n | 2 | tw\n")
    go.touch()
    editor.screen.expect(" │ 1   │ one │\n │ 2   │ two │\n")
    end.touch()


def test_long_words_are_broken_at_their_slashes(open_editor: Open, tmp_path: Path) -> None:
    table = """\
| File | Function | Calls | What it does |
|------|----------|-------|--------------|
| `src/orders/report.py` | `test_total_of_none()` | 12 | prints it, rounded |
"""
    editor = talk(open_editor, tmp_path, say(f"{table}\nThe end."), size=(52, 30))
    editor.wait_event("AcpTurnEnded")
    editor.screen.expect(
        """\
 │ src/orders/   │ test_total_  │ 12    │ prints  │
 │ report.py     │ of_none()    │       │ it,     │"""
    )


def test_a_table_with_broken_words_is_a_list_if_that_is_lower(open_editor: Open, tmp_path: Path) -> None:
    table = """\
| File | Function | Calls | What it does |
|------|----------|-------|--------------|
| `src/orders/report.py` | `test_total_of_none()` | 12 | prints it, rounded, in the currency of the customer |
"""
    editor = talk(open_editor, tmp_path, say(f"{table}\nThe end."), size=(52, 30))
    editor.wait_event("AcpTurnEnded")
    if not editor.lua("return vim.fn.has('nvim-0.11') == 1"):  # each line has its rows
        editor.screen.expect(" │ report.py    │ of_none()    │       │ it,      │")
        return
    editor.screen.expect(
        """\
 File: src/orders/report.py
 Function: test_total_of_none()
 Calls: 12
 What it does: prints it, rounded, in the
   currency of the customer"""
    )
    editor.type(":set columns=90<CR>")
    editor.screen.expect("│ src/orders/report.py │ test_total_of_none() │ 12    │ prints it, rounded, in")


def test_a_table_with_tall_cells_is_a_list_if_that_is_lower(open_editor: Open, tmp_path: Path) -> None:
    table = """\
| Function | Where | What it does |
|----------|-------|--------------|
| `total` | `price.py:12` | the sum of all prices, in the order of the list, and none if it is empty |
"""
    editor = talk(open_editor, tmp_path, say(f"{table}\nThe end."), size=(40, 30))
    editor.wait_event("AcpTurnEnded")
    if not editor.lua("return vim.fn.has('nvim-0.11') == 1"):  # each line has its rows
        editor.screen.expect(" │ total    │ price.py:12 │ the sum   │")
        return
    editor.screen.expect(
        """\
 Function: total
 Where: price.py:12
 What it does: the sum of all prices,"""
    )
    editor.type(":set columns=60<CR>")
    editor.screen.expect(" │ total    │ price.py:12 │ the sum of all prices, in")


def test_a_table_without_room_for_its_words_is_a_list(open_editor: Open, tmp_path: Path) -> None:
    table = """\
| File | Function | Calls | What it does |
|------|----------|-------|--------------|
| `report.py` | `monthly()` | 12 | prints it, **rounded**, in the currency |
| `cart.py` | `checkout()` | 1 | charges |
"""
    editor = talk(open_editor, tmp_path, say(f"{table}\nThe end."), size=(30, 40))
    editor.wait_event("AcpTurnEnded")
    if not editor.lua("return vim.fn.has('nvim-0.11') == 1"):  # each line has its rows
        editor.screen.expect("│ 12   │")
        return
    rule = "─" * 28
    editor.screen.expect(
        f"""\
 {rule}
 File: report.py
 Function: monthly()
 Calls: 12
 What it does: prints it,
   rounded, in the currency
 {rule}
 File: cart.py
 Function: checkout()
 Calls: 1
 What it does: charges
 {rule}

 The end."""
    )
    go_to_line(editor, table.split("\n")[0])
    editor.type("y3j")
    assert editor.lua(REGISTER) == table


@pytest.mark.parametrize("count", [9, 40])
def test_the_wheel_scrolls_over_a_table_without_going_back(
    open_editor: Open, tmp_path: Path, count: int
) -> None:
    """With the cursor elsewhere. Rows of a table that is higher than the window are all seen on the way."""
    heading, rule, *_ = PADDED.split("\n")
    rows = [f"| `price{number}.py` {' ' * 27}| adds up {' ' * 45}|" for number in range(count)]
    text = "\n".join((heading, rule, *rows, "", *(f"line {number}\n" for number in range(9))))
    editor = talk(open_editor, tmp_path, say(text), size=(60, 20))
    editor.wait_event("AcpTurnEnded")
    editor.screen.expect("line 8")
    seen, tops = set(), []
    for _ in range(60):
        editor.lua("vim.api.nvim_input_mouse('wheel', 'up', '', 0, 5, 10)")
        editor.settle()
        lines = editor.screen.lines()
        seen |= {row for row in range(count) if any(f"price{row}.py" in line for line in lines)}
        tops.append(editor.lua("return vim.fn.line('w0', vim.fn.bufwinid(vim.fn.bufnr('^acp://1/chat$')))"))
    editor.screen.expect("▎You")
    assert tops == sorted(tops, reverse=True)
    assert seen == set(range(count))


@pytest.mark.parametrize(("columns", "key"), [(60, "<C-e>"), (60, "j"), (40, "<C-e>")])
def test_a_table_that_is_higher_than_the_window_leaves_no_empty_rows(
    open_editor: Open, tmp_path: Path, columns: int, key: str
) -> None:
    """All of its rows are seen on the way to its end, whichever key goes there."""
    heading, rule, *_ = PADDED.split("\n")
    rows = [f"| `price{number}.py` {' ' * 27}| adds up {' ' * 45}|" for number in range(60)]
    text = "\n".join(("Look:", "", heading, rule, *rows, "", "The end."))
    editor = talk(open_editor, tmp_path, say(text), size=(columns, 24))
    editor.wait_event("AcpTurnEnded")
    editor.type("<C-w>kgg")
    editor.screen.expect(" │ price0.py  │ adds up      │")
    fills_rows = editor.lua("return vim.fn.has('nvim-0.11') == 1")
    seen: set[int] = set()
    for _ in range(300):
        lines = editor.screen.lines()
        seen |= {number for number in range(60) if any(f"price{number}.py" in line for line in lines)}
        assert not fills_rows or not [
            line for line in lines if line.startswith(" │") and not line.strip(" │")
        ]
        if "The end." in editor.screen.text():
            break
        editor.type(key)
        editor.lua("vim.cmd.redraw()")
    assert seen == set(range(60))
    assert "The end." in editor.screen.text()


INSIDE = """\
| a | b |
|---|--:|
| 1 | a long text that is **broken** at its blanks |
| 2 | x |"""
INSIDE_DRAWN = """\
│ a   │                          b │
├─────┼────────────────────────────┤
│ 1   │ a long text that is broken │
│     │              at its blanks │
│ 2   │                          x │
"""


def test_a_table_stands_below_its_list_item_and_in_its_quotation(open_editor: Open, tmp_path: Path) -> None:
    in_list, quoted = indent(INSIDE, "  "), indent(INSIDE, "> ")
    text = f"- item\n\n{in_list}\n\n> said\n{quoted}\n\nThe end."
    editor = talk(open_editor, tmp_path, say(text), size=(40, 40))
    editor.wait_event("AcpTurnEnded")
    editor.screen.expect(indent(INSIDE_DRAWN, "   "))
    editor.screen.expect(" ▎ said\n" + indent(INSIDE_DRAWN, " ▎ "))
    go_to_line(editor, "> | a | b |")
    editor.type("y3j")
    assert editor.lua(REGISTER) == quoted + "\n"


def test_a_cell_is_broken_where_the_agent_says_so(open_editor: Open, tmp_path: Path) -> None:
    table = "| a | b |\n|---|---|\n| `f()`<br>**g**<br />the rest | written `<br>` |"
    editor = talk(open_editor, tmp_path, say(f"{table}\n\nThe end."), size=(80, 30))
    editor.wait_event("AcpTurnEnded")
    editor.screen.expect(
        """\
 │ f()      │ written <br> │
 │ g        │              │
 │ the rest │              │

 The end."""
    )


def test_the_line_of_the_cursor_has_no_rows_below_it(open_editor: Open, tmp_path: Path) -> None:
    """Its cells would stand there twice, from the row on for which the line has no room."""
    lines = TABLE.split("\n")
    editor = talk(open_editor, tmp_path, say(f"{TABLE}\n\nThe end."), size=(40, 40))
    editor.wait_event("AcpTurnEnded")
    editor.screen.expect(" │         │         │           want │")
    go_to_line(editor, lines[2])
    editor.screen.expect(" what many want |\n │ a | b   │")
    editor.type("<C-w>j")
    editor.screen.expect(" │         │         │           want │\n │ a | b   │")


def test_a_wider_window_beside_it_shows_all_lines_of_a_table(open_editor: Open, tmp_path: Path) -> None:
    """Its first lines are drawn in the narrower window alone."""
    editor = talk(open_editor, tmp_path, say(f"{PADDED}\n\nThe end."), size=(120, 40))
    editor.wait_event("AcpTurnEnded")
    editor.screen.expect(" │ report.py │ prints       │")
    editor.type("<C-w>k:40vsplit<CR>gg")
    names = ("price.py", "report.py")
    editor.screen.expect(
        lambda screen: all(screen.text().count(name) == 2 for name in names),
        what="both lines in both windows",
    )
    editor.screen.expect(lambda screen: screen.text().count("├─") == 1, what="the table in the narrower one")
    editor.type(":close<CR>")
    editor.screen.expect(lambda _: drawn(editor).startswith(DRAWN), what="the table in all of the width")


@pytest.mark.parametrize("columns", [44, 64, 90, 120])
def test_neovims_own_marks_of_what_is_cut_off_are_nowhere(
    open_editor: Open, tmp_path: Path, columns: int
) -> None:
    """Long lines and tables at the edges of the window, row by row: no "<<<" and no "@@@" over their text."""
    text = f"{'word ' * 90}\n\n{TABLE}\n\n- {'item ' * 60}\n\n{'last ' * 70}"
    editor = open_chat(open_editor, script(tmp_path, on_prompt("", say(text))), size=(columns, 20))
    send(editor, "go")
    editor.wait_event("AcpTurnEnded")
    editor.screen.expect("last last")
    editor.lua("vim.api.nvim_set_current_win(vim.fn.bufwinid('^acp://1/chat$')) vim.cmd.normal('gg')")
    seen = [editor.screen.text()]
    flushes = [editor.screen.flushes]
    while editor.lua(ONE_ROW):
        assert editor.screen.wait_for(lambda: editor.screen.flushes > flushes[-1], PATIENCE)
        flushes.append(editor.screen.flushes)
        seen.append(editor.screen.text())
    assert len(seen) > 10
    assert not [text for text in seen if "<<<" in text or "@@@" in text]
