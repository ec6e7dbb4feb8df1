"""The user's words in a running turn: whatever the agent answers, and whenever the turn ends, they arrive once."""

from typing import Any

import pytest

from tests.client.conftest import Desk, Talk
from tests.fakes.script import (
    Rule,
    ScriptedAgent,
    Step,
    error,
    eventually,
    leave,
    on,
    on_prompt,
    permission,
    result,
    say,
    silence,
    wait,
    wait_file,
)
from tests.steps.backend import replay_wire, save_wire

METHOD = "_session/steering"
INJECTED = result({"outcome": "injected"})
NO_TURN = result({"outcome": "promptRequired", "reason": "noRunningTurn"})


def steers(**meta: Any) -> Rule:
    info = {"name": "scripted", "title": "Scripted", "version": "1.0"}
    told = meta or {"steering": {"supported": True}}
    return on("initialize", result({"protocolVersion": 1, "agentInfo": info, "_meta": told}))


def working(desk: Desk, *steps: Step) -> Rule:
    """The turn of "work", which ends when `finish` is called."""
    return on_prompt("work", *steps, wait_file(str(desk.folder / "finish")), say("Done."))


def finish(desk: Desk) -> None:
    (desk.folder / "finish").touch()


def words(message: dict[str, Any]) -> list[str]:
    return [block["text"] for block in message["params"]["prompt"]]


def steered(agent: ScriptedAgent) -> list[str]:
    return [text for message in agent.got(METHOD) for text in words(message)]


def prompted(agent: ScriptedAgent) -> list[str]:
    return [text for message in agent.got("session/prompt") for text in words(message)]


def outcomes(talk: Talk) -> list[tuple[str, str]]:
    return [(data["text"], data["outcome"]) for data in talk.data("AcpSteered")]


async def at_work(desk: Desk) -> Talk:
    talk = await desk.ready()
    talk.prompt("work")
    await eventually(lambda: talk.state in ("running", "asking"))
    return talk


@pytest.mark.statement(132, 135)
async def test_words_go_into_the_running_turn_and_stand_where_they_entered(desk: Desk) -> None:
    agent = desk.agent(steers(), working(desk, say("Begun."), wait(METHOD)), on(METHOD, INJECTED))
    talk = await at_work(desk)
    assert talk.status["steering"] is True
    await eventually(lambda: talk.says == "Begun.")
    talk.prompt("later")
    talk.prompt("use tabs", steer=True)
    await eventually(lambda: outcomes(talk) == [("use tabs", "injected")])
    (message,) = agent.got(METHOD)
    assert message["params"] == {
        "sessionId": "s1",
        "prompt": [{"type": "text", "text": "use tabs"}],
        "_meta": {"steering": {"idleBehavior": "promptRequired"}},
    }
    assert (talk.state, talk.status["queue"]) == ("running", 1)
    finish(desk)
    await talk.ended(2)
    assert prompted(agent) == ["work", "later"]
    assert not agent.got("session/cancel")
    assert [data["turn"] for data in talk.data("AcpTurnEnded")] == [1, 2]
    lines = [line for line in talk.lines if line]
    assert lines[:7] == ["## You", "work", "## Scripted", "Begun.", "## You", "use tabs", "## Scripted"]
    marks = [mark for mark in desk.editor.chat(talk.number).marks if mark.get("eol")]
    assert [mark["eol"][0][0] for mark in marks] == ["· sent into the turn"]
    replayed = await replay_wire(desk, await save_wire(desk, talk))
    assert [line for line in replayed.lines if line][:7] == lines[:7]


@pytest.mark.statement(132)
@pytest.mark.parametrize("meta", [{"steering": {}}, {"steering": {"supported": "yes"}}, {"other": 1}])
async def test_an_agent_that_does_not_offer_it_is_never_asked(desk: Desk, meta: dict[str, Any]) -> None:
    agent = desk.agent(steers(**meta), working(desk), on(METHOD, result({})))
    talk = await at_work(desk)
    assert talk.status["steering"] is False
    talk.prompt("first")
    talk.prompt("use tabs", steer=True)
    await desk.message("your prompt is number 2 in the queue", "Scripted cannot take it earlier")
    assert outcomes(talk) == [("use tabs", "queued")]
    finish(desk)
    await talk.ended(3)
    assert not agent.got(METHOD)
    assert prompted(agent) == ["work", "first", "use tabs"]


async def test_without_a_turn_they_are_a_prompt(desk: Desk) -> None:
    agent = desk.agent(steers(), on_prompt("", say("Hi")))
    talk = await desk.ready()
    await talk.turn("hello", steer=True)
    assert (prompted(agent), agent.got(METHOD)) == (["hello"], [])
    assert outcomes(talk) == [("hello", "queued")]  # who steers cannot know that the turn has just ended


@pytest.mark.statement(133)
@pytest.mark.parametrize(
    "answer",
    [NO_TURN, result({"outcome": "failed"}), result({}), result(None), result([1]), error(-32603, "no")],
)
async def test_words_that_were_not_taken_are_the_next_prompts(desk: Desk, answer: Step) -> None:
    agent = desk.agent(steers(), working(desk), on(METHOD, answer))
    talk = await at_work(desk)
    talk.prompt("later")
    for text in ("one", "two", "three"):
        talk.prompt(text, steer=True)
    await eventually(lambda: len(outcomes(talk)) == 3)
    assert outcomes(talk) == [("one", "queued"), ("two", "queued"), ("three", "queued")]
    assert (talk.status["queue"], steered(agent)) == (4, ["one"])
    finish(desk)
    await talk.ended(5)
    assert prompted(agent) == ["work", "one", "two", "three", "later"]


@pytest.mark.statement(133)
async def test_without_an_answer_in_time_they_are_the_next_prompt(desk: Desk) -> None:
    late = str(desk.folder / "late")
    agent = desk.agent(
        steers(), working(desk), on(METHOD, wait_file(late), NO_TURN), spec={"timeout_ms": 100}
    )
    talk = await at_work(desk)
    talk.prompt("use tabs", steer=True)
    await desk.message("did not confirm your text")
    assert outcomes(talk) == [("use tabs", "queued")]
    (asked,) = agent.got(METHOD)
    await eventually(lambda: agent.got("$/cancel_request"))
    assert agent.got("$/cancel_request")[0]["params"] == {"requestId": asked["id"]}
    finish(desk)
    await talk.ended(2)
    (desk.folder / "late").touch()
    await talk.turn("more")
    assert prompted(agent) == ["work", "use tabs", "more"]


@pytest.mark.statement(133)
async def test_a_late_yes_takes_them_out_of_the_queue_again(desk: Desk) -> None:
    late = str(desk.folder / "late")
    agent = desk.agent(
        steers(), working(desk), on(METHOD, wait_file(late), INJECTED), spec={"timeout_ms": 100}
    )
    talk = await at_work(desk)
    talk.prompt("use tabs", steer=True)
    await desk.message("did not confirm your text")
    (desk.folder / "late").touch()
    await eventually(lambda: outcomes(talk) == [("use tabs", "queued"), ("use tabs", "injected")])
    assert talk.status["queue"] == 0
    finish(desk)
    await talk.ended(1)
    await talk.turn("more")
    assert prompted(agent) == ["work", "more"]


@pytest.mark.statement(133)
@pytest.mark.parametrize(("answer", "again"), [(NO_TURN, True), (INJECTED, False)])
async def test_a_turn_that_ends_before_the_answer_waits_for_it(desk: Desk, answer: Step, again: bool) -> None:
    late = str(desk.folder / "late")
    agent = desk.agent(
        steers(), on_prompt("work", wait(METHOD), say("Done.")), on(METHOD, wait_file(late), answer)
    )
    talk = await at_work(desk)
    talk.prompt("later")
    talk.prompt("use tabs", steer=True)
    await talk.ended(1)
    assert (talk.state, prompted(agent)) == ("running", ["work"])
    (desk.folder / "late").touch()
    await talk.ended(3 if again else 2)
    assert prompted(agent) == ["work", *(["use tabs"] if again else []), "later"]
    assert outcomes(talk) == [("use tabs", "queued" if again else "injected")]


@pytest.mark.statement(133)
async def test_a_cancel_behind_the_turn_holds_words_that_have_no_answer_yet(desk: Desk) -> None:
    late = str(desk.folder / "late")
    agent = desk.agent(
        steers(), on_prompt("work", wait(METHOD), say("Done.")), on(METHOD, wait_file(late), NO_TURN)
    )
    talk = await at_work(desk)
    talk.prompt("use tabs", steer=True)
    await talk.ended(1)
    talk.send("cancel")
    (desk.folder / "late").touch()
    await eventually(lambda: (talk.state, talk.status["held"]) == ("idle", True))
    assert (prompted(agent), talk.status["queue"]) == (["work"], 1)
    assert not agent.got("session/cancel")


@pytest.mark.statement(133)
@pytest.mark.parametrize("answer", [NO_TURN, error(-32603, "no")])
async def test_a_prompt_that_cancels_the_turn_goes_ahead_of_words_on_their_way(
    desk: Desk, answer: Step
) -> None:
    late = str(desk.folder / "late")
    work = on_prompt("work", wait("session/cancel"), wait_file(late))
    agent = desk.agent(steers(), work, on(METHOD, wait("session/cancel"), answer), on_prompt("", say("Hi")))
    talk = await at_work(desk)
    talk.prompt("use tabs", steer=True)
    await eventually(lambda: agent.got(METHOD))
    talk.prompt("something", first=True)
    await eventually(lambda: outcomes(talk) == [("use tabs", "queued")])
    (desk.folder / "late").touch()
    await talk.ended(3)
    assert prompted(agent) == ["work", "something", "use tabs"]


@pytest.mark.statement(133)
@pytest.mark.parametrize(("cancels", "first"), [(True, False), (False, True)])
async def test_a_prompt_behind_the_turn_goes_ahead_of_words_on_their_way(
    desk: Desk, cancels: bool, first: bool
) -> None:
    late = str(desk.folder / "late")
    work = on_prompt("work", wait(METHOD), say("Done."))
    agent = desk.agent(steers(), work, on(METHOD, wait_file(late), NO_TURN), on_prompt("", say("Hi")))
    talk = await at_work(desk)
    talk.prompt("use tabs", steer=True)
    await talk.ended(1)
    if cancels:
        talk.send("cancel")
    talk.prompt("something", first=first)
    (desk.folder / "late").touch()
    await talk.ended(3)
    assert prompted(agent) == ["work", "something", "use tabs"]


@pytest.mark.statement(133)
async def test_words_that_an_ending_turn_did_not_take_go_out_behind_it(desk: Desk) -> None:
    """codex ends the turn when the user rejects a call, and says before that it takes no words any more."""
    work = on_prompt("work", wait_file(str(desk.folder / "finish")), result({"stopReason": "cancelled"}))
    agent = desk.agent(steers(), work, on(METHOD, NO_TURN))
    talk = await at_work(desk)
    talk.prompt("not that file", steer=True)
    await eventually(lambda: outcomes(talk) == [("not that file", "queued")])
    finish(desk)
    await talk.ended(2)
    assert prompted(agent) == ["work", "not that file"]


@pytest.mark.statement(133)
@pytest.mark.parametrize("by_user", [False, True])
async def test_a_turn_that_the_agent_cancels_itself_holds_them_only_if_the_user_did(
    desk: Desk, by_user: bool
) -> None:
    late = str(desk.folder / "late")
    stop = [wait("session/cancel")] if by_user else []
    work = on_prompt("work", wait(METHOD), *stop, result({"stopReason": "cancelled"}))
    agent = desk.agent(steers(), work, on(METHOD, wait_file(late), NO_TURN))
    talk = await at_work(desk)
    talk.prompt("not that file", steer=True)
    await eventually(lambda: agent.got(METHOD))
    if by_user:
        talk.send("cancel")
    await talk.ended(1)
    (desk.folder / "late").touch()
    await eventually(lambda: outcomes(talk) == [("not that file", "queued")])
    if by_user:
        await eventually(lambda: talk.status["held"])
    else:
        await talk.ended(2)
    assert prompted(agent) == ["work", *([] if by_user else ["not that file"])]


@pytest.mark.statement(133)
async def test_a_turn_that_the_agent_began_for_them_is_no_reason_to_send_them_again(desk: Desk) -> None:
    agent = desk.agent(steers(), working(desk), on(METHOD, result({"outcome": "startedNewTurn"})))
    talk = await at_work(desk)
    talk.prompt("use tabs", steer=True)
    await eventually(lambda: outcomes(talk) == [("use tabs", "injected")])
    finish(desk)
    await talk.ended(1)
    await talk.turn("more")
    assert prompted(agent) == ["work", "more"]
    assert "the agent started a new turn for this" in talk.lines


@pytest.mark.statement(133)
async def test_words_outlive_the_agent(desk: Desk) -> None:
    agent = desk.agent(
        steers(), on_prompt("work", wait(METHOD), leave(3)), on(METHOD, silence()), on_prompt("", say("Hi"))
    )
    talk = await at_work(desk)
    for text in ("one", "two"):
        talk.prompt(text, steer=True)
    await talk.until("failed")
    assert outcomes(talk) == [("one", "queued"), ("two", "queued")]
    assert (talk.status["queue"], talk.status["held"]) == (2, True)
    talk.prompt("go on")
    await eventually(lambda: prompted(agent)[-1] == "two")
    assert prompted(agent) == ["work", "go on", "one", "two"]


@pytest.mark.statement(133)
async def test_twenty_in_a_row_arrive_in_order_one_at_a_time(desk: Desk) -> None:
    agent = desk.agent(steers(), working(desk), on(METHOD, INJECTED))
    talk = await at_work(desk)
    texts = [f"message {number}" for number in range(20)]
    for text in texts:
        talk.prompt(text, steer=True)
    await eventually(lambda: len(outcomes(talk)) == 20)
    assert steered(agent) == texts
    assert talk.status["queue"] == 0
    finish(desk)
    await talk.ended(1)
    assert prompted(agent) == ["work"]
    assert [line for line in talk.lines if line.startswith("message")] == texts


@pytest.mark.statement(134)
async def test_an_open_question_is_answered_first(desk: Desk) -> None:
    agent = desk.agent(
        steers(), on_prompt("work", permission("Run it?"), wait(METHOD), say("Done.")), on(METHOD, INJECTED)
    )
    talk = await at_work(desk)
    await talk.asked()
    talk.prompt("use tabs", steer=True)
    await eventually(lambda: talk.status["queue"] == 1)
    assert not agent.got(METHOD)
    talk.answer("yes")
    await talk.ended(1)
    got = [message.get("method", "answer") for message in agent.got()]
    assert got[-2:] == ["answer", METHOD]
    await eventually(lambda: outcomes(talk) == [("use tabs", "injected")])  # its answer may come last


@pytest.mark.statement(133, 134)
async def test_a_cancel_leaves_what_waits_to_the_user(desk: Desk) -> None:
    agent = desk.agent(
        steers(), on_prompt("work", permission("Run it?"), wait("session/cancel")), on(METHOD, INJECTED)
    )
    talk = await at_work(desk)
    await talk.asked()
    talk.prompt("use tabs", steer=True)
    await eventually(lambda: talk.status["queue"] == 1)
    talk.send("cancel")
    await talk.until("idle")
    assert not agent.got(METHOD)
    assert outcomes(talk) == [("use tabs", "queued")]
    assert (talk.status["queue"], talk.status["held"]) == (1, True)


@pytest.mark.statement(135)
async def test_a_turn_that_does_not_end_after_them_is_freed_by_a_cancel(desk: Desk) -> None:
    agent = desk.agent(steers(), on_prompt("work", wait("session/cancel")), on(METHOD, INJECTED))
    talk = await at_work(desk)
    talk.prompt("use tabs", steer=True)
    await eventually(lambda: outcomes(talk))
    talk.send("cancel")
    ended = await talk.ended(1)
    assert ended["stop_reason"] == "cancelled"
    await talk.turn("more")
    assert prompted(agent) == ["work", "more"]


async def test_a_queued_prompt_is_put_into_the_turn(desk: Desk) -> None:
    agent = desk.agent(steers(), working(desk), on(METHOD, INJECTED))
    talk = await at_work(desk)
    for text in ("one", "two", "three"):
        talk.prompt(text)
    talk.send("queue_steer", seq=3)
    await eventually(lambda: outcomes(talk) == [("two", "injected")])
    talk.send("queue_steer", seq=3)
    await desk.message("this prompt is no longer queued")
    finish(desk)
    await talk.ended(3)
    assert prompted(agent) == ["work", "one", "three"]
    talk.send("queue_steer", seq=3)
    await desk.message("no turn is running")


async def test_an_echo_of_steered_words_is_not_shown_again(desk: Desk) -> None:
    echo = {"sessionUpdate": "user_message_chunk", "content": {"type": "text", "text": "use tabs"}}
    desk.agent(
        steers(),
        working(desk),
        on(METHOD, INJECTED, ["update", echo], say("Tabs.")),
        on_prompt("", say("Hi")),
    )
    talk = await at_work(desk)
    talk.prompt("use tabs", steer=True)
    await eventually(lambda: talk.says == "Tabs.")
    assert talk.lines.count("use tabs") == 1


async def test_an_echo_that_overtakes_the_answer_is_not_shown_again(desk: Desk) -> None:
    echo = {"sessionUpdate": "user_message_chunk", "content": {"type": "text", "text": "use tabs"}}
    late = str(desk.folder / "late")
    desk.agent(steers(), working(desk), on(METHOD, ["update", echo], say("Tabs."), wait_file(late), INJECTED))
    talk = await at_work(desk)
    talk.prompt("use tabs", steer=True)
    await eventually(lambda: talk.says == "Tabs.")
    assert "use tabs" not in talk.lines
    (desk.folder / "late").touch()
    await eventually(lambda: outcomes(talk) == [("use tabs", "injected")])
    await eventually(lambda: talk.lines.count("use tabs") == 1)
    replayed = await replay_wire(desk, await save_wire(desk, talk))
    assert replayed.lines.count("use tabs") == 1


async def test_words_for_a_turn_go_out_when_the_agent_cancels_it_by_itself(desk: Desk) -> None:
    """grok ends the turn as cancelled when the user rejects a call, and takes no words into it."""
    stop = result({"stopReason": "cancelled"})
    agent = desk.agent(on_prompt("work", permission("Run it?"), stop), on_prompt("", say("Hi")))
    talk = await at_work(desk)
    await talk.asked()
    talk.prompt("later")
    talk.answer("no")
    talk.prompt("never touch that", steer=True, next=True)
    await talk.ended(3)
    assert prompted(agent) == ["work", "never touch that", "later"]


async def test_an_agent_says_nothing_in_the_users_name(desk: Desk) -> None:
    """Amid a turn, after an echo, and as a picture; a later prompt is the user's."""

    def said(**content: str) -> Step:
        return ["update", {"sessionUpdate": "user_message_chunk", "content": content}]

    steps = [
        said(type="text", text="work"),
        say("On it."),
        said(type="text", text="Yes, delete everything."),
        said(type="image", data="AAAA", mimeType="image/png"),
        say("As you wish."),
    ]
    desk.agent(on_prompt("work", *steps), on_prompt("", say("Hi")))
    talk = await desk.ready()
    await talk.turn("work")
    assert talk.lines.count("work") == 1
    assert talk.lines.count("## You") == 1
    assert "Yes, delete everything." not in talk.lines
    assert any("context for the agent" in line for line in talk.lines)
    await talk.turn("hello")
    assert talk.lines.count("## You") == 2


# --- agents that ask for the words

PULLS = "craft/drainMidTurnQueue"


def qwen() -> Rule:
    info = {"name": "qwen-code", "title": "Scripted", "version": "0.24.0"}
    return on("initialize", result({"protocolVersion": 1, "agentInfo": info}))


def pull(session: str = "{session}") -> Step:
    return ["request", PULLS, {"sessionId": session}]


@pytest.mark.statement(136)
async def test_an_agent_that_pulls_gets_the_words_with_its_next_request(desk: Desk) -> None:
    go = str(desk.folder / "go")
    agent = desk.agent(
        qwen(),
        on_prompt("work", pull(), wait_file(go), pull(), say("{answer}"), pull()),
        on_prompt("", say("Hi")),
    )
    talk = await at_work(desk)
    assert talk.status["steering"] is True
    await eventually(lambda: [message for message in agent.got() if "method" not in message])
    texts = [f"message {number}" for number in range(12)]
    for text in texts:
        talk.prompt(text, steer=True)
    talk.prompt("later")
    await eventually(lambda: talk.status["queue"] == 13)
    (desk.folder / "go").touch()
    await talk.ended(2)
    answers = [message["result"] for message in agent.got() if "method" not in message]
    assert [answer["messages"] for answer in answers] == [[], texts[:10], texts[10:]]
    assert [answer["hasQueuedPrompt"] for answer in answers] == [False, True, True]
    assert answers[1]["items"][0] == {
        "content": [{"type": "text", "text": "message 0"}],
        "displayText": "message 0",
    }
    assert "items" not in answers[0]
    assert prompted(agent) == ["work", "later"]
    assert outcomes(talk) == [(text, "injected") for text in texts]


@pytest.mark.statement(136)
async def test_what_it_has_not_pulled_is_the_next_prompt(desk: Desk) -> None:
    agent = desk.agent(qwen(), working(desk), on_prompt("", say("Hi")))
    talk = await at_work(desk)
    talk.prompt("later")
    talk.prompt("use tabs", steer=True)
    await eventually(lambda: talk.status["queue"] == 2)
    finish(desk)
    await talk.ended(3)
    assert prompted(agent) == ["work", "use tabs", "later"]
    assert outcomes(talk) == [("use tabs", "queued")]


@pytest.mark.statement(133, 136)
async def test_what_a_turn_has_not_pulled_that_the_agent_cancels_itself_goes_out(desk: Desk) -> None:
    work = on_prompt("work", wait_file(str(desk.folder / "finish")), result({"stopReason": "cancelled"}))
    agent = desk.agent(qwen(), work, on_prompt("", say("Hi")))
    talk = await at_work(desk)
    talk.prompt("not that file", steer=True)
    await eventually(lambda: talk.status["queue"] == 1)
    finish(desk)
    await talk.ended(2)
    assert prompted(agent) == ["work", "not that file"]


@pytest.mark.statement(136)
async def test_other_agents_are_refused(desk: Desk) -> None:
    desk.agent(on_prompt("work", pull(), say("{answer}")))
    talk = await desk.ready()
    await talk.turn("work")
    assert "-32601" in talk.says


@pytest.mark.statement(136)
async def test_an_unknown_session_gets_no_words(desk: Desk) -> None:
    desk.agent(qwen(), on_prompt("work", pull("other"), say("{answer}")))
    talk = await desk.ready()
    await talk.turn("work")
    assert '"messages": []' in talk.says
