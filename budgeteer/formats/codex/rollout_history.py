"""The last history that a Codex rollout sent: its items after compactions and rollbacks.

Sources: the rollout's own lines (`codex-rs`, `RolloutItem`): `response_item` is what the model saw, `compacted`
replaces everything before it, `event_msg` repeats items for the screen and carries usage and rollbacks,
`turn_context` and `session_meta` describe the session.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from budgeteer.engine.content.conversation import RecordedRequest
from budgeteer.engine.content.library import compact_json
from budgeteer.engine.content.slot_initializers import sets_slots
from budgeteer.formats.messages.imported import Skipped
from budgeteer.formats.messages.numbering import Notes, text_value
from budgeteer.formats.messages.objects import OBJECT
from budgeteer.formats.messages.recorded_requests import token_count
from budgeteer.formats.openai.responses_items import ITEM_TYPES
from budgeteer.formats.reading.json_text import JsonLine

_INJECTED: Final = re.compile(
    r"\s*(<(user_instructions|environment_context|INSTRUCTIONS|skill|turn_aborted|subagent_notification|user_action"
    r"|user_shell_command|model_switch|hook_prompt|permissions instructions|collaboration_mode)\b"
    r"|# AGENTS\.md instructions|Another language model started to solve this problem)"
)
"""How the texts begin that Codex writes into user messages: instructions, surroundings, a summary's introduction."""

#: `model_context_window` is what Codex uses of the window (`effective_context_window_percent`, 95 by default).
#: Source: codex-rs/protocol/src/openai_models.rs, read 2026-11-24.
_USABLE_SHARE: Final = 0.95

_BOOKKEEPING: Final = frozenset({"ghost_snapshot", "other"})
"""Items that Codex records for itself and never sends."""

#: Calls of tools that run where the model does, and whose items do not hold all that they found.
_AT_PROVIDER: Final = frozenset({"web_search_call", "file_search_call", "code_interpreter_call"})


@sets_slots
@dataclass(frozen=True, slots=True)
class RolloutItem:
    """One item as the model saw it.

    Attributes:
        line, created: the line and the time it was written at.
        payload: the item; that of a line of its own is read from the line when it is looked at.
        is_instruction: whether it is a message, but not the model's.
        is_prompt: whether a person typed some of it.
        summary: whether it is a compaction's text.
    """

    line: int
    created: str
    _given: Mapping[str, Any] | JsonLine
    is_instruction: bool
    is_prompt: bool
    summary: bool = False

    @property
    def payload(self) -> Mapping[str, Any]:
        """The item."""
        if isinstance(self._given, JsonLine):
            value: Mapping[str, Any] = self._given.value
            return value if is_bare(value) else value["payload"]
        return self._given


@dataclass(slots=True)
class History:
    """A rollout read to its end.

    Attributes:
        meta: the payload of the first `session_meta`; a fork repeats that of its origin after its own.
        items: what the model would see; everything when the whole transcript was wanted.
        compactions: how often what was before was replaced.
        before: items that only the whole transcript has.
        model: the model of the last turn. window: the context window it was last known to have, 0 where none is said.
        reported: what was reported of each request since the last compaction, or of all where everything was wanted;
            each with the line at which its reply begins, 0 where that is not in the file or was reported already.
    """

    meta: Mapping[str, Any] = field(default_factory=dict)
    items: list[RolloutItem] = field(default_factory=list)
    compactions: int = 0
    before: int = 0
    model: str = ""
    window: int = 0
    reported: list[tuple[int, RecordedRequest]] = field(default_factory=list)


def read_history(lines: Sequence[JsonLine], notes: Notes, skipped: list[Skipped], *, whole: bool) -> History:
    """Follow the lines of a rollout."""
    reader = _Reader(notes, skipped, whole=whole)
    for line in lines:
        reader.add(line)
    return reader.history


def is_bare(value: Mapping[str, Any]) -> bool:
    """Whether a line is an item itself, or a mark of Codex' state, as rollouts were until September 2025."""
    kind = text_value(value.get("type"))
    return "payload" not in value and (
        kind in ITEM_TYPES or kind in _BOOKKEEPING or (kind == "message" and "role" in value) or "record_type" in value
    )


def is_header(value: Mapping[str, Any]) -> bool:
    """Whether a line says of a session what `session_meta` says of later ones."""
    own = text_value(value.get("id")) and text_value(value.get("timestamp"))
    return bool(own) and "instructions" in value and "type" not in value and "payload" not in value


def is_injected(text: str) -> bool:
    """Whether Codex wrote a user message's text, not a person."""
    return _INJECTED.match(text) is not None


class _Reader:
    def __init__(self, notes: Notes, skipped: list[Skipped], *, whole: bool) -> None:
        self.notes = notes
        self.skipped = skipped
        self.whole = whole
        self.history = History()
        self._reply_line = 0
        self._ran_at_provider = False

    def add(self, line: JsonLine) -> None:
        value = line.value
        kind = text_value(value.get("type")) or "line without a type"
        payload = value.get("payload")
        if is_header(value):
            self.history.meta = self.history.meta or value
            return
        if is_bare(value):
            self._bare(line)
            return
        if not isinstance(payload, OBJECT):
            why = f"a `{kind}` line without a payload"
            self.skipped.append(Skipped(f"line {line.number}", why, compact_json(value)[:500]))
            return
        match kind:
            case "response_item":
                self._item(line.number, text_value(value.get("timestamp")), payload, line)
            case "compacted":
                self._compacted(line.number, text_value(value.get("timestamp")), payload)
            case "turn_context":
                self.history.model = text_value(payload.get("model")) or self.history.model
            case "session_meta":
                self.history.meta = self.history.meta or payload
            case "event_msg":
                self._event(payload)
                self.notes.leave_entries((line.number,))
            case _:
                self.notes.leave_line(kind, None)
                self.notes.leave_entries((line.number,))

    def _bare(self, line: JsonLine) -> None:
        if "record_type" in line.value:
            self.notes.leave_line(text_value(line.value["record_type"]) or "record_type", None)
            self.notes.leave_entries((line.number,))
            return
        self._item(line.number, text_value(line.value.get("timestamp")), line.value, line)

    def _item(
        self,
        number: int,
        created: str,
        payload: Mapping[str, Any],
        line: JsonLine | None = None,
        *,
        summary: bool = False,
    ) -> None:
        kind = text_value(payload.get("type"))
        if kind in _BOOKKEEPING:
            self.notes.leave_line(f"response_item ({kind})", None)
            self.notes.leave_entries((number,))
            return
        if not self._reply_line and line is not None and _is_replied(payload):
            self._reply_line = number
        self._ran_at_provider |= line is not None and _runs_at_provider(payload)
        self.history.items.append(
            RolloutItem(
                number,
                created,
                payload if line is None else line,
                is_instruction=not summary and _is_instruction(payload),
                is_prompt=not summary and _is_prompt(payload),
                summary=summary,
            )
        )

    def _compacted(self, number: int, created: str, payload: Mapping[str, Any]) -> None:
        history = self.history
        history.compactions += 1
        given = payload.get("replacement_history")
        summary = text_value(payload.get("message"))
        if self.whole:
            self._summary(number, created, summary)
            return
        history.reported = []
        history.before += len(history.items)
        self.notes.leave_entries(item.line for item in history.items)
        if isinstance(given, list):
            history.items = []
            for raw in given:
                if isinstance(raw, OBJECT):
                    self._item(number, created, raw)
            return
        # What carries over where no replacement is listed: instructions and what a person typed.
        history.items = [item for item in history.items if item.is_instruction]
        history.before -= len(history.items)
        self._summary(number, created, summary)

    def _summary(self, number: int, created: str, text: str) -> None:
        if text:
            content = [{"type": "input_text", "text": text}]
            message = {"type": "message", "role": "user", "content": content}
            self._item(number, created, message, summary=True)

    def _event(self, payload: Mapping[str, Any]) -> None:
        kind = text_value(payload.get("type"))
        if kind == "token_count":
            self._add_reported(payload.get("info"))
        elif kind == "thread_rolled_back":
            self._roll_back(payload.get("num_turns"))
        else:
            self.notes.leave_line(f"event_msg ({kind})" if kind else "event_msg", None)

    def _add_reported(self, info: Any) -> None:
        """The usage of the request whose reply stands before this line, which may be repeated.

        `input_tokens` holds what was cached, `output_tokens` the reasoning; an estimate after a compaction has none.
        """
        if isinstance(info, OBJECT) and token_count(info.get("model_context_window")):
            self.history.window = round(token_count(info["model_context_window"]) / _USABLE_SHARE)
        last = info.get("last_token_usage") if isinstance(info, OBJECT) else None
        if not isinstance(last, OBJECT) or not token_count(last.get("input_tokens")):
            return
        request = RecordedRequest(
            position=0,
            input_tokens=token_count(last.get("input_tokens")),
            cache_read_tokens=token_count(last.get("cached_input_tokens")),
            output_tokens=token_count(last.get("output_tokens")),
            reasoning_tokens=token_count(last.get("reasoning_output_tokens")),
            model=self.history.model,
            ran_at_provider=self._ran_at_provider,
        )
        self.history.reported.append((self._reply_line, request))
        self._reply_line = 0
        self._ran_at_provider = False

    def _roll_back(self, turns: Any) -> None:
        """Take away the last turns: what was typed, and everything after it."""
        count = turns if isinstance(turns, int) and not isinstance(turns, bool) else 0
        typed = [place for place, item in enumerate(self.history.items) if item.is_prompt]
        if count > 0 and typed:
            start = typed[-min(count, len(typed))]
            self.notes.count("Items of turns that were rolled back, left out", len(self.history.items) - start)
            self.notes.leave_entries(item.line for item in self.history.items[start:])
            self.history.reported = [one for one in self.history.reported if one[0] < self.history.items[start].line]
            del self.history.items[start:]


def _is_replied(payload: Mapping[str, Any]) -> bool:
    """Whether the model wrote an item."""
    kind = text_value(payload.get("type"))
    return payload.get("role") == "assistant" if kind == "message" else not kind.endswith("_output")


def _runs_at_provider(payload: Mapping[str, Any]) -> bool:
    """Whether an item is a call of a tool that ran where the model did."""
    kind = text_value(payload.get("type"))
    return kind in _AT_PROVIDER or (kind == "tool_search_call" and payload.get("execution") == "server")


def _is_instruction(payload: Mapping[str, Any]) -> bool:
    return payload.get("type") == "message" and payload.get("role") in ("system", "developer", "user")


def _is_prompt(payload: Mapping[str, Any]) -> bool:
    if payload.get("type") != "message" or payload.get("role") != "user":
        return False
    content = payload.get("content")
    parts = content if isinstance(content, list) else []
    return any(isinstance(part, OBJECT) and not is_injected(text_value(part.get("text"))) for part in parts)
