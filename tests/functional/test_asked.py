"""Asked is decided: what a question has shown, and the user has allowed, does not wait in review, and can be undone."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.script import ScriptedAgent, on_prompt, script, tool, wait_until, write_file
from tests.functional.editor import Editor
from tests.steps.conversation import expect_answerable
from tests.steps.files import LINES, NOTES, open_notes, read_and_edit, read_disk, write
from tests.steps.forms import request_form
from tests.steps.proposals import NEW, OLD, ask_edit, make_diff, open_diff, open_old, write_through
from tests.steps.review import PENDING, list_hunks

Open = Callable[..., Editor]
KEEP = {"review": {"asked": "keep"}}
DONE = tool("call", known=True, status="completed")
MORE = NEW.replace("line 5\n", "line 5\nmore\n")


def steps(way: str, text: str = NEW) -> tuple[Any, ...]:
    """The agent asks about NEW, and writes this text."""
    if way == "through us":
        return write_through() if text == NEW else (ask_edit(), write(NOTES, text), DONE)
    return ask_edit(), write_file(NOTES, text), DONE


def asked(open_editor: Open, tmp_path: Path, way: str, text: str = NEW, **options: Any) -> Editor:
    """The user allows it."""
    agent = script(tmp_path, on_prompt("", *steps(way, text)))
    editor = open_old(open_editor, agent, **{"setup": KEEP, "size": (120, 40), **options})
    editor.acp("prompt", "edit it")
    editor.wait_event("AcpQuestion")
    editor.type(":Acp<CR>")
    expect_answerable(editor)
    editor.type("<M-1>")
    editor.wait_event("AcpTurnEnded")
    wait_until(lambda: read_disk(editor) == text)
    return editor


def states(editor: Editor) -> list[tuple[str, bool]]:
    return [(each["state"], each.get("asked", False)) for each in list_hunks(editor)]


@pytest.mark.parametrize("way", ["through us", "on disk"])
def test_what_was_asked_does_not_wait_and_is_undone_from_the_prompt(
    open_editor: Open, tmp_path: Path, way: str
) -> None:
    editor = asked(open_editor, tmp_path, way)
    editor.screen.expect("± notes.txt +3 −3 allowed · <M-u> undo")
    editor.expect_lua(PENDING, 0)
    assert states(editor) == [("kept", True)] * 3
    editor.type("<M-u>")
    editor.screen.expect("undone: 3 changes in notes.txt (turn 1)")
    assert read_disk(editor) == OLD
    editor.screen.expect("± undone 3")


@pytest.mark.parametrize("way", ["through us", "on disk"])
def test_what_was_written_beside_it_waits(open_editor: Open, tmp_path: Path, way: str) -> None:
    editor = asked(open_editor, tmp_path, way, MORE)
    editor.expect_lua(PENDING, 1)
    assert [each["new"] for each in list_hunks(editor) if each["state"] == "pending"] == [["more"]]
    editor.type("<Esc>:Acp undo all<CR>")
    editor.expect_lua(PENDING, 0)
    assert read_disk(editor) == NEW
    editor.type(":Acp undo turn<CR>")
    wait_until(lambda: read_disk(editor) == OLD)


@pytest.mark.parametrize("way", ["through us", "on disk"])
def test_a_part_that_was_allowed_in_the_diff_does_not_wait(
    open_editor: Open, tmp_path: Path, way: str
) -> None:
    agent = script(tmp_path, on_prompt("", *steps(way)))
    editor = open_old(open_editor, agent, setup=KEEP)
    open_diff(editor)
    editor.type("10Gdo5Gomine<Esc>:w<CR>")
    editor.wait_event("AcpTurnEnded")
    wanted = NEW.replace("TEN\n", "line 10\n").replace("line 5\n", "line 5\nmine\n")
    wait_until(lambda: read_disk(editor) == wanted)
    editor.expect_lua("return #require('acp_nvim').changes({ all = true })", 1)
    assert states(editor) == [("kept", True)] * 2
    editor.type(":Acp undo turn<CR>")
    wait_until(lambda: read_disk(editor) == OLD.replace("line 5\n", "line 5\nmine\n"))


def test_one_of_them_is_undone_by_the_api(open_editor: Open, tmp_path: Path) -> None:
    editor = asked(open_editor, tmp_path, "through us")
    second = list_hunks(editor)[1]
    assert editor.acp("undo", second["id"])
    wait_until(lambda: read_disk(editor) == NEW.replace("TEN\n", "line 10\n"))
    assert [each["state"] for each in list_hunks(editor)] == ["kept", "undone", "kept"]


def test_lines_of_the_user_stay(open_editor: Open, tmp_path: Path) -> None:
    editor = asked(open_editor, tmp_path, "through us")
    editor.type("<Esc><C-w>t:edit notes.txt<CR>5Gomine<Esc>:w<CR>")
    editor.type(":Acp undo turn<CR>")
    wait_until(lambda: read_disk(editor) == OLD.replace("line 5\n", "line 5\nmine\n"))
    editor.type("u")
    editor.expect_lua(LINES, NEW.replace("line 5\n", "line 5\nmine\n").splitlines())
    assert states(editor) == [("kept", True)] * 3


def prompt(editor: Editor, agent: ScriptedAgent, words: str) -> None:
    before = editor.acp("status")["turn"]
    editor.acp("prompt", words)
    editor.wait_event("AcpTurnEnded", turn=before + 1)
    assert agent


def test_what_no_question_has_shown_waits_on_top_of_it(open_editor: Open, tmp_path: Path) -> None:
    """A later turn asks nothing; it changes one of those lines, and is undone first."""
    later = NEW.replace("TEN", "ten")
    agent = script(
        tmp_path,
        on_prompt("first", *steps("on disk")),
        on_prompt("", *read_and_edit(NOTES, write_file(NOTES, later))),
    )
    editor = open_notes(open_editor, agent, OLD, setup=KEEP, size=(120, 40))
    editor.acp("prompt", "first")
    editor.wait_event("AcpQuestion")
    editor.type(":Acp<CR>")
    expect_answerable(editor)
    editor.type("<M-1>")
    editor.wait_event("AcpTurnEnded")
    prompt(editor, agent, "second")
    editor.expect_lua(PENDING, 1)
    editor.type("<M-u>")
    editor.screen.expect("(turn 2)")
    wait_until(lambda: read_disk(editor) == NEW)
    editor.type("<M-u>")
    editor.screen.expect("(turn 1)")
    wait_until(lambda: read_disk(editor) == OLD)


def test_who_wants_to_see_all_again_has_all_pending(open_editor: Open, tmp_path: Path) -> None:
    editor = asked(open_editor, tmp_path, "through us", setup={"review": {"asked": "pending"}})
    editor.expect_lua(PENDING, 3)


def test_a_rule_is_no_question(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path, on_prompt("", *steps("through us")))
    rule = {"action": "allow", "kind": "edit", "path": "*.txt"}
    editor = open_notes(open_editor, agent, OLD, setup={**KEEP, "permissions": [rule]})
    editor.acp("prompt", "edit")
    editor.wait_event("AcpTurnEnded")
    editor.expect_lua(PENDING, 3)


# --- forms

APPLY = {"apply": {"type": "string", "enum": ["apply", "skip"]}}
SHOWN = tool("call", title="edit notes.txt", kind="edit", status="pending", content=[make_diff()])
UNSHOWN = tool("call", title="edit notes.txt", kind="edit", status="pending")
WRITES = {"through us": write(NOTES, NEW), "on disk": write_file(NOTES, NEW)}
ASKED, PENDING_ONES = [("kept", True)] * 3, [("pending", False)] * 3


def ask_by_form(open_editor: Open, tmp_path: Path, *steps: Any, key: str = "<M-1>") -> Editor:
    """The agent asks by a form among these steps, which the user answers by its first choice."""
    agent = script(tmp_path, on_prompt("", *steps, DONE))
    editor = open_old(open_editor, agent, setup=KEEP, size=(120, 60))
    editor.acp("prompt", "edit it")
    editor.wait_event("AcpQuestion")
    editor.type(":Acp<CR>")
    expect_answerable(editor)
    editor.type(key)
    editor.wait_event("AcpTurnEnded")
    wait_until(lambda: read_disk(editor) == NEW)
    editor.expect_lua("return #require('acp_nvim').changes()", 1)
    return editor


@pytest.mark.parametrize("way", WRITES)
@pytest.mark.parametrize("names", [{"toolCallId": "call"}, {}], ids=["named", "the only one"])
def test_a_change_that_a_form_has_shown_and_the_user_has_allowed_does_not_wait(
    open_editor: Open, tmp_path: Path, way: str, names: dict[str, str]
) -> None:
    form = request_form(APPLY, ["apply"], **names)
    editor = ask_by_form(open_editor, tmp_path, SHOWN, form, WRITES[way])
    editor.expect_lua(PENDING, 0)
    assert states(editor) == ASKED
    editor.type("<M-u>")
    editor.screen.expect("undone: 3 changes in notes.txt (turn 1)")
    assert read_disk(editor) == OLD


OTHER = tool(
    "other", title="edit b.txt", kind="edit", status="pending", content=[make_diff("{cwd}/b.txt", None)]
)


@pytest.mark.parametrize(
    "steps",
    [
        (UNSHOWN, request_form(APPLY, ["apply"], toolCallId="call"), SHOWN),
        (SHOWN, request_form(APPLY, ["apply"], toolCallId="another")),
        (SHOWN, OTHER, request_form(APPLY, ["apply"])),
    ],
    ids=["shown after the answer", "about another call", "one of two calls"],
)
def test_a_change_that_no_form_has_shown_waits(
    open_editor: Open, tmp_path: Path, steps: tuple[Any, ...]
) -> None:
    editor = ask_by_form(open_editor, tmp_path, *steps, WRITES["on disk"])
    editor.expect_lua(PENDING, 3)
    assert states(editor) == PENDING_ONES
