"""The sentence about the end of an agent: which of its last lines is worth showing."""

import pytest

from acp_nvim.agent.exit_report import ExitReport

ENDED = "mine exited with status 1"


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("[session/load] sessionId=s-1 phase=replay durationMs=0", ""),
        ("[load] [replay] phase=end", ""),
        ("phase=replay has ended", "phase=replay has ended"),
        ("[load] no fields", "[load] no fields"),
        ("a=" * 90 + " x", "a=" * 90 + " x"),  # whether these are fields is known at once
    ],
)
def test_a_line_of_fields_is_no_reason(line: str, shown: str) -> None:
    report = ExitReport(1, stderr_tail=(line,))
    assert report.sentence("mine") == (f"{ENDED}: {shown}" if shown else ENDED)
