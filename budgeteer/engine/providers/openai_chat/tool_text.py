"""Tool definitions as OpenAI's models read them: a namespace of TypeScript types.

OpenAI does not publish the text. The rule here gives every count of definitions sent as `tools` that was checked with
the API and published, to the token:

- the cookbook's example, for gpt-4 and gpt-4o: "How to count tokens with Tiktoken", section 7,
  https://developers.openai.com/cookbook/examples/how_to_count_tokens_with_tiktoken, checked 2026-11-23. Its function
  num_tokens_for_tools gives the same two numbers, but reads neither nested objects nor definitions without parameters;
- 18 requests to gpt-3.5-turbo: https://github.com/BerriAI/litellm, tests/local_testing/messages_with_counts.py, from
  https://github.com/pamelafox/openai-messages-token-helper, checked 2026-11-23;
- two requests with two tools: https://github.com/coderabbitai/openai-chat-tokens, tests/token-counts.test.ts.

An object none of whose properties is described stands on one line; another has a line for each property and each
description, without indentation at any depth. What no published count covers (`anyOf`, `format`, …) is written in the
same way, and `is_published` is False for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from budgeteer.engine.content.library import ToolDefinition, compact_json
from budgeteer.engine.providers.base import COOKBOOK, Charge, ToolReading

OPENING: Final = "namespace functions {\n\n"
CLOSING: Final = "} // namespace functions"

#: Deeper than this a schema is `any`: no provider takes one, and reading ends for every input.
MAX_DEPTH: Final = 40

_SCALARS: Final = {"string": "string", "number": "number", "integer": "number", "boolean": "boolean", "null": "null"}
_READ_KEYS: Final = frozenset({"type", "description", "enum", "items", "properties", "required", "default"})
_UNIONS: Final = ("anyOf", "oneOf", "allOf")


def typescript_text(tool: ToolDefinition) -> str | None:
    """One definition with the blank line after it; None for a tool that has no input schema of its own.

    The text begins with its description or with `type`, and ends with its own line ends, so that the counts of
    definitions between OPENING and CLOSING add up (decision 002).
    """
    if tool.parameters is None:
        return None
    comment = f"// {tool.description}\n" if tool.description else ""
    parameters = f"_: {_object(tool.parameters, 0)}" if _properties(tool.parameters) else ""
    return f"{comment}type {tool.name} = ({parameters}) => any;\n\n"


def is_published(tool: ToolDefinition) -> bool:
    """Whether published counts cover everything that the definition says."""
    parameters = tool.parameters
    if parameters is None or _asks_for_strict(tool.raw):
        return False
    if not parameters:
        return True
    keys = set(parameters) <= {"type", "properties", "required"} and parameters.get("type") == "object"
    return keys and (not _properties(parameters) or _is_published_object(parameters, 0))


def _asks_for_strict(raw: Mapping[str, Any]) -> bool:
    inner = raw.get("function")
    return bool((inner if isinstance(inner, Mapping) else raw).get("strict"))


def _properties(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    found = schema.get("properties")
    return found if isinstance(found, Mapping) else {}


def _described(schema: Any) -> str:
    found = schema.get("description") if isinstance(schema, Mapping) else None
    return found if isinstance(found, str) else ""


def _object(schema: Mapping[str, Any], depth: int) -> str:
    properties = _properties(schema)
    if not properties:
        return "{}"
    required = schema.get("required")
    needed = [name for name in required if isinstance(name, str)] if isinstance(required, list) else []
    typed = {
        name: f"{name}{'' if name in needed else '?'}: {_type(inner, depth + 1)}" for name, inner in properties.items()
    }
    if not any(_described(inner) or _default(inner) for inner in properties.values()):
        return f"{{ {', '.join(typed.values())} }}"
    lines = []
    for name, inner in properties.items():
        if described := _described(inner):
            lines.append(f"// {described}\n")
        lines.append(f"{typed[name]},{_default(inner)}\n")
    return f"{{\n{''.join(lines)}}}"


def _default(schema: Any) -> str:
    if not isinstance(schema, Mapping) or "default" not in schema:
        return ""
    return f" // default: {compact_json(schema['default'])}"


def _type(schema: Any, depth: int) -> str:
    if not isinstance(schema, Mapping) or depth > MAX_DEPTH:
        return "any"
    if isinstance(schema.get("enum"), list) and schema["enum"]:
        return " | ".join(compact_json(value) for value in schema["enum"])
    for union in _UNIONS:
        if isinstance(schema.get(union), list) and schema[union]:
            return " | ".join(_type(inner, depth + 1) for inner in schema[union])
    named = schema.get("type")
    if isinstance(named, list):
        return " | ".join(_named(one, schema, depth) for one in named) or "any"
    return _named(named, schema, depth)


def _named(named: Any, schema: Mapping[str, Any], depth: int) -> str:
    if named == "object":
        return _object(schema, depth)
    if named == "array":
        return f"{_type(schema.get('items'), depth + 1)}[]"
    return _SCALARS.get(named, "any") if isinstance(named, str) else "any"


def _is_published_object(schema: Mapping[str, Any], depth: int) -> bool:
    properties = _properties(schema)
    described = any(_described(inner) or _default(inner) for inner in properties.values())
    required = schema.get("required", [])
    return (
        (described or len(properties) == 1)
        and isinstance(required, list)
        and all(_is_published_property(inner, depth + 1) for inner in properties.values())
    )


def _is_published_property(schema: Any, depth: int) -> bool:
    if not isinstance(schema, Mapping) or not set(schema) <= _READ_KEYS or depth > MAX_DEPTH:
        return False
    if not isinstance(schema.get("default", ""), str) or not isinstance(schema.get("description", ""), str):
        return False
    named = schema.get("type")
    if "enum" in schema:
        return _is_published_enum(named, schema["enum"])
    if named == "object":
        return _is_published_object(schema, depth)
    if named == "array":
        items = schema.get("items")
        return isinstance(items, Mapping) and set(items) == {"type"} and items["type"] in _SCALARS
    return named is None or (isinstance(named, str) and named in _SCALARS)


def _is_published_enum(named: Any, values: Any) -> bool:
    if not isinstance(values, list) or not values:
        return False
    if named == "string":
        return all(isinstance(value, str) for value in values)
    return named == "integer" and all(type(value) is int for value in values)


TYPESCRIPT: Final = ToolReading(
    text=typescript_text,
    is_published=is_published,
    opening=OPENING,
    closing=CLOSING,
    each=Charge(0, "the published counts named above leave nothing for it", published=True),
    charge=Charge(9, f"the one number that gives the counts named above; {COOKBOOK}, section 7", published=True),
    shared_with_system=4,
    makers=frozenset({"OpenAI"}),
    # The models that the published counts name.
    models=frozenset({"gpt-3.5-turbo", "gpt-4", "gpt-4o", "gpt-4o-mini"}),
)
