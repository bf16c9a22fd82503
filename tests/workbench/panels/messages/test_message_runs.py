"""The lines of a list against a walk over its messages, one after the other."""

from __future__ import annotations

from itertools import pairwise
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from budgeteer.engine.packing.ledger import ADDED, DROPPED, FATES, SUMMARISED
from budgeteer.workbench.panels.messages.message_runs import FOLDED_FROM, MessageTable, lines_of

type Line = tuple[str, int, int]


def table_of(random: np.random.Generator, count: int) -> MessageTable:
    """Messages in turns, some before the first, with fates in stretches."""
    fates = np.repeat(random.integers(0, len(FATES), count + 1), random.integers(1, 6, count + 1))
    fate = np.resize(fates, 2 * count + 1).astype(np.int8)
    index = np.sort(random.choice(2 * count + 1, count, replace=False)).astype(np.int64)
    turn = np.sort(random.integers(-1, 6, count)).astype(np.int64)
    ledger = cast("Any", SimpleNamespace(fate=fate))
    return MessageTable(ledger, index, index, turn, index, 0, str)


def walked(table: MessageTable, chosen: list[int], *, folds: bool, opened: int | None) -> list[Line]:
    fate, turn = table.fate.tolist(), table.turn.tolist()
    runs: list[list[int]] = []
    for before, at in pairwise([-2, *chosen]):
        if before >= 0 and at == before + 1 and fate[at] == fate[before]:
            runs[-1].append(at)
        else:
            runs.append([at])
    found: list[Line] = []
    last_turn = -1
    for run in runs:
        is_gone = fate[run[0]] in {DROPPED, SUMMARISED} and len(run) >= FOLDED_FROM
        is_opened = opened is not None and table.index[run[0]] <= opened <= table.index[run[-1]]
        if folds and is_gone and not is_opened:
            found.append(("folded", run[0], run[-1]))
            continue
        for at in run:
            if turn[at] >= 0 and turn[at] != last_turn:
                last_turn = turn[at]
                said = [one for one, number in enumerate(turn) if number == last_turn and fate[one] != ADDED]
                found.append(("turn", at, said[0] if said else at))
            found.append(("message", at, at))
    return found


@pytest.mark.parametrize("seed", range(40))
def test_lines_are_those_of_a_walk(seed: int) -> None:
    random = np.random.default_rng(seed)
    for _ in range(50):
        count = int(random.integers(0, 40))
        table = table_of(random, count)
        chosen = np.flatnonzero(random.random(count) < random.choice([1.0, 0.6, 0.1]))
        opened = int(random.integers(0, 2 * count + 1)) if random.random() < 0.5 else None
        for folds in (True, False):
            lines = lines_of(table, chosen, folds=folds, opened=opened)
            found = lines.between(0, len(lines))
            wanted = walked(table, chosen.tolist(), folds=folds, opened=opened)
            assert [(line.kind, line.first, line.last) for line in found] == wanted
            for number, line in enumerate(found):
                assert line.kind == "turn" or lines.line_of(line.first) == number
