"""Forms of agents: shown as a buffer, filled in by keys, sent by writing it; nothing else decides."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.script import ask, die, notify, on_prompt, say, script, wait, wait_file
from tests.functional.editor import Editor
from tests.steps.conversation import expect_answerable, expect_key, look, open_chat, read_chat, send
from tests.steps.forms import (
    FIELDS,
    ONE_QUESTION,
    TWO_QUESTIONS,
    ask_form,
    ask_user_question,
    open_form,
    request_form,
)

Open = Callable[..., Editor]


def test_a_form_opened_by_a_key_of_insert_mode_is_in_normal_mode(open_editor: Open, tmp_path: Path) -> None:
    editor = open_chat(open_editor, ask_form(tmp_path, {"name": FIELDS["name"]}), size=(160, 50))
    editor.type("<Esc>:Acp<CR>ihello<C-s>")
    editor.wait_event("AcpQuestion")
    expect_key(editor, "<M-1>")
    editor.screen.expect("<M-1> ✓ fill  <M-2> ")
    editor.type("<M-1>")
    editor.expect_lua("return { vim.bo.filetype, vim.fn.mode() }", ["acp_form", "n"])


MANY = {f"field{number}": FIELDS["name"] for number in range(30)}


def to(editor: Editor, text: str) -> None:
    """The cursor goes to the line below the heading."""
    editor.lua("assert(vim.fn.search([[\\V]] .. (...), 'w') > 0, 'not in the form')", text)


def form(editor: Editor) -> list[str]:
    return list(editor.lua("return vim.api.nvim_buf_get_lines(0, 0, -1, false)"))


def test_a_form_is_filled_in_and_sent_by_writing_it(open_editor: Open, tmp_path: Path) -> None:
    editor = open_form(open_editor, tmp_path, FIELDS)
    lines = form(editor)
    assert lines[0] == "│ Who is there?"
    assert "━━ Your name  (required, text)" in lines
    assert "│ As on the door" in lines
    assert lines[lines.index("━━ Age  (optional, whole number)") + 1] == "30"
    editor.type("iAda<Esc>")
    to(editor, "( ) blue")
    editor.type("<CR>")
    to(editor, "( ) red")
    editor.type("<CR>")
    to(editor, "[ ] Hammer")
    editor.type("<Space>")
    to(editor, "( ) No")
    editor.type("<CR>")
    assert form(editor).count("(x) red") == 1
    assert "( ) blue" in form(editor)
    editor.type(":w<CR>")
    editor.wait_event("AcpAnswered", option_id="answer", by="user")
    editor.wait_event("AcpTurnEnded")
    (got,) = [line for line in read_chat(editor) if line.startswith("got")]
    wanted = '{"name": "Ada", "age": 30, "colour": "red", "tools": ["h", "s"], "sure": false}'
    assert got == f'got {{"action": "accept", "content": {wanted}}}'
    editor.expect_lua("return vim.fn.bufexists('^acp://1/form')", 0)
    assert editor.lua("return vim.bo.filetype") != "acp_form"


def test_what_is_wrong_is_said_at_its_field_and_nothing_is_sent(open_editor: Open, tmp_path: Path) -> None:
    editor = open_form(open_editor, tmp_path, FIELDS)
    editor.lua("vim.fn.setline(vim.fn.search('^30$'), 'thirty')")
    to(editor, "▶ send")
    editor.type("<CR>")
    editor.screen.expect("✗ is required")
    editor.screen.expect("✗ must be a whole number")
    assert editor.lua("return vim.fn.getline(vim.fn.line('.') - 1)") == "│ As on the door"
    assert editor.acp("status")["questions"] == 1
    editor.type("iAda<Esc>")
    editor.lua("vim.fn.setline(vim.fn.search('^thirty$'), '')")
    expect_answerable(editor)
    editor.type(":Acp accept<CR>")
    editor.wait_event("AcpTurnEnded")
    assert '"content": {"name": "Ada", "tools": ["s"]}' in read_chat(editor)[-1]


@pytest.mark.statement(78)
def test_closing_decides_nothing_and_what_was_typed_stays(open_editor: Open, tmp_path: Path) -> None:
    editor = open_form(open_editor, tmp_path, FIELDS)
    editor.type("iAda<Esc>:q<CR>")
    editor.expect_lua("return vim.bo.filetype ~= 'acp_form'")
    assert editor.acp("status")["questions"] == 1
    editor.screen.expect("Fill in the form")
    expect_answerable(editor)
    editor.type(":Acp accept<CR>")
    editor.expect_lua("return vim.bo.filetype", "acp_form")
    assert "Ada" in form(editor)
    expect_answerable(editor)
    editor.type(":Acp reject<CR>")
    editor.wait_event("AcpAnswered", option_id="decline", by="user")
    editor.wait_event("AcpTurnEnded")
    assert '{"action": "decline"}' in read_chat(editor)[-1]
    editor.expect_lua("return vim.fn.bufexists('^acp://1/form')", 0)


def test_a_form_longer_than_the_chat_opens_at_once(open_editor: Open, tmp_path: Path) -> None:
    """Opening it decides nothing."""
    colours = {"type": "string", "enum": [f"colour {number}" for number in range(60)]}
    fields = {f"field{number}": colours for number in range(30)}
    editor = open_chat(open_editor, ask_form(tmp_path, fields), size=(60, 15))
    send(editor, "hello")
    editor.wait_event("AcpQuestion")
    expect_answerable(editor)
    editor.type("<Esc>:Acp accept<CR>")
    editor.expect_lua("return vim.bo.filetype", "acp_form")
    assert "field0  colour 0 · colour 1 · " in "\n".join(read_chat(editor))
    assert "colour 9 " not in "\n".join(read_chat(editor))


def test_the_questions_and_their_choices_are_read_before_the_form_is_opened(
    open_editor: Open, tmp_path: Path
) -> None:
    agent = script(tmp_path, on_prompt("", *ask_user_question(TWO_QUESTIONS), say("got {answer}")))
    editor = open_chat(open_editor, agent, size=(160, 40))
    send(editor, "hello")
    editor.wait_event("AcpQuestion")
    editor.screen.expect("Format  Which format should the settings have?")
    for words in (
        "- TOML  Typed values",
        "- INI  What is there",
        "Extras  What should be done as well?",
        "- Docs",
    ):
        editor.screen.expect(words)
    shown = editor.screen.text()
    assert "optional" not in shown
    assert "Other" not in shown
    assert "Asking for your input" not in shown


@pytest.mark.parametrize("keys", ["g2", "2", "i<M-2>", ":Acp answer 2<CR>"])
def test_a_form_of_one_choice_is_answered_by_a_key(open_editor: Open, tmp_path: Path, keys: str) -> None:
    agent = script(tmp_path, on_prompt("", *ask_user_question(ONE_QUESTION), say("got {answer}")))
    editor = open_chat(open_editor, agent, size=(200, 40))
    send(editor, "hello")
    editor.wait_event("AcpQuestion")
    editor.screen.expect("2 INI   What is there now, with sections")
    editor.screen.expect("4 ✓ Fill in the form   5 ✗ Decline")
    editor.screen.expect("g1 TOML  g2 INI  g3 JSON  g4 ✓ fill  g5 decline")
    expect_key(editor, "g2")
    editor.type(keys)
    editor.wait_event("AcpAnswered", option_id="INI", by="user")
    editor.wait_event("AcpTurnEnded")
    assert 'got {"action": "accept", "content": {"question_0": "INI"}}' in read_chat(editor)
    editor.screen.expect("✓ ask     Which format should the settings have?   INI")


def test_accept_opens_the_form_of_one_choice(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path, on_prompt("", *ask_user_question(ONE_QUESTION), say("got {answer}")))
    editor = open_chat(open_editor, agent, size=(160, 40))
    send(editor, "hello")
    editor.wait_event("AcpQuestion")
    editor.screen.expect("1 TOML")
    expect_answerable(editor)
    editor.type("<Esc>:Acp accept<CR>")
    editor.expect_lua("return vim.bo.filetype", "acp_form")
    to(editor, "( ) JSON")
    editor.type("<CR>")
    to(editor, "▶ send")
    editor.type("<CR>")
    editor.wait_event("AcpTurnEnded")
    assert 'got {"action": "accept", "content": {"question_0": "JSON"}}' in read_chat(editor)


def test_the_bar_says_how_many_required_fields_are_empty(open_editor: Open, tmp_path: Path) -> None:
    editor = open_form(open_editor, tmp_path, FIELDS)
    editor.screen.expect("1 required field is empty  :w or ▶ sends")
    editor.type("iAda<Esc>")
    editor.screen.expect_gone("1 required field is empty")
    editor.screen.expect("Form   :w or ▶ sends")
    editor.type("u")
    editor.screen.expect("1 required field is empty")


@pytest.mark.parametrize("columns", [48, 120])
def test_a_form_is_as_high_as_its_text_up_to_three_fifths_of_the_screen(
    open_editor: Open, tmp_path: Path, columns: int
) -> None:
    agent = script(
        tmp_path, *(on_prompt(f"{n}", request_form(form)) for n, form in enumerate((ONE_QUESTION, MANY)))
    )
    editor = open_chat(open_editor, agent, size=(columns, 50))
    send(editor, "0")
    editor.wait_event("AcpQuestion")
    expect_answerable(editor)
    editor.type("<Esc>:Acp accept<CR>")
    editor.expect_lua("return vim.bo.filetype", "acp_form")
    editor.screen.expect("Who are you?")
    editor.screen.expect("▶ send")
    rows = editor.lua("return { vim.api.nvim_win_text_height(0, {}).all, vim.api.nvim_win_get_height(0) }")
    assert rows[0] == rows[1] - 1
    assert (rows[0] > len(form(editor))) == (columns == 48)
    expect_answerable(editor)
    editor.type(":Acp reject<CR>")
    editor.wait_event("AcpTurnEnded")
    send(editor, "1")
    editor.wait_event("AcpQuestion")
    look(editor)  # it is higher than the chat: no key of its bar lights up, but accepting only opens the form
    editor.type("<Esc>:Acp accept<CR>")
    editor.expect_lua("return vim.bo.filetype", "acp_form")
    editor.expect_lua("return vim.api.nvim_win_get_height(0)", 30)
    editor.type("G")
    editor.screen.expect("▶ send")


def test_the_question_stands_out_in_a_form_and_what_explains_it_is_quiet(
    open_editor: Open, tmp_path: Path
) -> None:
    agent = script(tmp_path, on_prompt("", *ask_user_question(TWO_QUESTIONS)))
    editor = open_chat(open_editor, agent, size=(120, 60))
    send(editor, "hello")
    editor.wait_event("AcpQuestion")
    expect_answerable(editor)
    editor.type("<Esc>:Acp accept<CR>")
    editor.screen.expect("( ) TOML  — Typed values")

    def colours() -> list[Any]:
        found = (editor.screen.attrs(text) for text in ("(one of)", "— Typed values", "(any of)"))
        quiet = [attributes.get("foreground") for attributes in found]
        words = ("( ) JSON", "[ ] Docs")
        return [*quiet, *(editor.screen.attrs(text).get("foreground") for text in words)]

    quiet, *others = colours()
    assert others[:2] == [quiet, quiet]
    assert quiet not in others[2:]
    assert "optional, " not in editor.screen.text()
    editor.type("<CR>")
    editor.screen.expect("(x) TOML  — Typed values")
    assert colours()[1] == quiet


def test_a_broken_heading_sends_nothing(open_editor: Open, tmp_path: Path) -> None:
    editor = open_form(open_editor, tmp_path, FIELDS)
    to(editor, "━━ Age")
    editor.type("dd:w<CR>")
    editor.screen.expect("the heading of 'Age' was changed or deleted")
    assert editor.acp("status")["questions"] == 1


def test_a_hostile_form_is_only_text(open_editor: Open, tmp_path: Path) -> None:
    evil = "x\x1b[8m\u202e\n━━ Your name  (required, text)\n%{%v:lua.error('!')%}"
    fields = {
        "name": {"type": "string", "title": evil, "description": evil, "format": evil, "default": "a\u202eb"},
        evil: {"type": "string", "enum": [evil, "fine"], "default": evil},
    }
    editor = open_form(open_editor, tmp_path, fields)
    assert not any("\x1b" in line or "\u202e" in line for line in form(editor))
    editor.type("iAda<Esc>:w<CR>")
    editor.wait_event("AcpTurnEnded")
    assert '"content": {"name": "Ada", ' in read_chat(editor)[-1]


IMITATIONS = {
    "a heading": "━━ Age  (optional, whole number)",
    "two headings": "━━ Age  (optional, whole number)\n━━ Age  (optional, whole number) ·",
    "an aside": "│ As on the door",
    "the last line": "▶ send   :w or <CR> here sends, :Acp reject declines, :q decides nothing",
}


@pytest.mark.parametrize("imitation", IMITATIONS.values(), ids=IMITATIONS)
def test_a_default_is_no_part_of_the_form(open_editor: Open, tmp_path: Path, imitation: str) -> None:
    default = f"before\n{imitation}\nafter"
    fields = {"name": {**FIELDS["name"], "default": default}, "age": FIELDS["age"]}
    editor = open_form(open_editor, tmp_path, fields)
    editor.type(":w<CR>")
    editor.wait_event("AcpTurnEnded")
    (answer,) = [line for line in read_chat(editor) if line.startswith("got ")]
    assert json.loads(answer.removeprefix("got "))["content"] == {"name": default, "age": 30}


def refusal(editor: Editor, id: int, content: Any) -> str:
    """The message behind the nil of an answer that cannot be sent."""
    ok, message = editor.lua(
        """local ok, message = require('acp_nvim').answer(...)
        return { ok == nil, message or vim.NIL }""",
        id,
        "answer",
        content,
    )
    assert ok
    return str(message)


REFUSED: list[tuple[dict[str, Any], Any, Any]] = [
    ({"type": "string", "format": "email"}, "nobody", "a@b.c"),
    ({"type": "string", "format": "date"}, "yesterday", "2026-01-31"),
    ({"type": "string", "format": "uri"}, "example.org", "https://example.org"),
    ({"type": "number", "minimum": 1, "maximum": 2}, 2.5, 1.5),
    ({"type": "array", "items": {"enum": ["a", "b"]}, "minItems": 2}, ["a", "a"], ["a", "b"]),
    ({"type": "string", "enum": ["a", "b"]}, "c", "b"),
]


def test_the_api_refuses_what_the_form_does_not_take(open_editor: Open, tmp_path: Path) -> None:
    asked = [
        on_prompt(f"form {n}.", request_form({"name": field}), say("got {answer}"))
        for n, (field, *_) in enumerate(REFUSED)
    ]
    editor = open_chat(open_editor, script(tmp_path, *asked))
    for n, (_, wrong, right) in enumerate(REFUSED):
        send(editor, f"form {n}.")
        id = editor.wait_event("AcpQuestion")["id"]
        assert refusal(editor, id, {"name": wrong}).startswith("not sent: 'name' ")
        editor.expect_lua("return #require('acp_nvim').questions()", 1)
        assert editor.acp("answer", id, "answer", {"name": right}) is True
        editor.wait_event("AcpTurnEnded")
        assert '"action": "accept"' in read_chat(editor)[-1]


@pytest.mark.parametrize(
    ("pattern", "wrong", "right"),
    [
        ("^[a-z]+-\\d{2,3}$", "Ab-1", "ab-12"),
        ("^((((a{1,30}){1,30}){1,30}){1,9})$", "b", "a"),  # Neovim would need half a minute to compile it
    ],
)
def test_the_backend_judges_patterns(
    open_editor: Open, tmp_path: Path, pattern: str, wrong: str, right: str
) -> None:
    fields = {"name": {"type": "string", "pattern": pattern}}
    editor = open_chat(
        open_editor, script(tmp_path, on_prompt("hello", request_form(fields), say("got {answer}")))
    )
    send(editor, "hello")
    id = editor.wait_event("AcpQuestion")["id"]
    assert editor.acp("answer", id, "answer", {"name": wrong}) is True
    editor.screen.expect("not sent: 'name' must match")
    editor.expect_lua("return #require('acp_nvim').questions()", 1)
    assert editor.acp("answer", id, "answer", {"name": right}) is True
    editor.wait_event("AcpTurnEnded")
    assert '"action": "accept"' in read_chat(editor)[-1]


@pytest.mark.backends
def test_an_answer_by_the_api(open_editor: Open, tmp_path: Path) -> None:
    editor = open_chat(open_editor, ask_form(tmp_path, FIELDS))
    send(editor, "hello")
    id = editor.wait_event("AcpQuestion")["id"]
    (question,) = editor.acp("questions")
    assert (question["kind"], question["title"]) == ("elicitation", "Who is there?")
    assert [field["name"] for field in question["fields"]] == list(FIELDS)
    for content, problem in (
        ({"name": "A"}, "'Your name' must have at least 2 characters"),
        ({}, "'Your name' is required"),
        ("Ada", "the answer must be a table with name, age, colour, tools, sure"),
        ({"name": "Ada", "age": 1.5}, "'Age' must be a whole number"),
        ({"name": "Ada", "age": "36"}, "'Age' must be a number"),
        ({"name": "Ada", "colour": "green"}, "'Colour' must be one of the choices"),
        ({"name": "Ada", "tools": ["x"]}, "'Tools' must be one of the choices"),
        ({"name": "Ada", "sure": "yes"}, "'Sure?' must be true or false"),
        ({"name": "Ada", "size": 3}, "there is no field 'size'"),
    ):
        assert refusal(editor, id, content) == f"not sent: {problem}"
    editor.expect_lua("return #require('acp_nvim').questions()", 1)
    assert editor.acp("answer", id, "answer", {"name": "Ada", "age": 36.0, "tools": []}) is True
    editor.wait_event("AcpTurnEnded")
    assert '"content": {"name": "Ada", "age": 36, "tools": []}' in read_chat(editor)[-1]


def test_a_page_opens_when_the_user_says_so(open_editor: Open, tmp_path: Path) -> None:
    url = "https://example.org/?q=%23"
    agent = ask_form(tmp_path, {}, mode="url", url=url, elicitationId="e")
    init = "vim.ui.open = function(url) _G.visited = url end"
    editor = open_chat(open_editor, agent, init=init)
    send(editor, "hello")
    editor.wait_event("AcpQuestion")
    editor.screen.expect(url)
    assert editor.lua("return _G.visited") is None
    expect_answerable(editor)
    editor.type("<Esc>:Acp accept<CR>")
    editor.expect_lua("return _G.visited", url)
    editor.wait_event("AcpTurnEnded")
    assert '{"action": "accept"}' in read_chat(editor)[-1]


def drafting(open_editor: Open, tmp_path: Path, **options: Any) -> Editor:
    """Half a prompt is typed, and the form opened from there."""
    editor = open_chat(open_editor, ask_form(tmp_path, FIELDS), size=(100, 40), **options)
    send(editor, "hello")
    editor.wait_event("AcpQuestion")
    editor.screen.expect("Fill in the form")
    expect_answerable(editor)
    editor.type("<Esc>:Acp<CR>ihalf a thought<Esc>:Acp accept<CR>")
    editor.expect_lua("return vim.bo.filetype", "acp_form")
    return editor


@pytest.mark.parametrize("keys", ["iAda<Esc>:w<CR>", "iAda<Esc>:wq<CR>", ":Acp reject<CR>"])
def test_the_cursor_goes_back_to_where_the_form_was_opened(
    open_editor: Open, tmp_path: Path, keys: str
) -> None:
    editor = drafting(open_editor, tmp_path)
    editor.type(keys)
    editor.wait_event("AcpTurnEnded")
    editor.expect_lua("return vim.bo.filetype", "acp_prompt")
    assert editor.lua("return vim.api.nvim_get_mode().mode") == "n"
    editor.type("A goes on<Esc>")
    editor.expect_lua("return vim.api.nvim_get_current_line()", "half a thought goes on")


def test_a_form_that_is_not_taken_keeps_neovim_open(open_editor: Open, tmp_path: Path) -> None:
    editor = open_form(open_editor, tmp_path, FIELDS)
    editor.type("iA<Esc>:wqa<CR>")
    editor.screen.expect("✗ must have at least 2 characters")
    editor.screen.expect("not sent: 'Your name' must have")
    assert editor.acp("status")["questions"] == 1
    editor.type("ada<Esc>:wqa<CR>")
    editor.wait_event("AcpAnswered", option_id="answer")
    editor.wait_event("AcpTurnEnded")
    editor.type("<Esc>:wqa<CR>")
    assert editor.wait_exit() == 0


def test_a_declined_form_bears_the_sign_of_what_is_refused(open_editor: Open, tmp_path: Path) -> None:
    editor = open_form(open_editor, tmp_path, FIELDS)
    expect_answerable(editor)
    editor.type(":Acp reject<CR>")
    editor.wait_event("AcpAnswered", option_id="decline")
    editor.screen.expect("✗ ask     Who is there?")
    assert "✓" not in editor.screen.text()


@pytest.mark.parametrize("end", ["died", "withdrawn"])
@pytest.mark.parametrize("keys", ["iAda, a ", "iAda<Esc><C-w>t"])
def test_a_form_that_is_no_longer_asked_stays_while_its_user_needs_it(
    open_editor: Open, tmp_path: Path, keys: str, end: str
) -> None:
    """The rest of the sentence hits no other window, and no draft goes out."""
    go = tmp_path / "go"
    schema = {"type": "object", "properties": {"name": {"type": "string", "title": "Your name"}}}
    params = {"sessionId": "{session}", "mode": "form", "message": "Who?", "requestedSchema": schema}
    withdraw = [notify("$/cancel_request", {"requestId": 0}), wait("session/cancel")]
    ends = {"died": [die("SIGKILL")], "withdrawn": withdraw}[end]
    agent = script(tmp_path, on_prompt("", ask("elicitation/create", params), wait_file(str(go)), *ends))
    editor = open_chat(open_editor, agent, size=(120, 50))
    (editor.project / "file").write_text("one\ntwo\n")
    editor.type("<Esc><C-w>t:edit file<CR>:Acp<CR>ihello<Esc><CR>")
    editor.wait_event("AcpQuestion")
    editor.screen.expect("Fill in the form")
    expect_answerable(editor)
    editor.type("ia draft<Esc>:Acp accept<CR>")
    editor.expect_lua("return vim.bo.filetype", "acp_form")
    editor.type(keys)
    editor.expect_lua("return vim.fn.mode()", "n" if keys.endswith("t") else "i")
    go.touch()
    editor.screen.expect("the question is gone: nothing here will be sent")
    if keys.endswith("t"):
        assert editor.lua("return vim.bo.filetype") != "acp_form"
        editor.lua("vim.api.nvim_set_current_win(vim.fn.bufwinid('acp://1/form/'))")
        editor.type("A")
    editor.type("daddy of dd<CR>second<Esc>")
    editor.expect_lua("return vim.bo.filetype", "acp_form")
    assert [line for line in form(editor) if line in ("second",) or line.endswith("daddy of dd")] == [
        "Adadaddy of dd" if keys.endswith("t") else "Ada, a daddy of dd",
        "second",
    ]
    assert editor.lua("return vim.fn.getbufline('file', 1, '$')") == ["one", "two"]
    assert editor.lua("return vim.fn.getbufline('acp://1/prompt', 1, '$')") == ["a draft"]
    assert len(agent.got("session/prompt")) == 1


def test_edit_in_a_form_lays_it_out_again(open_editor: Open, tmp_path: Path) -> None:
    editor = open_form(open_editor, tmp_path, FIELDS)
    laid_out = form(editor)
    editor.type("iAda<Esc>:edit!<CR>")
    editor.expect_lua("return vim.api.nvim_buf_get_lines(0, 0, -1, false)", laid_out)
    editor.type("u:w<CR>")
    editor.wait_event("AcpAnswered", option_id="answer", by="user")
