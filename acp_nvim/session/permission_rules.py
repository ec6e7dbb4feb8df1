"""Decides tool calls by the rules of the configuration and of `:Acp allow`. A rule never matches more than it says.

An `allow` has to be sure of the whole call; a `reject` or an `ask` needs one thing in it that it names.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Literal, NamedTuple

from acp_nvim import limits
from acp_nvim.session import path_globs
from acp_nvim.session.path_globs import PathGlobs, matches, matches_all_below
from acp_nvim.session.permission_scope import Scope
from acp_nvim.text.printable import one_line

Action = Literal["allow", "reject", "ask"]
Trial = tuple[str, tuple[str, ...], bool]  # see `processes/regex_match.py`
Match = Callable[[Sequence[Trial]], list[bool | None]]

_LOOKING = ("read", "search", "think")
_ACTIONS: tuple[Action, ...] = ("allow", "reject", "ask")
_MISTAKEN = "mistaken"  # the key by which the editor marks a rule
_KEYS = ("action", "agent", "kind", "tool", "path", "command")
# A command with one of these may be several, or not what it seems.
_SHELL = re.compile(r"[\n\r\0`;&|<>$()\\]")
_SPECIAL = re.compile(r"([.^$*+?{}\[\]|()\\])")


class Rule(NamedTuple):
    action: Action
    agent: str | None = None
    kind: str | None = None
    tool: str | None = None
    paths: tuple[str, ...] = ()  # patterns: each of the call's paths needs one
    command: re.Pattern[str] | None = None
    has_places: bool = False  # its paths are where files were when it was made, and no patterns
    whole_tool: bool = False  # the user has said "always" to all that the tool may do
    is_mistaken: bool = False  # it says less than its author meant: see `decide`

    @property
    def has_conditions(self) -> bool:
        return any((self.agent, self.kind, self.tool, self.paths, self.command))

    def __str__(self) -> str:
        """Return the rule as written in the configuration."""
        given = {"action": self.action, "agent": self.agent, "kind": self.kind, "tool": self.tool}
        written = [f"{key} = {_quoted(value)}" for key, value in given.items() if value is not None]
        written += [f"path = {_quoted(path)}" for path in self.paths]
        written += [f"command = {_quoted(self.command.pattern)}"] if self.command else []
        return f"{{ {', '.join(written)} }}"


class Ruling(NamedTuple):
    """The decision of a rule."""

    action: Action
    name: str  # "rule 2"
    rule: Rule
    trouble: str = ""


def read(given: Iterable[Any]) -> tuple[list[Rule], list[str]]:
    """Return the rules, and complaints about mistakes in them."""
    rules, complaints = [], []
    for number, raw in enumerate(given, 1):
        rule, complaint = _read(raw)
        rules.append(rule)
        if complaint:
            complaints.append(f"'permissions[{number}]{complaint}: this rule allows nothing")
    return rules, complaints


def _read(raw: Any) -> tuple[Rule, str]:
    """Read a rule. One with a mistake keeps its valid conditions. The editor has found most mistakes already."""
    if not isinstance(raw, dict):
        return Rule("ask", is_mistaken=True), "' must be a table"
    told = {key: value for key, value in raw.items() if value is not None and key != _MISTAKEN}
    known = {key: value for key, value in told.items() if key in _KEYS and isinstance(value, str)}
    odd = next((key for key in told if key not in known), None)
    action: Action = next((each for each in _ACTIONS if each == known.get("action")), "ask")
    if odd is None and known.get("action") != action and not raw.get(_MISTAKEN):
        odd = "action"
    command, why = _pattern(known["command"]) if "command" in known else (None, "")
    if wrong := path_globs.mistake(known["path"]) if "path" in known else "":
        why = why or f".path' {wrong}"
        del known["path"]
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
        return None, f".command' is not a regular expression ({error})"


def decide(rules: Iterable[tuple[str, Rule]], asked: Scope, globs: PathGlobs, match: Match) -> Ruling | None:
    """Return the first rule that matches; None if none does. A rule that takes too long asks.

    A rule with a mistake leaves the rules behind it in force. If it was to reject or to ask, a call that its
    remaining conditions match is asked where these would allow it. If it was to allow, or has no condition left,
    it does nothing.
    """
    doubt: Ruling | None = None
    candidates = [(name, rule) for name, rule in rules if not _is_idle(rule) and _is_named(rule, asked)]
    commands = _commands_match([rule for _, rule in candidates], asked, match)
    for (name, rule), is_command in zip(candidates, commands, strict=True):
        if is_command is None:
            return Ruling("ask", name, rule, f"{name} takes too long to match, so you are asked: {rule}")
        if not is_command or not _covers(rule, asked, globs):
            continue
        if not rule.is_mistaken:
            return doubt if doubt and rule.action == "allow" else Ruling(rule.action, name, rule)
        doubt = doubt or Ruling("ask", name, rule)
    return doubt


def is_about(rule: Rule, asked: Scope, globs: PathGlobs, match: Match) -> bool:
    [is_command] = _commands_match([rule], asked, match)
    return _is_named(rule, asked) and is_command is True and _covers(rule, asked, globs)


def _is_idle(rule: Rule) -> bool:
    return rule.is_mistaken and (rule.action == "allow" or not rule.has_conditions)


def _is_named(rule: Rule, asked: Scope) -> bool:
    named = ((rule.agent, asked.agent), (rule.kind, asked.kind), (rule.tool, asked.tool))
    return all(wanted is None or wanted == given for wanted, given in named)


def _commands_match(rules: Sequence[Rule], asked: Scope, match: Match) -> Iterator[bool | None]:
    """Return for each rule whether its `command` matches. All are tried at once, since that may start a process."""
    trials = [
        (rule.command.pattern, _texts(rule, asked), rule.action == "allow") for rule in rules if rule.command
    ]
    found = iter(match(trials))
    return (next(found) if rule.command else True for rule in rules)


def _texts(rule: Rule, asked: Scope) -> tuple[str, ...]:
    """Return the texts to match: for `allow` the whole of the only command, for others anything that is shown."""
    if rule.action != "allow":
        return tuple(map(_start, (*asked.commands, asked.title, *asked.texts)))
    is_only_one = asked.command is not None and len(asked.commands) == 1 and not unsafe(asked.command)
    return (asked.command,) if asked.command is not None and is_only_one else ()


def _covers(rule: Rule, asked: Scope, globs: PathGlobs) -> bool:
    if rule.action == "allow":
        return _is_sure(rule, asked, globs)
    # one path is enough, as it is called or where it leads
    wanted = {read(path) for path in rule.paths for read in (globs.as_made, globs.as_now)}
    paths = (*asked.named, *asked.real, *(f"{tree}/*" for tree in asked.trees))
    return not rule.paths or any(matches(one, path) for one in wanted for path in paths)


def _is_sure(rule: Rule, asked: Scope, globs: PathGlobs) -> bool:
    """Whether the rule covers everything in the call. Kind and title are only claims of the agent."""
    if rule.whole_tool:
        return True
    if not asked.is_certain or any(unsafe(command) for command in asked.commands):
        return False
    if rule.paths:
        beside = ("command", "folder") if rule.command else ("look",)
        is_read = asked.is_made_of("path", "change", "note", *beside)
        is_command = bool(asked.commands) or asked.kind == "execute"
        is_covered = bool(asked.real) and is_read and bool(rule.command or not is_command)
        return is_covered and _covers_all(rule, asked, globs)
    if rule.command:
        return asked.is_inside and not asked.changes and asked.is_made_of("command", "folder", "note")
    return rule.tool is not None or _only_looks(asked)


def _only_looks(asked: Scope) -> bool:
    """Whether the call only reads, searches or thinks, within the session's folders, and all its arguments are known. A
    call without any argument is unclear."""
    if asked.kind not in _LOOKING or asked.commands or asked.changes or not asked.is_inside:
        return False
    return asked.says_what and asked.is_made_of("path", "look", "note")


def _covers_all(rule: Rule, asked: Scope, globs: PathGlobs) -> bool:
    """Whether the rule's paths match each path of the call, and everything below the folders of its globs."""
    if rule.has_places:
        return not asked.trees and set(asked.real) <= set(rule.paths)
    wanted = [globs.as_made(path) for path in rule.paths]
    return all(any(matches(one, path) for one in wanted) for path in asked.real) and all(
        any(matches_all_below(one, tree) for one in wanted) for tree in asked.trees
    )


def unsafe(command: str) -> str:
    """Return why no rule may allow the command; empty if one may."""
    if found := _SHELL.search(command):
        return f"its command contains {one_line(repr(found.group())[1:-1])}"
    return "its command is too long" if len(command.encode(errors="replace")) > limits.COMMAND_BYTES else ""


def exactly(command: str) -> re.Pattern[str]:
    return re.compile(_SPECIAL.sub(r"\\\1", command))


def _start(text: str) -> str:
    return text.encode(errors="replace")[: limits.COMMAND_BYTES].decode(errors="ignore")


def _quoted(text: str) -> str:
    """Quote a text as in Lua."""
    if not set("'\\\n") & set(text):
        return f"'{text}'"
    return f"[[{text}]]" if "]]" not in text and "\n" not in text else repr(text)
