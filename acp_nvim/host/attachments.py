"""Converts the context of a prompt to blocks of ACP. Files are read when the prompt is sent."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Any, BinaryIO

from acp_nvim import limits
from acp_nvim.protocol import encode
from acp_nvim.protocol.encode import Block
from acp_nvim.protocol.schema import Initialized

_HEAD = 16  # bytes that tell a picture or a sound

_MAGIC = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"OggS", "audio/ogg"),
    (b"fLaC", "audio/flac"),
    (b"ID3", "audio/mpeg"),
    (b"\xff\xfb", "audio/mpeg"),
)


class LeftOut(Exception):
    """A piece of context is left out; the text says why."""


def media_type(head: bytes) -> str | None:
    """Return the media type of a picture or a sound by its first bytes, whatever its name says."""
    if head[:4] == b"RIFF":
        return {b"WEBP": "image/webp", b"WAVE": "audio/wav"}.get(head[8:12])
    return next((mime for magic, mime in _MAGIC if head.startswith(magic)), None)


class Attachments:
    """The context of one prompt, for one agent."""

    def __init__(self, agent: Initialized, cwd: str) -> None:
        self._agent, self._cwd = agent, cwd
        self.words: list[str] = []  # notes on context that is sent in another form

    def blocks(self, item: dict[str, Any]) -> list[Block]:
        """Convert one piece. Raises LeftOut, or what reading a file raises."""
        if item.get("missing"):
            raise LeftOut(str(item["missing"]))
        if item.get("image") or item.get("audio"):
            kind = "image" if item.get("image") else "audio"
            return self._media(self._path(item[kind]), kind)
        if item.get("file"):
            return self._file(item)
        return [encode.text(f"{item.get('title') or 'Attached'}:\n{_bounded(str(item.get('text') or ''))}")]

    def _path(self, name: Any) -> str:
        return os.path.abspath(os.path.join(self._cwd, os.path.expanduser(str(name))))

    # --- files

    def _file(self, item: dict[str, Any]) -> list[Block]:
        path, first, last = self._path(item["file"]), item.get("first"), item.get("last")
        lines = item.get("lines")
        if lines is not None:
            return self._text(path, _joined(lines), first, last, unsaved=bool(item.get("unsaved")))
        kind = _kind(path)
        if kind == "folder":
            return [encode.link(path)]
        size = os.path.getsize(path)
        if mime := media_type(_head(path)):
            return self._media_file(path, mime)
        if size > (limits.ATTACHED_FILE_BYTES if first else limits.ATTACHED_TEXT_BYTES):
            return self._linked(path, f"is {_megabytes(size)}")
        text = _read_lines(path, int(first), last and int(last)) if first else _read(path)
        if text is None:
            return self._linked(path, "is not UTF-8 text", say=False)
        return self._text(path, text, first, last)

    def _text(
        self, path: str, text: str, first: int | None, last: int | None, unsaved: bool = False
    ) -> list[Block]:
        if len(text) > limits.ATTACHED_TEXT_BYTES:
            return self._linked(path, f"is {_megabytes(len(text))}")
        made = [encode.file(path, text, first, last)]
        if unsaved and first is None and not self._agent.takes("embeddedContext"):
            # a link alone leads to what the disk has
            return [*made, encode.text(f"{os.path.basename(path)}, with unsaved changes:\n{text}")]
        return made

    def _linked(self, path: str, why: str, say: bool = True) -> list[Block]:
        if say:
            self.words.append(f"{os.path.basename(path)} {why}: linked, not embedded")
        return [encode.link(path)]

    # --- pictures and sounds

    def _media_file(self, path: str, mime: str) -> list[Block]:
        """Embed a file that is a picture, if the agent takes pictures; else link it."""
        kind = mime.partition("/")[0]
        if self._agent.takes(kind) and os.path.getsize(path) <= limits.ATTACHED_MEDIA_BYTES:
            return self._media(path, kind)
        return [encode.link(path)]

    def _media(self, path: str, kind: str) -> list[Block]:
        name = os.path.basename(path)
        if not self._agent.takes(kind):
            raise LeftOut(f"this agent takes no {kind} files: {name}")
        if _kind(path) != "file":
            raise LeftOut(f"{name} is a folder")
        if (size := os.path.getsize(path)) > limits.ATTACHED_MEDIA_BYTES:
            raise LeftOut(f"{name} is {_megabytes(size)}, more than {limits.ATTACHED_MEDIA_BYTES >> 20} MB")
        with _opened(path) as file:
            data = file.read(limits.ATTACHED_MEDIA_BYTES) or b""
        mime = media_type(data[:_HEAD]) or ""
        if not mime.startswith(kind):
            known = "PNG, JPEG, GIF or WebP" if kind == "image" else "WAV, MP3, Ogg or FLAC"
            raise LeftOut(f"{name} is not {known} data")
        return [encode.image(data, mime) if kind == "image" else encode.audio(data, mime)]


def _kind(path: str) -> str:
    mode = os.stat(path).st_mode
    if stat.S_ISDIR(mode):
        return "folder"
    if not stat.S_ISREG(mode):  # reading a pipe would wait for its writer
        raise LeftOut(f"{os.path.basename(path)} is not a regular file")
    return "file"


@contextmanager
def _opened(path: str) -> Iterator[BinaryIO]:
    """Open without waiting: the file may have become a pipe since it was checked."""
    with open(path, "rb", opener=lambda name, flags: os.open(name, flags | os.O_NONBLOCK)) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise LeftOut(f"{os.path.basename(path)} is not a regular file")
        yield file


def _head(path: str) -> bytes:
    with _opened(path) as file:
        return file.read(_HEAD) or b""  # of a device that has nothing to say yet there is None


def _read(path: str) -> str | None:
    with _opened(path) as file:
        return _decoded(file.read(limits.ATTACHED_TEXT_BYTES + 1) or b"")


def _read_lines(path: str, first: int, last: int | None) -> str | None:
    with _opened(path) as file:
        lines = list(islice(file, first - 1, last))
    if not lines:
        raise LeftOut(f"{os.path.basename(path)} has no line {first}")
    return _decoded(b"".join(lines))


def _decoded(data: bytes) -> str | None:
    if b"\0" in data:
        return None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None


def _joined(lines: list[Any]) -> str:
    return clean("".join(f"{line}\n" for line in lines))


def clean(text: str) -> str:
    """Decode UTF-8. Other encodings cannot be sent."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _bounded(text: str) -> str:
    text = clean(text)
    return (
        text
        if len(text) <= limits.ATTACHED_TEXT_BYTES
        else text[: limits.ATTACHED_TEXT_BYTES] + "\n… cut here"
    )


def _megabytes(size: int) -> str:
    return f"{size / (1 << 20):.1f} MB"
