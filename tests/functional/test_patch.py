"""A stack of patches in Neovim against the model: the same edits, the same texts."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.functional.editor import Editor
from tests.model.stack import Edit, State, Text, Turn, apply, carry, taken

STORIES = 500

DRIVER = """
local diff, patch = require("acp_nvim.documents.diff"), require("acp_nvim.documents.patch")

local function assert_sound(one)
  for i, at in ipairs(one.at) do
    local is_behind = i == 1 or at > one.at[i - 1] + one.n[i - 1]
    assert(is_behind and one.n[i] + #one.old[i] > 0, "hunks touch, or are empty")
    assert(i == 1 or one.from[i] - one.from[i - 1] - #one.old[i - 1] == at - one.at[i - 1] - one.n[i - 1], "rows")
  end
end

function _G.tell(story)
  local lines, patches, states = story.text, { patch.new(), patch.new() }, {}
  for _, step in ipairs(story.steps) do
    local stays = step.stays > 0 and step.stays or nil
    local above = lines
    for i = #patches, (stays or #patches) + 1, -1 do
      above = patch.below(patches[i], above)
    end
    patches = patch.edit(patches, { step.edit }, stays, above, step.closed)
    lines = diff.apply(lines, { step.edit })
    local texts = { lines }
    for i = #patches, 1, -1 do
      assert_sound(patches[i])
      table.insert(texts, 1, patch.below(patches[i], texts[1]))
    end
    states[#states + 1] = texts
  end
  return states
end

function _G.up(above, below, edits)
  local one = patch.absorb(patch.new(), diff.edits(below, above), below)
  assert(vim.deep_equal(patch.below(one, above), below))
  local up, new = patch.up(one, edits, above)
  local text = diff.apply(above, up)
  assert_sound(new)
  return { text, patch.below(new, text) }
end
"""


@pytest.fixture
def neovim(program: Path, tmp_path: Path) -> Iterator[Editor]:
    with closing(Editor(program, tmp_path)) as editor:
        editor.lua(DRIVER)
        yield editor


def story(seed: int) -> tuple[dict[str, Any], list[list[Text]]]:
    """Two turns of agents and a user write, keep and undo. Every line is unlike any other."""
    r, steps, states = random.Random(seed), list[dict[str, Any]](), list[list[Text]]()
    start = tuple(f"first {n}" for n in range(r.randint(1, 12)))
    texts = [start, start, start]  # below turn 1, below turn 2, live
    for number in range(r.randint(1, 14)):
        state = State(texts[2], (Turn((1, 1), False, texts[0]), Turn((1, 2), False, texts[1])))
        size, kind = len(texts[2]), r.choice(("user", "user", "turn 2", "turn 2", "turn 1", "keep", "undo"))
        first, last = sorted((r.randint(0, size), r.randint(0, size)))
        last = min(last, first + r.randint(0, 4))
        lines = tuple(f"{kind} {number}.{n}" for n in range(r.randint(0, 4)))
        edit, stays, closed = Edit(first, last, lines), 0, False
        if kind.startswith("turn"):
            stays = int(kind[-1])
        elif kind in ("keep", "undo"):
            found = [hunk for hunk in state.hunks if len(state.authors(hunk)) == 1]
            if not found:
                continue
            i1, i2, j1, j2 = r.choice(found)
            lines = texts[2][j1:j2] if kind == "keep" else texts[0][i1:i2]
            edit, closed = Edit(j1, j2, lines), True
        steps.append({"edit": edit, "stays": stays, "closed": closed})
        texts = taken(texts, [edit], stays, closed)
        states.append(texts)
    return {"text": start, "steps": steps}, states


def test_patches_have_the_texts_of_the_model(neovim: Editor) -> None:
    for seed in range(STORIES):
        told, wanted = story(seed)
        found = neovim.lua("return tell(...)", told)
        assert [[tuple(text) for text in texts] for texts in found] == [
            list(map(tuple, texts)) for texts in wanted
        ], seed


def edits_of(r: random.Random, text: Text, whose: str) -> list[Edit]:
    """Some that do not touch."""
    rows = sorted(r.sample(range(len(text) + 1), min(len(text) + 1, 2 * r.randint(1, 3))))
    edits = [Edit(a, b, ()) for a, b in zip(rows[::2], rows[1::2], strict=False)]
    if r.random() < 0.5 and rows:
        edits[-1:] = [Edit(rows[-1], rows[-1], ())]
    return [
        Edit(a, b, tuple(f"{whose} {n}.{k}" for k in range(r.randint(a == b, 4))))
        for n, (a, b, _) in enumerate(edits)
    ]


def test_edits_are_carried_up_as_the_model_does(neovim: Editor) -> None:
    for seed in range(STORIES):
        r = random.Random(seed)
        below = tuple(f"first {n}" for n in range(r.randint(0, 9)))
        above = apply(below, edits_of(r, below, "above"))
        edits = edits_of(r, below, "below")
        text, base = neovim.lua("return up(...)", above, below, edits)
        wanted = apply(above, carry(edits, below, above, yields=True))
        assert (tuple(text), tuple(base)) == (wanted, apply(below, edits)), seed
