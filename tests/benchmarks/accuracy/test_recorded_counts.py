"""What the page of accuracy says of totals: how sure they are."""

import numpy as np
import pytest

from benchmarks.accuracy.recorded_counts import interval


def test_an_interval_holds_the_total_and_grows_with_the_differences_between_stretches() -> None:
    recorded = np.full(400, 1_000.0)
    stretch = np.repeat(np.arange(20), 20)
    alike = np.full(400, 980.0)
    one_off = np.where(stretch == 3, 600.0, 1_000.0)
    assert interval(alike, recorded, stretch) == pytest.approx((-0.02, -0.02))
    low, high = interval(one_off, recorded, stretch)
    assert low < -0.04 < one_off.sum() / recorded.sum() - 1 < high <= 0


def test_the_same_stretches_give_the_same_interval() -> None:
    stretch = np.array([0, 0, 1, 2])
    counted, recorded = np.array([9.0, 11.0, 30.0, 45.0]), np.array([10.0, 10.0, 30.0, 50.0])
    assert interval(counted, recorded, stretch) == interval(counted, recorded, stretch)
