"""Spans of tools without the messages of their agent, as Visual Studio traces GitHub Copilot."""

from __future__ import annotations

from typing import Any

from budgeteer.engine.content.conversation import calls_of, results_of
from budgeteer.formats.detect import import_bytes
from tests.formats.makers.traces import OTEL, attribute
from tests.formats.shapes import dumps, jsonl


def span(operation: str, **told: str) -> dict[str, Any]:
    """A line of one span; the keys of attributes with `__` for dots."""
    named = {f"gen_ai.{key.replace('__', '.')}": value for key, value in told.items()}
    attributes = [attribute(key, value) for key, value in {"gen_ai.operation.name": operation, **named}.items()]
    spans = [{"traceId": "1", "spanId": "2", "name": operation, "attributes": attributes}]
    return {"resourceSpans": [{"resource": {"attributes": []}, "scopeSpans": [{"scope": {}, "spans": spans}]}]}


AGENT = span("invoke_agent", conversation__id="c-1")
RAN = span(
    "execute_tool",
    conversation__id="c-1",
    tool__name="tides",
    tool__call__id="k1",
    tool__call__arguments='{"pier":2}',
    tool__call__result="40 cm",
)


def test_calls_and_results_are_read_for_each_conversation() -> None:
    other = span("execute_tool", conversation__id="c-2", tool__name="piers", tool__call__result="two")
    found = import_bytes(jsonl(AGENT, RAN, other))
    assert (found.format, [chat.id for chat in found.conversations]) == ("opentelemetry", ["c-1", "c-2"])
    asked, told = found.conversations[0].messages
    assert [(call.name, call.arguments) for call in calls_of(asked)] == [("tides", '{"pier":2}')]
    assert [result.call_id for result in results_of(told)] == [calls_of(asked)[0].id]
    assert found.accounting is not None
    assert not found.accounting.is_lossy
    assert "The spans hold calls of tools and their results, and none of what was said" in found.warnings


def test_beside_spans_with_messages_they_are_counted() -> None:
    (whole,) = import_bytes(dumps(OTEL)).conversations
    found = import_bytes(jsonl(OTEL, AGENT, RAN))
    assert [len(chat.messages) for chat in found.conversations] == [len(whole.messages)]
