"""What of a packing is sent: the system message, the messages, the tool definitions, before any provider's form."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from budgeteer.engine.content.conversation import Message, TextPart
from budgeteer.engine.content.pairing import pair
from budgeteer.engine.counting.tokenizers import starts_safely
from budgeteer.engine.packing.history.summary import summary_message
from budgeteer.engine.packing.pruning.message_ids import tagged
from budgeteer.engine.packing.result import Packing
from budgeteer.engine.packing.sections.system import JOIN, are_messages
from budgeteer.engine.providers.base import RequestContent
from budgeteer.engine.providers.capabilities import Loss, supported_parts
from budgeteer.engine.providers.registry import PROVIDERS


def request_content(packing: Packing) -> RequestContent:
    """Everything that the packing's provider writes a request from."""
    return RequestContent(
        model=packing.model,
        output_reserve=packing.output_reserve,
        system=system_messages(packing),
        messages=sent_messages(packing),
        tools=sent_tools(packing),
    )


def system_message(packing: Packing) -> str:
    """All system text before the history, "" when there is none or it stands in a message of the user's."""
    return block_text(packing) if packing.config.system.placement == "dedicated" else ""


def system_messages(packing: Packing) -> list[Message]:
    """The system messages before the history: the conversation's own as they came, or one with what was added."""
    pieces = packing.chosen.pieces
    if are_messages(pieces):
        return [piece.alone for piece in pieces if piece.alone is not None and piece.alone.parts]
    text = system_message(packing)
    return [Message("system", (TextPart(text),))] if text else []


def block_text(packing: Packing) -> str:
    """The block of instructions, wherever it stands: system texts, skills, features, chunks; "" when there is none."""
    return JOIN.join(piece.text() for piece in packing.chosen.pieces)


def sent_messages(packing: Packing) -> list[Message]:
    """Everything that is sent but the system message: history and query, with the block where it is the user's."""
    messages = messages_alone(packing)
    placement = packing.config.system.placement
    block = "" if placement == "dedicated" else block_text(packing)
    if not block:
        return messages
    if placement == "user":
        return [Message("user", (TextPart(block),)), *messages]
    at = next((place for place, message in enumerate(messages) if message.role == "user"), None)
    if at is None:
        return [Message("user", (TextPart(block + JOIN),)), *messages]
    return [*messages[:at], _prepended(messages[at], block + JOIN), *messages[at + 1 :]]


def _prepended(message: Message, lead: str) -> Message:
    """The message with the block before its own words, in one text where counts add up there (decision 002).

    Before anything else than text, and before text that begins with white space or a slash, it is a part of its own.
    """
    first, rest = next(iter(message.parts), None), message.parts[1:]
    if isinstance(first, TextPart) and starts_safely(first.text):
        return replace(message, parts=(replace(first, text=lead + first.text), *rest))
    return replace(message, parts=(TextPart(lead), *message.parts))


def messages_alone(packing: Packing) -> list[Message]:
    """History and query as they are sent: kept messages without what cannot be sent, and the summary in its place.

    While pruning is on, each message of the history has its tag at its end.
    """
    kept = packing.history_sent
    messages = []
    tags = packing.tags_sent
    for message, place, tag in zip(kept, pair(kept).place, tags, strict=True):
        parts = supported_parts(message, packing.provider, place).parts
        messages.append(replace(message, parts=tagged(parts, tag, packing.provider) if tag else parts))
    fit = packing.chosen.history
    if fit.summary is not None:
        messages.insert(int(fit.kept[: fit.summary.before].sum()), summary_message(fit.summary.text))
    query = packing.bundle.query
    if query is not None:
        sent = supported_parts(query, packing.provider, pair([query]).place[0])
        if Loss.EMPTY not in sent.loss:
            messages.append(replace(query, parts=sent.parts))
    return messages


def sent_tools(packing: Packing) -> list[dict[str, Any]]:
    """The tool definitions in the provider's form, in the order sent."""
    tools = PROVIDERS[packing.provider].tools
    return [tools.rendered(packing.fitted_bundle.tools[row]) for row in packing.chosen.tools.order]
