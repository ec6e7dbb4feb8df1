"""Usage: what is not repeated stays, and that the agent's memory runs full is said once."""

from typing import Any

import pytest

from acp_nvim.protocol import decode
from acp_nvim.protocol.dialects import STANDARD
from acp_nvim.session.entries import Note
from acp_nvim.session.session import Session


@pytest.fixture
def session() -> Session:
    return Session(1, "mine", "/w")


def tell(session: Session, **usage: Any) -> None:
    told = {"sessionUpdate": "usage_update", **usage}
    for update in decode.update({"sessionId": "s", "update": told}, STANDARD)[1]:
        session.apply(update, 0.0)


def warnings(session: Session) -> list[str]:
    return [
        each.text for each in session.transcript.entries if isinstance(each, Note) and each.kind == "warning"
    ]


@pytest.mark.parametrize(
    ("told", "shown"),
    [
        ("EUR", "EUR"),
        ("E\x1bUR", "E^[UR"),
        ("\u202eRUE", "<202E>R…"),
        ("a\nb\tc", "a b c"),
        ("credits of the month", "credits…"),
        ("€" * 100_000, "€€€€€€€…"),
        (None, None),
        (7, None),
    ],
)
def test_the_currency_is_a_short_visible_word(session: Session, told: Any, shown: str | None) -> None:
    tell(session, used=1, size=10, cost={"amount": 1.5, "currency": told})
    assert session.usage.context is not None
    assert session.usage.context["cost"] == {"amount": 1.5, "currency": shown}


@pytest.mark.parametrize("amount", ["nan", "inf", 1e300, -1e300, "much"])
def test_an_amount_that_is_none_leaves_the_cost(session: Session, amount: Any) -> None:
    tell(session, used=1, size=10, cost={"amount": 2, "currency": "EUR"})
    tell(session, used=2, size=10, cost={"amount": amount, "currency": "USD"})
    assert session.usage.context == {"used": 2, "size": 10, "cost": {"amount": 2, "currency": "EUR"}}


@pytest.mark.statement(95)
def test_the_warning_comes_at_80_percent_and_once(session: Session) -> None:
    tell(session, used=79, size=100)
    assert warnings(session) == []
    tell(session, used=80, size=100)
    (said,) = warnings(session)
    assert "80 % of the context window" in said
    tell(session, used=10, size=100)
    tell(session, used=99, size=100)
    assert len(warnings(session)) == 1


@pytest.mark.statement(95)
@pytest.mark.parametrize(
    "usage", [{"used": 5, "size": 0}, {"used": 5}, {"size": 5}, {"used": "5", "size": None}]
)
def test_no_size_is_no_warning(session: Session, usage: dict[str, Any]) -> None:
    tell(session, **usage)
    assert warnings(session) == []


@pytest.mark.statement(95)
def test_more_than_all_is_all(session: Session) -> None:
    tell(session, used=500, size=100, cost={"amount": 1, "currency": "EUR"})
    assert "100 % of the context window" in warnings(session)[0]
    tell(session, used=1, size=100)
    assert session.usage.context == {"used": 1, "size": 100, "cost": {"amount": 1.0, "currency": "EUR"}}
