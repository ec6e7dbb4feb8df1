"""Proposals: the diffs of a question before they happen. The text of the right side is the decision.

All of a proposal is the agent's allow option, nothing of it its reject option. Anything between is allowed once, and
`takeback` sees to it that the decided text is what comes to be; the next prompt tells the agent.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import anyio

from acp_nvim.editor.interface import Editor
from acp_nvim.review import proposed
from acp_nvim.review.codec import split
from acp_nvim.review.proposed import Decision
from acp_nvim.review.texts import join
from acp_nvim.serves import sides
from acp_nvim.serves.files import Files
from acp_nvim.serves.pages import Page, pages
from acp_nvim.serves.takeback import Takeback
from acp_nvim.serves.verdict import Verdict, rebased
from acp_nvim.session.questions import Option, Question
from acp_nvim.session.session import Session
from acp_nvim.session.tool_calls import ToolCall

_AGAIN = "the proposal has changed: look at it again; nothing was sent"


@dataclass(slots=True, eq=False)
class Proposal:
    session: Session
    question: Question
    call: ToolCall
    pages: list[Page]
    version: int  # of the question, when this was made
    at: int = 0
    renewed: bool = False  # the editor has an earlier one
    yours: dict[str, str] = field(default_factory=dict)  # what the user had made of that, by path

    @property
    def undecided(self) -> int | None:
        """The next page to decide, from the one that is shown on."""
        count = len(self.pages)
        order = ((self.at + step) % count for step in range(count))
        return next((index for index in order if not self.pages[index].is_decided), None)


class Front:
    """What proposals tell the rest of the client; `through`: the session's agent writes through us."""

    def __init__(
        self,
        spawn: Callable[..., None],
        say: Callable[[str, str], None],
        touch: Callable[[Session], None],
        through: Callable[[Session], bool],
    ) -> None:
        self.spawn, self.say, self.touch, self.through = spawn, say, touch, through


class Proposals:
    def __init__(self, editor: Editor, files: Files, takeback: Takeback, front: Front) -> None:
        self._editor, self._files, self._takeback, self._front = editor, files, takeback, front
        self._open: dict[int, Proposal] = {}
        self._making = anyio.Lock()

    # --- what the rest of the client tells

    def show(
        self,
        session: Session,
        question: Question,
        at: int | None = None,
        *,
        focus: bool = False,
        auto: bool = False,
    ) -> None:
        """Open it, or go to another of its files."""
        self._front.spawn(self._show, session, question, at, focus, auto)

    def compare(self, session: Session, call: ToolCall) -> bool:
        """What a call has done, or would have: a diff of its own texts, only to look at. False: it has none."""
        if shown := sides.of_call(session, call):
            self._editor.notify("proposal", shown)
        return shown is not None

    def hear(self, session: Session, call: ToolCall) -> None:
        """The call as it is now: an open proposal keeps step with it."""
        self._open = {key: each for key, each in self._open.items() if each.question.is_open}
        for question in session.questions.of_call(call.id):
            known = self._open.get(question.id)
            if known and known.version != question.version:
                self._front.spawn(self._refresh, known)

    def decide(
        self,
        question: Question,
        version: Any,
        path: str | None,
        texts: Mapping[str, str],
        moved: Mapping[str, Any],
    ) -> None:
        """The user has decided about one file, by its path, or about all as they are. `moved`: the two sides where the
        file has changed meanwhile."""
        known = self._open.get(question.id)
        if known is None or known.version != question.version or version != question.version:
            self._front.say("warn", _AGAIN)
            if known:
                self._front.spawn(self._refresh, known)
            return
        _move(known, moved)
        for page in known.pages:
            if path in (None, page.path):
                page.text, page.is_decided = texts.get(page.path), True
        following = known.undecided
        if following is None:
            self._settle(known)
        else:
            self.show(known.session, question, following, focus=True)

    # --- showing

    async def _show(
        self, session: Session, question: Question, at: int | None, focus: bool, auto: bool
    ) -> None:
        async with self._making:
            known = self._open.get(question.id)
            if known and known.version != question.version:
                await self._renew(known)
                known = self._open.get(question.id)
            known = known or await self._make(session, question)
            if known is None or not question.is_open:
                return
            known.at = known.at if at is None else max(0, min(at, len(known.pages) - 1))
            self._tell(known, focus=focus, auto=auto)
        self._keep_up(known)

    async def _make(self, session: Session, question: Question) -> Proposal | None:
        call = session.transcript.find(question.tool_call_id or "")
        version = question.version
        made = await pages(self._files, session, call) if call else []
        if not made or call is None:
            self._front.say("info", "this question has no diff: :Acp answer shows it")
            return None
        before = self._open.get(question.id)
        proposal = Proposal(session, question, call, made, version)
        if before:
            proposal.at = min(before.at, len(made) - 1)
        self._open[question.id] = proposal
        return proposal

    def _tell(self, known: Proposal, **how: bool) -> None:
        through = self._front.through(known.session)
        shown = sides.of_page(known.question, known.session, known.pages, known.at, through=through)
        yours, page = known.yours, known.pages[known.at]
        others = [sides.other(each, yours.get(each.path)) for each in known.pages if each is not page]
        more = {
            "text": yours.get(page.path),
            "version": known.version,
            "others": others if known.renewed else None,
        }
        self._editor.notify("proposal", {**shown, **more, **how})
        known.renewed, known.yours = False, {}

    def _keep_up(self, known: Proposal) -> None:
        """The call may have changed while its files were read."""
        if known.question.is_open and known.version != known.question.version:
            self._front.spawn(self._refresh, known)

    async def _refresh(self, known: Proposal) -> None:
        async with self._making:
            await self._renew(known)
        if fresh := self._open.get(known.question.id):
            self._keep_up(fresh)

    async def _renew(self, known: Proposal) -> None:
        """What the user has made of the right side stays, where it has nothing to do with what is new."""
        question = known.question
        stale = question.is_open and self._open.get(question.id) is known
        if not stale or known.version == question.version:
            return
        said = await self._editor.call("proposal_texts", question.id)
        fresh = await self._make(known.session, question) if said else None
        if fresh is None:
            self._open.pop(question.id, None)
            return
        fresh.renewed = True
        _move(known, said.get("sides") or {})
        pages_before, pages_now = ({page.path: page for page in each.pages} for each in (known, fresh))
        for path, yours in {**(said.get("texts") or {}), **known.yours}.items():
            before, now = pages_before.get(path), pages_now.get(path)
            text = _kept(before, now, yours) if before and now else None
            if text is None:
                self._editor.notify("proposal_aside", question.id, path, yours)
            else:
                fresh.yours[path] = text
        if said.get("open"):
            self._tell(fresh, focus=False, auto=False)

    # --- deciding

    def _settle(self, known: Proposal) -> None:
        kinds = {_decision(page).kind for page in known.pages}
        if kinds == {"all"} and not any(_takes_unsaved(page) for page in known.pages):
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
        option = _first(known.question, kind)
        if option is None:
            self._undecide(known)
            said = "allow it" if kind.startswith("allow") else "refuse it"
            self._front.say(
                "warn", f"nothing was sent: no answer here would {said} just once (:Acp answer {{n}})"
            )
            return False
        done = known.session.end_question(known.question, option, "user")
        self._open.pop(known.question.id, None)
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
            decided = _decision(page).kind != "all"
            if not decided and not _takes_unsaved(page):
                continue
            verdict = await self._verdict(page)
            if verdict is None:
                self._undecide(known)
                self._front.say(
                    "warn", f"{page.name} has just changed in the same lines: look at it, then :w"
                )
                return self.show(known.session, known.question, known.pages.index(page))
            verdicts.append(verdict)
            if decided:
                told = os.path.relpath(page.path, known.session.cwd)
                reports.append(proposed.report(told, verdict.right, verdict.decided, verdict.left))
        if not known.question.is_open or known.question.version != known.version:
            return self._front.say("warn", _AGAIN)
        session, holds = known.session, not self._front.through(known.session)
        session.reports += reports
        done = self._takeback.expect(session, known.question.tool_call_id or "", verdicts, holds)
        self._answer(known, "allow_once", some=True)
        self._front.spawn(self._say_done, known.question, done)

    async def _verdict(self, page: Page) -> Verdict | None:
        """None: the file has changed since, where the user or the agent would change it."""
        real = os.path.realpath(page.path)
        left, right, decided = page.proposed.left, page.proposed.right, _decision(page).text
        buffer = await self._files.live.loaded(real)
        if buffer and left is not None and buffer.text.whole != left:
            now = [text if text is None else rebased(left, buffer.text, text) for text in (right, decided)]
            if any(
                was is not None and is_now is None for was, is_now in zip((right, decided), now, strict=True)
            ):
                return None
            left = buffer.text.whole
            right, decided = (each.whole if each else None for each in now)
        return Verdict(real, left, right, decided, page.disk, page.written)


def _move(known: Proposal, moved: Mapping[str, Any]) -> None:
    """The editor has made the two sides of what the files are by now, in lines."""
    for page in known.pages:
        made, now = page.proposed, moved.get(page.path)
        if now and made.fits and made.left is not None and made.right is not None:
            left, right = _shaped(made.left, now["left"]), _shaped(made.right, now["right"])
            page.proposed = made._replace(left=left, right=right)


def _shaped(like: str, lines: str) -> str:
    """As the file has its ends."""
    return replace(split(like), lines=tuple(lines.split("\n")) if lines else ()).whole


def _takes_unsaved(page: Page) -> bool:
    """The right side stands in the place of unsaved lines: the agent's own write would have to ask about them."""
    made = page.proposed
    if not made.fits or not page.written or made.left in (None, page.disk) or made.right is None:
        return False
    live, wanted = split(made.left or ""), split(made.right).lines
    merged = (rebased(page.disk, live, text) for text in page.written if text is not None)
    return not any(text is not None and text.lines == wanted for text in merged)


def decided_text(page: Page) -> str | None:
    """The right side as a text, in the shape of the file."""
    right = page.proposed.right
    if page.text is None:
        return right
    return _shaped(right if right is not None else page.proposed.left or "", page.text)


def _decision(page: Page) -> Decision:
    if not page.proposed.fits:
        return Decision("all", page.proposed.right)
    return proposed.decide(page.proposed.left, page.proposed.right, decided_text(page))


def _first(question: Question, kind: str) -> Option | None:
    return next((option for option in question.options if option.kind == kind), None)


def _kept(before: Page, after: Page, yours: str) -> str | None:
    """The user's edits of the right side on the one that takes its place; None: they overlap."""
    old, new = before.proposed.right, after.proposed.right
    if old is None or new is None or not after.proposed.fits:
        return None
    mine = replace(split(old), lines=tuple(yours.split("\n")))
    joined = join(old, mine, new)
    return None if joined.overlaps else sides.lines(joined.ours)
