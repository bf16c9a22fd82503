"""The OpenAPI document as the page prints it: groups of operations with their parameters, bodies and answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from budgeteer.access.problems import MEDIA_TYPE


@dataclass(frozen=True, slots=True)
class FieldRow:
    """One parameter or one key of a body or an answer; `shape` is the name of the shape it has, "" for none."""

    name: str
    place: str
    kind: str
    shape: str
    is_required: bool
    description: str


@dataclass(frozen=True, slots=True)
class AnswerRow:
    """One answer that is no error: its status and its keys."""

    status: str
    fields: tuple[FieldRow, ...]


@dataclass(frozen=True, slots=True)
class OperationRow:
    """One operation; `errors` are the statuses of its problems."""

    anchor: str
    method: str
    path: str
    summary: str
    description: str
    scope: str
    inputs: tuple[FieldRow, ...]
    answers: tuple[AnswerRow, ...]
    errors: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ShapeRow:
    """A shape that several answers or bodies hold, with its keys."""

    name: str
    description: str
    fields: tuple[FieldRow, ...]


@dataclass(frozen=True, slots=True)
class OperationGroup:
    """The operations on one kind of thing."""

    title: str
    operations: tuple[OperationRow, ...]


def groups_of(document: Mapping[str, Any]) -> tuple[OperationGroup, ...]:
    """Every group, in the document's order."""
    rows: dict[str, list[OperationRow]] = {}
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            rows.setdefault(operation["tags"][0], []).append(_operation(document, path, method, operation))
    return tuple(OperationGroup(title, tuple(found)) for title, found in rows.items())


def shapes_of(document: Mapping[str, Any]) -> tuple[ShapeRow, ...]:
    """Every shape with keys of its own, by name."""
    shapes = sorted(document["components"]["schemas"].items())
    return tuple(
        ShapeRow(name, shape.get("description", ""), tuple(_fields(document, shape, place="")))
        for name, shape in shapes
        if "properties" in shape
    )


def _operation(document: Mapping[str, Any], path: str, method: str, operation: Mapping[str, Any]) -> OperationRow:
    statuses = {str(status): answer for status, answer in operation["responses"].items()}
    body = operation.get("requestBody", {}).get("content", {})
    inputs = [
        _field(document, one["name"], one["schema"], place=one["in"], is_required=one["required"])
        for one in operation.get("parameters", ())
    ]
    for media_type, content in body.items():
        inputs += _fields(document, content["schema"], place="form" if "form" in media_type else "body")
    return OperationRow(
        anchor=operation["operationId"],
        method=method.upper(),
        path=path,
        summary=operation["summary"],
        description=operation.get("description", ""),
        scope=operation.get("x-scope") or "",
        inputs=tuple(inputs),
        answers=tuple(_answer(document, status, answer) for status, answer in statuses.items() if status < "4"),
        errors=tuple(status for status, answer in statuses.items() if MEDIA_TYPE in answer.get("content", {})),
    )


def _answer(document: Mapping[str, Any], status: str, answer: Mapping[str, Any]) -> AnswerRow:
    schemas = [content["schema"] for content in answer.get("content", {}).values()]
    return AnswerRow(status, tuple(row for schema in schemas for row in _fields(document, schema, place="")))


def _fields(document: Mapping[str, Any], schema: Mapping[str, Any], *, place: str) -> Iterator[FieldRow]:
    whole = _resolved(document, schema)
    required = whole.get("required", ())
    for name, field in whole.get("properties", {}).items():
        yield _field(document, name, field, place=place, is_required=name in required)


def _field(
    document: Mapping[str, Any], name: str, schema: Mapping[str, Any], *, place: str, is_required: bool
) -> FieldRow:
    description = str(schema.get("description", ""))
    return FieldRow(name, place, _kind(document, schema), _shape(document, schema), is_required, description)


def _shape(document: Mapping[str, Any], schema: Mapping[str, Any]) -> str:
    """The name of the one shape that a schema leads to, "" for none."""
    inner = [schema, schema.get("items", {}), *schema.get("anyOf", ())]
    names = [str(one["$ref"]).rpartition("/")[2] for one in inner if "$ref" in one]
    return names[0] if names and "properties" in document["components"]["schemas"][names[0]] else ""


def _resolved(document: Mapping[str, Any], schema: Mapping[str, Any]) -> Mapping[str, Any]:
    if "$ref" not in schema:
        return schema
    found: Mapping[str, Any] = document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    return found


def _kind(document: Mapping[str, Any], schema: Mapping[str, Any]) -> str:
    """A schema in words: "integer", "text or null", "list of ItemOut", one of its words."""
    if "anyOf" in schema:
        return " or ".join(_kind(document, one) for one in schema["anyOf"])
    if "$ref" in schema:
        inner = _resolved(document, schema)
        return _kind(document, inner) if "enum" in inner else str(schema["$ref"]).rpartition("/")[2]
    if "enum" in schema:
        return ", ".join(str(word) for word in schema["enum"])
    if schema.get("type") == "array":
        return f"list of {_kind(document, schema['items'])}"
    return str(schema.get("format") or schema.get("type") or "any value")
