"""Reads and writes files through the client, which knows unsaved text, or else on the disk."""

from __future__ import annotations

import itertools
import os
import re

from .turn import Turn
from .wire import NOT_FOUND, ClientError, field


def read(turn: Turn, path: str, line: int = 1) -> str:
    """The text from `line` on. Raises ClientError, OSError, UnicodeError."""
    if _client_can(turn, "readTextFile"):
        part = {} if line == 1 else {"line": line}
        return field(turn.ask("fs/read_text_file", path=path, **part), "content", str)
    with open(path, encoding="utf-8", newline="") as file:
        return "".join(itertools.islice(file, line - 1, None))


def read_if_there(turn: Turn, path: str) -> str | None:
    try:
        return read(turn, path)
    except FileNotFoundError:
        return None
    except ClientError as error:
        if error.code == NOT_FOUND:
            return None
        raise


def write(turn: Turn, path: str, text: str) -> None:
    """Raises ClientError, OSError, UnicodeError."""
    if _client_can(turn, "writeTextFile"):
        turn.ask("fs/write_text_file", path=path, content=text)
        return
    write_to_disk(path, text)


def write_to_disk(path: str, text: str) -> None:
    """Raises OSError, UnicodeError."""
    data = text.encode()  # before the file is opened, which empties it
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(data)


def place(argument: str, cwd: str) -> tuple[str, int]:
    """`path`, `path:line` or `@path`, as an absolute path and a line; ("", 1) for nothing."""
    name, line = argument, 1
    if not os.path.exists(os.path.join(cwd, name)):
        name = name.removeprefix("@")
        if found := re.fullmatch(r"(.+):(\d{1,9})", name):
            name, line = found[1], max(int(found[2]), 1)
    return os.path.normpath(os.path.join(cwd, os.path.expanduser(name))) if name else "", line


def _client_can(turn: Turn, what: str) -> bool:
    fs = turn.capabilities.get("fs")
    return isinstance(fs, dict) and fs.get(what) is True
