"""Scripts of agents that behave as the four documents say, to the letter, and take nothing that they do not name.

Each plays the same story on the prompt "work": it says something, announces a tool call, asks for leave, does it or
does not, and ends. On "again" it asks for leave once more, on "slow" it waits for a cancel.
"""

from typing import Any

from tests.fakes.script import Rule, Step, error, notify, on, request, result, wait, when

RUN = {"command": "make all"}
INVALID = -32602


def _update(**fields: Any) -> Step:
    return notify("session/update", {"sessionId": "{session}", "update": fields})


# --- simse: no `update` object, prompts are texts, permissions without options


def _simse(**fields: Any) -> Step:
    return notify("session/update", {"sessionId": "{session}", **fields})


def _simse_leave(id: str, tool: str = "bash") -> list[Step]:
    about = {"permissionId": f"perm-{id}", "toolName": tool, "args": RUN, "description": "Builds all"}
    done = _simse(sessionUpdate="tool_call_update", toolCallId=id, status="completed", result={"code": 0})
    denied = _simse(sessionUpdate="tool_call_update", toolCallId=id, error="denied by the user")
    return [
        _simse(sessionUpdate="tool_call", toolCallId=id, toolName=tool, args=RUN),
        request("session/request_permission", {"sessionId": "{session}", **about}),
        when(
            f'"permissionId": "perm-{id}", "decision": "allow_',
            _simse(sessionUpdate="tool_call_update", toolCallId=id, status="in_progress"),
            done,
            otherwise=[denied],
        ),
    ]


def simse(name: str = "backend") -> list[Rule]:
    text = {"type": "text", "text": "Let me see. "}
    ends = {"sessionId": "{session}", "content": "Let me see. ", "stopReason": "end_turn"}
    return [
        on("initialize", result({"agentInfo": {"name": name, "version": "0.1.0"}})),
        on("session/new", result({"sessionId": "sim-1"})),
        on(
            "session/prompt",
            _simse(sessionUpdate="agent_message_chunk", content=text),
            *_simse_leave("t1"),
            result(ends),
            text='"prompt": "work"',
        ),
        on("session/prompt", *_simse_leave("t2"), result(ends), text='"prompt": "again"'),
        on(
            "session/prompt",
            result({"sessionId": "{session}", "content": "All at once.", "stopReason": "tool_use"}),
            text='"prompt": "brief"',
        ),
        on("session/prompt", wait("session/cancel"), result(ends), text='"prompt": "slow"'),
        on("session/prompt", error(INVALID, "prompt must be a string"), text='"prompt": ['),
        on("session/prompt", result({**ends, "content": "You said: {id}"})),
    ]


# --- iac-code: `type` and `text`, names like classes, a bare method with flat answers


def iac_code(name: str = "iac-code") -> list[Rule]:
    modes = {
        "currentModeId": "default",
        "availableModes": [{"id": "default", "name": "Default"}, {"id": "plan", "name": "Plan"}],
    }
    models = {"currentModelId": "qwen", "availableModels": [{"modelId": "qwen", "name": "Qwen"}]}
    capabilities = {
        "loadSession": True,
        "promptCapabilities": {"embeddedContext": True, "image": False, "audio": False},
        "sessionCapabilities": {"list": {}, "close": {}},
    }
    hello = {
        "protocolVersion": 1,
        "agentCapabilities": capabilities,
        "agentInfo": {"name": name, "version": "0.9"},
        "authMethods": [],
    }
    ends = {"stopReason": "end_turn", "usage": {"inputTokens": 1, "outputTokens": 2, "totalTokens": 3}}
    return [
        on("initialize", result(hello)),
        on("session/new", result({"sessionId": "iac-1", "modes": modes, "models": models})),
        on("session/list", error(-32601, "Method not found")),
        on("sessions/list", result({"sessions": [{"sessionId": "old", "title": "Earlier", "cwd": "{cwd}"}]})),
        on("session/set_mode", error(-32601, "Method not found")),
        on("config/set", result({})),
        on(
            "session/prompt",
            _update(type="AgentThoughtChunk", text="Hm."),
            _update(type="agent_message_chunk", text="Let me see. "),
            *_iac_code_leave("t1"),
            result(ends),
            text='"text": "work"',
        ),
        on("session/prompt", *_iac_code_leave("t2"), result(ends), text='"text": "again"'),
        on(
            "session/prompt",
            wait("session/cancel"),
            result({"stopReason": "cancelled"}),
            text='"text": "slow"',
        ),
        on("session/prompt", error(INVALID, "Invalid params", {"session_id": "Session not found"})),
        on("session/close", result({})),
    ]


def _iac_code_leave(id: str) -> list[Step]:
    options = [
        {"optionId": option, "name": option.replace("_", " ").capitalize(), "kind": option}
        for option in ("allow_once", "allow_always", "reject_once", "reject_always")
    ]
    call = {"title": "bash", "kind": "execute", "input": RUN}

    def told(**fields: Any) -> Step:
        return _update(type="ToolCallProgress", tool_call_id=id, **fields)

    return [
        _update(type="ToolCallStart", tool_call_id=id, title="bash", kind="execute", status="in_progress"),
        request("request_permission", {"sessionId": "{session}", "toolCall": call, "options": options}),
        when(
            '{"outcome": "allowed", "option_id": "allow_',
            told(status="in_progress", raw_input=RUN),
            told(status="completed", raw_output="built"),
            otherwise=[told(status="failed", raw_output="Permission denied.")],
        ),
    ]


# --- Agentao: ids like srv_0, content that is appended, a question in words


def agentao(name: str = "agentao") -> list[Rule]:
    catalogue = {
        "id": "model",
        "name": "Model",
        "category": "model",
        "type": "select",
        "currentValue": "openai/gpt-4o",
        "options": [{"value": "openai/gpt-4o"}, {"value": "openai/gpt-5"}],
    }
    hello = {
        "protocolVersion": 1,
        "agentCapabilities": {"loadSession": True, "mcpCapabilities": {"sse": True, "http": False}},
        "authMethods": [],
        "agentInfo": {"name": name, "title": "Agentao", "version": "0.2.0"},
        "_meta": {"_agentao.cn/extensions": [{"method": "_agentao.cn/ask_user", "description": "asks"}]},
    }
    changed = [{**catalogue, "currentValue": "openai/gpt-5"}]
    return [
        on("initialize", result(hello), text='"readFile": true, "writeFile": true'),
        on("initialize", error(INVALID, "clientCapabilities.fs is required")),
        on(
            "session/new",
            result({"sessionId": "uuid-1", "configOptions": [catalogue]}),
            text='"mcpServers": [',
        ),
        on(
            "session/load",
            _said("user_message_chunk", "Hello then"),
            _said("agent_message_chunk", "Hello yourself"),
            result({"configOptions": [catalogue]}),
        ),
        on("session/set_config_option", result({"configOptions": changed})),
        on("session/set_mode", result({"modeId": "plan"})),
        on(
            "session/prompt",
            _said("agent_message_chunk", "Let me see. "),
            *_agentao_leave("call_1"),
            result({"stopReason": "end_turn"}),
            text='"text": "work"',
        ),
        on(
            "session/prompt",
            *_agentao_leave("call_2"),
            result({"stopReason": "end_turn"}),
            text='"text": "again"',
        ),
        on(
            "session/prompt",
            request("_agentao.cn/ask_user", {"sessionId": "{session}", "question": "Which one?"}),
            _said("agent_message_chunk", "got {answer}"),
            result({"stopReason": "end_turn"}),
            text='"text": "ask"',
        ),
        on(
            "session/prompt",
            _said("agent_thought_chunk", "Error: the model is away"),
            wait("session/cancel"),
            result({"stopReason": "cancelled"}),
            text='"text": "slow"',
        ),
    ]


def _said(tag: str, words: str) -> Step:
    return _update(sessionUpdate=tag, content={"type": "text", "text": words})


def _agentao_leave(id: str) -> list[Step]:
    call = {"toolCallId": id, "title": "run_shell", "kind": "execute", "status": "pending", "rawInput": RUN}
    options = [
        {"optionId": "allow", "name": "Allow", "kind": "allow_once"},
        {"optionId": "allow_always", "name": "Always", "kind": "allow_always"},
        {"optionId": "reject", "name": "Reject", "kind": "reject_once"},
    ]

    def told(status: str, *words: str) -> Step:
        content = [{"type": "content", "content": {"type": "text", "text": each}} for each in words]
        more = {"content": content} if content else {}
        return _update(sessionUpdate="tool_call_update", toolCallId=id, status=status, **more)

    return [
        _update(sessionUpdate="tool_call", **call),
        request(
            "session/request_permission", {"sessionId": "{session}", "toolCall": call, "options": options}
        ),
        when(
            '{"outcome": {"outcome": "selected", "optionId": "allow',
            told("in_progress", "compiling\nlin"),
            told("in_progress", "king\n"),
            told("completed"),
            otherwise=[told("failed", "Error: rejected")],
        ),
    ]


# --- the quick reference: `capabilities`, id, name, kinds of its own


def bridge() -> list[Rule]:
    return [
        on("initialize", result({"protocolVersion": 1, "capabilities": {}}), text='"capabilities": {"fs"'),
        on("initialize", error(INVALID, "capabilities are missing")),
        on("session/new", result({"sessionId": "sess_abc"})),
        on(
            "session/prompt",
            _said("agent_message_chunk", "Let me see. "),
            *_bridge_leave("t1"),
            result({"stopReason": "end_turn"}),
            text='[{"type": "text", "text": "work"}]',
        ),
        on(
            "session/prompt", *_bridge_leave("t2"), result({"stopReason": "end_turn"}), text='"text": "again"'
        ),
        on(
            "session/prompt",
            wait("session/cancel"),
            result({"stopReason": "cancelled"}),
            text='"text": "slow"',
        ),
    ]


def _bridge_leave(id: str) -> list[Step]:
    call = {"id": id, "name": "Bash", "status": "pending", "kind": "command", "rawInput": RUN}
    options = [
        {"optionId": "allow", "name": "Allow", "kind": "allow_once"},
        {"optionId": "reject", "name": "Reject", "kind": "reject_once"},
    ]
    return [
        _update(sessionUpdate="tool_call", **call),
        request(
            "session/request_permission", {"sessionId": "{session}", "toolCall": call, "options": options}
        ),
        when(
            '"outcome": "selected", "optionId": "allow"',
            _update(sessionUpdate="tool_call_update", id=id, status="in_progress"),
            _update(sessionUpdate="tool_call_update", id=id, status="completed", rawOutput="built"),
            otherwise=[_update(sessionUpdate="tool_call_update", id=id, status="failed")],
        ),
    ]
