"""Input schemas of tools in each provider's form, and Gemini's schema form as JSON Schema.

Gemini's function declarations describe parameters by a subset of OpenAPI 3.0 (its `Schema`): types in capitals,
`nullable` instead of a type `null`, whole numbers of limits as text, and `propertyOrdering`, which JSON Schema has not.
Source: the Gemini API's reference of `FunctionDeclaration` and `Schema`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from budgeteer.engine.content.library import ToolForm

_KEYS: Final[tuple[tuple[str, ToolForm], ...]] = (
    ("input_schema", "anthropic"),
    ("inputSchema", "mcp"),
    ("parameters", "mcp"),
    ("parametersJsonSchema", "gemini"),
    ("parameters_json_schema", "gemini"),
)
OPENAPI_TYPES: Final = frozenset({"OBJECT", "ARRAY", "STRING", "NUMBER", "INTEGER", "BOOLEAN", "NULL"})
_UNKNOWN_TYPE: Final = "TYPE_UNSPECIFIED"
_ORDER: Final = "propertyOrdering"
_LIMITS: Final = frozenset({"minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties"})
"""Whole numbers of 64 bits, which Google's JSON writes as text."""

_NAMED: Final = ("properties", "defs", "$defs", "definitions")
_SINGLE: Final = ("items", "additionalProperties")
_SEVERAL: Final = ("anyOf", "oneOf", "allOf", "prefixItems")


def schema_of(raw: Mapping[str, Any]) -> tuple[Mapping[str, Any], ToolForm] | None:
    """The JSON Schema of a flat definition's input and the form it came in; None where there is no schema.

    `{"type": "function", name, parameters}` is OpenAI's for Responses; a bare `parameters` with types in capitals is
    Gemini's, and any other one is nobody's own ("mcp": rewritten for every provider).
    """
    for key, form in _KEYS:
        given = raw.get(key)
        if not isinstance(given, Mapping):
            continue
        if key == "parameters" and raw.get("type") == "function":
            return given, "responses"
        if key == "parameters" and is_openapi(given):
            return json_schema_of(given), "gemini"
        return given, form
    return None


def is_openapi(schema: Any) -> bool:
    """Whether any type in a schema, however deep, is in Gemini's capitals."""
    if not isinstance(schema, Mapping):
        return False
    named = schema.get("type")
    if isinstance(named, str) and named in OPENAPI_TYPES:
        return True
    return any(
        (key in _NAMED and isinstance(value, Mapping) and any(map(is_openapi, value.values())))
        or (key in _SINGLE and is_openapi(value))
        or (key in _SEVERAL and isinstance(value, list) and any(map(is_openapi, value)))
        for key, value in _camel(schema)
    )


def json_schema_of(schema: Any) -> Any:
    """Gemini's schema as JSON Schema, all the way down; names of properties are not touched.

    Properties stand in the order that `propertyOrdering` gives them. `format` stays as it is: to JSON Schema one that
    it does not know (`int32`, `enum`) is a remark. What is no object comes back as it is.
    """
    if not isinstance(schema, Mapping):
        return schema
    given = dict(_camel(schema))
    nullable, ordering = given.pop("nullable", None), given.pop(_ORDER, None)
    done: dict[str, Any] = {}
    for key, value in given.items():
        if key == "type" and isinstance(value, str):
            if value != _UNKNOWN_TYPE:
                done[key] = value.lower() if value in OPENAPI_TYPES else value
        elif key in _LIMITS and isinstance(value, str) and value.isdecimal():
            done[key] = int(value)
        elif key in _NAMED and isinstance(value, Mapping):
            done[key] = {name: json_schema_of(inner) for name, inner in _ordered(value, ordering)}
        elif key in _SINGLE:
            done[key] = json_schema_of(value)
        elif key in _SEVERAL and isinstance(value, list):
            done[key] = [json_schema_of(inner) for inner in value]
        else:
            done[key] = value
    return _or_null(done) if nullable is True else done


def _camel(schema: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """The keywords that say something, as JSON writes them: Google's Python objects have `any_of` and many a None."""
    return [
        (re.sub(r"_([a-z])", lambda match: match[1].upper(), key), value)
        for key, value in schema.items()
        if value is not None
    ]


def _ordered(properties: Mapping[str, Any], ordering: Any) -> list[tuple[str, Any]]:
    if not isinstance(ordering, list):
        return list(properties.items())
    first = [name for name in ordering if isinstance(name, str) and name in properties]
    return [(name, properties[name]) for name in dict.fromkeys([*first, *properties])]


def _or_null(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema that takes null as well."""
    done = dict(schema)
    if isinstance(done.get("type"), str) and done["type"] != "null":
        done["type"] = [done["type"], "null"]
    if isinstance(done.get("anyOf"), list):
        done["anyOf"] = [*done["anyOf"], {"type": "null"}]
    if isinstance(done.get("enum"), list) and None not in done["enum"]:
        done["enum"] = [*done["enum"], None]
    return done
