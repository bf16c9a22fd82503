"""ToolBench: growing prefixes, and calls written as text."""

from __future__ import annotations

import json
from typing import Any

import pytest

from budgeteer.engine.content.conversation import TextPart, ToolCallPart, ToolResultPart
from budgeteer.engine.errors import FormatError
from budgeteer.formats.detect import import_bytes
from tests.formats.shapes import OPENAI_TOOL, dumps


def turn(speaker: str, value: str) -> dict[str, str]:
    return {"from": speaker, "value": value}


RUN = [
    turn("system", "You may call tide."),
    turn("user", "How high?"),
    turn("assistant", '\nThought: I ask.\nAction: tide\nAction Input: {"city": "Oslo"}\n'),
    turn("function", "0.4 m"),
    turn("assistant", '\nAction: Finish\nAction Input: {"answer": "40 cm"}'),
]


def steps(name: str = "How high?") -> list[dict[str, Any]]:
    return [
        {"id": f"Step 1: {name}", "conversations": RUN[:3]},
        {"id": f"Step 2: {name}", "conversations": RUN},
    ]


def test_a_run_stored_once_a_step_is_read_once() -> None:
    found = import_bytes(dumps([*steps(), {"id": "Step 1: Other", "conversations": RUN[:2]}]))
    assert found.format == "toolbench"
    (chat,) = found.conversations
    assert (chat.title, len(chat.messages), chat.id) == ("How high?", 5, "c2")
    assert "Conversations that a longer one begins with, left out: 2" in found.warnings
    assert found.skipped == ()


def test_equal_runs_both_stay() -> None:
    found = import_bytes(dumps([steps()[1], steps()[1]]))
    assert [chat.id for chat in found.conversations] == ["c1", "c2"]


def test_actions_are_calls_and_functions_their_answers() -> None:
    (chat,) = import_bytes(dumps(steps())).conversations
    assert chat.messages[2].parts == (
        TextPart("\nThought: I ask."),
        ToolCallPart("call_1", "tide", '{"city": "Oslo"}'),
    )
    assert chat.messages[3].parts == (ToolResultPart("call_1", (TextPart("0.4 m"),)),)
    assert chat.messages[4].parts == (ToolCallPart("call_2", "Finish", '{"answer": "40 cm"}'),)


def test_an_answer_file_gives_its_longest_lists_and_its_functions() -> None:
    said: list[dict[str, Any]] = [
        {"role": "system", "content": "S"},
        {"role": "user", "content": "How high?"},
        {"role": "assistant", "content": "", "function_call": {"name": "tide", "arguments": "{}"}},
        {"role": "function", "name": "tide", "content": "0.4 m"},
        {"role": "assistant", "content": "", "function_call": {"name": "Finish", "arguments": "{}"}},
    ]
    other = [*said[:3], {"role": "user", "content": "Try again"}, said[4]]
    answer = {"query": "How high?", "train_messages": [said[:3], said, other], "function": [OPENAI_TOOL["function"]]}
    found = import_bytes(dumps({"win": True, "answer_generation": answer}))
    assert found.format == "toolbench"
    assert [(chat.id, len(chat.messages)) for chat in found.conversations] == [("c1", 5), ("c1#2", 5)]
    assert found.conversations[0].tools == (OPENAI_TOOL,)
    assert found.conversations[0].messages[3].parts == (ToolResultPart("call_1", (TextPart("0.4 m"),)),)
    assert "Conversations that a longer one begins with, left out: 1" in found.warnings


def test_runs_without_turns_are_listed_or_refused() -> None:
    found = import_bytes(dumps([*steps(), {"id": "Step 1: Empty", "conversations": []}]))
    assert [(item.where, item.why) for item in found.skipped] == [("element 3", "no turns in it")]
    with pytest.raises(FormatError, match="No ToolBench messages were found"):
        import_bytes(dumps([{"id": "Step 1: x", "conversations": []}]), as_format="toolbench")


def api(name: str, *required: dict[str, str], **more: Any) -> dict[str, Any]:
    return {
        "category_name": "Travel",
        "tool_name": "Tide Tables (Oslo)",
        "api_name": name,
        "api_description": "When the water is high.",
        "required_parameters": list(required),
        "optional_parameters": [],
        "method": "GET",
        **more,
    }


def test_a_query_is_read_with_the_apis_that_it_offers_as_tools() -> None:
    place = {"name": "place", "type": "STRING", "description": "Where", "default": "Oslo"}
    day = {"name": "day", "type": "DATE (YYYY-MM-DD)", "description": "", "default": ""}
    offered = [api("High Water", place, optional_parameters=[day]), api("200 days")]
    row = {"api_list": offered, "query": "When is it high?", "relevant APIs": [["Tide Tables (Oslo)", "High Water"]]}
    found = import_bytes(dumps([{**row, "query_id": 3}, {**row, "query": ""}]))
    assert found.format == "toolbench"
    (chat,) = found.conversations
    assert (chat.id, [one.role for one in chat.messages]) == ("3", ["user"])
    assert [(item.where, item.why) for item in found.skipped] == [("element 2", "no query in it")]
    first, second = (tool["function"] for tool in chat.tools)
    assert (first["name"], second["name"]) == ("high_water_for_tide_tables_oslo", "get_200_days_for_tide_tables_oslo")
    assert first["parameters"] == {
        "type": "object",
        "properties": {
            "place": {"type": "string", "default": "Oslo", "description": "Where"},
            "day": {"type": "string", "default": "", "description": ""},
        },
        "required": ["place"],
    }
    assert found.accounting is not None
    assert not found.accounting.is_lossy
    assert json.dumps(second["parameters"]) == '{"type": "object", "properties": {}}'


@pytest.mark.parametrize(
    ("own", "family", "name"),
    [
        ("a__b -- c", "d___e", "a_b_c_for_d_e"),
        ("High", "7Timer!", "high_for_get_7timer"),
        ("__2__x__", "t", "get_2_x_for_t"),
        ("From", "t", "is_from_for_t"),
        ("id", "id", "is_id_for_id"),
        ("潮汐", "t", "潮汐_for_t"),
        ("high", "", "high"),
    ],
)
def test_apis_have_the_names_that_toolbench_gives_them(own: str, family: str, name: str) -> None:
    row = {"query": "When is it high?", "api_list": [api(own, tool_name=family)]}
    (chat,) = import_bytes(dumps([row])).conversations
    assert [tool["function"]["name"] for tool in chat.tools] == [name]


def test_an_api_without_a_name_is_listed() -> None:
    found = import_bytes(dumps([{"query": "When is it high?", "api_list": [api("--"), api("High")]}]))
    assert len(found.conversations[0].tools) == 1
    assert [(item.where, item.why) for item in found.skipped] == [("element 1, api 1", "no name for a function")]


def test_queries_of_one_id_are_told_apart() -> None:
    row = {"query": "When is it high?", "query_id": 5, "api_list": [api("High")]}
    assert [chat.id for chat in import_bytes(dumps([row, row])).conversations] == ["5", "5#2"]
