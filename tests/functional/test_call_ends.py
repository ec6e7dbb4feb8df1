"""How calls end in the chat: a failure says why, of a command below its line, where the last lines stand."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.script import error, on, on_prompt, request, result, say, script, tool, wait
from tests.functional.editor import Editor
from tests.steps.conversation import go_to_line, open_chat, read_chat, send

Open = Callable[..., Editor]
WIDE = {"chat": {"position": "tab"}}


def output(text: str) -> list[Any]:
    return [{"type": "content", "content": {"type": "text", "text": text}}]


FENCED = "```\n<tool_use_error>String to replace not found.</tool_use_error>\nString: x\n```"
NESTED = {"error": {"code": -32000, "message": "connection refused"}}
PYTEST = "=== test session starts ===\nImportError: no module named orders\nE\n1 error\n"


@pytest.mark.parametrize(
    ("kind", "fields", "said"),
    [
        ("edit", {"content": output(FENCED)}, "edit    it  String to replace not found."),
        ("edit", {"rawOutput": FENCED}, "edit    it  String to replace not found."),
        ("other", {"rawOutput": NESTED}, "tool    it  connection refused"),
        ("fetch", {"content": output('{"detail": "no such page"}')}, "fetch   it  no such page"),
        ("execute", {"content": output(PYTEST)}, "execute it\n   │ ImportError: no module named orders"),
        ("read", {"content": output("No such file. Your directory is /tmp.")}, "read    it  No such file.\n"),
        ("read", {}, "read    it"),
    ],
)
def test_a_failure_says_why(open_editor: Open, tmp_path: Path, kind: str, fields: Any, said: str) -> None:
    call = tool("t", title="it", kind=kind, status="failed", rawInput={"old_string": "x"}, **fields)
    editor = open_chat(open_editor, script(tmp_path, on_prompt("", call)), setup=WIDE, size=(80, 30))
    send(editor, "go")
    editor.wait_event("AcpTurnEnded")
    editor.screen.expect(f"✗ {said}")
    shown = editor.screen.text()
    assert not [raw for raw in ("tool_use_error", "```", "old_string", "-32000", "{") if raw in shown]
    # K has all of it
    go_to_line(editor, said.partition("\n")[0])
    editor.type("K")
    editor.screen.expect("old_string")


def test_a_call_that_fails_because_of_a_cancel_looks_cancelled(open_editor: Open, tmp_path: Path) -> None:
    agent = script(
        tmp_path,
        on_prompt(
            "",
            tool("before", title="before", kind="fetch", status="failed"),
            tool("told", title="told", kind="fetch", status="in_progress"),
            tool("open", title="open", kind="fetch", status="in_progress"),
            wait("session/cancel"),
            tool("told", known=True, status="failed", rawOutput="interrupted"),
        ),
    )
    editor = open_chat(open_editor, agent, size=(200, 30))
    send(editor, "go")
    editor.screen.expect("fetch   open")
    editor.type(":Acp cancel<CR>")
    editor.wait_event("AcpTurnEnded", stop_reason="cancelled")
    editor.screen.expect("✗ fetch   before")
    for name in ("told", "open"):
        editor.screen.expect(f"⊘ fetch   {name}   cancelled")
    assert "fetch   told" in read_chat(editor), "no reason beside it"
    go_to_line(editor, "told")
    editor.type("K")
    editor.screen.expect("status  cancelled")
    editor.type("q:Acp export out.md<CR>")
    editor.screen.expect("the conversation is in out.md")
    exported = (editor.project / "out.md").read_text()
    assert [line for line in exported.splitlines() if "fetch" in line] == [
        "- **fetch** `before` (failed)",
        "- **fetch** `told` (cancelled)",
        "- **fetch** `open` (cancelled)",
    ]


def test_the_last_lines_stand_below_a_finished_command(open_editor: Open, tmp_path: Path) -> None:
    lines = "\n".join(f"tests/test_{number}.py ." for number in range(30))
    agent = script(
        tmp_path,
        on_prompt(
            "",
            tool("x", title="pytest -q", kind="execute", status="completed", content=output(lines + "\n\n")),
            say("Fine."),
        ),
    )
    editor = open_chat(open_editor, agent, setup=WIDE, size=(80, 50))
    send(editor, "go")
    editor.wait_event("AcpTurnEnded")
    last = [f"  │ tests/test_{number}.py ." for number in (27, 28, 29)]
    editor.screen.expect(last[-1])
    lines_of_chat = read_chat(editor)
    at = lines_of_chat.index("execute pytest -q")
    assert lines_of_chat[at + 1 : at + 5] == [*last, ""]
    go_to_line(editor, "execute pytest -q")
    editor.type("za")
    editor.screen.expect("  │ tests/test_0.py .")
    editor.type("za")
    editor.screen.expect_gone("test_0.py")
    editor.screen.expect(last[0])


def test_the_last_lines_stand_below_a_running_command(open_editor: Open, tmp_path: Path) -> None:
    more = tmp_path / "more"
    os.mkfifo(more)
    command = f"for i in 1 2 3 4 5; do echo step $i; done; read line < {more}; echo $line; read line < {more}"
    agent = script(
        tmp_path,
        on_prompt(
            "",
            request("terminal/create", {"sessionId": "{session}", "command": "sh", "args": ["-c", command]}),
            tool(
                "x",
                title="build",
                kind="execute",
                status="in_progress",
                content=[{"type": "terminal", "terminalId": "terminal-1"}],
            ),
            wait("session/cancel"),
        ),
    )
    editor = open_chat(open_editor, agent, setup=WIDE, size=(80, 30))
    send(editor, "go")
    editor.screen.expect("│ step 5")
    assert below(editor, "execute build")[:3] == ["  │ step 3", "  │ step 4", "  │ step 5"]
    more.write_text("linking\n")
    editor.screen.expect("│ linking")
    assert below(editor, "execute build")[:3] == ["  │ step 4", "  │ step 5", "  │ linking"]
    editor.type(":Acp cancel<CR>")
    editor.wait_event("AcpTurnEnded")
    assert below(editor, "execute build")[:3] == ["  │ step 4", "  │ step 5", "  │ linking"]


def test_words_about_a_command_that_does_not_run_are_no_output(open_editor: Open, tmp_path: Path) -> None:
    words = output("Run all tests")
    agent = script(
        tmp_path,
        on_prompt(
            "",
            tool("x", title="pytest -q", kind="execute", status="pending", content=words),
            say("Soon."),
            wait("session/cancel"),
        ),
    )
    editor = open_chat(open_editor, agent, setup=WIDE, size=(80, 30))
    send(editor, "go")
    editor.screen.expect("Soon.")
    assert not [line for line in read_chat(editor) if "Run all tests" in line]


def below(editor: Editor, line: str) -> list[str]:
    lines = read_chat(editor)
    return lines[lines.index(line) + 1 :]


def test_the_edge_of_a_body_goes_on_beside_wrapped_rows(open_editor: Open, tmp_path: Path) -> None:
    line = "a line of output that is much too long for so narrow a window and so takes several rows"
    call = tool("r", title="look", kind="read", status="completed", content=output(line))
    editor = open_chat(open_editor, script(tmp_path, on_prompt("", call)), setup=WIDE, size=(40, 30))
    send(editor, "go")
    editor.wait_event("AcpTurnEnded")
    go_to_line(editor, "read    look")
    editor.type("za")
    editor.screen.expect("   │ a line of output")
    rows = [row for row in editor.screen.lines() if row.startswith("   │ ")]
    assert len(rows) == 3
    assert " ".join(row.removeprefix("   │ ").strip() for row in rows) == line


def test_a_reason_goes_on_in_the_next_row(open_editor: Open, tmp_path: Path) -> None:
    why = "NotADirectoryError: cannot read total from orders"
    call = tool("x", title="orders/total.py", kind="read", status="failed", content=output(f"{why}\n"))
    editor = open_chat(open_editor, script(tmp_path, on_prompt("", call)), setup=WIDE, size=(60, 30))
    send(editor, "go")
    editor.wait_event("AcpTurnEnded")
    editor.screen.expect(
        """\
 ✗ read    orders/total.py  NotADirectoryError: cannot read
           total from orders"""
    )


CODES = {"rawOutput": {"output": "", "metadata": {"exit": 3}}}
META = {"_meta": {"terminal_exit": {"terminal_id": "t", "exit_code": 3, "signal": None}}}


@pytest.mark.parametrize("said", [CODES, META], ids=["raw", "meta"])
@pytest.mark.parametrize(
    ("columns", "line"),
    [
        (60, " ✗ execute python3 run_tests.py   exit 3"),
        (32, " ✗ execute python3 run_tests.py\n           exit 3"),
    ],
)
def test_a_failed_command_tells_its_exit_code_and_why_below_it(
    open_editor: Open, tmp_path: Path, said: Any, columns: int, line: str
) -> None:
    lines = "\n".join([f"test_{number} PASSED" for number in range(13)] + ["AssertionError", "E", "1 failed"])
    call = tool(
        "x", title="python3 run_tests.py", kind="execute", status="failed", content=output(lines), **said
    )
    editor = open_chat(open_editor, script(tmp_path, on_prompt("", call)), setup=WIDE, size=(columns, 30))
    send(editor, "go")
    editor.wait_event("AcpTurnEnded")
    editor.screen.expect(f"{line}\n   │ AssertionError\n   │ E\n   │ 1 failed\n   │ … 13 more, za\n")
    assert editor.screen.attrs("exit 3") == editor.screen.attrs("✗")
    go_to_line(editor, "… 13 more")
    editor.type("za")
    editor.screen.expect("│ test_0 PASSED")


@pytest.mark.parametrize(("ends", "end"), [("exit 2", "exit 2"), ("kill -KILL $$", "SIGKILL")])
def test_the_end_of_a_terminal_is_told(open_editor: Open, tmp_path: Path, ends: str, end: str) -> None:
    order = {"sessionId": "{session}", "command": "sh", "args": ["-c", f"echo no such target; {ends}"]}
    shows = {"content": [{"type": "terminal", "terminalId": "terminal-1"}]}
    agent = script(
        tmp_path,
        on_prompt(
            "",
            request("terminal/create", order),
            tool("x", title="make all", kind="execute", status="in_progress", **shows),
            request("terminal/wait_for_exit", {"sessionId": "{session}", "terminalId": "terminal-1"}),
            tool("x", known=True, status="failed"),
        ),
    )
    editor = open_chat(open_editor, agent, setup=WIDE, size=(60, 30))
    send(editor, "go")
    editor.wait_event("AcpTurnEnded")
    editor.screen.expect(f" ✗ execute make all   {end}\n   │ no such target\n")


def test_a_reason_that_is_too_long_stands_among_the_last_lines(open_editor: Open, tmp_path: Path) -> None:
    why = f"ImportError: cannot import name {'total_' * 9} from orders"
    call = tool(
        "x", title="pytest -q", kind="execute", status="failed", content=output(f"collecting\n{why}\n")
    )
    editor = open_chat(open_editor, script(tmp_path, on_prompt("", call)), setup=WIDE, size=(50, 30))
    send(editor, "go")
    editor.wait_event("AcpTurnEnded")
    editor.screen.expect("│ ImportError: cannot import name total_")
    assert editor.screen.text().count("ImportError") == 1
    assert editor.screen.attrs("ImportError") != editor.screen.attrs("collecting")


@pytest.mark.parametrize(
    ("columns", "shown"),
    [
        (46, " ✓ edit    src/orders/price_of_all.py  +1 −1"),
        (40, " ✓ edit    src/orders/price_of_all.py\n           +1 −1"),
        (34, " ✓ edit src/orders/price_of_all.py\n        +1 −1"),
        (29, " ✓ src/orders/price_of_all.py\n   +1 −1"),
    ],
)
def test_counts_stand_below_a_path_that_leaves_them_no_room(
    open_editor: Open, tmp_path: Path, columns: int, shown: str
) -> None:
    change = {"type": "diff", "path": "{cwd}/src/orders/price_of_all.py", "oldText": "a\n", "newText": "b\n"}
    call = tool("x", title="Edit", kind="edit", status="completed", content=[change])
    editor = open_chat(open_editor, script(tmp_path, on_prompt("", call)), setup=WIDE, size=(columns, 30))
    send(editor, "go")
    editor.wait_event("AcpTurnEnded")
    editor.screen.expect(shown)


def test_the_agents_words_stand_behind_path_and_counts(open_editor: Open, tmp_path: Path) -> None:
    change = {"type": "diff", "path": "{cwd}/reader.py", "oldText": "a\n", "newText": "b\n"}
    edit = tool("e", title="Rename parse to read_line", kind="edit", status="completed", content=[change])
    look = tool(
        "r", title="Look", kind="read", status="completed", locations=[{"path": "{cwd}/a.py", "line": 1}]
    )
    agent = script(tmp_path, on_prompt("", edit, look))
    editor = open_chat(open_editor, agent, setup=WIDE, size=(60, 30))
    send(editor, "go")
    editor.wait_event("AcpTurnEnded")
    editor.screen.expect(" ✓ edit    reader.py  +1 −1  Rename parse to read_line")
    editor.screen.expect(" ✓ read    a.py  Look")
    editor.lua("vim.o.columns = 46")
    editor.screen.expect(" ✓ edit    reader.py  +1 −1  Rename parse to…")
    editor.lua("vim.o.columns = 60")
    editor.screen.expect(" ✓ edit    reader.py  +1 −1  Rename parse to read_line")


def test_a_long_call_goes_on_below_its_subject(open_editor: Open, tmp_path: Path) -> None:
    title = "grep total in one/folder and/another/folder and/the/last/folder"
    call = tool("x", title=title, kind="search", status="completed")
    editor = open_chat(open_editor, script(tmp_path, on_prompt("", call)), setup=WIDE, size=(50, 30))
    send(editor, "go")
    editor.wait_event("AcpTurnEnded")
    first, second = editor.screen.find("grep total"), editor.screen.find("last/folder")
    assert second[0] == first[0] + 1
    line = editor.screen.lines()[second[0]]
    assert len(line) - len(line.lstrip()) == first[1]


def test_an_error_goes_on_below_its_words(open_editor: Open, tmp_path: Path) -> None:
    words = "the service is busy at the moment, try again in a few minutes"
    editor = open_chat(
        open_editor, script(tmp_path, on_prompt("", error(-32603, words))), setup=WIDE, size=(50, 30)
    )
    send(editor, "go")
    editor.wait_event("AcpTurnEnded")
    row, begins = editor.screen.find("the service")
    first, below = editor.screen.lines()[row : row + 2]
    assert first[:begins] == " ✗ "
    assert below[:begins].strip() == ""
    assert below[begins] != " "


def test_an_error_that_the_agent_has_told_is_not_told_again(open_editor: Open, tmp_path: Path) -> None:
    words = "API Error: 400 the request is larger than the model takes"
    failure = error(-32603, f"Internal error: {words}", {"errorKind": "unknown"})
    agent = script(tmp_path, on_prompt("once more", say("fine")), on_prompt("", say(words), failure))
    editor = open_chat(open_editor, agent, setup=WIDE, size=(100, 30))
    send(editor, "too much")
    editor.wait_event("AcpTurnEnded")
    editor.screen.expect(f" {words}\n ✗ API Error: 400 the …\n · to send it again: <C-p> in the prompt\n")
    for hidden in ("errorKind", "-32603"):
        assert hidden not in "\n".join(read_chat(editor))
        assert hidden in editor.acp("status")["error"]
    editor.type("<C-p>")
    editor.screen.expect(lambda screen: screen.text().count("too much") == 2, what="the prompt again")
    go_to_line(editor, "API Error: 400 the …")
    editor.type("K")
    editor.screen.expect("Internal error: API Error: 400 the request")
    editor.screen.expect("(-32603)")
    editor.type("q:Acp log<CR>")
    editor.screen.expect("(-32603)")


@pytest.mark.parametrize(
    ("failure", "shown"),
    [
        (error(-32603, "Internal error", {"details": "no credit", "retry": 5}), "✗ no credit\n · to send"),
        (
            error(-32602, "Invalid params", {"id": "unknown"}),
            '✗ Invalid params: {"id": "unknown"}\n · to send',
        ),
        (
            error(-32603, "API Error: 401 invalid key"),
            "✗ API Error: 401 invalid key\n · :Acp login logs in\n",
        ),
    ],
)
def test_an_error_says_what_to_do(open_editor: Open, tmp_path: Path, failure: Any, shown: str) -> None:
    knows = on("initialize", result({"protocolVersion": 1, "authMethods": [{"id": "key", "name": "Key"}]}))
    agent = script(tmp_path, knows, on_prompt("", failure))
    editor = open_chat(open_editor, agent, setup=WIDE, size=(100, 30))
    send(editor, "go")
    editor.wait_event("AcpTurnEnded")
    editor.screen.expect(shown)


@pytest.mark.parametrize("columns", [48, 60])
def test_in_a_narrow_chat_the_column_of_kinds_gives_way_to_the_subject(
    open_editor: Open, tmp_path: Path, columns: int
) -> None:
    long, longer = "packages/orders/source/price_of_one_r.py", "packages/orders/sources/the_price_of_one.py"
    calls = [
        tool(str(n), title=path, kind=kind, status="completed", locations=[{"path": "{cwd}/" + path}])
        for n, (kind, path) in enumerate(
            [("edit", "short.py"), ("edit", long), ("edit", longer), ("delete", longer)]
        )
    ]
    agent = script(tmp_path, on_prompt("", *calls, say("So.")))
    editor = open_chat(open_editor, agent, size=(160, 40), setup={"chat": {"width": columns}})
    send(editor, "go")
    editor.wait_event("AcpTurnEnded")

    def lines() -> list[str]:
        return [line for line in read_chat(editor) if ".py" in line]

    wide = [f"edit    {path}" for path in ("short.py", long, longer)] + [f"delete  {longer}"]
    narrow = ["edit    short.py", f"edit {long}", longer, f"delete {longer}"]
    assert lines() == (narrow if columns == 48 else wide)
    editor.type(f"<Esc>:2wincmd w<CR>:vertical resize {108 - columns}<CR>")
    editor.screen.expect(lambda _: lines() == (wide if columns == 48 else narrow), what="the other form")
