"""Turns as pairs: a list of objects, each with what a person said and the reply to it, or with one of the two.

Certain: a column of a conversation (below) that holds such objects, lists of them, or a list of objects that each have
one speaker as their only key; and turns of a `speaker` and an `utterance` or a `text`. Of speakers whose names say
nothing, who speaks first is the person. Rows that are one pair each are questions with answers (question_sets.py).
Source: https://huggingface.co/datasets/YeungNLP/moss-003-sft-data (`conversation` of `human`, `assistant`),
LDJnr/Capybara (`input`, `output`), HuggingFaceM4/the_cauldron (`texts` of `user`, `assistant`),
https://xtuner.readthedocs.io (`conversation` with a `system`), and https://github.com/budzianowski/multiwoz (`turns` of
`speaker`, `utterance`), 2026-11.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from budgeteer.engine.content.conversation import Conversation
from budgeteer.engine.content.library import compact_json
from budgeteer.formats.datasets.columns import MEDIA_COLUMNS, leave_columns
from budgeteer.formats.datasets.sharegpt import conversation_of
from budgeteer.formats.messages.imported import Imported, Skipped
from budgeteer.formats.messages.numbering import text_value
from budgeteer.formats.reading.document import Document
from budgeteer.formats.reading.entries import Entry, entries_of, mappings, mostly
from budgeteer.formats.reading.envelopes import imported_from

_COLUMNS: Final = ("conversation", "conversations", "dialog", "dialogue", "turns", "texts", "messages")
_SPEAKERS: Final = {
    "system": "system",
    **dict.fromkeys(("human", "user"), "human"),
    **dict.fromkeys(("assistant", "gpt", "bot", "ai", "model"), "gpt"),
}
_SAID: Final = {
    **_SPEAKERS,
    **dict.fromkeys(("input", "question", "prompt", "query"), "human"),
    **dict.fromkeys(("output", "answer", "response"), "gpt"),
}
"""Who says what stands under a key, in small letters."""
_TOLD: Final = ("utterance", "text")
"""What a `speaker` said."""
_OTHERS: Final = frozenset({"role", "from", "content", "value", "type"})
"""Keys of turns that say who speaks in another way."""
_LOOKED_AT: Final = 5


def detect(document: Document) -> str | None:
    """Why a document holds turns as pairs, None when it does not."""
    if mostly(document, lambda row: bool(_column(row))):
        return "holds conversations whose turns are pairs of what was said and the reply, as many data sets have"
    value = document.value
    if not isinstance(value, list) or not value:
        return None
    if _is_single(value):
        return "is a list of turns, each under the name of its speaker"
    if all(isinstance(held, list) and (_is_paired(held) or _is_single(held)) for held in value[:_LOOKED_AT]):
        return "is lists of pairs of what was said and the reply"
    return None


def _column(row: Mapping[str, Any]) -> str:
    """The column of a row that holds turns, "" for none."""
    fits = (_is_paired, _is_single, _is_spoken)
    return next((key for key in _COLUMNS if any(fit(row.get(key)) for fit in fits)), "")


def _is_paired(turns: Any) -> bool:
    """Whether all turns that are looked at are pairs."""
    looked = turns[:_LOOKED_AT] if isinstance(turns, list) else []
    return bool(looked) and all(len(_speakers(turn) - {"system"}) > 1 for turn in looked)


def _is_single(turns: Any) -> bool:
    """Whether turns have one speaker each as their only key, and several speakers together."""
    looked = turns[:_LOOKED_AT] if isinstance(turns, list) else []
    named = [key.lower() for turn in looked if isinstance(turn, Mapping) and len(turn) == 1 for key in turn]
    spoken = [_SPEAKERS.get(key) for key in named]
    return len(spoken) == len(looked) and None not in spoken and {"human", "gpt"} <= set(spoken)


def _is_spoken(turns: Any) -> bool:
    """Whether all turns that are looked at have a speaker and what was said."""
    looked = turns[:_LOOKED_AT] if isinstance(turns, list) else []
    spoken = (turn for turn in looked if isinstance(turn, Mapping) and isinstance(turn.get("speaker"), str))
    said = sum(any(isinstance(turn.get(key), str) for key in _TOLD) for turn in spoken)
    return bool(looked) and said == len(looked)


def _speakers(turn: Any) -> set[str]:
    """Who speaks in a turn by its keys; nobody where it says so in another way."""
    if not isinstance(turn, Mapping) or not _OTHERS.isdisjoint(turn):
        return set()
    return {_SAID[key.lower()] for key, said in turn.items() if key.lower() in _SAID and isinstance(said, str)}


def read(document: Document) -> Imported:
    """Read every conversation.

    Raises:
        FormatError: none has turns.
    """
    strange: list[Skipped] = []
    found = imported_from(_entries(document, strange), _conversation, document, "paired")
    return replace(found, skipped=(*strange, *found.skipped))


def _entries(document: Document, skipped: list[Skipped]) -> Iterator[Entry]:
    """Each conversation as a row with its turns in a column."""
    value = document.value
    if _is_single(value):
        yield Entry(1, "the list", {_COLUMNS[0]: value})
    elif isinstance(value, list) and any(isinstance(held, list) for held in value[:_LOOKED_AT]):
        for number, held in enumerate(value, 1):
            yield Entry(number, f"element {number}", {_COLUMNS[0]: held})
    else:
        yield from entries_of(document, skipped)


def _conversation(entry: Entry, _position: int, document: Document, skipped: list[Skipped]) -> Conversation:
    column = _column(entry.value)
    given = mappings(entry.value.get(column))
    if _is_spoken(entry.value.get(column)):
        turns = list(_spoken(given))
    else:
        turns = [turn for held in given for turn in _turns(held)]
    rest = {key: said for key, said in entry.value.items() if key not in _COLUMNS}
    leave_columns(rest, {"id", "conversation_id", "system", "tools", *MEDIA_COLUMNS}, document.notes)
    chat = conversation_of(Entry(entry.number, entry.where, {**rest, "conversations": turns}), document, skipped)
    if not turns:
        skipped.append(Skipped(entry.where, "no pairs of turns in it", compact_json(entry.value)[:500]))
    return chat


def _turns(held: Mapping[str, Any]) -> Iterator[dict[str, str]]:
    """What is said in a pair, in the order system, person, reply."""
    said = [(_SAID[key.lower()], text) for key, text in held.items() if key.lower() in _SAID and text_value(text)]
    for speaker in ("system", "human", "gpt"):
        yield from ({"from": speaker, "value": text} for who, text in said if who == speaker)


def _spoken(given: list[Mapping[str, Any]]) -> Iterator[dict[str, str]]:
    """What each speaker said; a system beside a person replies to it."""
    first = next((text_value(turn.get("speaker")) for turn in given), "")
    for turn in given:
        name = text_value(turn.get("speaker"))
        known = _SPEAKERS.get(name.lower(), "human" if name == first else "gpt")
        said = next((turn[key] for key in _TOLD if text_value(turn.get(key))), "")
        yield {"from": "gpt" if known == "system" else known, "value": said}
