"""Dialogues of API-Bank: lines of a user and a model, and between them the calls of an API with their results.

Certain: a line whose `role` is API, with an `api_name` and a `param_dict`, among lines that have a `role` and a `text`.
Of a result its `output` and its `exception` are read, where its `api_name` and `input` say again what was called.

Source: https://github.com/AlibabaResearch/DAMO-ConvAI, `api-bank/lv1-lv2-samples`, 2026-11.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from budgeteer.engine.content.conversation import Message, Role
from budgeteer.engine.content.library import compact_json
from budgeteer.formats.messages.imported import Imported, Skipped
from budgeteer.formats.messages.numbering import Notes, text_value
from budgeteer.formats.messages.objects import OBJECT
from budgeteer.formats.reading.conversation_draft import ConversationDraft, texts
from budgeteer.formats.reading.document import Document
from budgeteer.formats.reading.entries import entries_of, mostly, sampled
from budgeteer.formats.reading.importing import require

_ROLES: Final[Mapping[str, Role]] = {"user": "user", "ai": "assistant", "assistant": "assistant", "system": "system"}
_API: Final = "api"
_RESULT: Final = frozenset({"api_name", "input", "output", "exception"})
_NOTHING: Final = (None, "")


def detect(document: Document) -> str | None:
    """Why a document is a dialogue of API-Bank, None when it is not."""
    if any(map(_is_call, sampled(document))) and mostly(document, lambda value: _is_call(value) or _is_said(value)):
        return "has lines of the role API with an `api_name` and a `param_dict`, as API-Bank does"
    return None


def _role(value: Mapping[str, Any]) -> str:
    return text_value(value.get("role")).lower()


def _is_call(value: Mapping[str, Any]) -> bool:
    return _role(value) == _API and isinstance(value.get("api_name"), str) and "param_dict" in value


def _is_said(value: Mapping[str, Any]) -> bool:
    return _role(value) in _ROLES and isinstance(value.get("text"), str)


def read(document: Document) -> Imported:
    """Read a dialogue.

    Raises:
        FormatError: no line says or calls anything.
    """
    skipped = list(document.skipped)
    draft = ConversationDraft(document.notes, "line ")
    for entry in entries_of(document, skipped):
        value = entry.value
        if _is_call(value):
            call = draft.calls.call(value["api_name"], value["param_dict"])
            draft.add(Message("assistant", (call,), line=entry.number))
            told, failed = _told(value, document.notes)
            draft.answer(Message("tool", (), line=entry.number), texts(*told), call.id, failed=failed)
        elif _is_said(value):
            draft.add(Message(_ROLES[_role(value)], texts(value["text"]), line=entry.number))
        else:
            skipped.append(Skipped(entry.where, "neither a text nor a call of an API", compact_json(value)[:500]))
    chat = draft.conversation("c1", "", document.stem or "API-Bank dialogue")
    require(chat.messages, document, "API-Bank")
    return Imported("", "", "conversation", conversations=(chat,), skipped=tuple(skipped))


def _told(value: Mapping[str, Any], notes: Notes) -> tuple[list[str], bool]:
    """What a call came to, and whether it failed; the whole result where it says more, or of another call."""
    result = value.get("result")
    if not isinstance(result, OBJECT) or not {"output", "exception"} & result.keys():
        return [_text(result)], False
    failed = result.get("exception") not in _NOTHING
    again = {key: result[key] for key in ("api_name", "input") if key in result}
    if result.keys() - _RESULT or any(
        said != value["api_name" if key == "api_name" else "param_dict"] for key, said in again.items()
    ):
        return [_text(result)], failed
    notes.count("Calls that their results repeat, left out", bool(again), of=again)
    return [_text(result[key]) for key in ("output", "exception") if result.get(key) not in _NOTHING], failed


def _text(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else compact_json(value)
