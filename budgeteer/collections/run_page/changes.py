"""Conversations of an evaluation that change sides between two configurations."""

from __future__ import annotations

from dataclasses import dataclass

from budgeteer.collections.row_columns import LEVELS
from budgeteer.collections.run_page.conversations import LEVEL_WORDS
from budgeteer.collections.run_page.figures import letter_of
from budgeteer.collections.run_state import RunState
from budgeteer.engine.analysis.evaluation.evaluation import Evaluation
from budgeteer.engine.packing.verdict_text import Level
from budgeteer.presentation.labels import count_of


@dataclass(frozen=True, slots=True)
class ChangeCell:
    """How many conversations are at one level under A and at another under B; `url` lists them."""

    count: str
    url: str
    is_same: bool
    is_chosen: bool


@dataclass(frozen=True, slots=True)
class ChangeTable:
    """A pair of configurations: by level under A a row, by level under B a cell."""

    a: str
    b: str
    sentence: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, tuple[ChangeCell, ...]], ...]


@dataclass(frozen=True, slots=True)
class PairChoice:
    """A pair of configurations that can be compared; `count` is how many conversations have another verdict."""

    title: str
    count: str
    url: str
    is_on: bool


def pair_choices(found: Evaluation, state: RunState) -> tuple[PairChoice, ...]:
    """Every two configurations that were compared."""
    return tuple(
        PairChoice(
            f"{letter_of(a)} against {letter_of(b)}",
            f"{sides.changing:,}",
            f"{state.query(a=a, b=b, before='', after='', page=1)}#sides",
            (a, b) == _pair(found, state),
        )
        for (a, b), sides in sorted(found.sides.items())
    )


def _pair(found: Evaluation, state: RunState) -> tuple[int, int]:
    """The pair that is shown, the earlier configuration first; where none is chosen, that of most changes."""
    if state.pair is not None:
        return state.pair
    return max(sorted(found.sides), key=lambda pair: found.sides[pair].changing, default=(0, 1))


def change_table(found: Evaluation, state: RunState) -> ChangeTable | None:
    """How many conversations change sides between the two configurations chosen; None where none were compared."""
    pair = _pair(found, state)
    if pair not in found.sides:
        return None
    sides = found.sides[pair]
    a, b = (found.totals[place] for place in pair)
    used = [level for level in LEVELS if any(level in levels for levels in sides.levels)]

    def cell(before: Level, after: Level) -> ChangeCell:
        count = sides.levels[before, after]
        url = f"{state.query(a=pair[0], b=pair[1], before=before, after=after, low=-1, high=-1, page=1)}#behind"
        chosen = (state.before, state.after) == (before, after)
        return ChangeCell(f"{count:,}", url if count else "", before == after, chosen)

    changing = sides.changing
    sentence = (
        f"{count_of(changing, 'conversation')} {'changes' if changing == 1 else 'change'} verdict "
        f"from {letter_of(pair[0])} to {letter_of(pair[1])}."
        if changing
        else "Every conversation has the same verdict under both."
    )
    rows = tuple((LEVEL_WORDS[before], tuple(cell(before, after) for after in used)) for before in used)
    named = (f"{letter_of(place)}: {one.name}" for place, one in zip(pair, (a, b), strict=True))
    return ChangeTable(next(named), next(named), sentence, tuple(LEVEL_WORDS[level] for level in used), rows)
