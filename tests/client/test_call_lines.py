"""The line of a tool call says what matters: the command, how long the agent took, what went wrong."""

import json
from typing import Any

from tests.client.conftest import Desk, Talk
from tests.fakes.script import eventually, on_prompt, permission, say, think, tool, wait_file, write_file
from tests.steps.backend import replay_wire


def update(**fields: Any) -> dict[str, Any]:
    return {"method": "session/update", "params": {"sessionId": "s", "update": fields}}


def beside(desk: Desk, talk: Talk) -> list[str]:
    marks = desk.editor.chat(talk.number).marks
    return ["".join(text for text, _ in mark.get("eol", ())) for mark in marks if mark["kind"] == "tool"]


async def test_a_duration_leaves_out_the_time_in_which_the_user_was_asked(desk: Desk) -> None:
    options = [{"optionId": "yes", "name": "Yes", "kind": "allow_once"}]

    def call(id: str, **fields: Any) -> dict[str, Any]:
        return update(sessionUpdate="tool_call", toolCallId=id, title=id, **fields)

    def ended(id: str) -> dict[str, Any]:
        return update(sessionUpdate="tool_call_update", toolCallId=id, status="completed")

    asked = {"sessionId": "s", "toolCall": {"toolCallId": "asked"}, "options": options}
    wire = [
        (0, "->", {"id": 1, "method": "session/prompt", "params": {"sessionId": "s", "prompt": []}}),
        (1, "<-", call("asked")),
        (2, "<-", {"id": "p", "method": "session/request_permission", "params": asked}),
        (62, "->", {"id": "p", "result": {"outcome": {"outcome": "selected", "optionId": "yes"}}}),
        (66, "<-", ended("asked")),
        (70, "<-", call("slow")),
        (73, "<-", ended("slow")),
        (75, "<-", call("quick")),
        (77.6, "<-", ended("quick")),
        (80, "<-", {"id": 1, "result": {"stopReason": "end_turn"}}),
    ]
    file = desk.folder / "wire.jsonl"
    lines = ({"t": when, "dir": way, "msg": {"jsonrpc": "2.0", **msg}} for when, way, msg in wire)
    file.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    talk = await replay_wire(desk, file)
    assert [text.strip() for text in beside(desk, talk)] == ["5 s", "3 s", ""]


async def test_an_error_in_a_thought_is_visible(desk: Desk) -> None:
    desk.agent(
        on_prompt("away", think("Let me see.\nError: the model is away"), say("So.")),
        on_prompt("fine", think("There is no error to be seen: all is well"), say("So.")),
    )
    talk = await desk.ready()
    await talk.turn("away")
    assert "Error: the model is away" in talk.lines
    (mark,) = [mark for mark in desk.editor.chat(talk.number).marks if mark["kind"] == "thought"]
    assert mark["line_hl"] == "AcpError"
    await talk.turn("fine")
    assert "thought" in talk.lines


async def test_a_command_is_shown_and_not_the_folder_it_runs_in(desk: Desk) -> None:
    where = [{"path": "{cwd}"}]
    below = [{"path": "{cwd}/src"}]
    desk.agent(
        on_prompt(
            "",
            tool("a", title="pytest -q", kind="execute", status="completed", locations=where),
            tool("b", title="make all", kind="execute", locations=where, rawInput={"command": "make all"}),
            tool("c", title="ls -l", kind="execute", locations=below, rawInput={"command": "ls -l"}),
            tool("call_00af", title="call_00af", kind="read", rawInput={"path": "{cwd}/a.py"}),
            tool("call_00b0", title="call_00b0", kind="execute", rawInput={"command": "git status"}),
        )
    )
    talk = await desk.ready()
    await talk.turn("go")
    wanted = ["execute pytest -q", "execute make all", "execute ls -l", "read    a.py", "execute git status"]
    assert [line for line in talk.lines if line.startswith(("execute", "read"))] == wanted


async def test_of_a_long_path_the_middle_goes(desk: Desk) -> None:
    path = "src/" + "deep/" * 60 + "parse.py"
    desk.agent(on_prompt("", tool("a", title="read", kind="read", locations=[{"path": "{cwd}/" + path}])))
    talk = await desk.ready()
    await talk.turn("go")
    (line,) = [line for line in talk.lines if line.startswith("read")]
    assert line.endswith("deep/parse.py")
    assert "src/deep" in line
    assert "…" in line


async def test_a_whole_file_write_is_counted_from_the_file_as_it_was(desk: Desk) -> None:
    """Also without a question, and after the agent has written it."""
    old = "".join(f"line {number}\n" for number in range(30))
    new = old.replace("line 7\n", "LINE 7\nand more\n")
    (desk.folder / "a.txt").write_text(old)
    content = [{"type": "diff", "path": "{cwd}/a.txt", "newText": new}]
    desk.agent(
        on_prompt(
            "",
            tool("a", title="write", kind="edit", status="pending", content=content),
            wait_file(str(desk.folder / "go")),
            write_file("{cwd}/a.txt", new),
            tool("a", known=True, status="completed"),
            permission("later", id="b"),
        )
    )
    talk = await desk.ready()
    talk.prompt("go")
    await eventually(lambda: [text.strip() for text in beside(desk, talk)] == ["+2 −1"])
    (desk.folder / "go").touch()
    await talk.asked()
    assert (desk.folder / "a.txt").read_text() == new
    assert beside(desk, talk)[0].strip() == "+2 −1"


async def test_a_change_is_named_by_its_first_line_and_not_by_the_lines_around_it(desk: Desk) -> None:
    """Where the call tells of it before it is done, and where only the lines around it are known."""
    lines = [f"line {number}" for number in range(1, 31)]
    new = [*lines[:10], "LINE 11", *lines[11:]]

    def diff(path: str, first: int, last: int) -> list[dict[str, str]]:
        old_text, new_text = ("\n".join(each[first:last]) for each in (lines, new))
        return [{"type": "diff", "path": path, "oldText": old_text, "newText": new_text}]

    done = "".join(f"{line}\n" for line in new)
    for name in ("a.txt", "b.txt"):
        (desk.folder / name).write_text("".join(f"{line}\n" for line in lines))
    a, b = "{cwd}/a.txt", "{cwd}/b.txt"
    desk.agent(
        on_prompt(
            "",
            tool("a", title="Edit", kind="edit", locations=[{"path": a}], content=diff(a, 10, 11)),
            write_file(a, done),
            tool("a", known=True, locations=[{"path": a, "line": 8}], content=diff(a, 7, 14)),
            tool("a", known=True, status="completed"),
            write_file(b, done),
            tool("b", title="Edit", kind="edit", locations=[{"path": b, "line": 8}], content=diff(b, 7, 14)),
            tool("b", known=True, status="completed"),
        )
    )
    talk = await desk.ready()
    await talk.turn("go")
    shown = [line.split()[1] for line in talk.lines if line.startswith("edit")]
    assert shown == ["a.txt:11", "b.txt:11"]
