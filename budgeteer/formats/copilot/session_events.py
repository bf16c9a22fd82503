"""The events of a Copilot CLI session as messages: the main session and each sub-agent separately.

Source: the event types of GitHub's Copilot SDK (`session-events`) and files that people have published. The model saw
`system.message`, `user.message`, `assistant.message`, `system.notification` and the results in
`tool.execution_complete`; every other event repeats those or describes the session.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from budgeteer.engine.content.conversation import (
    ContentPart,
    Message,
    Part,
    ReasoningPart,
    Role,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)
from budgeteer.engine.content.library import compact_json
from budgeteer.formats.messages.imported import Skipped
from budgeteer.formats.messages.numbering import Notes, put_aside, text_value
from budgeteer.formats.messages.opaque import opaque_part
from budgeteer.formats.reading.entries import Entry, mappings
from budgeteer.formats.reading.open_calls import arguments_text

PROVIDER: Final = "copilot-cli"

_MAIN: Final = ""
_TOLD: Final = frozenset({"content", "toolCallId", "sessionId"})
_REPEATS: Final = frozenset({"tool.execution_start", "assistant.reasoning", "assistant.usage"})


@dataclass(slots=True)
class CopilotConversation:
    """What one agent said and read.

    Attributes:
        messages: in order, after the last compaction unless the whole transcript was wanted.
        model: the model of its last reply.
        compactions: how often it was compacted.
        before: messages that only the whole transcript has.
        reasoning: thought in an event of its own, for the reply that follows.
        prompt: what a person typed first.
    """

    messages: list[Message] = field(default_factory=list)
    model: str = ""
    compactions: int = 0
    before: int = 0
    reasoning: str = ""
    prompt: str = ""

    @property
    def says_anything(self) -> bool:
        """Whether there is any message."""
        return bool(self.messages)


@dataclass(slots=True)
class Events:
    """A session read to its end.

    Attributes:
        talks: by the id of the agent, "" for the main session.
        system: the system message sent last.
        session: the session's id.
        model: the model chosen for it.
        reported: the tokens in its context as it ended, by Copilot's own count; None when it does not say.
    """

    talks: dict[str, CopilotConversation] = field(default_factory=lambda: {_MAIN: CopilotConversation()})
    system: Message | None = None
    session: str = ""
    model: str = ""
    reported: int | None = None


def read_events(entries: Iterable[Entry], notes: Notes, skipped: list[Skipped], *, whole: bool) -> Events:
    """Follow the events of a session."""
    reader = _Reader(notes, skipped, whole=whole)
    for entry in entries:
        reader.add(entry)
    return reader.events


def data_of(value: Mapping[str, Any]) -> Any:
    """What an event tells: its `data`, or in copies what stands beside its type."""
    return value if "data" not in value and not _TOLD.isdisjoint(value) else value.get("data")


class _Reader:
    def __init__(self, notes: Notes, skipped: list[Skipped], *, whole: bool) -> None:
        self.notes = notes
        self.skipped = skipped
        self.whole = whole
        self.events = Events()
        self.place_of: dict[str, int] = {}
        self.requested: set[str] = set()

    def add(self, entry: Entry) -> None:
        kind = text_value(entry.value.get("type")) or "event without a type"
        data = data_of(entry.value)
        if not isinstance(data, Mapping):
            why = f"a `{kind}` event without data"
            self.skipped.append(Skipped(entry.where, why, compact_json(entry.value)[:500]))
            return
        agent = text_value(entry.value.get("agentId")) or text_value(data.get("parentToolCallId"))
        talk = self.events.talks.setdefault(agent, CopilotConversation())
        if not agent:
            self.place_of[text_value(entry.value.get("id"))] = len(talk.messages)
        match kind:
            case "system.message":
                self._system(entry, data)
            case "user.message":
                self._user(entry, data, talk)
            case "assistant.message":
                self._assistant(entry, data, talk)
            case "tool.execution_start" if self._is_new(data):
                call = ToolCallPart(data["toolCallId"], data["toolName"], arguments_text(data.get("arguments")))
                self.notes.count("Calls that only the event of their start holds")
                self._add(entry, "assistant", (call,), talk)
            case "tool.execution_complete":
                self._keep(_result(entry, data), talk)
            case "system.notification" if text_value(data.get("content")):
                self._add(entry, "user", (TextPart(data["content"]),), talk, typed=False)
            case _:
                self._about_the_session(kind, data, talk, entry)

    def _is_new(self, data: Mapping[str, Any]) -> bool:
        """Whether an event starts a call that no message requested."""
        given, name = text_value(data.get("toolCallId")), text_value(data.get("toolName"))
        return bool(given and name) and given not in self.requested

    def _about_the_session(self, kind: str, data: Mapping[str, Any], talk: CopilotConversation, entry: Entry) -> None:
        events = self.events
        match kind:
            case "session.start" | "session.resume":
                events.session = events.session or text_value(data.get("sessionId"))
                events.model = text_value(data.get("selectedModel")) or events.model
            case "session.model_change":
                events.model = text_value(data.get("newModel")) or events.model
            case "session.shutdown" | "session.usage_info":
                events.model = text_value(data.get("currentModel")) or events.model
                events.reported = _count(data.get("currentTokens")) or events.reported
            case "session.compaction_complete":
                self._compacted(data, talk, entry)
            case "session.snapshot_rewind":
                self._rewind(text_value(data.get("upToEventId")), talk)
            case "assistant.reasoning":
                talk.reasoning = text_value(data.get("content"))
            case "session.truncation":
                self.notes.say("Copilot left out messages to make room; the file does not say which, so all are kept")
        self.notes.leave_entries((entry.number,))
        if kind in _REPEATS:
            self.notes.count(f"Events `{kind}`, which other events repeat, counted once")
        else:
            self.notes.leave_line(kind, None)

    def _add(
        self, entry: Entry, role: Role, parts: tuple[Part, ...], talk: CopilotConversation, *, typed: bool = True
    ) -> None:
        if not typed:
            self.notes.count("User messages nobody typed (notices, skill texts), kept: the model saw them")
        created = text_value(entry.value.get("timestamp"))
        uid = text_value(entry.value.get("id"))
        self._keep(Message(role, parts, uid, "", created, entry.number, typed), talk)

    def _keep(self, message: Message, talk: CopilotConversation) -> None:
        talk.messages.append(put_aside(message, self.notes.aside))

    def _system(self, entry: Entry, data: Mapping[str, Any]) -> None:
        if self.events.system is not None:
            self.notes.count("Earlier system messages, which the last one replaced")
            self.notes.leave_entries((self.events.system.line,))
        role: Role = "developer" if data.get("role") == "developer" else "system"
        parts = (TextPart(text_value(data.get("content"))),)
        self.events.system = Message(role, parts, text_value(entry.value.get("id")), line=entry.number)

    def _user(self, entry: Entry, data: Mapping[str, Any], talk: CopilotConversation) -> None:
        """What was sent (`transformedContent`) instead of what was typed (`content`)."""
        text = text_value(data.get("transformedContent")) or text_value(data.get("content"))
        attachments = mappings(data.get("attachments"))
        kept = [
            opaque_part(f"attachment ({text_value(each.get('type'))})", each, PROVIDER, self.notes)
            for each in attachments
        ]
        parts: tuple[Part, ...] = (*((TextPart(text),) if text else ()), *kept)
        typed = text_value(data.get("source")) in ("", "user")
        talk.prompt = talk.prompt or (text_value(data.get("content")) if typed else "")
        self._add(entry, "user", parts, talk, typed=typed)

    def _assistant(self, entry: Entry, data: Mapping[str, Any], talk: CopilotConversation) -> None:
        thought = text_value(data.get("reasoningText")) or talk.reasoning
        sealed = text_value(data.get("reasoningOpaque")) or text_value(data.get("encryptedContent"))
        talk.reasoning = ""
        parts: list[Part] = []
        if thought or sealed:
            parts.append(ReasoningPart(thought, encrypted=sealed, provider=PROVIDER))
        if text_value(data.get("content")):
            parts.append(TextPart(data["content"]))
        for request in mappings(data.get("toolRequests")):
            call_id, name = text_value(request.get("toolCallId")), text_value(request.get("name"))
            self.requested.add(call_id)
            parts.append(ToolCallPart(call_id, name, arguments_text(request.get("arguments"))))
        talk.model = text_value(data.get("model")) or talk.model
        self._add(entry, "assistant", tuple(parts), talk)

    def _compacted(self, data: Mapping[str, Any], talk: CopilotConversation, entry: Entry) -> None:
        summary = text_value(data.get("summaryContent"))
        if data.get("success") is False or not summary:
            return
        talk.compactions += 1
        if not self.whole:
            talk.before += len(talk.messages)
            self.notes.leave_entries(message.line for message in talk.messages)
            talk.messages = []
            self.place_of = {}
        created = text_value(entry.value.get("timestamp"))
        uid = text_value(entry.value.get("id"))
        self._keep(Message("user", (TextPart(summary),), uid, "", created, entry.number, typed=False), talk)

    def _rewind(self, event: str, talk: CopilotConversation) -> None:
        place = self.place_of.get(event)
        if place is not None and place < len(talk.messages):
            self.notes.count("Messages that were rewound, left out", len(talk.messages) - place)
            self.notes.leave_entries(message.line for message in talk.messages[place:])
            del talk.messages[place:]


def _result(entry: Entry, data: Mapping[str, Any]) -> Message:
    """What the model read of a run: `content`, not the `detailedContent` for the screen; of a failure its message."""
    result, error = data.get("result"), data.get("error")
    content = result.get("content") if isinstance(result, Mapping) else result
    if content is None and isinstance(error, Mapping):
        content = error.get("message")
    text = content if isinstance(content, str) else "" if content is None else compact_json(content)
    parts: tuple[ContentPart, ...] = (TextPart(text),) if text else ()
    answer = ToolResultPart(text_value(data.get("toolCallId")), parts, data.get("success") is False)
    created = text_value(entry.value.get("timestamp"))
    return Message("tool", (answer,), text_value(entry.value.get("id")), "", created, entry.number)


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None
