"""Joins content of a tool call that comes in pieces: appended, or replaced if the agent repeats all of it."""

from __future__ import annotations

from acp_nvim import limits
from acp_nvim.protocol import schema

Content = tuple[schema.ToolContent, ...]


class ContentGrowth:
    """Joins the pieces of one call's output to one text, and keeps the content before them apart."""

    __slots__ = ("_at",)

    def __init__(self) -> None:
        self._at: int | None = None  # of the text that grows

    def add(self, old: Content, new: Content) -> Content:
        content = list(old)
        for item in new:
            if item not in old:
                self._add(content, item)
        return tuple(content)

    def _add(self, content: list[schema.ToolContent], item: schema.ToolContent) -> None:
        said = _text(item)
        grows = self._at is not None and self._at == len(content) - 1
        before = _text(content[-1]) if grows else None
        if said is None or before is None:
            content.append(item)
            self._at = None if said is None else len(content) - 1
        else:
            again = len(said) >= len(before[: limits.REPEATED_CHARS]) and said.startswith(
                before[: limits.REPEATED_CHARS]
            )
            content[-1] = schema.ContentItem(schema.Text(text=said if again else before + said))


def _text(item: schema.ToolContent) -> str | None:
    return (
        item.content.text
        if isinstance(item, schema.ContentItem) and isinstance(item.content, schema.Text)
        else None
    )
