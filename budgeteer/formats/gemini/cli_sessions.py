"""Gemini CLI sessions: one JSON document, or append-only JSONL with rewinds and rewritten messages.

What its recording service writes was read from its source (google-gemini/gemini-cli, `chatRecordingService.ts`,
`chatRecordingTypes.ts` and `sessionUtils.ts`, 2026-11). Its checkpoints hold contents of the Gemini API and are read
by `gemini`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from budgeteer.engine.content.conversation import (
    ContentPart,
    Conversation,
    Message,
    Part,
    ReasoningPart,
    RecordedRequest,
    TextPart,
    ToolCallPart,
    ToolResultPart,
    calls_of,
    results_of,
)
from budgeteer.engine.content.library import compact_json
from budgeteer.formats.gemini.contents import FAMILY, ContentReader, key_of, parts_of
from budgeteer.formats.messages.imported import Imported, Skipped
from budgeteer.formats.messages.numbering import Notes, note_opaque, numbered, text_value, title_of
from budgeteer.formats.messages.recorded_requests import placed_requests, token_count
from budgeteer.formats.reading.document import Document
from budgeteer.formats.reading.entries import mappings
from budgeteer.formats.reading.importing import require
from budgeteer.formats.reading.json_text import JsonLine
from budgeteer.formats.reading.open_calls import arguments_text

_REPLIES: Final = ("gemini", "model")
"""Types of replies: the CLI's own, and the API's name of that side, which programs that write such sessions keep."""
_NOT_SENT: Final = ("info", "error", "warning")
_COMMANDS: Final = ("/", "?")
_CONTEXT: Final = "<session_context>"
_FAILED: Final = ("error", "cancelled")


@dataclass(slots=True)
class _Session:
    """A session being gathered: what its header says, and its messages by id with their 1-based numbers."""

    header: dict[str, Any] = field(default_factory=dict)
    messages: dict[str, tuple[int, Mapping[str, Any]]] = field(default_factory=dict)


def detect(document: Document) -> str | None:
    """Why a document is a Gemini CLI session, None when it is not."""
    if document.shape == "jsonl":
        first = [line.value for line in document.lines[:200]]
        own = any(_is_reply(value) or "$set" in value or "$rewindTo" in value for value in first)
        named = any("sessionId" in value and ("projectHash" in value or "startTime" in value) for value in first)
        if own and named:
            return "is JSON lines of a Gemini CLI session (its header, and messages by `user` and `gemini`)"
        return None
    value = document.value
    if isinstance(value, list):
        value = {"messages": value}
    if not isinstance(value, Mapping):
        return None
    messages = mappings(value.get("messages"))[:200]
    if "sessionId" not in value:
        types = {text_value(one.get("type")) for one in messages if _is_said(one, ("user", "gemini", *_NOT_SENT))}
        told = {"user", "gemini"} <= types
        return "holds messages by `user` and `gemini`, as the Gemini CLI records them" if told else None
    if any(_is_reply(one) or _is_said(one, ("user", *_NOT_SENT)) for one in messages):
        return "is a Gemini CLI session (`sessionId`, and `messages` by `user` and `gemini`)"
    return None


def read(document: Document) -> Imported:
    """Read the session.

    Raises:
        FormatError: it holds no message that was sent.
    """
    skipped = list(document.skipped)
    if document.shape == "jsonl":
        session = _from_lines(document, skipped)
    else:
        session = _Session()
        if isinstance(document.value, Mapping):
            session.header = dict(document.value)
            _take_all(session, document.value.get("messages"), skipped)
        else:
            _take_all(session, document.value, skipped)
    conversation = _conversation(session, document)
    require([conversation] if conversation.messages else [], document, "Gemini CLI")
    return Imported(format="", reason="", kind="conversation", conversations=(conversation,), skipped=tuple(skipped))


def _is_reply(value: Mapping[str, Any]) -> bool:
    return _is_said(value, _REPLIES)


def _is_said(value: Mapping[str, Any], types: tuple[str, ...]) -> bool:
    return value.get("type") in types and ("content" in value or "toolCalls" in value) and "uuid" not in value


def _take_all(session: _Session, messages: Any, skipped: list[Skipped]) -> None:
    for number, raw in enumerate(messages if isinstance(messages, list) else [], 1):
        if isinstance(raw, Mapping):
            session.messages[text_value(raw.get("id")) or f"#{number}"] = (number, raw)
        else:
            skipped.append(Skipped(f"message {number}", "no JSON object", str(raw)[:500]))


def _from_lines(document: Document, skipped: list[Skipped]) -> _Session:
    """The session its lines add up to: a message written again replaces itself, a rewind takes messages back."""
    session, notes = _Session(), document.notes
    for line in document.lines:
        value = line.value
        back, changed = value.get("$rewindTo"), value.get("$set")
        if isinstance(back, str):
            _rewind(session, back, notes, whole=document.options.whole)
        elif isinstance(changed, Mapping):
            _set(session, changed, line, skipped, notes, whole=document.options.whole)
        elif isinstance(value.get("id"), str):
            _upsert(session, line, notes)
        elif "sessionId" in value:
            session.header |= value
        else:
            skipped.append(Skipped(f"line {line.number}", "neither a message nor a change", compact_json(value)[:500]))
    return session


def _upsert(session: _Session, line: JsonLine, notes: Notes) -> None:
    own = line.value["id"]
    number, before = session.messages.get(own, (line.number, {}))
    notes.count("Lines that write a message again, of which the last is read", int(bool(before)))
    update = line.value.get("type") == "message_update"
    said = {**before, **line.value, "type": before.get("type", "")} if update else line.object
    session.messages[own] = (number, said)


def _set(  # noqa: PLR0913  # where the change goes, what it is, and where the report on it goes
    session: _Session, changed: Mapping[str, Any], line: JsonLine, skipped: list[Skipped], notes: Notes, *, whole: bool
) -> None:
    """A change of the header; `messages` in it are the whole history as it stands from then on."""
    listed = changed.get("messages")
    session.header |= {key: value for key, value in changed.items() if key != "messages"}
    if not isinstance(listed, list):
        return
    kept = {text_value(raw.get("id")) for raw in mappings(listed)}
    gone = [own for own in session.messages if own not in kept]
    if gone and not whole:
        notes.count(
            "Messages for which a later history stands, left out",
            len(gone),
            of=[session.messages[own][1] for own in gone],
        )
        for own in gone:
            del session.messages[own]
    before = session.messages if whole else {}
    numbered_ = {own: number for own, (number, _) in session.messages.items()}
    session.messages = dict(before)
    for at, raw in enumerate(listed, 1):
        if isinstance(raw, Mapping):
            own = text_value(raw.get("id")) or f"#{line.number}.{at}"
            session.messages[own] = (numbered_.get(own, line.number), raw)
        else:
            skipped.append(Skipped(f"line {line.number}, message {at}", "no JSON object", str(raw)[:500]))


def _rewind(session: _Session, back: str, notes: Notes, *, whole: bool) -> None:
    if whole:
        return
    ids = list(session.messages)
    undone = ids[ids.index(back) :] if back in session.messages else ids
    notes.count("Messages undone by a rewind, left out", len(undone), of=[session.messages[own][1] for own in undone])
    for own in undone:
        del session.messages[own]


def _conversation(session: _Session, document: Document) -> Conversation:
    notes, reader = document.notes, _Reader(document.notes)
    messages = notes.message_list()
    reported: list[tuple[int, RecordedRequest]] = []
    model = ""
    for own, (number, raw) in session.messages.items():
        kind = text_value(raw.get("type"))
        if kind in _REPLIES:
            request = _recorded(raw)
            reported += [(number, request)] if request is not None else []
            model = text_value(raw.get("model")) or model
            messages.extend(reader.reply(raw, number, own))
        elif kind == "user":
            messages.extend(reader.prompt(raw, number, own))
        else:
            notes.leave_line(kind or "message without a type", raw)
    done = numbered(messages, notes)
    note_opaque(done, notes)
    recorded = placed_requests(reported, done)
    own_id = text_value(session.header.get("sessionId"))
    return Conversation(
        id=own_id or "c1",
        title=title_of((one for one in done if one.typed), own_id or document.stem or "Gemini CLI session"),
        messages=done,
        model=model,
        reported_input_tokens=recorded[-1].input_tokens if recorded else None,
        recorded=recorded,
        is_subagent=session.header.get("kind") == "subagent",
        metadata={"session": own_id},
    )


def _recorded(reply: Mapping[str, Any]) -> RecordedRequest | None:
    """What the API reported of a reply's request; the CLI writes `input` with what was cached."""
    tokens = reply.get("tokens")
    if not isinstance(tokens, Mapping) or not token_count(tokens.get("input")):
        return None
    thoughts = token_count(tokens.get("thoughts"))
    return RecordedRequest(
        position=0,
        input_tokens=token_count(tokens.get("input")),
        cache_read_tokens=token_count(tokens.get("cached")),
        output_tokens=token_count(tokens.get("output")) + thoughts,
        reasoning_tokens=thoughts,
        model=text_value(reply.get("model")),
    )


class _Reader:
    """A session's messages being read; a result that `toolCalls` and a later content both hold is read once."""

    def __init__(self, notes: Notes) -> None:
        self.notes = notes
        self.contents = ContentReader(notes)
        self._answered: set[str] = set()

    def prompt(self, raw: Mapping[str, Any], number: int, own: str) -> Iterator[Message]:
        """What the user's side said; commands to the CLI itself are not sent."""
        parts = parts_of(raw.get("content"))
        text = " ".join(map(_text, parts)).strip()
        if text.startswith(_COMMANDS):
            self.notes.leave_line("command", raw)
            return
        created = text_value(raw.get("timestamp"))
        for message in self.contents.messages("user", parts, line=number, uid=own, created=created):
            if any(result.call_id in self._answered for result in results_of(message)):
                self.notes.count("Tool results that are written twice, read once")
            else:
                yield replace(message, typed=not text.startswith(_CONTEXT))

    def reply(self, raw: Mapping[str, Any], number: int, own: str) -> Iterator[Message]:
        """A reply with its thoughts and calls, and the results that `toolCalls` hold behind it."""
        created = text_value(raw.get("timestamp"))
        calls = mappings(raw.get("toolCalls"))
        said = list(self.contents.messages("model", parts_of(raw.get("content")), uid=own, created=created))[-1]
        parts = [*_thoughts(raw), *said.parts]
        ids: list[str] = []
        for call in calls:
            part = _written(call, calls_of(said))
            if part is None:
                part = self.contents.calls.call(text_value(call.get("name")), call.get("args") or {}, _id(call))
                parts.append(part)
            ids.append(part.id)
        yield replace(said, parts=tuple(parts), line=number)
        for at, (call, call_id) in enumerate(zip(calls, ids, strict=True), 1):
            yield from self.results(call, call_id, number=number, uid=f"{own}.result{at}")

    def results(self, call: Mapping[str, Any], call_id: str, *, number: int, uid: str) -> Iterator[Message]:
        """A call's result: function responses, with the texts and pictures beside them."""
        result = call.get("result")
        if not result:
            return
        self._answered.add(call_id)
        self.contents.calls.waiting.pop(call_id, None)
        content: list[ContentPart] = []
        failed = call.get("status") in _FAILED
        for raw in parts_of(result):
            response = key_of(raw, "functionResponse") if isinstance(raw, Mapping) else None
            if isinstance(response, Mapping):
                answer = self.contents.response({**response, "id": call_id})
                content += answer.content
                failed = failed or answer.is_error
            elif isinstance(raw, Mapping):
                content += self.contents.content(raw)
            elif _text(raw):
                content.append(TextPart(_text(raw)))
        created = text_value(call.get("timestamp"))
        yield Message("tool", (ToolResultPart(call_id, tuple(content), failed),), uid, "", created, number)


def _id(call: Mapping[str, Any]) -> str:
    return text_value(call.get("id"))


def _text(part: Any) -> str:
    return text_value(part.get("text")) if isinstance(part, Mapping) else text_value(part)


def _written(call: Mapping[str, Any], said: list[ToolCallPart]) -> ToolCallPart | None:
    """The call of the reply's content that an entry of `toolCalls` repeats: by id, else by name and arguments."""
    for part in said:
        if part.id == _id(call):
            return part
    arguments = arguments_text(call.get("args") or {})
    return next((part for part in said if (part.name, part.arguments) == (call.get("name"), arguments)), None)


def _thoughts(raw: Mapping[str, Any]) -> list[Part]:
    """Each thought's subject and description; the CLI keeps no seal of them, so they are never sent again."""
    found: list[Part] = []
    for thought in mappings(raw.get("thoughts")):
        said = [text_value(thought.get("subject")), text_value(thought.get("description"))]
        text = "\n".join(one for one in said if one)
        if text:
            found.append(ReasoningPart(text, provider=FAMILY))
    return found
