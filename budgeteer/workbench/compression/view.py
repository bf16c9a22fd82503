"""What the messages view and the inspector show of compress ranges and blocks."""

from __future__ import annotations

from dataclasses import dataclass

from budgeteer.workbench.compression.ranges import (
    BlockView,
    CompressionDraft,
    RangeChoice,
    block_shown,
    open_blocks,
    range_of,
)
from budgeteer.workbench.preview import Packed
from budgeteer.workbench.state import PanelName, ViewState


@dataclass(frozen=True, slots=True)
class CompressionView:
    """A chosen range with what is being written for it, the selected block, and the blocks that stand open.

    `links` choose a range from the selected message on, for those who use no pointer; `cancel_url` chooses none.
    """

    range: RangeChoice | None
    draft: CompressionDraft
    cancel_url: str
    links: tuple[tuple[str, str], ...]
    block: BlockView | None
    open_blocks: tuple[BlockView, ...]


def compressing_shown(packed: Packed, state: ViewState, draft: CompressionDraft) -> CompressionView:
    """What the address and the packing come to."""
    return CompressionView(
        range=range_of(packed.packing, state),
        draft=draft,
        cancel_url=state.query(start=0, end=0),
        links=_links(packed, state),
        block=block_shown(packed.packing, state.sel),
        open_blocks=open_blocks(packed.packing),
    )


def _links(packed: Packed, state: ViewState) -> tuple[tuple[str, str], ...]:
    index = packed.find(state.sel) if state.sel else None
    number = 0 if index is None else int(packed.packing.ledger.messages()[index]) + 1
    if not number:
        return ()
    links = [("Compress from here", state.query(view=PanelName.MESSAGES, start=number, end=number))]
    if state.start and state.start != number:
        first, last = sorted((state.start, number))
        links.append(("Compress up to here", state.query(view=PanelName.MESSAGES, start=first, end=last)))
    return tuple(links)
