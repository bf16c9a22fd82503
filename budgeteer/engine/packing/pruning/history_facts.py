"""Facts that pruning reads from a bundle's texts, once: existing ids, blocks, calls."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from budgeteer.engine.config.schema import TextsConfig
from budgeteer.engine.content.conversation import Message, TextPart
from budgeteer.engine.content.written_messages import BLOCK_HEADER, is_written
from budgeteer.engine.counting.tokenizers import TokenCounter
from budgeteer.engine.inputs.bundle import Bundle
from budgeteer.engine.inputs.history_index import message_id
from budgeteer.engine.packing.history.earlier_line import read_line
from budgeteer.engine.packing.pruning.calls import Calls, calls_in
from budgeteer.engine.packing.pruning.message_ids import Numbering, ids_within, number_messages, untagged
from budgeteer.engine.packing.pruning.model_texts import system_text
from budgeteer.engine.packing.sections.own_tools import OURS, says

#: Where the facts are kept in `Bundle.prepared`.
KEPT_AS: Final = "pruning.facts"


@dataclass(frozen=True, slots=True)
class Facts:
    """What was read of a history: its numbering, the blocks it brings along, its calls, the decision ids."""

    numbering: Numbering
    bodies: Mapping[int, str]
    calls: Calls
    decision_ids: tuple[str, ...]


def facts_of(bundle: Bundle, *, counter: TokenCounter) -> Facts:
    """The facts of a bundle, read at the first packing that prunes."""
    facts = bundle.prepared.get(KEPT_AS)
    if not isinstance(facts, Facts):
        facts = bundle.prepared[KEPT_AS] = _read(bundle, counter)
    return facts


def _read(bundle: Bundle, counter: TokenCounter) -> Facts:
    messages = list(bundle.history)
    ids: dict[str, int] = {}
    for row, message in enumerate(messages):
        for shown in ids_within(message):
            ids.setdefault(shown, row)
    bare = [untagged(message) for message in messages]
    query = ids_within(bundle.query) if bundle.query is not None else []
    written = [None if _is_written(message) else shown for message, shown in bare]
    numbering = number_messages(written, ids, query)
    if says_instructions(bundle, OURS):
        numbering = replace(numbering, read_back=True)
    bodies = {number: body_of(bare[row][0]) for number, row in numbering.blocks.items() if row >= 0}
    calls = calls_in(messages, counter=counter)
    return Facts(numbering, bodies, calls, tuple(message_id(message, row) for row, message in enumerate(messages)))


def says_instructions(bundle: Bundle, texts: TextsConfig) -> bool:
    """Whether a bundle holds a system text of pruning in these words."""
    return says(bundle, system_text("auto", texts)) or says(bundle, system_text("manual", texts))


def body_of(block: Message) -> str:
    """What a block that was read back says under its header."""
    text = "\n\n".join(part.text for part in block.parts if isinstance(part, TextPart))
    return text.removeprefix(BLOCK_HEADER).lstrip("\n")


def _is_written(message: Message) -> bool:
    """Whether a packing wrote it in the place of others: a summary, a notice, or a line that names what went."""
    is_line = message.role == "user" and read_line(message) is not None
    return is_line or is_written(message)
