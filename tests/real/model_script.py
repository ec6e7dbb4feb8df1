"""From what the user has written to what the scripted model does next: see model.py for the steps."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

STEP = re.compile(r"\[\[(.+?)\]\](?!\])", re.S)
DONE = "That was all."
# What the agents call their tools and the arguments of these.
TOOLS = {
    "read": ["read_file", "Read", "read", "view"],
    "edit": ["edit_file", "Edit", "edit", "replace"],
    "write": ["write_file", "Write", "write", "create"],
    "shell": ["run_shell_command", "Bash", "bash", "Shell", "shell", "exec_command"],
    "ask": ["ask_user"],
}
ARGUMENTS = {
    "path": ["file_path", "filePath", "absolute_path", "path"],
    "old": ["old_string", "oldString", "old_text", "old", "old_str"],
    "new": ["new_string", "newString", "new_text", "new", "new_str"],
    "content": ["content", "contents", "text", "file_text"],
    "command": ["command", "cmd"],
    "question": ["question"],
}
FIELDS = {
    "read": ["path"],
    "edit": ["path", "old", "new"],
    "write": ["path", "content"],
    "shell": ["command"],
    "ask": ["question"],
}
Schema = dict[str, Any]
Call = tuple[str, dict[str, Any]]


@dataclass
class Said:
    """One message of the conversation, whichever form it came in."""

    role: str  # user, assistant, tool or another one
    text: str
    calls_tools: bool = False


@dataclass
class Turn:
    text: str = DONE
    pause: float = 0.0  # after each piece
    calls: list[Call] = field(default_factory=list)

    def pieces(self) -> list[str]:
        return re.findall(r"\S*\s*", self.text)[:-1]


def next_turn(talk: list[Said], tools: dict[str, Schema]) -> Turn:
    scripts = [place for place, one in enumerate(talk) if one.role == "user" and STEP.search(one.text)]
    is_at_work = any(name in tools for names in TOOLS.values() for name in names)
    if not scripts or not is_at_work:  # somebody wants a title or a summary, or asks which call is safe
        return Turn("A talk with a script")
    steps = STEP.findall(talk[scripts[-1]].text)
    done = sum(1 for one in talk[scripts[-1] + 1 :] if one.calls_tools)
    if done < len(steps) and steps[done] == "repeat":
        return Turn([one.text for one in talk if one.role == "tool"][-1])
    return step(steps[done], tools) if done < len(steps) else Turn()


def step(text: str, tools: dict[str, Schema]) -> Turn:
    verb, _, rest = text.partition(" ")
    if verb == "say":
        return Turn(rest)
    if verb == "slow":
        many, _, seconds = rest.partition("::")
        return Turn("".join(f"word{n} " for n in range(int(many))), float(seconds))
    calls = [call(part, tools) for part in text.split(" || ")]
    return Turn(f"Now {verb}. ", calls=calls)


def call(text: str, tools: dict[str, Schema]) -> Call:
    verb, _, rest = text.partition(" ")
    if verb in ("tool", "editor"):
        name, _, arguments = rest.partition("::")
        if verb == "editor":  # each agent has a prefix of its own for the tools of a server
            name = next((each for each in tools if each.endswith(name)), name)
        return name, json.loads(arguments)
    name = next((name for name in TOOLS[verb] if name in tools), None)
    if name is None:
        name, filled = call(f"shell {BY_SHELL[verb](*rest.split('::'))}", tools)
        filled.pop("sandbox_permissions", None)
        return name, filled
    known = tools[name].get("properties", {})
    filled = {key: smallest(known[key], key) for key in tools[name].get("required", []) if key in known}
    for role, value in zip(FIELDS[verb], rest.split("::") if verb != "shell" else [rest], strict=True):
        filled[next(key for key in ARGUMENTS[role] if key in known)] = value
    if verb == "shell" and "sandbox_permissions" in known:
        filled["sandbox_permissions"] = "require_escalated"  # else the sandbox refuses, and nobody is asked
    return name, filled


def smallest(schema: Schema, key: str) -> Any:
    """Something for an argument that the script does not name."""
    if schema.get("enum"):
        return schema["enum"][0]
    kind = schema.get("type", "string")
    return {"integer": 30, "number": 30, "boolean": False, "array": [], "object": {}}.get(kind, key)


def patch(*sections: str) -> str:
    """The command that changes files where an agent has no tool for it but its shell."""
    return "\n".join(["apply_patch <<'EOF'", "*** Begin Patch", *sections, "*** End Patch", "EOF"])


def signed(sign: str, text: str) -> list[str]:
    return [f"{sign}{line}" for line in text.splitlines()]


def update(path: str, old: str, new: str) -> str:
    return "\n".join([f"*** Update File: {path}", "@@", *signed("-", old), *signed("+", new)])


BY_SHELL: dict[str, Callable[..., str]] = {
    "read": lambda path: f"cat '{path}'",
    "edit": lambda path, old, new: patch(update(path, old, new)),
    "write": lambda path, text: patch(f"*** Add File: {path}", *signed("+", text)),
}
