"""Recorded requests of four providers: counted from the raw JSON, and sent again as what they were."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

from budgeteer.api import Sources, pack, pack_request
from budgeteer.engine.packing.result import Packing
from budgeteer.engine.providers.names import ProviderName
from budgeteer.engine.providers.registry import PROVIDERS
from budgeteer.engine.rendering import render_request
from budgeteer.formats.detect import import_bytes
from budgeteer.formats.messages.imported import Imported, counts_of
from tests.conformance.recount import texts_in
from tests.engine.test_identity import MODELS

CORPUS = Path(os.environ["BUDGETEER_CORPUS"])


def files(*patterns: str) -> list[Any]:
    paths = sorted({path for pattern in patterns for path in CORPUS.glob(pattern)})
    return [pytest.param(path, id=path.name) for path in paths]


def imported(path: Path) -> Imported:
    return import_bytes(path.read_bytes(), name=path.name)


def tally(found: Imported) -> dict[str, int]:
    counted = counts_of(found)
    return {key: counted[key] for key in ("messages", "toolCalls", "toolResults", "images", "reasoning")}


def expected(messages: int, calls: int, results: int, images: int, reasoning: int) -> dict[str, int]:
    return dict(
        zip(
            ("messages", "toolCalls", "toolResults", "images", "reasoning"),
            (messages, calls, results, images, reasoning),
            strict=True,
        )
    )


def inside(value: Any) -> Iterator[Mapping[str, Any]]:
    """Every object anywhere in a JSON value."""
    if isinstance(value, Mapping):
        yield value
    for inner in value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ():
        yield from inside(inner)


OUTPUTS = ("function_call_output", "custom_tool_call_output")


def responses_tally(raw: dict[str, Any]) -> dict[str, int]:
    items = raw["input"] if "input" in raw else raw["output"]
    kinds = [item.get("type", "message") for item in items]
    spoken = [
        "model" if item.get("role", "assistant") == "assistant" and kind not in OUTPUTS else f"other {at}"
        for at, (item, kind) in enumerate(zip(items, kinds, strict=True))
    ]
    # `additional_tools` has a role, but is no message: it goes with what the model says next.
    spoken = ["model" if kind == "additional_tools" else one for one, kind in zip(spoken, kinds, strict=True)]
    return expected(
        len(list(groupby(spoken))) + bool(raw.get("instructions")),
        kinds.count("function_call") + kinds.count("custom_tool_call"),
        sum(kind in OUTPUTS for kind in kinds),
        sum(one.get("type") in ("input_image", "image_generation_call") for one in inside(items)),
        kinds.count("reasoning"),
    )


@pytest.mark.parametrize("path", files("conversations/api-requests/openai-responses-*.json", "rag/openai-*.json"))
def test_responses_are_counted_as_in_the_raw_json(path: Path) -> None:
    raw = json.loads(path.read_text())
    found = imported(path)
    assert (found.format, found.skipped, len(found.conversations)) == ("openai-responses", (), 1)
    assert tally(found) == responses_tally(raw)
    (talk,) = found.conversations
    assert list(talk.tools) == (raw.get("tools") or [])
    assert talk.reported_input_tokens == (raw.get("usage") or {}).get("input_tokens")
    assert talk.model == raw["model"]


def gemini_kinds(parts: list[dict[str, Any]]) -> list[str]:
    names = ("functionCall", "function_call", "functionResponse", "function_response")
    return [
        next((name for name in names if part.get(name)), "other").replace("_c", "C").replace("_r", "R")
        for part in parts
    ]


def gemini_tally(contents: list[dict[str, Any]], system: int = 0) -> dict[str, int]:
    rows = [gemini_kinds(content["parts"]) for content in contents]
    results = sum(row.count("functionResponse") for row in rows)
    said = sum(any(kind != "functionResponse" for kind in row) for row in rows)
    sealed = sum("thoughtSignature" in part or "thought_signature" in part for c in contents for part in c["parts"])
    pictures = sum(
        str(one.get("mimeType") or one.get("mime_type")).startswith("image/") for c in contents for one in inside(c)
    )
    return expected(results + said + system, sum(row.count("functionCall") for row in rows), results, pictures, sealed)


@pytest.mark.parametrize("path", files("conversations/api-requests/gemini-*.json", "rag/gemini-*.json"))
def test_gemini_is_counted_as_in_the_raw_json(path: Path) -> None:
    raw = json.loads(path.read_text())
    contents = raw["contents"] if "contents" in raw else [raw["candidates"][0]["content"]]
    found = imported(path)
    assert (found.format, found.skipped, len(found.conversations)) == ("gemini", (), 1)
    assert tally(found) == gemini_tally(contents, system="systemInstruction" in raw)
    (talk,) = found.conversations
    declared = [one for tool in raw.get("tools", []) for one in tool.get("functionDeclarations", [])]
    own = [tool for tool in raw.get("tools", []) if "functionDeclarations" not in tool]
    assert list(talk.tools) == [*declared, *own]
    assert talk.reported_input_tokens == raw.get("usageMetadata", {}).get("promptTokenCount")


@pytest.mark.parametrize("path", files("conversations/gemini/*.session.json"))
def test_adk_sessions_are_counted_as_in_the_raw_json(path: Path) -> None:
    raw = json.loads(path.read_text())
    contents = [event["content"] for event in raw["events"] if event.get("content")]
    found = imported(path)
    assert (found.format, found.skipped) == ("adk", ())
    assert tally(found) == gemini_tally(contents)
    silent = len(raw["events"]) - len(contents)
    notes = [note for note in found.warnings if note.startswith("Events without content")]
    assert notes == ([f"Events without content (state changes and the like), not read: {silent}"] if silent else [])


def evaluation_tally(cases: list[dict[str, Any]]) -> dict[str, int]:
    turns = [turn for case in cases for turn in case["conversation"]]
    between = [turn["intermediate_data"] for turn in turns]
    messages = 2 * len(turns) + sum(len(one["intermediate_responses"]) + bool(one["tool_uses"]) for one in between)
    return expected(messages, sum(len(one["tool_uses"]) for one in between), 0, 0, 0)


@pytest.mark.parametrize("path", files("conversations/gemini/*evalset*.json"))
def test_evaluation_sets_are_counted_as_in_the_raw_json(path: Path) -> None:
    cases = json.loads(path.read_text())["eval_cases"]
    found = imported(path)
    assert (found.format, found.skipped, len(found.conversations)) == ("adk-evals", (), len(cases))
    assert tally(found) == evaluation_tally(cases)


def gemini_cli_tally(raw: dict[str, Any]) -> dict[str, int]:
    said = [message for message in raw["messages"] if message["type"] in ("user", "gemini")]
    calls = [call for message in said for call in message.get("toolCalls", [])]
    results = sum(bool(call.get("result")) for call in calls)
    thoughts = sum(len(message.get("thoughts", [])) for message in said)
    return expected(len(said) + results, len(calls), results, 0, thoughts)


@pytest.mark.parametrize("path", files("conversations/gemini-cli/*.json"))
def test_gemini_cli_sessions_are_counted_as_in_the_raw_json(path: Path) -> None:
    raw = json.loads(path.read_text())
    found = imported(path)
    assert (found.format, found.skipped) == ("gemini-cli", ())
    assert tally(found) == gemini_cli_tally(raw)
    tokens = [message["tokens"]["input"] for message in raw["messages"] if message.get("tokens")]
    assert found.conversations[0].reported_input_tokens == tokens[-1]


@pytest.mark.parametrize("path", files("rag/gemini-*.json", "rag/openai-*.json"))
def test_a_response_that_also_holds_passages_says_how_to_import_those(path: Path) -> None:
    found = imported(path)
    assert "It also holds passages that a search found; to import those, choose the format `chunks`" in found.warnings
    assert import_bytes(path.read_bytes(), as_format="chunks").chunks


# ---- what was read is sent again as what it was


REQUESTS = [
    pytest.param(path.values[0], provider, id=f"{provider}-{path.id}")
    for provider, pattern in (
        ("openai-chat", "openai-chat"),
        ("openai-responses", "openai-responses"),
        ("anthropic", "anthropic-messages"),
        ("gemini", "gemini-contents"),
    )
    for path in files(f"conversations/api-requests/{pattern}-*.json")
    if not str(path.id).endswith(".response.json")
]


def repacked(body: Mapping[str, Any], form: ProviderName, to: ProviderName) -> Packing:
    """A request in one provider's form, read and packed for a provider with nothing limited."""
    (talk,) = import_bytes(json.dumps(body).encode(), as_format=form).conversations
    return pack(Sources(conversation=talk), {"model": MODELS[to], "outputReserve": 1}, provider=to)


def changes(packing: Packing) -> list[str]:
    """Everything that a packing says of what is not sent as it came."""
    return [one.id for one in packing.ledger if one.fate != "kept" or one.rule.startswith("validity")]


@pytest.mark.parametrize(("path", "provider"), REQUESTS)
def test_a_recorded_request_is_sent_again_as_it_came(path: Path, provider: ProviderName) -> None:
    body = json.loads(path.read_text())
    packing = repacked(body, provider, provider)
    written = [key for key in PROVIDERS[provider].request_keys if key in body]
    sent = render_request(packing)
    if changes(packing):  # a system message between others, which Anthropic takes in a beta only
        assert {one.rule for one in packing.ledger if one.fate != "kept"} == {"validity:anthropic"}
        assert any(one["role"] == "system" for one in body["messages"])
    else:
        assert {key: sent[key] for key in written} == {key: body[key] for key in written}
        assert pack_request(body, {"model": MODELS[provider]}, provider=provider).body == body


@pytest.mark.parametrize("through", list(PROVIDERS))
@pytest.mark.parametrize(("path", "provider"), REQUESTS)
def test_what_a_recorded_request_loses_through_another_provider_is_said(
    path: Path, provider: ProviderName, through: ProviderName
) -> None:
    body = json.loads(path.read_text())
    first = repacked(body, provider, through)
    again = repacked(render_request(first), through, provider)
    if not changes(first) and not changes(again):
        assert texts_of(render_request(again)) == texts_of(body)


def texts_of(request: Mapping[str, Any]) -> list[str]:
    """Every text of a request in order, wherever it stands."""
    return [text for text in texts_in(request) if text]
