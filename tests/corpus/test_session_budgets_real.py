"""Real sessions at a half and at a hundredth of their size: valid, within budget, not empty, with their task.

`python -m benchmarks.accuracy.session_budgets` tries all of them, at five sizes; here a dozen of the shorter ones.
"""

from __future__ import annotations

from itertools import islice

import pytest

from benchmarks.accuracy.session_budgets import packings, sessions
from tests.corpus.test_packing_real import CORPUS

pytestmark = pytest.mark.corpus
FEWEST, MOST, SESSIONS = 20, 300, 12


def test_every_strategy_and_provider_keeps_its_promises_at_shares_of_a_session() -> None:
    fitting = ((name, talk) for name, talk in sessions(CORPUS / "conversations", FEWEST) if len(talk.messages) <= MOST)
    rows = [row for name, talk in islice(fitting, SESSIONS) for row in packings(name, talk, (50, 1))]
    broken = [row for row in rows if row.outcome not in ("fits", "cannot fit")]
    assert broken == []
    assert len({row.session for row in rows}) >= SESSIONS // 2
    # At a half most fit; what does not needs more for its system text or its task alone, as the benchmark checks.
    halves = [row.outcome for row in rows if row.percent == 50]
    assert halves.count("fits") > len(halves) // 2
