"""Continue sessions: summaries, calls without a result, results of older versions, messages that are not sent."""

from __future__ import annotations

from typing import Any

import pytest

from budgeteer.engine.content.conversation import ImagePart, ReasoningPart, TextPart, results_of
from budgeteer.engine.errors import FormatError
from budgeteer.formats.detect import import_bytes
from tests.formats.makers.agents import CONTINUE
from tests.formats.shapes import dumps


def session(*items: dict[str, Any]) -> bytes:
    return dumps({**CONTINUE, "history": [*CONTINUE["history"][:3], *({"contextItems": [], **item} for item in items)]})


def test_a_summary_takes_the_place_of_what_is_before_it() -> None:
    reply = {"message": {"role": "assistant", "content": "Yes."}, "conversationSummary": "It was about ports."}
    data = session(reply, {"message": {"role": "user", "content": "And now?"}})
    (chat,) = import_bytes(data).conversations
    assert [(message.role, message.parts) for message in chat.messages] == [
        ("system", (TextPart("Previous conversation summary:\n\n It was about ports."),)),
        ("user", (TextPart("And now?"),)),
    ]
    assert len(import_bytes(data, whole=True).conversations[0].messages) == 5


@pytest.mark.parametrize(
    ("state", "expected", "failed"),
    [
        ({"status": "canceled"}, "The user cancelled this tool call.", True),
        ({"status": "errored"}, "There was an error calling the tool.", True),
        ({"status": "generated"}, "No tool output", False),
        ({"status": "done", "output": [{"content": "a", "status": "x"}, {"content": "b"}]}, "a\n\nb", False),
    ],
)
def test_a_result_is_what_continue_sends(state: dict[str, Any], expected: str, failed: bool) -> None:
    call = {"id": "k2", "type": "function", "function": {"name": "read_file", "arguments": "{}"}}
    item = {"message": {"role": "assistant", "content": "", "toolCalls": [call]}}
    for held in ({"toolCallStates": [{**state, "toolCall": call}]}, {"toolCallState": {**state, "toolCall": call}}):
        (chat,) = import_bytes(session({**item, **held})).conversations
        (result,) = results_of(chat.messages[-1])
        assert (result.call_id, result.content, result.is_error) == ("k2", (TextPart(expected),), failed)


def test_thoughts_go_before_their_reply_and_pictures_are_read() -> None:
    picture = {"type": "imageUrl", "imageUrl": {"url": "https://a.example/b.png"}}
    asked = {"message": {"role": "user", "content": [picture, {"type": "text", "text": "This?"}]}}
    (chat,) = import_bytes(session(asked)).conversations
    assert chat.messages[1].parts[0] == ReasoningPart("Look it up.")
    assert isinstance(chat.messages[-1].parts[0], ImagePart)


def test_what_is_not_sent_is_counted_and_what_is_not_known_is_listed() -> None:
    system, odd = {"message": {"role": "system", "content": "x"}}, {"message": {"role": "critic", "content": "x"}}
    empty = {"message": {"role": "assistant", "content": ""}}
    found = import_bytes(session(system, odd, empty))
    assert dict(found.findings.counted) == {
        "System messages of the history, which Continue writes anew, left out": 1,
        "Empty messages, which Continue does not send, left out": 1,
    }
    assert [(item.where, item.why) for item in found.skipped] == [("the object, item 5", "no known role")]


def test_a_session_without_messages_is_refused_by_name() -> None:
    with pytest.raises(FormatError, match="No Continue messages were found"):
        import_bytes(dumps({**CONTINUE, "history": []}), as_format="continue")


def test_the_system_text_of_a_logged_prompt_and_the_tools_that_were_called_are_read() -> None:
    log = {
        "modelTitle": "m",
        "prompt": "<system>\nBe brief.\n\n<user>\nWhich port?\n\n",
        "completion": "<assistant>\nI",
    }
    function = {"name": "make", "description": "Build the house", "parameters": {"type": "object"}}
    tool = {"displayTitle": "Make", "systemMessageDescription": {"prefix": "To build, call make"}, "function": function}
    call = {"id": "k2", "type": "function", "function": {"name": "make", "arguments": "{}"}}
    reply = {
        "message": {"role": "assistant", "content": "", "toolCalls": [call]},
        "promptLogs": [{**log, "prompt": "odd"}, log],
        "toolCallStates": [{"toolCall": call, "tool": tool, "status": "done", "output": [{"content": "a"}]}],
    }
    found = import_bytes(session(reply))
    (chat,) = found.conversations
    assert chat.messages[0].parts == (TextPart("Be brief."),)
    assert chat.messages[0].role == "system"
    assert [tool["function"] for tool in chat.tools] == [function]
    assert found.warnings[0] == "Logs of prompts, which repeat the history, left out but for the last system text: 2"
    assert found.accounting is not None
    assert not found.accounting.unread_keys
