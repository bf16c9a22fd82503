"""Claude Code's message stream: what `claude -p --output-format stream-json` and the Agent SDK give, a message a line.

Certain: `system` messages of the subtype `init`, `user` and `assistant` messages with a `session_id` beside their
`message`, and a `result` with its `subtype`; also as one JSON array (`--output-format json --verbose`, the GitHub
action's log). Lines of a `type` and a `message` of the same role with Anthropic's contents, from which everything else
was taken, are read alike. Contradicted by `parentUuid` and `sessionId`, which only session files have, and by the
`call_id` of Cursor's stream. The prompt is in the stream only where it was replayed; a sub-agent's messages name the
call that started it (`parent_tool_use_id`).

Source: https://code.claude.com/docs/en/agent-sdk/typescript (SDKMessage), 2026-11.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Final

from budgeteer.engine.content.conversation import Conversation, Message, Role
from budgeteer.engine.content.library import compact_json
from budgeteer.formats.anthropic.messages import recorded_request, split_message
from budgeteer.formats.messages.imported import Imported, Skipped
from budgeteer.formats.messages.numbering import text_value
from budgeteer.formats.reading.conversation_draft import ConversationDraft, texts
from budgeteer.formats.reading.document import Document
from budgeteer.formats.reading.entries import Entry, entries_of, mappings, mostly, sampled
from budgeteer.formats.reading.importing import require

_ROLES: Final[Mapping[str, Role]] = {"user": "user", "assistant": "assistant"}
_BLOCKS: Final = frozenset({"text", "thinking", "redacted_thinking", "tool_use", "tool_result", "image", "document"})
_OF_OTHERS: Final = frozenset({"parentUuid", "sessionId", "leafUuid", "isSidechain", "call_id"})


def detect(document: Document) -> str | None:
    """Why a document is a message stream of Claude Code, None when it is not."""
    if any(map(_is_of_others, sampled(document))):
        return None
    if mostly(document, _is_streamed):
        return "holds `assistant`, `user` and `result` messages with a `session_id`, as Claude Code streams them"
    if mostly(document, _is_bare):
        return "holds lines of the types `user` and `assistant` with a `message` each, as Claude Code writes them"
    return None


def _is_of_others(value: Mapping[str, Any]) -> bool:
    """Whether a line has ids that this stream has not; a session may be named where it begins and nowhere else."""
    ids = _OF_OTHERS if text_value(value.get("type")) in _ROLES else _OF_OTHERS - {"sessionId"}
    return not ids.isdisjoint(value)


def _is_streamed(value: Mapping[str, Any]) -> bool:
    kind = text_value(value.get("type"))
    if kind in _ROLES:
        return isinstance(value.get("message"), Mapping) and bool({"session_id", "parent_tool_use_id"} & value.keys())
    return kind in ("system", "result", "stream_event", "rate_limit_event", "tool_progress") and "session_id" in value


def _is_bare(value: Mapping[str, Any]) -> bool:
    """Whether a line is a message of Claude Code without the ids that it writes beside it."""
    kind, message = text_value(value.get("type")), value.get("message")
    if kind not in _ROLES or not isinstance(message, Mapping) or message.get("role", kind) != kind:
        return False
    content = message.get("content")
    blocks = mappings(content)
    return isinstance(content, str) or (bool(blocks) and all(text_value(one.get("type")) in _BLOCKS for one in blocks))


def read(document: Document) -> Imported:
    """Read the main conversation and the runs of its sub-agents.

    Raises:
        FormatError: the stream holds no message.
    """
    skipped = list(document.skipped)
    stream = _Stream(document, skipped)
    for entry in entries_of(document, skipped):
        stream.add(entry)
    found = stream.conversations()
    require(found, document, "Claude Code")
    return Imported("", "", "conversation", conversations=tuple(found), skipped=tuple(skipped))


class _Stream:
    """A stream being read: a draft for the main conversation ("") and one for each sub-agent, by its call."""

    def __init__(self, document: Document, skipped: list[Skipped]) -> None:
        self.document = document
        self.notes = document.notes
        self.skipped = skipped
        self.drafts: dict[str, ConversationDraft] = {}
        self.waiting: dict[str, tuple[str, Message]] = {}
        self.session = ""
        self.model = ""
        self.result: tuple[Entry, str] | None = None

    def add(self, entry: Entry) -> None:
        value = entry.value
        kind = text_value(value.get("type"))
        self.session = self.session or text_value(value.get("session_id"))
        message = value.get("message")
        if kind in _ROLES and isinstance(message, Mapping):
            self._message(entry, _ROLES[kind], message, text_value(value.get("parent_tool_use_id")))
            return
        if kind in _ROLES:
            self.skipped.append(Skipped(entry.where, f"a `{kind}` message without words", compact_json(value)[:500]))
            return
        subtype = text_value(value.get("subtype"))
        self.notes.leave_line(f"{kind or 'no type'} ({subtype})" if subtype else kind or "no type", value)
        if kind == "system":
            self.model = text_value(value.get("model")) or self.model
            if subtype == "compact_boundary":
                self.notes.count("Compactions, which the stream shows by a mark alone: all messages are kept")
        elif kind == "result":
            self.result = (entry, text_value(value.get("result")))

    def _message(self, entry: Entry, role: Role, message: Mapping[str, Any], agent: str) -> None:
        """Add a message; an assistant's comes block by block under one id, and is put together again."""
        content = self.notes.content_of(message)
        created = text_value(entry.value.get("timestamp"))
        uid = text_value(message.get("id")) or text_value(entry.value.get("uuid"))
        split = split_message(role, content, line=entry.number, uid=uid, created=created)
        before = self.waiting.get(agent)
        if role == "assistant" and before is not None and uid and before[0] == uid:
            self.waiting[agent] = (uid, replace(before[1], parts=(*before[1].parts, *split[0].parts)))
            self.notes.count("Pieces of a reply put together")
            return
        self._flush(agent)
        draft = self._draft(agent)
        if role == "assistant":
            draft.model = text_value(message.get("model")) or draft.model
            draft.record(entry.number, recorded_request(message.get("usage"), draft.model))
            self.waiting[agent] = (uid, split[0])
            return
        typed = entry.value.get("isSynthetic") is not True
        draft.check_read(split[0], message, ("content", "text"))
        draft.add_all(each if each.role == "tool" else replace(each, typed=typed) for each in split)

    def _draft(self, agent: str) -> ConversationDraft:
        return self.drafts.setdefault(agent, ConversationDraft(self.notes, "line "))

    def _flush(self, agent: str) -> None:
        waiting = self.waiting.pop(agent, None)
        if waiting is not None:
            self._draft(agent).add(waiting[1])

    def conversations(self) -> list[Conversation]:
        for agent in list(self.waiting):
            self._flush(agent)
        if "" not in self.drafts and self.result is not None and self.result[1]:
            entry, text = self.result
            draft = self._draft("")
            draft.add(Message("assistant", texts(text), line=entry.number))
            usage = recorded_request(entry.value.get("usage"), self.model)
            if entry.value.get("num_turns") in (None, 1):
                draft.record(entry.number, usage)
            self.notes.say("The file holds the final reply alone, and neither the prompt nor what led to it")
        return list(self._built(self.drafts.items()))

    def _built(self, drafts: Iterable[tuple[str, ConversationDraft]]) -> Iterable[Conversation]:
        for agent, draft in sorted(drafts, key=lambda item: item[0] != ""):
            draft.model = draft.model or self.model
            given = f"agent-{agent}" if agent else self.session or "c1"
            chat = draft.conversation(given, "", self.document.stem or "Session")
            metadata = {"source": "claude-code", "session": self.session}
            yield replace(chat, is_subagent=bool(agent), metadata=metadata)
