"""Definitions in every form: what each provider is sent, and Gemini's words for a schema as JSON Schema."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from budgeteer.engine.content.tool_schemas import is_openapi, json_schema_of, schema_of
from budgeteer.engine.inputs.bundle import tool_from_raw
from budgeteer.engine.providers.tool_forms import TOOL_RENDERINGS, tool_in_form

GEMINI: dict[str, Any] = {
    "type": "OBJECT",
    "description": "A berth",
    "nullable": False,
    "propertyOrdering": ["ship", "quay"],
    "properties": {
        "quay": {"type": "INTEGER", "format": "int32", "nullable": True},
        "ship": {
            "type": "OBJECT",
            "properties": {"type": {"type": "STRING", "format": "enum", "enum": ["TUG", "FERRY"], "nullable": True}},
        },
        "cargo": {"type": "ARRAY", "minItems": "1", "items": {"anyOf": [{"type": "STRING"}, {"type": "NUMBER"}]}},
        "note": {"anyOf": [{"type": "STRING"}, {"type": "BOOLEAN"}], "nullable": True},
        "free": {"type": "TYPE_UNSPECIFIED", "description": "OBJECT"},
    },
    "required": ["ship"],
}
JSON: dict[str, Any] = {
    "type": "object",
    "description": "A berth",
    "properties": {
        "ship": {
            "type": "object",
            "properties": {
                "type": {"type": ["string", "null"], "format": "enum", "enum": ["TUG", "FERRY", None]},
            },
        },
        "quay": {"type": ["integer", "null"], "format": "int32"},
        "cargo": {"type": "array", "minItems": 1, "items": {"anyOf": [{"type": "string"}, {"type": "number"}]}},
        "note": {"anyOf": [{"type": "string"}, {"type": "boolean"}, {"type": "null"}]},
        "free": {"description": "OBJECT"},
    },
    "required": ["ship"],
}
DECLARED = {"name": "berth", "description": "Finds a berth", "parameters": GEMINI, "behavior": "BLOCKING"}
FLAT = {
    "type": "function",
    "name": "berth",
    "description": "Finds a berth",
    "parameters": {"type": "object", "properties": {}},
    "strict": None,
    "defer_loading": True,
    "output_schema": {"type": "object"},
}


def test_geminis_words_become_json_schema_all_the_way_down() -> None:
    assert json_schema_of(GEMINI) == JSON
    assert list(json_schema_of(GEMINI)["properties"]) == ["ship", "quay", "cargo", "note", "free"]
    assert json_schema_of(JSON) == JSON


def test_a_python_object_written_down_is_read_the_same() -> None:
    written = {"type": "ARRAY", "any_of": None, "min_items": "2", "items": {"type": "STRING", "nullable": None}}
    assert json_schema_of(written) == {"type": "array", "minItems": 2, "items": {"type": "string"}}


def test_what_is_no_object_is_the_same_schema_in_everybodys_words() -> None:
    given = {"type": "OBJECT", "additionalProperties": False, "properties": {"any": True, "some": {"type": "STRING"}}}
    assert json_schema_of(given) == {
        "type": "object",
        "additionalProperties": False,
        "properties": {"any": True, "some": {"type": "string"}},
    }


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        (GEMINI, True),
        (JSON, False),
        ({"properties": {"OBJECT": {"type": "string", "enum": ["STRING"]}}}, False),
        ({"items": {"anyOf": [{}, {"type": "NULL"}]}}, True),
        ("OBJECT", False),
    ],
)
def test_capitals_of_types_tell_geminis_words(schema: Any, expected: bool) -> None:
    assert is_openapi(schema) is expected


def test_a_gemini_declaration_goes_to_others_as_json_schema_and_back_as_it_came() -> None:
    tool = tool_from_raw(DECLARED)
    assert tool_in_form(tool, "gemini") == DECLARED
    assert tool_in_form(tool, "openai")["function"]["parameters"] == JSON
    assert tool_in_form(tool, "responses")["parameters"] == JSON
    assert tool_in_form(tool, "anthropic") == {"name": "berth", "description": "Finds a berth", "input_schema": JSON}


def test_a_flat_function_keeps_its_fields_for_responses_alone() -> None:
    tool = tool_from_raw(FLAT)
    assert tool_in_form(tool, "responses") == FLAT
    for form in ("openai", "anthropic", "gemini"):
        assert "defer_loading" not in str(tool_in_form(tool, form))


_PLAIN = st.fixed_dictionaries({"type": st.sampled_from(["STRING", "NUMBER", "INTEGER", "BOOLEAN"])})
_SCHEMAS = st.recursive(
    _PLAIN,
    lambda inner: st.one_of(
        st.fixed_dictionaries({"type": st.just("ARRAY"), "items": inner, "nullable": st.booleans()}),
        st.fixed_dictionaries(
            {"type": st.just("OBJECT"), "properties": st.dictionaries(st.text(max_size=4), inner, max_size=3)}
        ),
        st.fixed_dictionaries({"anyOf": st.lists(inner, min_size=1, max_size=3)}),
    ),
    max_leaves=12,
)


@given(_SCHEMAS)
def test_no_word_of_gemini_is_left_and_doing_it_again_changes_nothing(schema: dict[str, Any]) -> None:
    done = json_schema_of(schema)
    assert is_openapi(schema)
    assert not is_openapi(done)
    assert json_schema_of(done) == done


@given(_SCHEMAS)
def test_each_form_gives_back_what_came_in_it(schema: dict[str, Any]) -> None:
    parameters = json_schema_of(schema)
    forms = {
        "openai": {"type": "function", "function": {"name": "f", "parameters": parameters, "strict": True}},
        "responses": {"type": "function", "name": "f", "parameters": parameters, "defer_loading": True},
        "anthropic": {"name": "f", "input_schema": parameters, "cache_control": {"type": "ephemeral"}},
        "gemini": {"name": "f", "parameters": schema},
    }
    for form in TOOL_RENDERINGS:
        assert tool_in_form(tool_from_raw(forms[form]), form) == forms[form]


def test_a_definition_without_a_schema_has_none() -> None:
    assert schema_of({"name": "f", "parameters": None}) is None
