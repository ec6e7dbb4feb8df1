"""TurnClock leaves out the time in which the user was asked something."""

from acp_nvim.session.turn_clock import TurnClock


def test_a_turn_without_questions():
    clock = TurnClock()
    clock.begin(10.0)
    assert clock.end(14.5) == 4.5


def test_the_users_time_is_left_out_and_overlapping_questions_count_once():
    clock = TurnClock()
    clock.begin(0.0)
    clock.wait(2.0, is_asking=True)
    clock.wait(5.0, is_asking=True)
    clock.wait(9.0, is_asking=True)
    clock.wait(12.0, is_asking=False)
    assert clock.end(13.0) == 3.0


def test_a_question_that_is_open_at_the_end():
    clock = TurnClock()
    clock.begin(0.0)
    clock.wait(1.0, is_asking=True)
    assert clock.end(100.0) == 1.0
    clock.begin(200.0)
    assert clock.end(203.0) == 3.0


def test_an_end_without_a_beginning():
    assert TurnClock().end(3.0) == 0.0
