"""Keeps what an agent tells its user beside the conversation: that it tries again, what to ask next, its trust."""

from __future__ import annotations

from collections.abc import Callable

from acp_nvim import limits
from acp_nvim.text.printable import name_of, one_line


class AgentHints:
    """`warn` adds a warning to the conversation."""

    def __init__(self, warn: Callable[[str], None]) -> None:
        self._warn = warn
        self.retrying: str | None = None  # why the agent asks its model again
        self.silent_since: int | None = None  # it says nothing in the running turn, in seconds since 1970
        self.suggestion: str | None = None  # what the user may want to ask next
        self.trust: str | None = None  # whether the agent trusts the folder: "trusted", "untrusted"

    def begin_turn(self) -> None:
        self.suggestion = None

    def end_turn(self) -> None:
        self.retrying = self.silent_since = None

    def retry(self, why: str) -> None:
        self.retrying = one_line(why[: limits.RETRY_REASON_CHARS]) or "the model gave no answer"

    def suggest(self, text: str) -> None:
        """Offer the user a prompt, in the place of the last such one."""
        self.suggestion = one_line(text[: limits.SUGGESTION_CHARS]) or None

    def trust_folder(self, trust: str | None, ignored: tuple[str, ...]) -> None:
        """Note whether the agent trusts the folder. What it ignores there the user would look for in vain."""
        self.trust = trust and name_of(trust)
        if trust == "untrusted":
            named = ", ".join(one_line(each) for each in ignored[: limits.IGNORED_FILES])
            rules = named or "its project's rules"
            self._warn(f"the agent does not trust this folder: it ignores {rules}")
