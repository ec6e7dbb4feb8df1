"""Subagents of the real claude: one line in the chat with the count of their calls."""

import json
from collections.abc import Callable

import pytest

from tests.real.story import LONG, Story


def task(prompt: str, **more: str) -> str:
    """The step with which the model hands a prompt, itself a script, to a subagent."""
    hidden = "".join(f"\\u{ord(char):04x}" if char in "[]" else char for char in json.dumps(prompt))
    rest = json.dumps({"description": "Look at the notes", "subagent_type": "general-purpose", **more})
    return f'tool Agent::{rest[:-1]}, "prompt": {hidden}}}'


@pytest.fixture
def claude(start: Callable[..., Story], agent: str) -> Story:
    if agent != "claude":
        pytest.skip("its subagents are no sessions and no calls of their own")
    return start().ready()


def test_a_subagent_is_one_line(claude: Story) -> None:
    story = claude
    story.play(task("[[read {}/notes.txt]] [[say I know them.]]"), "say It is read.")
    chat = story.chat()
    assert [line for line in chat.splitlines() if line.startswith("agent ")] == ["agent   Look at the notes"]
    assert "It is read." in chat
    assert "notes.txt" not in chat.partition("## Claude")[2], "its call is folded"
    story.editor.screen.expect("1 call")
    story.until(lambda: [child["state"] for child in story.status()["subagents"]] == ["idle"])
    assert [child["title"] for child in story.status()["subagents"]] == ["Look at the notes"]


def test_what_a_subagent_asks_is_asked_with_its_name(claude: Story) -> None:
    story = claude
    story.prompt(task("[[shell touch {}/touched]] [[say I did.]]"), "say It is on its way.")
    events = []
    while not events or events[-1][0] != "AcpQuestion":  # the turn may end before the subagent asks
        events.append(story.next())
    question = story._question(events[-1][1]["id"])
    assert question["asked_by"] == "Look at the notes"
    story.answer(question, "allow_once")
    story.until(lambda: (story.project / "touched").exists())
    story.until(lambda: story.status()["state"] == "idle")
    ends = [data for _, data in story.editor.events("AcpTurnEnded")]
    assert [end.get("stop_reason") for end in ends] == ["end_turn"]
    story.until(lambda: story.status()["subagents"][0]["state"] == "idle")


def test_a_loaded_session_has_its_subagents(claude: Story) -> None:
    story = claude
    story.play(task("[[read {}/notes.txt]] [[say I know them.]]"), "say It is read.")
    story.until(lambda: [child["state"] for child in story.status()["subagents"]] == ["idle"])
    story.until(lambda: story.status()["state"] == "idle")
    saved = story.status()["session_id"]
    assert story.editor.acp("close_session", {"session": 1})
    story.editor.wait_event("AcpSessionEnded", LONG, session=1)
    assert story.editor.acp("load", saved, {"agent": "claude"})
    story.editor.wait_event("AcpSessionStarted", LONG, session=2)
    story.until(lambda: [child["title"] for child in story.status(2)["subagents"]] == ["Look at the notes"])
    story.editor.type(":Acp open 2<CR><Esc>:Acp sessions<CR>")
    story.editor.screen.expect("└ Look at the notes")
    story.editor.lua("vim.fn.search('└')")
    story.editor.type("<CR>")
    story.editor.screen.expect("I know them.")
