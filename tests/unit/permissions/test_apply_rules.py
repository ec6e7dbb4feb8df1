"""Rules at work: how often what is asked is held against them."""

from pathlib import Path

import pytest

from acp_nvim.permissions import apply_rules
from acp_nvim.permissions.apply_rules import RuleApplier
from acp_nvim.protocol import schema
from acp_nvim.session.question import Option, Question
from acp_nvim.session.session import Session


def asking(count: int) -> Session:
    """A session with so many questions about one call."""
    session = Session(1, "mine", "/w")
    session.ready("s")
    for _ in range(count):
        asked = schema.ToolCallUpdate(id="t", raw_input={"paths": ["/w/a"]})
        session.questions.ask(Question(1, "permission", "x", tool_call_id="t"), asked, 0.0)
    return session


def ruled(*given: object) -> RuleApplier:
    found = RuleApplier(lambda *_: None, lambda _: None, lambda *_: None)
    found.configure(list(given))
    return found


def test_without_a_rule_nothing_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(apply_rules, "scope", lambda *_: pytest.fail("looked at"))
    ruled().judge(asking(3))


def test_questions_of_one_call_are_judged_as_one(monkeypatch: pytest.MonkeyPatch) -> None:
    decided: list[int] = []
    monkeypatch.setattr(apply_rules.permission_rules, "decide", lambda *_: decided.append(1))
    rules, session = ruled({"action": "reject", "path": "/etc/**"}), asking(20)
    for number in range(10):
        session.apply(schema.ToolCallUpdate(id="t", title=f"title {number}"), 0.0)
        rules.judge(session)
        assert len(decided) == number + 1


def test_a_further_folder_is_what_it_was_when_the_session_began(tmp_path: Path) -> None:
    (tmp_path / "more").mkdir()
    session = Session(1, "mine", str(tmp_path / "w"), (str(tmp_path / "more"),))
    session.ready("s")
    rules = ruled({"action": "allow"})
    rules.begin(session)
    (tmp_path / "more").rename(tmp_path / "aside")
    (tmp_path / "more").symlink_to("/etc")
    asked = schema.ToolCallUpdate(id="t", kind="read", raw_input={"path": str(tmp_path / "more" / "passwd")})
    yes = Option("yes", "Yes", "allow_once")
    session.questions.ask(Question(1, "permission", "x", (yes,), tool_call_id="t"), asked, 0.0)
    rules.judge(session)
    assert len(session.questions) == 1
