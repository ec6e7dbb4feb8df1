"""Where the agent is, as the editor is told of it: places that it names, and files that it reads and writes."""

from typing import Any

import pytest

from tests.client.conftest import Desk, Talk
from tests.fakes.script import eventually, on_prompt, request, tool, wait

TEXT = "".join(f"line {number}\n" for number in range(1, 8))


def reads(name: str, **more: Any) -> list[Any]:
    return request("fs/read_text_file", {"sessionId": "{session}", "path": f"{{cwd}}/{name}", **more})


def writes(name: str, content: str) -> list[Any]:
    params = {"sessionId": "{session}", "path": f"{{cwd}}/{name}", "content": content}
    return request("fs/write_text_file", params)


async def going(desk: Desk, *steps: Any) -> Talk:
    for name in ("a", "b"):
        (desk.folder / name).write_text(TEXT)
    desk.agent(on_prompt("", *steps))
    talk = await desk.ready()
    talk.prompt("go")
    return talk


async def led(desk: Desk, *wanted: tuple[str, int]) -> None:
    places = [(1, str(desk.folder / name), line) for name, line in wanted]
    await eventually(lambda: desk.editor.places == places)


@pytest.mark.statement(122)
async def test_what_is_read_and_written_leads_there(desk: Desk) -> None:
    talk = await going(
        desk,
        reads("a", line=4, limit=2),
        wait("one"),
        writes("b", TEXT.replace("line 6", "six")),
        wait("two"),
        writes("new/file", "x\n"),
    )
    await led(desk, ("a", 4))
    desk.client.hosts[0].connection.notify("one", {})
    await led(desk, ("a", 4), ("b", 6))
    desk.client.hosts[0].connection.notify("two", {})
    await led(desk, ("a", 4), ("b", 6), ("new/file", 1))
    await talk.ended(1)
    told = [(data["path"], data["line"]) for data in talk.data("AcpLocation")]
    assert told == [(file, line) for _, file, line in desk.editor.places]


@pytest.mark.statement(122)
async def test_what_is_refused_leads_nowhere(desk: Desk) -> None:
    talk = await going(desk, reads("missing"), reads("a", line=99), writes("a/below", "x\n"))
    await talk.ended(1)
    assert desk.editor.places == []


@pytest.mark.statement(118)
async def test_the_last_location_counts_and_missing_files_do_not(desk: Desk) -> None:
    many = [{"path": "{cwd}/a", "line": 3}, {"path": "b", "line": 0}]
    missing = [{"path": "{cwd}/none", "line": 2}]
    talk = await going(
        desk,
        tool("t", title="Look", kind="read", locations=many),
        tool("u", title="Look", kind="read", locations=missing),
    )
    await talk.ended(1)
    await led(desk, ("b", 1))
