"""Defines one request that puts the user's words, and reports of their decisions, into the running turn."""

from __future__ import annotations

from dataclasses import dataclass, field

from acp_nvim.session.pending_reports import PendingReport
from acp_nvim.session.queue import Prompt


@dataclass(slots=True, eq=False)
class SteerRequest:
    prompt: Prompt | None
    reports: list[PendingReport] = field(default_factory=list)
    told: str = ""  # the text of the reports
    attached: list[str] = field(default_factory=list)
    is_late: bool = False  # there was no answer in time, and the words are back in the queue
    is_given_up: bool = False  # the user has cancelled the turn since
    is_overtaken: bool = False  # the user has sent a prompt since that goes first
