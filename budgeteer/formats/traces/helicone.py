"""Requests of Helicone: its export as JSON or lines, or an answer of its API with the requests under `data`.

Certain: objects of a `request_id` or a `response_id` beside a `request_body` or a `response_body`, and a time or a
status of either. Bodies are those of the provider; an export without `--include-body` has none.

Source: https://github.com/Helicone/helicone, `examples/export/typescript/index.ts`, and
https://docs.helicone.ai/rest/request/post-v1requestquery-clickhouse, 2026-11.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from budgeteer.formats.messages.imported import Imported, Skipped
from budgeteer.formats.messages.numbering import text_value
from budgeteer.formats.reading import json_text
from budgeteer.formats.reading.document import Document
from budgeteer.formats.reading.entries import entries_of, mappings, mostly, numbered_mappings
from budgeteer.formats.reading.json_text import JsonProblem
from budgeteer.formats.traces.recorded_calls import RecordedCall, read_calls

_TIMES: Final = frozenset({"request_created_at", "response_created_at", "response_status", "request_path"})


def detect(document: Document) -> str | None:
    """Why a document is requests of Helicone, None when it is not."""
    if mostly(document, lambda value: _is_own(value) or any(map(_is_own, mappings(value.get("data"))[:5]))):
        return "holds a `request_body` and a `response_body` beside their ids and times, as Helicone exports them"
    return None


def _is_own(value: Mapping[str, Any]) -> bool:
    named = "request_id" in value or "response_id" in value
    held = not {"request_body", "response_body", "signed_body_url"}.isdisjoint(value)
    return named and held and not _TIMES.isdisjoint(value)


def read(document: Document) -> Imported:
    """Read every request with its response.

    Raises:
        FormatError: there is none whose body is messages.
    """
    skipped = list(document.skipped)
    return read_calls(_calls(document, skipped), document, skipped, "Helicone")


def _calls(document: Document, skipped: list[Skipped]) -> Iterator[RecordedCall]:
    for entry in entries_of(document, skipped):
        if _is_own(entry.value):
            yield from _call(entry.value, entry.where, document, skipped)
            continue
        place = f"{entry.where}, request "
        for number, raw in numbered_mappings(entry.value.get("data"), place, skipped):
            yield from _call(raw, f"{place}{number}", document, skipped)


def _call(raw: Mapping[str, Any], where: str, document: Document, skipped: list[Skipped]) -> Iterator[RecordedCall]:
    request = _body(raw.get("request_body"), document)
    if not request:
        skipped.append(Skipped(where, "no request body; export it with --include-body"))
        return
    response = _body(raw.get("response_body"), document)
    document.notes.count("Requests without a response body", int(not response))
    if "streamed_data" in response:
        document.notes.count("Streamed pieces beside the response they make up, left out", of=response["streamed_data"])
        response = {key: value for key, value in response.items() if key != "streamed_data"}
    model = next((name for key in _MODELS if (name := text_value(raw.get(key)))), "")
    given = text_value(raw.get("request_id")) or text_value(raw.get("response_id"))
    yield RecordedCall(request, response, where, given, model)


_MODELS: Final = ("response_model", "model", "request_model")


def _body(value: Any, document: Document) -> Mapping[str, Any]:
    """A body, also one that stands as JSON text; empty where there is none."""
    if isinstance(value, str):
        try:
            value = json_text.parse(value, depth_limit=document.options.limits.json_depth)
        except JsonProblem:
            return {}
    return value if isinstance(value, Mapping) else {}
