"""A packing as a person reads it on a terminal: verdict, sections, warnings, the biggest things left out."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from budgeteer.cli.tables import number, shortened, table
from budgeteer.engine.ledger import FATES, SECTIONS, Ledger
from budgeteer.engine.result import Packing
from budgeteer.engine.validity import check_packing

#: The biggest items not sent that are shown; `--json` has every decision.
SHOWN_DROPS = 10
NAME_WIDTH = 40
SENTENCE_WIDTH = 100


def summary(packing: Packing) -> str:
    """The summary, lines separated by line ends, no colour."""
    return "\n".join(_lines(packing))


def _lines(packing: Packing) -> Iterator[str]:
    yield packing.verdict.sentence
    yield _limits(packing)
    if packing.error is not None and packing.error.sentence != packing.verdict.sentence:
        yield packing.error.sentence
    yield ""
    yield _sections(packing)
    if packing.unknown:
        yield ""
        yield f"{len(packing.unknown):,} parts have no published token formula and stand outside the total."
    if packing.warnings:
        yield ""
        rows = [(one.level, one.limit, shortened(one.sentence, SENTENCE_WIDTH)) for one in packing.warnings]
        yield table(("warning", "limit", ""), rows)
    drops = _drops(packing.ledger)
    if drops:
        yield ""
        yield table(("not sent", "item", "name", "why"), drops)
    failed = [check.sentence for check in check_packing(packing) if not check.ok]
    if failed:
        yield ""
        yield from failed


def _limits(packing: Packing) -> str:
    margin = f", less a safety margin of {packing.safety_margin_percent} %" if packing.safety_margin_percent else ""
    return (
        f"{packing.model}: window {number(packing.window)}, reply {number(packing.output_reserve)}, "
        f"prompt {number(packing.input_budget)} tokens{margin}; counted with {packing.tokenizer} ({packing.kind})."
    )


def _sections(packing: Packing) -> str:
    ledger = packing.ledger
    fates = {fate: index for index, fate in enumerate(FATES)}
    rows: list[tuple[object, ...]] = []
    for section in packing.sections:
        mine = ledger.fate[ledger.section == SECTIONS.index(section.name)]
        dropped = int((mine == fates["dropped"]).sum())
        cut = int(np.isin(mine, (fates["truncated"], fates["summarised"])).sum())
        rows.append(
            (
                section.name,
                section.demand.items,
                section.after.items,
                cut,
                dropped,
                section.demand.size.tokens,
                section.after.size.tokens,
                section.after.size.chars,
                section.limit_tokens,
                section.limit_chars,
            )
        )
    total = packing.total
    rows.append(
        (
            "total",
            *(sum(int(str(row[at])) for row in rows) for at in range(1, 6)),
            total.tokens,
            total.chars,
            None,
            None,
        )
    )
    header = (
        "section",
        "items",
        "sent",
        "cut",
        "dropped",
        "asked",
        "tokens",
        "characters",
        "limit (tokens)",
        "(chars)",
    )
    return table(header, rows)


def _drops(ledger: Ledger) -> list[tuple[object, ...]]:
    lost = ledger.before_tokens - ledger.after_tokens
    biggest = np.argsort(-lost, kind="stable")[:SHOWN_DROPS]
    found = [ledger.decision(int(index)) for index in biggest if lost[index] > 0]
    return [
        (
            one.before.tokens - one.after.tokens,
            shortened(one.id, NAME_WIDTH),
            shortened(one.name, NAME_WIDTH),
            shortened(one.sentence, SENTENCE_WIDTH),
        )
        for one in found
    ]
