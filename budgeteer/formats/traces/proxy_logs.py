"""Logs of requests to models with their answers, as proxies and tracers write them, and streamed answers alone.

Certain: entries of a `request` with a `body` and an address or headers, beside a `response` with a body, as an object
or as the text it was sent as (claude-trace, mitmproxy's and gateways' exports); Bedrock's logs of invocations, and the
records that it writes of a batch (`recordId`, `modelInput`, `modelOutput`); or the events of one or several streams, as
they came (`text/event-stream`, whose data are the lines of such a document) or in a list. A streamed answer is put
together from its events.
Source of a batch's records: https://docs.aws.amazon.com/bedrock/latest/userguide/batch-inference-results.html, 2026-11.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from budgeteer.engine.content.library import compact_json
from budgeteer.formats.messages.imported import Imported, Skipped
from budgeteer.formats.messages.numbering import text_value
from budgeteer.formats.messages.objects import OBJECT
from budgeteer.formats.reading import json_text
from budgeteer.formats.reading.document import Document
from budgeteer.formats.reading.entries import Entry, entries_of, mappings, mostly, sampled
from budgeteer.formats.traces.recorded_calls import RecordedCall, read_calls
from budgeteer.formats.traces.streamed_answers import events_of, joined_answer, streams_of

_KEYS: Final = frozenset({"messages", "contents", "input", "prompt"})
_TRANSPORT: Final = frozenset({"url", "uri", "method", "headers", "host", "path"})
"""What a proxy writes of a request beside its body."""
_BODIES: Final = ("body", "body_raw", "text", "content", "outputBodyJson")
"""Where the body of a request or a response stands."""
_ASKED: Final = "modelInput"
_REPLIED: Final = "modelOutput"
_ENDED: Final = frozenset({_REPLIED, "error"})
"""What a record of a batch has once it ran."""
_HOLDERS: Final = (
    "choices", "candidates", "delta", "content_block", "message", "content", "parts", "tool_calls", "function",
)  # fmt: skip
_PIECES: Final = (
    "text", "thinking", "partial_json", "signature", "reasoning_content", "reasoning", "refusal", "arguments",
)  # fmt: skip
_BLOCK_EVENTS: Final = ("message_start", "content_block_start", "content_block_delta", "message_delta", "message_stop")


def detect(document: Document) -> str | None:
    """Why a document is a log of requests or a stream, None when it is neither."""
    if mostly(document, _is_logged):
        return "holds a `request` and a `response` with a `body` each, as proxies log them"
    events = sampled(document)
    whole = any(isinstance(event.get("response"), OBJECT) and event["response"].get("output") for event in events)
    if mostly(document, _is_event) and len(events) > 1 and not whole:
        return "holds the events of a streamed answer"
    return None


def _is_logged(value: Mapping[str, Any]) -> bool:
    if text_value(value.get("schemaType")) == "ModelInvocationLog":
        return bool(_posted(value))
    if "recordId" in value and not _ENDED.isdisjoint(value):
        return bool(_posted(value))
    request, response = value.get("request"), value.get("response")
    if not isinstance(request, OBJECT) or not isinstance(response, OBJECT) or not _posted(value):
        return False
    return not _TRANSPORT.isdisjoint(request) or "body_raw" in response


def _posted(value: Mapping[str, Any]) -> Mapping[str, Any]:
    """The JSON that a request posted to a model, {} for any other request."""
    for outer, inner in (("request", "body"), ("input", "inputBodyJson"), (_ASKED, "")):
        request = value.get(outer)
        body = _object(request.get(inner) if inner else request) if isinstance(request, OBJECT) else {}
        if not _KEYS.isdisjoint(body):
            return body
    return {}


def _object(value: Any) -> Mapping[str, Any]:
    if isinstance(value, str) and value.lstrip().startswith("{"):
        value = json_text.parse_inner(value, {})
    return value if isinstance(value, OBJECT) else {}


def _is_event(value: Mapping[str, Any]) -> bool:
    if text_value(value.get("object")) == "chat.completion.chunk":
        return isinstance(value.get("choices"), list)
    if isinstance(value.get("done"), bool) and "model" in value:
        message = value.get("message")
        return isinstance(message, OBJECT) and not (value["done"] and message.get("content"))
    kind = text_value(value.get("type"))
    return kind in (*_BLOCK_EVENTS, "ping") or kind.startswith("response.")


def read(document: Document) -> Imported:
    """Read every request with its answer, or every stream.

    Raises:
        FormatError: there is none.
    """
    skipped = list(document.skipped)
    logged = bool(mostly(document, _is_logged))
    calls = _logged(document, skipped) if logged else _streams(list(_events(document, skipped)), document)
    return read_calls(calls, document, skipped, "logged")


def _events(document: Document, skipped: list[Skipped]) -> Iterator[Mapping[str, Any]]:
    """The events of streams; lines of another kind are listed."""
    for entry in entries_of(document, skipped):
        if _is_event(entry.value):
            yield entry.value
        else:
            skipped.append(Skipped(entry.where, "no event of a stream", compact_json(entry.value)[:500]))


def _streams(events: Sequence[Mapping[str, Any]], document: Document) -> Iterator[RecordedCall]:
    for number, stream in enumerate(streams_of(events), 1):
        answer = joined_answer(stream)
        document.notes.count("Streamed answers, put together from their events")
        document.notes.see([list(_pieces_of(event)) for event in stream])
        yield RecordedCall(answer, {}, f"stream {number}", model=text_value(answer.get("model")))


def _pieces_of(value: Any) -> Iterator[str]:
    """The texts of an event's delta, which are read into one."""
    for key in _HOLDERS:
        inner = value.get(key)
        for one in [inner] if isinstance(inner, OBJECT) else mappings(inner):
            yield from _pieces_of(one)
        if isinstance(inner, str):
            yield inner
    for key in _PIECES:
        if isinstance(value.get(key), str):
            yield value[key]


def _logged(document: Document, skipped: list[Skipped]) -> Iterator[RecordedCall]:
    for entry in entries_of(document, skipped):
        request = _posted(entry.value)
        if not request:
            document.notes.count("Requests that post nothing to a model, left out", of=entry.value)
            continue
        answer = _answer(entry, document)
        missing = "Answers that are neither JSON nor a stream of a known form, left out"
        document.notes.count(missing, int(not answer), of=entry.value.get("response", entry.value.get("error")))
        given = text_value(entry.value.get("recordId"))
        yield RecordedCall(request, answer, entry.where, given[:200], text_value(request.get("model")))


def _answer(entry: Entry, document: Document) -> Mapping[str, Any]:
    if replied := _object(entry.value.get(_REPLIED)):
        return replied
    given = entry.value.get("response", entry.value.get("output"))
    response = given if isinstance(given, OBJECT) else {}
    for key in _BODIES:
        body = response.get(key)
        body = body.get("string", body) if isinstance(body, OBJECT) else body  # as cassettes keep it
        if whole := _object(body):
            return whole
        text = text_value(body)
        answer = joined_answer(list(events_of(text))) if text else {}
        if answer:
            document.notes.count("Streamed answers, put together from their events")
            document.notes.see(text)
            return answer
    return {}
