"""When an agent counts as silent: from its last message on, not while it asks or runs a command."""

from typing import Any

import pytest

from acp_nvim.host import silence
from acp_nvim.protocol import schema
from acp_nvim.session.question import Option, Question
from acp_nvim.session.queue import Prompt
from acp_nvim.session.session import Session

YES = Option("yes", "Yes", "allow_once")


class Host:
    def __init__(self, session: Session) -> None:
        self.sessions, self.app, self.touched = [session], self, 0

    def touch(self, _: Session) -> None:
        self.touched += 1


class World:
    """A turn that has begun at 0; `at` passes the time, with all looks that are due until then."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.session = Session(1, "mine", "/work")
        self.session.ready("s")
        self.session.begin_turn(Prompt("go"))
        self.host = Host(self.session)
        self._now = 0.0
        self._looks: list[tuple[float, Session]] = []
        patch.setattr(silence.time, "monotonic", lambda: self._now)
        patch.setattr(silence.time, "time", lambda: 1000.0 + self._now)
        patch.setattr(
            silence.Silence,
            "_look_in",
            lambda _, after, session: self._looks.append((self._now + after, session)),
        )
        host: Any = self.host
        self.silence = silence.Silence(host)
        self.silence.begin(self.session)

    def at(self, now: float) -> int | None:
        while self._looks and min(self._looks)[0] <= now:
            look = min(self._looks, key=lambda each: each[0])
            self._looks.remove(look)
            self._now = look[0]
            self.silence._look(look[1])
        self._now = now
        return self.session.hints.silent_since


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> World:
    return World(monkeypatch)


def test_it_is_told_after_ten_seconds_and_from_the_last_message_on(world: World) -> None:
    assert world.at(9.9) is None
    assert world.at(10.1) == 1000
    world.silence.heard(world.session)
    assert world.session.hints.silent_since is None
    assert world.host.touched == 2
    assert world.at(20) is None
    assert world.at(21.2) == 1011
    world.session.end_turn(22.0, "end_turn")
    assert world.at(60) is None


def test_not_while_a_question_is_open(world: World) -> None:
    question = Question(1, "permission", "edit", (YES,), tool_call_id="t")
    world.session.questions.ask(question, schema.ToolCallUpdate("t", title="edit", kind="edit"), 2.0)
    assert world.at(60) is None
    world.session.questions.end(question, YES, "user")
    assert world.at(69) is None
    assert world.at(72) == 1060


def test_not_while_a_command_runs(world: World) -> None:
    world.session.apply(schema.ToolCallUpdate("t", title="make", kind="execute", status="in_progress"), 1.0)
    assert world.at(60) is None
    world.session.apply(schema.ToolCallUpdate("t", status="completed"), 60.0)
    assert world.at(72) == 1060


def test_the_next_turn_counts_anew(world: World) -> None:
    assert world.at(11) == 1000
    world.session.end_turn(11.0, "end_turn")
    world.session.begin_turn(Prompt("again"))
    world.silence.begin(world.session)
    assert world.at(20) is None
    assert world.at(22.1) == 1011
