"""A packing as a provider's request, as text, and as spans to show. What is rendered is what was counted."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from budgeteer.engine.chat import (
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
from budgeteer.engine.errors import NotAvailableYet
from budgeteer.engine.groups import pair
from budgeteer.engine.library import compact_json, tool_in_form
from budgeteer.engine.packing import summary_message
from budgeteer.engine.profiles import PROFILES
from budgeteer.engine.result import Packing
from budgeteer.engine.sections.system import JOIN
from budgeteer.engine.transcript import sendable

REQUEST_FORMS = ("openai-chat", "anthropic", "text")


def system_message(packing: Packing) -> str:
    """The system message's text, "" when there is none."""
    return JOIN.join(piece.text() for piece in packing.chosen.pieces)


def sent_messages(packing: Packing) -> list[Message]:
    """History and query as they are sent: kept messages without what the provider cannot be sent, the summary first."""
    kept = packing.history_sent
    pairing = pair(kept)
    messages = []
    summary = packing.chosen.history.summary
    if summary is not None:
        messages.append(summary_message(summary.text))
    for index, message in enumerate(kept):
        sent = sendable(message, packing.profile, answered=pairing.answered[index], fault=pairing.fault[index])
        messages.append(_with_parts(message, sent.parts))
    if packing.bundle.query is not None:
        query = packing.bundle.query
        alone = pair([query])
        sent = sendable(query, packing.profile, answered=alone.answered[0], fault=alone.fault[0])
        messages.append(_with_parts(query, sent.parts))
    return messages


def _with_parts(message: Message, parts: tuple[Part, ...]) -> Message:
    return Message(message.role, parts, message.id, message.name, message.created, message.line)


def sent_tools(packing: Packing) -> list[dict[str, Any]]:
    """The tool definitions in the profile's form, in the order sent."""
    form = "openai" if PROFILES[packing.profile].tool_form == "openai" else "anthropic"
    return [tool_in_form(packing.bundle.tools[row], form) for row in packing.chosen.tools.order]  # type: ignore[arg-type] # one of the two forms


def render_request(packing: Packing) -> dict[str, Any]:
    """The request of the packing's own profile, ready to send.

    Pack with `profile=` to get another provider's form: what that provider cannot be sent is then a decision.
    """
    if packing.profile == "anthropic":
        return _anthropic(packing)
    return _openai_chat(packing)


def request_profile(form: str) -> str | None:
    """The profile to pack with for a `--request` form: None for text, which is any profile's.

    Raises:
        NotAvailableYet: a form of the contract that is not rendered yet, or no form at all.
    """
    if form == "text":
        return None
    if form in PROFILES:
        return form
    raise NotAvailableYet(
        f"the request form {form} is not available yet", where="--request", mend=f"Use {', '.join(REQUEST_FORMS)}."
    )


def _openai_chat(packing: Packing) -> dict[str, Any]:
    messages: list[dict[str, Any]] = []
    system = system_message(packing)
    if system:
        messages.append({"role": "system", "content": system})
    messages += [openai_message(message) for message in sent_messages(packing)]
    tools = sent_tools(packing)
    return {"model": packing.model, "messages": messages, **({"tools": tools} if tools else {})}


def openai_message(message: Message) -> dict[str, Any]:
    """One message in OpenAI's chat form. One text part is a string, several are a list, none is null."""
    named = {"name": message.name} if message.name else {}
    for part in message.parts:
        if isinstance(part, ToolResultPart):
            return {"role": "tool", "tool_call_id": part.call_id, "content": _openai_content(part.content) or ""}
    content = [part for part in message.parts if not isinstance(part, ToolCallPart)]
    calls = [
        {"id": part.id, "type": "function", "function": {"name": part.name, "arguments": part.arguments}}
        for part in message.parts
        if isinstance(part, ToolCallPart)
    ]
    said = _openai_content(content)
    if said is None and not calls:
        said = ""
    return {"role": message.role, **named, "content": said, **({"tool_calls": calls} if calls else {})}


def _openai_content(parts: Sequence[Part]) -> Any:
    if not parts:
        return None
    if len(parts) == 1 and isinstance(parts[0], TextPart):
        return parts[0].text
    return [_openai_part(part) for part in parts]


def _openai_part(part: Part) -> Any:
    match part:
        case TextPart(text=text):
            return {"type": "text", "text": text}
        case ImagePart(raw=raw):
            return _openai_image(part) if raw.get("type") == "image" else dict(raw)
        case OpaquePart(raw=raw):
            return dict(raw)
        case _:
            raw = getattr(part, "raw", {})
            return dict(raw)


def _openai_image(image: ImagePart) -> dict[str, Any]:
    source = image.raw.get("source", {})
    url = source.get("url") or f"data:{source.get('media_type', 'image/png')};base64,{source.get('data', '')}"
    return {"type": "image_url", "image_url": {"url": url}}


def _anthropic(packing: Packing) -> dict[str, Any]:
    request: dict[str, Any] = {"model": packing.model, "max_tokens": max(packing.output_reserve, 1)}
    system = system_message(packing)
    if system:
        request["system"] = system
    tools = sent_tools(packing)
    if tools:
        request["tools"] = tools
    request["messages"] = anthropic_messages(sent_messages(packing))
    return request


def anthropic_messages(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """The messages in Anthropic's form: results and the user's next words in one turn, ids in the allowed alphabet."""
    turns: list[dict[str, Any]] = []
    ids = _CallIds(call.id for message in messages for call in calls_of(message))
    for message in messages:
        role = "assistant" if message.role == "assistant" else "user"
        blocks = [block for part in message.parts for block in _anthropic_blocks(part, ids)]
        if turns and turns[-1]["role"] == role:
            turns[-1]["content"] += blocks
        else:
            turns.append({"role": role, "content": blocks})
    return turns


class _CallIds:
    """Call ids as Anthropic allows them; an id that is not allowed gets one that is, the same each time."""

    def __init__(self, call_ids: Iterable[str]) -> None:
        pattern = PROFILES["anthropic"].call_id
        ids = dict.fromkeys(call_ids)
        self._given = {key: key for key in ids if pattern is None or pattern.match(key)}
        free = (name for name in (f"call_{number}" for number in itertools.count(1)) if name not in ids)
        self._given |= {key: next(free) for key in ids if key not in self._given}

    def __getitem__(self, call_id: str) -> str:
        return self._given[call_id]


def _anthropic_blocks(part: Part, ids: _CallIds) -> list[dict[str, Any]]:
    match part:
        case TextPart(text=text):
            return [{"type": "text", "text": text}]
        case ToolCallPart():
            return [{"type": "tool_use", "id": ids[part.id], "name": part.name, "input": _arguments(part.arguments)}]
        case ToolResultPart():
            content = [block for inner in part.content for block in _anthropic_blocks(inner, ids)]
            only = content[0]["text"] if len(content) == 1 and content[0]["type"] == "text" else content
            error = {"is_error": True} if part.is_error else {}
            return [{"type": "tool_result", "tool_use_id": ids[part.call_id], "content": only, **error}]
        case ReasoningPart():
            if part.encrypted:
                return [{"type": "redacted_thinking", "data": part.encrypted}]
            return [{"type": "thinking", "thinking": part.text, "signature": part.signature}]
        case ImagePart(raw=raw) if raw.get("type") != "image":
            return [{"type": "image", "source": _anthropic_source(part)}]
        case _:
            return [dict(getattr(part, "raw", {}))]


def _anthropic_source(image: ImagePart) -> dict[str, Any]:
    url = str(image.raw.get("image_url", {}).get("url", ""))
    if url.startswith("data:"):
        media_type, _, data = url.removeprefix("data:").partition(";base64,")
        return {"type": "base64", "media_type": media_type, "data": data}
    return {"type": "url", "url": url}


def _arguments(text: str) -> Any:
    try:
        value = json.loads(text) if text else {}
    except ValueError:
        return {"arguments": text}
    return value if isinstance(value, dict) else {"arguments": value}


@dataclass(frozen=True, slots=True)
class PromptSpan:
    """One stretch of the packed prompt.

    `decision_id` names the item it belongs to, None for what stands between items; `role` is where it is sent; `text`
    what is sent, or for a placeholder ("dropped", "summarised") a sentence on what went; `count` how many items it
    stands for.
    """

    decision_id: str | None
    role: str
    text: str
    fate: str
    count: int = 1


def render_spans(packing: Packing) -> Iterator[PromptSpan]:
    """The packed prompt in prompt order, with a placeholder for every run of history that went."""
    system = system_message(packing)
    if system:
        yield PromptSpan(None, "system", system, "kept")
    tools = sent_tools(packing)
    if tools:
        yield PromptSpan(None, "tools", "\n".join(compact_json(tool) for tool in tools), "kept", len(tools))
    yield from _history_spans(packing)


def _history_spans(packing: Packing) -> Iterator[PromptSpan]:
    sent = iter(sent_messages(packing))
    ledger = packing.ledger
    gone, gone_fate = 0, ""
    for index in range(len(ledger)):
        rows, row = ledger.place(index)
        if rows.section not in ("history", "query"):
            continue
        fate = ("kept", "truncated", "summarised", "dropped", "added")[rows.fate[row]]
        if gone and fate != gone_fate:
            yield _placeholder(gone, gone_fate)
            gone = 0
        if fate in ("dropped", "summarised"):
            gone, gone_fate = gone + 1, fate
            continue
        message = next(sent)
        yield PromptSpan(rows.ids[row], message.role, message_text(message), fate)
    if gone:
        yield _placeholder(gone, gone_fate)


def _placeholder(count: int, fate: str) -> PromptSpan:
    noun = "message" if count == 1 else "messages"
    return PromptSpan(None, "", f"{count:,} {noun} {fate}", fate, count)


def message_text(message: Message) -> str:
    """A message as readable text: calls, results and what cannot be shown as text are named."""
    pieces: list[str] = []
    for part in message.parts:
        match part:
            case TextPart(text=text):
                pieces.append(text)
            case ToolCallPart():
                pieces.append(f"[call {part.name}] {part.arguments}")
            case ToolResultPart():
                inner = message_text(Message("tool", part.content))
                pieces.append(f"[result]\n{inner}")
            case ReasoningPart(text=text):
                pieces.append(f"[reasoning]\n{text}")
            case ImagePart():
                size = f" {part.width} x {part.height}" if part.width and part.height else ""
                pieces.append(f"[image{size}]")
            case OpaquePart(kind=kind):
                pieces.append(f"[{kind}]")
            case _:
                pieces.append("[file]")
    return "\n".join(pieces)


def render_text(packing: Packing) -> str:
    """The packed prompt as plain text, one heading a message; for reading, not for sending."""
    blocks = []
    system = system_message(packing)
    if system:
        blocks.append(f"=== system ===\n{system}")
    tools = sent_tools(packing)
    if tools:
        blocks.append("=== tools ===\n" + "\n".join(compact_json(tool) for tool in tools))
    blocks += [f"=== {message.role} ===\n{message_text(message)}" for message in sent_messages(packing)]
    return "\n\n".join(blocks) + "\n"
