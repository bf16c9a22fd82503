"""Trajectories of Trae Agent: each interaction with the model as the messages that were new in it, and its response.

Certain: an object of a `task` with `llm_interactions` or `agent_steps`. Steps repeat the interactions; they are read
where none was recorded.
Source: https://github.com/bytedance/trae-agent, `trae_agent/utils/trajectory_recorder.py`, 2026-11.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from budgeteer.engine.content.conversation import Message, Part, RecordedRequest, Role, ToolResultPart
from budgeteer.formats.messages.imported import Imported, Skipped
from budgeteer.formats.messages.numbering import text_value
from budgeteer.formats.messages.objects import OBJECT, object_under
from budgeteer.formats.messages.recorded_requests import token_count
from budgeteer.formats.reading.conversation_draft import ConversationDraft, texts
from budgeteer.formats.reading.document import Document
from budgeteer.formats.reading.entries import entries_of, mappings, mostly, numbered_mappings
from budgeteer.formats.reading.importing import require

_INTERACTIONS, _STEPS = "llm_interactions", "agent_steps"
_RESULT: Final = ("call_id", "name", "success", "result", "error", "id")
_ROLES: Final[Mapping[str, Role]] = {
    "system": "system", "user": "user", "assistant": "assistant", "tool": "tool",
}  # fmt: skip


def detect(document: Document) -> str | None:
    """Why a document is such a trajectory, None when it is not."""
    if mostly(document, _is_trajectory):
        return "holds a `task` with its `llm_interactions`, as Trae Agent records them"
    return None


def _is_trajectory(value: Mapping[str, Any]) -> bool:
    if not isinstance(value.get("task"), str):
        return False
    asked = any("input_messages" in one for one in mappings(value.get(_INTERACTIONS)))
    return asked or any("llm_messages" in one for one in mappings(value.get(_STEPS)))


def read(document: Document) -> Imported:
    """Read each trajectory as one conversation.

    Raises:
        FormatError: none holds a message.
    """
    skipped = list(document.skipped)
    found = []
    for entry in entries_of(document, skipped):
        if not _is_trajectory(entry.value):
            skipped.append(Skipped(entry.where, "no trajectory", ""))
            continue
        run = _Run(document, skipped)
        run.read(entry.value)
        chat = run.draft.conversation(f"c{entry.number}", text_value(entry.value["task"]), document.stem)
        if chat.messages:
            found.append(chat)
    require(found, document, "Trae Agent")
    return Imported("", "", "conversation", conversations=tuple(found), skipped=tuple(skipped))


class _Run:
    """A trajectory being read, with the raw messages that were there already."""

    def __init__(self, document: Document, skipped: list[Skipped]) -> None:
        self.draft = ConversationDraft(document.notes, "interaction ")
        self.notes = document.notes
        self.skipped = skipped
        self._asked: list[Mapping[str, Any]] = []

    def read(self, value: Mapping[str, Any]) -> None:
        """Read the interactions, or the steps where there are none."""
        self.draft.model = text_value(value.get("model"))
        held = mappings(value.get(_INTERACTIONS))
        if held:
            self.notes.leave_out([value["task"], value.get(_STEPS), value.get("final_result")])
        else:
            self.notes.leave_out([value["task"], value.get("final_result")])
        rows = value[_INTERACTIONS] if held else value.get(_STEPS)
        asked, replied = ("input_messages", "response") if held else ("llm_messages", "llm_response")
        for number, row in numbered_mappings(rows, self.draft.place, self.skipped):
            self._ask(mappings(row.get(asked)), number)
            self._reply(object_under(row, replied), text_value(row.get("timestamp")), number)
            self.notes.leave_out(row.get("tools_available"))
            if not held:
                self.notes.leave_out([row.get("tool_calls"), row.get("tool_results"), row.get("reflection")])

    def _ask(self, messages: Sequence[Mapping[str, Any]], number: int) -> None:
        """Add the messages that are new; some versions record those before them once more."""
        known = len(self._asked) if list(messages[: len(self._asked)]) == self._asked else 0
        self.notes.count("Messages that a later interaction repeats, read once", known, of=list(messages[:known]))
        for raw in messages[known:]:
            self._add(raw, number)
        if known or not self._asked:
            self._asked = list(messages)

    def _add(self, raw: Mapping[str, Any], number: int) -> None:
        role = _ROLES.get(text_value(raw.get("role")), "user")
        answered = raw.get("tool_result")
        results = [answered] if isinstance(answered, OBJECT) else mappings(raw.get("tool_results"))
        said = texts(text_value(raw.get("content")))
        if said or not results:
            message = Message(role, said, line=number)
            self.draft.check_read(message, raw, ("content", "role", "tool_result", "tool_call"))
            self.draft.add(message)
        for result in results:
            told = [text for key in ("result", "error") if (text := text_value(result.get(key)))]
            failed = result.get("success") is False
            shown = texts("\n".join(told))
            self.draft.check_read(Message("tool", (ToolResultPart("", shown),), line=number), result, _RESULT)
            frame = Message("tool", (), name=text_value(result.get("name")), line=number)
            self.draft.answer(frame, shown, text_value(result.get("call_id")), failed=failed)

    def _reply(self, response: Mapping[str, Any], created: str, number: int) -> None:
        self.draft.model = text_value(response.get("model")) or self.draft.model
        calls = [
            self.draft.calls.call(text_value(call.get("name")), call.get("arguments"), text_value(call.get("call_id")))
            for call in mappings(response.get("tool_calls"))
        ]
        parts: tuple[Part, ...] = (*texts(text_value(response.get("content"))), *calls)
        if parts:
            self.draft.record(number, _recorded(object_under(response, "usage"), self.draft.model))
            self.draft.add(Message("assistant", parts, created=created, line=number))


def _recorded(usage: Mapping[str, Any], model: str) -> RecordedRequest | None:
    """What was reported of a request; what was read from a cache or written to one is beside the input."""
    keys = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens", "output_tokens")
    given, read_, written, output = (token_count(usage.get(key)) for key in keys)
    total = given + read_ + written
    return RecordedRequest(0, total, read_, written, output, model=model) if total else None
