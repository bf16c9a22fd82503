"""Traces of MLflow: `Trace.to_json()`, its artifact of spans, rows of `search_traces()`, or spans alone.

Certain: spans with an attribute `mlflow.spanType` or `mlflow.spanInputs`. Attributes are JSON texts. Read are spans of
the types `CHAT_MODEL` and `LLM`: their inputs are the request as it was given to a provider's library (or the messages
that LangChain gave its model), their outputs the response.

Source: github.com/mlflow/mlflow, mlflow/entities/span.py, trace.py and tracing/constant.py, 2026-11.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from budgeteer.formats.messages.imported import Imported, Skipped
from budgeteer.formats.messages.numbering import text_value
from budgeteer.formats.messages.objects import OBJECT
from budgeteer.formats.messages.recorded_requests import token_count
from budgeteer.formats.reading import json_text
from budgeteer.formats.reading.document import Document
from budgeteer.formats.reading.entries import entries_of, mappings, mostly
from budgeteer.formats.traces.recorded_calls import RecordedCall, read_calls

_INPUTS, _OUTPUTS, _TYPE = "mlflow.spanInputs", "mlflow.spanOutputs", "mlflow.spanType"
_CALLS: Final = frozenset({"CHAT_MODEL", "LLM"})


def detect(document: Document) -> str | None:
    """Why a document is traces of MLflow, None when it is not."""
    if mostly(document, lambda value: any(map(_is_span, _spans(value)[:50]))):
        return "has spans with `mlflow.spanType` and `mlflow.spanInputs`, as MLflow keeps its traces"
    return None


def _spans(value: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The spans of a trace, of its artifact or of a row, or an object that is one itself; as JSON texts as well."""
    data = _parsed(value.get("data"))
    held = _parsed(data.get("spans") if isinstance(data, OBJECT) else value.get("spans"))
    if not isinstance(held, list):
        return [value]
    return [span for span in map(_parsed, held) if isinstance(span, OBJECT)]


def _is_span(span: Mapping[str, Any]) -> bool:
    attributes = span.get("attributes")
    return isinstance(attributes, OBJECT) and not {_TYPE, _INPUTS}.isdisjoint(attributes)


def _parsed(value: Any) -> Any:
    """The value that a JSON text holds; anything else as it is."""
    return json_text.parse_inner(value, value) if isinstance(value, str) and value[:1] in ("{", "[", '"') else value


def read(document: Document) -> Imported:
    """Read every call of a model.

    Raises:
        FormatError: there is none.
    """
    skipped = list(document.skipped)
    return read_calls(_calls(document, skipped), document, skipped, "MLflow")


def _calls(document: Document, skipped: list[Skipped]) -> Iterator[RecordedCall]:
    for entry in entries_of(document, skipped):
        spans = _spans(entry.value)
        for number, span in enumerate(spans, 1):
            held = span.get("attributes")
            attributes = {key: _parsed(one) for key, one in held.items()} if isinstance(held, OBJECT) else {}
            kind = text_value(attributes.get(_TYPE))
            if kind not in _CALLS:
                document.notes.leave_line(f"span of the type {kind[:40] or 'none'}", span)
                continue
            place = f"{entry.where}, span {number}" if len(spans) > 1 or spans[0] is not entry.value else entry.where
            yield _call(attributes, text_value(span.get("span_id")), place, document)
        for preview in (entry.value.get("info"), entry.value.get("request"), entry.value.get("response")):
            document.notes.leave_out(preview)


def _call(attributes: Mapping[str, Any], given: str, where: str, document: Document) -> RecordedCall:
    request, answer = _request(attributes.get(_INPUTS)), attributes.get(_OUTPUTS)
    model = text_value(attributes.get("mlflow.llm.model")) or text_value(request.get("model"))
    tools = attributes.get("mlflow.chat.tools")
    if isinstance(tools, list) and "tools" not in request:
        request = {**request, "tools": tools}
    response = _response(answer)
    document.notes.count("Calls without a response", int(not response))
    usage = attributes.get("mlflow.chat.tokenUsage")
    if response and "choices" in response and "usage" not in response and isinstance(usage, OBJECT):
        response = {**response, "usage": _usage(usage)}
    return RecordedCall({**request, "model": model}, response, where, given, model)


def _request(inputs: Any) -> Mapping[str, Any]:
    """The request: as a provider's library was given it, or the messages alone, which LangChain lists in a list."""
    if isinstance(inputs, OBJECT):
        listed = inputs.get("messages")
        inner = listed[0] if isinstance(listed, list) and listed and isinstance(listed[0], list) else None
        return inputs if inner is None else {**inputs, "messages": inner}
    if isinstance(inputs, list):
        return {"messages": inputs[0] if inputs and isinstance(inputs[0], list) else inputs}
    return {"messages": [{"role": "user", "content": inputs}] if isinstance(inputs, str) else []}


def _response(outputs: Any) -> Mapping[str, Any]:
    """The response: as a provider sent it, LangChain's generations, a message, or a text."""
    if isinstance(outputs, OBJECT):
        listed = outputs.get("generations")
        rows = listed[0] if isinstance(listed, list) and listed and isinstance(listed[0], list) else listed
        first = next(iter(mappings(rows)), None)
        if first is not None:
            said = first.get("message")
            return said if isinstance(said, OBJECT) else _reply(first.get("text"))
        return outputs if outputs.get("role") != "assistant" or "type" in outputs else _replied(outputs)
    return _reply(outputs)


def _reply(text: Any) -> Mapping[str, Any]:
    return _replied({"role": "assistant", "content": text}) if isinstance(text, str) and text else {}


def _replied(message: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"choices": [{"message": message}]}


def _usage(usage: Mapping[str, Any]) -> Mapping[str, Any]:
    """What MLflow counted, under OpenAI's names."""
    return {
        "prompt_tokens": token_count(usage.get("input_tokens")),
        "completion_tokens": token_count(usage.get("output_tokens")),
        "prompt_tokens_details": {"cached_tokens": token_count(usage.get("cache_read_input_tokens"))},
    }
