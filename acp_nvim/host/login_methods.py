"""Describes an agent's ways to log in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from acp_nvim import limits
from acp_nvim.messages.logins import LoginMethod
from acp_nvim.protocol.errors import RpcError
from acp_nvim.protocol.schema import AuthMethod
from acp_nvim.text.printable import name_of, one_line


class LoginHint(NamedTuple):
    brief: str
    text: str


def login_hint(methods: Sequence[AuthMethod], error: RpcError) -> LoginHint:
    """Return what to tell the user, in one line and for the chat."""
    if not methods:
        how = "log in with the agent's own program, then :Acp restart"
        return LoginHint(
            f"{one_line(error.words)}; {how}", f"needs a login, but cannot log in from the editor: {how}"
        )
    lines = [f"needs a login: {one_line(error.words[: limits.REMARK_CHARS])}"]
    methods = methods[: limits.LOGIN_METHODS]
    lines += [f"  {name_of(method.id)}: {_described(method)}" for method in methods]
    lines.append("  :Acp login logs in" if len(methods) == 1 else "  :Acp login lets you choose")
    names = ", ".join(name_of(method.name) for method in methods)
    return LoginHint(f"{names}; :Acp login", "\n".join(lines))


def shapes(methods: Sequence[AuthMethod]) -> list[LoginMethod]:
    """Return them for the editor's completion and picker."""
    return [
        {"id": method.id, "name": name_of(method.name), "text": _described(method)}
        for method in methods[: limits.LOGIN_METHODS]
    ]


def _described(method: AuthMethod) -> str:
    described = one_line((method.description or "")[: limits.REMARK_CHARS])
    where = " (in a terminal)" if method.in_terminal else ""
    return f"{name_of(method.name)}{where}{': ' if described else ''}{described}"
