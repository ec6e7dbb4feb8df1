"""Finds the latest saved conversation of a folder, and whether its last turn was cut off."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Collection, Iterator
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from acp_nvim import limits
from acp_nvim.processes import ps
from acp_nvim.protocol import decode
from acp_nvim.session import sent_prompt
from acp_nvim.text.printable import one_line

_NAME = re.compile(r"^\d+-\d+-(.+)-\d+-\d+\.jsonl$")
_PID = re.compile(r"-(\d+)-\d+\.jsonl$")
_WORDS = ("session/new", '"result": {"sessionId"', '"result":{"sessionId"', "session/prompt", "stopReason")
_HEAD = 8  # lines: the folder stands in one of the first


class PastConversation(NamedTuple):
    """What the head of a transcript says of its conversation."""

    file: str
    agent: str  # its name as file names can hold it
    id: str | None
    title: str | None
    updated: int  # seconds since 1970


class FurtherFolders(NamedTuple):
    own: tuple[str, ...]  # the user's
    saved: tuple[str, ...]  # that the agent has named


def latest(folder: Path, cwd: str, but: Collection[str] = ()) -> Path | None:
    """Return the file of the latest conversation in this folder. `but`: files that are still written."""
    newest = sorted(folder.glob("*.jsonl"), key=age, reverse=True)
    over = (path for path in newest if str(path) not in but and not _is_written(path))
    return next((path for path in over if _cwd(path) == cwd), None)


def first_words(folder: Path) -> dict[str, str]:
    """Return how each conversation of the folder begins, by the agent's id of its session; the newest counts."""
    oldest_first = sorted(folder.glob("*.jsonl"), key=age)
    found = (described(path) for path in oldest_first[-limits.LISTED_TRANSCRIPTS :])
    return {each.id: each.title for each in found if each.id and each.title}


def described(path: Path) -> PastConversation:
    """Read the facts from its first lines: the rest may be long."""
    id = title = None
    for message in islice(_messages(path), _HEAD):
        result, params = message.get("result"), message.get("params")
        if isinstance(result, dict) and isinstance(known := result.get("sessionId"), str):
            id = known
        if message.get("method") == "session/prompt" and isinstance(params, dict):
            title = _first_words(params.get("prompt"))
            break
    named = _NAME.match(path.name)
    return PastConversation(str(path), named[1] if named else "", id, title, int(age(path)))


def find(folder: Path, agent: str, id: str) -> Path | None:
    """Return the newest file of a session, by its agent's name as file names can hold it and the agent's id of it."""
    newest = sorted(folder.glob("*.jsonl"), key=age, reverse=True)
    kept = map(described, newest[: limits.LISTED_TRANSCRIPTS])
    return next((Path(each.file) for each in kept if (each.agent, each.id) == (agent, id)), None)


def further_folders(path: Path) -> FurtherFolders:
    """Return the further folders of a session. One of the user's that has become a link since opens nothing."""
    params = _begun(path)
    own = _paths(params.get("additionalDirectories"))
    meta = params.get("_meta")
    ours = meta.get("acp_nvim") if isinstance(meta, dict) else None
    saved = _paths(ours.get("saved")) if isinstance(ours, dict) else ()
    return FurtherFolders(
        tuple(root for root in own if os.path.isdir(root) and os.path.realpath(root) == root), saved
    )


def _paths(said: Any) -> tuple[str, ...]:
    paths = said if isinstance(said, list) else []
    return tuple(
        path for path in paths[: limits.SAVED_ROOTS] if isinstance(path, str) and os.path.isabs(path)
    )


def _first_words(prompt: Any) -> str | None:
    blocks = prompt if isinstance(prompt, list) else []
    texts = (block.get("text") for block in blocks if isinstance(block, dict))
    lines = (
        line
        for text in texts
        if isinstance(text, str)
        for line in text[: 10 * limits.NAME_CHARS].splitlines()
    )
    return next((one_line(line)[: limits.NAME_CHARS] for line in lines if line.strip()), None)


def cut_prompt(path: Path) -> str | None:
    """Return the user's words of its last prompt if that has no answer, because its writer was killed."""
    prompt: str | None = None
    for message in _messages(path):
        params, result = message.get("params"), message.get("result")
        if message.get("method") == "session/prompt":
            blocks = params.get("prompt") if isinstance(params, dict) else None
            prompt = sent_prompt.read(decode.blocks(blocks))[1].text
        elif isinstance(result, dict) and "stopReason" in result:
            prompt = None
    return prompt


def _cwd(path: Path) -> Any:
    """Return the folder of the session."""
    return _begun(path).get("cwd")


def _begun(path: Path) -> dict[str, Any]:
    """Return how the session began, which stands in the first lines."""
    begun = (
        each.get("params") for each in islice(_messages(path), _HEAD) if each.get("method") == "session/new"
    )
    params = next(begun, None)
    return params if isinstance(params, dict) else {}


def _messages(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the readable messages: the file may be cut off, gone, or not ours."""
    try:
        with path.open(encoding="utf-8", errors="replace") as lines:
            for line in lines:
                if any(word in line for word in _WORDS):
                    yield _message(line)
    except OSError:
        return


def _message(line: str) -> dict[str, Any]:
    try:
        message = json.loads(line)["msg"]
    except (ValueError, TypeError, KeyError, RecursionError):
        return {}  # a line that its writer could not end
    return message if isinstance(message, dict) else {}


def _is_written(path: Path) -> bool:
    """Whether a living backend writes it: its process number is in the name, `when-agent-number-session.jsonl`."""
    found = _PID.search(path.name)
    if found is None:
        return False
    try:
        os.kill(int(found[1]), 0)
    except (ProcessLookupError, PermissionError, OverflowError):  # gone, or another program's by now
        return False
    # the number may belong to another program, or to a zombie
    return "acp_nvim" in ps.command_line(int(found[1]))


def age(path: Path) -> float:
    """Return when the file was last changed; 0 if it is gone."""
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0
