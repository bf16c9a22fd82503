"""SWE-agent trajectories: the `history` that the model was sent, else the last step's own messages, else the steps.

A trajectory with a `history` is read from that alone, as OpenAI's messages are: its steps repeat it. Versions that have
models write their actions into what they say keep them there, as texts: no model was told of a call.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from budgeteer.engine.content.conversation import Conversation, Message, TextPart
from budgeteer.formats.messages.imported import Imported, Skipped
from budgeteer.formats.messages.numbering import Notes, note_opaque, numbered, text_value, title_of
from budgeteer.formats.openai.chat import messages_of
from budgeteer.formats.openai.chat import read as read_chat
from budgeteer.formats.reading.document import Document
from budgeteer.formats.reading.entries import Entry, entries_of, mappings, mostly
from budgeteer.formats.reading.importing import imported_from_entries

_INTERCODE = frozenset({"environment", "query", "gold"})
"""What stands beside the steps that an environment of InterCode saves."""
_LOOKED_AT = 5
_OWN = ("messages", "query")
"""Where newer versions keep what the model was sent at a step."""


def detect(document: Document) -> str | None:
    """Why a document is a SWE-agent trajectory, None when it is not."""
    if mostly(document, _has_history):
        return "holds a `history` beside a `trajectory` of steps with an action and an observation"
    if mostly(document, _is_trajectory):
        return "holds a `trajectory` of steps with an action and an observation, and no `history`"
    return None


def _has_history(value: Mapping[str, Any]) -> bool:
    """Whether an object keeps what a model was sent beside the steps that it took."""
    said = mappings(value.get("history"))[:_LOOKED_AT]
    steps = mappings(value.get("trajectory"))[:_LOOKED_AT]
    return bool(said) and all("role" in one for one in said) and any(map(_is_step, steps))


def _is_trajectory(value: Mapping[str, Any]) -> bool:
    if value.keys() >= _INTERCODE:
        return False
    if any(isinstance(value.get(key), list) and value[key] for key in ("history", "messages")):
        return False
    steps = mappings(value.get("trajectory"))[:_LOOKED_AT]
    return any(_is_step(step) or _is_told(step) for step in steps)


def _is_step(step: Mapping[str, Any]) -> bool:
    """Whether a step is an action with what was observed; an event of OpenHands is one of both, and says whose."""
    return step.keys() >= {"observation", "action"} and "source" not in step


def _is_told(step: Mapping[str, Any]) -> bool:
    """Whether a step is a message as data sets of trajectories keep it: `text`, and a system's `system_prompt`."""
    return "role" in step and "system_prompt" in step and "content" not in step


def read(document: Document) -> Imported:
    """Read every trajectory of a document.

    Raises:
        FormatError: no step is in it.
    """
    if not mostly(document, _has_history):
        return imported_from_entries(document, _conversation, "SWE-agent", without="no step in it")
    for entry in entries_of(document):
        steps = mappings(entry.value.get("trajectory"))
        document.notes.count("Steps that the history repeats, left out", len(steps), of=steps)
        said = [one for one in mappings(entry.value.get("history")) if "action" in one and not one.get("tool_calls")]
        document.notes.count("Actions that models wrote into their words, kept as texts", len(said))
        document.notes.leave_out([one.get(key) for one in said for key in ("thought", "action", "agent")])
    return read_chat(document)


def _conversation(entry: Entry, document: Document, skipped: list[Skipped]) -> Conversation:
    steps = mappings(entry.value.get("trajectory"))
    messages = numbered(_messages(steps, entry.where, document.notes, skipped), document.notes)
    note_opaque(messages, document.notes)
    given = text_value(entry.value.get("instance_id")) or text_value(entry.value.get("environment"))
    title = title_of(messages, document.stem or f"Trajectory {entry.number}")
    return Conversation(given[:200] or f"c{entry.number}", title, messages)


def _messages(steps: list[Mapping[str, Any]], where: str, notes: Notes, skipped: list[Skipped]) -> Iterator[Message]:
    """The messages the last step was sent, its reply and what came back; without them, those of every step."""
    if any(map(_is_told, steps)):
        told = [(number, _as_message(step)) for number, step in enumerate(steps, 1)]
        yield from messages_of(told, notes, skipped, f"{where}, ")
        return
    sent = next(
        (step[key] for step in reversed(steps) for key in _OWN if isinstance(step.get(key), list) and step[key]), None
    )
    if sent is not None:
        last = steps[-1]
        yield from messages_of(list(enumerate(sent, 1)), notes, skipped, f"{where}, ")
        yield from _turn(last, len(sent) + 1)
        notes.count("Steps whose messages the last step repeats, counted once", len(steps) - 1)
        return
    for number, step in enumerate(steps, 1):
        yield from _turn(step, number)


def _as_message(step: Mapping[str, Any]) -> Mapping[str, Any]:
    """A step that is a message in OpenAI's form."""
    role = text_value(step.get("role"))
    said = text_value(step.get("text")) or text_value(step.get("system_prompt"))
    return {"role": "assistant" if role == "ai" else role, "content": said}


def _turn(step: Mapping[str, Any], number: int) -> Iterator[Message]:
    """What the model wrote at a step, and what it was shown then."""
    written = text_value(step.get("response"))
    if not written:
        pieces = (text_value(step.get("thought")), text_value(step.get("action")))
        written = "\n".join(piece.strip("\n") for piece in pieces if piece.strip())
    if written:
        yield Message("assistant", (TextPart(written),), line=number)
    shown = text_value(step.get("observation"))
    if shown:
        yield Message("user", (TextPart(shown),), line=number, typed=False)
