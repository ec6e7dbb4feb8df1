"""The configuration has one schema, in Lua; what the backend reads of it agrees with that."""

from collections.abc import Iterator
from typing import Annotated, Any, Union, get_args, get_origin

import pytest
from pydantic import BaseModel

from acp_nvim.agent.settings import AgentSpec, Settings
from tests.fakes.configuration import AGENT, SETTINGS
from tests.functional.editor import Editor

OF_PRESETS = {"name", "install", "writes_through", "preset_env"}  # known of an agent, not configured
WITHOUT_FUNCTIONS = """local function plain(value)
  if type(value) ~= "table" then
    return type(value) ~= "function" and value or nil
  end
  return vim.tbl_map(plain, value)
end
return plain(require("acp_nvim.config.schema"))"""
TYPES: dict[str, tuple[Any, ...]] = {
    "string": (str,),
    "boolean": (bool,),
    "integer": (int, float),
    "number": (int, float),
    "list": (list,),
    "map": (dict,),
    "record": (dict,),
    "any": (Any,),
    "table": (Any,),
}


def kind(annotation: Any) -> Any:
    """`list[str] | None` is a list, and so is an annotated one."""
    if get_origin(annotation) is Annotated:
        return kind(get_args(annotation)[0])
    if get_origin(annotation) is Union or type(annotation).__name__ == "UnionType":
        return kind(next(each for each in get_args(annotation) if each is not type(None)))
    return get_origin(annotation) or annotation


def differing(model: type[BaseModel], fields: list[dict[str, Any]], path: str) -> Iterator[str]:
    known = {field["name"]: field for field in fields}
    for name, info in model.model_fields.items():
        field, found = known.get(name), kind(info.annotation)
        if field is None:
            yield from (
                [] if model is AgentSpec and name in OF_PRESETS else [f"{path}{name} is not in the schema"]
            )
        elif isinstance(found, type) and issubclass(found, BaseModel):
            yield from differing(found, field["fields"], f"{path}{name}.")
        elif found not in TYPES[field["type"]]:
            yield f"{path}{name}: {found} is no {field['type']}"


@pytest.fixture
def schema(editor: Editor) -> list[dict[str, Any]]:
    fields: list[dict[str, Any]] = editor.lua(WITHOUT_FUNCTIONS)["fields"]
    return fields


def test_the_backend_reads_what_the_schema_names(schema: list[dict[str, Any]]) -> None:
    agents = next(field for field in schema if field["name"] == "agents")
    assert [
        *differing(Settings, schema, ""),
        *differing(AgentSpec, agents["items"]["fields"], "agents."),
    ] == []


def other_defaults(given: dict[str, Any], fields: list[dict[str, Any]], path: str) -> Iterator[str]:
    for field in fields:
        name = field["name"]
        if field["type"] == "record" and name in given:
            yield from other_defaults(given[name], field["fields"], f"{path}{name}.")
        elif name in given and (given[name] or None) != (field.get("default") or None):
            yield f"{path}{name}: {given[name]!r}, but the schema has {field.get('default')!r}"


def test_tests_of_the_backend_use_the_defaults_of_the_schema(schema: list[dict[str, Any]]) -> None:
    agents = next(field for field in schema if field["name"] == "agents")["items"]["fields"]
    own = {name: value for name, value in AGENT.items() if name != "defaults"}
    assert [*other_defaults(SETTINGS, schema, ""), *other_defaults(own, agents, "agents.")] == []


def test_the_backend_gets_all_that_it_requires(schema: list[dict[str, Any]]) -> None:
    agents = next(field for field in schema if field["name"] == "agents")["items"]["fields"]
    for model, fields in ((Settings, schema), (AgentSpec, agents)):
        sure = {
            field["name"]
            for field in fields
            if "default" in field or field.get("required") or "fields" in field
        }
        wanted = {name for name, field in model.model_fields.items() if field.is_required()}
        assert wanted - OF_PRESETS <= sure
