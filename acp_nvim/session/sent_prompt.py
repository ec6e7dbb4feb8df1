"""Reads what a prompt was made of when it comes back, from a recording or from an agent that replays it.

block                                     is
text      cart.py: 1 hunk refused by …    our report; in one text with the words, or in one before them
text      what's here?                    the user's words
resource  file:///p/cart.py#L3-9          an attached file, `cart.py 3-9`, as is a link to it
text      git diff:\\n…                    another attachment, `git diff`
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from acp_nvim.protocol import schema
from acp_nvim.session.queue import Prompt
from acp_nvim.session.tool_paths import from_uri
from acp_nvim.text import decision_report

Item = dict[str, Any]

_LINES = re.compile(r"#L(\d{1,9})(?:-(\d{1,9}))?$")
_UNSAVED = ", with unsaved changes"
# the titles of what the editor attaches as text
_TITLED = re.compile(
    r"(diagnostics of [^\n]+|quickfix list(?:, [^\n]+)?|git diff|terminal [^\n]+|[^\n]+, lines \d+-\d+"
    rf"|[^\n]+{_UNSAVED}):\n"
)


def attached_file(block: schema.ContentBlock | None) -> Item | None:
    """Return the file, with its lines if it is some, that a block embeds or links to."""
    if not isinstance(block, schema.Resource | schema.ResourceLink) or not block.uri.startswith("file://"):
        return None
    lines = _LINES.search(block.uri)
    found = {"first": int(lines[1]), "last": int(lines[2] or lines[1])} if lines else {}
    return {"file": from_uri(block.uri), **found}


def attached_text(text: str) -> Item | None:
    """Return the attachment that a text is, by its title."""
    titled = _TITLED.match(text)
    if titled is None:
        return None
    title = titled[1]
    return {"file": title.removesuffix(_UNSAVED)} if title.endswith(_UNSAVED) else {"title": title}


def read(blocks: Sequence[schema.ContentBlock]) -> tuple[str, Prompt]:
    """Return our report and the prompt, from the blocks of a request that we have sent: the report, if there is one,
    and the words come first."""
    report, words, at = _words(blocks)
    items: list[Item] = []
    for before, block in zip(blocks[max(0, at - 1) :], blocks[at:], strict=False):
        if item := _item(block, before):
            items.append(item)
    return report, Prompt(words, [item for index, item in enumerate(items) if item not in items[:index]])


def _words(blocks: Sequence[schema.ContentBlock]) -> tuple[str, str, int]:
    """Return our report, the user's words, and how many blocks they take."""
    first, second = (
        block.text if isinstance(block, schema.Text) else None for block in (*blocks[:2], None, None)[:2]
    )
    if first is None:
        return "", "", 0
    report, rest = decision_report.split(first)
    if report and not rest:
        return (report, second, 2) if second is not None else (report, "", 1)
    if not report and first.endswith("\n\n") and second is not None and attached_text(second) is None:
        return first.rstrip("\n"), second, 2
    return report, rest, 1


def _item(block: schema.ContentBlock, before: schema.ContentBlock) -> Item | None:
    match block:
        case schema.Text() if isinstance(before, schema.ResourceLink) and _LINES.search(before.uri):
            return None  # a link has no lines, so their text goes along with it
        case schema.Text():
            return attached_text(block.text) or {"title": block.text.partition("\n")[0].removesuffix(":")}
        case schema.Image() | schema.Audio():
            return {"title": "image" if isinstance(block, schema.Image) else "audio"}
    return attached_file(block)
