"""A request read back is the conversation that was sent, in all four forms, as far as the form can hold it."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import budgeteer
from budgeteer.engine.config.schema import load_config
from budgeteer.engine.content.conversation import (
    AudioPart,
    Conversation,
    FilePart,
    ImagePart,
    Message,
    OpaquePart,
    Part,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
    calls_of,
)
from budgeteer.engine.counting.tokenizers import counter_for
from budgeteer.engine.inputs.bundle import Inputs, build_bundle, tools_of
from budgeteer.engine.models.registry import MODELS
from budgeteer.engine.packing.pack import pack
from budgeteer.engine.packing.result import Packing
from budgeteer.engine.providers.base import RequestContent
from budgeteer.engine.providers.registry import PROVIDERS
from budgeteer.engine.rendering import render_request
from budgeteer.engine.rendering.sent_content import sent_messages, sent_tools, system_message
from budgeteer.engine.rendering.validity import check_request
from budgeteer.formats.detect import import_bytes
from tests.conformance.generated import WORDS, conversations, tools
from tests.examples import examples
from tests.formats.shapes import dumps, png

#: The role of a message, its name and its parts.
type Row = tuple[str, str, tuple[Part, ...]]

PICTURE = base64.b64encode(png(30, 20)).decode()
SEAL = "c2VhbA=="
DATA_URL = f"data:image/png;base64,{PICTURE}"
PAPER = "data:application/pdf;base64,AAAA"

#: What only one provider's conversations hold: thoughts and parts of its own in the assistant's messages ...
OWN: Mapping[str, Sequence[Part]] = {
    "openai-chat": (OpaquePart("refusal", {"type": "refusal", "refusal": "No."}, "openai"),),
    "openai-responses": (
        ReasoningPart("So it is.", encrypted=SEAL, provider="openai-responses", id="rs_1"),
        ReasoningPart("", encrypted=SEAL, provider="openai-responses"),
        OpaquePart("web_search_call", {"type": "web_search_call", "id": "ws", "status": "x"}, "openai-responses"),
        OpaquePart("mcp_call", {"type": "mcp_call", "id": "mcp", "name": "n", "output": "o"}, "openai-responses"),
        OpaquePart("compaction", {"type": "compaction", "encrypted_content": SEAL}, "openai-responses"),
        ImagePart({"type": "image_generation_call", "id": "ig", "status": "completed", "result": PICTURE}, 30, 20),
    ),
    "anthropic": (
        ReasoningPart("So it is.", signature=SEAL),
        ReasoningPart("", encrypted=SEAL),
        OpaquePart("server_tool_use", {"type": "server_tool_use", "id": "s", "name": "n", "input": {}}, "anthropic"),
    ),
    "gemini": (
        ReasoningPart("So it is.", signature=SEAL, provider="gemini"),
        ReasoningPart("", signature=SEAL, provider="gemini"),
        OpaquePart("executableCode", {"executableCode": {"language": "PYTHON", "code": "1"}}, "gemini"),
        ImagePart({"inlineData": {"mimeType": "image/png", "data": PICTURE}}, 30, 20),
    ),
}
#: ... and pictures, files and sound in the user's, each in its own form.
MEDIA: Mapping[str, Sequence[Part]] = {
    "openai-chat": (
        ImagePart({"type": "image_url", "image_url": {"url": DATA_URL}}, 30, 20),
        ImagePart({"type": "image_url", "image_url": {"url": "https://example.com/x", "detail": "low"}}, detail="low"),
        FilePart({"type": "file", "file": {"filename": "a.pdf", "file_data": PAPER}}, "a.pdf"),
        AudioPart({"type": "input_audio", "input_audio": {"data": "AAAA", "format": "wav"}}),
    ),
    "openai-responses": (
        ImagePart({"type": "input_image", "detail": "high", "image_url": DATA_URL}, 30, 20, "high"),
        ImagePart({"type": "input_image", "detail": "auto", "file_id": "file-1"}),
        FilePart({"type": "input_file", "filename": "a.pdf", "file_data": PAPER}, "a.pdf"),
    ),
    "anthropic": (
        ImagePart({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PICTURE}}, 30, 20),
        FilePart({"type": "document", "title": "A", "source": {"type": "file", "file_id": "f"}}, "A"),
    ),
    "gemini": (
        ImagePart({"inlineData": {"mimeType": "image/png", "data": PICTURE}}, 30, 20),
        FilePart({"fileData": {"mimeType": "application/pdf", "fileUri": "https://example.com/a.pdf"}}),
        AudioPart({"inlineData": {"mimeType": "audio/wav", "data": "AAAA"}}),
    ),
}
#: Roles of which neighbours are one in the request.
JOINED = {
    "openai-chat": (),
    "openai-responses": ("assistant",),
    "anthropic": ("user", "assistant"),
    "gemini": ("user", "assistant"),
}


@st.composite
def enriched(draw: st.DrawFn, provider: str) -> Conversation:
    """A generated conversation with the provider's own parts among the others."""
    plain = draw(conversations())
    messages = []
    for given_message in plain.messages:
        message = given_message
        kinds = {"assistant": OWN, "user": MEDIA}.get(message.role)
        if kinds is not None and draw(st.booleans()):
            extra = draw(st.lists(st.sampled_from(kinds[provider]), min_size=1, max_size=2))
            texts = [part for part in message.parts if isinstance(part, TextPart)]
            rest = [part for part in message.parts if not isinstance(part, TextPart)]
            order = [*extra, *texts, *rest] if draw(st.booleans()) else [*texts, *extra, *rest]
            message = replace(message, parts=tuple(order))
        result = message.parts[0] if message.role == "tool" else None
        if isinstance(result, ToolResultPart):
            message = replace(message, parts=(replace(result, is_error=draw(st.booleans())),))
        messages.append(message)
    raws = tuple(dict(tool.raw) for tool in draw(tools()))
    return replace(plain, messages=tuple(messages), tools=raws)


def packed(talk: Conversation, provider: str) -> Packing:
    config = load_config({"model": "gpt-4.1", "contextWindow": 900_000, "outputReserve": 1})
    counter = counter_for("chars/4")
    return pack(build_bundle(Inputs(conversation=talk), counter=counter), config, counter=counter, provider=provider)


def refuses_id(provider: str, part: Part) -> bool:
    """Whether the part is a call whose id the provider is sent another for."""
    pattern = PROVIDERS[provider].capabilities.call_id
    return isinstance(part, ToolCallPart) and pattern is not None and not pattern.match(part.id)


def with_numbers_for_ids(rows: list[Row]) -> list[Row]:
    """The rows with calls numbered in their order in the place of ids, and their results with the same numbers."""
    numbers: dict[str, str] = {}

    def numbered(part: Part) -> Part:
        if isinstance(part, ToolCallPart):
            return replace(part, id=numbers.setdefault(part.id, str(len(numbers))))
        return replace(part, call_id=numbers[part.call_id]) if isinstance(part, ToolResultPart) else part

    return [(role, name, tuple(map(numbered, parts))) for role, name, parts in rows]


def held(messages: Sequence[Message], provider: str) -> list[Row]:
    """(role, name, parts) of each message as the form can hold them: no empty texts, some neighbours joined."""
    rows: list[Row] = []
    for message in messages:
        parts = tuple(filled(message.parts, marked=PROVIDERS[provider].capabilities.marks_errors))
        if rows and rows[-1][0] == message.role and message.role in JOINED[provider]:
            rows[-1] = (message.role, rows[-1][1], (*rows[-1][2], *parts))
        else:
            rows.append((message.role, message.name, parts))
    return rows


def filled(parts: Sequence[Part], *, marked: bool) -> Iterator[Part]:
    for part in parts:
        if isinstance(part, ToolResultPart):
            content = tuple(inner for inner in part.content if inner != TextPart(""))
            yield replace(part, content=content, is_error=part.is_error and marked)
        elif part != TextPart(""):
            yield part


def by_content(talk: Conversation) -> list[dict[str, Any]]:
    """The tool definitions by what they say: each form has its own keys for it."""
    return [
        {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
        if tool.parameters is not None
        else dict(tool.raw)
        for tool in tools_of(talk)
    ]


@pytest.mark.parametrize("provider", PROVIDERS)
@settings(deadline=None, max_examples=examples(60), suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_a_request_read_back_is_what_was_sent(provider: str, data: st.DataObject) -> None:
    packing = packed(data.draw(enriched(provider)), provider)
    request = render_request(packing)
    found = import_bytes(dumps(request), as_format=provider)
    (talk,) = found.conversations
    system = system_message(packing)
    first = [Message("system", (TextPart(system),))] if system else []
    sent_rows, read_rows = held([*first, *sent_messages(packing)], provider), held(talk.messages, provider)
    if any(refuses_id(provider, part) for _, _, parts in sent_rows for part in parts):
        sent_rows, read_rows = with_numbers_for_ids(sent_rows), with_numbers_for_ids(read_rows)
    assert read_rows == sent_rows
    assert talk.model == packing.model
    sent = Conversation("", "", (), tuple(sent_tools(packing)))
    assert by_content(talk) == by_content(sent)
    assert not found.skipped


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_message_has_the_role_that_its_provider_says_it_takes(provider: str) -> None:
    row = PROVIDERS[provider]
    leading = (Message("system", (TextPart("Be brief."),)), Message("developer", (TextPart("Be kind."),)))
    turns = (Message("user", (TextPart("Hi"),)), Message("assistant", (TextPart("Hello."),)))
    roles = [role for role in ("system", "developer") if role in row.capabilities.roles]
    between = [Message(role, (TextPart(f"As {role}."),)) for role in roles]
    content = RequestContent("m", 1, leading, [*turns, *between, turns[0]], ())
    (talk,) = import_bytes(dumps(row.render(content)), as_format=provider).conversations
    assert [message.role for message in talk.messages if message.parts[0] in {one.parts[0] for one in between}] == roles
    assert {message.role for message in talk.messages} <= row.capabilities.roles | {"system"}
    assert not any(check.rule == "roles" and not check.ok for check in check_request(row.render(content), provider))


@pytest.mark.parametrize(
    "system", [(), (Message("system", (TextPart("Be brief."),), id="m0"),)], ids=["user", "system"]
)
@pytest.mark.parametrize("provider", sorted({row.provider for row in MODELS.values()}))
def test_a_body_of_plain_texts_is_its_models_providers(provider: str, system: tuple[Message, ...]) -> None:
    name = next(row.name for row in MODELS.values() if row.provider == provider)
    plain = Conversation(
        "c",
        "c",
        (
            *system,
            Message("user", (TextPart("Hi"),), id="m1"),
        ),
    )
    body = render_request(budgeteer.pack(budgeteer.Sources(conversation=plain), {"model": name}))
    assert budgeteer.pack_request(body, {"model": name}).packing.provider == provider


@pytest.mark.parametrize("provider", PROVIDERS)
@settings(deadline=None, max_examples=40, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_what_was_read_is_sent_again_as_the_same_request(provider: str, data: st.DataObject) -> None:
    request = render_request(packed(data.draw(enriched(provider)), provider))
    (talk,) = import_bytes(dumps(request), as_format=provider).conversations
    assert render_request(packed(talk, provider)) == request


@pytest.mark.parametrize("provider", ["openai-chat", "openai-responses", "gemini"])
@settings(deadline=None, max_examples=40, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_a_request_is_detected(provider: str, data: st.DataObject) -> None:
    request = render_request(packed(data.draw(conversations()), provider))
    assert import_bytes(dumps(request)).format == provider


@given(st.lists(WORDS, min_size=2, max_size=4))
def test_calls_of_gemini_without_ids_are_tied_by_name_and_order(texts: list[str]) -> None:
    calls = [{"functionCall": {"name": f"f{at % 2}", "args": {"n": at}}} for at in range(len(texts))]
    answers = [
        {"functionResponse": {"name": f"f{at % 2}", "response": {"output": text}}} for at, text in enumerate(texts)
    ]
    body = {"contents": [{"role": "model", "parts": calls}, {"role": "user", "parts": answers}]}
    (talk,) = import_bytes(json.dumps(body).encode()).conversations
    ids = {call.id: text for call, text in zip(calls_of(talk.messages[0]), texts, strict=True)}
    results = [part for message in talk.messages[1:] for part in message.parts if isinstance(part, ToolResultPart)]
    assert {result.call_id: result.content for result in results} == {
        call_id: (TextPart(text),) for call_id, text in ids.items()
    }
