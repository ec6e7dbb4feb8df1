"""Modes, models and options as an agent offers them."""

from typing import Any

from tests.fakes.script import on, result

Json = dict[str, Any]
MODES: Json = {
    "currentModeId": "ask",
    "availableModes": [{"id": "ask", "name": "Ask"}, {"id": "code", "name": "Code"}],
}
MODELS: Json = {
    "currentModelId": "small",
    "availableModels": [{"modelId": "small"}, {"modelId": "large", "name": "Large"}],
}


def make_select(id: str, current: str, *values: str, **more: Any) -> Json:
    """Return an option with a list of values."""
    options = [{"value": value, "name": value.title()} for value in values]
    return {
        "id": id,
        "name": id.title(),
        "type": "select",
        "currentValue": current,
        "options": options,
        **more,
    }


def make_switch(id: str, current: bool) -> Json:
    """Return an option that is on or off."""
    return {"id": id, "name": id.title(), "type": "boolean", "currentValue": current}


def on_new_session(**state: Any) -> Json:
    """Return a rule: a new session begins with this state."""
    return on("session/new", result({"sessionId": "{session}", **state}))


OPTIONS = [make_select("effort", "low", "low", "high"), make_select("tone", "dry", "dry", "warm")]
