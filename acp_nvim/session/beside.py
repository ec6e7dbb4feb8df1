"""What a call has beside its command: words about it, limits of it, or what may make it do something else."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from acp_nvim.session.diffs import IN_DIFFS, has_diff
from acp_nvim.session.paths import absolute, named
from acp_nvim.session.tool_calls import ARGUMENTS, COMMANDS, ToolCall, typed

FOLDERS = {"cwd", "workdir", "workingdir", "workingdirectory"}  # in which it is run
_ABOUT = "description explanation reason justification purpose intent rationale title summary thought comment"
_RISK = "risk risklevel risklevelreason securityrisk impact requiresapproval safetoautorun"
_TIME = (
    "timeout timeoutms timeoutsec timeoutsecs timeoutseconds blockuntilms waitmsbeforeasync maxwaitseconds"
)
_TIME += " initialwait yieldtimems autobackgroundafter wait"
_WAY = "runinbackground isbackground background blocking fireandforget async detach mode"
_SANDBOX = "sandbox dangerouslydisablesandbox withescalatedpermissions sandboxpermissions requiredpermissions"
_NUMBERS = "callid toolcallid turnid approvalid sessionid shellid maxoutputtokens maxoutputlength"
_READING = "parsedcmd proposedexecpolicyamendment availabledecisions viewrange insertline"
_HARMLESS = {*" ".join((_ABOUT, _RISK, _TIME, _WAY, _SANDBOX, _NUMBERS, _READING)).split()}


def plain(name: str) -> str:
    """`runInBackground`, `run_in_background` and `run-in-background` are one."""
    return name.replace("_", "").replace("-", "").lower()


def is_harmless(name: str) -> bool:
    return plain(name) in _HARMLESS


def beside(call: ToolCall) -> Iterator[tuple[str, Any]]:
    """All that may change what is run, as the agent names it. What is empty or false changes nothing."""
    said = call.said_command
    for name, value in call.raw_input.items() if call.command is not None else ():
        is_told = name in ARGUMENTS or (name in COMMANDS and value == said)
        if value and not is_told and not is_harmless(name):
            yield name, value


def circumstances(call: ToolCall, cwd: str) -> Iterator[str]:
    """Lines for the eye, of what neither the command nor the paths nor the diff of the call shows."""
    is_diff = has_diff(call, cwd)
    for name, value in beside(call):
        is_path = bool(named((), (), {name: value}, cwd))
        if not (is_path or (is_diff and name in IN_DIFFS) or _is_here(name, value, cwd)):
            yield from f"{name}: {typed(value)}".split("\n")


def _is_here(name: str, value: Any, cwd: str) -> bool:
    return plain(name) in FOLDERS and isinstance(value, str) and absolute(value, cwd) == cwd
