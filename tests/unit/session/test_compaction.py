"""Compactions: one entry each, patched in place."""

import pytest

from acp_nvim.protocol import decode
from acp_nvim.protocol.dialects import STANDARD
from acp_nvim.session.compaction import Compaction
from acp_nvim.session.session import Session


@pytest.fixture
def session() -> Session:
    return Session(1, "mine", "/w")


def tell(session: Session, tag: str = "compaction_update", id: str = "c", **fields: object) -> None:
    told = {"sessionUpdate": tag, "compactionId": id, **fields}
    for update in decode.update({"sessionId": "s", "update": told}, STANDARD)[1]:
        session.apply(update, 0.0)


def facts(session: Session) -> list[tuple[str, str, str]]:
    entries = session.transcript.entries
    return [(each.status, each.summary, each.error) for each in entries if isinstance(each, Compaction)]


def text(words: str) -> dict[str, str]:
    return {"type": "text", "text": words}


def test_what_is_left_out_stays_and_null_clears(session: Session) -> None:
    tell(session, status="in_progress", summary=[text("a"), text("b")], error="odd")
    tell(session, status="completed")
    assert facts(session) == [("completed", "ab", "odd")]
    tell(session, status="completed", summary=None, error=None)
    assert facts(session) == [("completed", "", "")]
    tell(session, status="completed", summary=[text("c")])
    tell(session, status="completed", summary=[])
    assert facts(session) == [("completed", "", "")]


def test_pieces_of_the_summary_are_joined(session: Session) -> None:
    for words in ("we ", "spoke"):
        tell(session, "compaction_summary_chunk", content=text(words))
    tell(session, status="failed", error="too long")
    tell(session, id="d", status="completed")
    assert facts(session) == [("failed", "we spoke", "too long"), ("completed", "", "")]


@pytest.mark.parametrize(
    "fields", [{}, {"status": 3}, {"status": "paused", "summary": "x", "error": 5}, {"content": 3}]
)
@pytest.mark.parametrize("tag", ["compaction_update", "compaction_summary_chunk"])
def test_odd_ones_do_no_harm(session: Session, tag: str, fields: dict[str, object]) -> None:
    tell(session, tag, **fields)
    assert len(facts(session)) == 1
