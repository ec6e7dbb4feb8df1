"""Talking to a real agent while it works: the words are in its next request to the model, and the turn goes on."""

import pytest

from tests.real.story import LONG, TEXT, Story
from tests.steps.conversation import expect_answerable

TWO = "edit {}/notes.txt::line 3\nline 4\nline 5\nline 6\nline 7\n::THREE\nline 4\nline 5\nline 6\nSEVEN\n"
DIFFS = "return #vim.tbl_filter(function(win) return vim.wo[win].diff end, vim.api.nvim_tabpage_list_wins(0))"
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
    # qwen asks for the words once the call has ended
    story.until(lambda: story.editor.events("AcpSteered") or story.status()["queue"] == 2)
    (story.project / "go").touch()
    told = story.editor.wait_event("AcpSteered", LONG)
    assert (told["text"], told["outcome"]) == (WORDS, "injected")
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


def test_a_rejection_gives_its_reason_before_the_next_step(story: Story) -> None:
    story.prompt("read {}/notes.txt", TWO, "say Then not.")
    story.asked()
    before = len(story.requests())
    expect_answerable(story.editor)
    story.editor.type(f":Acp reject {WORDS}<CR>")
    story.ended("reject_once")
    # codex ends the turn and leaves the words to the next prompt, qwen asks for them and ends the turn; one that has
    # ended it before the words are there gets them as a prompt
    story.until(lambda: story.editor.events("AcpSteered") or len(story.sent("session/prompt")) == 2)
    steered = [data["outcome"] for _, data in story.editor.events("AcpSteered")]
    is_over = steered in ([], ["queued"])
    if is_over:
        story.ended()
    elif not story.requests()[before:]:
        story.play("say We go on.")
        is_over = True
    # claude may begin a request with the answer alone, and breaks it off for the words
    assert WORDS in "".join(story.requests()[before : before + 2])
    assert len(story.sent("session/prompt")) == 1 + is_over
    assert not story.sent("session/cancel")
    assert story.notes.read_text() == TEXT


def test_a_mixed_decision_is_told_before_the_next_step(story: Story) -> None:
    story.prompt("read {}/notes.txt", TWO, "shell cd {} && sleep 1 && touch after.txt", "say It is edited.")
    story.asked()
    story.editor.expect_lua(DIFFS, 2)
    before = len(story.requests())
    story.editor.type("<C-w>t<C-w>l")
    story.editor.expect_lua("return vim.bo.buftype", "acwrite")
    expect_answerable(story.editor)
    story.editor.type("gg]cdo:w<CR>")
    story.ended()
    assert story.notes.read_text() == TEXT.replace("line 7\n", "SEVEN\n")
    told = [each for each in story.requests()[before:] if "1 hunk refused by the user" in each]
    assert told
    assert len(story.sent("session/prompt")) == 1
    assert "sent into the turn" in story.editor.screen.text()
    story.play("say We go on.")
    assert "refused" not in str(story.last_prompt())


def test_the_tokens_of_a_turn_are_counted(story: Story) -> None:
    story.play("read {}/notes.txt", "say I have read it.")
    counts = story.status()["tokens"]
    assert counts["turn"] == counts["session"] == story.end["tokens"]
    assert counts["turn"]["total"] >= counts["turn"]["output"] > 0
    story.play("say And now.")
    turn, session = (story.status()["tokens"][part] for part in ("turn", "session"))
    assert session["total"] == counts["turn"]["total"] + turn["total"]
