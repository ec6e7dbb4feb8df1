"""Rules of permission, from the configuration and from `:Acp allow`: which calls they match, never more than they say.

An `allow` has to be sure of the whole call; a `reject` or an `ask` needs one thing in it that it names.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from typing import Any, Literal, NamedTuple

from acp_nvim.session.path_globs import Resolve, expression
from acp_nvim.session.permission_scope import Scope
from acp_nvim.text.printable import one_line

Action = Literal["allow", "reject", "ask"]
Bounded = Callable[[], AbstractContextManager[object]]  # raises TimeoutError within it if it takes too long

_LOOKING = ("read", "search", "think")
_ACTIONS: tuple[Action, ...] = ("allow", "reject", "ask")
_MISTAKEN = "mistaken"  # the key by which the editor marks a rule
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
    is_mistaken: bool = False  # it says less than its author meant: see `decide`

    @property
    def has_conditions(self) -> bool:
        return any((self.agent, self.kind, self.tool, self.paths, self.command))

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
    """The rules, and what is wrong with some of them."""
    rules, complaints = [], []
    for number, raw in enumerate(given, 1):
        rule, complaint = _read(raw)
        rules.append(rule)
        if complaint:
            complaints.append(f"'permissions[{number}]{complaint}: this rule allows nothing")
    return rules, complaints


def _read(raw: Any) -> tuple[Rule, str]:
    """A rule with a mistake keeps the conditions that are right. The editor has found most mistakes already."""
    if not isinstance(raw, dict):
        return Rule("ask", is_mistaken=True), "' must be a table"
    told = {key: value for key, value in raw.items() if value is not None and key != _MISTAKEN}
    known = {key: value for key, value in told.items() if key in _KEYS and isinstance(value, str)}
    odd = next((key for key in told if key not in known), None)
    action: Action = next((each for each in _ACTIONS if each == known.get("action")), "ask")
    if odd is None and known.get("action") != action and not raw.get(_MISTAKEN):
        odd = "action"
    command, why = _pattern(known["command"]) if "command" in known else (None, "")
    rule = Rule(
        action=action,
        agent=known.get("agent"),
        kind=known.get("kind"),
        tool=known.get("tool"),
        paths=(known["path"],) if "path" in known else (),
        command=command,
        is_mistaken=bool(why or odd or raw.get(_MISTAKEN)),
    )
    return rule, why or (f".{odd}' is wrong" if odd else "")


def _pattern(text: str) -> tuple[re.Pattern[str] | None, str]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return re.compile(text), ""
    except (re.error, OverflowError, RecursionError) as error:
        return None, f".command' is no regular expression ({error})"


def decide(
    rules: Iterable[tuple[str, Rule]], asked: Scope, resolve: Resolve, bounded: Bounded
) -> Ruling | None:
    """The first that matches; None: none does. One that takes too long asks.

    A rule with a mistake leaves the rules behind it in force. If it was to reject or to ask, a call that its
    remaining conditions match is asked where these would allow it. If it was to allow, or has no condition left,
    it does nothing.
    """
    doubt: Ruling | None = None
    for name, rule in rules:
        if rule.is_mistaken and (rule.action == "allow" or not rule.has_conditions):
            continue
        try:
            with bounded():
                found = is_about(rule, asked, resolve)
        except TimeoutError:
            return Ruling("ask", name, rule, f"{name} takes too long to be matched, and asks: {rule}")
        if found and rule.is_mistaken:
            doubt = doubt or Ruling("ask", name, rule)
        elif found:
            return doubt if doubt and rule.action == "allow" else Ruling(rule.action, name, rule)
    return doubt


def is_about(rule: Rule, asked: Scope, resolve: Resolve) -> bool:
    named = ((rule.agent, asked.agent), (rule.kind, asked.kind), (rule.tool, asked.tool))
    if any(wanted is not None and wanted != given for wanted, given in named):
        return False
    return _is_sure(rule, asked, resolve) if rule.action == "allow" else _is_touched(rule, asked, resolve)


def _is_touched(rule: Rule, asked: Scope, resolve: Resolve) -> bool:
    """One command, or the title; one path, as it is called or where it leads."""
    texts = map(_start, (*asked.commands, asked.title, *asked.texts))
    if rule.command and not any(rule.command.search(text) for text in texts):
        return False
    return not rule.paths or any(_covered(rule, (*asked.named, *asked.real), asked, resolve))


def _is_sure(rule: Rule, asked: Scope, resolve: Resolve) -> bool:
    """Everything in the call is covered by what the rule names. Kind and title are only what the agent claims."""
    if rule.whole_tool:
        return True
    if not asked.is_certain or any(unsafe(command) for command in asked.commands):
        return False
    if rule.command and not _is_this_command(rule.command, asked):
        return False
    if rule.paths:
        beside = ("command", "folder") if rule.command else ("look",)
        is_read = asked.is_made_of("path", "change", "note", *beside)
        is_command = bool(asked.commands) or asked.kind == "execute"
        is_covered = bool(asked.real) and is_read and bool(rule.command or not is_command)
        return is_covered and all(_covered(rule, asked.real, asked, resolve))
    if rule.command:
        return asked.is_inside and not asked.changes and asked.is_made_of("command", "folder", "note")
    return rule.tool is not None or _only_looks(asked)


def _is_this_command(wanted: re.Pattern[str], asked: Scope) -> bool:
    is_whole = asked.command is not None and wanted.fullmatch(asked.command) is not None
    return is_whole and len(asked.commands) == 1


def _only_looks(asked: Scope) -> bool:
    """It reads, searches or thinks, in the folders of the session, and each of its arguments is understood. A call
    that says nothing of what it does is unclear."""
    if asked.kind not in _LOOKING or asked.commands or asked.changes or not asked.is_inside:
        return False
    return asked.says_what and asked.is_made_of("path", "look", "note")


def _covered(rule: Rule, paths: Iterable[str], asked: Scope, resolve: Resolve) -> Iterator[bool]:
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
