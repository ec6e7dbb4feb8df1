"""Both sides of a proposal over unsaved lines, built in one long-lived Neovim from what is on disk."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from acp_nvim import limits
from acp_nvim.proposals.agent_change import Change, find_place
from acp_nvim.proposals.proposed_file import ProposedFile
from acp_nvim.text.text_file import split
from tests.fakes.merge_model import merge3
from tests.functional.editor import Editor

BUILD = """
local file, live, final = ...
file.path = ("/nowhere/%d"):format(vim.uv.hrtime())
for key, value in pairs(file) do
  file[key] = value ~= vim.NIL and value or nil
end
local buf
if live ~= vim.NIL then
  buf = vim.api.nvim_create_buf(true, false)
  vim.api.nvim_buf_set_name(buf, file.path)
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, live)
  vim.bo[buf].fixendofline, vim.bo[buf].endofline = false, final
end
local body, build = require("acp_nvim.proposal.side_text"), require("acp_nvim.proposal.build")
local sides = build.sides(file)
if buf then
  vim.api.nvim_buf_delete(buf, { force = true })
end
return {
  left = sides.left and body.join(sides.left, sides.left_final),
  right = sides.right and body.join(sides.right, sides.right_final),
  fits = sides.fits,
  problem = sides.problem or "",
}
"""


Texts = tuple[str | None, str | None] | Change


class Sides(NamedTuple):
    left: str | None
    right: str | None
    fits: bool = True
    problem: str = ""


class Builder:
    def __init__(self, editor: Editor) -> None:
        self.editor = editor

    def build(self, live: str | None, disk: str | None, *texts: Texts, belief: str | None = None) -> Sides:
        """`live`: what is in the buffer; None: the file is not loaded."""
        changes = [Change(*each) for each in texts]
        found = find_place(disk, belief, changes)
        file = ProposedFile("/nowhere/file", changes, found, disk).payload("/")
        text = split(live or "")
        lines = None if live is None else list(text.lines) or [""]
        said: dict[str, Any] = self.editor.lua(BUILD, file, lines, text.final)
        return Sides(said.get("left"), said.get("right"), said["fits"], said["problem"])

    def right(self, live: str | None, disk: str | None, *changes: Texts) -> str | None:
        found = self.build(live, disk, *changes)
        assert (found.left, found.fits, found.problem) == (disk if live is None else live, True, "")
        return found.right


@pytest.fixture(scope="module")
def builder(program: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Builder]:
    with closing(Editor(program, tmp_path_factory.mktemp("build"))) as editor:
        yield Builder(editor)


def text(words: str) -> str:
    return "".join(word + "\n" for word in words.split())


def test_a_file_that_is_not_loaded_is_as_on_disk(builder: Builder) -> None:
    assert builder.right(None, "a\nb\n", ("b", "B")) == "a\nB\n"
    assert builder.build(None, None, (None, "x\n")) == Sides(None, "x\n")
    assert builder.build(None, "a\n", ("a\n", None)) == Sides("a\n", None)


def test_unsaved_lines_are_never_shown_as_deletions(builder: Builder) -> None:
    live, old = text("U a b c d V"), text("a b c d")
    assert builder.right(live, old, (old, text("a B c d"))) == text("U a B c d V")
    found = builder.build(live, old, (old, text("a B c d e")))
    assert found.problem  # V and e are at one place


def test_lines_that_both_have_changed_are_the_agents_and_said(builder: Builder) -> None:
    found = builder.build(text("U a mine c"), text("a b c"), (text("a b c"), text("a B c")))
    assert found == Sides(text("U a mine c"), text("U a B c"), True, found.problem)
    assert "changed the same lines" in found.problem
    found = builder.build(text("a mine c"), text("a b c"), ("b\n", "B\n"))
    assert (found.right, found.fits) == (text("a B c"), True)
    assert "changed the same lines" in found.problem


def test_a_fragment_is_placed_in_the_live_text_first(builder: Builder) -> None:
    """The user has changed the same line, but not the fragment."""
    assert builder.right("bar(a, b)\n", "foo(a, b)\n", ("b)", "c)")) == "bar(a, c)\n"
    assert builder.right(text("mine b"), None, ("b", "B")) == text("mine B")
    assert builder.right("a\nmine", "a\n", ("mine\n", "yours\n")) == "a\nyours"


def test_a_line_that_the_user_has_doubled_leaves_a_fragment_its_place(builder: Builder) -> None:
    assert builder.right(text("a b c b"), text("a b c"), ("b\n", "B\n")) == text("a B c b")


def test_a_fragment_of_what_the_agent_has_seen_is_merged(builder: Builder) -> None:
    was, live = text("a b c d"), text("a b U c d d2")
    assert builder.build(live, was, ("b\nc\n", "B\nc\n")).right == text("a B U c d d2")
    assert builder.build(live, live, ("b\nc\n", "B\nc\n"), belief=was).right == text("a B U c d d2")


def test_an_overwrite_keeps_what_the_agent_has_not_seen(builder: Builder) -> None:
    assert builder.right(text("U a b c"), text("a b c"), (None, text("a b X"))) == text("U a b X")
    found = builder.build("mine\n", None, (None, "x\n"))
    assert (found.left, found.right, found.fits) == ("mine\n", "x\n", True)
    assert "changed the same lines" in found.problem


def test_several_changes_follow_each_other_in_the_live_text(builder: Builder) -> None:
    changes: list[Texts] = [("b\n", "B\nB2\n"), ("B2\nc\n", "C\n")]
    assert builder.right(text("U a b c d"), text("a b c d"), *changes) == text("U a B C d")


@pytest.mark.parametrize(
    ("live", "old", "new", "result"),
    [
        ("mine\na b a\n", "a", "A", "mine\nA b A\n"),
        ("mine a\na b a\n", "a", "A", "mine A\nA b A\n"),
        ("mine\naaa b aa\n", "aa", "x", "mine\nxa b x\n"),
        ("mine\na b a", "a", "%1", "mine\n%1 b %1"),
        ("a\nmine\na", "a\n", "x\n", "x\nmine\na"),
    ],
)
def test_everywhere_each_place_of_the_live_text_is_replaced(
    builder: Builder, live: str, old: str, new: str, result: str
) -> None:
    assert builder.right(live, live.replace("mine", ""), Change(old, new, everywhere=True)) == result


def test_more_places_in_the_live_text_than_are_shown_are_merged(builder: Builder) -> None:
    """Those on the disk are replaced: the agent knows no others."""
    live = "a\n" * 2 + "b\n" + "x\n" + "a\n" * limits.REPLACED_PLACES
    found = builder.build(live, "a\na\nb\n", Change("a", "A", everywhere=True))
    assert found.right == live.replace("a\na\nb", "A\nA\nb")


def test_what_has_no_place_is_shown_as_it_came(builder: Builder) -> None:
    found = builder.build("a\nmine\n", "a\n", ("z\n", "Z\n"))
    assert found == Sides("z\n", "Z\n", False, found.problem)
    assert "not in the file" in found.problem
    found = builder.build(None, None, ("a\n", "b\n"))
    assert found == Sides("a\n", "b\n", False, found.problem)


@pytest.mark.parametrize(
    ("live", "new", "result"),
    [("a\nU", "b\n", "b\nU"), ("a\nU\n", "b", "b\nU"), ("a\nU", "b", "b\nU")],
)
def test_the_final_newline_is_the_files_unless_the_agent_means_it(
    builder: Builder, live: str, new: str, result: str
) -> None:
    assert builder.build(live, "a\n", ("a\n", new)).right == result


_lines = st.lists(st.sampled_from("abcd"), max_size=6).map(lambda words: text(" ".join(words)))


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(live=_lines, disk=_lines, new=_lines)
@example(live="a\nb\n", disk="", new="c\n")
@example(live="a\n", disk="a\nb\n", new="b\n")
def test_every_proposal_has_a_right_side_with_the_lines_of_both(
    builder: Builder, live: str, disk: str, new: str
) -> None:
    """Where the merge of lines finds no overlap, the right side is its result. To Neovim no text is one empty line."""
    found = builder.build(live, disk, (disk, new))
    assert (found.left, found.fits) == (live, True)
    assert found.right is not None
    merged = merge3(*(list(split(each).lines) or [""] for each in (disk, live, new)))
    if live == disk:
        assert (found.right, found.problem) == (new, "")
    elif new == disk or live == new:
        assert (found.right, found.problem) == (live, "")
    elif not merged.overlaps and not found.problem:
        assert sorted(split(found.right).lines or [""]) == sorted(merged.lines("theirs") or [""])
