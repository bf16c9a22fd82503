"""Tool definitions as OpenAI's models read them, written once more from the published counts alone."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any


def definitions_tokens(request: Mapping[str, Any], count: Callable[[str], int]) -> int:
    """What a request's definitions take: the namespace, nine tokens, four of them shared with a system message."""
    tools = request.get("tools", [])
    if not tools:
        return 0
    read = [tool for tool in tools if tool.get("type") == "function"]
    others = sum(count(_json(tool)) for tool in tools if tool.get("type") != "function")
    text = "namespace functions {\n\n" + "".join(map(_definition, read)) + "} // namespace functions"
    total = count(text) + 9 + others
    said = _system_text(request)
    return total if said is None else total - 4 + count(said + "\n") - count(said)


def _system_text(request: Mapping[str, Any]) -> str | None:
    if "instructions" in request:
        return str(request["instructions"])
    first = next(iter(request.get("messages", request.get("input", []))), {})
    if first.get("role") not in ("system", "developer"):
        return None
    content = first["content"]
    return content if isinstance(content, str) else str(content[-1]["text"])


def _definition(tool: Mapping[str, Any]) -> str:
    inner = tool.get("function", tool)
    lines = [f"// {inner['description']}"] if inner.get("description") else []
    schema = inner.get("parameters", {})
    takes = "_: " + _typed(schema | {"type": "object"}) if schema.get("properties") else ""
    return "\n".join([*lines, f"type {inner['name']} = ({takes}) => any;", "", ""])


def _typed(schema: Any) -> str:
    if not isinstance(schema, Mapping):
        return "any"
    if schema.get("enum"):
        return " | ".join(map(_json, schema["enum"]))
    kind = schema.get("type")
    if several := next((schema[key] for key in ("anyOf", "oneOf", "allOf") if schema.get(key)), None):
        return " | ".join(map(_typed, several))
    if isinstance(kind, list):
        return " | ".join(_typed(dict(schema) | {"type": one}) for one in kind) or "any"
    if kind == "array":
        return _typed(schema.get("items")) + "[]"
    if kind == "object":
        return _object(schema)
    return {"integer": "number"}.get(kind, kind) if kind in _PLAIN else "any"


def _object(schema: Mapping[str, Any]) -> str:
    needed = schema.get("required", [])
    rows = []
    for name, inner in schema.get("properties", {}).items():
        facts = inner if isinstance(inner, Mapping) else {}
        row = f"{name}{'' if name in needed else '?'}: {_typed(inner)}"
        standard = f" // default: {_json(facts['default'])}" if "default" in facts else ""
        rows.append((facts.get("description", ""), row, standard))
    if not rows:
        return "{}"
    if not any(about or standard for about, _, standard in rows):
        return "{ " + ", ".join(row for _, row, _ in rows) + " }"
    body = "".join((f"// {about}\n" if about else "") + f"{row},{standard}\n" for about, row, standard in rows)
    return "{\n" + body + "}"


_PLAIN = ("string", "number", "integer", "boolean", "null")


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
