"""OpenAPI documents: operations as tools, in JSON and YAML, in both versions, and hostile ones."""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml

from budgeteer.engine.errors import FormatError
from budgeteer.formats.detect import import_bytes
from tests.formats.shapes import dumps, zipped

LINE = {"name": "line", "in": "path", "required": True, "description": "Its number", "schema": {"type": "string"}}
FERRIES: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {"title": "Ferries", "version": "1"},
    "paths": {
        "/ferries/{line}": {
            "parameters": [LINE],
            "get": {"summary": "One ferry", "responses": {"200": {"description": "The ferry"}}},
            "post": {
                "operationId": "bookFerry",
                "summary": "Book it",
                "description": "For a day",
                "requestBody": {
                    "required": True,
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Booking"}}},
                },
            },
        }
    },
    "components": {
        "schemas": {
            "Booking": {
                "type": "object",
                "required": ["seats"],
                "properties": {"seats": {"type": "integer"}, "with": {"$ref": "#/components/schemas/Booking"}},
            }
        }
    },
}
LINE_SCHEMA = {"type": "string", "description": "Its number"}


@pytest.mark.parametrize(
    "data",
    [dumps(FERRIES), yaml.safe_dump(FERRIES, sort_keys=False).encode(), zipped({"api.json": json.dumps(FERRIES)})],
    ids=["JSON", "YAML", "archive"],
)
def test_operations_are_tools(data: bytes) -> None:
    found = import_bytes(data)
    assert (found.format, found.skipped) == ("tools", ())
    assert [(tool.name, tool.description) for tool in found.tools] == [
        ("get_ferries_line", "One ferry"),
        ("bookFerry", "Book it\n\nFor a day"),
    ]
    get, book = (tool.parameters for tool in found.tools)
    assert get == {"type": "object", "properties": {"line": LINE_SCHEMA}, "required": ["line"]}
    inner = {"seats": {"type": "integer"}, "with": {"type": "object"}}
    assert book == {"type": "object", "properties": {"line": LINE_SCHEMA, **inner}, "required": ["line", "seats"]}


def test_a_body_that_is_no_object_or_meets_a_parameter_is_one_argument() -> None:
    schema = {"type": "object", "properties": {"line": {"type": "string"}}}
    for body in (schema, {"type": "array", "items": {"type": "string"}}):
        given = {"required": True, "content": {"text/csv": {}, "application/json": {"schema": body}}}
        path = {"put": {"operationId": "put", "parameters": [LINE], "requestBody": given}}
        (tool,) = import_bytes(dumps({**FERRIES, "paths": {"/x": path}})).tools
        assert tool.parameters == {
            "type": "object",
            "properties": {"line": LINE_SCHEMA, "body": body},
            "required": ["line", "body"],
        }


def test_version_2_is_read() -> None:
    body = {"name": "b", "in": "body", "required": True, "schema": {"properties": {"day": {"type": "string"}}}}
    asked = {"name": "q", "in": "query", "type": "integer", "description": "How many"}
    api = {"swagger": "2.0", "paths": {"/a": {"get": {"parameters": [asked, body]}}}}
    (tool,) = import_bytes(dumps(api)).tools
    assert (tool.name, tool.description) == ("get_a", "get /a")
    assert tool.parameters == {
        "type": "object",
        "properties": {"q": {"type": "integer", "description": "How many"}, "day": {"type": "string"}},
    }


def test_records_of_tool_alpaca_are_the_tools_of_their_documents() -> None:
    record = {
        "Name": "Ferries",
        "Introduction": "All that floats.",
        "Documentation": json.dumps(FERRIES),
        "Instructions": ["Book the ferry of line 2 for three."],
        "Golden_Answers": [[{"Action": "bookFerry", "Action_Input": '{"line": "2", "seats": 3}'}]],
    }
    found = import_bytes(dumps([record, record]))
    assert [tool.name for tool in found.tools or ()] == ["get_ferries_line", "bookFerry"] * 2
    assert found.accounting is not None
    assert not found.accounting.is_lossy
    assert ("Texts beside the tools of a domain or server, left out", 8) in found.findings.counted


@pytest.mark.parametrize("odd", [{"Instances": [{"input": "Book it"}]}, {"Documentation": "{"}, {"Documentation": 7}])
def test_records_with_conversations_or_without_a_document_are_no_tools(odd: dict[str, Any]) -> None:
    record = {"Name": "Ferries", "Documentation": json.dumps(FERRIES)}
    with pytest.raises(FormatError):
        import_bytes(dumps([record, {**record, **odd}]))


def test_what_is_hostile_is_bounded_or_refused() -> None:
    names = [f"S{number}" for number in range(40)]
    deep = {
        name: {"properties": {key: {"$ref": f"#/components/schemas/{after}"} for key in ("a", "b", "c")}}
        for name, after in zip(names, [*names[1:], "S0"], strict=True)
    }
    body = {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/S0"}}}}
    wide = {"openapi": "3.0.0", "paths": {"/x": {"post": {"requestBody": body}}}, "components": {"schemas": deep}}
    (tool,) = import_bytes(dumps(wide)).tools
    assert len(json.dumps(tool.parameters)) < 1_000_000
    with pytest.raises(FormatError, match="aliases"):
        import_bytes(b"openapi: 3.0.0\npaths: &p\n  /a: {get: {}}\nx: *p\n")
    with pytest.raises(FormatError, match="the limit on YAML is 5,000,000"):
        import_bytes(b"openapi: 3.0.0\npaths:\n" + b"# x\n" * 1_300_000)
    with pytest.raises(FormatError, match="Nothing that can be read was found"):
        import_bytes(dumps({"openapi": "3.0.0", "paths": {"/a": 1}}))
    odd = {"/a": {"get": {"parameters": [1, {"name": 2}, {"$ref": "elsewhere"}]}}}
    (tool,) = import_bytes(dumps({"openapi": "3.0.0", "paths": odd})).tools
    assert tool.parameters == {"type": "object", "properties": {}}


def test_a_long_document_is_read_as_a_short_one() -> None:
    written = yaml.safe_dump(FERRIES, sort_keys=False).encode()
    long = written + b"# A remark.\n" * 100_000
    assert import_bytes(long).tools == import_bytes(written).tools
    for odd, match in ((b"x: &p 1\ny: *p\n", "aliases"), (b"x: [\n", "is not YAML"), (b"x: !!bool maybe\n", "maybe")):
        with pytest.raises(FormatError, match=match):
            import_bytes(long + odd)


def test_a_long_document_without_libyaml_is_refused_by_the_lower_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(yaml, "__with_libyaml__", False)
    with pytest.raises(FormatError, match="the limit on YAML is 1,000,000"):
        import_bytes(b"openapi: 3.0.0\npaths:\n" + b"# x\n" * 300_000)
