"""`:Acp why`: every way a decision can come about says who decided, and how that is taken back."""

import pytest

from acp_nvim.session.question import Option, Question
from acp_nvim.session.tool_call import ToolCall
from acp_nvim.session.why_decided import Facts, why

YES, ALWAYS = Option("y", "Yes", "allow_once"), Option("a", "Always", "allow_always")
NO, NEVER = Option("n", "No", "reject_once"), Option("v", "Never", "reject_always")
OTHER = Option("o", "Postgres", "")
FACTS = Facts("Claude", "", {2: "session", 3: "agent"})
RULE = "{ action = 'allow', command = 'make' }"


def ended(option: Option | None, by: str, **fields: object) -> Question:
    question = Question(1, "permission", "make", (YES, ALWAYS, NO, NEVER))
    for name, value in fields.items():
        setattr(question, name, value)
    question.end(option, by)
    return question


WAYS = {
    "key, once": (ended(YES, "user"), "you chose 'Yes' (allows once: the next call asks again)"),
    "key, no": (ended(NO, "user"), "you chose 'No' (rejects once: the next call asks again)"),
    "always, the agent's": (
        ended(ALWAYS, "user", remembered=3),
        "you chose 'Always' (allows always); Claude remembers it, :Acp forget tells how to take it back",
    ),
    "always, too many to list": (
        ended(ALWAYS, "user"),
        "you chose 'Always' (allows always); Claude remembers it, :Acp forget tells how to take it back",
    ),
    "always, ours": (
        ended(ALWAYS, "user", remembered=2),
        "you chose 'Always' (allows always); :Acp forget 2 takes it back",
    ),
    "never, taken back": (
        ended(NEVER, "user", remembered=9),
        "you chose 'Never' (rejects always); taken back since",
    ),
    "allow!": (
        ended(YES, "user", rule="rule 2 of the session", because=RULE, has_made_rule=True, remembered=2),
        f"you allowed it with rule 2 of the session (:Acp forget 2 takes it back): {RULE}",
    ),
    "allow!, taken back": (
        ended(YES, "user", rule="rule 9 of the session", because=RULE, has_made_rule=True, remembered=9),
        f"you allowed it with rule 9 of the session (taken back since): {RULE}",
    ),
    "rule of the session": (
        ended(YES, "rule", rule="rule 2 of the session", because=RULE, remembered=2),
        f"allowed by rule 2 of the session (:Acp forget 2 takes it back): {RULE}",
    ),
    "rule of the configuration": (
        ended(NO, "rule", rule="rule 1", because=RULE),
        f"rejected by rule 1 (permissions in setup()): {RULE}",
    ),
    "a rule that asks": (
        ended(YES, "user", rule="rule 1", because="{ action = 'ask' }"),
        "you chose 'Yes' (allows once: the next call asks again); rule 1: { action = 'ask' }",
    ),
    "edited proposal": (
        ended(YES, "user", partly="2 of 3 hunks"),
        "you sent your version, 2 of 3 hunks, with 'Yes' (allows once: the next call asks again)",
    ),
    "an answer without a kind": (ended(OTHER, "user"), "you chose 'Postgres'"),
    "a cancelled turn": (
        ended(None, "cancel"),
        "cancelled before you answered, so it was not allowed; prompt again to be asked again",
    ),
    "withdrawn, or its time was up": (
        ended(None, "agent"),
        "the agent took the question back before you answered; prompt again to be asked again",
    ),
    "the agent's end": (
        ended(None, "exit"),
        "the agent ended before you answered; prompt again to be asked again",
    ),
    "without an option": (ended(None, "user"), "you answered without an option"),
}


@pytest.mark.parametrize("way", WAYS)
def test_every_way_says_who_decided_and_how_it_is_taken_back(way: str) -> None:
    question, wanted = WAYS[way]
    call = ToolCall(1, "call", 0, title="make")
    call.questions.append(question)
    assert why(call, FACTS) == f"make: {wanted}"


@pytest.mark.parametrize(
    ("facts", "wanted"),
    [
        (FACTS._replace(remembered={2: "session"}), "the agent did not ask"),
        (FACTS, "the agent did not ask; what you told it to remember: :Acp forget"),
        (
            Facts("Claude", "Accept\x1b edits", {}),
            "the agent did not ask; its mode is now Accept^[ edits, :Acp mode changes it",
        ),
    ],
)
def test_an_unasked_call_tells_of_the_mode_and_of_what_the_agent_remembers(facts: Facts, wanted: str) -> None:
    assert why(ToolCall(1, "call", 0, title="make"), facts) == f"make: {wanted}"


def test_names_of_strangers_are_made_visible() -> None:
    call = ToolCall(1, "call", 0, title="make")
    call.questions.append(ended(Option("a", "Al\u202eways\n", "allow_always"), "user"))
    assert "Al<202E>ways" in why(call, FACTS._replace(agent="a\x1bb"))
    assert "\x1b" not in why(call, FACTS._replace(agent="a\x1bb"))
