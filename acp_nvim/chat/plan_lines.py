"""Draws a plan: a line with its progress and the step under way; unfolded, all steps below a line with its progress.

◻ plan 1/3  Update the callers        ◻ plan 1/3
                                        ✓ Read the callers
                                        ▸ Update the callers
                                        ◻ Run the tests
"""

from __future__ import annotations

from acp_nvim import limits
from acp_nvim.chat.folded_body import Body
from acp_nvim.chat.icon_mark import icon_mark
from acp_nvim.chat.phrases import cut
from acp_nvim.chat.splice import Row
from acp_nvim.session.plan import Plan
from acp_nvim.text.printable import one_line

_STEPS = {
    "completed": ("  ✓ ", "AcpPlanDone"),
    "in_progress": ("  ▸ ", "AcpPlanCurrent"),
    "pending": ("  ◻ ", "AcpPending"),
}


def rows(plan: Plan, is_open: bool) -> list[Row]:
    """Return the line of a plan; unfolded, also a row for each step, or its words."""
    total = len(plan.entries)
    finished = plan.done == total and not plan.words
    icon, highlight = ("✓ ", "AcpPlanDone") if finished else ("◻ ", "AcpPlan")
    text = f"plan {plan.done}/{total}" if total else "plan" if plan.words else "the plan was dropped"
    if plan.is_removed:
        text += "  dropped"
    elif not is_open and (current := plan.current or one_line(plan.words.lstrip().partition("\n")[0])):
        text += f"  {cut(current, limits.NAME_CHARS)}"
    top = (text, icon_mark("plan", plan.key, icon, highlight))
    words = Body(plan.key)
    if plan.words and is_open:
        words.text(plan.words)
    return [top, *(_steps(plan) if is_open else ()), *words.rows()]


def _steps(plan: Plan) -> list[Row]:
    steps: list[Row] = []
    for step in plan.entries[: limits.SHOWN_LINES]:
        icon, highlight = _STEPS[step.status]
        mark = icon_mark("step", plan.key, icon, highlight)
        if step.status != "pending":
            mark["line_hl"] = highlight
        text = cut(one_line(step.content), limits.PLAN_STEP_CHARS) or "(no text)"
        steps.append(
            (" " * len(icon) + text, mark)
        )  # the icon stands over the blanks, below which the step wraps
    return steps
