"""Whatever two agents, the user, another program and git do: each line is its owner's, and undo is whole."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.fakes.script import on_prompt, script
from tests.functional.editor import Editor
from tests.functional.random_story import KINDS, Commands, RandomStory, agents_of_stories
from tests.steps.files import open_notes
from tests.steps.trees import commit, compare, lay_out, tree

Open = Callable[..., Editor]
WAITING = """return #vim.tbl_filter(function(file)
  return vim.iter(file.hunks):any(function(hunk) return hunk.state == 'pending' end)
end, require('acp_nvim').changes({ all = true }))"""
STORIES, PARTS = int(os.environ.get("ACP_STORIES", "50")), 5
SEEDS = list(map(int, os.environ.get("ACP_STORY_SEEDS", "").split())) or range(STORIES)


@pytest.mark.parametrize("part", range(PARTS))
def test_any_story(open_editor: Open, tmp_path: Path, part: int) -> None:
    """`ACP_STORIES=1000` tells more of them, which costs half a second each, `ACP_STORY_SEEDS="7 12"` these. One Neovim
    hears all of a part."""
    agent, orders = agents_of_stories(tmp_path)
    editor = open_notes(open_editor, agent, "notes\n", size=(160, 30))
    commit(editor.project)
    editor.acp("new_session")
    editor.expect_lua("return require('acp_nvim').status({ session = 2 }).state", "idle")
    turns = [0, 0]
    for seed in SEEDS[part::PARTS]:
        RandomStory(editor, agent, orders, turns, seed).tell(14)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("is_repository", [True, False])
def test_commands_of_one_agent(open_editor: Open, tmp_path: Path, is_repository: bool, seed: int) -> None:
    """Without git only what a command names is seen."""
    commands = Commands(seed, kinds=KINDS if is_repository else KINDS[:-1])
    steps = [step for _ in range(8) for step in commands.take_step()]
    editor = open_notes(open_editor, script(tmp_path, on_prompt("", *steps)), "notes\n", size=(160, 30))
    lay_out(
        editor.project, {name: "".join(f"line {n} of {name}\n" for n in range(4)) for name in commands.names}
    )
    if is_repository:
        commit(editor.project)
    for name in commands.random.sample(commands.names, 3):
        editor.type(f":edit {name}<CR>")
    before = tree(editor.project)
    editor.acp("prompt", "go")
    editor.wait_event("AcpTurnEnded")
    assert compare(before, tree(editor.project))
    editor.type(":Acp undo turn<CR>")
    editor.screen.expect("(turn 1)")
    editor.expect_lua(WAITING, 0)
    assert not compare(before, tree(editor.project))
