"""Output of `budgeteer sweep` for a terminal."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from budgeteer.cli.output.tables import table
from budgeteer.engine.analysis.sweep.axes import MOST, Unit
from budgeteer.engine.analysis.sweep.sweep import Sweep
from budgeteer.engine.packing.ledger import SECTIONS

#: What a unit is called where it stands for itself.
UNIT_WORDS: Mapping[Unit, str] = {"share": "shares of what is available"}

#: So many steps are shown of a sweep that has more.
SHOWN_STEPS = 24


def sweep_table(swept: Sweep, *, every: bool) -> str:
    """The steps with their tokens by section; of many, a selection at even distances with what is marked."""
    steps = len(swept.steps)
    marks = _marks(swept)
    shown = list(range(steps))
    if not every and steps > SHOWN_STEPS:
        even = np.linspace(0, steps - 1, SHOWN_STEPS).round().astype(int).tolist()
        shown = sorted({*even, *marks})
    present = {section.name for step in swept.steps for section in step.answer.sections}
    sections = [name for name in SECTIONS if name in present]
    rows: list[tuple[object, ...]] = []
    for at in shown:
        step = swept.steps[at]
        tokens = {section.name: section.size.tokens for section in step.answer.sections}
        words = [*marks.get(at, []), *([] if step.answer.fits else ["cannot fit"])]
        sizes = [tokens.get(name, 0) for name in sections]
        rows.append((value(step.at), step.answer.size.tokens, step.answer.kept, *sizes, ", ".join(words)))
    lines = [_head(swept), "", table(("from", "tokens", "kept", *sections, ""), rows)]
    if not any(step.answer.fits for step in swept.steps):
        lines.append("The prompt fits at no value of this limit: `budgeteer fit` proposes other changes.")
    if len(shown) < steps:
        lines.append(f"{len(shown)} of {steps:,} steps are shown; --all shows every one.")
    return "\n".join(lines)


def value(number: float) -> int | str:
    """A value of a limit: whole numbers as they are, shares to four digits."""
    return number if isinstance(number, int) else f"{number:.4f}"


def _head(swept: Sweep) -> str:
    steps = len(swept.steps)
    first, last = (_text(end) for end in (swept.first, swept.last))
    between = f"from {first} on" if swept.last == MOST else f"from {first} to {last}"
    turns = "changes nothing" if steps == 1 else f"changes the answer {steps - 1:,} times"
    current = "it is not set" if swept.current is None else f"it is {_text(swept.current)} now"
    return f"{swept.path}, in {UNIT_WORDS.get(swept.unit, swept.unit)}, {turns} {between}; {current}."


def _text(number: float) -> str:
    return f"{number:,}" if isinstance(number, int) else f"{number:.4f}"


def _marks(swept: Sweep) -> dict[int, list[str]]:
    """The words beside a step, by its index."""
    marks: dict[int, list[str]] = {}
    if swept.current_step is not None:
        marks.setdefault(swept.current_step, []).append("current")
    if swept.knee is not None:
        marks.setdefault(swept.knee, []).append("knee")
    return marks
