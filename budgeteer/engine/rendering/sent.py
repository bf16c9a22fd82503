"""What of a packing is sent: the system message, the messages, the tool definitions, before any provider's form."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from budgeteer.engine.chat import Message, Part
from budgeteer.engine.groups import pair
from budgeteer.engine.history.summary import summary_message
from budgeteer.engine.library import tool_in_form
from budgeteer.engine.profiles import PROFILES
from budgeteer.engine.result import Packing
from budgeteer.engine.sections.system import JOIN
from budgeteer.engine.transcript import Loss, sendable


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
        if Loss.EMPTY not in sent.loss:
            messages.append(_with_parts(query, sent.parts))
    return messages


def _with_parts(message: Message, parts: tuple[Part, ...]) -> Message:
    return replace(message, parts=parts)


def sent_tools(packing: Packing) -> list[dict[str, Any]]:
    """The tool definitions in the profile's form, in the order sent."""
    form = "openai" if PROFILES[packing.profile].tool_form == "openai" else "anthropic"
    return [tool_in_form(packing.bundle.tools[row], form) for row in packing.chosen.tools.order]  # type: ignore[arg-type] # one of the two forms
