"""Spans of tools that an agent ran, where no span of the trace tells its messages: calls with their results alone.

Certain: attributes `gen_ai.tool.name` beside `gen_ai.tool.call.arguments` or `gen_ai.tool.call.result`, as Visual
Studio traces GitHub Copilot without the content of its messages.
Source: https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-spans (execute tool span), 2026-11.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from budgeteer.engine.content.conversation import Conversation, Message
from budgeteer.engine.content.library import compact_json
from budgeteer.formats.messages.numbering import text_value
from budgeteer.formats.reading.conversation_draft import ConversationDraft, texts
from budgeteer.formats.reading.document import Document

_NAME, _ID = "gen_ai.tool.name", "gen_ai.tool.call.id"
_ARGUMENTS, _RESULT = "gen_ai.tool.call.arguments", "gen_ai.tool.call.result"
_CONVERSATION: Final = "gen_ai.conversation.id"


def is_tool_span(span: Mapping[str, Any]) -> bool:
    """Whether the attributes of a span tell of a call with its arguments or its result."""
    return bool(text_value(span.get(_NAME))) and (_ARGUMENTS in span or _RESULT in span)


def tool_conversations(spans: Iterable[Mapping[str, Any]], document: Document) -> list[Conversation]:
    """The calls of each conversation in the order of their spans, each with its result."""
    drafts: dict[str, ConversationDraft] = {}
    for number, span in enumerate(spans, 1):
        given = text_value(span.get(_CONVERSATION))
        draft = drafts.setdefault(given, ConversationDraft(document.notes, "span "))
        call = draft.calls.call(span[_NAME], span.get(_ARGUMENTS), text_value(span.get(_ID)), has_result=True)
        draft.add(Message("assistant", (call,), line=number))
        document.notes.leave_out([held for key, held in span.items() if key not in (_NAME, _ARGUMENTS, _RESULT)])
        if _RESULT in span:
            told = span[_RESULT]
            shown = told if isinstance(told, str) else compact_json(told)
            draft.answer(Message("tool", (), line=number), texts(shown), call.id)
    document.notes.say("The spans hold calls of tools and their results, and none of what was said")
    return [draft.conversation(given or "c1", "", document.stem or "Spans") for given, draft in drafts.items()]
