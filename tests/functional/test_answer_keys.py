"""Answering from where one is: keys typed in the prompt right after sending, in the chat, and by mouse."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.script import OPTIONS, on_prompt, permission, say, script, wait
from tests.functional.editor import Editor
from tests.steps.conversation import expect_answerable, expect_key, go_to_line, open_chat, read_chat

Open = Callable[..., Editor]
WIDE = (220, 40)
HELD = {"review": {"auto_open": False}}


def sent(editor: Editor, text: str = "go") -> None:
    """Typed and sent from insert mode, in which the user stays."""
    editor.type(f"<Esc>:Acp<CR>i{text}<C-s>")
    editor.expect_lua("return vim.fn.mode()", "i")


def bar_of(editor: Editor) -> str:
    """The question in the bar."""
    return next(line for line in reversed(editor.screen.lines()) if " ? " in line)


def edit(name: str, options: Any = OPTIONS, id: str = "call") -> Any:
    diff = {"type": "diff", "path": "{cwd}/" + name, "oldText": "one\n", "newText": "two\nthree\n"}
    return permission(f"Edit {name}", options, id=id, kind="edit", content=[diff])


@pytest.mark.parametrize(
    ("presses", "option"), [(["<M-1>"], "yes"), (["<M-3>"], "no"), (["<M-2>", "<M-2>"], "always")]
)
def test_a_question_is_answered_without_leaving_the_prompt(
    open_editor: Open, tmp_path: Path, presses: list[str], option: str
) -> None:
    agent = script(tmp_path, on_prompt("", edit("src/price.py"), say("ok {answer}")))
    editor = open_chat(open_editor, agent, size=WIDE)
    sent(editor)
    id = editor.wait_event("AcpQuestion")["id"]
    expect_key(editor, "<M-1>")
    bar = "? edit src/price.py +2 −1  <M-1> yes  <M-2> always  <M-3> no  <M-d> diff"
    editor.screen.expect(bar)
    for press in presses[:-1]:
        editor.type(press)
        editor.screen.expect("<M-2> again: always")
        assert editor.events("AcpAnswered") == []
    editor.type(presses[-1])
    assert editor.wait_event("AcpAnswered", id=id)["option_id"] == option
    assert editor.lua("return { vim.fn.mode(), vim.bo.filetype }") == ["i", "acp_prompt"]
    editor.type("more")
    editor.expect_lua("return vim.api.nvim_get_current_line()", "more")
    editor.screen.expect("<C-s> send")


def test_numbers_keep_their_sign_in_the_bar(open_editor: Open, tmp_path: Path) -> None:
    options = [("a", "19 %", "allow_once"), ("b", "7 € (books)", "allow_once"), ("no", "No", "reject_once")]
    agent = script(tmp_path, on_prompt("", permission("Which rate?", options), say("ok {answer}")))
    editor = open_chat(open_editor, agent, size=WIDE)
    sent(editor)
    editor.wait_event("AcpQuestion")
    expect_key(editor, "<M-1>")
    editor.screen.expect("<M-1> ✓ 19 %  <M-2> ✓ 7 €  <M-3> no")


def test_a_key_pressed_as_the_question_comes_sends_nothing(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path, on_prompt("", permission("run it")))
    # the editor hears of the question and of the key at once: nobody can have read it
    early = """vim.api.nvim_create_autocmd("User", { pattern = "AcpQuestion", callback = function()
      vim.schedule(function() vim.api.nvim_input("<M-1>") end)
    end })"""
    editor = open_chat(open_editor, agent, size=WIDE, init=early)
    sent(editor)
    editor.expect_lua("return vim.fn.execute('messages')", lambda said: "not sent" in said or "again" in said)
    assert editor.events("AcpAnswered") == []
    expect_key(editor, "<M-1>")
    editor.type("<M-1>")
    assert editor.wait_event("AcpAnswered")["option_id"] == "yes"


def test_the_turn_is_cancelled_by_one_key_of_insert_mode(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path, on_prompt("", say("on it"), wait("session/cancel")))
    editor = open_chat(open_editor, agent, size=WIDE)
    sent(editor)
    editor.screen.expect("on it")
    editor.screen.expect("<C-s> queue  <C-c> cancel")
    editor.type("<C-c>")
    editor.wait_event("AcpTurnEnded", stop_reason="cancelled")
    assert editor.lua("return vim.fn.mode()") == "i"
    editor.screen.expect(lambda screen: "<C-s> send" in screen.text() and "<C-c>" not in screen.text())
    editor.type("<C-c>")  # nothing runs: the key is Vim's
    editor.expect_lua("return vim.fn.mode()", "n")
    editor.screen.expect("<CR> send  g? keys")


def test_normal_mode_answers_by_g_and_in_an_empty_prompt_by_plain_digits(
    open_editor: Open, tmp_path: Path
) -> None:
    agent = script(
        tmp_path,
        on_prompt("one", permission("run one")),
        on_prompt("two", permission("run two")),
        on_prompt("three", permission("run three"), say("said")),
    )
    editor = open_chat(open_editor, agent, size=WIDE)
    sent(editor, "one")
    editor.type("<Esc>")
    expect_key(editor, "g3")
    editor.type("g3")
    assert editor.wait_event("AcpAnswered")["option_id"] == "no"
    sent(editor, "two")
    editor.type("<Esc>")
    expect_key(editor, "g1")
    editor.type("2")
    editor.screen.expect("2 again: always")
    editor.type("1")
    assert editor.wait_event("AcpAnswered")["option_id"] == "yes"
    sent(editor, "three")
    editor.type("a b c d e<Esc>")
    expect_key(editor, "g1")
    editor.type("3h")  # a prompt that holds something: a count
    editor.expect_lua("return vim.fn.col('.')", 6)
    editor.type("dd3")
    assert editor.wait_event("AcpAnswered")["option_id"] == "no"


@pytest.mark.parametrize("key", ["<M-1>", "g1"])
def test_a_key_that_is_held_answers_no_question_that_comes(
    open_editor: Open, tmp_path: Path, key: str
) -> None:
    """A timer of Neovim's is the held key: it comes every 50 ms, and is let go after 1.5 s."""
    agent = script(tmp_path, on_prompt("", edit("a.py", id="1")))
    editor = open_chat(open_editor, agent, size=WIDE, setup={"review": {"auto_open": False}})
    editor.lua(
        """_G.held = 0
        local timer, key = vim.uv.new_timer(), vim.keycode(...)
        timer:start(0, 50, vim.schedule_wrap(function()
          if held == 30 then return timer:stop() end
          held = held + 1
          vim.api.nvim_feedkeys(key, "t", false)
        end))""",
        key,
    )
    editor.acp("prompt", "go")
    editor.type("<Esc>")
    editor.wait_event("AcpQuestion")
    editor.expect_lua("return held", 30)
    assert editor.acp("status")["questions"] == 1
    expect_key(editor, "g1")
    editor.type("g1")
    assert editor.wait_event("AcpAnswered")["option_id"] == "yes"


def test_the_alt_keys_work_in_normal_mode_too_in_prompt_and_chat(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path, on_prompt("", edit("a.py", id="1"), edit("b.py", id="2")))
    editor = open_chat(open_editor, agent, size=WIDE, setup={"review": {"auto_open": False}})
    sent(editor)
    editor.type("<Esc>")
    expect_key(editor, "g1")
    editor.type("<M-d>")
    editor.expect_lua("return vim.bo.buftype", "acwrite")
    editor.type(":q<CR>")
    editor.expect_lua("return vim.bo.filetype", "acp_prompt")
    editor.type("<M-3>")
    assert editor.wait_event("AcpAnswered")["option_id"] == "no"
    editor.wait_event("AcpQuestion")
    go_to_line(editor, "go")  # wherever in the chat
    expect_key(editor, "g1")
    editor.type("<M-d>")
    editor.expect_lua("return vim.bo.buftype", "acwrite")
    editor.type(":q<CR>")
    editor.expect_lua("return vim.bo.filetype", "acp_chat")
    editor.type("<M-2>")
    editor.screen.expect("<M-2> again: always")
    editor.type("<M-1>")
    assert editor.wait_event("AcpAnswered")["option_id"] == "yes"


def test_counts_move_on_a_question_and_a_digit_alone_answers(open_editor: Open, tmp_path: Path) -> None:
    agent = script(
        tmp_path,
        on_prompt(
            "",
            say("a\n\nb\n\nc\n\nd"),
            ["ask", *permission("run one", id="1")[1:]],
            permission("run two", id="2"),
        ),
    )
    editor = open_chat(open_editor, agent, size=WIDE)
    sent(editor)
    editor.wait_event("AcpQuestion")
    second = editor.wait_event("AcpQuestion")["id"]
    expect_key(editor, "<M-1>")
    editor.screen.expect("1 more")
    editor.type("<Esc>")
    line = "return vim.fn.line('.')"
    lines = read_chat(editor)
    at = max(row for row, text in enumerate(lines, 1) if text.startswith("    1 "))
    for keys, moved in (("2k", at - 2), ("2G", 2), ("12j", min(14, len(lines))), ("2j", None)):
        editor.lua("vim.fn.win_gotoid(vim.fn.bufwinid('acp://1/chat')) vim.fn.cursor(...)", at, 1)
        editor.type(keys)
        if moved and keys != "12j":
            editor.expect_lua(line, moved)
    editor.lua("vim.fn.cursor(...)", at, 1)
    assert editor.events("AcpAnswered") == []
    expect_key(editor, "g1")
    editor.type("3")
    answered = editor.wait_event("AcpAnswered")
    assert (answered["id"], answered["option_id"]) == (second, "no")
    assert editor.mode() == {"mode": "n", "blocking": False}


def test_enter_and_a_double_click_take_the_option_under_them(open_editor: Open, tmp_path: Path) -> None:
    names = [
        ("a", "A rather long name of an answer", "allow_once"),
        ("b", "Another name, as long", "reject_once"),
    ]
    agent = script(
        tmp_path, on_prompt("one", permission("run one", names)), on_prompt("two", permission("run two"))
    )
    editor = open_chat(open_editor, agent, size=WIDE)
    sent(editor, "one")
    expect_key(editor, "<M-1>")
    editor.type("<Esc>")
    expect_key(editor, "g1")
    go_to_line(editor, "2 Another")
    editor.type("<CR>")
    assert editor.wait_event("AcpAnswered")["option_id"] == "b"
    sent(editor, "two")
    expect_key(editor, "<M-1>")
    editor.type("<Esc>")
    expect_key(editor, "g1")
    row, column = editor.screen.find("3 ✗ No")
    go_to_line(editor, "1 Yes")
    editor.type("0<CR>")
    editor.screen.expect("put the cursor on one of the answers")
    for _ in range(2):
        editor.ask("nvim_input_mouse", "left", "press", "", 0, row, column + 4)
        editor.ask("nvim_input_mouse", "left", "release", "", 0, row, column + 4)
    assert editor.wait_event("AcpAnswered")["option_id"] == "no"


@pytest.mark.parametrize("laststatus", [2, 3])
def test_the_bar_gives_way_where_it_is_narrow(open_editor: Open, tmp_path: Path, laststatus: int) -> None:
    bars = {
        150: "? …/price.py <M-1> yes <M-2> always <M-3> no <M-d> diff",
        120: "? <M-1> yes <M-2> always <M-3> no <M-d> diff",
        112: "? …/price.py <M-1> yes <M-3> no <M-d> diff",
        104: "? …ice.py <M-1> yes <M-3> no <M-d> diff",
        80: " ? <M-1> yes <M-3> no <M-d> diff\n",  # a margin would cost a key
        64: " ?  <M-1> yes  <M-3> no\n",
        44: "? <M-n> 1 yes 3 no",
    }
    agent = script(tmp_path, on_prompt("", edit("src/orders/price.py")))
    editor = open_chat(open_editor, agent, size=(160, 30), init=f"vim.o.laststatus = {laststatus}")
    sent(editor)
    editor.wait_event("AcpQuestion")
    for columns, bar in bars.items():
        editor.type(f"<Esc>:set columns={columns}<CR>i")
        editor.screen.expect(bar, what=f"{bar!r} at {columns} columns")
        editor.type("<Esc>")
        editor.screen.expect(lambda screen: " g1 " in screen.text() and "<M-" not in screen.text())
        editor.type("<C-w>h")  # where no key of ours works
        editor.screen.expect(lambda screen: " g1 " not in screen.text() and "<M-" not in screen.text())
        editor.type("<C-w>l")
        editor.screen.expect(" g1 ")


def test_at_120_columns_the_bar_has_words(open_editor: Open, tmp_path: Path) -> None:
    """Long names and another question: what counts always gives way, and the diff, but not which question it is."""
    options = [("1", "Allow once", "allow_once"), ("2", "Allow for this session", "allow_always")]
    options += [("3", "Reject", "reject_once"), ("4", "Reject always", "reject_always")]
    asks = [["ask", *edit("src/orders/price.py", options, id=f"c{n}")[1:]] for n in range(2)]
    agent = script(tmp_path, on_prompt("", *asks, wait("session/cancel")))
    editor = open_chat(open_editor, agent, size=(120, 40), setup=HELD)
    sent(editor)
    editor.screen.expect("? …/price.py <M-1> allow <M-3> reject 1 more")
    editor.type("<Esc>")
    editor.screen.expect("? …/price.py g1 allow g3 reject")


def test_of_several_questions_a_narrow_bar_names_the_one_that_its_keys_answer(
    open_editor: Open, tmp_path: Path
) -> None:
    asks = [["ask", *permission(f"pytest {n}", id=f"c{n}", kind="execute")[1:]] for n in range(3)]
    asks.append(["ask", *edit("src/orders/price.py", id="d")[1:]])
    agent = script(tmp_path, on_prompt("", *asks, wait("session/cancel")))
    editor = open_chat(open_editor, agent, size=(80, 40), setup=HELD)
    sent(editor)
    editor.type("<Esc>")
    editor.screen.expect("? pytest 0 g1 yes g3 no 3 more")
    for n in range(3):
        expect_key(editor, "g3")
        editor.type("g3")
        editor.wait_event("AcpAnswered", option_id="no")
        editor.screen.expect_gone(f"? pytest {n} g1")
    editor.screen.expect("? …ice.py g1 yes g3 no gd diff")


@pytest.mark.parametrize("columns", [80, 120, 200])
def test_in_another_window_the_bar_names_what_works_there(
    open_editor: Open, tmp_path: Path, columns: int
) -> None:
    agent = script(tmp_path, on_prompt("", edit("src/price.py")))
    editor = open_chat(open_editor, agent, size=(columns, 30), setup=HELD)
    sent(editor)
    editor.screen.expect("<M-1> yes")
    editor.type("<Esc><C-w>h")
    commands = {80: ":Acp accept  :Acp reject", 200: ":Acp accept  :Acp reject  :Acp diff"}
    editor.screen.expect(commands.get(columns, ":Acp accept :Acp reject :Acp diff"))
    for key in ("g1", "<M-1>", " 1 yes", "{n}"):
        assert f" {key} " not in bar_of(editor), bar_of(editor)
    editor.type("i")
    editor.screen.expect("<Esc>:Acp accept")
    editor.type("<Esc>")
    editor.screen.expect_gone("<Esc>:Acp")
    editor.type("V")
    editor.screen.expect("<Esc>:Acp accept")
    editor.type("<Esc>")
    editor.screen.expect(lambda screen: "<Esc>" not in screen.text() and ":Acp accept" in screen.text())
    expect_answerable(editor)
    editor.type(":Acp accept<CR>")
    assert editor.wait_event("AcpAnswered")["option_id"] == "yes"


def test_in_another_window_the_bar_names_mapped_keys(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path, on_prompt("", edit("src/price.py"), say("ok {answer}")))
    setup = {**HELD, "keys": ",a"}
    editor = open_chat(open_editor, agent, size=WIDE, setup=setup, init="vim.keymap.set('n', ',an', 'j')")
    sent(editor)
    editor.screen.expect("<M-1> yes")
    editor.type("<Esc><C-w>h")
    editor.screen.expect("? edit src/price.py +2 −1  ,ay yes  :Acp reject  ,ad diff")  # ,an is the user's
    expect_key(editor, ",ay")
    editor.type(",ay")
    assert editor.wait_event("AcpAnswered")["option_id"] == "yes"


def test_the_bar_is_about_the_question_that_commands_would_answer(open_editor: Open, tmp_path: Path) -> None:
    """On a diff that of the diff; in another session's window how to go to this one."""
    asks = [["ask", *edit(name, id=name)[1:]] for name in ("first.py", "second.py")]
    agent = script(tmp_path, on_prompt("", *asks, wait("session/cancel")))
    editor = open_chat(open_editor, agent, size=WIDE, setup=HELD)
    sent(editor)
    editor.screen.expect("? edit first.py +2 −1  <M-1> yes")
    editor.type("<Esc>:Acp diff 2<CR>")
    editor.screen.expect("? edit second.py +2 −1  :Acp accept  :Acp reject   1 more")
    editor.type(":q<CR>")
    editor.screen.expect("? edit first.py +2 −1  g1 yes")
    editor.type(":Acp new<CR>")
    editor.wait_event("AcpSessionStarted", session=2)
    editor.type(":topleft new | buffer acp://1/chat<CR><C-w>p")
    editor.screen.expect("? edit first.py +2 −1  :Acp open 1   1 more")


@pytest.mark.parametrize("laststatus", [2, 3])
def test_hints_name_only_keys_that_work(open_editor: Open, tmp_path: Path, laststatus: int) -> None:
    agent = script(tmp_path, on_prompt("", say("hello")))
    editor = open_chat(open_editor, agent, size=WIDE, init=f"vim.o.laststatus = {laststatus}")
    editor.screen.expect("<CR> send  g? keys")
    editor.type("i")
    editor.screen.expect(lambda screen: "<C-s> send" in screen.text() and "g? keys" not in screen.text())
    editor.screen.expect_gone("<CR> send")
    editor.type("<Esc><C-w>k")
    editor.screen.expect("i prompt")
    editor.type("<C-w>h")
    editor.screen.expect("idle  :Acp prompt to write")
    for key in ("<CR> send", "press i", "g? keys", "<C-c>"):
        editor.screen.expect_gone(key)


@pytest.mark.parametrize(
    ("options", "shown"),
    [
        (("Allow once", "Allow always", "Reject once", "Reject always"), "allow|always|reject|never"),
        (("Yes", "Yes, all edits", "No, and tell it why", "Never"), "yes|✓✓ all|no|never"),
        (("Yes", "Yes, and do not ask", "No", "No, and do not ask"), "yes|always|no|never"),
        (("No", "Do it", "Yes", "Do not"), "✓ no|✓✓ it|✗ yes|✗✗ not"),  # an agent that would mislead
        (("Yes\u202e%#Error#", "%", "[n]", "a" * 90), "✓ yes<202e>%#er…|✓✓ %|✗ n|✗✗ aaaaaaaaaaaaa…"),
    ],
)
def test_short_names_are_distinct_and_never_mislead(
    open_editor: Open, tmp_path: Path, options: tuple[str, ...], shown: str
) -> None:
    kinds = ("allow_once", "allow_always", "reject_once", "reject_always")
    offered = [(kind, name, kind) for name, kind in zip(options, kinds, strict=True)]
    agent = script(tmp_path, on_prompt("", permission("run it", offered)))
    editor = open_chat(open_editor, agent, size=(240, 30))
    sent(editor)
    editor.screen.expect("  ".join(f"<M-{n}> {name}" for n, name in enumerate(shown.split("|"), 1)))


@pytest.mark.parametrize("inserting", [True, False])
def test_what_was_said_of_a_question_goes_with_it(open_editor: Open, tmp_path: Path, inserting: bool) -> None:
    agent = script(tmp_path, on_prompt("", permission("run it"), say("ok {answer}")))
    editor = open_chat(open_editor, agent)
    always, once = ("<M-2>", "<M-1>") if inserting else ("g2", "g1")
    waits = f"{always} again: always"

    def asked() -> None:
        sent(editor)
        editor.type("" if inserting else "<Esc>")
        editor.wait_event("AcpQuestion")
        expect_key(editor, once)
        editor.type(always)
        editor.screen.expect(waits)

    asked()
    editor.type(once)
    editor.wait_event("AcpTurnEnded")
    editor.screen.expect_gone(waits)
    asked()
    editor.type("<Cmd>echomsg 'a word of my own'<CR>" + once)
    editor.wait_event("AcpTurnEnded")
    editor.screen.expect_gone(waits)
    if not inserting:
        assert "a word of my own" in editor.screen.text(), "what has come since stays"
