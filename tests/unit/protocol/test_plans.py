"""Plans by id, which the standard does not have yet: shown as the plan, or in words."""

from typing import Any

import pytest

from acp_nvim.protocol import decode
from acp_nvim.protocol.dialects import STANDARD
from acp_nvim.protocol.schema import NoticeUpdate, PlanUpdate, UnknownUpdate


def told(tag: str = "plan_update", **fields: Any) -> Any:
    (update,) = decode.update({"sessionId": "s", "update": {"sessionUpdate": tag, **fields}}, STANDARD)[1]
    return update


def steps(update: Any) -> list[tuple[str, str]]:
    assert isinstance(update, PlanUpdate)
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
        ({"type": "markdown", "planId": "p", "content": "just do it"}, "plan:\njust do it"),
        ({"type": "file", "planId": "p", "uri": "file:///w/plan.md"}, "plan: file:///w/plan.md"),
    ],
)
def test_other_plans_are_told(plan: Any, words: str) -> None:
    assert told(plan=plan) == NoticeUpdate("info", words)


def test_a_removed_plan_has_no_steps() -> None:
    assert steps(told("plan_removed", planId="p")) == []


@pytest.mark.parametrize(
    "plan", [None, 3, {}, {"type": "items"}, {"type": "markdown"}, {"type": "_new", "uri": 3}]
)
def test_odd_plans_are_kept_raw(plan: Any) -> None:
    assert isinstance(told(plan=plan), UnknownUpdate)
