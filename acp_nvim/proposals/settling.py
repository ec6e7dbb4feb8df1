"""A proposal that is decided becomes an answer. All of it is the agent's allow option, nothing of it its reject option.

Anything between is allowed once, and `enforce_decision` sees to it that the decided text is what comes to be; the next
prompt tells the agent.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial

import anyio

from acp_nvim.editor.interface import Editor
from acp_nvim.proposals.enforce_decision import Enforcement
from acp_nvim.proposals.proposal import Proposal, decision, takes_unsaved, verdict
from acp_nvim.review import proposed
from acp_nvim.review.taken import taken
from acp_nvim.serves.decision import Decision as Verdict
from acp_nvim.serves.live import Live
from acp_nvim.session.question import Option, Question
from acp_nvim.session.session import Session

AGAIN = "the proposal has changed: look at it again; nothing was sent"


class Front:
    """What proposals tell the rest of the client; `through`: the session's agent writes through us; `text_of` a file:
    as it is known without asking the editor."""

    def __init__(
        self,
        spawn: Callable[..., None],
        say: Callable[[str, str], None],
        touch: Callable[[Session], None],
        through: Callable[[Session], bool],
        text_of: Callable[[str], str | None],
    ) -> None:
        self.spawn, self.say, self.touch, self.through = spawn, say, touch, through
        self.text_of = text_of


class Settling:
    """`forget` is told of every question that is answered, `show` shows a page that has to be looked at again."""

    def __init__(
        self,
        editor: Editor,
        live: Live,
        enforcement: Enforcement,
        front: Front,
        forget: Callable[[Question], None],
        show: Callable[[Session, Question, int], None],
    ) -> None:
        self._editor, self._live, self._enforcement, self._front = editor, live, enforcement, front
        self._forget, self._show = forget, show

    def settle(self, known: Proposal) -> None:
        kinds = {decision(page).kind for page in known.pages}
        if kinds == {"all"} and not any(takes_unsaved(page) for page in known.pages):
            self._answer(known, "allow_once")
        elif kinds == {"nothing"}:
            self._answer(known, "reject_once")
        elif _first(known.question, "allow_once"):
            self._front.spawn(self._allow_some, known)
        else:
            self._undecide(known)
            self._front.say(
                "warn",
                "nothing was sent: it cannot be allowed just once, so all or nothing (:Acp answer {n})",
            )

    def _answer(self, known: Proposal, kind: str, *, some: bool = False) -> bool:
        chosen = known.chosen if known.chosen and known.chosen.kind == kind else None
        option = chosen or _first(known.question, kind)
        if option is None:
            self._undecide(known)
            said = "allow it" if kind.startswith("allow") else "refuse it"
            self._front.say(
                "warn", f"nothing was sent: no answer here would {said} just once (:Acp answer {{n}})"
            )
            return False
        done = known.session.end_question(known.question, option, "user")
        self._forget(known.question)
        self._front.touch(known.session)
        self._editor.notify("proposal_done", known.question.id, not some)
        return done

    async def _say_done(self, question: Question, done: anyio.Event) -> None:
        """An editor that is about to leave waits for it."""
        await done.wait()
        self._editor.notify("proposal_done", question.id, True)

    def _undecide(self, known: Proposal) -> None:
        for page in known.pages:
            page.is_decided = False

    async def _allow_some(self, known: Proposal) -> None:
        """The decided texts go onto the live text of this moment."""
        verdicts, reports = [], []
        for page in known.pages:
            decided = decision(page).kind != "all"
            if not decided and not takes_unsaved(page):
                continue
            found = await verdict(self._live, page)
            if found is None:
                self._undecide(known)
                self._front.say(
                    "warn", f"{page.name} has just changed in the same lines: look at it, then :w"
                )
                return self._show(known.session, known.question, known.pages.index(page))
            verdicts.append(found)
            if decided:
                told = os.path.relpath(page.path, known.session.cwd)
                reports.append(partial(self._report, told, found))
        if not known.question.is_open or known.question.version != known.version:
            return self._front.say("warn", AGAIN)
        session = known.session
        session.reports += reports
        known.question.partly = _partly(known)
        done = self._enforcement.expect(session, known.question.tool_call_id or "", verdicts)
        self._answer(known, "allow_once", some=True)
        self._front.spawn(self._say_done, known.question, done)

    def _report(self, name: str, found: Verdict) -> str:
        now = self._front.text_of(found.path)
        return proposed.report(name, found.right, found.decided, found.left, now)


def _partly(known: Proposal) -> str:
    """What the user takes of it, for the line of the call."""
    if all(decision(page).kind == "all" for page in known.pages):
        return ""
    counts = [
        taken(page.proposed.left, page.proposed.right, decision(page).text)
        for page in known.pages
        if page.proposed.fits
    ]
    whole, count = (sum(each) for each in zip(*counts, strict=True))
    return f"{whole} of {count} hunk{'s' * (count != 1)}" if whole < count else "edited"


def _first(question: Question, kind: str) -> Option | None:
    return next((option for option in question.options if option.kind == kind), None)
