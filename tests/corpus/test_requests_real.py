"""Recorded requests of four providers: counted from the raw JSON, and sent again as what they were."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

from budgeteer.engine.config.schema import load_config
from budgeteer.engine.counting.tokenizers import counter_for
from budgeteer.engine.inputs.bundle import Inputs, build_bundle
from budgeteer.engine.packing.pack import pack
from budgeteer.engine.rendering import render_request
from budgeteer.formats.detect import import_bytes
from budgeteer.formats.messages.imported import Imported, counts_of

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


def sent_again(path: Path, profile: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The recorded request and ours."""
    (talk,) = imported(path).conversations
    config = load_config({"model": "gpt-4.1", "contextWindow": 900_000, "outputReserve": 1, "system": {"marker": ""}})
    counter = counter_for("chars/4")
    packing = pack(build_bundle(Inputs(conversation=talk), counter=counter), config, counter=counter, profile=profile)
    return json.loads(path.read_text()), render_request(packing)


def texts_joined(content: Any) -> Any:
    """A content as a text if that is all it is, else its parts without what only labels them."""
    if not isinstance(content, list):
        return content or ""
    texts = [
        part.get("text") if part.get("type") in ("text", "input_text", "output_text") else None for part in content
    ]
    if None not in texts:
        return "\n".join(text for text in texts if text is not None)
    return [{key: value for key, value in part.items() if key != "cache_control"} for part in content]


def responses_input(request: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The items without ids and states; a system text at their beginning is one of the instructions."""
    items: list[dict[str, Any]] = []
    if request.get("instructions"):
        items.append({"role": "system", "content": request["instructions"]})
    for item in request["input"]:
        if item.get("type", "message") == "message":
            said = texts_joined(item["content"])
            if said:
                items.append({"role": item["role"], "content": said})
        elif item["type"] in ("function_call", "function_call_output"):
            items.append({key: item[key] for key in ("type", "call_id", "name", "arguments", "output") if key in item})
        else:
            items.append(item)
    return items


@pytest.mark.parametrize(
    "path", [p for p in files("conversations/api-requests/openai-responses-*.json") if ".resp" not in p.id]
)
def test_a_recorded_responses_request_is_sent_again(path: Path) -> None:
    recorded, ours = sent_again(path, "openai-responses")
    assert responses_input(ours) == responses_input(recorded)
    assert [tool_of(tool) for tool in ours.get("tools", [])] == [tool_of(tool) for tool in recorded.get("tools") or []]


def tool_of(tool: Mapping[str, Any]) -> dict[str, Any]:
    """A definition by what it says; a tool that runs at the provider as it is."""
    if tool.get("type", "function") != "function":
        return dict(tool)
    inner = tool.get("function", tool)
    schemas = ("parameters", "parametersJsonSchema", "parameters_json_schema", "input_schema")
    return {
        "name": inner["name"],
        "description": inner.get("description") or "",
        "schema": next((inner[key] for key in schemas if key in inner), {}),
    }


def gemini_part(part: Mapping[str, Any]) -> dict[str, Any]:
    """A part in camelCase; a function's response as the output it is taken for."""
    camel = {"file_uri": "fileUri", "mime_type": "mimeType", "display_name": "displayName"}
    said = dict(part)
    for name in ("fileData", "inlineData"):
        if name in said:
            said[name] = {camel.get(key, key): value for key, value in said[name].items()}
    if "functionResponse" in said:
        answer = said["functionResponse"]
        response = answer["response"]
        if set(response) not in ({"output"}, {"error"}):
            response = {"output": json.dumps(response, ensure_ascii=False, separators=(",", ":"))}
        said["functionResponse"] = {**answer, "response": response}
    return said


def gemini_contents(request: Mapping[str, Any]) -> list[Any]:
    system = [part["text"] for part in request.get("systemInstruction", {"parts": []})["parts"]]
    turns = [(turn["role"], [gemini_part(part) for part in turn["parts"]]) for turn in request["contents"]]
    return [system, *turns]


@pytest.mark.parametrize("path", [p for p in files("conversations/api-requests/gemini-*.json") if ".resp" not in p.id])
def test_a_recorded_gemini_request_is_sent_again(path: Path) -> None:
    recorded, ours = sent_again(path, "gemini")
    assert gemini_contents(ours) == gemini_contents(recorded)
    declared = [
        [t for tool in r.get("tools", []) for t in tool.get("functionDeclarations", [tool])] for r in (ours, recorded)
    ]
    assert [tool_of(tool) if "name" in tool else tool for tool in declared[0]] == [
        tool_of(tool) if "name" in tool else tool for tool in declared[1]
    ]


def anthropic_turns(request: Mapping[str, Any]) -> list[Any]:
    """The turns; a beta's system message in the middle is a decision of its own and never sent (decision 008)."""
    turns: list[Any] = [("system", texts_joined(request.get("system")))]
    for message in request["messages"]:
        if message["role"] == "system":
            continue
        blocks = message["content"]
        blocks = [{"type": "text", "text": blocks}] if isinstance(blocks, str) else blocks
        said = [{key: value for key, value in block.items() if key != "cache_control"} for block in blocks]
        for block in said:
            if block["type"] == "tool_result":
                block["content"] = texts_joined(block["content"])
                block.pop("is_error", None) if not block.get("is_error") else None
        turns.append((message["role"], said))
    return turns


@pytest.mark.parametrize(
    "path", [p for p in files("conversations/api-requests/anthropic-*.json") if ".resp" not in p.id]
)
def test_a_recorded_anthropic_request_is_sent_again(path: Path) -> None:
    recorded, ours = sent_again(path, "anthropic")
    assert anthropic_turns(ours) == anthropic_turns(recorded)
    assert [tool_of(tool) for tool in ours.get("tools", [])] == [tool_of(tool) for tool in recorded.get("tools") or []]


def openai_messages(request: Mapping[str, Any]) -> list[Any]:
    """The messages; a developer's text at the beginning is the system text."""
    first = {"developer": "system"}
    return [
        (
            m["role"] if at else first.get(m["role"], m["role"]),
            texts_joined(m.get("content")),
            m.get("tool_calls", []),
            m.get("tool_call_id"),
            m.get("name"),
        )
        for at, m in enumerate(request["messages"])
    ]


@pytest.mark.parametrize(
    "path", [p for p in files("conversations/api-requests/openai-chat-*.json") if ".resp" not in p.id]
)
def test_a_recorded_chat_request_is_sent_again(path: Path) -> None:
    recorded, ours = sent_again(path, "openai-chat")
    assert openai_messages(ours) == openai_messages(recorded)
    assert [tool_of(tool) for tool in ours.get("tools", [])] == [tool_of(tool) for tool in recorded.get("tools") or []]
