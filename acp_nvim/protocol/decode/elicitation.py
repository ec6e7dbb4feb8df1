"""Decodes `elicitation/create`: its scope, its mode, and the fields of its form. Odd limits are ignored.

What is only shown of a field is cut here, so that nobody behind has to. Keys, values and patterns stay as they came.
"""

import math
from collections.abc import Iterator
from typing import Any

from acp_nvim import limits
from acp_nvim.protocol.decode.json_fields import as_object, identifier, text
from acp_nvim.protocol.schema.elicitation import Ask, Elicitation, FieldType, FormChoice, FormField

_TYPES: dict[str, FieldType] = {name: name for name in ("string", "number", "integer", "boolean", "array")}
_LIMITS = {
    "string": ("minLength", "maxLength"),
    "number": ("minimum", "maximum"),
    "integer": ("minimum", "maximum"),
    "array": ("minItems", "maxItems"),
}


def elicitation(params: Any) -> Elicitation:
    raw = as_object(params)
    form = raw.get("requestedSchema")
    schema = as_object(form)
    return Elicitation(
        mode=text(raw, "mode") or "",
        message=text(raw, "message") or "",
        session_id=identifier(raw, "sessionId"),
        request_id=raw.get("requestId"),
        tool_call_id=identifier(raw, "toolCallId"),
        title=text(schema, "title") or "",
        description=text(schema, "description") or "",
        fields=tuple(_fields(schema)) if isinstance(form, dict) else None,
        url=text(raw, "url") or "",
        id=identifier(raw, "elicitationId") or "",
    )


def ask(raw: dict[str, Any]) -> Ask | None:
    """Decode a question in words, under the names that agents use for its parts; None if there is no question."""
    question = text(raw, "question", "message", "prompt")
    if question is None:
        return None
    custom = raw.get("allowCustom", raw.get("allow_custom"))
    return Ask(
        question=question,
        session_id=identifier(raw, "sessionId", "session_id"),
        header=text(raw, "header", "title") or "",
        options=tuple(_choices(raw.get("options"))),
        multiple=raw.get("multiple", raw.get("multiSelect")) is True,
        custom=custom is not False,
    )


def _fields(schema: dict[str, Any]) -> Iterator[FormField]:
    properties, required = schema.get("properties"), schema.get("required")
    wanted = {name for name in required if isinstance(name, str)} if isinstance(required, list) else set()
    for key, raw in properties.items() if isinstance(properties, dict) else ():
        if isinstance(raw, dict):
            yield _field(key, raw, key in wanted)


def _field(key: str, raw: dict[str, Any], required: bool) -> FormField:
    kind = _TYPES.get(text(raw, "type") or "", "unknown")
    choices: tuple[FormChoice, ...] = ()
    if kind == "string":
        choices = tuple(_choices(raw.get("oneOf"))) or tuple(_choices(raw.get("enum")))
    elif kind == "array":
        items = as_object(raw.get("items"))
        choices = tuple(_choices(items.get("anyOf") or items.get("oneOf"))) or tuple(
            _choices(items.get("enum"))
        )
        kind = kind if choices else "unknown"
    least, most = _LIMITS.get(kind, ("", ""))
    return FormField(
        key=key,
        type=kind,
        title=_shown(raw, "title", most=limits.FORM_TITLE_CHARS),
        description=_shown(raw, "description", most=limits.FORM_DESCRIPTION_CHARS),
        required=required,
        default=_default(kind, raw.get("default"), choices),
        choices=choices,
        format=text(raw, "format"),
        pattern=text(raw, "pattern"),
        least=_number(raw.get(least)),
        most=_number(raw.get(most)),
    )


def _choices(raw: Any) -> Iterator[FormChoice]:
    """Yield the choices: values, or values with titles. Of equal values the first counts."""
    seen: set[str] = set()
    for item in raw if isinstance(raw, list) else ():
        told = item if isinstance(item, dict) else {"const": item}
        value = text(told, "const", "value", "label", "title", "name")
        if value is not None and value not in seen:
            seen.add(value)
            title = _shown(told, "title", "label", "name", most=limits.FORM_TITLE_CHARS)
            description = _shown(told, "description", most=limits.FORM_NOTE_CHARS)
            yield FormChoice(value, title or value[: limits.FORM_TITLE_CHARS], description)


def _shown(raw: dict[str, Any], *names: str, most: int) -> str:
    return (text(raw, *names) or "")[:most]


def _default(kind: FieldType, value: Any, choices: tuple[FormChoice, ...]) -> Any:
    known = {choice.value for choice in choices}
    match kind, value:
        case "boolean", bool():
            return value
        case "integer", int() if not isinstance(value, bool) and -(2**63) <= value < 2**63:
            return value
        case "number", int() | float():
            return _number(value)
        case "string", str() if not choices or value in known:
            return value
        case "array", list():
            return [item for item in value if isinstance(item, str) and item in known]
    return None


def _number(value: Any) -> float | None:
    """Return an int or a float as it came; None if it is no number or does not fit into msgpack."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    fits = -(2**63) <= value < 2**63 if isinstance(value, int) else math.isfinite(value)
    return value if fits else None
