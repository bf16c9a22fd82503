"""ChatGPT's comparisons of two replies: `model_comparisons.json`, which its data export had up to 2023.

Certain: an `input` with a `prompt_convo` of messages, beside an `output`. What was said before is one conversation
with the reply that was preferred, and with the other one as a branch. The export's own `conversations.json` holds the
same conversations in full, and is read instead where both lie in one folder.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from budgeteer.formats.chatgpt.importer import read_trees
from budgeteer.formats.messages.imported import Imported
from budgeteer.formats.messages.numbering import text_value
from budgeteer.formats.messages.objects import object_under
from budgeteer.formats.reading.document import Document
from budgeteer.formats.reading.entries import Entry, entries_of, mappings, mostly

_REPLIES: Final = ("original_turn", "new_turn")
_PREFERRED: Final[Mapping[str, str]] = {"original": "original_turn", "new": "new_turn"}
"""Which turn stays in the conversation, by the rating."""


def detect(document: Document) -> str | None:
    """Why a document is comparisons of replies, None when it is not."""
    if mostly(document, lambda value: bool(_said(value)) and bool(object_under(_content(value), "output"))):
        return "holds what was asked under `prompt_convo` beside two replies, as ChatGPT's data export does"
    return None


def read(document: Document) -> Imported:
    """Read every comparison as a conversation.

    Raises:
        FormatError: none says anything.
    """
    skipped = list(document.skipped)
    return read_trees(map(_as_tree, entries_of(document, skipped)), document, skipped)


def _content(value: Mapping[str, Any]) -> Mapping[str, Any]:
    """What was compared, which older exports have without anything around it."""
    return object_under(value, "content") or value


def _said(value: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return mappings(object_under(object_under(_content(value), "input"), "prompt_convo").get("messages"))


def _as_tree(entry: Entry) -> Entry:
    """A comparison as a conversation of the export: both replies are below the last message."""
    compared = object_under(object_under(_content(entry.value), "output"), "feedback_step_2")
    nodes = dict(_nodes("message", _said(entry.value), ""))
    last = next(reversed(nodes), "")
    ends: dict[str, str] = {}
    for name in _REPLIES:
        turn = dict(_nodes(name, mappings(compared.get(name)), last))
        nodes |= turn
        ends |= {name: next(reversed(turn))} if turn else {}
    preferred = _PREFERRED.get(text_value(compared.get("completion_comparison_rating")), "")
    about = {
        "id": entry.value.get("conversation_id") or entry.value.get("id"),
        "current_node": ends.get(preferred, ends.get(_REPLIES[0], last)),
    }
    return Entry(entry.number, entry.where, {**about, "mapping": nodes})


def _nodes(name: str, messages: list[Mapping[str, Any]], before: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Messages as nodes, each below the one before."""
    for number, message in enumerate(messages, 1):
        own = f"{name} {number}"
        yield own, {"id": own, "parent": before or None, "message": message}
        before = own
