"""Words the error that ended a turn for the chat: what went wrong in short, and what the user can do.

Internal error: API Error: 400 too large: {"errorKind": "unknown"} (-32603)
API Error: 400 too large
API Error: 400 …              where the agent's last message says it already
"""

from __future__ import annotations

import re
import textwrap

from acp_nvim.chat.phrases import cut
from acp_nvim.protocol.errors import RpcError
from acp_nvim.session.entries import Message
from acp_nvim.session.session import Session
from acp_nvim.session.transcript import Transcript
from acp_nvim.text.json_words import without_json

_NAME_OF_CODE = re.compile(r"(?:internal|server) error(?:: *|$)|invalid params(?:: *|$)", re.IGNORECASE)
_DATA = re.compile(r': \{".*', re.DOTALL)  # JSON in which no message was found
_LOGIN = re.compile(r"\b401\b|unauthori[sz]ed|authenticat|api[ -]key|/login", re.IGNORECASE)
_REPEATED = 20  # cells


def brief(error: RpcError, session: Session) -> str:
    """Return the agent's words without its data and codes, and only their beginning if they stand above already. They
    are empty where the note about the login has them."""
    if error.needs_login and session.facts.get("logins"):
        return ""
    words = without_json(error.words)
    found = _NAME_OF_CODE.sub("", _DATA.sub("", words), count=1).strip() or words
    if " ".join(found.split()) not in _last_message(session.transcript):
        return found
    short = textwrap.shorten(found, _REPEATED, placeholder=" …")
    return cut(found, _REPEATED) if short == "…" else short


def advice(error: RpcError, session: Session) -> str:
    """Return one line that says what to do; empty if nothing helps, or if it is said elsewhere."""
    if error.needs_login or len(session.queue):  # the login and a paused queue have lines of their own
        return ""
    if _LOGIN.search(error.words):
        return ":Acp login logs in" if session.facts.get("logins") else ""
    return "to send it again: <C-p> in the prompt"


def _last_message(transcript: Transcript) -> str:
    """Return the last text of the agent in this turn, on one line."""
    for entry in reversed(transcript.entries):
        if isinstance(entry, Message):
            return " ".join("".join(entry.parts).split()) if entry.role == "agent" else ""
    return ""
