"""Plans by id, which the standard does not have yet: in steps, or in words."""

from typing import Any

import pytest

from acp_nvim import limits
from acp_nvim.protocol import decode
from acp_nvim.protocol.dialects import STANDARD
from acp_nvim.protocol.schema import PlanUpdate, UnknownUpdate


def told(tag: str = "plan_update", **fields: Any) -> Any:
    (update,) = decode.update({"sessionId": "s", "update": {"sessionUpdate": tag, **fields}}, STANDARD)[1]
    return update


def steps(update: Any) -> list[tuple[str, str]]:
    assert isinstance(update, PlanUpdate)
    assert update.id == "p"
    return [(entry.content, entry.status) for entry in update.entries]


def test_items_are_the_plan() -> None:
    items = [{"content": "a", "status": "completed", "priority": "low"}, {"content": 3}, {"content": "b"}]
    plan = {"type": "items", "planId": "p", "entries": items}
    assert steps(told(plan=plan)) == [("a", "completed"), ("b", "pending")]


def test_the_points_of_markdown_are_its_steps() -> None:
    content = "# Plan\n\n1. [x] look\n2. [ ] edit\n- run\n* and say\ntext"
    assert steps(told(plan={"type": "markdown", "planId": "p", "content": content})) == [
        ("look", "completed"),
        ("edit", "pending"),
        ("run", "pending"),
        ("and say", "pending"),
    ]


@pytest.mark.parametrize(
    ("plan", "words"),
    [
        ({"type": "markdown", "planId": "p", "content": "just do it"}, "just do it"),
        ({"type": "file", "planId": "p", "uri": "file:///w/plan.md"}, "file:///w/plan.md"),
    ],
)
def test_other_plans_have_words(plan: Any, words: str) -> None:
    assert told(plan=plan) == PlanUpdate((), "p", words)


def test_a_plan_is_removed_by_its_id() -> None:
    assert told("plan_removed", planId="p") == PlanUpdate((), "p", is_removed=True)
    assert told("plan_removed") == PlanUpdate((), is_removed=True)


def test_the_words_of_a_plan_are_bounded() -> None:
    update = told(plan={"type": "markdown", "planId": "p", "content": "x" * 10**6})
    assert len(update.words) == limits.PLAN_CHARS


@pytest.mark.parametrize(
    "plan", [None, 3, {}, {"type": "items"}, {"type": "markdown"}, {"type": "_new", "uri": 3}]
)
def test_odd_plans_are_kept_raw(plan: Any) -> None:
    assert isinstance(told(plan=plan), UnknownUpdate)
