"""The rows of what fills the window: the largest items at the first request whose demand is above the limit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from budgeteer.presentation.labels import FATE_ICONS, FATE_NAMES, FATE_TONES
from budgeteer.presentation.sections import look_of
from budgeteer.workbench.item_content.whereabouts import ItemName, Whereabouts
from budgeteer.workbench.panels.messages.message_runs import page_of
from budgeteer.workbench.panels.timeline.study import Timeline
from budgeteer.workbench.preview import Packed
from budgeteer.workbench.state import PanelName, ViewState


@dataclass(frozen=True, slots=True)
class CauseRow:
    """One of the largest items at the first request whose demand is above the limit."""

    name: ItemName
    letter: str
    turn: str
    tokens: str
    percent: str
    width: str
    icon: str
    tone: str
    fate: str
    url: str


def causes_of(packed: Packed, timeline: Timeline, state: ViewState) -> Iterator[CauseRow]:
    """The rows, the largest first as the replay has them; each leads to its item."""
    ledger = packed.packing.ledger
    most = max((cause.tokens for cause in timeline.causes), default=1)
    messages, measures = ledger.messages(), packed.packing.bundle.history_measures
    where = Whereabouts.of(packed.packing)
    for cause in timeline.causes:
        index, named = packed.find(cause.id), cause.name or cause.id
        row = -1 if index is None else int(messages[index])
        turn = int(measures.turn[row]) if row >= 0 else 0
        decision = None if index is None else ledger.decision(index)
        fate = decision.fate if decision else "kept"
        is_talk = cause.section in {"history", "query"}
        url = state.query(
            view=PanelName.MESSAGES if is_talk else PanelName.MAP,
            sel=cause.id,
            open=cause.id if is_talk else "",
            filter="all",
            q="",
            page=page_of(packed, cause.id) if is_talk else 1,
        )
        yield CauseRow(
            name=ItemName("", named) if index is None else where.split(index, named),
            letter=decision.category if decision else look_of(cause.section).letter,
            turn=f"{turn:,}" if turn else "",
            tokens=f"+{cause.tokens:,}",
            percent=f"{cause.percent:.0f} %",
            width=f"{max(1.0, cause.tokens / most * 100):.1f}%",
            icon=FATE_ICONS[fate],
            tone=FATE_TONES[fate],
            fate=FATE_NAMES[fate],
            url=url,
        )
