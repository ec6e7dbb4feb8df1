"""Decodes notifications beside those of the standard: of vibe, claude, codex and qwen, and of the draft."""

from collections.abc import Callable
from typing import Any

from acp_nvim.protocol.decode.json_fields import as_object, identifier, text
from acp_nvim.protocol.schema.notifications import Account, Retrying, Suggestion

Notice = Retrying | Account | Suggestion
_LOGGED_OUT = "Not logged in"
_LABELS = {"not_required": "No account needed", "unauthenticated": _LOGGED_OUT}


def notice(method: str, params: Any) -> Notice | None:
    """Return what a notification says; None for one that is not known or says nothing."""
    reader = _READERS.get(method)
    return reader(params) if reader and isinstance(params, dict) else None


def suggested(update: Any) -> str | None:
    """Return what claude suggests in the `_meta` of an update, empty for nothing any more; None if it says nothing."""
    return first_suggestion(as_object(as_object(update).get("_meta")).get("promptSuggestions"))


def first_suggestion(said: Any) -> str | None:
    """Return the first of `{suggestions: [{text} or text, …]}`; None if there is no such list."""
    found = as_object(said).get("suggestions")
    if not isinstance(found, list):
        return None
    texts = (each if isinstance(each, str) else text(as_object(each), "text", "prompt") for each in found)
    return next((each.strip() for each in texts if each and each.strip()), "")


def _retrying(raw: dict[str, Any]) -> Retrying:
    category, detail = (text(raw, "category") or "").replace("_", " "), text(raw, "detail") or ""
    why = f"{category} ({detail})" if category and detail else category or detail
    return Retrying(identifier(raw, "sessionId", "session_id"), why)


def _suggestion(raw: dict[str, Any]) -> Suggestion:
    return Suggestion(identifier(raw, "sessionId", "session_id"), (text(raw, "suggestion") or "").strip())


def _account(raw: dict[str, Any]) -> Account | None:
    """Decode the draft's `{state, accounts}`."""
    state, given = text(raw, "state") or "", raw.get("accounts")
    accounts = (
        [each for each in given if isinstance(each, dict) and text(each, "label")]
        if isinstance(given, list)
        else []
    )
    if not accounts:
        label = _LABELS.get(state)
        return Account(label, state) if label else None
    first = next((each for each in accounts if each.get("active") is True), accounts[0])
    fields = {key: text(first, key) or "" for key in ("label", "name", "email", "organization")}
    return Account(state=state, **fields)


def _own_account(raw: dict[str, Any]) -> Account | None:
    """Decode `{authStatus: {kind, label, detail, account}}` of claude and codex."""
    said = raw.get("authStatus")
    if not isinstance(said, dict):
        return _account(raw)
    account = as_object(said.get("account"))
    fields = {key: text(account, key) or "" for key in ("name", "email", "organization", "plan")}
    is_out = text(said, "kind") == "none"
    label = text(said, "label") or (_LOGGED_OUT if is_out else fields["email"])
    state = "unauthenticated" if is_out else "authenticated"
    return Account(label, state, text(said, "detail") or "", **fields) if label else None


_READERS: dict[str, Callable[[dict[str, Any]], Notice | None]] = {
    "session/retrying": _retrying,
    "_session/retrying": _retrying,
    "auth/status_update": _account,
    "_auth/status_update": _own_account,
    "qwen/notify/session/prompt-suggestion": _suggestion,
}
