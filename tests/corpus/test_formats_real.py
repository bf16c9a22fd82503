"""Real files: each imports or is refused by a sentence; what is imported is counted again from the raw JSON."""

from __future__ import annotations

import json
import os
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from budgeteer.engine.content.conversation import Conversation, calls_of, results_of
from budgeteer.engine.errors import FormatError
from budgeteer.formats.detect import import_bytes
from budgeteer.formats.messages.imported import Imported, counts_of, report_json

CORPUS = Path(os.environ["BUDGETEER_CORPUS"])
FILES = sorted(path for path in CORPUS.rglob("*") if path.is_file())


@dataclass
class Counts:
    """What a conversation holds, counted without the importer."""

    messages: int = 0
    calls: int = 0
    results: int = 0

    def __add__(self, other: Counts) -> Counts:
        return Counts(self.messages + other.messages, self.calls + other.calls, self.results + other.results)


def counted(conversations: Iterable[Conversation]) -> Counts:
    total = Counts()
    for chat in conversations:
        calls = sum(len(calls_of(message)) for message in chat.messages)
        results = sum(len(results_of(message)) for message in chat.messages)
        total += Counts(len(chat.messages), calls, results)
    return total


def named(*patterns: str) -> list[Any]:
    paths = sorted({path for pattern in patterns for path in CORPUS.glob(pattern)})
    return [pytest.param(path, id=path.name) for path in paths]


def imported(path: Path, *, whole: bool = False) -> Imported:
    return import_bytes(path.read_bytes(), name=path.name, whole=whole)


def imported_or_refused(path: Path) -> Imported | FormatError:
    try:
        return imported(path)
    except FormatError as error:
        return error


@pytest.mark.parametrize("path", [pytest.param(path, id=str(path.relative_to(CORPUS))) for path in FILES])
def test_every_file_imports_or_is_refused_by_a_sentence(path: Path) -> None:
    found = imported_or_refused(path)
    if isinstance(found, FormatError):
        assert found.what
        assert found.mend
        assert found.where.startswith(path.name)
        return
    assert found.reason.startswith("It ")
    report = report_json(found)
    assert json.loads(json.dumps(report)) == report
    for chat in found.conversations:
        ids = [message.id for message in chat.messages]
        assert len(set(ids)) == len(ids)
        assert chat.title


def openai_lists(raw: Any) -> list[list[Any]]:
    """The messages of each conversation."""
    if isinstance(raw, list) and "traj" in raw[0]:
        return [entry["traj"] for entry in raw]
    if isinstance(raw, dict) and "choices" in raw:
        return [[raw["choices"][0]["message"]]]
    return [raw if isinstance(raw, list) else raw.get("messages") or raw["history"]]


def openai_counts(messages: list[Any]) -> Counts:
    calls = sum(len(message.get("tool_calls") or []) for message in messages)
    return Counts(len(messages), calls, sum(message["role"] == "tool" for message in messages))


@pytest.mark.parametrize(
    "path",
    named(
        "conversations/openai-chat/*.json",
        "conversations/api-requests/openai-chat-*.json",
        "conversations/swe-agent/*.traj",
    ),
)
def test_openai_chat_counts_are_those_of_the_raw_json(path: Path) -> None:
    raw = json.loads(path.read_text())
    lists = openai_lists(raw)
    found = imported(path)
    assert found.format == ("swe-agent" if path.suffix == ".traj" else "openai-chat")
    assert len(found.conversations) == len(lists)
    expected = Counts()
    for messages in lists:
        expected += openai_counts(messages)
    assert counted(found.conversations) == expected
    tools = raw.get("tools") or [] if isinstance(raw, dict) else []
    assert list(found.conversations[0].tools) == tools
    assert not found.skipped


def anthropic_counts(raw: dict[str, Any]) -> Counts:
    counts = Counts(messages=1 if raw.get("system") else 0)
    for message in raw.get("messages", [raw]):
        blocks = message["content"] if isinstance(message["content"], list) else [{"type": "text"}]
        kinds = [block["type"] for block in blocks]
        results = kinds.count("tool_result")
        others = len(kinds) > results
        counts += Counts(results + others, kinds.count("tool_use"), results)
    return counts


@pytest.mark.parametrize("path", named("conversations/api-requests/anthropic-messages-*.json"))
def test_anthropic_counts_are_those_of_the_raw_json(path: Path) -> None:
    raw = json.loads(path.read_text())
    found = imported(path)
    assert found.format == "anthropic"
    assert counted(found.conversations) == anthropic_counts(raw)
    assert list(found.conversations[0].tools) == (raw.get("tools") or [])
    assert not found.skipped


def raw_lines(text: str) -> Iterator[dict[str, Any]]:
    """Every JSON object of a session file, two on one line included."""
    decoder = json.JSONDecoder()
    for row in text.split("\n"):
        at = 0
        while at < len(row.rstrip()):
            try:
                value, at = decoder.raw_decode(row, at)
            except json.JSONDecodeError:
                break
            if isinstance(value, dict):
                yield value


def session_messages(text: str) -> Iterator[tuple[bool, str, dict[str, Any]]]:
    """(sub-agent's, type, API message) of every line that has one, repeated lines once."""
    seen: set[str] = set()
    for value in raw_lines(text):
        inner = value.get("data", {}).get("message") if isinstance(value.get("data"), dict) else None
        for line, aside in ((value, value.get("isSidechain") is True), (inner, True)):
            if not isinstance(line, dict) or line.get("type") not in ("user", "assistant"):
                continue
            message = line.get("message")
            if not isinstance(message, dict) or "content" not in message:
                continue
            key = json.dumps([line.get("uuid"), message["content"]])
            if key not in seen:
                seen.add(key)
                yield aside, line["type"], message


def session_counts(text: str, before: str = "") -> Counts:
    """What a session holds; `before` is what was compacted away."""
    said: set[tuple[bool, str]] = set()
    calls: set[str] = set()
    results: set[str] = set()
    prompts = 0
    for aside, kind, message in session_messages(text):
        content = message["content"]
        blocks = content if isinstance(content, list) else [{"type": "text"}]
        kinds = [block.get("type") if isinstance(block, dict) else "text" for block in blocks]
        if kind == "assistant":
            said.add((aside, message["id"]))
            calls |= {block["id"] for block in blocks if isinstance(block, dict) and block.get("type") == "tool_use"}
        else:
            results |= {b["tool_use_id"] for b in blocks if isinstance(b, dict) and b.get("type") == "tool_result"}
            prompts += any(each != "tool_result" for each in kinds)
    attached = attached_texts(text) or unwritten_texts(before, text)
    return Counts(len(said) + len(results) + prompts + attached, len(calls), len(results))


def attached_texts(text: str) -> int:
    """How many lines attach a text that the model read; what a hook says to the person alone is none."""
    attached = [value.get("attachment") for value in raw_lines(text) if value.get("type") == "attachment"]
    told = [one for one in attached if isinstance(one, dict) and one.get("type") != "hook_system_message"]
    return sum(any(one.get(key) for key in ("content", "addedLines", "addedBlocks")) for one in told)


LISTING = ("TaskCreate", "TaskUpdate", "TodoWrite")


def unwritten_texts(before: str, text: str) -> int:
    """How many task lists and queued prompts a session of version 2.1 was sent that it has no line for."""
    compacted, seen = ([one for one in raw_lines(part) if not one.get("isSidechain")] for part in (before, text))
    if not any(one.get("version", "").startswith("2.1.") for one in seen):
        return 0
    first = [one["message"]["id"] for one in seen if one.get("type") == "assistant"]
    lists = lists_sent([*compacted, *seen])
    return sum(reply in first for reply in lists) + prompts_taken(seen)


def prompts_taken(lines: Sequence[dict[str, Any]]) -> int:
    """How many prompts were taken from the queue before their turn was over, and a reply came after."""
    queue: list[str] = []
    taken = found = 0
    for one in lines:
        if one.get("type") == "assistant":
            found, taken = found + taken, 0
        elif one.get("type") == "queue-operation":
            taken += one["operation"] == "remove" and bool(queue) and not queue[0].startswith("{")
            queue = [*queue, one["content"]] if one["operation"] == "enqueue" else queue[1:]
    return found


def lists_sent(lines: Sequence[dict[str, Any]]) -> list[str]:
    """The replies before which a list that is not done was sent: ten lines, other than thoughts, came since the last
    that writes it and since it was sent last."""
    found: list[str] = []
    known: set[str] = set()
    status: dict[str, str] = {}
    since = sent = 0
    for one in lines:
        if one.get("isCompactSummary"):
            since = sent = 0
        status |= dict.fromkeys(created_by(one), "pending")
        if one.get("type") != "assistant":
            continue
        reply, blocks = one["message"]["id"], list(blocks_in(one))
        if reply not in known and since >= 10 and sent >= 10:
            found += [reply] * any(each != "completed" for each in status.values())
            sent = 0
        known.add(reply)
        if any(block["type"] != "thinking" for block in blocks):
            since, sent = since + 1, sent + 1
        for block in blocks:
            if block.get("name") in LISTING:
                since, status = 0, listed(status, block)
    return found


def created_by(line: dict[str, Any]) -> list[str]:
    """The number of the task that a line says was created."""
    result = line.get("toolUseResult")
    task = result.get("task") if isinstance(result, dict) else None
    return [task["id"]] if isinstance(task, dict) and "subject" in task else []


def listed(status: dict[str, str], call: dict[str, Any]) -> dict[str, str]:
    """How the items stand after a call."""
    given = call["input"]
    if call["name"] == "TodoWrite":
        return {str(at): todo["status"] for at, todo in enumerate(given["todos"])}
    return status | ({given["taskId"]: given["status"]} if call["name"] == "TaskUpdate" else {})


def blocks_in(line: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The blocks of a line's message."""
    message = line.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    return (block for block in content if isinstance(block, dict)) if isinstance(content, list) else iter(())


@pytest.mark.parametrize("path", named("conversations/claude-code/*.jsonl"))
def test_claude_code_counts_are_those_of_the_raw_lines(path: Path) -> None:
    found = imported(path, whole=True)
    assert found.format == "claude-code"
    assert counted(found.conversations) == session_counts(path.read_text())
    assert all(chat.branches == 0 for chat in found.conversations)


def test_a_zip_of_claude_code_sessions_counts_the_same(corpus: Path) -> None:
    path = corpus / "conversations/claude-code/vscode-copilot-claude-sessions.zip"
    found = imported(path, whole=True)
    expected = Counts()
    with zipfile.ZipFile(path) as archive:
        names = [name for name in archive.namelist() if name.endswith(".jsonl")]
        for name in names:
            expected += session_counts(archive.read(name).decode())
    assert counted(found.conversations) == expected
    assert len(found.conversations) == len(names)
    assert sum(chat.is_subagent for chat in found.conversations) == sum("subagents" in name for name in names)


@pytest.mark.parametrize("path", named("conversations/claude-code/cc-*.jsonl", "conversations/claude-code/*.zip"))
@pytest.mark.parametrize("whole", [False, True])
def test_each_result_stands_right_behind_the_message_that_called_it(path: Path, whole: bool) -> None:
    for chat in imported(path, whole=whole).conversations:
        waiting: set[str] = set()
        for message in chat.messages:
            if message.role == "tool":
                (result,) = results_of(message)
                assert result.call_id in waiting
                waiting.remove(result.call_id)
            else:
                waiting = {call.id for call in calls_of(message)}


def test_a_compacted_session_begins_at_its_summary(corpus: Path) -> None:
    path = corpus / "conversations/claude-code/cc-1813-lines-bash-progress-compact.jsonl"
    (chat,) = imported(path).conversations
    (whole,) = imported(path, whole=True).conversations
    assert chat.messages[0].line == 884
    assert chat.metadata["compactions"] == 1
    assert len(chat.messages) < len(whole.messages)
    assert [message.id for message in whole.messages[-len(chat.messages) :]] == [m.id for m in chat.messages]
    assert chat.reported_input_tokens == 88_332


@pytest.mark.parametrize(
    ("name", "skills"),
    [("ai-research-skills.zip", 98), ("awesome-copilot-skills.zip", 415), ("superpowers-skills.zip", 14)],
)
def test_skill_libraries_are_read_to_the_last_skill(corpus: Path, name: str, skills: int) -> None:
    found = imported(corpus / "skills" / name)
    assert (found.format, len(found.skills), found.skipped) == ("skills", skills, ())
    assert all(skill.name and skill.description and skill.path.endswith("SKILL.md") for skill in found.skills)


@pytest.mark.parametrize(
    ("name", "features"),
    [
        ("kubernetes-keps-apps-cli.zip", 70),
        ("naide-prompts-features.zip", 77),
        ("openspec-specs-and-changes.zip", 580),
    ],
)
def test_feature_libraries_are_loaded_whole(corpus: Path, name: str, features: int) -> None:
    found = imported(corpus / "features" / name)
    assert (found.format, len(found.features)) == ("features", features)
    assert all(feature.title and feature.text for feature in found.features)


@pytest.mark.parametrize(
    ("name", "tools"),
    [
        ("github-mcp-tools-list.json", 117),
        ("github-mcp-toolsnaps.zip", 117),
        ("anthropic-tools-array-union.json", 30),
        ("tau-bench-airline-openai-tools.json", 14),
        ("tau-bench-retail-openai-tools.json", 16),
        ("docker-mcp-registry-tools.zip", 755),
        ("bfcl-multi-turn-func-doc.zip", 162),
    ],
)
def test_tool_lists_are_read_to_the_last_tool(corpus: Path, name: str, tools: int) -> None:
    found = imported(corpus / "tools" / name)
    assert (found.format, len(found.tools), found.skipped) == ("tools", tools, ())


@pytest.mark.parametrize(
    ("name", "chunks", "scored"),
    [
        ("anthropic-cookbook-anthropic_docs.json", 232, 0),
        ("anthropic-cookbook-codebase_chunks.json", 737, 0),
        ("anthropic-cookbook-evaluation_set-first25.jsonl", 27, 0),
        ("gemini-grounding-chunks-3.json", 1, 0),
        ("gemini-grounding-chunks-4.json", 1, 0),
        ("open-rag-eval-connector.csv", 16, 0),
        ("openai-file-search-results-3.json", 1, 1),
        ("ragchecker-checking_inputs.json", 7, 0),
        ("ragchecker-checking_outputs.json", 7, 0),
        ("tavily-search-response.json", 4, 4),
    ],
)
def test_chunk_sets_are_read_to_the_last_chunk(corpus: Path, name: str, chunks: int, scored: int) -> None:
    path = corpus / "rag" / name
    found = import_bytes(path.read_bytes(), name=name, as_format="chunks")
    assert (len(found.chunks), found.skipped) == (chunks, ())
    assert sum(chunk.score is not None for chunk in found.chunks) == scored
    assert all(chunk.text.strip() for chunk in found.chunks)


def test_images_in_a_session_have_their_size(corpus: Path) -> None:
    path = corpus / "conversations/claude-code/cc-747-lines-image-queue.jsonl"
    assert counts_of(imported(path, whole=True))["images"] == 1
