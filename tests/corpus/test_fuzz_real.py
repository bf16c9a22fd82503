"""Damaged copies of real files and of our own (`make fuzz` tries 20,000): an import or a sentence, in bounded time."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.examples import examples
from tests.formats.fuzz import bases
from tests.formats.fuzzing import read_both_ways, run_cases

pytestmark = pytest.mark.slow
PARTS = 8
CASES = examples(20_000) // PARTS * PARTS


def test_real_files_read_where_they_lie_tell_the_same() -> None:
    assert read_both_ways(bases(), range(2_000)) > 500


@settings(deadline=None, max_examples=examples(800), database=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.integers(min_value=0))
def test_damaged_files_of_any_seed(seed: int) -> None:
    run_cases(bases(), range(1, 3), seed=seed)


@pytest.mark.parametrize("part", range(PARTS))
def test_damaged_files_are_imported_or_refused_by_a_sentence(part: int) -> None:
    told = run_cases(bases(), range(part * CASES // PARTS, (part + 1) * CASES // PARTS))
    assert told.imported + told.refused == CASES // PARTS
    assert min(told.imported, told.refused, told.read, told.accounted) > CASES // PARTS // 50, told
