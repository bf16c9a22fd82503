"""OpenAPI documents as tools: an operation is a tool whose arguments are its parameters and the fields of its body.

References within the document are written out, since a tool is sent alone; one that leads back into itself, and what is
beyond a bound on the size of a tool, becomes an object of any fields.
Source: https://spec.openapis.org/oas/v3.1.0 and https://swagger.io/specification/v2 (`parameters` in the body).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from budgeteer.engine.errors import FormatError
from budgeteer.formats.messages.numbering import text_value
from budgeteer.formats.messages.objects import object_under
from budgeteer.formats.reading import json_text
from budgeteer.formats.reading.notations.frontmatter import FrontMatterProblem, yaml_values
from budgeteer.formats.reading.notations.long_yaml import long_yaml, longest_yaml
from budgeteer.formats.reading.notations.yaml_text import LONGEST_YAML, YamlProblem

_METHODS: Final = ("get", "put", "post", "delete", "options", "head", "patch", "trace", "query")
_VERSION: Final = re.compile(r"^[\"']?(?:openapi|swagger)[\"']?[ \t]*:[ \t]*[\"']?[23]\.", re.MULTILINE)
_PATHS: Final = re.compile(r"^[\"']?paths[\"']?[ \t]*:", re.MULTILINE)
_HEAD: Final = 4_000
_DOCUMENT: Final = "Documentation"
_INSTANCES: Final = "Instances"
"""Keys of ToolAlpaca's records: https://github.com/tangqiaoyu/ToolAlpaca, `data`, 2026-11."""
_LONGEST_NAME: Final = 64
"""Characters of a tool's name. Source: OpenAI's and Anthropic's pattern for names, `^[a-zA-Z0-9_-]{1,64}$`."""
_MOST_VALUES: Final = 5_000
"""Values of the schema of one tool, its references written out."""
_SCHEMA_FIELDS: Final = ("type", "format", "enum", "default", "items", "minimum", "maximum", "pattern")
"""The fields of a parameter that are its schema in version 2."""


def is_openapi(value: Any) -> bool:
    """Whether a value is an OpenAPI document with operations."""
    if not isinstance(value, Mapping) or not ("openapi" in value or "swagger" in value):
        return False
    items = (item for item in object_under(value, "paths").values() if isinstance(item, Mapping))
    return any(object_under(item, method) for item in items for method in _METHODS)


def documents_in(value: Any) -> list[Mapping[str, Any]]:
    """The OpenAPI document that a value is, or those of the records of ToolAlpaca; none of any other value.

    Its records have a document as JSON text beside instructions and the calls that answer them; those with instances of
    conversations are no list of tools.
    """
    if is_openapi(value):
        return [value]
    if not isinstance(value, list) or not all(map(_is_record, value)):
        return []
    found = [json_text.parse_inner(record[_DOCUMENT], None) for record in value]
    return found if all(map(is_openapi, found)) else []


def _is_record(value: Any) -> bool:
    return isinstance(value, Mapping) and isinstance(value.get(_DOCUMENT), str) and _INSTANCES not in value


def beside_documents(value: Any) -> list[Any]:
    """What stands beside the documents of records."""
    records = value if isinstance(value, list) else []
    return [inner for record in records for key, inner in record.items() if key != _DOCUMENT]


def is_openapi_text(text: str) -> bool:
    """Whether a text is an OpenAPI document in YAML, told by its first lines."""
    return bool(_VERSION.search(text[:_HEAD])) and bool(_PATHS.search(text))


def openapi_of(text: str) -> Mapping[str, Any]:
    """The OpenAPI document that a text holds in YAML.

    Raises:
        FormatError: it is too long, or not YAML of keys and values.
    """
    if len(text) > longest_yaml():
        raise FormatError(
            f"The YAML has {len(text):,} characters; the limit on YAML is {longest_yaml():,}",
            mend="Give the same document as JSON",
        )
    source, what = text.removeprefix("\ufeff"), "the OpenAPI document"
    try:
        held = long_yaml(source, what=what) if len(text) > LONGEST_YAML else yaml_values(source, what=what)
    except (FrontMatterProblem, YamlProblem) as problem:
        raise FormatError(f"It cannot be read: {problem}", mend="Give the same document as JSON") from None
    return held if isinstance(held, dict) else {}


def tools_of_openapi(document: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Each operation of a document as a tool in MCP's form."""
    for path, item in object_under(document, "paths").items():
        shared = item.get("parameters") if isinstance(item, Mapping) else None
        for method in _METHODS:
            operation = object_under(item, method) if isinstance(item, Mapping) else {}
            if operation:
                yield _Operation(document).tool(f"{method} {path}", operation, shared)


def beside_operations(document: Mapping[str, Any]) -> list[Any]:
    """What of a document no tool is made of: all but its paths, and what operations answer."""
    held: list[Any] = [inner for key, inner in document.items() if key != "paths"]
    for item in object_under(document, "paths").values():
        for method in _METHODS if isinstance(item, Mapping) else ():
            operation = object_under(item, method)
            held += [inner for key, inner in operation.items() if key not in ("summary", "description", "parameters")]
    return held


class _Operation:
    """One operation being read: how many values its schema may still have."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self._document = document
        self._left = _MOST_VALUES

    def tool(self, place: str, operation: Mapping[str, Any], shared: Any) -> Mapping[str, Any]:
        properties: dict[str, Any] = {}
        required: list[str] = []
        own = operation.get("parameters")
        for given in [*(shared if isinstance(shared, list) else []), *(own if isinstance(own, list) else [])]:
            parameter = self._written_out(given, ())
            name = text_value(parameter.get("name")) if isinstance(parameter, Mapping) else ""
            if not name:
                continue
            if parameter.get("in") == "body":  # of version 2
                is_required = parameter.get("required") is True
                self._add_body(parameter.get("schema"), properties, required, is_required=is_required)
                continue
            properties[name] = _parameter_schema(parameter)
            if parameter.get("required") is True and name not in required:
                required.append(name)
        body = self._written_out(operation.get("requestBody"), ())
        if isinstance(body, Mapping):
            is_required = body.get("required") is True
            self._add_body(_body_schema(body), properties, required, is_required=is_required)
        said = [text_value(operation.get(key)).strip() for key in ("summary", "description")]
        schema = {"type": "object", "properties": properties, **({"required": required} if required else {})}
        return {
            "name": _name(text_value(operation.get("operationId")) or place),
            "description": "\n\n".join(dict.fromkeys(text for text in said if text)) or place,
            "inputSchema": schema,
        }

    def _add_body(self, given: Any, properties: dict[str, Any], required: list[str], *, is_required: bool) -> None:
        """Add the fields of a body to the arguments; as one argument `body` where it is no object, or names meet."""
        schema = self._written_out(given, ())
        if not isinstance(schema, Mapping):
            return
        fields = object_under(schema, "properties")
        if not fields or not fields.keys().isdisjoint(properties):
            properties["body"] = schema
            required += ["body"] if is_required else []
            return
        properties.update(fields)
        needed = schema.get("required")
        if is_required and isinstance(needed, list):
            required += [name for name in needed if isinstance(name, str) and name in fields]

    def _written_out(self, given: Any, within: tuple[str, ...]) -> Any:
        """A value with its references written out."""
        self._left -= 1
        if isinstance(given, list):
            return [self._written_out(one, within) for one in given[: max(self._left, 0)]]
        if not isinstance(given, Mapping):
            return given
        reference = given.get("$ref")
        if isinstance(reference, str):
            if reference in within or self._left < 0:
                return {"type": "object"}
            return self._written_out(self._found(reference), (*within, reference))
        if self._left < 0:
            return {"type": "object"}
        return {key: self._written_out(inner, within) for key, inner in given.items() if key not in ("example", "xml")}

    def _found(self, reference: str) -> Any:
        """What a reference within the document leads to; an object of any fields where it leads elsewhere."""
        at: Any = self._document
        for step in reference.removeprefix("#/").split("/") if reference.startswith("#/") else ("",):
            at = at.get(step.replace("~1", "/").replace("~0", "~")) if isinstance(at, Mapping) else None
        return at if isinstance(at, Mapping) else {"type": "object"}


def _parameter_schema(parameter: Mapping[str, Any]) -> Mapping[str, Any]:
    """The schema of a parameter with its description."""
    given = parameter.get("schema")
    if not isinstance(given, Mapping):
        given = _body_schema(parameter) or {key: parameter[key] for key in _SCHEMA_FIELDS if key in parameter}
    said = text_value(parameter.get("description"))
    return {**given, "description": said} if said and isinstance(given, Mapping) else given


def _body_schema(body: Mapping[str, Any]) -> Any:
    """The schema of a body: of its JSON, else of the first form in which it may come."""
    content = object_under(body, "content")
    forms = sorted(content, key=lambda name: "json" not in name)
    return object_under(content, forms[0]).get("schema") if forms else None


def _name(given: str) -> str:
    """A name that providers take."""
    return re.sub(r"[^A-Za-z0-9_-]+", "_", given).strip("_")[:_LONGEST_NAME] or "operation"
