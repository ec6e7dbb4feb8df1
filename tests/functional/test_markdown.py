"""Markdown in the chat: marks are hidden where the cursor is not, and yanking gives what the agent has written."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.script import on_prompt, say, script
from tests.functional.editor import Editor
from tests.functional.screen import Screen
from tests.steps.conversation import go_to_line, open_chat, send

pytestmark = pytest.mark.every_nvim
Open = Callable[..., Editor]
TEXT = """\
## A heading with `code`
Some **bold**, *italic*, `code`, ~~struck~~ and [a link](https://x.org).

- a bullet
- [ ] open
- [x] done
> a quote

---

```python
x = 1
```
The end, `` `a` `` and 2 * 3 * 4 and snake_case_name."""
SHOWN = """\
 A heading with code
 Some bold, italic, code, struck and a link.

 • a bullet
 ☐ open
 ☑ done
 ▎ a quote

 ──────────────────────────────────────────────────────────────────────────────

 python
 x = 1
{closing} The end,  `a`  and 2 * 3 * 4 and snake_case_name."""
HIDES_LINES = "return vim.fn.has('nvim-0.11') == 1"
REGISTER = "return vim.fn.getreg('\"')"


def shown(editor: Editor) -> str:
    lines = editor.screen.lines()
    heading = next(row for row, line in enumerate(lines) if "Scripted" in line and row > 1)
    return "\n".join(line.rstrip() for line in lines[heading + 1 :])


def test_marks_are_hidden_where_the_cursor_is_not(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path, on_prompt("", say(TEXT)))
    editor = open_chat(open_editor, agent, setup={"chat": {"position": "tab"}}, size=(80, 40))
    send(editor, "tell me about **it**")
    editor.wait_event("AcpTurnEnded")
    hides = editor.lua(HIDES_LINES)
    wanted = SHOWN.format(closing="" if hides else "\n")
    editor.screen.expect(lambda _: shown(editor).startswith(wanted), what="Markdown without its marks")
    editor.screen.expect("▎tell me about **it**")  # the user's own words
    for text, attribute in (("bold", "bold"), ("italic", "italic"), ("struck", "strikethrough")):
        assert editor.screen.attrs(text).get(attribute), text
    # the cursor's line shows all, and what is yanked is what the agent has written
    lines = TEXT.split("\n")
    for row in (1, 4, 8, 10, 13):
        go_to_line(editor, lines[row])
        editor.screen.expect(f" {lines[row]}")
        editor.type("yy")
        assert editor.lua(REGISTER) == lines[row] + "\n"
    go_to_line(editor, lines[0])
    editor.screen.expect(f" {lines[0]}")
    editor.type("V13jy")
    assert editor.lua(REGISTER) == TEXT + "\n"
    # a hidden word, as a part of its line
    editor.type("j0fby2E")
    assert editor.lua(REGISTER) == "bold**, *italic*,"
    editor.type("<C-w>j")
    editor.screen.expect(lambda _: shown(editor).startswith(wanted), what="the cursor is in the prompt")


def test_the_first_level_of_headings_and_the_place_of_nested_code_are_seen(
    open_editor: Open, tmp_path: Path
) -> None:
    text = "# One\n\n## Two\n\n1. Code:\n\n   ```python\n   x = 1\n   ```\n"
    editor = open_chat(open_editor, script(tmp_path, on_prompt("", say(text))), size=(80, 40))
    send(editor, "go")
    editor.wait_event("AcpTurnEnded")
    editor.screen.expect("x = 1")
    assert editor.screen.attrs("One").get("underline") is True
    assert not editor.screen.attrs("Two").get("underline")
    assert editor.screen.find("python")[1] == editor.screen.find("x = 1")[1]


def test_a_user_who_wants_the_marks_sees_them(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path, on_prompt("", say(TEXT)))
    setup = {"chat": {"position": "tab", "conceal": False}}
    editor = open_chat(open_editor, agent, setup=setup, size=(80, 40))
    send(editor, "go")
    editor.wait_event("AcpTurnEnded")
    for line in ("## Scripted", *filter(None, TEXT.split("\n"))):
        editor.screen.expect(line)


@pytest.mark.parametrize(
    ("columns", "rows"),
    [
        (50, ["See the manual for more, and then then then then", "then then then then a file at the end."]),
        (80, ["See the manual for more, and then then then then then then then then a file at", "the end."]),
    ],
)
def test_a_long_target_of_a_link_leaves_no_hole(
    open_editor: Open, tmp_path: Path, columns: int, rows: list[str]
) -> None:
    link = f"[the manual](https://example.org/{'long/' * 14})"
    text = f"See {link} for more, and {'then ' * 8}[a file](src/a.py) at the end."
    agent = script(tmp_path, on_prompt("", say(f"{text}\n\n- {text}\n\nThat is all.")))
    editor = open_chat(open_editor, agent, setup={"chat": {"position": "tab"}}, size=(columns, 30))
    send(editor, "go")
    editor.wait_event("AcpTurnEnded")

    def drawn(_: Any) -> bool:
        return f" {rows[0]}\n {rows[1]}\n" in "\n".join(line.rstrip() for line in editor.screen.lines())

    editor.screen.expect(drawn, what="the line without its targets")
    editor.screen.expect(" • See the manual for more")
    assert "example.org" not in editor.screen.text()
    go_to_line(editor, text)
    editor.screen.expect("](https://example.org/")
    editor.type("yy")
    assert editor.lua(REGISTER) == text + "\n"


CODE = """\
```rust
// a comment that explains
fn answer() -> u32 {
    "a string"
}
```

```bash
echo "$HOME" # of the user
```

```nonsense
plain words
```

The end."""


def test_code_without_a_parser_is_coloured_by_its_syntax_file(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path, on_prompt("", say(CODE)))
    editor = open_chat(open_editor, agent, setup={"chat": {"position": "tab"}}, size=(80, 30))
    before = editor.lua("return #vim.api.nvim_list_bufs()")
    send(editor, "go")
    editor.wait_event("AcpTurnEnded")
    editor.screen.expect("plain words")

    def colour(screen: Any, text: str) -> Any:
        return screen.attrs(text).get("foreground")

    editor.screen.expect(lambda screen: colour(screen, "// a comment") != colour(screen, "plain words"))
    editor.screen.expect(lambda screen: colour(screen, "# of the user") == colour(screen, "// a comment"))
    assert colour(editor.screen, '"a string"') not in (
        colour(editor.screen, "// a comment"),
        colour(editor.screen, "plain words"),
    )
    assert editor.lua("return #vim.api.nvim_list_bufs()") == before
    go_to_line(editor, "```rust")
    editor.type("V4jy")
    assert editor.lua(REGISTER) == "\n".join(CODE.split("\n")[:5]) + "\n"


@pytest.mark.parametrize("label", ["lua", ""])
def test_a_code_block_costs_one_row_beside_its_code(open_editor: Open, tmp_path: Path, label: str) -> None:
    """Where Neovim can hide a line the closing one is hidden; the text stays as it came."""
    block = f"```{label}\nlocal x = 1\n```"
    agent = script(tmp_path, on_prompt("", say(f"Above:\n\n{block}\nBelow.\n\n{block}\nThe end.\n")))
    editor = open_chat(open_editor, agent, setup={"chat": {"position": "tab"}}, size=(80, 30))
    send(editor, "go")
    editor.wait_event("AcpTurnEnded")
    hides = editor.lua(HIDES_LINES)

    def rows(screen: Screen) -> list[str]:
        lines = [line.strip() for line in screen.lines()]
        return lines[lines.index("Above:") : lines.index("The end.") + 1]

    closing = [] if hides else [""]
    shown = [label, "local x = 1", *closing]
    editor.screen.expect(
        lambda screen: rows(screen) == ["Above:", "", *shown, "Below.", "", *shown, "The end."],
        what="one row beside the code",
    )
    go_to_line(editor, "Above:")
    editor.type("V9jy")
    assert editor.lua(REGISTER) == f"Above:\n\n{block}\nBelow.\n\n{block}\n"
    go_to_line(editor, "local x = 1")
    editor.type("j")
    editor.screen.expect(lambda screen: "```" in rows(screen), what="the line that the cursor is on")


@pytest.mark.parametrize("beginning", ["    + ", "  - ", "    - ", "  1. "])
def test_wrapped_rows_of_indented_lines_keep_their_letters(
    open_editor: Open, tmp_path: Path, beginning: str
) -> None:
    words = [f"word{number}" for number in range(30)]
    agent = script(tmp_path, on_prompt("", say(f"- a list\n\n```diff\n{beginning}{' '.join(words)}\n```\n")))
    editor = open_chat(open_editor, agent, setup={"chat": {"position": "tab"}}, size=(80, 30))
    send(editor, "go")
    editor.wait_event("AcpTurnEnded")
    editor.screen.expect("word29")
    rows = [row for row in editor.screen.text().splitlines() if "word" in row]
    assert " ".join(rows).split()[-len(words) :] == words
    assert {len(row) - len(row.lstrip()) for row in rows[1:]} == {len(beginning) + 1}


@pytest.mark.parametrize("name", ["hitest", "nosyntax", "manual", "colortest", "synload"])
def test_a_fence_cannot_name_a_script_among_the_syntax_files(
    open_editor: Open, tmp_path: Path, name: str
) -> None:
    agent = script(
        tmp_path, on_prompt("", say(f"```{name}\nwords\n```\n```rust\n// a comment\nwords\n```\n"))
    )
    editor = open_chat(open_editor, agent, setup={"chat": {"position": "tab"}}, size=(80, 30))
    state = """return { #vim.api.nvim_list_wins(), #vim.api.nvim_list_bufs(),
      #vim.api.nvim_get_autocmds({ event = "Syntax" }), vim.g.syntax_on }"""
    before = editor.lua(state)
    send(editor, "go")
    editor.wait_event("AcpTurnEnded")
    # the second block is coloured last
    editor.screen.expect(lambda screen: screen.attrs("// a comment") != screen.attrs("words"))
    assert editor.lua(state) == before


def test_the_bar_of_a_quotation_goes_on_beside_its_rows(open_editor: Open, tmp_path: Path) -> None:
    quote = "> " + "words that wrap " * 8
    agent = script(tmp_path, on_prompt("", say(f"{quote}\n\nThe end.")))
    editor = open_chat(open_editor, agent, setup={"chat": {"position": "tab"}}, size=(50, 30))
    send(editor, "go")
    editor.wait_event("AcpTurnEnded")
    editor.screen.expect(
        lambda screen: len([row for row in screen.lines() if row.startswith(" ▎ ")]) == 3, what="three rows"
    )
    go_to_line(editor, quote)
    editor.screen.expect(lambda screen: " ▎ " not in screen.text(), what="the cursor's line")
