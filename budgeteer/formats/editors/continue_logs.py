"""Continue's logs of requests (`~/.continue/dev_data/…/chat.jsonl`, `chatInteraction.jsonl`): a prompt and its reply.

Certain: rows of a `prompt` that begins with `<user>` or another role alone on a line, and a `completion`. A request
that a later one goes on from is left out. A row of feedback may repeat a request that was read.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from budgeteer.engine.content.conversation import Conversation, Message, Part, ReasoningPart, Role
from budgeteer.engine.content.library import compact_json
from budgeteer.formats.editors.continue_prompts import calls_of_text, prompt_blocks
from budgeteer.formats.messages.imported import Imported, Skipped
from budgeteer.formats.messages.numbering import text_value
from budgeteer.formats.messages.repeated_calls import without_prefixes
from budgeteer.formats.reading.conversation_draft import ConversationDraft, texts
from budgeteer.formats.reading.document import Document
from budgeteer.formats.reading.entries import Entry, entries_of, mostly
from budgeteer.formats.reading.envelopes.beside import as_tools
from budgeteer.formats.reading.importing import require

_ROLES: Final[Mapping[str, Role]] = {"system": "system", "user": "user", "assistant": "assistant"}


def detect(document: Document) -> str | None:
    """Why a document is a log of Continue, None when it is not."""
    if mostly(document, _is_request):
        return "holds prompts whose messages follow their roles (`<user>`) with a `completion`, as Continue logs them"
    return None


def _is_request(value: Mapping[str, Any]) -> bool:
    return isinstance(value.get("completion"), str) and bool(prompt_blocks(text_value(value.get("prompt"))))


def read(document: Document) -> Imported:
    """Read every request that no later one goes on from.

    Raises:
        FormatError: no entry is a request.
    """
    skipped = list(document.skipped)
    found: list[Conversation] = []
    for entry in entries_of(document, skipped):
        if _is_request(entry.value):
            found.append(_conversation(entry, document))
        else:
            why = "no prompt with a reply"
            skipped.append(Skipped(entry.where, why, compact_json(entry.value)[:500]))
    require(found, document, "Continue")
    chats = tuple(without_prefixes(found, document.notes))
    return Imported("", "", "conversation", conversations=chats, skipped=tuple(skipped))


def _conversation(entry: Entry, document: Document) -> Conversation:
    value = entry.value
    draft = ConversationDraft(document.notes, f"{entry.where}, message ")
    draft.model = text_value(value.get("modelName")) or text_value(value.get("modelTitle"))
    replied = value["completion"]
    for number, (role, text) in enumerate([*prompt_blocks(value["prompt"]), *_replies(replied)], 1):
        _add(draft, Message(_ROLES.get(role, "assistant"), (), line=number), role, text)
    chat = draft.conversation(f"c{entry.number}", "", f"Request {entry.number}")
    return replace(chat, tools=as_tools(value.get("tools")))


def _replies(completion: str) -> list[tuple[str, str]]:
    """What was replied: a text, or the pieces in which it came, each after its role."""
    pieces = prompt_blocks(completion)
    thoughts = "".join(text for role, text in pieces if role == "thinking")
    said = "".join(text for role, text in pieces if role != "thinking") if pieces else completion
    return [*([("thinking", thoughts)] if thoughts else []), *([("assistant", said)] if said.strip() else [])]


def _add(draft: ConversationDraft, frame: Message, role: str, text: str) -> None:
    draft.notes.see(f"<{role}>")
    if role == "tool":
        draft.answer(frame, texts(text))
        return
    if role == "thinking":
        draft.add(Message("assistant", (ReasoningPart(text),), line=frame.line))
        return
    said, calls = calls_of_text(text) if role == "assistant" else (text, [])
    if role == "user":
        draft.calls.user_speaks()
    parts: list[Part] = [*texts(said if said.strip() else "")]
    for name, arguments in calls:
        draft.notes.see(f"{name}({arguments})")
        parts.append(draft.calls.call(name, arguments))
    draft.add(Message(frame.role, tuple(parts), line=frame.line))
