"""Glaive's function calling: a `chat` whose turns begin with `USER:`, `ASSISTANT:` or `FUNCTION RESPONSE:`.

A call is `<functioncall>` with a JSON object whose arguments stand in single quotes. The functions that were offered
stand in the text of `system`, and stay there.
Source: https://huggingface.co/datasets/glaiveai/glaive-function-calling-v2, 2026-11.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import zip_longest
from typing import Any, Final

from budgeteer.engine.content.conversation import Conversation
from budgeteer.formats.datasets.sharegpt import conversation_of
from budgeteer.formats.messages.imported import Imported, Skipped
from budgeteer.formats.messages.numbering import text_value
from budgeteer.formats.reading.document import Document
from budgeteer.formats.reading.entries import Entry, mostly
from budgeteer.formats.reading.importing import imported_from_entries
from budgeteer.formats.reading.open_calls import written_calls

_TURN: Final = re.compile(r"(?:^|\n)[ \t]*(USER|ASSISTANT|FUNCTION RESPONSE):[ \t]?")
_SPEAKERS: Final = {"USER": "human", "ASSISTANT": "gpt", "FUNCTION RESPONSE": "observation"}
_END: Final = "<|endoftext|>"
_CALL: Final = "<functioncall>"
_QUOTED: Final = re.compile(
    r"\{\s*\"name\":\s*(?P<name>\"[^\"]*\"),\s*\"arguments\":\s*'(?P<arguments>.*)'\s*\}", re.DOTALL
)


def detect(document: Document) -> str | None:
    """Why a document is Glaive's, None when it is not."""
    if mostly(document, _is_chat):
        return "holds a `chat` whose turns begin with `USER:` and `ASSISTANT:`, as Glaive's function calling does"
    return None


def _is_chat(value: Mapping[str, Any]) -> bool:
    begun = {found[1] for found in _TURN.finditer(text_value(value.get("chat"))[:20_000])}
    return {"USER", "ASSISTANT"} <= begun


def read(document: Document) -> Imported:
    """Read a conversation of each row.

    Raises:
        FormatError: no row has turns.
    """
    return imported_from_entries(document, _conversation, "Glaive", without="no turns under `chat`")


def _conversation(entry: Entry, document: Document, skipped: list[Skipped]) -> Conversation:
    turns = list(_turns(text_value(entry.value.get("chat"))))
    system = text_value(entry.value.get("system")).strip().removeprefix("SYSTEM:").strip() if turns else ""
    given = {"id": text_value(entry.value.get("id")), "system": system, "conversations": turns}
    return conversation_of(Entry(entry.number, entry.where, given), document, skipped)


def _turns(chat: str) -> Iterator[dict[str, str]]:
    """Each turn with its speaker; a call is a turn of its own."""
    begun = list(_TURN.finditer(chat))
    if begun and (before := chat[: begun[0].start()].strip()):
        yield {"from": "system", "value": before}
    for found, after in zip_longest(begun, begun[1:]):
        said = chat[found.end() : after.start() if after else len(chat)].strip().removesuffix(_END).rstrip()
        speaker = _SPEAKERS[found[1]]
        words, mark, call = said.partition(_CALL)
        written = _json_of(call.strip()) if mark and speaker == "gpt" else ""
        if not written:
            yield {"from": speaker, "value": said}
            continue
        if words.strip():
            yield {"from": speaker, "value": words.strip()}
        yield {"from": "function_call", "value": written}


def _json_of(call: str) -> str:
    """A call as JSON, "" where it is none; arguments in single quotes are the JSON text that stands in them."""
    quoted = _QUOTED.fullmatch(call)
    text = f'{{"name": {quoted["name"]}, "arguments": {quoted["arguments"] or "{}"}}}' if quoted else call
    return text if written_calls(text) is not None else ""
