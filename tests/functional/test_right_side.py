"""The right side of a proposal in Neovim against the model: the same keys, the same texts and hunks."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.functional.editor import Editor
from tests.model.reviewed_file import Proposal
from tests.model.stack import Edit, Text, apply

STORIES = 400

DRIVER = """
local right_side = require("acp_nvim.proposal.right_side")

local function hunks(side)
  local list = {}
  for i, at in ipairs(side.patch.at) do
    list[i] = { side.patch.from[i], side.patch.from[i] + #side.patch.old[i], at, at + side.patch.n[i] }
  end
  return list
end

function _G.tell(story)
  local side, before, states = right_side.new(story.left, story.proposed), story.proposed, {}
  for _, step in ipairs(story.steps) do
    if step.kind == "type" then
      side = right_side.typed(side, step.lines)
    elseif step.kind == "follow" then
      side, before = right_side.follow(side, step.lines), step.proposed
    elseif step.kind == "refuse" then
      side = right_side.refuse(side, step.row)
    else
      side, before = right_side.ask_again(side, before, step.lines), step.lines
    end
    states[#states + 1] = { side.left, side.mine, side.lines, hunks(side) }
  end
  return states
end
"""


@pytest.fixture
def neovim(program: Path, tmp_path: Path) -> Iterator[Editor]:
    with closing(Editor(program, tmp_path)) as editor:
        editor.lua(DRIVER)
        yield editor


class Story:
    """Every line is unlike any other."""

    def __init__(self, seed: int) -> None:
        self.random, self.count = random.Random(seed), 0
        self.left: Text = tuple(f"first {n}" for n in range(self.random.randint(0, 12)))
        self.proposed = self.left
        for _ in range(self.random.randint(1, 4)):
            self.proposed = apply(self.proposed, [self.edit(self.proposed, "agent")])
        self.side = Proposal(self.left, self.proposed)
        self.steps: list[dict[str, Any]] = []
        self.states: list[Any] = []

    def edit(self, text: Text, by: str, fewest: int = 0) -> Edit:
        first, last = sorted((self.random.randint(0, len(text)), self.random.randint(0, len(text))))
        self.count += 1
        lines = tuple(f"{by} {self.count}.{n}" for n in range(self.random.randint(fewest, 3)))
        return Edit(first, min(last, first + self.random.randint(0, 3)), lines)

    def step(self, kind: str) -> None:
        side, step = self.side, dict[str, Any](kind=kind)
        if kind in ("type", "write over"):
            side.type([self.edit(side.right, "user", int(kind == "write over"))])
            step["kind"] = "type"
            step["lines"] = side.right
        elif kind == "follow":
            side.follow(apply(side.left, [self.edit(side.left, "live")]))
            step.update(lines=side.left, proposed=side.proposed)
        elif kind == "refuse":
            seen = [hunk for hunk in side.hunks if hunk.j1 < hunk.j2]
            if not seen:
                return
            hunk = self.random.choice(seen)
            step["row"] = self.random.randint(hunk.j1, hunk.j2 - 1)
            side.refuse(hunk)
        else:
            side.ask_again(apply(side.proposed, [self.edit(side.proposed, "agent")]))
            step["lines"] = side.proposed
        self.steps.append(step)
        self.states.append((side.left, side.mine, side.right, [list(hunk) for hunk in side.hunks]))

    def told(self, neovim: Editor) -> list[Any]:
        story = {"left": self.left, "proposed": self.proposed, "steps": self.steps}
        return [(*map(tuple, texts), found) for *texts, found in neovim.lua("return tell(...)", story)]


def test_the_right_side_is_that_of_the_model(neovim: Editor) -> None:
    for seed in range(STORIES):
        story = Story(seed)
        for _ in range(story.random.randint(1, 8)):
            story.step(story.random.choice(("type", "type", "follow", "refuse")))
        assert story.told(neovim) == story.states, seed


def test_a_changed_question_is_that_of_the_model_where_the_user_has_typed_nothing(neovim: Editor) -> None:
    for seed in range(STORIES):
        story = Story(seed)
        for _ in range(story.random.randint(1, 5)):
            story.step(story.random.choice(("refuse", "ask again")))
        assert story.told(neovim) == story.states, seed


def get_users(text: Text) -> list[str]:
    return [line for line in text if line.startswith("user")]


@pytest.mark.parametrize("kinds", [("type", "type", "refuse"), ("write over",)])
def test_the_users_lines_outlive_a_change_of_the_question(neovim: Editor, kinds: tuple[str, ...]) -> None:
    """They stay, and lines of the agent that they were written over stay away."""
    for seed in range(STORIES):
        story = Story(seed)
        for _ in range(story.random.randint(1, 6)):
            story.step(story.random.choice(kinds))
        old, before = story.proposed, story.told(neovim)
        new = apply(old, [story.edit(old, "agent")])
        mine, right = before[-1][1:3] if before else (story.left, old)
        story.steps.append({"kind": "ask again", "lines": new})
        _, still_mine, now, _ = story.told(neovim)[-1]
        assert still_mine == mine, seed
        assert get_users(now) == get_users(right), seed
        if kinds == ("write over",):
            assert {*now} & {*old} & {*new} <= {*right}, seed
