"""One proposal: the pages of a question's diff, and what the user makes of the text of a right side."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from acp_nvim.proposals.pages import Page
from acp_nvim.review import proposed
from acp_nvim.review.codec import split
from acp_nvim.review.proposed import Decision
from acp_nvim.review.texts import join
from acp_nvim.serves import disk, sides
from acp_nvim.serves.decision import Decision as Verdict
from acp_nvim.serves.decision import rebased
from acp_nvim.serves.live import Live
from acp_nvim.session.question import Option, Question
from acp_nvim.session.session import Session
from acp_nvim.session.tool_call import ToolCall


@dataclass(slots=True, eq=False)
class Proposal:
    session: Session
    question: Question
    call: ToolCall
    pages: list[Page]
    version: int  # of the question, when this was made
    at: int = 0
    renewed: bool = False  # the editor has an earlier one
    chosen: Option | None = None  # by which the user allows it; None: the first that allows once
    yours: dict[str, str] = field(default_factory=dict)  # what the user had made of that, by path

    @property
    def undecided(self) -> int | None:
        """The next page to decide, from the one that is shown on."""
        count = len(self.pages)
        order = ((self.at + step) % count for step in range(count))
        return next((index for index in order if not self.pages[index].is_decided), None)


def move(known: Proposal, moved: Mapping[str, Any]) -> None:
    """The editor has made the two sides of what the files are by now, in lines."""
    for page in known.pages:
        made, now = page.proposed, moved.get(page.path)
        if now and made.fits and made.left is not None and made.right is not None:
            left, right = _shaped(made.left, now["left"]), _shaped(made.right, now["right"])
            page.proposed = made._replace(left=left, right=right)


def _shaped(like: str, lines: str) -> str:
    """As the file has its ends."""
    return replace(split(like), lines=tuple(lines.split("\n")) if lines else ()).whole


def takes_unsaved(page: Page) -> bool:
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


def decision(page: Page) -> Decision:
    if not page.proposed.fits:
        return Decision("all", page.proposed.right)
    return proposed.decide(page.proposed.left, page.proposed.right, decided_text(page))


def kept(before: Page, after: Page, yours: str) -> str | None:
    """The user's edits of the right side on the one that takes its place; None: they overlap."""
    old, new = before.proposed.right, after.proposed.right
    if old is None or new is None or not after.proposed.fits:
        return None
    mine = replace(split(old), lines=tuple(yours.split("\n")))
    joined = join(old, mine, new)
    return None if joined.overlaps else sides.lines(joined.ours)


async def verdict(live: Live, page: Page) -> Verdict | None:
    """None: the file has changed since, where the user or the agent would change it."""
    real = disk.resolve(page.path)
    left, right, decided = page.proposed.left, page.proposed.right, decision(page).text
    buffer = await live.loaded(real)
    if buffer and left is not None and buffer.text.whole != left:
        now = [text if text is None else rebased(left, buffer.text, text) for text in (right, decided)]
        if any(was is not None and is_now is None for was, is_now in zip((right, decided), now, strict=True)):
            return None
        left = buffer.text.whole
        right, decided = (each.whole if each else None for each in now)
    return Verdict(real, left, right, decided, page.disk, page.written)
