"""Tasks of function calls: what was asked, the tools that were offered, and the calls that answer it, as xLAM has them.

In xLAM's own rows these are `query`, `tools` and `answers`: tools and calls are lists or JSON texts of them, parameters
of a tool an object of names, each with a description, a type as Python writes it and a default. Other sets ask under
`prompt` or `user_query`, offer definitions with their parameters under `available_functions` and the like, and keep the
calls under `expected_function_calls` or `gold.calls`; the result of a call may stand with it, and calls in any order
under `any_order`. Where no call is expected, a reply in words is read. A `user_query` that nothing answers is read
alone, with its tools. A system text beside what was asked stands before it.
Source: https://huggingface.co/datasets/Salesforce/xlam-function-calling-60k, and
https://github.com/gptscript-ai/function-calling-test-suite, https://github.com/firstbatchxyz/function-calling-eval,
2026-11.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from budgeteer.engine.content.conversation import Conversation
from budgeteer.engine.content.library import compact_json
from budgeteer.formats.datasets.columns import leave_columns
from budgeteer.formats.datasets.sharegpt import conversation_of
from budgeteer.formats.messages.imported import Imported, Skipped
from budgeteer.formats.messages.numbering import first_text, text_value
from budgeteer.formats.messages.objects import OBJECT, object_under
from budgeteer.formats.messages.speakers import PAIRED
from budgeteer.formats.reading import json_text
from budgeteer.formats.reading.document import Document
from budgeteer.formats.reading.entries import Entry, mappings, mostly
from budgeteer.formats.reading.importing import imported_from_entries
from budgeteer.formats.reading.open_calls import written_calls
from budgeteer.formats.reading.parameter_schemas import from_named_arguments, is_named_arguments

_KEYS: Final = ("query", "answers", "tools")
_ASKED: Final = ("query", "user_query", "prompt")
_TOOLS: Final = ("tools", "functions", "available_functions", "function_schema_json")
_EXPECTED: Final = ("expected_function_calls", "expected_calls", "expected_tool_calls", "gold_calls")
"""Columns of the calls that a task is to be answered with."""
_GOLD: Final = "gold"
"""The object under whose `calls` other sets keep them."""
_ANY_ORDER: Final = "any_order"
_SYSTEM: Final = ("system_prompt", "system_message", "systemPrompt")
_SAID: Final = frozenset({
    "messages", "traj", "history", "conversation", "conversations", "trace", "turns", "input", "dialog", "dialogue",
})  # fmt: skip
"""Columns of what was said beside a question, which is then not alone."""


def detect(document: Document) -> str | None:
    """Why a document holds tasks of function calls, None when it does not."""
    if mostly(document, _is_task):
        return "holds a `query`, `tools` and the calls that answer it, as xLAM does"
    if mostly(document, _is_expected):
        return "holds what was asked, the tools offered and the calls that are expected, as tests of function calls do"
    if mostly(document, _is_asked_alone):
        return "holds a `user_query` and the tools offered for it, as tests of function calls do"
    return None


def _is_task(value: Mapping[str, Any]) -> bool:
    if not text_value(value.get("query")) or not all(key in value for key in _KEYS):
        return False
    calls, tools = _listed(value["answers"]), _listed(value["tools"])
    is_answered = calls == [] or written_calls(compact_json(calls)) is not None
    return is_answered and bool(tools) and all(text_value(tool.get("name")) for tool in mappings(tools))


def _is_expected(value: Mapping[str, Any]) -> bool:
    """Whether a row offers tools for what it asks, and has the calls that are expected, maybe none."""
    calls = _calls(value)
    if not first_text(value, _ASKED) or not _is_offered(value) or calls is None or "messages" in value:
        return False
    return all(written_calls(compact_json(step)) is not None for step in _steps(calls))


def _is_asked_alone(value: Mapping[str, Any]) -> bool:
    """Whether a row is a person's question with the tools for it, and nothing that answers it."""
    asked = "user_query"
    if not text_value(value.get(asked)) or not _is_offered(value):
        return False
    is_answered = any(key in value for key in (*PAIRED[asked], *_EXPECTED, "answers", "messages"))
    return not is_answered and not any(map(value.get, _SAID))


def _is_offered(value: Mapping[str, Any]) -> bool:
    """Whether a row has definitions of tools, all with a name and parameters."""
    tools = _listed(next((value[key] for key in _TOOLS if key in value), None))
    held = (object_under(tool, "function") or tool for tool in mappings(tools))
    named = [tool for tool in held if text_value(tool.get("name")) and "parameters" in tool]
    return bool(tools) and len(named) == len(tools or ())


def _listed(value: Any) -> list[Any] | None:
    """A list, or that which a JSON text holds; None for anything else."""
    given = json_text.parse_inner(value, None) if isinstance(value, str) else value
    return given if isinstance(given, list) else None


def _expected_in(value: Mapping[str, Any]) -> tuple[str, list[Any] | None]:
    """The column of the calls that a row expects under other names than xLAM's, and they; "" and None for none.

    Of several columns it is the first with calls in it, else the first.
    """
    gold = object_under(value, _GOLD).get("calls")
    listed = [(_GOLD, gold)] if isinstance(gold, list) else []
    listed += [(key, calls) for key in _EXPECTED if (calls := _listed(value.get(key))) is not None]
    return next((one for one in listed if one[1]), listed[0] if listed else ("", None))


def _calls(value: Mapping[str, Any]) -> list[Any] | None:
    """The calls that a row expects under other names than xLAM's, None where it names none."""
    return _expected_in(value)[1]


def _steps(calls: list[Any]) -> Iterator[list[Any]]:
    """The calls in the order in which they are made: one alone, or those that may be made in any order together."""
    for one in calls:
        held = one.get(_ANY_ORDER) if isinstance(one, OBJECT) else None
        yield held if isinstance(held, list) else [one]


def read(document: Document) -> Imported:
    """Read a conversation of each row: what was asked, and the calls that answer it.

    Raises:
        FormatError: no row asks anything.
    """
    return imported_from_entries(document, _conversation, "xLAM", without="no query in it")


def _conversation(entry: Entry, document: Document, skipped: list[Skipped]) -> Conversation:
    value = entry.value
    asked = next((key for key in _ASKED if text_value(value.get(key))), "")
    offered = next((key for key in _TOOLS if key in value), "")
    told = next((key for key in _SYSTEM if text_value(value.get(key)).strip()), "")
    turns = [{"from": "system", "value": value[told]}] if told else []
    turns += [{"from": "human", "value": value[asked]}] if asked else []
    answer, said = _answer(entry, asked, skipped)
    turns += said
    leave_columns(value, {"id", told, asked, offered, answer}, document.notes)
    leave_columns(object_under(value, _GOLD) if answer == _GOLD else {}, {"calls"}, document.notes)
    tools = [_tool(tool) for tool in mappings(_listed(value.get(offered)))]
    row = Entry(entry.number, entry.where, {"id": _id(entry), "conversations": turns, "tools": tools})
    return conversation_of(row, document, skipped)


def _answer(entry: Entry, asked: str, skipped: list[Skipped]) -> tuple[str, list[dict[str, Any]]]:
    """The column that answers a row, "" for none, and its turns: the calls, else a reply in words."""
    value = entry.value
    column, expected = _expected_in(value)
    if expected:
        return column, _expected(expected)
    if _listed(value.get("answers")) or (expected is None and not _is_asked_alone(value)):
        return "answers", _answered(entry, skipped)
    reply = next((key for key in PAIRED.get(asked, ()) if text_value(value.get(key)).strip()), "")
    return reply or column, [{"from": "gpt", "value": value[reply]}] if reply else []


def _answered(entry: Entry, skipped: list[Skipped]) -> list[dict[str, Any]]:
    """The turn of xLAM's calls; a value that is no list of them is listed as skipped."""
    calls = _listed(entry.value.get("answers"))
    if calls is None:
        said = compact_json(entry.value.get("answers"))[:500]
        skipped.append(Skipped(f"{entry.where}, answers", "no list of calls", said))
    return [{"from": "function_call", "value": compact_json(calls)}] if calls else []


def _expected(calls: list[Any]) -> list[dict[str, Any]]:
    """The turns of the calls that are expected: all together, or step by step where they have results."""
    steps = list(_steps(calls))
    results = [held for step in steps for one in step if isinstance(one, OBJECT) and (held := one.get("result"))]
    if not results:
        return [{"from": "function_call", "value": compact_json([one for step in steps for one in step])}] * bool(steps)
    turns: list[dict[str, Any]] = []
    for step in steps:
        made = [_without_result(one) for one in step]
        turns.append({"from": "function_call", "value": compact_json(made)})
        answered = (one for one in mappings(step) if "result" in one)
        turns += ({"from": "observation", "value": one["result"], "name": one.get("name")} for one in answered)
    return turns


def _without_result(call: Any) -> Any:
    return {key: held for key, held in call.items() if key != "result"} if isinstance(call, OBJECT) else call


def _id(entry: Entry) -> str:
    given = entry.value.get("id")
    return str(given) if isinstance(given, str | int) and not isinstance(given, bool) else ""


def _tool(raw: Mapping[str, Any]) -> Mapping[str, Any]:
    """A tool whose parameters are a JSON Schema, where they are described by name."""
    given = raw.get("parameters")
    if not isinstance(given, Mapping) or not (given == {} or is_named_arguments(given)):
        return raw
    return {**raw, "parameters": from_named_arguments(given, raw.get("required"))}
