"""Makes the marks of rows that begin with an icon, and indents them: the icon stands before the text of the row."""

from __future__ import annotations

from acp_nvim.chat.splice import Mark


def icon_mark(kind: str, key: int, icon: str, highlight: str) -> Mark:
    return {"kind": kind, "key": key, "icon": {"text": icon, "hl": highlight}}


def indented(mark: Mark, columns: int) -> Mark:
    return {**mark, "icon": {**mark["icon"], "text": " " * columns + mark["icon"]["text"]}}
