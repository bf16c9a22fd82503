"""The data export of claude.ai: conversations with `chat_messages`, a tree by `parent_message_uuid` in newer ones.

Certain: `chat_messages` of messages with a `sender` (an export), or a `role` and an `id` (Anthropic's Compliance API).
Files have no bytes in an export; an attachment has the text that was taken out of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from budgeteer.engine.content.conversation import (
    Conversation,
    FilePart,
    ImagePart,
    Message,
    Part,
    ReasoningPart,
    Role,
    TextPart,
    ToolResultPart,
)
from budgeteer.engine.content.library import compact_json
from budgeteer.formats.anthropic.messages import content_block
from budgeteer.formats.messages.imported import Imported, Skipped
from budgeteer.formats.messages.numbering import Notes, text_value
from budgeteer.formats.messages.reply_steps import ReplySteps
from budgeteer.formats.reading.conversation_draft import ConversationDraft, MessageTree, tree_conversations
from budgeteer.formats.reading.document import Document
from budgeteer.formats.reading.entries import Entry, entries_of, mappings, mostly
from budgeteer.formats.reading.importing import require

_ROLES: Final[Mapping[str, Role]] = {"human": "user", "user": "user", "assistant": "assistant"}
_INTERFACE: Final = frozenset({"token_budget", "flag"})
"""Blocks that only the interface reads."""

_READ: Final = ("content", "text", "attachments", "files", "files_v2", "sender", "parent_message_uuid", "updated_at")


def detect(document: Document) -> str | None:
    """Why a document is a claude.ai export, None when it is not."""
    if mostly(document, _is_conversation):
        return "holds conversations with `chat_messages`, as the export of claude.ai does"
    return None


def _is_conversation(value: Mapping[str, Any]) -> bool:
    given = value.get("chat_messages")
    if not isinstance(given, list):
        return False
    said = mappings(given)
    known = {text_value(raw.get("sender")) or text_value(raw.get("role")) for raw in said[:5]}
    return known <= _ROLES.keys() if said else {"uuid", "name"} <= value.keys()


def read(document: Document) -> Imported:
    """Read every conversation of an export, the branch it shows first and the others behind it.

    Raises:
        FormatError: no conversation holds a message.
    """
    skipped = list(document.skipped)
    found: list[Conversation] = []
    for entry in entries_of(document, skipped):
        chats = _conversations(entry, document, skipped)
        found += chats
        if not chats and not _is_conversation(entry.value):
            skipped.append(Skipped(entry.where, "no `chat_messages` in it", compact_json(entry.value)[:500]))
        elif not chats:
            document.notes.count("Conversations without a message, left out", of=entry.value)
    require(found, document, "claude.ai")
    return Imported("", "", "conversation", conversations=tuple(found), skipped=tuple(skipped))


def _conversations(entry: Entry, document: Document, skipped: list[Skipped]) -> tuple[Conversation, ...]:
    value = entry.value
    given = value.get("chat_messages")
    tree = MessageTree()
    numbers: dict[str, int] = {}
    before = ""
    for number, raw in enumerate(given if isinstance(given, list) else [], 1):
        sender = text_value(raw.get("sender")) or text_value(raw.get("role")) if isinstance(raw, Mapping) else ""
        if sender not in _ROLES:
            why = "no known sender"
            skipped.append(Skipped(f"{entry.where}, message {number}", why, compact_json(raw)[:500]))
            continue
        uid = text_value(raw.get("uuid")) or text_value(raw.get("id")) or f"message {number}"
        parent = raw.get("parent_message_uuid")
        tree.add(uid, parent if isinstance(parent, str) else before, raw)
        numbers[uid] = number
        before = uid

    def build(path: Sequence[str], notes: Notes) -> Conversation:
        draft = ConversationDraft(notes, f"{entry.where}, message ")
        for uid in path:
            _add(draft, uid, tree.nodes[uid], numbers[uid])
        draft.model = text_value(value.get("model"))
        title = text_value(value.get("name")).strip()
        given_id = text_value(value.get("uuid")) or text_value(value.get("id"))
        return draft.conversation(given_id or f"c{entry.number}", title, f"Conversation {entry.number}")

    return tree_conversations(tree, text_value(value.get("current_leaf_message_uuid")), build, document.notes)


def _add(draft: ConversationDraft, uid: str, raw: Mapping[str, Any], number: int) -> None:
    role = _ROLES[text_value(raw.get("sender")) or text_value(raw.get("role"))]
    frame = Message(role, (), uid, created=text_value(raw.get("created_at")), line=number)
    if role == "user":
        draft.calls.user_speaks()
        parts: list[Part] = [
            *_attachments(raw, draft.notes),
            *(part for block in _blocks(raw) for part in _part(block)),
        ]
        said = [replace(frame, parts=tuple(parts))]
    else:
        steps = ReplySteps(frame)
        for part in _attachments(raw, draft.notes):
            steps.say(part)
        for block in _blocks(raw):
            _reply(block, steps, draft)
        said = steps.messages() or [frame]
    shown = text_value(raw.get("text"))
    differs = bool(shown) and all(shown != block.get("text") for block in mappings(_blocks(raw)))
    draft.notes.count("Texts that the export shows beside the blocks of a reply, left out", int(differs), of=shown)
    if len(said) == 1:
        draft.check_read(said[0], raw, _READ)
    draft.add_all(said)


def _blocks(raw: Mapping[str, Any]) -> list[Any]:
    """The content of a message; where that says nothing, its `text`, which older exports have alone."""
    content, text = raw.get("content"), text_value(raw.get("text"))
    blocks = content if isinstance(content, list) else [content] if isinstance(content, str) else []
    says = any(not isinstance(block, Mapping) or block.get("type") != "text" or block.get("text") for block in blocks)
    return blocks if says or not text else [{"type": "text", "text": text}]


def _reply(block: Any, steps: ReplySteps, draft: ConversationDraft) -> None:
    kind = text_value(block.get("type")) if isinstance(block, Mapping) else ""
    if isinstance(block, Mapping) and kind == "tool_use":
        given = block.get("input")
        call_id = text_value(block.get("id"))
        steps.call(draft.calls.call(text_value(block.get("name")), {} if given is None else given, call_id))
    elif isinstance(block, Mapping) and kind == "tool_result":
        content = block.get("content")
        items = content if isinstance(content, list) else [] if content is None else [content]
        call_id = draft.calls.answer(text_value(block.get("name")), text_value(block.get("tool_use_id")))
        parts = tuple(part for item in items for part in content_block(item))
        result = ToolResultPart(call_id, parts, block.get("is_error") is True)
        steps.answer(draft.checked(result, block, "content", "tool_use_id"))
    elif kind in _INTERFACE:
        draft.notes.count("Marks of the interface, which a model is not sent, left out", of=block)
    else:
        for part in _part(block):
            steps.say(part)


def _part(block: Any) -> Sequence[Part]:
    if isinstance(block, Mapping) and block.get("type") == "thinking":
        return [ReasoningPart(text_value(block.get("thinking")), signature=text_value(block.get("signature")))]
    return content_block(block)


def _attachments(raw: Mapping[str, Any], notes: Notes) -> Iterator[Part]:
    """The texts of attachments, and the files, each once, by their names and sizes in pixels."""
    for attached in mappings(raw.get("attachments")):
        text = text_value(attached.get("extracted_content"))
        if text:
            notes.count("Attachments, read with the text that was taken out of them", of=attached.get("file_name"))
            yield TextPart(text)
        else:
            yield FilePart(attached, text_value(attached.get("file_name")))
    for file in mappings(raw.get("files_v2")) or mappings(raw.get("files")):
        shown = file.get("preview_asset")
        sizes = [shown.get(key) for key in ("image_width", "image_height")] if isinstance(shown, Mapping) else []
        if file.get("file_kind") == "image":
            known = [size for size in sizes if isinstance(size, int) and not isinstance(size, bool) and size > 0]
            yield ImagePart(file, known[0], known[1]) if len(known) == 2 else ImagePart(file)
        else:
            yield FilePart(file, text_value(file.get("file_name")) or text_value(file.get("filename")))
