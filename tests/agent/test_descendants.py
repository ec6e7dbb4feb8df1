"""What a process has started is found and ended, with /proc and, as on macOS, by ps."""

import os
import subprocess
import time

import pytest

from acp_nvim.processes import ps
from acp_nvim.processes.descendants import Lineage

TREE = 'sleep 61 & python3 -c \'import os; os.setsid(); os.execvp("sleep", ["sleep", "62"])\' & exec sleep 63'


@pytest.fixture(params=["proc", "ps"])
def has_proc(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    wanted = request.param == "proc"
    if wanted and not ps.has_proc():
        pytest.skip("this system has no /proc")
    monkeypatch.setattr(ps, "has_proc", lambda: wanted)
    return wanted


def test_all_that_a_leader_has_started_is_ended(has_proc: bool) -> None:
    with subprocess.Popen(["sh", "-c", TREE], start_new_session=True) as leader:
        lineage = Lineage(leader.pid)
        deadline = time.monotonic() + 10
        while len(found := lineage.look()) < 3 and time.monotonic() < deadline:
            pass
        assert len(found) == 3
        lineage.kill()
        assert leader.wait(10) < 0
    deadline = time.monotonic() + 10
    while lineage.look(is_reaped=True) and time.monotonic() < deadline:
        pass
    assert not lineage.look(is_reaped=True)


def test_a_process_is_known_by_its_command_line(has_proc: bool) -> None:
    assert "python" in ps.command_line(os.getpid())
    assert ps.command_line(2**22 + 1) == ""
