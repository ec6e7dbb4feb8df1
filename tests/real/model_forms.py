"""The forms in which agents speak to a model: chat completions, messages, responses, contents; streamed and whole."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from itertools import count
from typing import Any

from tests.real.model_script import STEP, Said, Schema, Turn

Event = tuple[str, Any]  # its name, which some forms want beside the data; what is sent
numbers = count(1)
CHAT_USAGE = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}


def number(kind: str) -> str:
    return f"{kind}_{next(numbers):04}"


def words(content: Any) -> str:
    """Of several scripted parts only the last: agents join what the user said one after another."""
    if isinstance(content, str):
        return content
    parts = [str(part.get("text") or "") for part in content or [] if isinstance(part, dict)]
    scripted = [part for part in parts if STEP.search(part)]
    return scripted[-1] if scripted else "\n".join(parts)


class Completions:
    path = "/chat/completions"
    last = ("[DONE]",)

    def talk(self, body: dict[str, Any]) -> list[Said]:
        return [
            Said(str(one.get("role")), words(one.get("content")), bool(one.get("tool_calls")))
            for one in body.get("messages", [])
        ]

    def tools(self, body: dict[str, Any]) -> dict[str, Schema]:
        offered = [tool["function"] for tool in body.get("tools") or []]
        return {tool["name"]: tool.get("parameters", {}) for tool in offered}

    def whole(self, turn: Turn, model: str) -> dict[str, Any]:
        message = {"role": "assistant", "content": turn.text, "tool_calls": self._calls(turn) or None}
        choice = {"index": 0, "message": message, "finish_reason": self._reason(turn)}
        return {**self._head(model), "object": "chat.completion", "choices": [choice], "usage": CHAT_USAGE}

    def stream(self, turn: Turn, model: str) -> Iterator[Event]:
        def chunk(choices: list[Any], **more: Any) -> Event:
            return "", {**self._head(model), "object": "chat.completion.chunk", "choices": choices, **more}

        def delta(**fields: Any) -> Event:
            return chunk([{"index": 0, "delta": fields, "finish_reason": None}])

        yield delta(role="assistant", content="")
        for piece in turn.pieces():
            yield delta(content=piece)
            time.sleep(turn.pause)
        for place, one in enumerate(self._calls(turn)):
            yield delta(tool_calls=[{"index": place, **one}])
        yield chunk([{"index": 0, "delta": {}, "finish_reason": self._reason(turn)}])
        yield chunk([], usage=CHAT_USAGE)

    def _head(self, model: str) -> dict[str, Any]:
        return {"id": number("chat"), "created": int(time.time()), "model": model}

    def _reason(self, turn: Turn) -> str:
        return "tool_calls" if turn.calls else "stop"

    def _calls(self, turn: Turn) -> list[dict[str, Any]]:
        functions = [{"name": name, "arguments": json.dumps(arguments)} for name, arguments in turn.calls]
        return [{"id": number("call"), "type": "function", "function": one} for one in functions]


class Messages:
    path = "/messages"
    last = ()

    def talk(self, body: dict[str, Any]) -> list[Said]:
        """A message of the user with results of tools is said by these, and by the user if there is text beside."""
        said = []
        for one in body.get("messages", []):
            content = one.get("content")
            parts = [part for part in content if isinstance(part, dict)] if isinstance(content, list) else []
            kinds = {part.get("type") for part in parts}
            results = [part for part in parts if part.get("type") == "tool_result"]
            said += [Said("tool", words(part.get("content"))) for part in results]
            if text := words([part for part in parts if part not in results] if parts else content):
                said.append(Said(str(one.get("role")), text, "tool_use" in kinds))
            elif "tool_use" in kinds:
                said.append(Said("assistant", "", True))
        return said

    def tools(self, body: dict[str, Any]) -> dict[str, Schema]:
        offered = body.get("tools") or []
        return {tool["name"]: tool.get("input_schema") or {} for tool in offered if "name" in tool}

    def whole(self, turn: Turn, model: str) -> dict[str, Any]:
        return {**self._head(model), "content": self._blocks(turn), "stop_reason": self._reason(turn)}

    def stream(self, turn: Turn, model: str) -> Iterator[Event]:
        def event(kind: str, **fields: Any) -> Event:
            return kind, {"type": kind, **fields}

        yield event("message_start", message={**self._head(model), "content": [], "stop_reason": None})
        for place, block in enumerate(self._blocks(turn)):
            if block["type"] == "text":
                yield event("content_block_start", index=place, content_block={"type": "text", "text": ""})
                for piece in turn.pieces():
                    yield event(
                        "content_block_delta", index=place, delta={"type": "text_delta", "text": piece}
                    )
                    time.sleep(turn.pause)
            else:
                given = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
                yield event("content_block_start", index=place, content_block={**block, "input": {}})
                yield event("content_block_delta", index=place, delta=given)
            yield event("content_block_stop", index=place)
        ended = {"stop_reason": self._reason(turn), "stop_sequence": None}
        yield event("message_delta", delta=ended, usage={"output_tokens": 20})
        yield event("message_stop")

    def _head(self, model: str) -> dict[str, Any]:
        cached = {"cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}
        usage = {"input_tokens": 100, "output_tokens": 20, **cached}
        return {"id": number("msg"), "type": "message", "role": "assistant", "model": model, "usage": usage}

    def _reason(self, turn: Turn) -> str:
        return "tool_use" if turn.calls else "end_turn"

    def _blocks(self, turn: Turn) -> list[dict[str, Any]]:
        calls = [
            {"type": "tool_use", "id": number("toolu"), "name": name, "input": arguments}
            for name, arguments in turn.calls
        ]
        return [{"type": "text", "text": turn.text}, *calls]


class Responses:
    path = "/responses"
    last = ()
    _calls = ("function_call", "custom_tool_call", "local_shell_call")

    def talk(self, body: dict[str, Any]) -> list[Said]:
        """Calls that stand side by side were made in one turn of the model."""
        given = body.get("input") or []
        items = [{"role": "user", "content": given}] if isinstance(given, str) else given
        said: list[Said] = []
        before = None
        for item in items:
            kind = item.get("type")
            if kind in self._calls:
                said += [] if before in self._calls else [Said("assistant", "", True)]
            elif str(kind).endswith("_output"):
                said.append(Said("tool", words(item.get("output"))))
            elif item.get("role"):
                said.append(Said(item["role"], words(item.get("content"))))
            before = kind
        return said

    def tools(self, body: dict[str, Any]) -> dict[str, Schema]:
        """The tools of an MCP server stand in a namespace: `mcp__acp_nvim/read_buffer`."""
        found = {}
        for tool in body.get("tools") or []:
            inner = {f"{tool.get('name')}/{each['name']}": each for each in tool.get("tools") or []}
            named = {tool["name"]: tool} if tool.get("name") and not inner else inner
            found |= {name: each.get("parameters") or {} for name, each in named.items()}
        return found

    def whole(self, turn: Turn, model: str) -> dict[str, Any]:
        return self._response(model, self._items(turn))

    def stream(self, turn: Turn, model: str) -> Iterator[Event]:
        items = self._items(turn)
        response = self._response(model, items)
        order = count()

        def event(kind: str, **fields: Any) -> Event:
            kind = f"response.{kind}"
            return kind, {"type": kind, "sequence_number": next(order), **fields}

        yield event("created", response={**response, "status": "in_progress", "output": [], "usage": None})
        for place, item in enumerate(items):
            begun = {**item, "status": "in_progress", **({"content": []} if "content" in item else {})}
            at = {"output_index": place, "item_id": item["id"]}
            yield event("output_item.added", output_index=place, item=begun)
            if item["type"] == "message":
                empty = {"type": "output_text", "text": "", "annotations": []}
                yield event("content_part.added", content_index=0, part=empty, **at)
                for piece in turn.pieces():
                    yield event("output_text.delta", content_index=0, delta=piece, **at)
                    time.sleep(turn.pause)
                yield event("output_text.done", content_index=0, text=turn.text, **at)
                yield event("content_part.done", content_index=0, part=item["content"][0], **at)
            else:
                yield event("function_call_arguments.done", arguments=item["arguments"], **at)
            yield event("output_item.done", output_index=place, item=item)
        yield event("completed", response=response)

    def _items(self, turn: Turn) -> list[dict[str, Any]]:
        text = {"type": "output_text", "text": turn.text, "annotations": []}
        message = {"type": "message", "id": number("msg"), "role": "assistant", "status": "completed"}
        calls = [
            {
                "type": "function_call",
                "id": number("fc"),
                "call_id": number("call"),
                **dict(zip(("name", "namespace"), reversed(name.split("/")), strict=False)),
                "arguments": json.dumps(arguments),
                "status": "completed",
            }
            for name, arguments in turn.calls
        ]
        return [{**message, "content": [text]}, *calls]

    def _response(self, model: str, items: list[dict[str, Any]]) -> dict[str, Any]:
        details = {
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens_details": {"reasoning_tokens": 0},
        }
        usage = {"input_tokens": 100, "output_tokens": 20, "total_tokens": 120, **details}
        head = {"id": number("resp"), "object": "response", "created_at": int(time.time()), "model": model}
        return {**head, "status": "completed", "output": items, "usage": usage}


class Contents:
    """Gemini's: the path tells whether the answer is streamed."""

    path = (":generateContent", ":streamGenerateContent")
    last = ()

    def talk(self, body: dict[str, Any]) -> list[Said]:
        said = []
        for one in body.get("contents") or []:
            parts = one.get("parts") or []
            answers = [part["functionResponse"] for part in parts if "functionResponse" in part]
            said += [Said("tool", json.dumps(answer.get("response"))) for answer in answers]
            calls_tools = any("functionCall" in part for part in parts)
            if calls_tools or (text := words(parts)):
                role = "user" if one.get("role") == "user" else "assistant"
                said.append(Said(role, "" if calls_tools else text, calls_tools))
        return said

    def tools(self, body: dict[str, Any]) -> dict[str, Schema]:
        offered = [
            each for tool in body.get("tools") or [] for each in tool.get("functionDeclarations") or []
        ]
        return {tool["name"]: tool.get("parametersJsonSchema") or {} for tool in offered}

    def whole(self, turn: Turn, model: str) -> dict[str, Any]:
        return self._response([{"text": turn.text}, *self._calls(turn)], finishReason="STOP")

    def stream(self, turn: Turn, model: str) -> Iterator[Event]:
        for piece in turn.pieces():
            yield "", self._response([{"text": piece}])
            time.sleep(turn.pause)
        yield "", self._response(self._calls(turn), finishReason="STOP")

    def _response(self, parts: list[dict[str, Any]], **more: str) -> dict[str, Any]:
        candidate = {"index": 0, "content": {"role": "model", "parts": parts}, **more}
        usage = {"promptTokenCount": 100, "candidatesTokenCount": 20, "totalTokenCount": 120}
        return {"responseId": number("resp"), "candidates": [candidate], "usageMetadata": usage}

    def _calls(self, turn: Turn) -> list[dict[str, Any]]:
        return [
            {"functionCall": {"id": number("call"), "name": name, "args": arguments}}
            for name, arguments in turn.calls
        ]


FORMS = (Completions(), Messages(), Responses(), Contents())
