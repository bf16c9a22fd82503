"""Tool definitions as Claude reads them: what providers recorded of requests whose every text is known."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

import budgeteer
from budgeteer.engine.content.library import ToolDefinition
from budgeteer.engine.counting.library_measures import measure_tools
from budgeteer.engine.counting.tokenizers import counter_for
from budgeteer.engine.providers.anthropic.tools import CLAUDE, claude_text

type Schema = dict[str, Any]

TEXT: Schema = {"type": "string"}
SQUARE_ROOT: Schema = {
    "name": "square_root",
    "description": "Calculates and return the square root of a number",
    "input_schema": {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "properties": {"number": {"type": "number"}},
        "additionalProperties": False,
        "type": "object",
        "required": ["number"],
    },
}
SQUARE_ROOT_ASKED = (
    "Use the square_root tool to calculate the square root of 132413 and reply with only the result. "
    "Do not give an explanation."
)


def tool(name: str, text: str, *required: str, **more: Any) -> Schema:
    schema = {"additionalProperties": False, "properties": dict.fromkeys(required, TEXT)}
    if required:
        schema["required"] = list(required)
    return {"name": name, "description": text, "input_schema": {**schema, "type": "object"}, **more}


WEATHER = tool("get_weather", "Get the current weather for a city.", "city")

#: Model, tool_choice, what the user says, definitions, and the input tokens that the response says; the requests of
#: Sonnet 4.5 and 4.6 are in the tests of pydantic-ai, those of Opus 4.8 and Sonnet 5 in those of maruel/genai.
RECORDED = [
    ("claude-sonnet-4-5", "auto", "What's the weather in Paris?", [WEATHER], 572),
    ("claude-sonnet-4-6", "auto", "Reply with exactly: ready", [tool("lookup_shipping", "", "order_id")], 563),
    (
        "claude-sonnet-4-5",
        "auto",
        "What's the weather and elevation in Denver?",
        [tool("get_weather", "", "city", strict=True), tool("get_elevation", "", "city")],
        612,
    ),
    (
        "claude-sonnet-4-5",
        "any",
        "Give me information about Tokyo",
        [
            {
                "name": "final_result",
                "description": "Information about a city.",
                "input_schema": {
                    "properties": {"city": TEXT, "country": TEXT, "population": {"type": "integer"}},
                    "required": ["city", "country", "population"],
                    "type": "object",
                },
            }
        ],
        678,
    ),
    ("claude-opus-4-8", "any", SQUARE_ROOT_ASKED, [SQUARE_ROOT], 562),
    ("claude-sonnet-5", "any", SQUARE_ROOT_ASKED, [SQUARE_ROOT], 626),
]


@pytest.mark.parametrize(("model", "choice", "said", "tools", "recorded"), RECORDED)
def test_a_recorded_request_is_counted_to_the_token(
    model: str, choice: str, said: str, tools: list[Schema], recorded: int
) -> None:
    body = {
        "model": model,
        "max_tokens": 1_000,
        "messages": [{"role": "user", "content": said}],
        "tools": tools,
        "tool_choice": {"type": choice},
    }
    packed = budgeteer.pack_request(body)
    assert packed.body["tools"] == tools
    assert packed.packing.total.tokens == pytest.approx(recorded, abs=1)


def definition(text: str, parameters: Mapping[str, Any] | None, **raw: Any) -> ToolDefinition:
    return ToolDefinition("look", text, parameters, "anthropic", {"name": "look", **raw})


def test_a_definition_is_a_line_of_json_with_blanks_and_without_what_only_the_api_reads() -> None:
    schema = {"type": "object", "properties": {"größe": {"type": "string", "enum": ["a", "b"]}}}
    read = claude_text(definition("Look → there", schema, strict=True, cache_control={"type": "ephemeral"}))
    assert read is not None
    assert read.isascii()
    assert json.loads(read) == {"description": "Look → there", "name": "look", "parameters": schema}
    assert read.startswith('{"description": "Look \\u2192 there", "name": "look", "parameters": {"type": "object", ')
    assert claude_text(definition("", {})) == '{"name": "look", "parameters": {}}'


def test_a_tool_that_runs_at_anthropic_is_counted_as_it_is_sent() -> None:
    hosted = ToolDefinition("web_search", "", None, "anthropic", {"type": "web_search_20250305", "name": "web_search"})
    assert claude_text(hosted) is None
    sizes = measure_tools([hosted], counter=counter_for("claude-v3")).of("anthropic")
    assert sizes.read_tokens.tolist() == sizes.tokens.tolist()


def test_definitions_add_up_each_with_what_stands_around_it() -> None:
    counter = counter_for("claude-v4.8")
    tools = [definition(f"Number {number}", {"type": "object"}) for number in range(3)]
    texts = [claude_text(tool) or "" for tool in tools]
    found = measure_tools(tools, counter=counter).of("anthropic").read_tokens
    assert found.tolist() == [counter.count(text) + CLAUDE.each.tokens for text in texts]
