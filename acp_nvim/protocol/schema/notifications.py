"""Describes what agents say beside the standard's updates: that they try again, who pays, what to ask next."""

from typing import NamedTuple


class Retrying(NamedTuple):
    """The agent asks its model again, because something went wrong for a moment."""

    session_id: str | None
    why: str


class Account(NamedTuple):
    """With whose account the agent works; empty: it has not said so."""

    label: str
    state: str = (
        ""  # "authenticated", "unauthenticated", "not_required", "unknown", or one of the agent's own
    )
    detail: str = ""
    name: str = ""
    email: str = ""
    organization: str = ""
    plan: str = ""


class Suggestion(NamedTuple):
    """What the user may want to ask next; empty: nothing any more."""

    session_id: str | None
    text: str
