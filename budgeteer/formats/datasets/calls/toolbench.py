"""ToolBench: training conversations that grow step by step, answer files with `train_messages`, and queries.

Each step of a run is stored as a conversation of its own that begins with all steps before it; only the longest says
everything, so the others are left out and counted. A query (`query`, `api_list`) is read with the APIs that it offers
as tools, under the names that ToolBench gives them; an API without a name is listed. Which of them are relevant is left
out.

Source: https://github.com/OpenBMB/ToolBench, `data_example`, `toolbench/utils.py` and
`toolbench/inference/Downstream_tasks/rapidapi.py`, 2026-11.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from budgeteer.engine.content.conversation import Conversation, Message
from budgeteer.engine.content.library import compact_json
from budgeteer.formats.datasets.columns import leave_columns
from budgeteer.formats.datasets.sharegpt import STEP, conversation_of
from budgeteer.formats.messages.imported import Imported, Skipped
from budgeteer.formats.messages.numbering import (
    Notes,
    note_opaque,
    numbered,
    short_line,
    text_value,
    title_of,
    unique_ids,
)
from budgeteer.formats.openai.chat import messages_of
from budgeteer.formats.reading.conversation_draft import ConversationDraft, texts
from budgeteer.formats.reading.document import Document
from budgeteer.formats.reading.entries import Entry, entries_of, mappings, mostly, numbered_mappings
from budgeteer.formats.reading.importing import imported_from_entries, require
from budgeteer.formats.reading.parameter_schemas import from_arguments


@dataclass(frozen=True, slots=True)
class _Run:
    """The turns of one stored conversation, the entry they stand in, and their place in words."""

    entry: Entry
    turns: Sequence[Any]
    where: str


_PARTS_OF_APIS: Final = frozenset(
    {"tool_name", "api_name", "api_description", "required_parameters", "optional_parameters"}
)
_NO_NAME: Final = re.compile(r"[^\u4e00-\u9fa5^a-zA-Z0-9_]")
"""What names do not keep: all but Chinese characters, Latin letters, digits, underscores and carets."""
_TAKEN: Final = frozenset({"from", "class", "return", "false", "true", "id", "and"})
"""Names that ToolBench puts `is_` before."""
_LONGEST_NAME: Final = 64
"""Characters of a tool's name, of a longer one the last. Source: `rapidapi.py` of ToolBench."""
_TYPES: Final = frozenset({"string", "number", "integer", "boolean", "object", "array"})
"""Types of parameters that JSON Schema knows; what else APIs name (`DATE`, `ENUM`) is a text."""


def detect(document: Document) -> str | None:
    """Why a document is ToolBench, None when it is not."""
    if mostly(document, lambda value: _train_messages(value) is not None):
        return "holds `answer_generation` with `train_messages`, as ToolBench's answers do"
    if mostly(document, _is_step):
        return "holds `conversations` named `Step 1: …`, as ToolBench's training set does"
    if mostly(document, _is_query):
        return "holds a `query` with an `api_list`, as ToolBench's queries do"
    return None


def _is_query(value: Mapping[str, Any]) -> bool:
    offered = mappings(value.get("api_list"))[:5]
    return isinstance(value.get("query"), str) and bool(offered) and all("api_name" in one for one in offered)


def _is_step(value: Mapping[str, Any]) -> bool:
    return isinstance(value.get("conversations"), list) and bool(STEP.match(text_value(value.get("id"))))


def _train_messages(value: Mapping[str, Any]) -> list[Any] | None:
    answer = value.get("answer_generation")
    lists = answer.get("train_messages") if isinstance(answer, Mapping) else None
    return lists if isinstance(lists, list) else None


def read(document: Document) -> Imported:
    """Read every run of a document, each as its longest conversation.

    Raises:
        FormatError: no entry has turns, or asks something.
    """
    if mostly(document, _is_query):
        return imported_from_entries(document, _query, "ToolBench", without="no query in it")
    skipped = list(document.skipped)
    runs: list[_Run] = []
    for entry in entries_of(document, skipped):
        stored = list(_runs(entry))
        runs += stored
        if not stored:
            skipped.append(Skipped(entry.where, "no turns in it", compact_json(entry.value)[:500]))
    whole = without_prefixes(runs)
    document.notes.count("Conversations that a longer one begins with, left out", len(runs) - len(whole))
    found = [chat for chat in (_conversation(run, document, skipped) for run in whole) if chat.messages]
    require(found, document, "ToolBench")
    ids = unique_ids(conversation.id for conversation in found)
    kept = tuple(replace(each, id=unique) for each, unique in zip(found, ids, strict=True))
    return Imported("", "", "conversation", conversations=kept, skipped=tuple(skipped))


def without_prefixes(runs: Sequence[_Run]) -> list[_Run]:
    """The runs without those that another one begins with; of equals, every one stays."""
    inner: set[bytes] = set()
    whole: list[bytes] = []
    for run in runs:
        digests = list(_growing_digests(run.turns))
        inner.update(digests[:-1])
        whole.append(digests[-1])
    return [run for run, digest in zip(runs, whole, strict=True) if digest not in inner]


def _growing_digests(turns: Sequence[Any]) -> Iterator[bytes]:
    """A digest of the first turn, of the first two, and so on."""
    digest = hashlib.sha256()
    for turn in turns:
        digest.update(json.dumps(turn, sort_keys=True, default=dict).encode() + b"\n")
        yield digest.digest()


def _runs(entry: Entry) -> Iterator[_Run]:
    lists = _train_messages(entry.value)
    stored = [entry.value.get("conversations")] if lists is None else lists
    for number, turns in enumerate(stored, 1):
        if isinstance(turns, list) and turns:
            yield _Run(entry, turns, entry.where if lists is None else f"{entry.where}, list {number}")


def _conversation(run: _Run, document: Document, skipped: list[Skipped]) -> Conversation:
    entry = run.entry
    given = f"c{entry.number}"
    if _train_messages(entry.value) is None:
        chat = conversation_of(entry, document, skipped, actions=True)
        query = STEP.sub("", text_value(entry.value.get("id")), count=1)
        return replace(chat, id=given, title=short_line(query) or chat.title)
    answer = entry.value["answer_generation"]
    turns = list(enumerate(run.turns, 1))
    messages = numbered(messages_of(turns, document.notes, skipped, f"{run.where}, "), document.notes)
    note_opaque(messages, document.notes)
    tools = tuple({"type": "function", "function": item} for item in mappings(answer.get("function")))
    title = short_line(text_value(answer.get("query"))) or title_of(messages, f"Run {entry.number}")
    return Conversation(given, title, messages, tools=tools)


def _query(entry: Entry, document: Document, skipped: list[Skipped]) -> Conversation:
    """A query with the APIs that it offers."""
    value = entry.value
    draft = ConversationDraft(document.notes, f"{entry.where}, message ")
    draft.add_all(Message("user", said) for said in [texts(text_value(value.get("query")))] if said)
    place = f"{entry.where}, api "
    tools: list[Mapping[str, Any]] = []
    for position, api in numbered_mappings(value.get("api_list"), place, skipped):
        name = _function_name(api)
        if name:
            tools.append(_tool(api, name, document.notes))
        else:
            skipped.append(Skipped(f"{place}{position}", "no name for a function", compact_json(api)[:500]))
    leave_columns(value, {"query", "api_list", "query_id"}, document.notes)
    number = value.get("query_id")
    given = str(number) if isinstance(number, str | int) and not isinstance(number, bool) else f"c{entry.number}"
    return replace(draft.conversation(given, "", f"Query {entry.number}"), tools=tuple(tools))


def _tool(api: Mapping[str, Any], name: str, notes: Notes) -> Mapping[str, Any]:
    """An API as the function that ToolBench makes of it."""
    named = [api.get(key) for key in ("api_name", "tool_name")]
    if sum(len(text_value(one)) for one in named) > _LONGEST_NAME:
        notes.count("Names of APIs that are too long, kept by their ends", of=named)
    else:
        notes.see(named)  # the name of the function tells them
    required, optional = (mappings(api.get(key)) for key in ("required_parameters", "optional_parameters"))
    arguments = [*map(_argument, required), *({**_argument(one), "optional": True} for one in optional)]
    left = [held for key, held in api.items() if key not in _PARTS_OF_APIS and held]
    notes.count("Fields of APIs beside their names, descriptions and parameters, left out", len(left), of=left)
    function = {
        "name": name,
        "description": text_value(api.get("api_description")),
        "parameters": from_arguments(arguments),
    }
    return {"type": "function", "function": function}


def _function_name(api: Mapping[str, Any]) -> str:
    """The name of an API and that of its family as the name of a function, "" where the API has none.

    As ToolBench makes it: `is_` stands before names that Python or JSON have taken, and of a long name the end is kept.
    """
    own, family = (_standard(text_value(api.get(key))) for key in ("api_name", "tool_name"))
    own = f"is_{own}" if own in _TAKEN else own
    if not own:
        return ""
    return (f"{own}_for_{family}" if family else own)[-_LONGEST_NAME:]


def _standard(name: str) -> str:
    """A name in small letters, digits and single underscores, as ToolBench's `standardize` writes it.

    Underscores stand between others, never two in a row; `get_` stands before a name that begins with a digit.
    """
    plain = re.sub("_+", "_", _NO_NAME.sub("_", name)).lower().strip("_")
    return f"get_{plain}" if plain[:1].isdigit() else plain


def _argument(given: Mapping[str, Any]) -> dict[str, Any]:
    """A parameter of a type that JSON Schema has."""
    kind = text_value(given.get("type")).lower()
    return {**given, "type": kind if kind in _TYPES else "string"}
