"""Messages as plain data and back, the object a call's arguments stand for, and what can be read of a message."""

import json

import pytest

from budgeteer.engine.content.conversation import (
    AudioPart,
    FilePart,
    ImagePart,
    Message,
    OpaquePart,
    Part,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
    call_input,
    message_from_json,
    message_to_json,
    text_of,
)

PARTS: list[Part] = [
    TextPart("Hello."),
    ImagePart({"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}, 640, 480, "low"),
    ImagePart({"type": "image_url"}, None, None, ""),
    FilePart({"type": "file", "file": {"file_id": "f1"}}, "plan.pdf"),
    AudioPart({"type": "input_audio", "input_audio": {"data": "AAAA", "format": "wav"}}),
    ToolCallPart("a", "run", '{"n": 1}'),
    ToolCallPart("a", "patch", "*** Begin", is_free=True),
    ToolResultPart("a", (TextPart("done"), FilePart({"type": "file"}, "log.txt")), is_error=True),
    ReasoningPart("Hm.", "seal", "payload", "gemini", "rs_1"),
    ReasoningPart("Hm."),
    OpaquePart("server_tool_use", {"type": "server_tool_use", "id": "s"}, "anthropic"),
]


@pytest.mark.parametrize("part", PARTS, ids=lambda part: type(part).__name__)
def test_a_message_with_any_part_comes_back_from_its_plain_data(part: Part) -> None:
    for message in (
        Message("assistant", (part,)),
        Message("user", (part, part), "m1", "ada", "2026-01-02T03:04:05Z", 7, typed=False),
    ):
        written = json.dumps(message_to_json(message))
        assert message_from_json(json.loads(written)) == message


def test_what_a_message_does_not_have_is_left_out_of_its_plain_data() -> None:
    assert message_to_json(Message("user", ())) == {"role": "user", "parts": []}


def test_a_part_of_no_known_kind_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match="unknown part type 'hologram'"):
        message_from_json({"role": "user", "parts": [{"type": "hologram"}]})


@pytest.mark.parametrize(
    ("arguments", "value"),
    [
        ("", {}),
        ('{"n": 1}', {"n": 1}),
        ("[1]", {"arguments": [1]}),
        ("not JSON", {"arguments": "not JSON"}),
        ('{"n": NaN}', {"arguments": '{"n": NaN}'}),
        ('{"s": "\\ud800"}', {"arguments": '{"s": "\\ud800"}'}),
        ('{"s": "\\u00e9"}', {"s": "é"}),
        ("[" * 100_000, {"arguments": "[" * 100_000}),
    ],
)
def test_the_arguments_of_a_call_become_an_object_that_can_be_written(arguments: str, value: object) -> None:
    assert call_input(arguments) == value
    assert json.loads(json.dumps(call_input(arguments)).encode()) == value


def test_the_readable_text_has_calls_and_results_but_no_reasoning() -> None:
    assert text_of(Message("assistant", tuple(PARTS))) == 'Hello.\nrun {"n": 1}\npatch *** Begin\ndone'
