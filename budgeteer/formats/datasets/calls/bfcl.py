"""BFCL: benchmark tasks whose `question` is a list of turns, with the functions offered to the model.

So are the tasks of OpenFunctions, which came before it: a `question` that is a text, a `function`, and under
`model_answer` the call of its `api_call` as Python writes it.

Source: https://github.com/ShishirPatil/gorilla, `berkeley-function-call-leaderboard` and `openfunctions`, 2026-11.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from budgeteer.engine.content.conversation import Conversation, Message
from budgeteer.formats.datasets.columns import leave_columns
from budgeteer.formats.messages.imported import Imported, Skipped
from budgeteer.formats.messages.numbering import Notes, note_opaque, numbered, text_value, title_of
from budgeteer.formats.openai.chat import messages_of
from budgeteer.formats.reading.code_calls import calls_in_code
from budgeteer.formats.reading.conversation_draft import ConversationDraft, texts
from budgeteer.formats.reading.document import Document
from budgeteer.formats.reading.entries import Entry, mappings, mostly
from budgeteer.formats.reading.importing import imported_from_entries
from budgeteer.formats.reading.parameter_schemas import mended_tool

_BESIDE = ("initial_config", "path", "involved_classes", "excluded_function", "missed_function", "ground_truth")
"""What a task says about its simulated world and its solution; no model is sent it."""

_ANSWER = "model_answer"


def detect(document: Document) -> str | None:
    """Why a document is BFCL, None when it is not."""
    if mostly(document, is_task):
        return "holds tasks whose `question` is a list of turns, as the Berkeley function-calling benchmark's do"
    if mostly(document, _is_open_function):
        return "holds a `question`, a `function` and its call under `model_answer`, as Gorilla's OpenFunctions do"
    return None


def is_task(value: Mapping[str, Any]) -> bool:
    """Whether an object is a task: turns of messages, and functions or a world beside them."""
    turns = value.get("question")
    if not isinstance(turns, list) or not any(key in value for key in ("function", *_BESIDE)):
        return False
    return any("role" in said for said in _flat(turns))


def _is_open_function(value: Mapping[str, Any]) -> bool:
    functions = mappings(_listed(value.get("function")))
    is_asked = isinstance(value.get("question"), str) and isinstance(value.get(_ANSWER), str)
    return is_asked and bool(functions) and all("name" in one and "parameters" in one for one in functions)


def read(document: Document) -> Imported:
    """Read every task as a conversation with its functions as tools.

    Raises:
        FormatError: there is none.
    """
    return imported_from_entries(document, _conversation, "BFCL", without="no `question` with messages")


def _conversation(entry: Entry, document: Document, skipped: list[Skipped]) -> Conversation:
    notes = document.notes
    turns = entry.value.get("question")
    if isinstance(turns, str) and _is_open_function(entry.value):
        return _open_function(entry, turns, document)
    said = list(_flat(turns if isinstance(turns, list) else []))
    messages = numbered(messages_of(list(enumerate(said, 1)), notes, skipped, f"{entry.where}, "), notes)
    note_opaque(messages, notes)
    beside = [key for key in _BESIDE if key in entry.value]
    if beside:
        notes.count(
            "Tasks with a simulated world or a solution beside the question, of which no model is sent anything"
        )
    given = text_value(entry.value.get("id"))[:200] or f"c{entry.number}"
    tools = tuple(_tool(raw, notes) for raw in mappings(_listed(entry.value.get("function"))))
    return Conversation(given, title_of(messages, given), messages, tools=tools)


def _open_function(entry: Entry, asked: str, document: Document) -> Conversation:
    """The question of OpenFunctions, the call that answers it, and the function as it is called."""
    draft = ConversationDraft(document.notes, f"{entry.where}, message ")
    if asked:
        draft.add(Message("user", texts(asked)))
    answer = text_value(entry.value.get(_ANSWER)).strip()
    calls = calls_in_code(f"[{answer}]") if answer else None
    if calls:
        parts = tuple(draft.calls.call(name, arguments) for name, arguments in calls)
        draft.add(Message("assistant", parts))
        draft.notes.see(answer)
    elif answer:
        draft.notes.count("Answers that are no calls with named arguments, read as texts")
        draft.add(Message("assistant", texts(answer)))
    leave_columns(entry.value, {"question", "function", "id", _ANSWER}, draft.notes)
    tools = tuple(
        _tool(_called(raw, draft.notes), draft.notes) for raw in mappings(_listed(entry.value.get("function")))
    )
    given = text_value(entry.value.get("id")) or f"c{entry.number}"
    return replace(draft.conversation(given, "", f"Task {entry.number}"), tools=tools)


def _called(raw: Mapping[str, Any], notes: Notes) -> Mapping[str, Any]:
    """A function under the name by which it is called."""
    name = text_value(raw.get("api_call"))
    if not name:
        return raw
    notes.count("Titles of functions beside the names by which they are called, left out", of=raw.get("name"))
    return {"name": name, **{key: held for key, held in raw.items() if key not in ("name", "api_call")}}


def _flat(turns: list[Any]) -> Iterator[Mapping[str, Any]]:
    """The messages of every turn; older files have one list without turns."""
    for turn in turns:
        yield from mappings(turn if isinstance(turn, list) else [turn])


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _tool(raw: Mapping[str, Any], notes: Notes) -> Mapping[str, Any]:
    """A function whose parameters are a JSON Schema, the benchmark's own type names put right."""
    mended = mended_tool(raw)
    notes.count("Functions with types like `dict` and `float`, read as `object` and `number`", int(mended != raw))
    return mended
