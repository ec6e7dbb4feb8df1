"""What a language server wants to change, as whole texts."""

from typing import Any

import pytest

from acp_nvim.editor_tools.failure import Failed
from acp_nvim.editor_tools.workspace_edit import FileEdit, apply, read


def edit(row: int, first: int, last: int, text: str, last_row: int | None = None) -> dict[str, Any]:
    end = {"line": row if last_row is None else last_row, "character": last}
    return {"range": {"start": {"line": row, "character": first}, "end": end}, "newText": text}


@pytest.mark.parametrize(
    ("text", "edits", "encoding", "wanted"),
    [
        pytest.param(
            "a b c", [edit(0, 0, 1, "x"), edit(0, 4, 5, "y")], "utf-16", "x b y", id="two of a line"
        ),
        pytest.param(
            "a\nb\n", [edit(1, 0, 1, "B"), edit(0, 0, 1, "A")], "utf-16", "A\nB\n", id="in any order"
        ),
        pytest.param("ä😀x", [edit(0, 3, 4, "y")], "utf-16", "ä😀y", id="UTF-16 units"),
        pytest.param("ä😀x", [edit(0, 6, 7, "y")], "utf-8", "ä😀y", id="bytes"),
        pytest.param("ä😀x", [edit(0, 2, 3, "y")], "utf-32", "ä😀y", id="characters"),
        pytest.param("a\r\nb\r\n", [edit(0, 1, 1, "\nnew")], "utf-16", "a\r\nnew\r\nb\r\n", id="CRLF"),
        pytest.param(
            "a\fb\u2028c\x85d\r\nx\r\n",
            [edit(1, 0, 1, "y")],
            "utf-16",
            "a\fb\u2028c\x85d\r\ny\r\n",
            id="CRLF alone",
        ),
        pytest.param("a\rb\r\nc\nd", [edit(3, 0, 1, "D")], "utf-16", "a\rb\r\nc\nD", id="mixed line ends"),
        pytest.param("a\r\n", [edit(1, 0, 0, "b")], "utf-16", "a\r\nb", id="behind the last line end"),
        pytest.param("a\nb", [edit(0, 0, 0, "", 9)], "utf-16", "", id="behind the end"),
        pytest.param("a\nb\n", [edit(0, 9, 0, "", 1)], "utf-16", "ab\n", id="behind the end of a line"),
        pytest.param("", [edit(0, 0, 0, "new\n")], "utf-16", "new\n", id="an empty file"),
        pytest.param("a", [edit(0, 0, 0, "1"), edit(0, 0, 0, "2")], "utf-16", "12a", id="twice at one place"),
    ],
)
def test_edits_of_a_text(text: str, edits: list[Any], encoding: str, wanted: str) -> None:
    assert apply(text, edits, encoding) == wanted


@pytest.mark.parametrize(
    "edits",
    [
        [edit(0, 0, 2, "x"), edit(0, 1, 3, "y")],
        [edit(0, 2, 1, "x")],
        [{"range": None, "newText": "x"}],
        [{"range": {"start": {"line": "1"}, "end": {}}, "newText": "x"}],
        [{"newText": "x"}],
        ["x"],
        None,
        {},
    ],
)
def test_edits_that_make_no_sense(edits: Any) -> None:
    with pytest.raises(Failed):
        apply("a b c", edits, "utf-16")


FILES = {"/p/a": "a\n", "/p/b": "b\n"}


async def text_of(path: str) -> str | None:
    return FILES.get(path)


def of(path: str, *edits: Any) -> dict[str, Any]:
    return {"textDocument": {"uri": f"file://{path}", "version": 3}, "edits": list(edits)}


async def test_both_forms_and_several_files() -> None:
    wanted = [FileEdit("/p/a", "a\n", "x\n"), FileEdit("/p/b", "b\n", "x\n")]
    change = edit(0, 0, 1, "x")
    changes = {"changes": {"file:///p/b": [change], "file:///p/a": [change]}}
    assert await read([changes], "utf-16", text_of) == wanted
    steps = {"documentChanges": [of("/p/a", change), of("/p/b", change)]}
    assert await read([steps], "utf-16", text_of) == wanted


async def test_files_that_are_made_moved_and_deleted() -> None:
    steps = [
        {"kind": "rename", "oldUri": "file:///p/a", "newUri": "file:///p/c%20d"},
        of("/p/c d", edit(0, 1, 1, "!")),
        {"kind": "create", "uri": "file:///p/new"},
        of("/p/new", edit(0, 0, 0, "new\n")),
        {"kind": "delete", "uri": "file:///p/b"},
    ]
    assert await read([{"documentChanges": steps}], "utf-16", text_of) == [
        FileEdit("/p/a", "a\n", None),
        FileEdit("/p/b", "b\n", None),
        FileEdit("/p/c d", None, "a!\n"),
        FileEdit("/p/new", None, "new\n"),
    ]


@pytest.mark.parametrize(
    "given",
    [
        None,
        {"changes": {"http://x": []}},
        {"documentChanges": [{"kind": "rename", "oldUri": "file:///p/a", "newUri": "file:///p/b"}]},
        {"documentChanges": [{"edits": []}]},
    ],
)
async def test_changes_of_what_is_no_file(given: Any) -> None:
    with pytest.raises(Failed):
        await read([given], "utf-16", text_of)


async def test_what_changes_nothing_is_no_change() -> None:
    assert await read([{"changes": {"file:///p/a": [edit(0, 0, 1, "a")]}}], "utf-16", text_of) == []
