"""Tables of a workspace as CSV: every item, every request of the timeline, every step of the sweep."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from budgeteer.engine.packing.ledger import DRAWN
from budgeteer.presentation.csv_text import csv_text
from budgeteer.workbench.item_content.whereabouts import Whereabouts
from budgeteer.workbench.panels.sweep.study import SweptLimit
from budgeteer.workbench.panels.timeline.study import Timeline
from budgeteer.workbench.preview import Packed

ITEM_COLUMNS: Final = (
    "id",
    "short_id",
    "turn",
    "section",
    "category",
    "name",
    "fate",
    "rule",
    "reason",
    "before_tokens",
    "before_chars",
    "after_tokens",
    "after_chars",
    "kind",
    "group",
    "pinned",
)
REQUEST_COLUMNS: Final = ("request", "turn", "requested_tokens", "sent_tokens", "above_limit_tokens", "reported_tokens")
STEP_COLUMNS: Final = ("from_value", "sent_tokens", "kept_items", "fits")


def items_csv(packed: Packed) -> str:
    """Every item, and the overhead of each section, so that the column `after_tokens` adds up to the total."""
    return csv_text(ITEM_COLUMNS, _items(packed))


def _items(packed: Packed) -> Iterator[tuple[object, ...]]:
    ledger, where = packed.packing.ledger, Whereabouts.of(packed.packing)
    names = packed.names_of(range(len(ledger)))
    for index, one in enumerate(ledger):
        row, turn = int(where.row[index]), int(where.turn[index])
        yield (
            one.id,
            where.name(row) if row >= 0 else "",
            turn if turn >= 0 else "",
            one.section,
            one.category,
            names[index],
            one.fate,
            one.rule,
            one.sentence,
            one.before.tokens,
            one.before.chars,
            one.after.tokens,
            one.after.chars,
            one.kind,
            one.group or "",
            "yes" if one.pinned else "no",
        )
    for entry in ledger.overhead:
        sizes = (entry.size.tokens, entry.size.chars) * 2
        yield ("", "", "", entry.section, "", entry.name, "overhead", "", "", *sizes, entry.kind, "", "no")


def timeline_csv(timeline: Timeline) -> str:
    """Every request of the timeline, with what each category asks for."""
    letters = [letter for letter in DRAWN if letter in timeline.by_letter]
    reported = dict(timeline.reported)
    columns = (*REQUEST_COLUMNS, *(f"{DRAWN[letter].lower().replace(' ', '_')}_tokens" for letter in letters))
    return csv_text(
        columns,
        (
            (
                at + 1,
                timeline.turns[at],
                asked,
                timeline.sent[at],
                max(asked - timeline.limit, 0),
                reported.get(at, ""),
                *(timeline.by_letter[letter][at] for letter in letters),
            )
            for at, asked in enumerate(timeline.asked)
        ),
    )


def sweep_csv(swept: SweptLimit) -> str:
    """Every step of the sweep: what holds from a value on."""
    names = list(dict.fromkeys(name for step in swept.steps for name in step.sections))
    return csv_text(
        (*STEP_COLUMNS, *(f"{name}_tokens" for name in names)),
        (
            (
                f"{step.at:.0f}",
                step.tokens,
                step.kept,
                "yes" if step.fits else "no",
                *(step.sections.get(name, 0) for name in names),
            )
            for step in swept.steps
        ),
    )
