"""The original text behind one decision, for the inspector."""

from __future__ import annotations

import json

from budgeteer.engine.content.conversation import Message, ReasoningPart, text_of
from budgeteer.engine.counting.library_measures import feature_text
from budgeteer.engine.packing.ledger import LedgerRows
from budgeteer.engine.packing.result import Packing
from budgeteer.engine.packing.sections.skill_block import skill_entry


def text_of_item(packing: Packing, index: int) -> str:
    """The whole text of the item at `index`; "" where it has none (a picture, sealed reasoning)."""
    rows, row = packing.ledger.place(index)
    bundle, chosen = packing.fitted_bundle, packing.chosen
    match rows.section:
        case "tools":
            return json.dumps(bundle.tools[chosen.tools.sequence[row]].raw, indent=2, ensure_ascii=False)
        case "skills":
            skill = bundle.skills[chosen.skills.sequence[row]]
            return skill_entry(skill, packing.config.skills_budget, short=False)
        case "features":
            return feature_text(bundle.features[chosen.features.sequence[row]])
        case "retrieval":
            return bundle.chunks[chosen.retrieval.sequence[row]].text
        case "history":
            return _history_text(packing, rows, row)
        case "query":
            return _message_text(bundle.query) if bundle.query else ""
        case _:
            return next((text.text for text in bundle.system if text.id == rows.ids[row]), "")


def _history_text(packing: Packing, rows: LedgerRows, row: int) -> str:
    summary = packing.chosen.history.summary
    if summary is not None and rows.ids[row] == summary.id:
        return summary.text
    message = row if rows.messages is None else int(rows.messages[row])
    if message >= 0:
        return _message_text(packing.bundle.history[message])
    blocks = packing.pruned.blocks if packing.pruned is not None else ()
    return next((block.text for block in blocks if block.decision_id == rows.ids[row]), "")


def _message_text(message: Message) -> str:
    text = text_of(message)
    thinking = [part.text for part in message.parts if isinstance(part, ReasoningPart) and part.text]
    return text or "\n\n".join(thinking)
