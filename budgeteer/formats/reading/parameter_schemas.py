"""Convert descriptions of tools and their parameters to JSON Schema and to OpenAI's form."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from budgeteer.engine.content.tool_schemas import OPENAPI_TYPES
from budgeteer.formats.messages.numbering import text_value
from budgeteer.formats.reading.entries import mappings

_TYPES: Mapping[str, str] = {
    **dict.fromkeys(("dict", "map", "hashtable", "hashmap"), "object"),
    **dict.fromkeys(("list", "tuple", "arraylist", "set"), "array"),
    **dict.fromkeys(("float", "double", "decimal"), "number"),
    **dict.fromkeys(("int", "long", "short", "byte"), "integer"),
    **dict.fromkeys(("str", "char"), "string"),
    "bool": "boolean",
}
"""The names of programming languages for JSON Schema's types, as BFCL and others write them.

Source: the type maps of the Berkeley function-calling benchmark for Python, Java and JavaScript.
"""

_FREE = frozenset({"any"})
_NAMED = ("properties", "patternProperties", "$defs", "definitions")
_SINGLE = ("items", "additionalProperties", "not")
_SEVERAL = ("anyOf", "oneOf", "allOf", "prefixItems")
_KEYWORDS = frozenset({*_NAMED, "additionalProperties", "not", "$ref"})
"""Keys of a schema whose values are objects as well."""
_NEEDED = frozenset({"optional", "required"})
"""What an argument says of whether it may be left away."""


def is_type_name(word: str) -> bool:
    """Whether a word is the name of a type, in JSON Schema or in a programming language."""
    return word.lower() in _FREE or word.lower() in _TYPES or word in _TYPES.values() or word == "null"


def json_schema(given: Any) -> Any:
    """A schema with every type name as JSON Schema has it, all the way down; `any` becomes no type at all.

    What is no object comes back as it is. Names of properties are not touched, whatever they are.
    """
    if not isinstance(given, Mapping):
        return given
    done: dict[str, Any] = {}
    for key, value in given.items():
        if key == "type" and isinstance(value, str):
            if value.lower() not in _FREE:
                done[key] = value.lower() if value in OPENAPI_TYPES else _TYPES.get(value.lower(), value)
        elif key in _NAMED and isinstance(value, Mapping):
            done[key] = {name: json_schema(inner) for name, inner in value.items()}
        elif key in _SINGLE:
            done[key] = json_schema(value)
        elif key in _SEVERAL and isinstance(value, list):
            done[key] = [json_schema(inner) for inner in value]
        else:
            done[key] = value
    return done


def mended_tool(raw: Mapping[str, Any]) -> Mapping[str, Any]:
    """A definition whose parameters are a JSON Schema, with a `required` that stands beside them put inside.

    Understood: OpenAI's form and the bare function; anything else comes back as it is.
    """
    function = raw.get("function")
    inner = function if isinstance(function, Mapping) else raw
    parameters = json_schema(inner.get("parameters"))
    if not isinstance(parameters, Mapping):
        return raw
    beside = inner.get("required")
    done = {**inner, "parameters": parameters}
    if isinstance(beside, list):
        del done["required"]
        done["parameters"] = {**parameters, "required": parameters.get("required", beside)}
    return {**raw, "function": done} if isinstance(function, Mapping) else done


def from_arguments(arguments: list[Any]) -> dict[str, Any]:
    """A JSON Schema from a list of `{name, type, desc, optional, items}`, as Docker's MCP registry has them.

    Every argument that does not say that it is optional is required.
    """
    properties: dict[str, Any] = {}
    required: list[str] = []
    named = [one for one in arguments if isinstance(one, Mapping) and isinstance(one.get("name"), str) and one["name"]]
    for argument in named:
        said = argument.get("desc") or argument.get("description")
        kept = {key: argument[key] for key in ("type", "items", "enum", "default") if key in argument}
        properties[argument["name"]] = json_schema({**kept, **({"description": said} if isinstance(said, str) else {})})
        if argument.get("optional") is not True and argument.get("required") is not False:
            required.append(argument["name"])
    return {"type": "object", "properties": properties, **({"required": required} if required else {})}


def is_named_arguments(given: Any) -> bool:
    """Whether an object describes arguments under their names, each with a type or a description, and is no schema."""
    if not isinstance(given, Mapping) or not given or not _KEYWORDS.isdisjoint(given):
        return False
    return all(_is_described(said) for said in given.values())


def _is_described(said: Any) -> bool:
    """Whether a value is an object that says what type an argument has, or what it is."""
    return isinstance(said, Mapping) and any(isinstance(said.get(key), str) for key in ("type", "description"))


def from_named_arguments(given: Mapping[str, Any], required: Any) -> dict[str, Any]:
    """A JSON Schema from arguments under their names, as xLAM and Seal-Tools have them.

    `str, optional` is a text that may be left away, `List[int]` a list. Without a list of those that are `required`,
    every argument is that does not say that it is optional and has no default.
    """
    properties: dict[str, Any] = {}
    needed: list[str] = []
    for name, said in given.items():
        kind, *more = text_value(said.get("type")).split(",")
        known = {"type": kind.split("[")[0].strip()} if kind else {}
        properties[name] = json_schema({key: held for key, held in {**said, **known}.items() if key not in _NEEDED})
        is_optional = said.get("optional") is True or said.get("required") is False or "default" in said
        if not is_optional and not any("optional" in word for word in more):
            needed.append(name)
    if isinstance(required, list):
        listed = {one for one in required if isinstance(one, str)}
        needed = [name for name in given if name in listed]
    return {"type": "object", "properties": properties, **({"required": needed} if needed else {})}


def named_tools(given: Any) -> Iterator[Mapping[str, Any]]:
    """Definitions that have a name, a description and parameters at their top, in OpenAI's form."""
    for tool in mappings(given):
        if text_value(tool.get("name")):
            function = {key: tool[key] for key in ("name", "description", "parameters") if key in tool}
            yield {"type": "function", "function": function}
