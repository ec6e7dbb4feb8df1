"""Stories at random: whatever the user, the agent and other programs do, in whatever order, no line is lost.

`ACP_STORY_SEEDS="7 12" make test-agents ARGS="-k random"` tells others than the two that are always told.
"""

import os

import pytest

from tests.real.random_steps import STEPS, RandomSteps
from tests.real.story import Story

SEEDS = [int(seed) for seed in os.environ.get("ACP_STORY_SEEDS", "5 8").split()]
# claude writes the disk by itself, opencode through us as well, codex patches several files at once
AGENTS = ("claude", "opencode", "codex")


@pytest.mark.parametrize("seed", SEEDS)
def test_nothing_is_lost_in_a_random_story(story: Story, seed: int) -> None:
    if story.agent not in AGENTS:
        pytest.skip(f"random stories are told to {', '.join(AGENTS)}")
    print(f"ACP_STORY_SEEDS={seed}")
    RandomSteps(story, seed).tell(STEPS, 12)
