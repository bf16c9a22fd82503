"""What the page of accuracy says of totals: how sure they are, and which requests grew by what no file shows."""

import numpy as np
import pytest

from benchmarks.accuracy.recorded_counts import UNSEEN_SHARE, UNSEEN_TOKENS, interval, is_unseen


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


def test_a_request_is_set_aside_only_where_it_is_off_in_tokens_and_as_a_share() -> None:
    recorded = np.array([100.0, 100.0, 1_000.0, 100_000.0, 1_000.0])
    off = np.array([UNSEEN_TOKENS, -UNSEEN_TOKENS - 1, UNSEEN_TOKENS + 1, 100_000 * UNSEEN_SHARE, 1_000 * UNSEEN_SHARE])
    assert is_unseen(recorded - off, recorded).tolist() == [False, False, True, False, False]
