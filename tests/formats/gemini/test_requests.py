"""The Gemini API: contents, parts in both spellings, bodies and what wraps them."""

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
)
from budgeteer.engine.errors import FormatError
from budgeteer.engine.inputs.bundle import tools_of
from budgeteer.formats.detect import import_bytes
from budgeteer.formats.messages.imported import Imported
from tests.formats.google_shapes import GEMINI_BODY
from tests.formats.shapes import dumps, jsonl, png

PICTURE = base64.b64encode(png(64, 48)).decode()
REPLY: dict[str, Any] = {
    "candidates": [{"content": {"role": "model", "parts": [{"text": "Hi"}]}, "finishReason": "STOP"}],
    "modelVersion": "gemini-3-pro-001",
    "responseId": "r1",
    "usageMetadata": {"promptTokenCount": 12, "candidatesTokenCount": 1},
}


def read(value: object) -> Imported:
    found = import_bytes(dumps(value))
    assert found.format == "gemini"
    return found


def talk(value: object) -> Conversation:
    (only,) = read(value).conversations
    return only


def contents(*given: tuple[str, list[Any]]) -> tuple[list[Message], Imported]:
    body = {"model": "m", "contents": [{"role": role, "parts": parts} for role, parts in given]}
    found = import_bytes(dumps(body), as_format="gemini")
    return list(found.conversations[0].messages), found


def test_a_request_becomes_messages_with_one_for_each_response() -> None:
    chat = talk(GEMINI_BODY)
    assert [(message.role, message.id, message.line) for message in chat.messages] == [
        ("system", "system", 0),
        ("user", "m2", 1),
        ("assistant", "m3", 2),
        ("tool", "m4", 3),
        ("tool", "m5", 3),
        ("assistant", "m6", 4),
    ]
    assert chat.messages[2].parts == (
        TextPart("Looking."),
        ReasoningPart("", signature="c2VhbA==", provider="gemini"),
        ToolCallPart("a", "tide", '{"city":"Oslo"}'),
        ToolCallPart("b", "tide", '{"city":"Bergen"}'),
    )
    assert chat.messages[3].parts == (ToolResultPart("a", (TextPart("0.4 m"),)),)
    assert chat.messages[4].parts == (ToolResultPart("b", (TextPart("no gauge"),), is_error=True),)
    assert chat.messages[5].parts == (
        ReasoningPart("", signature="bW9yZQ==", provider="gemini"),
        TextPart("Only Oslo's is known."),
    )
    assert (chat.model, chat.title) == ("gemini-3-pro", "Two tides, please")
    declared = GEMINI_BODY["tools"][0]["functionDeclarations"][0]
    assert chat.tools == (declared, {"googleSearch": {}})


def snake(value: Any) -> Any:
    """The value with every key in snake_case."""
    if isinstance(value, dict):
        return {
            "".join(f"_{sign.lower()}" if sign.isupper() else sign for sign in key): snake(v)
            for key, v in value.items()
        }
    return [snake(inner) for inner in value] if isinstance(value, list) else value


def test_snake_case_is_the_same_request() -> None:
    camel, snaked = talk(GEMINI_BODY), talk(snake(GEMINI_BODY))
    assert snaked.messages == camel.messages
    assert [(t.name, t.description, t.parameters) for t in tools_of(snaked)[:1]] == [
        (t.name, t.description, t.parameters) for t in tools_of(camel)[:1]
    ]


def test_a_declaration_without_parameters_is_a_function() -> None:
    chat = talk({**GEMINI_BODY, "tools": [{"function_declarations": [{"name": "now", "description": "The time"}]}]})
    (tool,) = tools_of(chat)
    assert tool.parameters == {"type": "object", "properties": {}}


@pytest.mark.parametrize(
    "given", ["Be brief.", {"text": "Be brief."}, [{"text": "Be brief."}], {"parts": [{"text": "Be brief."}]}]
)
def test_system_instructions_take_every_form(given: object) -> None:
    body = {"contents": GEMINI_BODY["contents"], "config": {"system_instruction": given, "tools": GEMINI_BODY["tools"]}}
    chat = talk(body)
    assert (chat.messages[0].role, chat.messages[0].parts) == ("system", (TextPart("Be brief."),))
    assert len(chat.tools) == 2


@pytest.mark.parametrize("given", ["Hello", ["Hello"], {"text": "Hello"}, {"parts": [{"text": "Hello"}]}])
def test_the_short_forms_of_the_sdks_are_contents(given: object) -> None:
    chat = talk({"model": "gemini-3-pro", "contents": given})
    assert [(message.role, message.parts) for message in chat.messages] == [("user", (TextPart("Hello"),))]


def test_parts_take_every_form() -> None:
    picture = {"inlineData": {"mimeType": "image/png", "data": PICTURE}}
    film = {"file_data": {"mime_type": "video/mp4", "file_uri": "gs://b/a.mp4"}, "video_metadata": {"fps": 1}}
    sound = {"inlineData": {"mimeType": "audio/wav", "data": "AAAA"}}
    code, output = {"executableCode": {"language": "PYTHON", "code": "1"}}, {"codeExecutionResult": {"output": "1"}}
    hosted = {"toolCall": {"id": "t", "toolType": "FILE_SEARCH"}}
    (message, reply), found = contents(
        ("user", [{"text": ""}, "a", picture, film, sound, {"text": "b", "inline_data": None}]),
        ("model", [code, output, hosted, {"hologram": 1}, {}]),
    )
    assert message.parts == (
        TextPart("a"),
        ImagePart(picture, 64, 48),
        FilePart(film),
        AudioPart(sound),
        TextPart("b"),
    )
    kinds = ("executableCode", "codeExecutionResult", "toolCall")
    raws: tuple[dict[str, Any], ...] = (code, output, hosted)
    kept = tuple(OpaquePart(kind, raw, "gemini") for kind, raw in zip(kinds, raws, strict=True))
    assert reply.parts == (*kept, TextPart('{"hologram":1}'))
    listed = ", ".join(f"1 {kind}" for kind in kinds)
    assert found.warnings == (
        "Objects among contents that are no part of a known type, read as text: 1",
        f"Parts of a provider's own kind, kept as they came: {listed}",
    )


def test_a_signature_stands_beside_any_part_and_belongs_to_the_thought_before_it() -> None:
    hosted = {"toolCall": {"id": "t"}}
    (message,), _ = contents(
        (
            "model",
            [
                {"text": "Hm.", "thought": True},
                {"functionCall": {"name": "f", "args": {}}, "thoughtSignature": "s1"},
                {**hosted, "thought_signature": "s2"},
                {"text": "Own.", "thought": True, "thoughtSignature": "s3"},
                {"text": "End.", "thoughtSignature": "s4"},
            ],
        )
    )
    assert message.parts == (
        ReasoningPart("Hm.", signature="s1", provider="gemini"),
        ToolCallPart("call_1", "f", "{}"),
        ReasoningPart("", signature="s2", provider="gemini"),
        OpaquePart("toolCall", hosted, "gemini"),
        ReasoningPart("Own.", signature="s3", provider="gemini"),
        ReasoningPart("", signature="s4", provider="gemini"),
        TextPart("End."),
    )


@pytest.mark.parametrize(
    ("response", "texts", "failed"),
    [
        ({"output": "x"}, ["x"], False),
        ({"output": ["x", "y"]}, ["x", "y"], False),
        ({"output": ""}, [], False),
        ({"output": {"n": 1}}, ['{"output":{"n":1}}'], False),
        ({"error": "x"}, ["x"], True),
        ({"result": "x", "n": 1}, ['{"result":"x","n":1}'], False),
        ({"output": "x", "error": "y"}, ['{"output":"x","error":"y"}'], False),
        ({}, ["{}"], False),
        ("x", ["x"], False),
        (None, [], False),
    ],
)
def test_a_response_is_its_output_or_the_json_it_is(response: object, texts: list[str], failed: bool) -> None:
    (_, message), _ = contents(
        ("model", [{"functionCall": {"id": "a", "name": "f"}}]),
        ("user", [{"functionResponse": {"id": "a", "name": "f", "response": response}}]),
    )
    assert message.parts == (ToolResultPart("a", tuple(map(TextPart, texts)), failed),)


def test_pictures_in_a_response_have_their_size() -> None:
    picture = {"inlineData": {"mimeType": "image/png", "data": PICTURE}}
    (message,), _ = contents(
        ("user", [{"functionResponse": {"id": "a", "name": "f", "response": {"output": "x"}, "parts": [picture]}}])
    )
    assert message.parts == (ToolResultPart("a", (TextPart("x"), ImagePart(picture, 64, 48))),)


def test_calls_without_ids_are_tied_by_name_and_order_up_to_the_next_question() -> None:
    def asks(name: str) -> dict[str, Any]:
        return {"functionCall": {"name": name, "args": {}}}

    def answers(name: str, said: str) -> dict[str, Any]:
        return {"functionResponse": {"name": name, "response": {"output": said}}}

    messages, found = contents(
        ("model", [asks("f"), asks("g"), asks("f")]),
        ("function", [answers("f", "1"), answers("f", "2"), answers("g", "3")]),
        ("model", [asks("f")]),
        ("user", [{"text": "Never mind."}]),
        ("model", [asks("f")]),
        ("user", [answers("f", "4"), {"text": "And now?"}]),
    )
    results = [part for message in messages for part in message.parts if isinstance(part, ToolResultPart)]
    assert [(result.call_id, result.content[0]) for result in results] == [
        ("call_1", TextPart("1")),
        ("call_3", TextPart("2")),
        ("call_2", TextPart("3")),
        ("call_5", TextPart("4")),
    ]
    assert [message.role for message in messages[-2:]] == ["tool", "user"]
    assert found.warnings == ("Tool results without a call id, tied to their calls by name and order: 4",)


def test_a_response_is_a_conversation_with_its_other_candidates_as_branches() -> None:
    found = read({**REPLY, "candidates": [*REPLY["candidates"], REPLY["candidates"][0]]})
    (chat,) = found.conversations
    assert (found.reason, chat.id, chat.model) == ("It is a response of the Gemini API.", "r1", "gemini-3-pro-001")
    assert (chat.reported_input_tokens, chat.branches, len(chat.messages)) == (12, 1, 1)


def test_a_request_with_its_response_is_one_conversation() -> None:
    chat = talk({"key": "k", "request": {"contents": GEMINI_BODY["contents"][:1]}, "response": REPLY})
    assert [message.role for message in chat.messages] == ["user", "assistant"]
    assert (chat.id, chat.reported_input_tokens) == ("k", 12)


def test_several_responses_are_a_list_and_the_pieces_of_one_are_joined() -> None:
    def piece(*parts: dict[str, Any], **more: Any) -> dict[str, Any]:
        return {**REPLY, "candidates": [{"content": {"role": "model", "parts": list(parts)}}], **more}

    found = read(
        [
            piece({"text": "Hm", "thought": True}),
            piece({"text": "Hel"}),
            piece({"text": "lo"}, usageMetadata={"promptTokenCount": 13}),
            piece({"text": "", "thoughtSignature": "s"}),
            piece({"text": "Other"}, responseId="r2"),
        ]
    )
    first, second = found.conversations
    assert first.messages[0].parts == (ReasoningPart("Hm", signature="s", provider="gemini"), TextPart("Hello"))
    assert (first.id, second.id, second.messages[0].parts) == ("r1", "r2", (TextPart("Other"),))
    assert found.warnings == ("Streamed pieces joined to their response: 3",)


@pytest.mark.parametrize("key", ["history", "clientHistory"])
def test_a_checkpoint_is_its_contents(key: str) -> None:
    found = read({key: GEMINI_BODY["contents"], "authType": "oauth"})
    assert found.reason == f"It is a chat's `{key}` of the Gemini API."
    assert len(found.conversations[0].messages) == 5


def test_bare_contents_and_their_lines_are_a_conversation() -> None:
    assert len(talk(GEMINI_BODY["contents"]).messages) == 5
    lines = import_bytes(jsonl(*GEMINI_BODY["contents"]) + b"{")
    assert (lines.format, len(lines.conversations), lines.skipped[0].where) == ("gemini", 1, "line 5")
    many = import_bytes(jsonl({"request": GEMINI_BODY}, {"request": GEMINI_BODY}))
    assert (many.format, len(many.conversations)) == ("gemini", 2)


def test_what_stands_elsewhere_is_said() -> None:
    assert "begins with cached content" in read({**GEMINI_BODY, "cachedContent": "c/1"}).warnings[0]
    grounded = {**REPLY["candidates"][0], "groundingMetadata": {"groundingChunks": [{}]}}
    assert "choose the format `chunks`" in read({**REPLY, "candidates": [grounded]}).warnings[0]


def test_what_is_no_content_is_listed() -> None:
    _, found = contents(("user", [{"text": "x"}]), ("narrator", [{"text": "y"}]))
    assert [(item.where, item.why) for item in found.skipped] == [("content 2", "no role of Gemini's")]


def test_nothing_usable_is_an_error_that_says_what_was_found() -> None:
    with pytest.raises(FormatError, match="No Gemini messages were found: a JSON object with the keys"):
        import_bytes(dumps({"candidates": [{"finishReason": "SAFETY"}]}), as_format="gemini")


def test_texts_as_parts_are_read_as_the_sdk_takes_them() -> None:
    talk = [{"role": "user", "parts": ["How deep?", "At low water."]}, {"role": "model", "parts": ["Twelve metres."]}]
    for data in (dumps(talk), dumps({"history": talk}), dumps({"contents": talk})):
        found = import_bytes(data)
        assert found.format == "gemini"
        (chat,) = found.conversations
        told = [(one.role, [part.text for part in one.parts if isinstance(part, TextPart)]) for one in chat.messages]
        assert told == [("user", ["How deep?", "At low water."]), ("assistant", ["Twelve metres."])]
