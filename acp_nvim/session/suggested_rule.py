"""Makes the rule that would allow what a question asks for: exactly this command, or exactly these files."""

from __future__ import annotations

from acp_nvim.session.path_globs import PathGlobs, is_plain
from acp_nvim.session.permission_rules import Match, Rule, exactly, is_about, unsafe
from acp_nvim.session.permission_scope import Scope


def rule_for(asked: Scope, globs: PathGlobs, match: Match) -> tuple[Rule | None, str]:
    """Return the rule; None and the reason if no rule can cover the call."""
    tool = asked.tool or None
    if asked.commands:
        if why := next(filter(None, map(unsafe, asked.commands)), ""):
            return None, why
        rule = Rule("allow", tool=tool, command=exactly(asked.commands[0]))
    elif asked.real:
        if not all(map(is_plain, asked.real)):
            return None, "one of its paths contains a *"
        rule = Rule("allow", kind=asked.kind, tool=tool, paths=asked.real, has_places=True)
    else:
        return None, "it names no command and no path"
    return (rule, "") if is_about(rule, asked, globs, match) else (None, "a rule cannot cover all of it")
