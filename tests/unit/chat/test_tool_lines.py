"""The line of a tool call, what it unfolds to, the question inside it, and its details."""

from typing import Any

import pytest

from acp_nvim.chat.chat_view import ChatView
from acp_nvim.protocol.schema import (
    UNSET,
    ContentItem,
    Diff,
    Image,
    Location,
    Resource,
    TerminalRef,
    Text,
    ToolCallUpdate,
)
from acp_nvim.session.question import Option, Question
from acp_nvim.session.tool_call import ToolCall
from acp_nvim.session.transcript import Transcript
from tests.fakes.editor import ChatBuffer


def at(path: str, line: int | None = None) -> tuple[Location, ...]:
    return (Location(path=path, line=line),)


class Shown:
    """One call and its rows, without the header of the speaker."""

    def __init__(self, **update: Any) -> None:
        self.transcript = Transcript()
        self.terminals: dict[str, str] = {}
        self.view = ChatView(self.transcript, lambda: "A", "/w", lambda name: self.terminals.get(name, ""))
        self.buffer = ChatBuffer()
        self.call: ToolCall = self.transcript.tool(ToolCallUpdate("t", **update), 0.0)

    def update(self, now: float = 0.0, **update: Any) -> None:
        self.transcript.tool(ToolCallUpdate("t", **update), now)

    def ask(self, *names: str, **more: Any) -> Question:
        options = tuple(Option(str(n), name, "allow_once") for n, name in enumerate(names))
        question = Question(1, "permission", "may I", options, "t", **more)
        self.transcript.ask(question, ToolCallUpdate("t"), 0.0)
        return question

    @property
    def lines(self) -> list[str]:
        more = True
        while more:
            ops, more = self.view.flush()
            self.buffer.apply(ops, self.view.total)
        return self.buffer.lines[1:]

    @property
    def body(self) -> list[str]:
        self.view.toggle(self.call.key, True)
        return [line.removeprefix("  │").removeprefix(" ") for line in self.lines[1:]]

    @property
    def mark(self) -> dict[str, Any]:
        assert self.lines
        return self.buffer.rows[1][0]

    @property
    def beside(self) -> str:
        return "".join(text for text, _ in self.mark.get("eol", ()))

    @property
    def details(self) -> list[str]:
        return self.view.details(self.call.key).lines


@pytest.mark.statement(81)
@pytest.mark.parametrize(
    ("update", "line"),
    [
        ({}, "tool    t"),
        ({"title": "Ask"}, "tool    Ask"),
        ({"title": "read", "kind": "read"}, "read    t"),
        ({"title": "Read src/a.py", "kind": "read"}, "read    src/a.py"),
        ({"title": "a.py", "kind": "read", "locations": at("/w/src/a.py", 12)}, "read    src/a.py:12"),
        ({"title": "Rename it", "kind": "edit", "locations": at("/w/a.py", 3)}, "edit    a.py:3  Rename it"),
        ({"title": "a.py", "kind": "read", "locations": at("/w/a.py", 1)}, "read    a.py"),
        ({"title": "a.py", "kind": "read", "locations": at("/w/a.py", 0)}, "read    a.py"),
        (
            {"title": "", "kind": "read", "locations": at("/w/a", 1), "raw_input": {"limit": 9}},
            "read    a:1",
        ),
        ({"title": "src/a.py", "kind": "read", "locations": at("/w/src/a.py", 12)}, "read    src/a.py:12"),
        (
            {"title": "Read `/w/src/a.py`", "kind": "read", "locations": at("/w/src/a.py", 12)},
            "read    src/a.py:12",
        ),
        ({"title": "Look at /w/a", "kind": "read", "locations": at("/w/a", 3)}, "read    Look at a:3"),
        ({"title": "Look", "kind": "read", "locations": at("/etc/x")}, "read    /etc/x  Look"),
        ({"title": "Callers", "kind": "search", "locations": at("/w/src")}, "search  Callers  src"),
        ({"title": "", "kind": "edit", "raw_input": {"file_path": "/w/b"}}, "edit    b"),
        ({"title": "", "kind": "edit", "locations": (*at("/w/a"), *at("/w/b"))}, "edit    a and 1 more"),
        (
            {"title": "Edit a", "kind": "edit", "locations": (*at("/w/a"), *at("/w/b"))},
            "edit    a and 1 more",
        ),
        ({"title": "Move a to b", "kind": "move", "locations": (*at("/w/a"), *at("/w/b"))}, "move    a to b"),
        (
            {"title": "pytest -q", "kind": "execute", "raw_input": {"command": "pytest -q"}},
            "execute pytest -q",
        ),
        (
            {"title": "Run tests", "kind": "execute", "raw_input": {"command": "pytest"}},
            "execute pytest  Run tests",
        ),
        (
            {"title": "execute_bash: ls -l", "kind": "execute", "raw_input": {"command": "ls -l"}},
            "execute ls -l",
        ),
        ({"title": "read_file: a.py", "kind": "read", "locations": at("/w/a.py")}, "read    a.py"),
        ({"title": "string_replace: a.py", "kind": "other"}, "tool    string_replace: a.py"),
        ({"kind": "execute", "raw_input": {"command": "a\nb"}}, "execute a …"),
        ({"title": "plan", "kind": "switch_mode"}, "mode    plan"),
        ({"title": "a\nb\x1b\u202ec", "kind": "fetch"}, "fetch   a b^[<202E>c"),
        ({"title": "", "kind": "read", "locations": at("/w/\u202ea\x07")}, "read    <202E>a^G"),
    ],
)
def test_the_line(update: dict[str, Any], line: str):
    assert Shown(**update).lines == [line]


def test_a_line_is_never_long():
    assert len(Shown(title="x" * 1_000_000, kind="read", locations=at("/w/" + "y" * 3000)).lines[0]) < 300


def test_columns_are_bytes():
    shown = Shown(title="漢 ", kind="read", locations=at("/w/é", 3))
    assert shown.lines == ["read    é:3  漢"]
    assert shown.mark["spans"] == [[0, 4, "AcpToolKind"], [8, 12, "AcpPath"], [14, 17, "AcpNote"]]


@pytest.mark.parametrize(
    ("status", "icon"), [("pending", "◌ "), ("in_progress", "⠋ "), ("completed", "✓ "), ("failed", "✗ ")]
)
def test_icons(status: str, icon: str):
    mark = Shown(status=status).mark
    assert mark["icon"]["text"] == icon
    assert mark.get("running", False) == (status == "in_progress")


def test_counts_and_verdict_and_time_stand_beside():
    shown = Shown(
        title="a", kind="edit", content=(Diff(path="/w/a", old_text="a\nb\n", new_text="a\nc\nd\n"),)
    )
    assert shown.beside == " +2 −1"
    shown.update(5.0, status="failed")
    shown.call.verdict = "rejected"
    assert shown.beside == " +2 −1  rejected  5 s"
    assert shown.lines == ["edit    a"]  # what the user refused is no failure to be explained


def test_counts_follow_the_content():
    shown = Shown(kind="edit", content=(Diff(path="/w/a", new_text="a\n"), Diff(path="/w/b", new_text="b\n")))
    assert shown.beside == " +2"
    shown.update(content=(Diff(path="/w/a", old_text="a\n", new_text=""),))
    assert shown.beside == " −1"
    shown.update(content=())
    assert shown.beside == ""


def test_the_body_shows_input_and_output():
    shown = Shown(
        title="Find", raw_input={"pattern": "x"}, content=(ContentItem(Text(text="one\n\ttwo\r\n")),)
    )
    assert shown.body == ["{", '  "pattern": "x"', "}", "one", "\ttwo"]


def test_a_command_is_shown_whole_where_the_line_does_not():
    shown = Shown(title="Run", kind="execute", raw_input={"command": "a\nb \x1b"}, raw_output="done")
    assert shown.body == ["$ a", "b ^[", "done"]


def test_what_the_line_tells_is_not_repeated():
    shown = Shown(
        title="pytest",
        kind="execute",
        raw_input={"command": "pytest"},
        content=(ContentItem(Text(text="ok")),),
    )
    assert shown.body == ["ok"]
    assert Shown(kind="read", raw_input={"file_path": "/w/a"}).body == []


def test_a_diff_is_shown_in_colours():
    shown = Shown(
        kind="edit", raw_input={"old": "b"}, content=(Diff(path="/w/a", old_text="a\nb", new_text="a\nc"),)
    )
    assert shown.body == ["  a", "- b", "+ c"]
    assert [row[0].get("line_hl") for row in shown.buffer.rows[2:]] == [
        None,
        "AcpDiffRemoved",
        "AcpDiffAdded",
    ]


def test_several_diffs_are_named():
    diffs = (Diff(path="/w/a", new_text="x"), Diff(path="/w/b", new_text="y"))
    assert Shown(kind="edit", content=diffs).body == ["/w/a", "+ x", "/w/b", "+ y"]


@pytest.mark.statement(87)
@pytest.mark.parametrize(
    ("raw", "lines"), [("text\n", ["text"]), ({"a": [1]}, ["{", '  "a": [', "    1", "  ]", "}"]), (0, ["0"])]
)
def test_raw_output_stands_in_for_content(raw: Any, lines: list[str]):
    assert Shown(raw_output=raw).body == lines


@pytest.mark.statement(87)
def test_what_is_nested_too_deeply_is_said():
    deep: list[Any] = []
    for _ in range(5000):
        deep = [deep]
    shown = Shown(raw_output=deep)
    assert shown.body[0] == "["
    assert "nested too deeply" in shown.details[-1]


def test_other_content_has_its_placeholder():
    blocks = (
        ContentItem(Image(mime_type="image/png", data="AAAA")),
        ContentItem(Resource(uri="file:///a", text="b")),
    )
    assert Shown(content=blocks).body == ["[image image/png, 3 B]", "b"]


def test_of_a_terminal_the_end_is_shown():
    shown = Shown(content=(TerminalRef(terminal_id="x"),))
    shown.terminals["x"] = "".join(f"\x1b[1m{number}\n" for number in range(300))
    body = shown.body
    assert body[:2] == ["… 100 earlier lines", "100"]
    assert body[-1] == "299"
    shown.terminals["x"] += "more\n"
    shown.transcript.touch(shown.call, urgent=False)
    assert shown.body[-1] == "more"


def test_terminals_of_the_agents_own_are_shown():
    shown = Shown(meta={"terminal_output": {"terminal_id": "y", "data": "a\nb"}})
    assert shown.body == ["a", "b"]
    shown.update(content=(TerminalRef(terminal_id="y"),))
    assert shown.body == ["a", "b"]


@pytest.mark.parametrize(
    ("title", "shown"),
    [
        ("mcp__tracker__create_issue", "create_issue (tracker)"),
        ("mcp__my_server__a__b", "a__b (my_server)"),
        ("mcp__tracker", "mcp__tracker"),
        ("mcp__a__b and more", "mcp__a__b and more"),
    ],
)
def test_the_tool_of_a_server_is_named_before_it(title: str, shown: str):
    assert Shown(title=title).lines == [f"tool    {shown}"]


def test_the_words_about_a_call_are_cut_again_when_the_chat_gets_wider_or_narrower():
    words = "List all files of the project and count their lines"
    shown = Shown(title=words, kind="execute", status="completed", raw_input={"command": "wc -l *"})
    shown.view.fit((30, 44))
    (narrow,) = shown.lines
    assert narrow.startswith("execute wc -l *  List all")
    assert narrow.endswith("…")
    shown.view.fit((30, 120))
    assert shown.lines == [f"execute wc -l *  {words}"]
    shown.view.fit((20, 44))
    assert shown.lines == [narrow]


# --- failures


def failed(columns: int, *lines: str, **more: Any) -> Shown:
    content = (ContentItem(content=Text(text="\n".join(lines))),)
    update = {"title": "make", "kind": "execute", "content": content, **more}
    shown = Shown(status="failed", **update)
    shown.view.fit((30, columns))
    return shown


def colours(shown: Shown) -> list[str | None]:
    """Of the rows below the line of the call."""
    assert shown.lines
    return [row[0].get("line_hl") if row else None for row in shown.buffer.rows[2:]]


def test_why_a_command_failed_stands_among_its_last_lines():
    why = "error: " + "x" * 90
    shown = failed(40, "cc a.c", why)
    assert shown.lines == ["execute make", "  │ cc a.c", f"  │ {why[:34]}…"]
    assert colours(shown) == [None, "AcpFailed"]
    shown = failed(40, *map(str, range(5)), why, *map(str, range(9)))
    assert shown.lines[1:] == [f"  │ {why[:34]}…", "  │ 6", "  │ 7", "  │ 8", "  │ … 11 more, za"]
    assert colours(shown) == ["AcpFailed", None, None, None, "AcpNote"]


def test_words_that_say_nothing_of_a_failure_stand_in_their_order():
    assert failed(40, "a", "b", "c", "d").lines[1:] == ["  │ b", "  │ c", "  │ d", "  │ … 1 more, za"]


def test_a_failed_command_without_output_has_one_line():
    assert failed(40).lines == ["execute make"]


@pytest.mark.parametrize(
    "told",
    [
        {"raw_output": {"exit_code": 2, "formatted_output": "cc"}},
        {"raw_output": {"exitCode": 2}},
        {"raw_output": {"output": "cc", "metadata": {"exit": 2}}},
        {"meta": {"terminal_exit": {"terminal_id": "t", "exit_code": 2, "signal": None}}},
    ],
)
def test_a_failed_command_tells_its_exit_code(told: dict[str, Any]):
    shown = failed(40, **told)
    assert shown.beside == "  exit 2"
    assert shown.mark["eol"] == [["  exit 2", "AcpFailed"]]


def test_a_command_that_a_signal_has_ended_tells_which():
    told = {"terminal_exit": {"terminal_id": "t", "exit_code": None, "signal": "SIGKILL"}}
    assert failed(40, meta=told).mark["eol"] == [["  SIGKILL", "AcpFailed"]]


@pytest.mark.parametrize("code", [0, None, True, "2", {}])
def test_only_a_number_is_an_exit_code(code: Any):
    assert failed(40, raw_output={"exit_code": code}).beside == ""


def test_the_exit_code_is_not_told_twice():
    shown = failed(40, "Exit code 1", "boom", raw_output={"exit_code": 1})
    assert shown.lines == ["execute make", "  │ boom"]


def test_of_another_failure_the_first_sentence_is_told_in_two_rows():
    read = {"kind": "read", "title": "a.py"}
    shown = failed(60, "File does not exist. Note: your directory is /tmp.", **read)
    assert shown.lines == ["read    a.py  File does not exist."]
    shown = failed(40, "It goes on " + "and on " * 40, **read)
    assert len(shown.lines) == 1
    assert shown.lines[0].endswith("…")
    assert 40 < len(shown.lines[0]) <= 80


# --- questions


def test_a_question_and_its_answer():
    shown = Shown(title="a", kind="edit", content=(Diff(path="/w/a", new_text="x\n"),))
    question = shown.ask("Yes", "Always", "No", detail=("/w/a",), has_diff=True)
    assert shown.lines == ["edit    a", "    1 Yes   2 Always   3 No   gd diff"]
    assert shown.mark["icon"] == {"text": "? ", "hl": "AcpQuestion"}
    (option,) = shown.buffer.rows[-1]
    assert (option["kind"], option["key"]) == ("option", question.id)
    assert option["options"] == [[4, 9, 1], [12, 20, 2], [23, 27, 3]]
    assert [sign[:2] for sign in option["inline"]] == [[6, "✓ "], [14, "✓ "], [25, "✓ "]]
    assert [span[0] for span in option["spans"]] == [4, 12, 23, 30]
    question.end(question.options[2], "user")
    shown.transcript.answered(question)
    assert shown.lines == ["edit    a"]


def test_the_whole_command_is_visible_before_the_answer():
    shown = Shown(title="Run", kind="execute", raw_input={"command": "make\nrm -rf /"})
    shown.ask("Yes", detail=("$ make", "  rm -rf / \x1b\u202e"), note="this agent writes first")
    assert shown.lines == [
        "execute make …  Run",
        "    $ make",
        "      rm -rf / ^[<202E>",
        "    this agent writes first",
        "    1 Yes",
    ]
    kinds = [[mark["kind"] for mark in row] for row in shown.buffer.rows[1:]]
    assert kinds == [["tool"], ["question"], ["question"], ["question"], ["option"]]


def test_a_question_without_details_shows_its_title():
    shown = Shown(title="Run")
    shown.ask("Yes")
    assert shown.lines == ["tool    Run", "    may I", "    1 Yes"]


def test_long_options_stand_below_each_other():
    shown = Shown()
    shown.ask("Yes", "x" * 90, "No\n\u202e", has_diff=True, detail=("t",))
    assert shown.lines[1:] == ["    1 Yes", "    2 " + "x" * 90, "    3 No <202E>   gd diff"]
    numbers = [[place[2] for place in row[0]["options"]] for row in shown.buffer.rows[2:]]
    assert numbers == [[1], [2], [3]]


@pytest.mark.parametrize(
    ("columns", "lines"),
    [
        (25, ["    1 Fill in the form", "    2 Decline   gd diff"]),
        (47, ["    1 Fill in the form", "    2 Decline   gd diff"]),
        (48, ["    1 Fill in the form   2 Decline   gd diff"]),
        (24, ["    1 Fill in the form", "    2 Decline", "    gd diff"]),
    ],
)
def test_options_stand_in_a_row_where_the_window_has_room(columns: int, lines: list[str]):
    shown = Shown()
    shown.ask("Fill in the form", "Decline", has_diff=True, detail=("t",))
    assert shown.lines
    shown.view.fit((30, columns))
    assert shown.lines[1:] == lines


def test_no_options_are_told():
    shown = Shown()
    shown.ask(detail=("t",))
    assert shown.lines[1:] == ["    the agent offers no answers: cancel the turn"]


def test_several_questions_about_one_call_are_all_shown():
    shown = Shown(title="x")
    first, second = shown.ask("A"), shown.ask("B")
    assert shown.lines[1:] == ["    may I", "    1 A", "    may I", "    1 B"]
    first.end(None, "cancel")
    shown.transcript.answered(first)
    assert shown.lines[1:] == ["    may I", "    1 B"]
    assert shown.buffer.rows[-1][0]["key"] == second.id


def test_a_hostile_command_is_cut_and_says_so():
    shown = Shown(title="x")
    shown.ask("Yes", detail=("y" * 20_000_000, *["z"] * 5000))
    assert sum(map(len, shown.lines)) < 300_000
    assert shown.lines[-3].endswith("5,000 more lines: K shows all")
    assert shown.lines[-2].strip() == "too long to be shown in full: reject it, or set a rule"


@pytest.mark.parametrize(
    ("detail", "is_cut"),
    [
        (("y",) * 1990, False),
        (("y",) * 2001, True),
        (("y\n" * 1990,), False),
        (("y\n" * 2001,), True),
        (("x" * 200,) * 1200, False),
        (("x" * 200,) * 1400, True),
        (("x" * 300_000,), True),
    ],
)
def test_a_question_knows_whether_it_is_shown_whole(detail: tuple[str, ...], is_cut: bool):
    shown = Shown(title="x")
    question = shown.ask("Yes", detail=detail)
    assert any("K shows all" in line for line in shown.lines) == question.is_cut == is_cut


# --- details


def test_details_are_complete():
    shown = Shown(
        title="Run\nit \x1b",
        kind="execute",
        locations=at("/w/a", 3),
        raw_input={"command": "a\nb"},
        raw_output=None,
        content=(ContentItem(Text(text="line\n" * 5000)), Diff(path="/w/a", new_text="x")),
    )
    shown.update(2.5, status="completed", raw_output=[1])
    head = [
        "Run",
        "it ^[",
        "",
        "kind    execute",
        "status  completed",
        "took    3 s",
        "",
        "locations:",
        "  /w/a:3",
    ]
    assert shown.details[: len(head)] == head
    text = "\n".join(shown.details)
    assert "\ncommand:\n  a\n  b\n" in text
    assert text.count("\n  line") == 5000
    assert "\ndiff of /w/a:\n  +x\n" in text
    assert text.endswith("raw output:\n  [\n    1\n  ]")


def test_details_show_texts_as_texts_and_the_wire_last():
    shown = Shown(
        kind="edit",
        title="edit",
        locations=at("/w/price.py"),
        raw_input={
            "path": "/w/price.py",
            "new_string": "def f():\n    return 1\n",
            "more": [{"why": "because " * 10}],
            "command": "sed -i s/a/b/ price.py\n",
        },
        raw_output={"content": "one\ntwo", "ok": True},
    )
    page = shown.view.details(shown.call.key)
    text = "\n".join(page.lines)
    headings = [line for line in page.lines if line.endswith(":") and not line.startswith(" ")]
    assert headings[-2:] == ["raw input:", "raw output:"]
    assert "\ninput · new_string:\n  def f():\n      return 1\n" in text
    assert "\ninput · more.1.why:\n  because because" in text
    assert "\noutput · content:\n  one\n  two\n" in text
    named = {page.lines[region["first"]].strip(): region["name"] for region in page.regions}
    assert named["def f():"] == "/w/price.py"
    assert named["one"] == "/w/price.py"
    assert named["{"] == "wire.json"
    assert named["sed -i s/a/b/ price.py"] == "it.sh"


def test_a_deep_value_is_shown_on_the_wire_alone():
    deep = "long " * 40
    for _ in range(60):
        deep = {"in": deep}
    shown = Shown(raw_input=deep)
    assert not any(line.startswith("input ·") for line in shown.details)
    assert "raw input:" in shown.details


def test_details_of_nothing():
    assert Shown().view.details(77).lines == ["nothing here"]


@pytest.mark.parametrize("raw", [UNSET, None])
def test_no_raw_output_has_no_section(raw: Any):
    assert "raw output:" not in Shown(raw_output=raw).details
