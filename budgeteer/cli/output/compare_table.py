"""Output of `budgeteer compare` for a terminal."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from budgeteer.cli.output.tables import shortened, table
from budgeteer.engine.analysis.compare.compare import Comparison, Moved
from budgeteer.engine.analysis.cost_and_usage import money
from budgeteer.engine.packing.ledger import Decision
from budgeteer.engine.packing.result import Packing

#: The largest moves that are shown; `--all` and `--json` have every one.
SHOWN_MOVES = 20
NAME_WIDTH = 40
SENTENCE_WIDTH = 80


def compare_table(found: Comparison, *, every: bool) -> str:
    """Verdicts, differences, sections, and what moved, largest first."""
    return "\n".join(_lines(found, every=every))


def _lines(found: Comparison, *, every: bool) -> Iterator[str]:
    for name, side in (("A", found.a), ("B", found.b)):
        yield f"{name}  {side.verdict.sentence}. {_sent(side)}"
    yield ""
    if not found.differences:
        yield "The configurations do not differ."
        return
    yield table(("differs", "A", "B"), [(one.path, _json(one.a), _json(one.b)) for one in found.differences])
    yield ""
    rows: list[tuple[object, ...]] = []
    for section in found.sections:
        a, b = section.a, section.b
        sizes = (a.size.tokens, b.size.tokens, b.size.tokens - a.size.tokens)
        rows.append((section.name, a.items, b.items, *sizes))
    totals = (found.a.total.tokens, found.b.total.tokens, found.delta.tokens)
    rows.append(("total", *(sum(int(str(row[at])) for row in rows) for at in (1, 2)), *totals))
    yield table(("section", "A items", "B items", "A tokens", "B tokens", "B - A"), rows)
    yield ""
    yield from _moves(found.moved, every=every)


def _moves(moved: Sequence[Moved], *, every: bool) -> Iterator[str]:
    if not moved:
        yield "Nothing moved."
        return
    largest = sorted(moved, key=_size, reverse=True)
    shown = largest if every else largest[:SHOWN_MOVES]
    yield table(("moved", "item", "name", "A", "B", "by", "why"), [_row(one) for one in shown])
    if len(shown) < len(moved):
        yield f"{len(shown):,} of {len(moved):,} items that moved are shown; --all shows every one."


def _row(one: Moved) -> tuple[object, ...]:
    how = " + ".join(one.cause.paths) + (f" (or {', '.join(one.cause.others)})" if one.cause.others else "")
    name, item = shortened(one.name, NAME_WIDTH), shortened(one.id, NAME_WIDTH)
    sentence = shortened(one.cause.sentence, SENTENCE_WIDTH)
    return (_size(one), item, name, _fate(one.a), _fate(one.b), how, sentence)


def _size(one: Moved) -> int:
    """By how many tokens an item moved."""
    return abs(_tokens(one.b) - _tokens(one.a))


def _tokens(side: Decision | None) -> int:
    return 0 if side is None else side.after.tokens


def _fate(side: Decision | None) -> str:
    return "-" if side is None else side.fate


def _sent(side: Packing) -> str:
    cost = side.cost
    price = "" if cost.uncached is None else f", {money(cost.uncached, cost.currency)} a request"
    return f"{side.total.tokens:,} tokens sent to {side.model}{price}."


def _json(written: object) -> str:
    return shortened(json.dumps(written, ensure_ascii=False), NAME_WIDTH)
