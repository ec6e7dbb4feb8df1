"""Titles that say nothing of a session."""

import pytest

from acp_nvim.session.session_title import telling


@pytest.mark.parametrize(
    "title",
    [
        None,
        "",
        "  ",
        "New session",
        "new session - 2026-11-20T10:00:00.000Z",
        "New Session 3",
        "Session from Nov 20, 2026 at 10:00 AM",
        "Untitled",
        "Untitled chat",
        "New conversation (Friday, 20 November)",
        "5cf2b7aa-0a11",
        "Session 5cf2b7aa-0a11",
        "/home/ada/shop",
        "/home/ada/shop/",
        "shop",
        "2026-11-20 10:00",
    ],
)
def test_one_that_says_nothing(title: str | None) -> None:
    assert telling(title, "5cf2b7aa-0a11", "/home/ada/shop") is None


@pytest.mark.parametrize(
    "title",
    [
        "Fix the cart",
        "New sessions are slow",
        "Session cookies",
        "shop floor",
        "A",
        "Chat with Ada",
        "Octopus",
    ],
)
def test_one_that_says_something(title: str) -> None:
    assert telling(title, "5cf2b7aa-0a11", "/home/ada/shop") == title
    assert telling(title, None, None) == title
