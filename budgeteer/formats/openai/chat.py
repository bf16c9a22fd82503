"""OpenAI chat completions: arrays, request bodies, logged requests with responses, trajectories, JSONL of each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, islice, pairwise
from typing import Any

from budgeteer.engine.content.conversation import (
    AudioPart,
    ContentPart,
    Conversation,
    FilePart,
    ImagePart,
    Message,
    OpaquePart,
    Part,
    ReasoningPart,
    Role,
    TextPart,
    ToolCallPart,
    ToolResultPart,
    calls_of,
)
from budgeteer.engine.content.library import compact_json
from budgeteer.engine.content.origin import Origin
from budgeteer.formats.messages.branches import with_branches
from budgeteer.formats.messages.image_sizes import data_url_pixel_size, image_at
from budgeteer.formats.messages.imported import Imported, Skipped
from budgeteer.formats.messages.numbering import (
    Notes,
    first_text,
    note_opaque,
    numbered,
    short_line,
    text_value,
    title_of,
)
from budgeteer.formats.messages.objects import OBJECT
from budgeteer.formats.messages.opaque import lean_parts
from budgeteer.formats.messages.origins import origin_of, settings_of
from budgeteer.formats.messages.speakers import turn_roles
from budgeteer.formats.openai.call_roles import with_role_of_form
from budgeteer.formats.openai.message_tree import branches_of
from budgeteer.formats.openai.parted_calls import CALLS, with_calls_apart, with_results_apart
from budgeteer.formats.openai.roles import OtherRoles, known_role, name_of
from budgeteer.formats.openai.shown_files import shown_part
from budgeteer.formats.reading import json_text
from budgeteer.formats.reading.document import Document
from budgeteer.formats.reading.entries import entries_of, sampled
from budgeteer.formats.reading.envelopes.asked_rows import beside_question
from budgeteer.formats.reading.envelopes.chat_messages import is_message, looks_like_messages, speaker_of
from budgeteer.formats.reading.envelopes.conversations import SAMPLED, asks_behind, envelopes, first_envelopes
from budgeteer.formats.reading.envelopes.envelope import Envelope
from budgeteer.formats.reading.importing import require
from budgeteer.formats.reading.lazy_jsonl import read_now
from budgeteer.formats.reading.notations.tables import is_table
from budgeteer.formats.reading.open_calls import WaitingCalls

_TEXT_KINDS = frozenset({"text", "input_text", "output_text"})
_READ = frozenset({"content", "text", "message", "tool_call_id", "toolCallId", "tool_call_ids"})
"""Fields that were read where a message says nothing; an empty one of calls, reasoning or a refusal holds nothing."""
_READ_COLUMNS = _READ | {"role", "from", "name", "id", "timestamp", "created_at", "tool_calls"}
"""Columns of a table of messages that are read of each."""
_REASONING_KEYS = ("reasoning_content", "reasoning", "thinking", "tool_plan", "reasoningContent")
"""Of OpenAI's form with others: `thinking` of Ollama, `tool_plan` of Cohere."""
_NAMES = ("name", "tool_name", "toolName")
_ARGUMENTS = ("arguments", "args", "input", "parameters", "params", "arguments_json")
_CALL_IDS = ("call_id", "tool_call_id", "action_id")
_OUTPUTS = ("output", "content", "result", "output_preview")
"""Where the name, the arguments and the id of a call stand in logs that keep them beside each other, and what a result
in a list of them says (`tool_results` of Hermes)."""
_SAID = ("content", "text", "message")
_TITLES = ("title", "chatTitle", "conversation_title", "conversation_name")
"""Beside the messages, what chat applications call a conversation."""
_BESIDE = "Columns of rows beside what was said, left out"
_OF_CALLS = frozenset({"prompt", "id", "model", "completion", "output", "outputs", "response", "answer"})
"""Columns beside a prompt that are read, or may hold the reply."""
_SHORT = 200
"""Characters of what a column says about a prompt. Source: ours."""
_FAMILY = "openai"
_MESSAGE_FIELDS = frozenset({"content", "name", "cache_control", "prefix", "partial"})
_ANSWER_FIELDS = _MESSAGE_FIELDS | {"refusal", "audio", "annotations"}
_CALL_FIELDS = frozenset({"type", "cache_control", "extra_content"})
_TEXT_FIELDS = frozenset({"type", "annotations", "cache_control"})
"""The fields of a request, those of services that take OpenAI's form among them; what else a log has is not sent."""


def detect(document: Document) -> str | None:
    """Why a document is OpenAI chat, None when it is not."""
    for envelope in islice(first_envelopes(document), SAMPLED):
        if envelope.shape and looks_like_messages(envelope.messages) and _has_roles(envelope.messages):
            return f"is {envelope.shape} with OpenAI chat roles"
    return None


def _has_roles(messages: Sequence[tuple[int, Any]]) -> bool:
    """Whether one of the first messages is of a speaker that is known, or says something in parts of this form.

    People under their names (a nurse, a patient) are speakers where they certainly take turns.
    """
    first = messages[:200]
    if any(_role_of(raw) is not None or _shows_picture(raw) for _, raw in first):
        return True
    spoken = [raw for _, raw in first if isinstance(raw, OBJECT)]
    return bool(turn_roles((speaker_of(raw), first_text(raw, _SAID)) for raw in spoken))


def _shows_picture(raw: Any) -> bool:
    """Whether a message has a picture as only this form has it, whatever its role (`pretrain` of xtuner)."""
    said = raw.get("content") if isinstance(raw, OBJECT) else None
    parts = said[:20] if isinstance(said, list) else []
    return any(
        isinstance(part, OBJECT) and part.get("type") == "image_url" and isinstance(part.get("image_url"), OBJECT)
        for part in parts
    )


def _role_of(raw: Any) -> Role | None:
    """The speaker; None of what is no object, and of one that is not known."""
    return known_role(speaker_of(raw)) if isinstance(raw, OBJECT) else None


def read(document: Document) -> Imported:
    """Read every conversation of a document, and the branches of those whose messages name the one before them.

    Raises:
        FormatError: no list of messages with roles was found.
    """
    skipped = list(document.skipped)
    found: list[Conversation] = []
    for position, envelope in enumerate(envelopes(document), 1):
        if envelope.messages:
            found += _branches(envelope, position, document, skipped)
    conversations = tuple(conversation for conversation in found if conversation.messages)
    require(conversations, document, "OpenAI chat")
    _leave_columns(document)
    return Imported("", "", "conversation", conversations=conversations, skipped=tuple(skipped))


def _leave_columns(document: Document) -> None:
    """Count the cells of a table beside its messages, which are no fields that a message might have.

    So are those of rows of a question beside what was said before it.
    """
    if asks_behind(document):
        for entry in entries_of(document):
            left = beside_question(entry.value)
            document.notes.count(_BESIDE, len(left), of=left)
        return
    if document.shape != "jsonl" or not is_table(document.text):
        _leave_about(document)
        return
    for line in document.lines:
        left = [held for key, held in line.value.items() if key not in _READ_COLUMNS and isinstance(held, str)]
        document.notes.count(_BESIDE, len(left), of=left)


def _leave_about(document: Document) -> None:
    """Count what rows whose messages stand under `prompt` say of what is asked: short texts and lists of them."""
    if not any(_is_asked(row) for row in sampled(document)[:1]):
        return
    for entry in entries_of(document):
        left = [held for key, held in entry.value.items() if key not in _OF_CALLS and _is_short(held)]
        document.notes.count(_BESIDE, len(left), of=left)


def _is_asked(row: Mapping[str, Any]) -> bool:
    """Whether a row has messages under `prompt`, as sets for training by rewards and for evaluating have."""
    said = row.get("prompt")
    return isinstance(said, list) and any(map(is_message, said[:5]))


def _is_short(held: Any) -> bool:
    """Whether a column holds a short text, or a list of texts that are short together."""
    given = held if isinstance(held, list) else [held]
    return 0 < len(given) <= _SHORT and all(isinstance(one, str) for one in given) and sum(map(len, given)) <= _SHORT


def _branches(
    envelope: Envelope, position: int, document: Document, skipped: list[Skipped]
) -> tuple[Conversation, ...]:
    """The conversation of an envelope; where its messages are a tree, the last branch, and the others behind it."""
    tree = [] if document.size else branches_of(envelope.messages)
    paths: Sequence[Sequence[tuple[int, Any]]] = tree or _ranked(envelope)
    if len(paths) < 2:
        return (_conversation(envelope, position, document, skipped),)
    main = _conversation(replace(envelope, messages=paths[0]), position, document, skipped)
    aside = replace(document, notes=document.notes.fresh())
    others = (_conversation(replace(envelope, messages=path), position, aside, []) for path in paths[1:])
    return with_branches(main, others, document.notes, total=len(paths) - 1)


def messages_of(
    raw: Sequence[tuple[int, Any]], notes: Notes, skipped: list[Skipped], where: str = ""
) -> Iterator[Message]:
    """Raw messages by number as ours; those without a known role are added to `skipped` under `where`."""
    return _Reader(notes, skipped, where).messages(raw)


def _ranked(envelope: Envelope) -> list[Sequence[tuple[int, Any]]]:
    """The messages as they are, and those with each other answer in place of the last one, if there are any."""
    said = envelope.messages
    if not envelope.others or not said:
        return []
    first = read_now(said[0][1])
    asked = max((at for at, (_, raw) in enumerate(said) if _role_of(read_now(raw)) == "user"), default=-1)
    found: list[Sequence[tuple[int, Any]]] = [said]
    for given in envelope.others:
        is_whole = given[0] == first
        found.append(
            tuple(enumerate(given, said[0][0])) if is_whole else (*said[: asked + 1], *enumerate(given, len(said) + 1))
        )
    return found


def _conversation(envelope: Envelope, position: int, document: Document, skipped: list[Skipped]) -> Conversation:
    messages = numbered(
        messages_of(_in_order(envelope.messages), document.notes, skipped, envelope.where),
        document.notes,
        place=f"{envelope.where}message ",
        is_request=True,
    )
    note_opaque(messages, document.notes)
    written = text_value(envelope.raw.get("tools")) if envelope.raw else ""
    if written.strip() and not envelope.tools:
        skipped.append(Skipped(f"{envelope.where}tools", "no JSON list of tool definitions", written[:500]))
    return Conversation(
        id=envelope.id or f"c{position}",
        title=_given_title(envelope.raw)
        or title_of(messages, envelope.id or document.stem or f"Conversation {position}"),
        messages=messages,
        tools=envelope.tools,
        model=envelope.model,
        reported_input_tokens=envelope.reported_input_tokens,
        metadata=settings_of(envelope.raw, "openai-chat"),
    )


def _given_title(raw: Mapping[str, Any] | None) -> str:
    """What whoever kept the conversation called it, as one short line; "" where it has no name."""
    given = (text_value(raw.get(key)) for key in _TITLES) if raw else ()
    return next((short_line(title) for title in given if title.strip()), "")


def _in_order(messages: Sequence[tuple[int, Any]]) -> Sequence[tuple[int, Any]]:
    """Messages as they were said: an Assistants thread is listed from its newest message on."""
    ends = [read_now(messages[at][1]) for at in (0, -1)] if messages else []
    listed = [one for one in ends if isinstance(one, OBJECT) and one.get("object") == "thread.message"]
    times = [time for one in listed if isinstance(time := one.get("created_at"), int)]
    return tuple(reversed(messages)) if len(times) == 2 and times[0] > times[1] else messages


def _apart(given: Sequence[tuple[int, Any]], notes: Notes) -> Iterator[tuple[int, Any]]:
    """Raw messages by number with roles of this form, results in what a person says as messages of their own."""
    for number, value in given:
        raw = read_now(value)
        if isinstance(raw, OBJECT):
            raw = with_role_of_form(raw, notes)
            if isinstance(raw.get("content"), list) and _role_of(raw) == "user":
                yield from ((number, one) for one in with_results_apart(raw, notes))
                continue
        yield number, raw


class _Reader:
    """One conversation being read: remembers the calls that still wait for their results."""

    def __init__(self, notes: Notes, skipped: list[Skipped], where: str) -> None:
        self.notes = notes
        self.skipped = skipped
        self.where = where
        self.waiting = WaitingCalls()
        self.made = 0
        self.others = OtherRoles(notes)

    def messages(self, given: Sequence[tuple[int, Any]]) -> Iterator[Message]:
        for (number, value), (_, following) in pairwise(chain(_apart(given, self.notes), [(0, None)])):
            raw = value
            known = _role_of(raw)
            role = known or self.others.role_of(raw, given, waits=bool(self.waiting))
            if role is None:
                place = f"{self.where}message {number}"
                self.skipped.append(Skipped(place, "no known role", compact_json(raw)[:500]))
                continue
            if len(raw) == 2 and role != "tool" and isinstance(said := raw.get("content"), str) and said:
                yield Message(role, (TextPart(said),), name="" if known else _name_of(raw, known), line=number)
                continue
            raw = with_calls_apart(raw, role, self.notes)
            message = Message(
                role=role,
                parts=lean_parts(self.result(raw) if role == "tool" else self.parts(raw, role), self.notes),
                id=text_value(raw.get("id")),
                name=_name_of(raw, known) if role != "tool" else "",
                created=text_value(raw.get("timestamp")) or text_value(raw.get("created_at")),
                line=number,
                origin=_origin(raw, role),
            )
            self.notes.check_read(message, raw, f"{self.where}message {number}", read=_READ)
            yield message
            if role == "assistant" and _role_of(following) != "tool":
                yield from self.results_in_calls(message, raw, number)

    def results_in_calls(self, message: Message, raw: Mapping[str, Any], number: int) -> Iterator[Message]:
        """The results that stand in the calls of a message themselves."""
        given: Sequence[Any] = next((raw[key] for key in CALLS if isinstance(raw.get(key), list)), ())
        made = calls_of(message) if given else []
        for part, call in zip(made, given, strict=False) if len(made) == len(given) else ():
            told = call.get("result", call.get("output")) if isinstance(call, OBJECT) else None
            if told is None or "function" in call:
                continue
            self.notes.count("Results that stand in their calls, read as tool results")
            self.waiting.pop(part.id, None)
            content = content_parts(told if isinstance(told, str | list) else compact_json(told))
            yield Message("tool", (ToolResultPart(part.id, tuple(content)),), line=number)

    def result(self, raw: Mapping[str, Any]) -> tuple[Part, ...]:
        """The one result of a `tool` or `function` message, tied to its call."""
        call_id = text_value(raw.get("tool_call_id")) or text_value(raw.get("toolCallId"))
        kept = raw.get("tool_results")
        if isinstance(kept, list) and len(kept) == 1 and isinstance(kept[0], OBJECT) and not raw.get("content"):
            raw = {"is_error": kept[0].get("is_error"), "content": _output_of(kept[0])}
            call_id = call_id or first_text(kept[0], _CALL_IDS)
        several = raw.get("tool_call_ids")
        if not call_id and isinstance(several, list) and several:
            call_id = text_value(several[0])
        if not call_id:
            call_id = self.oldest_waiting(text_value(raw.get("name")))
        self.waiting.pop(call_id, None)
        return (ToolResultPart(call_id, tuple(content_parts(self.notes.content_of(raw))), raw.get("is_error") is True),)

    def oldest_waiting(self, name: str) -> str:
        """The oldest unanswered call, of that name if there is one: how a result without an id is tied."""
        self.notes.count("Tool results without a call id, tied to their calls by name and order")
        return self.waiting.oldest_of(name) or self.waiting.oldest()

    def parts(self, raw: Mapping[str, Any], role: Role) -> tuple[Part, ...]:
        parts: list[Part] = []
        if role == "assistant":
            for key in _REASONING_KEYS:
                if text_value(raw.get(key)):
                    parts.append(ReasoningPart(raw[key]))
                    break
            else:
                parts.extend(_thinking(raw.get("thinking_blocks")))
        parts.extend(self.said(self.notes.content_of(raw)))
        if text_value(raw.get("refusal")):
            parts.append(OpaquePart("refusal", {"refusal": raw["refusal"]}, "openai"))
        pictures = raw.get("images")
        for picture in pictures if isinstance(pictures, list) else []:  # of Ollama, as base64
            if isinstance(picture, str) and picture:
                named = picture.startswith(("data:", "http://", "https://"))
                parts.append(image_at(picture if named else f"data:image/png;base64,{picture}"))
        if isinstance(raw.get("audio"), OBJECT):
            parts.append(AudioPart(raw["audio"]))
        if role == "assistant":
            parts.extend(self.calls(raw))
        return tuple(parts)

    def said(self, content: Any) -> list[ContentPart]:
        """The parts of what somebody says, files and components of a chatbot among them."""
        if content is None or isinstance(content, str):
            return content_parts(content)
        found: list[ContentPart] = []
        for item in content if isinstance(content, list) else [content]:
            shown = shown_part(item, self.notes)
            found += _content_part(item) if shown is None else shown
        return found

    def calls(self, raw: Mapping[str, Any]) -> Iterator[Part]:
        calls = next((raw[key] for key in CALLS if raw.get(key)), None)
        if isinstance(calls, str) and calls.lstrip().startswith("["):  # as tables keep them
            calls = json_text.parse_inner(calls, calls)
        for call in calls if isinstance(calls, list) else []:
            part = self.call(call) if isinstance(call, OBJECT) else None
            if part is None:
                yield OpaquePart("tool_call", call if isinstance(call, OBJECT) else {"value": call}, "openai")
            else:
                yield replace(part, origin=_call_origin(call))
        legacy = raw.get("function_call")
        if isinstance(legacy, OBJECT) and not calls:
            self.notes.count("Legacy function calls read as tool calls")
            yield self.named_call("", legacy, "arguments")

    def call(self, call: Mapping[str, Any]) -> ToolCallPart | None:
        call_id = text_value(call.get("id"))
        function, custom = call.get("function"), call.get("custom")
        if isinstance(function, OBJECT):
            return self.named_call(call_id, function, "arguments")
        if isinstance(custom, OBJECT):
            return self.named_call(call_id, custom, "input")
        given = next((key for key in _ARGUMENTS if key in call), "")
        if (name := first_text(call, _NAMES)) and given:
            self.notes.count("Tool calls whose name stands beside their id, read as OpenAI's")
            return self.named_call(call_id or first_text(call, _CALL_IDS), {**call, "name": name}, given)
        return None

    def named_call(self, call_id: str, function: Mapping[str, Any], key: str) -> ToolCallPart:
        if not call_id:
            self.made += 1
            call_id = f"call_{self.made}"
        name, arguments = text_value(function.get("name")), function.get(key)
        if arguments is None:
            arguments = ""
        elif not isinstance(arguments, str):
            self.notes.count("Tool calls whose arguments are an object, written as compact JSON")
            arguments = compact_json(arguments)
        self.waiting[call_id] = name
        return ToolCallPart(call_id, name, arguments)


def _name_of(raw: Mapping[str, Any], known: Role | None) -> str:
    """The name of a speaker: that of the message, or the role where that is not known."""
    return text_value(raw.get("name")) or ("" if known else name_of(speaker_of(raw)))


def _output_of(result: Mapping[str, Any]) -> Any:
    """What a result says that stands in a list of them."""
    return next((result[key] for key in _OUTPUTS if result.get(key) is not None), None)


def _origin(raw: Mapping[str, Any], role: Role) -> Origin | None:
    """What stood beside what a message says; None where it stood as the writer writes it."""
    known = _ANSWER_FIELDS if role == "assistant" else _MESSAGE_FIELDS
    said = {key for key in ("content", "refusal", "audio") if raw.get(key)}
    if role != "tool":
        said.add("name")
    given = origin_of(_FAMILY, raw, known, said=said, wanted="content")
    usual = {"content": None} if raw.get("tool_calls") else {"content": ""}
    if given.absent or (given.fields and given.fields != usual):
        return given
    return None


def _call_origin(call: Mapping[str, Any]) -> Origin | None:
    """What stood beside a call in OpenAI's form; None of one in another's, whose type means nothing in OpenAI's."""
    if not isinstance(call.get("function"), OBJECT) and not isinstance(call.get("custom"), OBJECT):
        return None
    given = origin_of(_FAMILY, call, _CALL_FIELDS, wanted="type")
    return None if given.fields == {"type": "function"} else given


def _thinking(blocks: Any) -> Iterator[Part]:
    """The thinking that agents keep beside a message, in Anthropic's form (`thinking`, `signature`, `data`)."""
    for block in blocks if isinstance(blocks, list) else []:
        if isinstance(block, OBJECT):
            text, signature = text_value(block.get("thinking")), text_value(block.get("signature"))
            yield ReasoningPart(text, signature=signature, encrypted=text_value(block.get("data")))


def content_parts(content: Any) -> list[ContentPart]:
    """The parts of a `content`: null, a string, one part, or a list of parts and strings.

    What has no type is an OpaquePart of the kind "", for `opaque.lean_parts` to read.
    """
    if content is None:
        return []
    if isinstance(content, str):
        return [TextPart(content)] if content else []
    if isinstance(content, list):
        return [part for item in content for part in _content_part(item)]
    return _content_part(content)


def _content_part(item: Any) -> list[ContentPart]:
    if isinstance(item, str):
        return [TextPart(item)] if item else []
    if not isinstance(item, OBJECT):
        return [TextPart(compact_json(item))]
    kind = text_value(item.get("type"))
    other = _of_others(kind, item)
    if other is not None:
        return other
    if kind in _TEXT_KINDS and isinstance(item.get("text"), str):
        return [TextPart(item["text"], origin_of(_FAMILY, item, _TEXT_FIELDS))] if item["text"] else []
    if kind == "image_url":
        return [_image(item)]
    if kind == "file":
        inner = item.get("file")
        return [FilePart(item, text_value(inner.get("filename")) if isinstance(inner, OBJECT) else "")]
    if kind == "input_audio":
        return [AudioPart(item)]
    return [OpaquePart("" if kind in _TEXT_KINDS else kind, item, "openai")]


def _of_others(kind: str, item: Mapping[str, Any]) -> list[ContentPart] | None:
    """What relatives of OpenAI's form write: the texts of Assistants threads, pictures of sets for models that see."""
    said = item.get("text")
    if kind == "text" and isinstance(said, OBJECT) and isinstance(said.get("value"), str):
        return [TextPart(said["value"])] if said["value"] else []
    if kind == "image" and isinstance(item.get("image"), str):
        return [image_at(item["image"])]
    return None


def _image(item: Mapping[str, Any]) -> ImagePart:
    inner = item.get("image_url")
    url = inner if isinstance(inner, str) else text_value(inner.get("url")) if isinstance(inner, OBJECT) else ""
    detail = text_value(inner.get("detail")) if isinstance(inner, OBJECT) else ""
    width, height = data_url_pixel_size(url) or (None, None)
    return ImagePart(item, width, height, detail or "auto")
