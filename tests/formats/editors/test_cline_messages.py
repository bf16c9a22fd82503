"""What Cline's interface keeps: entries that grow, results in pieces, and its place beside what the model saw."""

from __future__ import annotations

import json

from budgeteer.engine.content.conversation import ImagePart, ReasoningPart, TextPart, calls_of, results_of, text_of
from budgeteer.formats.detect import import_bytes
from tests.formats.makers.agents import CLINE
from tests.formats.makers.interfaces import CLINE_MESSAGES
from tests.formats.shapes import dumps, jsonl, zipped

PICTURE = "data:image/png;base64,iVBORw0KGgo="


def test_a_reply_is_one_message_with_its_thought_and_call() -> None:
    (chat,) = import_bytes(dumps(CLINE_MESSAGES)).conversations
    thought, text, call = chat.messages[1].parts
    assert (thought, text) == (ReasoningPart("A look first."), TextPart("I look at the list."))
    assert call == calls_of(chat.messages[1])[0]
    assert chat.model == "claude-x"
    (request,) = chat.recorded
    assert (request.position, request.input_tokens, request.cache_read_tokens, request.output_tokens) == (
        1,
        160,
        50,
        20,
    )


def test_outputs_of_a_command_are_one_result_and_a_call_without_one_is_counted() -> None:
    more = {"ts": 8, "type": "say", "say": "command_output", "text": "Tern"}
    edit = {"ts": 20, "type": "ask", "ask": "tool", "text": '{"tool":"editedExistingFile","path":"b","diff":"+Gull"}'}
    found = import_bytes(dumps([*CLINE_MESSAGES[:9], more, edit]))
    results = [result for message in found.conversations[0].messages for result in results_of(message)]
    assert [[part.text for part in each.content if isinstance(part, TextPart)] for each in results] == [
        ["a.txt\nb.txt"],
        ["Gull", "Tern"],
    ]
    assert ("Calls whose results Cline's interface does not keep", 1) in found.findings.counted


def test_the_browser_a_question_and_a_condensed_context_are_read() -> None:
    entries = [
        {"type": "say", "say": "text", "text": "See the page", "images": [PICTURE]},
        {"type": "say", "say": "browser_action_launch", "text": "http://localhost"},
        {"type": "say", "say": "browser_action_result", "text": json.dumps({"screenshot": PICTURE, "logs": "ready"})},
        {
            "type": "ask",
            "ask": "followup",
            "text": '{"question":"Go on?","suggest":[{"answer":"Yes"},{"answer":"No"}]}',
        },
        {"type": "say", "say": "condense_context", "contextCondense": {"summary": "A page was seen."}},
        {"type": "say", "say": "text", "text": "Done."},
    ]
    for data in (dumps(entries), jsonl(*entries)):
        found = import_bytes(data)
        assert found.format == "cline-messages"
        first, launch, shown, asked, summary, last = found.conversations[0].messages
        assert [message.role for message in (first, shown, asked, summary)] == ["user", "tool", "assistant", "user"]
        assert calls_of(launch)[0].arguments == '{"action":"launch","url":"http://localhost"}'
        assert [type(part) for part in results_of(shown)[0].content] == [TextPart, ImagePart]
        assert [part.text for part in asked.parts if isinstance(part, TextPart)] == ["Go on?", "Yes", "No"]
        assert (summary.typed, text_of(summary), text_of(last)) == (False, "A page was seen.", "Done.")


def test_beside_what_the_model_saw_it_is_left_out_of_an_archive() -> None:
    task = {"t/api_conversation_history.json": dumps(CLINE), "t/ui_messages.json": dumps(CLINE_MESSAGES)}
    both = import_bytes(zipped({**task, "u/ui_messages.json": dumps(CLINE_MESSAGES)}))
    assert [item.where for item in both.skipped] == ["t/ui_messages.json"]
    assert len(both.conversations) == 2
    assert both.accounting is not None
    assert both.accounting.is_lossy is False
