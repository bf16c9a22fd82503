"""A packing as text for a terminal: verdict, sections, warnings, the largest items left out."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from budgeteer.cli.output.tables import number, shortened, table
from budgeteer.engine.analysis.before_after import before_after
from budgeteer.engine.analysis.cost_and_usage import facts_of
from budgeteer.engine.analysis.counted_text import counted_text
from budgeteer.engine.config.size_limits import NO_LIMIT, is_no_limit
from budgeteer.engine.packing.ledger import FATES, SECTIONS, Ledger
from budgeteer.engine.packing.result import Packing
from budgeteer.engine.rendering.validity import check_packing

#: The biggest items not sent that are shown; `--json` has every decision.
SHOWN_DROPS = 10
NAME_WIDTH = 40
SENTENCE_WIDTH = 100

#: The fates that have a column.
SHORTENED = ("truncated", "summarised", "dropped")


def summary(packing: Packing) -> str:
    """The summary, lines separated by line ends, no colour."""
    return "\n".join(_lines(packing))


def before_and_after(packing: Packing) -> str:
    """The seed's table: every component with nothing limited and instructions prepended, and as it is packed."""
    rows: list[tuple[object, ...]] = []
    for one in before_after(packing):
        sizes = (one.before.items, one.before.size.tokens, one.after.items, one.after.size.tokens)
        rows.append((one.name, one.before.where, *sizes[:2], one.after.where, *sizes[2:]))
    sums = [sum(int(str(row[at])) for row in rows) for at in (2, 3, 5, 6)]
    rows.append(("total", "", *sums[:2], "", *sums[2:]))
    return table(("component", "before", "items", "tokens", "after", "items", "tokens"), rows)


def _lines(packing: Packing) -> Iterator[str]:
    yield f"{packing.verdict.sentence}."
    yield _sizes(packing)
    yield _limits(packing)
    if packing.error is not None:
        yield packing.error.sentence
    yield ""
    yield _sections(packing)
    if packing.warnings:
        yield ""
        rows = [(one.level, one.limit, shortened(one.sentence, SENTENCE_WIDTH)) for one in packing.warnings]
        yield table(("warning", "limit", ""), rows)
    drops = _drops(packing.ledger)
    if drops:
        yield ""
        yield table(("not sent", "item", "name", "why"), drops)
    facts = facts_of(packing)
    if facts:
        yield ""
        yield from facts
    failed = [check.sentence for check in check_packing(packing) if not check.ok]
    if failed:
        yield ""
        yield from failed


def _sizes(packing: Packing) -> str:
    """What is sent of what may be; what was asked for comes last."""
    verdict = packing.verdict
    said = f"{number(verdict.sent_tokens)} of {number(verdict.limit_tokens)} tokens"
    free = f", {number(verdict.free_tokens)} free" if packing.fits else ""
    return f"{said}{free}; {number(verdict.asked_tokens)} requested."


def _limits(packing: Packing) -> str:
    margin = f", less a safety margin of {packing.safety_margin_percent} %" if packing.safety_margin_percent else ""
    return (
        f"{packing.model}: window {number(packing.window)}, reply {number(packing.output_reserve)}, "
        f"prompt {number(packing.input_budget)} tokens{margin}; "
        f"counted with {packing.tokenizer} ({counted_text(packing)})."
    )


def _limit(value: int | None) -> int | str | None:
    return NO_LIMIT if is_no_limit(value) else value


def _sections(packing: Packing) -> str:
    ledger = packing.ledger
    rows: list[tuple[object, ...]] = []
    for section in packing.sections:
        mine = ledger.fate[ledger.section == SECTIONS.index(section.name)]
        went = [int((mine == FATES.index(fate)).sum()) for fate in SHORTENED]
        asked, sent = section.demand, section.after
        sizes = (asked.size.tokens, sent.size.tokens, sent.size.chars)
        rows.append(
            (
                section.name,
                asked.items,
                sent.items,
                *went,
                *sizes,
                _limit(section.limit_tokens),
                _limit(section.limit_chars),
            )
        )
    sums = [sum(int(str(row[at])) for row in rows) for at in range(1, len(SHORTENED) + 4)]
    rows.append(("total", *sums, packing.total.tokens, packing.total.chars, None, None))
    return table(
        ("section", "items", "sent", *SHORTENED, "asked for", "tokens", "characters", "max tokens", "max chars"), rows
    )


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
