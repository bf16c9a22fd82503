"""xLAM: a `query`, the `tools` that were offered, and under `answers` the calls that answer it.

Tools and calls are lists or JSON texts of them. Parameters of a tool are an object of names, each with a description, a
type as Python writes it and a default.
Source: https://huggingface.co/datasets/Salesforce/xlam-function-calling-60k, 2026-11.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from budgeteer.engine.content.conversation import Conversation
from budgeteer.engine.content.library import compact_json
from budgeteer.formats.datasets.sharegpt import conversation_of
from budgeteer.formats.messages.imported import Imported, Skipped
from budgeteer.formats.messages.numbering import text_value
from budgeteer.formats.reading import json_text
from budgeteer.formats.reading.document import Document
from budgeteer.formats.reading.entries import Entry, mappings, mostly
from budgeteer.formats.reading.envelopes import imported_from_entries
from budgeteer.formats.reading.open_calls import written_calls
from budgeteer.formats.reading.parameter_schemas import from_arguments

_KEYS: Final = ("query", "answers", "tools")


def detect(document: Document) -> str | None:
    """Why a document is of xLAM, None when it is not."""
    if mostly(document, _is_task):
        return "holds a `query`, `tools` and the calls that answer it, as xLAM does"
    return None


def _is_task(value: Mapping[str, Any]) -> bool:
    if not text_value(value.get("query")) or not all(key in value for key in _KEYS):
        return False
    calls, tools = _listed(value["answers"]), _listed(value["tools"])
    is_answered = calls == [] or written_calls(compact_json(calls)) is not None
    return is_answered and bool(tools) and all(text_value(tool.get("name")) for tool in mappings(tools))


def _listed(value: Any) -> list[Any] | None:
    """A list, or that which a JSON text holds; None for anything else."""
    given = json_text.parse_inner(value, None) if isinstance(value, str) else value
    return given if isinstance(given, list) else None


def read(document: Document) -> Imported:
    """Read a conversation of each row: the query, and the calls that answer it.

    Raises:
        FormatError: no row has a query.
    """
    return imported_from_entries(document, _conversation, "xLAM", without="no query in it")


def _conversation(entry: Entry, document: Document, skipped: list[Skipped]) -> Conversation:
    turns = [{"from": "human", "value": entry.value["query"]}] if text_value(entry.value.get("query")) else []
    calls = _listed(entry.value.get("answers"))
    if calls is None:
        said = compact_json(entry.value.get("answers"))[:500]
        skipped.append(Skipped(f"{entry.where}, answers", "no list of calls", said))
    elif calls:
        turns.append({"from": "function_call", "value": compact_json(calls)})
    tools = [_tool(tool) for tool in mappings(_listed(entry.value.get("tools")))]
    row = Entry(entry.number, entry.where, {"id": _id(entry), "conversations": turns, "tools": tools})
    return conversation_of(row, document, skipped)


def _id(entry: Entry) -> str:
    given = entry.value.get("id")
    return str(given) if isinstance(given, str | int) and not isinstance(given, bool) else ""


def _tool(raw: Mapping[str, Any]) -> Mapping[str, Any]:
    """A tool whose parameters are a JSON Schema, where they are described by name."""
    given = raw.get("parameters")
    if not isinstance(given, Mapping) or "properties" in given or not all(map(_is_described, given.values())):
        return raw
    return {**raw, "parameters": from_arguments([_argument(name, said) for name, said in given.items()])}


def _is_described(said: Any) -> bool:
    return isinstance(said, Mapping) and isinstance(said.get("type", ""), str)


def _argument(name: str, said: Mapping[str, Any]) -> Mapping[str, Any]:
    """A parameter as `from_arguments` reads it: `str, optional` is a text that is optional, `List[int]` a list."""
    kind, *more = text_value(said.get("type")).split(",")
    known = {"type": kind.split("[")[0].strip()} if kind else {}
    is_optional = "default" in said or any("optional" in word for word in more)
    return {**said, "name": name, **known, "optional": is_optional}
