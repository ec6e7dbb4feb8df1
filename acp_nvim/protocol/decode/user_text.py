"""Decodes a text of the user's message that stands for something else. Agents that keep a conversation as texts replay
these; each is the whole text of its block.

    [@cart.py](file:///p/cart.py)                    a link to a file
    <context ref="file:///p/cart.py"> … </context>   an embedded file
    [Request interrupted by user]                    the user has stopped the turn here
"""

import re

from acp_nvim.protocol.schema import Chunk, InterruptedUpdate, Resource, ResourceLink

_LINK = re.compile(r"\[@([^\]\n]*)\]\((file://[^\s)]+)\)")
_CONTEXT = re.compile(r'\s*<context ref="([^"\n]+)">\n(.*)\n</context>\s*', re.DOTALL)
_STOPPED = re.compile(r"\[Request interrupted by user(?: for tool use)?\]")


def user_text(text: str, message_id: str | None) -> Chunk | InterruptedUpdate:
    if text.startswith("[") and _STOPPED.fullmatch(text):
        return InterruptedUpdate()
    if text.startswith("[@") and (link := _LINK.fullmatch(text)):
        return Chunk("user", None, ResourceLink(uri=link[2], name=link[1]), message_id)
    if "<context ref=" in text and (file := _CONTEXT.fullmatch(text)):
        return Chunk("user", None, Resource(uri=file[1], text=file[2]), message_id)
    return Chunk("user", text, None, message_id)
