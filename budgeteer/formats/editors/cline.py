"""Tasks of Cline, Roo Code and Kilo Code (`api_conversation_history.json`): Anthropic's messages, with results as text.

Certain: a user's text that begins with `<environment_details>`, with `<task>`, or with a header like
`[read_file for 'a.py'] Result:`. The header and the texts behind it are what the call before returned; where the call
is a `tool_use` without a `tool_result`, they are read as its result. Calls that the model wrote as XML stay text, and
so do their results: that is what it wrote and read.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from budgeteer.engine.content.conversation import Conversation
from budgeteer.formats.anthropic.messages import conversation_of
from budgeteer.formats.messages.imported import Imported, Skipped
from budgeteer.formats.messages.numbering import Notes, text_value
from budgeteer.formats.reading.document import Document
from budgeteer.formats.reading.entries import mappings
from budgeteer.formats.reading.envelopes.conversations import envelopes, first_envelopes
from budgeteer.formats.reading.envelopes.envelope import Envelope
from budgeteer.formats.reading.importing import imported_from

#: What a tool was given may go over several lines (a command, a question).
_HEADER: Final = re.compile(r"\[(?P<name>[A-Za-z_][\w.-]*)(?: (?:for|in|to|with) .*?)?\] Result:[ \t]*\n?", re.DOTALL)
_OWN_TAGS: Final = ("<environment_details>", "<task>\n", "<user_message>\n")
_NOT_RESULT: Final = ("<environment_details>", "<feedback>", "<user_message>", "<task>")


def detect(document: Document) -> str | None:
    """Why a document is a task of Cline, None when it is not."""
    for envelope in first_envelopes(document):
        said = [raw for _, raw in envelope.messages[:40] if isinstance(raw, Mapping)]
        is_memory = envelope.raw is not None and "memory_id" in envelope.raw  # a step of Replit's agent
        if is_memory or any("tool_calls" in raw or raw.get("role") in ("tool", "developer") for raw in said):
            return None
        asked = [text for raw in said if raw.get("role") == "user" for text in _texts(raw)]
        if any(text.startswith(_OWN_TAGS) or _HEADER.match(text) for text in asked):
            return (
                "holds prompts with `<environment_details>`, `<task>` or `[tool for …] Result:`, as Cline writes them"
            )
        return None
    return None


def _texts(raw: Mapping[str, Any]) -> list[str]:
    content = raw.get("content")
    if isinstance(content, str):
        return [content]
    return [text_value(block.get("text")).lstrip() for block in mappings(content) if block.get("type") == "text"]


def read(document: Document) -> Imported:
    """Read every task of a document.

    Raises:
        FormatError: no message was found.
    """
    return imported_from(envelopes(document), _conversation, document, "Cline")


def _conversation(envelope: Envelope, position: int, document: Document, skipped: list[Skipped]) -> Conversation:
    return conversation_of(_with_results(envelope, document.notes), position, document, skipped)


def _with_results(envelope: Envelope, notes: Notes) -> Envelope:
    """The messages, with each text of a result as the `tool_result` of the call before that it answers."""
    waiting: list[tuple[str, str]] = []
    messages: list[tuple[int, Any]] = []
    for number, given in envelope.messages:
        raw = _with_thoughts(given) if isinstance(given, Mapping) else given
        content = raw.get("content") if isinstance(raw, Mapping) else None
        if isinstance(raw, Mapping) and raw.get("role") == "assistant":
            waiting = [
                (text_value(block.get("id")), text_value(block.get("name")))
                for block in mappings(content)
                if block.get("type") == "tool_use"
            ]
        elif isinstance(raw, Mapping) and isinstance(content, list) and waiting:
            answered = {text_value(block.get("tool_use_id")) for block in mappings(content)}
            waiting = [(given, name) for given, name in waiting if given not in answered]
            messages.append((number, {**raw, "content": _tied(content, waiting, notes)}))
            continue
        else:
            asked = [text for text in _texts(raw) if _HEADER.match(text)] if isinstance(raw, Mapping) else []
            notes.count("Results of calls that the model wrote as XML, kept as the text that they are", len(asked))
        messages.append((number, raw))
    return replace(envelope, messages=tuple(messages))


def _with_thoughts(raw: Mapping[str, Any]) -> Mapping[str, Any]:
    """A message with its reasoning in Anthropic's form: Roo keeps it as blocks, or as messages, of that type."""
    content = raw.get("content")
    if raw.get("type") == "reasoning" and not content:
        texts = [text_value(one.get("text")) for one in mappings(raw.get("summary"))]
        sealed = text_value(raw.get("encrypted_content"))
        kept: dict[str, Any] = {"type": "redacted_thinking", "data": sealed}
        if any(texts):
            kept = {"type": "thinking", "thinking": "\n\n".join(texts), "signature": ""}
        return {**raw, "role": "assistant", "content": [kept]}
    if not isinstance(content, list):
        return raw
    blocks = [
        {"type": "thinking", "thinking": block["text"], "signature": ""}
        if isinstance(block, Mapping) and block.get("type") == "reasoning" and isinstance(block.get("text"), str)
        else block
        for block in content
    ]
    return {**raw, "content": blocks}


def _tied(content: list[Any], waiting: list[tuple[str, str]], notes: Notes) -> list[Any]:
    done: list[Any] = []
    result: dict[str, Any] | None = None
    for block in content:
        text = text_value(block.get("text")) if isinstance(block, Mapping) and block.get("type") == "text" else ""
        header = _HEADER.match(text)
        if header:
            result = _result(header["name"], waiting)
            if result is not None:
                notes.count("Texts like `[tool for …] Result:` read as the results of the calls before them")
                done.append(result)
                rest = text[header.end() :]
                result["content"] += [{**block, "text": rest}] if rest.strip() else []
                continue
        kind = block.get("type") if isinstance(block, Mapping) else ""
        if (
            result is not None
            and kind in ("text", "image")
            and not text.lstrip().startswith(_NOT_RESULT)
            and not header
        ):
            result["content"].append(block)
            continue
        result = None
        done.append(block)
    return done


def _result(name: str, waiting: list[tuple[str, str]]) -> dict[str, Any] | None:
    """The result of the oldest call of that name that waits, else of the only one that does; None when none fits.

    Cline shows some tools by another name (`use_subagents` as `subagents`).
    """
    at = next((at for at, (_, called) in enumerate(waiting) if called == name), 0 if len(waiting) == 1 else -1)
    if at < 0:
        return None
    given, _ = waiting.pop(at)
    return {"type": "tool_result", "tool_use_id": given, "content": []}
