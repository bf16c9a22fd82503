"""Every real file counted from its raw bytes, without the importers: what the golden table is held against.

How each kind is counted stands with the functions of the other modules of this folder (`*_counts`, `*_tally`, one for
each line of a set); here is which of them counts which file, what a file of several kinds counts, and pictures.
"""

from __future__ import annotations

import csv
import io
import json
import re
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import astuple, dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from tests.corpus.test_agent_sessions_real import codex_counts, copilot_counts, pi_counts
from tests.corpus.test_formats_real import (
    anthropic_counts,
    openai_counts,
    openai_lists,
    raw_lines,
    session_counts,
    session_messages,
)
from tests.corpus.test_requests_real import (
    evaluation_tally,
    gemini_cli_tally,
    gemini_tally,
    inside,
    responses_tally,
)
from tests.corpus.test_training_sets_real import (
    Counts,
    add_node,
    bfcl,
    langgraph,
    leaves_of,
    llama_factory,
    passages,
    rows_of,
    sharegpt,
    transcript,
    ui_messages,
)

PICTURES = ("image", "image_url", "input_image")


@dataclass(frozen=True, slots=True)
class Row:
    """What a file holds, as the golden table says it."""

    conversations: int = 0
    messages: int = 0
    calls: int = 0
    results: int = 0
    images: int = 0
    items: int = 0
    skipped: int = 0


def raw_row(path: Path) -> Row:
    """The row of a file by the folder it lies in and by its name."""
    name = path.name
    if path.parent.name == "rag" and not name.startswith(("gemini-", "openai-")):
        return Row(items=len(_passages(path)))
    if name.startswith("BFCL") or "few-shot" in name:
        return _lines(path)
    return _BY_FOLDER.get(path.parent.name, lambda _: Row())(path)


def _lines(path: Path) -> Row:
    return _of_counts(map(_line_counter(path), rows_of(path)))


def _line_counter(path: Path) -> Callable[[dict[str, Any]], Counts]:
    """What counts one row of a set."""
    if path.parent.name == "sharegpt":
        return llama_factory if "_50" in path.name or "v1_" in path.name else sharegpt
    return {"langchain": langgraph, "openai-chat": transcript}.get(path.parent.name, bfcl)


def _of_counts(counts: Iterable[Counts]) -> Row:
    conversations, messages, calls, results, images, *_ = map(sum, zip(*map(astuple, counts), strict=True))
    return Row(conversations, messages, calls, results, images)


def _of_tally(tally: Mapping[str, int], conversations: int = 1) -> Row:
    return Row(conversations, tally["messages"], tally["toolCalls"], tally["toolResults"], tally["images"])


def _pictures(value: Any) -> int:
    return sum(one.get("type") in PICTURES for one in inside(value))


def _request(path: Path) -> Row:
    raw = json.loads(path.read_text())
    if "gemini" in path.name:
        contents = raw["contents"] if "contents" in raw else [raw["candidates"][0]["content"]]
        return _of_tally(gemini_tally(contents, system="systemInstruction" in raw))
    if path.name.startswith("openai-chat"):
        return _openai(raw)
    if path.name.startswith("openai-"):
        return _of_tally(responses_tally(raw))
    counts = anthropic_counts(raw)
    said = raw["messages"] if "messages" in raw else raw["content"]
    return Row(1, counts.messages, counts.calls, counts.results, _pictures(said))


def _openai(raw: Any) -> Row:
    lists = openai_lists(raw)
    counts = [openai_counts(messages) for messages in lists]
    return Row(
        len(lists),
        sum(each.messages for each in counts),
        sum(each.calls for each in counts),
        sum(each.results for each in counts),
        _pictures(lists),
    )


def _adk(raw: dict[str, Any]) -> Row:
    if "eval_cases" in raw:
        return _of_tally(evaluation_tally(raw["eval_cases"]), len(raw["eval_cases"]))
    return _of_tally(gemini_tally([event["content"] for event in raw["events"] if event.get("content")]))


def _chatgpt(chats: list[dict[str, Any]]) -> Row:
    """Every node once: a node of several branches is one message."""
    counts = Counts()
    for node in chain.from_iterable(chat["mapping"].values() for chat in chats):
        if node["message"] is not None:
            add_node(counts, node["message"])
    return Row(sum(map(leaves_of, chats)), counts.messages, counts.calls, counts.results)


def _claude_code(path: Path) -> Row:
    if path.suffix != ".zip":
        return _session(path.read_text())
    with zipfile.ZipFile(path) as archive:
        texts = [archive.read(name).decode() for name in archive.namelist() if name.endswith(".jsonl")]
    rows = [_session(text) for text in texts]
    return Row(*map(sum, zip(*map(_numbers, rows), strict=True)))


def _session(text: str) -> Row:
    """A session from its last summary on, and the runs of its sub-agents."""
    lines = text.split("\n")
    start = max((at for at, line in enumerate(lines) if '"isCompactSummary":true' in line), default=0)
    seen = "\n".join(lines[start:])
    counts = session_counts(seen, "\n".join(lines[:start]))
    agents = {
        value["data"].get("agentId")
        for value in raw_lines(seen)
        if isinstance(value.get("data"), dict) and value["data"].get("type") == "agent_progress"
    }
    images = sum(_pictures(message["content"]) for _, _, message in session_messages(seen))
    skipped = _bad_lines(lines) + sum(map(_says_nothing, raw_lines(text)))
    return Row(1 + len(agents), counts.messages, counts.calls, counts.results, images, skipped=skipped)


def _says_nothing(line: Mapping[str, Any]) -> bool:
    """A line of a user or an assistant that has no message with a content."""
    message = line.get("message")
    return line.get("type") in ("user", "assistant") and not (isinstance(message, dict) and "content" in message)


def _numbers(row: Row) -> tuple[int, ...]:
    return astuple(row)


def _bad_lines(lines: Iterable[str]) -> int:
    """Lines that are not JSON objects from their beginning to their end."""
    return sum(not _is_read(line) for line in lines if line.strip())


def _is_read(line: str) -> bool:
    decoder = json.JSONDecoder()
    at = 0
    text = line.strip()
    while at < len(text):
        try:
            value, at = decoder.raw_decode(text, at)
        except json.JSONDecodeError:
            return False
        if not isinstance(value, dict):
            return False
    return True


def _passages(path: Path) -> list[str]:
    if path.suffix == ".csv":
        return [row["passage"] for row in csv.DictReader(io.StringIO(path.read_text("utf-8-sig")))]
    return [text for row in rows_of(path) for text in passages(row)]


def _library(path: Path) -> int:
    if path.suffix == ".zip":
        with zipfile.ZipFile(path) as archive:
            return sum(_items_of_member(path.parent.name, archive, name) for name in archive.namelist())
    raw = json.loads(path.read_text())
    return len(raw.get("result", raw)["tools"] if isinstance(raw, dict) else raw)


def _items_of_member(folder: str, archive: zipfile.ZipFile, name: str) -> int:
    if folder == "skills":
        return name.rsplit("/", maxsplit=1)[-1] == "SKILL.md"
    if folder == "features":
        return name.lower().endswith((".md", ".markdown"))
    return sum(1 for _ in _tool_names(archive.read(name).decode()))


def _tool_names(text: str) -> Iterator[str]:
    """The names of the tools of a file: an object, an array, or an object a line."""
    try:
        value = json.loads(text)
    except json.JSONDecodeError:
        value = [json.loads(row) for row in text.splitlines() if row.strip()]
    for item in value if isinstance(value, list) else [value]:
        if re.search(r"\w", item["name"]):
            yield item["name"]


def _hermes(path: Path) -> Row:
    """A session whose messages lie in one list, or a trajectory of steps."""
    if "steps" in json.loads(path.read_bytes()):
        return _atif(path)
    messages = json.loads(path.read_text()).get("messages", [])
    calls = sum(len(message.get("tool_calls") or []) for message in messages)
    results = sum(message["role"] == "tool" for message in messages)
    return Row(1, len(messages), calls, results)


def _open_webui(path: Path) -> Row:
    """A chat whose messages hang in a map by id, on one branch."""
    return Row(1, len(json.loads(path.read_text())["history"]["messages"]))


def _aider(path: Path) -> Row:
    """Runs of lines by their beginnings and ends, in each chat; commands are none."""
    row = Row()
    for chat in re.split(r"(?m)^# aider chat started at .*$", path.read_text())[1:]:
        kinds: list[str] = []
        for line in filter(str.strip, chat.splitlines()):
            own = line.endswith("  ")
            kind = "prompt" if own and line.startswith("#### ") else "printed" if own and line[0] == ">" else "reply"
            if not kinds or kinds[-1].partition(" ")[0] != kind:
                kinds.append(f"{kind} {line[5:6]}")
        said = sum(kind.startswith(("prompt", "reply")) and kind not in ("prompt /", "prompt !") for kind in kinds)
        row = Row(row.conversations + bool(said), row.messages + said)
    return row


def _claude_ai(path: Path) -> Row:
    raw = json.loads(path.read_text())
    chats = [chat["chat_messages"] for chat in (raw if isinstance(raw, list) else [raw]) if chat["chat_messages"]]
    said = [message for chat in chats for message in chat]
    return Row(len(chats), len(said), images=sum(len(message["files"]) for message in said))


def _copilot_chat(path: Path) -> Row:
    requests = json.loads(path.read_text())["requests"]
    calls = sum(part.get("kind") == "toolInvocationSerialized" for one in requests for part in one["response"])
    return Row(1, 2 * len(requests), calls)


def _grok(path: Path) -> Row:
    chats = json.loads(path.read_text())["conversations"]
    return Row(len(chats), sum(len(chat["responses"]) for chat in chats))


def _langsmith(path: Path) -> Row:
    posted = json.loads(path.read_text())["post"]
    return Row(len(posted), sum(len(run["inputs"]["messages"]) + 1 for run in posted))


def _atif(path: Path) -> Row:
    steps = json.loads(path.read_bytes())["steps"]
    calls = [call for step in steps for call in step.get("tool_calls") or ()]
    seen = [result for step in steps for result in (step.get("observation") or {}).get("results") or ()]
    said = sum(bool(step.get("message") or step.get("tool_calls")) for step in steps)
    return Row(1, said + len(seen), len(calls), len(seen), 0, 0, 0)


def _letta(path: Path) -> Row:
    agents = json.loads(json.loads(path.read_text()))["agents"]
    return Row(len(agents), sum(len(agent["in_context_message_ids"]) for agent in agents))


def _specstory(path: Path) -> Row:
    """Turns and tools; a reply goes on behind a tool in a message of its own."""
    tool = re.compile(r"(?ms)^<tool-use [^\n]*\n.*?^</details></tool-use>$")
    whole = path.read_text()
    turns = re.split(r"(?m)^_\*\*(User|Agent)[^\n]*\*\*_$", tool.sub("\0", whole))[1:]
    messages = tools = 0
    for who, text in zip(turns[::2], turns[1::2], strict=True):
        first, *rest = re.sub(r"(?m)^---\s*\Z", "", text).split("\0")
        tools += len(rest)
        messages += who == "User" or bool(first.strip() or rest)
        messages += len(rest) + sum(bool(piece.strip()) for piece in rest)
    return Row(1, messages, tools, tools)


_BY_FOLDER: dict[str, Callable[[Path], Row]] = {
    "hermes": _hermes,
    "open-webui": _open_webui,
    "aider": _aider,
    "claude-ai": _claude_ai,
    "copilot-chat": _copilot_chat,
    "grok": _grok,
    "langsmith": _langsmith,
    "letta": _letta,
    "specstory": _specstory,
    "api-requests": _request,
    "rag": _request,
    "skills": lambda path: Row(items=_library(path)),
    "features": lambda path: Row(items=_library(path)),
    "tools": lambda path: Row(items=_library(path)),
    "claude-code": _claude_code,
    "codex": lambda path: Row(1, *codex_counts(path, whole=False)),
    "copilot-cli": lambda path: Row(1, *copilot_counts(path)),
    "pi": lambda path: Row(1, *pi_counts(path, whole=False)),
    "gemini": lambda path: _adk(json.loads(path.read_text())),
    "gemini-cli": lambda path: _of_tally(gemini_cli_tally(json.loads(path.read_text()))),
    "chatgpt-export": lambda path: _chatgpt(rows_of(path)),
    "openai-chat": lambda path: _openai(json.loads(path.read_text())),
    "swe-agent": lambda path: _openai(json.loads(path.read_text())),
    "ui-message": lambda path: _of_counts([ui_messages(rows_of(path))]),
    "sharegpt": _lines,
    "langchain": _lines,
}
"""What counts a file, by its folder; a text beside them (the README) holds nothing."""
