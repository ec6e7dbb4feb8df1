"""Keeps the reports of the user's decisions about proposals, and their comments on these, that the agent has not been
told yet.

The text is made when it is sent, because the files may change until then.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from acp_nvim.text import comment_text
from acp_nvim.text.comment_text import Comment


@dataclass(slots=True, eq=False)
class PendingReport:
    """One report. It is ready for a running turn once the files are as the user has decided, and is no more once an
    agent has not taken it: then it waits for the next prompt."""

    tell: Callable[[], str]
    is_ready: bool = False
    comments: list[Comment] = field(default_factory=list)  # that it holds


class PendingReports:
    def __init__(self) -> None:
        self._waiting: list[PendingReport] = []

    def add(self, tell: Callable[[], str]) -> PendingReport:
        report = PendingReport(tell)
        self._waiting.append(report)
        return report

    def add_comments(self, comments: list[Comment], cwd: str) -> PendingReport:
        """Add a report that holds the user's comments on a proposal."""
        report = self.add(lambda: comment_text.message(report.comments, cwd))
        report.comments = comments
        return report

    def withdraw(self, ids: frozenset[int]) -> None:
        """Take these comments out of the reports, because a message has them."""
        for report in self._waiting:
            report.comments = comment_text.without(report.comments, ids)

    def take(self) -> list[PendingReport]:
        """Return all reports and forget them."""
        taken, self._waiting = self._waiting, []
        return taken

    def take_ready(self) -> list[PendingReport]:
        """Return the reports that are ready and forget them."""
        taken = [report for report in self._waiting if report.is_ready]
        self._waiting = [report for report in self._waiting if not report.is_ready]
        return taken

    def give_back(self, reports: list[PendingReport]) -> None:
        """Keep reports that did not reach the agent for the next prompt, in front of the others."""
        for report in reports:
            report.is_ready = False
        self._waiting[:0] = reports

    def drop(self, reports: list[PendingReport]) -> None:
        """Forget reports that have reached the agent after all."""
        self._waiting = [report for report in self._waiting if report not in reports]


def texts_of(reports: list[PendingReport]) -> list[str]:
    return [told for report in reports if (told := report.tell())]


def comments_of(reports: list[PendingReport]) -> list[int]:
    return [each.id for report in reports for each in report.comments]
