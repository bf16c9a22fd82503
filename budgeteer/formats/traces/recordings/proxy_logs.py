"""Logs of requests to models with their answers, as proxies and tracers write them, and streamed answers alone.

Certain: entries of a `request` with a `body` and an address or headers, beside a `response` with a body, as an object
or as the text it was sent as (claude-trace, mitmproxy's and gateways' exports, cassettes of VCR in Python, Ruby and
Go, recordings of httprr), those that order a batch of requests, flat, as nock records them, under `when` and `then`,
as httpmock does, or in entries of their own (`split_exchanges.py`); Bedrock's logs of invocations, and the records that
it writes of a batch (`recordId`, `modelInput`, `modelOutput`); or the events of one or several streams, as they came
(`text/event-stream`, whose data are the lines of such a document) or in a list. A streamed answer is put together from
its events.
Sources: https://docs.anthropic.com/en/api/creating-message-batches for `requests` of `params`,
https://docs.aws.amazon.com/bedrock/latest/userguide/batch-inference-results.html for a batch's records,
https://github.com/httpmock/httpmock, `src/common/static_mock.rs`, 2026-11.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from budgeteer.engine.content.library import compact_json
from budgeteer.formats.messages.imported import Imported, Skipped
from budgeteer.formats.messages.numbering import text_value
from budgeteer.formats.messages.objects import OBJECT, object_under
from budgeteer.formats.openai.realtime import is_realtime
from budgeteer.formats.reading import json_text
from budgeteer.formats.reading.document import Document
from budgeteer.formats.reading.entries import Entry, entries_of, mappings, mostly, sampled
from budgeteer.formats.traces.recorded_calls import RecordedCall, read_calls
from budgeteer.formats.traces.recordings.batches import BatchResults, batched, calls_of, results_in
from budgeteer.formats.traces.recordings.split_exchanges import joined_exchanges, split_exchanges
from budgeteer.formats.traces.recordings.streamed_answers import events_of, joined_answer, streams_of
from budgeteer.formats.traces.recordings.wire_bodies import ASKING, bodies_of, packed_of, text_of_hex

_TRANSPORT: Final = frozenset({"url", "uri", "method", "headers", "host", "path"})
"""What a proxy writes of a request beside its body."""
_ASKED: Final = "modelInput"
_REPLIED: Final = "modelOutput"
_ENDED: Final = frozenset({_REPLIED, "error"})
"""What a record of a batch has once it ran."""
_FLAT: Final = frozenset({"scope", "method", "path", "response"})
"""The keys of what nock records of a request and its answer: https://github.com/nock/nock, 2026-11."""
_HOLDERS: Final = (
    "choices", "candidates", "delta", "content_block", "message", "content", "parts", "tool_calls", "function",
)  # fmt: skip
_PIECES: Final = (
    "text", "thinking", "partial_json", "signature", "reasoning_content", "reasoning", "refusal", "arguments",
)  # fmt: skip
_BLOCK_EVENTS: Final = ("message_start", "content_block_start", "content_block_delta", "message_delta", "message_stop")


def detect(document: Document) -> str | None:
    """Why a document is a log of requests or a stream, None when it is neither."""
    if _has_calls(document):
        return "holds a `request` and a `response` with a `body` each, as proxies log them"
    events = sampled(document)
    whole = any(isinstance(event.get("response"), OBJECT) and event["response"].get("output") for event in events)
    if mostly(document, _is_event) and len(events) > 1 and not whole and not any(map(is_realtime, events)):
        return "holds the events of a streamed answer"
    return None


def _has_calls(document: Document) -> bool:
    """Whether a document logs requests, some of which go to models."""
    if any(map(_is_logged, split_exchanges(sampled(document)))):
        return True
    return bool(mostly(document, lambda value: _is_exchange(value) or _is_logged(value))) and any(
        map(_is_logged, sampled(document))
    )


def _is_exchange(value: Mapping[str, Any]) -> bool:
    """Whether an entry is a request with its answer, to whomever."""
    value = _unfolded(value)
    request, response = value.get("request"), value.get("response")
    return isinstance(request, OBJECT) and isinstance(response, OBJECT) and not _TRANSPORT.isdisjoint(request)


def _unfolded(value: Mapping[str, Any]) -> Mapping[str, Any]:
    """An entry with its request and response apart."""
    asked, told = value.get("when"), value.get("then")
    if isinstance(asked, OBJECT) and isinstance(told, OBJECT):
        return {"request": asked, "response": told}
    if not value.keys() >= _FLAT:
        return value
    request = {"host": value["scope"], "method": value["method"], "path": value["path"], "body": value.get("body")}
    answer = text_of_hex(value["response"]) if value.get("responseIsBinary") is True else value["response"]
    return {"request": request, "response": {"body": answer}}


def _is_logged(value: Mapping[str, Any]) -> bool:
    value = _unfolded(value)
    if text_value(value.get("schemaType")) == "ModelInvocationLog":
        return bool(_posted(value))
    if "recordId" in value and not _ENDED.isdisjoint(value):
        return bool(_posted(value))
    request, response = value.get("request"), value.get("response")
    if not isinstance(request, OBJECT) or not isinstance(response, OBJECT):
        return False
    if not _posted(value):  # a recording may be without what was asked
        return not any(bodies_of(request)) and any(map(_streamed, bodies_of(response)))
    return not _TRANSPORT.isdisjoint(request) or "body_raw" in response


def _posted(value: Mapping[str, Any]) -> Mapping[str, Any]:
    """The JSON that a request posted to a model, {} for any other request."""
    for outer in ("request", "input", _ASKED):
        request = value.get(outer)
        if not isinstance(request, OBJECT):
            continue
        for given in (request,) if outer == _ASKED else bodies_of(request):
            body = _object(given)
            if not ASKING.isdisjoint(body) or batched(body):
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
    logged = _has_calls(document)
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
    results: BatchResults | None = None
    entries = entries_of(document, skipped)
    if split_exchanges(sampled(document)):
        entries = joined_exchanges(entries, document.notes)
    for entry in entries:
        value = _unfolded(entry.value)
        document.notes.see([list(packed_of(object_under(value, side))) for side in ("request", "response")])
        request = _posted(value)
        if batch := batched(request):
            results = results or BatchResults(_unfolded(one.value) for one in entries_of(document))
            yield from _of_batch(batch, results.of(_answer(value, document)), entry, document)
        elif results is not None and not request and results_in(value):
            document.notes.count("Results of batches, put behind their requests", of=entry.value)
        elif not request and not _is_logged(value):
            document.notes.count("Requests that post nothing to a model, left out", of=entry.value)
        else:
            yield _call(request, entry, document)


def _call(request: Mapping[str, Any], entry: Entry, document: Document) -> RecordedCall:
    value = _unfolded(entry.value)
    document.notes.count("Requests that were not recorded, whose answers are read", int(not request))
    answer = _answer(value, document)
    missing = "Answers that are neither JSON nor a stream of a known form, left out"
    document.notes.count(missing, int(not answer), of=entry.value.get("response", entry.value.get("error")))
    given, model = text_value(value.get("recordId"))[:200], text_value((request or answer).get("model"))
    return RecordedCall(request or answer, answer if request else {}, entry.where, given, model)


def _of_batch(
    batch: Sequence[Mapping[str, Any]], replies: Mapping[str, Mapping[str, Any]], entry: Entry, document: Document
) -> Iterator[RecordedCall]:
    calls = list(calls_of(batch, replies, entry.where))
    told = entry.value.get("response", entry.value.get("error"))
    apart = sum(not call.response for call in calls)
    document.notes.count("Requests of a batch, whose answers come apart from it", apart, of=told)
    yield from calls


def _streamed(body: Any) -> Mapping[str, Any]:
    """The answer that streamed events hold, as their text or in a list of them; {} where they hold none."""
    if isinstance(body, str) and body.lstrip().startswith("["):
        body = json_text.parse_inner(body, "")
    if isinstance(body, list):
        events = [event for event in mappings(body) if isinstance(event.get("candidates"), list) or _is_event(event)]
        return joined_answer(events) if events else {}
    return joined_answer(list(events_of(text_value(body))))


def _answer(value: Mapping[str, Any], document: Document) -> Mapping[str, Any]:
    if replied := _object(value.get(_REPLIED)):
        return replied
    given = value.get("response", value.get("output"))
    response = given if isinstance(given, OBJECT) else {}
    for body in bodies_of(response):
        if whole := _object(body):
            return whole
        if answer := _streamed(body):
            document.notes.count("Streamed answers, put together from their events")
            document.notes.see(body)
            return answer
    return {}
