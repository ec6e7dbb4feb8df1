"""Rules of permission, from the configuration and from `:Acp allow`: which calls they match, never more than they say.

An `allow` has to be sure of the whole call; a `reject` or an `ask` needs one thing in it that it names.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from typing import Any, Literal, NamedTuple

from acp_nvim.session.demand import Demand
from acp_nvim.session.globs import Resolve, expression
from acp_nvim.session.visible import one_line

Action = Literal["allow", "reject", "ask"]
Bounded = Callable[[], AbstractContextManager[object]]  # raises TimeoutError within it if it takes too long

_KEYS = ("action", "agent", "kind", "tool", "path", "command")
_LONGEST = 4096  # bytes of a command that are looked at
_SHELL = re.compile(
    r"[\n\r\0`;&|<>$()\\]"
)  # with one of these a command is more than one, or not what it seems
_SPECIAL = re.compile(r"([.^$*+?{}\[\]|()\\])")


class Rule(NamedTuple):
    action: Action
    agent: str | None = None
    kind: str | None = None
    tool: str | None = None
    paths: tuple[str, ...] = ()  # patterns: each of the call's paths needs one
    command: re.Pattern[str] | None = None
    whole_tool: bool = False  # the user has said "always" to all that the tool may do

    def __str__(self) -> str:
        """As the configuration has it."""
        given = {"action": self.action, "agent": self.agent, "kind": self.kind, "tool": self.tool}
        written = [f"{key} = {_quoted(value)}" for key, value in given.items() if value is not None]
        written += [f"path = {_quoted(path)}" for path in self.paths]
        written += [f"command = {_quoted(self.command.pattern)}"] if self.command else []
        return f"{{ {', '.join(written)} }}"


class Ruling(NamedTuple):
    """What was decided, and by which rule."""

    action: Action
    name: str  # "rule 2"
    rule: Rule
    trouble: str = ""


def read(given: Iterable[Any]) -> tuple[list[Rule], list[str]]:
    """The rules, and what is wrong with some: such a rule asks."""
    rules, complaints = [], []
    for number, raw in enumerate(given, 1):
        rule, complaint = _read(raw)
        rules.append(rule)
        if complaint:
            complaints.append(f"'permissions[{number}]{complaint}: this rule asks")
    return rules, complaints


def _read(raw: Any) -> tuple[Rule, str]:
    if not isinstance(raw, dict):
        return Rule("ask"), "' must be a table"
    known = {key: value for key, value in raw.items() if value is not None}
    odd = next((key for key, value in known.items() if key not in _KEYS or not isinstance(value, str)), None)
    if odd is not None or known.get("action") not in ("allow", "reject", "ask"):
        return Rule("ask"), f".{odd or 'action'}' is wrong"
    command, why = _pattern(known["command"]) if "command" in known else (None, "")
    rule = Rule(
        action="ask" if why else known["action"],
        agent=known.get("agent"),
        kind=known.get("kind"),
        tool=known.get("tool"),
        paths=(known["path"],) if "path" in known else (),
        command=command,
    )
    return rule, why


def _pattern(text: str) -> tuple[re.Pattern[str] | None, str]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return re.compile(text), ""
    except (re.error, OverflowError, RecursionError) as error:
        return None, f".command' is no regular expression ({error})"


def decide(
    rules: Iterable[tuple[str, Rule]], asked: Demand, resolve: Resolve, bounded: Bounded
) -> Ruling | None:
    """The first that matches; None: none does. One that takes too long asks."""
    for name, rule in rules:
        try:
            with bounded():
                found = is_about(rule, asked, resolve)
        except TimeoutError:
            return Ruling("ask", name, rule, f"{name} takes too long to be matched, and asks: {rule}")
        if found:
            return Ruling(rule.action, name, rule)
    return None


def is_about(rule: Rule, asked: Demand, resolve: Resolve) -> bool:
    named = ((rule.agent, asked.agent), (rule.kind, asked.kind), (rule.tool, asked.tool))
    if any(wanted is not None and wanted != given for wanted, given in named):
        return False
    return _is_sure(rule, asked, resolve) if rule.action == "allow" else _is_touched(rule, asked, resolve)


def _is_touched(rule: Rule, asked: Demand, resolve: Resolve) -> bool:
    """One command, or the title; one path, as it is called or where it leads."""
    texts = map(_start, (*asked.commands, asked.title))
    if rule.command and not any(rule.command.search(text) for text in texts):
        return False
    return not rule.paths or any(_covered(rule, (*asked.named, *asked.real), asked, resolve))


def _is_sure(rule: Rule, asked: Demand, resolve: Resolve) -> bool:
    """All that the call carries is covered by what the rule names; kind and title are only what the agent claims, and
    a rule that names neither tool nor path nor command has thought of no command and of no change."""
    if rule.whole_tool:
        return True
    if any(unsafe(command) for command in asked.commands):
        return False
    is_whole = rule.command and asked.command is not None and rule.command.fullmatch(asked.command)
    if rule.command and not (is_whole and len(asked.commands) == 1):
        return False
    if rule.paths:
        is_covered = bool(asked.real) and not asked.unclear and bool(rule.command or not asked.commands)
        return is_covered and all(_covered(rule, asked.real, asked, resolve))
    if rule.command:
        return not (asked.changes or asked.unclear or asked.files)
    return rule.tool is not None or not (asked.commands or asked.changes or asked.unclear)


def _covered(rule: Rule, paths: Iterable[str], asked: Demand, resolve: Resolve) -> Iterator[bool]:
    """Of each path whether one of the rule's patterns matches it."""
    wanted = [expression(glob, asked.cwd, resolve) for glob in rule.paths]
    return (any(one.fullmatch(path) for one in wanted) for path in paths)


def unsafe(command: str) -> str:
    """Why no rule may allow it; empty: one may."""
    if found := _SHELL.search(command):
        return f"its command holds {one_line(repr(found.group())[1:-1])}"
    return "its command is too long" if len(command.encode(errors="replace")) > _LONGEST else ""


def exactly(command: str) -> re.Pattern[str]:
    return re.compile(_SPECIAL.sub(r"\\\1", command))


def _start(text: str) -> str:
    return text.encode(errors="replace")[:_LONGEST].decode(errors="ignore")


def _quoted(text: str) -> str:
    """As Lua has it."""
    if not set("'\\\n") & set(text):
        return f"'{text}'"
    return f"[[{text}]]" if "]]" not in text and "\n" not in text else repr(text)
