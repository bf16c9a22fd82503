"""Real training sets, exports, dumps and benchmarks, counted again from the raw JSON without the readers' code."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import astuple, dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from budgeteer.engine.content.conversation import ImagePart, ReasoningPart, ToolCallPart, ToolResultPart
from budgeteer.formats.detect import import_bytes
from budgeteer.formats.messages.imported import Imported

CORPUS = Path(os.environ["BUDGETEER_CORPUS"])


@dataclass
class Counts:
    conversations: int = 0
    messages: int = 0
    calls: int = 0
    results: int = 0
    images: int = 0
    reasoning: int = 0
    tools: int = 0


def counted(found: Imported) -> Counts:
    """What was imported; the messages of other branches are not counted."""
    main = [chat for chat in found.conversations if not chat.branch_of]
    parts = [part for chat in main for message in chat.messages for part in message.parts]
    inner = [piece for part in parts if isinstance(part, ToolResultPart) for piece in part.content]
    return Counts(
        len(main),
        sum(len(chat.messages) for chat in main),
        sum(isinstance(part, ToolCallPart) for part in parts),
        sum(isinstance(part, ToolResultPart) for part in parts),
        sum(isinstance(part, ImagePart) for part in (*parts, *inner)),
        sum(isinstance(part, ReasoningPart) for part in parts),
        sum(len(chat.tools) for chat in main),
    )


def rows_of(path: Path) -> list[Any]:
    text = path.read_text("utf-8")
    try:
        value = json.loads(text)
    except json.JSONDecodeError:
        return [json.loads(row) for row in text.splitlines() if row.strip()]
    return value if isinstance(value, list) else [value]


def tool_count(row: dict[str, Any]) -> int:
    given = row.get("tools") or []
    return len(json.loads(given) if isinstance(given, str) else given)


def sharegpt(row: dict[str, Any]) -> Counts:
    turns = row.get("conversations") or row["messages"]
    said = [turn.get("from", turn.get("role")) for turn in turns]
    calls = [json.loads(turn["value"]) for turn in turns if turn.get("from") == "function_call"]
    return Counts(
        1,
        len(turns),
        sum(len(call) if isinstance(call, list) else 1 for call in calls),
        said.count("observation"),
        sum(str(turn.get("content", turn.get("value"))).count("<image>") for turn in turns),
        0,
        tool_count(row),
    )


def llama_factory(row: dict[str, Any]) -> Counts:
    kinds = [part["type"] for message in row["messages"] for part in message["content"]]
    results = messages = 0
    for at, message in enumerate(row["messages"]):
        answers = 1
        if message["role"] == "tool":
            calls = sum(part["type"] == "tool_call" for part in row["messages"][at - 1]["content"])
            try:
                listed = json.loads(message["content"][0]["value"])
            except json.JSONDecodeError:
                listed = None
            answers = calls if calls > 1 and isinstance(listed, list) and len(listed) == calls else 1
            results += answers
        messages += answers
    return Counts(
        1,
        messages,
        kinds.count("tool_call"),
        results,
        kinds.count("image_url"),
        kinds.count("reasoning"),
        tool_count(row),
    )


def langgraph(row: dict[str, Any]) -> Counts:
    classes = [message["id"][-1] for message in row["messages"]]
    fields = [message["kwargs"] for message in row["messages"]]
    return Counts(
        1,
        len(classes),
        sum(len(each.get("tool_calls") or []) for each in fields),
        classes.count("ToolMessage"),
        0,
        sum("reasoning" in each["additional_kwargs"] for each in fields),
    )


def bfcl(row: dict[str, Any]) -> Counts:
    return Counts(1, sum(map(len, row["question"])), tools=len(row.get("function", [])))


def transcript(row: dict[str, Any]) -> Counts:
    """Lines are counted, not turns: a role at the start of a line is a turn."""
    roles = [
        line.split(":")[0]
        for line in row["messages_display"].split("\n")
        if line.startswith(("user:", "assistant:", "tool:", "system:"))
    ]
    return Counts(1, len(roles), roles.count("tool"), roles.count("tool"))


@pytest.mark.parametrize(
    ("pattern", "name", "count"),
    [
        ("conversations/sharegpt/*glaive*", "sharegpt", sharegpt),
        ("conversations/sharegpt/*mllm_demo*", "sharegpt", sharegpt),
        ("conversations/sharegpt/*demo_50*", "llama-factory", llama_factory),
        ("conversations/sharegpt/*v1_multimodal*", "llama-factory", llama_factory),
        ("conversations/langchain/*", "langchain", langgraph),
        ("conversations/bfcl/*", "bfcl", bfcl),
        ("tools/BFCL*", "bfcl", bfcl),
        ("conversations/openai-chat/*few-shot*", "text-transcripts", transcript),
    ],
)
def test_every_row_is_counted_again(pattern: str, name: str, count: Callable[[dict[str, Any]], Counts]) -> None:
    paths = sorted(CORPUS.glob(pattern))
    assert paths
    for path in paths:
        found = import_bytes(path.read_bytes(), name=path.name)
        assert (found.format, found.skipped) == (name, ())
        expected = [sum(column) for column in zip(*(astuple(count(row)) for row in rows_of(path)), strict=True)]
        assert counted(found) == Counts(*expected), path.name


def test_every_result_of_a_training_set_answers_a_call_but_those_without_one() -> None:
    for path in sorted(CORPUS.glob("conversations/sharegpt/*")):
        found = import_bytes(path.read_bytes(), name=path.name)
        loose = 0
        for chat in found.conversations:
            made: set[str] = set()
            for message in chat.messages:
                for part in message.parts:
                    if isinstance(part, ToolCallPart):
                        made.add(part.id)
                    elif isinstance(part, ToolResultPart):
                        loose += part.call_id not in made
                        made.discard(part.call_id)
        turns = [row["conversations"] for row in rows_of(path) if "conversations" in row]
        expected = sum(
            two["from"] == "observation" and one["from"] != "function_call"
            for each in turns
            for one, two in pairwise(each)
        )
        assert loose == expected, path.name


def ui_messages(rows: list[dict[str, Any]]) -> Counts:
    """A message for each run of parts between results, and one for each result."""
    total = Counts(1)
    for row in rows:
        spoke = answered = False
        seen: set[str] = set()
        for part in row["parts"]:
            kind = part["type"]
            if kind == "step-start" or (answered and kind in ("text", "reasoning")):
                spoke = answered = False
            if kind.startswith("source") or kind == "step-start":
                continue
            total.messages += not spoke
            spoke = True
            if kind == "reasoning":
                item = part.get("providerMetadata", {}).get("openai", {}).get("itemId", part.get("id"))
                total.reasoning += item not in seen
                seen.add(item)
            elif "toolCallId" in part:
                total.calls += 1
                done = part["state"] in ("output-available", "output-error", "output-denied")
                total.results += done
                total.messages += done
                answered = answered or done
    return total


def test_ui_messages_are_counted_again() -> None:
    paths = sorted(CORPUS.glob("conversations/ui-message/*.json"))
    assert len(paths) > 5
    for path in paths:
        found = import_bytes(path.read_bytes(), name=path.name)
        assert found.format == "ai-sdk"
        assert counted(found) == ui_messages(rows_of(path)), path.name


def shown_branch(chat: dict[str, Any]) -> Iterator[dict[str, Any]]:
    at = chat["current_node"]
    while at is not None:
        node = chat["mapping"][at]
        if node["message"] is not None:
            yield node["message"]
        at = node["parent"]


def add_node(counts: Counts, message: dict[str, Any]) -> None:
    content = message["content"]
    says = bool(content.get("text")) or any(content.get("parts", []))
    called = message["author"]["role"] == "assistant" and message["recipient"] != "all"
    answers = message["author"]["role"] == "tool"
    counts.messages += says or called or answers
    counts.calls += called
    counts.results += answers


def leaves_of(chat: dict[str, Any]) -> int:
    return sum(not node["children"] for node in chat["mapping"].values())


def test_the_shown_branch_of_a_chatgpt_export_is_counted_again() -> None:
    for path in sorted(CORPUS.glob("conversations/chatgpt-export/*.json")):
        chats = rows_of(path)
        found = import_bytes(path.read_bytes(), name=path.name)
        expected = Counts(len(chats))
        leaves = 0
        for chat in chats:
            for message in shown_branch(chat):
                add_node(expected, message)
            leaves += leaves_of(chat)
        assert found.format == "chatgpt"
        assert counted(found) == expected
        assert len(found.conversations) == leaves


def test_a_trajectory_is_counted_once_and_its_steps_say_the_same() -> None:
    paths = sorted(CORPUS.glob("conversations/swe-agent/*.traj"))
    assert paths
    for path in paths:
        raw = json.loads(path.read_text())
        whole = import_bytes(path.read_bytes(), name=path.name)
        assert (whole.format, len(whole.conversations[0].messages)) == ("swe-agent", len(raw["history"]))
        del raw["history"]
        steps = import_bytes(json.dumps(raw).encode(), name=path.name)
        assert steps.format == "swe-agent"
        sent = next((step["messages"] for step in reversed(raw["trajectory"]) if step.get("messages")), None)
        said = [step.get("response") or step.get("thought") or step.get("action") for step in raw["trajectory"]]
        shown = [step.get("observation") for step in raw["trajectory"]]
        if sent is None:
            expected = sum(map(bool, said)) + sum(map(bool, shown))
        else:
            expected = len(sent) + bool(said[-1]) + bool(shown[-1])
        assert len(steps.conversations[0].messages) == expected, path.name


def schema_types(value: Any) -> Iterator[str]:
    """Every type name of a schema, names of properties left alone."""
    if isinstance(value, dict):
        if isinstance(value.get("type"), str):
            yield value["type"]
        for key, inner in value.items():
            if key == "properties" and isinstance(inner, dict):
                for each in inner.values():
                    yield from schema_types(each)
            elif key in ("items", "additionalProperties"):
                yield from schema_types(inner)


def test_every_tool_of_every_archive_has_a_schema_and_says_what_is_required() -> None:
    for name in ("bfcl-multi-turn-func-doc.zip", "docker-mcp-registry-tools.zip", "github-mcp-toolsnaps.zip"):
        path = CORPUS / "tools" / name
        raw: list[Any] = []
        empty = 0
        with zipfile.ZipFile(path) as archive:
            for entry in archive.namelist():
                text = archive.read(entry).decode()
                try:
                    value = json.loads(text)
                except json.JSONDecodeError:
                    value = [json.loads(row) for row in text.splitlines() if row.strip()]
                items = value if isinstance(value, list) else [value]
                raw += items
                empty += not items
        found = import_bytes(path.read_bytes(), name=name)
        assert len(found.tools) == len(raw)
        assert sorted(tool.name for tool in found.tools) == sorted(item["name"] for item in raw)
        known = {"object", "array", "string", "number", "integer", "boolean", "null"}
        assert {kind for tool in found.tools for kind in schema_types(tool.parameters)} <= known
        required = sum(not argument.get("optional", False) for item in raw for argument in item.get("arguments") or [])
        listed = [tool for tool in found.tools if "arguments" in tool.raw]
        assert sum(len((tool.parameters or {}).get("required", [])) for tool in listed) == required
        said = [warning for warning in found.warnings if warning.startswith("Files that list no tool")]
        assert said == ([f"Files that list no tool: {empty}"] if empty else [])


def test_skills_and_specs_are_those_of_the_archive() -> None:
    for path in sorted((CORPUS / "skills").glob("*.zip")):
        with zipfile.ZipFile(path) as archive:
            names = [name for name in archive.namelist() if name.split("/")[-1] == "SKILL.md"]
            written = [re.search(r"^name:[ ]*(.+?)[ ]*\r?$", archive.read(n).decode(), re.MULTILINE) for n in names]
        found = import_bytes(path.read_bytes(), name=path.name)
        assert sorted(skill.name for skill in found.skills) == sorted(each[1].strip("\"'") for each in written if each)
        folders = [name.split("/")[-2] for name in names]
        differing = sum(
            each is not None and each[1].strip("\"'") != folder for each, folder in zip(written, folders, strict=True)
        )
        said = [warning for warning in found.warnings if "differs from that of their folder" in warning]
        assert said == ([f"Skills whose `name` differs from that of their folder: {differing}"] if differing else [])
    for path in sorted((CORPUS / "features").glob("*.zip")):
        with zipfile.ZipFile(path) as archive:
            specs = [name for name in archive.namelist() if name.lower().endswith((".md", ".markdown"))]
        assert len(import_bytes(path.read_bytes(), name=path.name).features) == len(specs)


def passages(value: Any) -> list[str]:
    """The passages of the files under `rag`, by the keys that their authors chose."""
    if isinstance(value, list):
        return [text for item in value for text in passages(item)]
    for key in ("golden_chunks", "chunks", "retrieved_context", "results", "groundingChunks"):
        if value.get(key):
            return passages(value[key])
    for key in ("groundingMetadata", "retrievedContext"):
        if key in value:
            return passages(value[key])
    for key in ("candidates", "output"):
        if key in value:
            return passages(value[key][0])
    return [value.get("text") or value["content"]]


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, id=path.name)
        for path in sorted((CORPUS / "rag").glob("*"))
        if path.name != "anthropic-cookbook-docs_evaluation_dataset.json"
    ],
)
def test_every_passage_is_read_whole_and_in_order(path: Path) -> None:
    found = import_bytes(path.read_bytes(), name=path.name, as_format="chunks")
    if path.suffix == ".csv":
        expected = [row["passage"] for row in csv.DictReader(io.StringIO(path.read_text("utf-8-sig")))]
    else:
        expected = [text for row in rows_of(path) for text in passages(row)]
    assert [chunk.text for chunk in found.chunks] == expected
