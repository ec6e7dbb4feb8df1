"""Qwen Code. It asks for words that are to go into the running turn, with a request between its tool calls:

- `craft/drainMidTurnQueue {sessionId}` is answered at once: after two seconds it goes on, and after the third such
  time, or a `-32601`, it never asks again in this session
- older releases read `messages`, texts; newer ones read `items`, content blocks with the text to be shown, if there are
  any; of both the first ten, and what is beyond them is lost
- a turn ends with the point up to which the session can be copied: `_meta["qwen.branchPoint"].checkpointUuid`
- after a rejection it asks, too, and ends the turn: its model reads the words with the next prompt
- `hasQueuedPrompt` keeps it from going on by itself after its last step
"""

from typing import Any, ClassVar

from acp_nvim.protocol.dialects.standard import Dialect


class Qwen(Dialect):
    name: ClassVar[str] = "qwen"
    agents: ClassVar[frozenset[str]] = frozenset({"qwen-code"})
    pulls: ClassVar[str | None] = "craft/drainMidTurnQueue"
    branches: ClassVar[str | None] = "qwen/control/session/branch"
    pulls_at_most: ClassVar[int] = 10

    def pulled(self, words: list[tuple[str, list[dict[str, Any]]]], has_more: bool) -> dict[str, Any]:
        answer: dict[str, Any] = {"messages": [text for text, _ in words], "hasQueuedPrompt": has_more}
        if words:
            answer["items"] = [{"content": blocks, "displayText": text} for text, blocks in words]
        return answer

    def words_of(self, result: Any) -> list[Any]:
        items = result.get("items") if isinstance(result, dict) else None
        return (
            [item.get("content") for item in items if isinstance(item, dict)]
            if isinstance(items, list)
            else []
        )
