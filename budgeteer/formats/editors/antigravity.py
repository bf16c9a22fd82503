"""Transcripts of Google Antigravity (IDE and command line): JSONL of steps, as `transcript_full.jsonl` holds them.

Certain: lines of a `step_index`, a `source` (`USER_EXPLICIT`, `MODEL`, `SYSTEM`) and a `type` in capitals. A
`PLANNER_RESPONSE` is the model's turn; every other step of the model is the result of the oldest of its calls, which
have no ids. What the system puts in (reminders, errors, a `CHECKPOINT` that sums up what was truncated) is sent in the
user's place. The conversations themselves (`.pb`, `.db`) have no published form and are not read. `transcript.jsonl`
is the same with long fields cut short; lists of what was said alone, as scripts make them of it, leave out the source.
Source: transcripts that Antigravity 1 and 2 wrote, as people published them, 2026-11; its maker documents none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from budgeteer.engine.content.conversation import Message, Part, ReasoningPart
from budgeteer.engine.content.library import compact_json
from budgeteer.formats.messages.imported import Imported, Skipped
from budgeteer.formats.messages.numbering import text_value
from budgeteer.formats.reading.conversation_draft import ConversationDraft, texts
from budgeteer.formats.reading.document import Document
from budgeteer.formats.reading.entries import Entry, entries_of, mappings, mostly, sampled
from budgeteer.formats.reading.importing import require

_SOURCES: Final = frozenset({"USER_EXPLICIT", "USER_IMPLICIT", "MODEL", "SYSTEM"})
_TURN: Final = "PLANNER_RESPONSE"
_SOURCE_OF: Final = {"USER_INPUT": "USER_EXPLICIT", _TURN: "MODEL"}
"""Whose step of a kind is that has no source: lists of what was said leave it out."""
_CHECKPOINT: Final = "CHECKPOINT"
_READ: Final = ("content", "thinking", "tool_calls", "error", "source", "truncated_fields")


def detect(document: Document) -> str | None:
    """Why a document is a transcript of Antigravity, None when it is not."""
    said = any(value.get("type") in ("USER_INPUT", _TURN) for value in sampled(document))
    if said and mostly(document, _is_step):
        return "is lines of a `step_index`, a `source` and a `type` like `PLANNER_RESPONSE`, as Antigravity writes them"
    return None


def _is_step(value: Mapping[str, Any]) -> bool:
    return "step_index" in value and _source(value) in _SOURCES and text_value(value.get("type")).isupper()


def _source(value: Mapping[str, Any]) -> str:
    if "source" in value:
        return text_value(value["source"])
    return _SOURCE_OF.get(text_value(value.get("type")), "")


def read(document: Document) -> Imported:
    """Read a transcript, from its last checkpoint on.

    Raises:
        FormatError: no step says anything.
    """
    skipped = list(document.skipped)
    draft = ConversationDraft(document.notes, "line ")
    for entry in _entries(document, skipped):
        if not _is_step(entry.value):
            skipped.append(Skipped(entry.where, "no step of a known source", compact_json(entry.value)[:500]))
        elif not _step(draft, entry):
            document.notes.leave_line(text_value(entry.value.get("type")), entry.value)
    chat = draft.conversation("c1", "", document.stem or "Antigravity")
    require(chat.messages, document, "Antigravity")
    return Imported("", "", "conversation", conversations=(chat,), skipped=tuple(skipped))


def _entries(document: Document, skipped: list[Skipped]) -> Iterator[Entry]:
    """The steps from the last checkpoint on; all of them where the whole transcript is wanted."""
    last = 0
    if not document.options.whole:
        last = max(
            (entry.number for entry in entries_of(document) if entry.value.get("type") == _CHECKPOINT), default=0
        )
    gone: list[int] = []
    for entry in entries_of(document, skipped):
        if entry.number < last:
            gone.append(entry.number)
        else:
            yield entry
    document.notes.leave_entries(gone)
    document.notes.count("Steps before the last checkpoint, which sums them up, left out", len(gone))


def _step(draft: ConversationDraft, entry: Entry) -> bool:
    """Add what a step says; False where it says nothing that a model is sent."""
    raw, kind = entry.value, entry.value["type"]
    said = texts(text_value(draft.notes.content_of(raw)) or text_value(raw.get("error")))
    frame = Message(
        "user",
        said,
        id=f"step-{raw['step_index']}" if isinstance(raw["step_index"], int) else "",
        created=text_value(raw.get("created_at")),
        line=entry.number,
        typed=kind == "USER_INPUT",
    )
    draft.notes.count("Steps whose long fields are cut short in the file", int(bool(raw.get("truncated_fields"))))
    draft.check_read(frame, raw, _READ)
    if _source(raw) != "MODEL":
        if kind == "ERROR_MESSAGE" and draft.calls.waiting:
            draft.answer(frame, said, failed=True)
        elif said:
            draft.add(frame)
        return bool(said)
    calls = mappings(raw.get("tool_calls"))
    if kind != _TURN and not calls:
        draft.answer(frame, said, failed=raw.get("status") == "ERROR")
        return True
    parts: list[Part] = []
    if thought := text_value(raw.get("thinking")):
        parts.append(ReasoningPart(thought, provider="gemini"))
    parts += said
    parts += [draft.calls.call(text_value(call.get("name")), call.get("args")) for call in calls]
    draft.add(Message("assistant", tuple(parts), id=frame.id, created=frame.created, line=frame.line))
    return True
