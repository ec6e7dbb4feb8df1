"""Talking to a real agent while it works: the words are in its next request to the model, and the turn goes on."""

import pytest

from tests.real.story import LONG, TEXT, Story

WORDS = "Mind the gooseberries."
WAIT = "shell cd {} && touch begun.txt && until test -e go; do sleep 0.1; done; echo it went"
QUEUED = "return require('acp_nvim').status().queue"


@pytest.fixture(autouse=True)
def _takes_words(story: Story) -> None:
    if not story.status()["steering"]:
        pytest.skip(f"{story.agent} takes no words into a turn")


def test_words_are_in_the_next_request_to_the_model(story: Story) -> None:
    story.prompt(WAIT, "say The turn is over.")
    story.answer(story.asked(), "allow_once")
    story.until((story.project / "begun.txt").exists)
    story.prompt("say From the queue.")
    story.editor.expect_lua(QUEUED, 1)
    before = len(story.requests())
    story.editor.type(f":Acp steer {WORDS}<CR>")
    told = story.editor.wait_event("AcpSteered", LONG)
    assert (told["text"], told["outcome"]) == (WORDS, "injected")
    story.editor.expect_lua(QUEUED, 1)
    (story.project / "go").touch()
    story.ended()
    assert story.end["stop_reason"] == "end_turn"
    assert WORDS in story.requests()[before]
    story.ended()
    assert [data["turn"] for _, data in story.editor.events("AcpTurnEnded")] == [1, 2]
    assert len(story.sent("session/prompt")) == 2
    assert not story.sent("session/cancel")
    lines = story.chat().split("\n")
    places = [lines.index(each) for each in (WORDS, "The turn is over.", "From the queue.")]
    assert places == sorted(places)
