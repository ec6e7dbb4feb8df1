"""Proposals: the diffs of a question before they happen. The text of the right side is the decision.

An open one keeps step with its call, and with its files; what the user has made of it stays meanwhile.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import anyio

from acp_nvim.editor.interface import Editor
from acp_nvim.proposals.enforce_decision import Enforcement
from acp_nvim.proposals.pages import named, pages
from acp_nvim.proposals.proposal import Proposal, kept, move
from acp_nvim.proposals.settling import AGAIN, Front, Settling
from acp_nvim.serves import sides
from acp_nvim.serves.files import Files
from acp_nvim.session.question import Question
from acp_nvim.session.session import Session
from acp_nvim.session.tool_call import ToolCall

# Each file costs a look at the disk, and in Neovim a buffer and a place in a list; nobody looks at each of more.
MOST_FILES = 200

__all__ = ["Front", "Proposals"]


class Proposals:
    def __init__(self, editor: Editor, files: Files, enforcement: Enforcement, front: Front) -> None:
        self._editor, self._files, self._front = editor, files, front
        self._settling = Settling(editor, files.live, enforcement, front, self._forget, self.show)
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
        for question in call.questions:
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
        option_id: str | None = None,
    ) -> None:
        """The user has decided about one file, by its path, or about all as they are. `moved`: the two sides where the
        file has changed meanwhile. `option_id`: the option by which the user allows it once, where one was chosen."""
        known = self._open.get(question.id)
        if known is None or known.version != question.version or version != question.version:
            self._front.say("warn", AGAIN)
            if known:
                self._front.spawn(self._refresh, known)
            return
        move(known, moved)
        for page in known.pages:
            if path in (None, page.path):
                page.text, page.is_decided = texts.get(page.path), True
        known.chosen = None if option_id is None else question.option(str(option_id))
        following = known.undecided
        if following is None:
            self._settling.settle(known)
        else:
            self.show(known.session, question, following, focus=True)

    def _forget(self, question: Question) -> None:
        self._open.pop(question.id, None)

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
        call = session.call_of(question)
        version = question.version
        count = len(named(call, session.cwd)) if call else 0
        if count > MOST_FILES:
            self._front.say(
                "warn", f"{count} files are too many for a diff: answer in the chat, K there shows all"
            )
            return None
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
        move(known, said.get("sides") or {})
        pages_before, pages_now = ({page.path: page for page in each.pages} for each in (known, fresh))
        for path, yours in {**(said.get("texts") or {}), **known.yours}.items():
            before, now = pages_before.get(path), pages_now.get(path)
            text = kept(before, now, yours) if before and now else None
            if text is None:
                self._editor.notify("proposal_aside", question.id, path, yours)
            else:
                fresh.yours[path] = text
        if said.get("open"):
            self._tell(fresh, focus=False, auto=False)
