"""OpenAI Responses: items, bodies, and what is kept as it came."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from budgeteer.engine.content.conversation import (
    AudioPart,
    Conversation,
    FilePart,
    ImagePart,
    Message,
    OpaquePart,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
    calls_of,
    results_of,
    text_of,
)
from budgeteer.engine.errors import FormatError
from budgeteer.formats.detect import import_bytes
from budgeteer.formats.messages.imported import Imported
from tests.formats.responses_shapes import RESPONSES_BODY, RESPONSES_TOOL
from tests.formats.shapes import dumps, jsonl, png

OWN = "openai-responses"
PICTURE = base64.b64encode(png(64, 48)).decode()
ANSWER: dict[str, Any] = {
    "id": "resp_1",
    "object": "response",
    "model": "gpt-5-2026",
    "instructions": "Be brief.",
    "output": [
        {"type": "message", "id": "msg_9", "role": "assistant", "content": [{"type": "output_text", "text": "Hi"}]}
    ],
    "tools": [RESPONSES_TOOL],
    "usage": {"input_tokens": 41, "input_tokens_details": {"cached_tokens": 7}, "output_tokens": 2},
}


def read(value: object) -> Imported:
    found = import_bytes(dumps(value))
    assert found.format == "openai-responses"
    return found


def talk(value: object) -> Conversation:
    (only,) = read(value).conversations
    return only


def items(*given: Any) -> tuple[list[Message], Imported]:
    found = import_bytes(dumps({"model": "m", "input": list(given)}), as_format="openai-responses")
    return list(found.conversations[0].messages), found


def test_a_request_becomes_messages_with_one_for_each_output() -> None:
    chat = talk(RESPONSES_BODY)
    assert [(message.role, message.id, message.line) for message in chat.messages] == [
        ("system", "system", 0),
        ("developer", "m2", 1),
        ("user", "m3", 2),
        ("assistant", "m4", 3),
        ("tool", "m5", 7),
        ("tool", "m6", 8),
        ("assistant", "msg_1", 9),
        ("user", "m8", 11),
    ]
    assert chat.messages[3].parts == (
        ReasoningPart("", encrypted="c2VhbA==", provider=OWN, id="rs_1"),
        TextPart("Looking."),
        ToolCallPart("call_a", "tide", '{"city":"Oslo"}'),
        ToolCallPart("call_b", "tide", '{"city":"Bergen"}'),
    )
    assert chat.messages[4].parts == (ToolResultPart("call_a", (TextPart("0.4 m"),)),)
    search = RESPONSES_BODY["input"][8]
    assert chat.messages[6].parts == (OpaquePart("web_search_call", search, OWN), TextPart("Bergen's is higher."))
    assert chat.messages[7].parts == (
        TextPart("And here?"),
        ImagePart(RESPONSES_BODY["input"][10]["content"][1], None, None, "low"),
    )
    assert (chat.model, chat.tools) == ("gpt-5", (RESPONSES_TOOL, {"type": "web_search"}))
    assert chat.title == "Two tides, please"


def test_an_input_may_be_a_text() -> None:
    chat = talk({"model": "gpt-5", "input": "Hello", "instructions": "Be brief."})
    assert [(message.role, message.parts) for message in chat.messages] == [
        ("system", (TextPart("Be brief."),)),
        ("user", (TextPart("Hello"),)),
    ]


def test_a_request_for_embeddings_is_none() -> None:
    with pytest.raises(FormatError, match="Nothing that can be read"):
        import_bytes(dumps({"model": "text-embedding-3-small", "input": "Hello"}))


def test_a_response_brings_its_instructions_tools_and_usage() -> None:
    found = read(ANSWER)
    assert found.reason == "It is a response of OpenAI Responses."
    (chat,) = found.conversations
    assert (chat.id, chat.model, chat.reported_input_tokens) == ("resp_1", "gpt-5-2026", 41)
    assert [(message.role, message.id) for message in chat.messages] == [("system", "system"), ("assistant", "msg_9")]
    assert chat.tools == (RESPONSES_TOOL,)


def test_instructions_of_a_response_may_be_items() -> None:
    listed = [{"role": "system", "content": [{"type": "input_text", "text": "Be brief."}]}]
    assert talk({**ANSWER, "instructions": listed}).messages[0].parts == (TextPart("Be brief."),)


@pytest.mark.parametrize(
    "logged",
    [
        {"request": {"model": "gpt-5", "input": "Hello"}, "response": ANSWER},
        {"request": {"body": {"model": "gpt-5", "input": "Hello"}}, "response": {"status_code": 200, "body": ANSWER}},
        {**ANSWER, "input": "Hello"},
        {
            "responses_create_params": {"model": None, "input": [{"role": "user", "content": "Hello"}], "tools": []},
            "response": ANSWER,
            "reward": 1.0,
        },
    ],
)
def test_a_request_with_its_response_is_one_conversation(logged: object) -> None:
    chat = talk(logged)
    assert [message.role for message in chat.messages] == ["system", "user", "assistant"]
    assert chat.reported_input_tokens == 41


def test_several_responses_are_a_list() -> None:
    found = read([ANSWER, {**ANSWER, "id": "resp_2"}])
    assert [chat.id for chat in found.conversations] == ["resp_1", "resp_2"]
    lines = import_bytes(
        jsonl({"custom_id": "a", "body": {"model": "m", "input": "x"}}, {"custom_id": "b", "response": ANSWER})
    )
    assert (lines.format, [chat.id for chat in lines.conversations]) == ("openai-responses", ["a", "b"])


def test_of_a_streams_events_the_last_response_counts() -> None:
    events = [{"type": f"response.{what}", "response": ANSWER} for what in ("created", "in_progress", "completed")]
    found = import_bytes(jsonl(*events, {"type": "response.output_text.delta", "delta": "H"}))
    assert (found.format, len(found.conversations)) == ("openai-responses", 1)


def test_items_alone_are_a_conversation() -> None:
    given = RESPONSES_BODY["input"]
    assert len(talk(given).messages) == 7
    lines = import_bytes(jsonl(*given) + b"{")
    assert (lines.format, len(lines.conversations), lines.skipped[0].where) == ("openai-responses", 1, "line 12")


def test_roles_and_contents_alone_are_openai_chat() -> None:
    assert import_bytes(dumps([{"role": "user", "content": "x"}])).format == "openai-chat"


def test_content_takes_every_form() -> None:
    url = f"data:image/png;base64,{PICTURE}"
    near = {"type": "input_image", "image_url": url}
    paper = {"type": "input_file", "filename": "a.pdf", "file_id": "f"}
    sound = {"type": "input_audio", "input_audio": {"data": "AAAA", "format": "wav"}}
    hologram = {"type": "hologram", "x": 1}
    (message, reply), found = items(
        {"role": "user", "content": ["a", {"type": "input_text", "text": ""}, near, paper, sound, hologram, 7]},
        {"type": "message", "role": "assistant", "content": [{"type": "refusal", "refusal": "No."}]},
    )
    assert message.parts == (
        TextPart("a"),
        ImagePart(near, 64, 48, "auto"),
        FilePart(paper, "a.pdf"),
        AudioPart(sound),
        OpaquePart("hologram", {"type": "message", "role": "user", "content": [hologram]}, OWN),
        TextPart("7"),
    )
    refusal = {"type": "message", "role": "assistant", "content": [{"type": "refusal", "refusal": "No."}]}
    assert reply.parts == (OpaquePart("refusal", refusal, OWN),)
    assert found.warnings == ("Parts of a provider's own kind, kept as they came: 1 hologram, 1 refusal",)


def test_outputs_take_every_form() -> None:
    near = {"type": "input_image", "image_url": f"data:image/png;base64,{PICTURE}"}
    messages, _ = items(
        {"type": "function_call", "call_id": "a", "name": "f", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "a", "output": [{"type": "input_text", "text": "x"}, near]},
        {"type": "function_call_output", "call_id": "b", "output": {"x": 1}},
        {"type": "function_call_output", "call_id": "c", "output": ""},
    )
    assert [message.parts for message in messages[1:]] == [
        (ToolResultPart("a", (TextPart("x"), ImagePart(near, 64, 48))),),
        (ToolResultPart("b", (TextPart('{"x":1}'),)),),
        (ToolResultPart("c", ()),),
    ]


def test_free_form_tools_keep_their_raw_text() -> None:
    (asked, answered), found = items(
        {"type": "custom_tool_call", "call_id": "c", "name": "patch", "input": "*** Begin"},
        {"type": "custom_tool_call_output", "call_id": "c", "output": "done"},
    )
    assert asked.parts == (ToolCallPart("c", "patch", "*** Begin", is_free=True),)
    assert answered.parts == (ToolResultPart("c", (TextPart("done"),)),)
    assert found.warnings == ("Calls of free-form tools, which other providers are sent as calls of functions: 1",)


def test_reasoning_keeps_its_seal_and_what_can_be_read_of_it() -> None:
    def said(*texts: str) -> list[dict[str, str]]:
        return [{"type": "summary_text", "text": text} for text in texts]

    (message,), found = items(
        {"type": "reasoning", "id": "r1", "summary": said("One.", "Two."), "encrypted_content": "AAAA"},
        {"type": "reasoning", "id": "r2", "summary": said("Short."), "content": said("Long.")},
    )
    assert message.parts == (
        ReasoningPart("One.\n\nTwo.", encrypted="AAAA", provider=OWN, id="r1"),
        ReasoningPart("Long.", provider=OWN, id="r2"),
    )
    assert found.warnings == ("Reasoning of several paragraphs, joined: 1",)


KEPT = ["mcp_list_tools", "mcp_call", "mcp_approval_request", "mcp_approval_response", "web_search_call"]
KEPT += ["file_search_call", "code_interpreter_call", "tool_search_call", "tool_search_output", "computer_call"]
KEPT += ["computer_call_output", "local_shell_call", "local_shell_call_output", "additional_tools", "item_reference"]


@pytest.mark.parametrize("kind", [*KEPT, "from_the_future"])
def test_what_runs_at_the_provider_stays_as_it_came(kind: str) -> None:
    item = {"type": kind, "id": "x", "output": {"y": [1]}, "role": "developer"}
    (message, _), found = items(item, {"role": "user", "content": "x"})
    assert (message.role, message.parts) == ("assistant", (OpaquePart(kind, item, OWN),))
    assert found.warnings == (f"Parts of a provider's own kind, kept as they came: 1 {kind}",)


def test_a_compaction_is_kept_and_said() -> None:
    item = {"type": "compaction", "id": "cmp", "encrypted_content": "A" * 5_000}
    (_, message, _), found = items({"role": "user", "content": "a"}, item, {"role": "user", "content": "b"})
    assert message.parts == (OpaquePart("compaction", item, OWN),)
    assert found.warnings[0] == "A compaction item stands for everything before it: the provider may leave that out"


def test_a_picture_the_model_drew_is_a_picture() -> None:
    item = {"type": "image_generation_call", "id": "ig", "status": "completed", "result": PICTURE}
    (message,), _ = items(item)
    assert message.parts == (ImagePart(item, 64, 48),)


def test_base64_in_parts_of_a_providers_own_kind_stays_as_it_came() -> None:
    shot = f"data:image/png;base64,{'A' * 3_000}"
    output = {
        "type": "computer_call_output",
        "call_id": "c",
        "output": {"type": "computer_screenshot", "image_url": shot},
    }
    (message,), found = items(output)
    (part,) = message.parts
    assert isinstance(part, OpaquePart)
    assert part.raw["output"]["image_url"] == shot
    assert not any("left out" in warning for warning in found.warnings)


def test_replies_in_a_row_are_one_message_and_counted() -> None:
    (message,), found = items(
        {"role": "assistant", "content": "One."},
        {"role": "assistant", "content": ""},
        {"role": "assistant", "content": "Two."},
    )
    assert message.parts == (TextPart("One."), TextPart(""), TextPart("Two."))
    assert found.warnings == ("Replies in a row, read as one message of the assistant: 2",)


def test_what_stood_beside_a_text_or_call_is_kept_with_it() -> None:
    cited = {"type": "output_text", "text": "x", "annotations": [{"type": "url_citation"}]}
    (message,), found = items(
        {"type": "message", "role": "assistant", "phase": "commentary", "content": [cited]},
        {"type": "function_call", "call_id": "c", "name": "f", "namespace": "n", "arguments": "{}"},
    )
    assert not found.warnings
    text, call = message.parts
    assert isinstance(text, TextPart)
    assert text.origin is not None
    assert text.origin.fields == {"type": "output_text", "annotations": [{"type": "url_citation"}]}
    assert text.origin.item == {"type": "message", "phase": "commentary"}
    assert isinstance(call, ToolCallPart)
    assert call.origin is not None
    assert call.origin.fields == {"type": "function_call", "namespace": "n"}


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("previous_response_id", "resp_0", "goes on from a response that is not in this file"),
        ("conversation", {"id": "c"}, "belongs to a stored conversation that is not in this file"),
        ("prompt", {"id": "p"}, "uses a stored prompt that is not in this file"),
    ],
)
def test_what_stands_elsewhere_is_said(key: str, value: object, said: str) -> None:
    assert said in read({**RESPONSES_BODY, key: value}).warnings[0]


def test_what_is_no_item_is_listed() -> None:
    _, found = items({"role": "user", "content": "x"}, 7, {"role": "alien", "content": "x"}, {"x": 1})
    assert [(item.where, item.why) for item in found.skipped] == [
        ("item 2", "neither a role nor a type"),
        ("item 3", "no known role"),
        ("item 4", "neither a role nor a type"),
    ]


def test_nothing_usable_is_an_error_that_says_what_was_found() -> None:
    with pytest.raises(FormatError, match="No OpenAI Responses messages were found: a JSON object with the keys"):
        import_bytes(dumps({"object": "response", "id": "r", "output": []}))


def test_a_run_that_the_agents_sdk_keeps_is_its_input_and_what_was_made_of_it() -> None:
    call = {"type": "function_call", "id": "f", "call_id": "k", "name": "find_berth", "arguments": "{}"}
    answer = {"type": "function_call_output", "call_id": "k", "output": "Berth 7"}
    said = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "At berth 7."}]}
    made = [
        {"type": kind, "agent": {"name": "harbour"}, "raw_item": item}
        for kind, item in (("tool_call_item", call), ("tool_call_output_item", answer), ("message_output_item", said))
    ]
    asked = "Where does she lie?"
    for given in (asked, [{"role": "user", "content": asked}]):
        state = {
            "$schemaVersion": "1.13",
            "original_input": given,
            "generated_items": made,
            "model_responses": [{"output": [call]}, {"output": [said]}],
            "current_agent": {"name": "harbour"},
        }
        found = import_bytes(dumps(state))
        assert found.format == "openai-responses"
        (chat,) = found.conversations
        assert [message.role for message in chat.messages] == ["user", "assistant", "tool", "assistant"]
        assert [text_of(chat.messages[at]) for at in (0, 3)] == [asked, "At berth 7."]
        assert found.accounting is not None
        assert not found.accounting.is_lossy


def test_items_of_the_agents_sdk_for_javascript_are_read() -> None:
    """Its fields are written otherwise, as CodeBuddy's sessions have them too."""
    said = [
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Which pier?"}]},
        {"type": "function_call", "callId": "k1", "name": "piers", "arguments": '{"line":2}'},
        {"type": "function_call_result", "callId": "k1", "name": "piers", "output": {"type": "text", "text": "pier 2"}},
    ]
    (chat,) = import_bytes(dumps(said)).conversations
    assert [message.role for message in chat.messages] == ["user", "assistant", "tool"]
    assert [call.id for call in calls_of(chat.messages[1])] == ["k1"]
    (result,) = results_of(chat.messages[2])
    assert (result.call_id, result.content) == ("k1", (TextPart("pier 2"),))
