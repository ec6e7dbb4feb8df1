"""Merges of large texts: beside the loop, up to a bound, and nothing that happens meanwhile is lost."""

import threading
from typing import Any

import pytest

from acp_nvim.review import texts
from acp_nvim.review.texts import as_text, join
from acp_nvim.serves import joining
from acp_nvim.serves.joining import merged
from tests.unit.serves.conftest import Agent

LINES = "one\ntwo\nthree\nfour\n"


@pytest.fixture
def threads(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Of each merge whether it was the loop's own thread that made it."""
    own, found = threading.get_ident(), list[bool]()

    def told(*arguments: Any) -> Any:
        found.append(threading.get_ident() == own)
        return join(*arguments)

    monkeypatch.setattr(joining, "join", told)
    return found


async def test_a_small_merge_pays_for_no_thread_and_a_large_one_is_beside_the_loop(
    threads: list[bool],
) -> None:
    for count in (2_000, 40_000):
        base = "".join(f"{number}\n" for number in range(count))
        found = await merged(base, as_text("mine\n" + base, "\n"), base + "agent's\n")
        assert found == join(base, as_text("mine\n" + base, "\n"), base + "agent's\n")
        assert not found.overlaps
    assert threads == [True, False]


async def test_beyond_the_bound_what_differs_is_the_users_to_decide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(joining, "_MANY", 0)
    monkeypatch.setattr(joining, "_MOST", 8)
    ours = as_text("mine\n" + LINES, "\n")
    assert (await merged(LINES, ours, LINES + "agent's\n")).overlaps
    known = await merged(ours.whole, ours, LINES)  # it has seen what it changes
    assert (known.ours.whole, known.overlaps) == (LINES, ())


@pytest.mark.parametrize("loaded", [False, True])
async def test_what_reaches_the_disk_while_texts_are_merged_stays(
    agent: Agent, monkeypatch: pytest.MonkeyPatch, loaded: bool
) -> None:
    path = agent.root / "f"
    path.write_text(LINES)
    if loaded:
        agent.editor.open(path)
    await agent.read(path)
    path.write_text(LINES.replace("one", "ONE"))
    left = [LINES.replace("one", "ONE").replace("two", "TWO")]

    def slowly(*arguments: Any) -> Any:
        if left:
            path.write_text(left.pop())
        return texts.join(*arguments)

    monkeypatch.setattr(joining, "_MANY", 0)
    monkeypatch.setattr(joining, "join", slowly)
    await agent.write(path, LINES.replace("four", "FOUR"))
    assert path.read_text() == "ONE\nTWO\nthree\nFOUR\n"
    assert agent.asked == []
