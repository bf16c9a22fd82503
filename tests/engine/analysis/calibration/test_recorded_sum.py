"""What was recorded is the sum of what was counted, what no file shows, and what the count is off by."""

from __future__ import annotations

import numpy as np

from budgeteer.engine.analysis.calibration.recorded_growth import RecordedGrowth
from budgeteer.engine.analysis.calibration.recorded_sum import UNSEEN_SHARE, UNSEEN_TOKENS, is_unseen, recorded_sum


def growth(recorded: int, counted: int, unwritten: int = 0) -> RecordedGrowth:
    return RecordedGrowth(recorded, counted, counted, 0, 0, 0, 10_000, 0, unwritten)


def test_a_request_grew_by_what_no_file_shows_only_beyond_both() -> None:
    recorded = np.array([100.0, 100.0, 1_000.0, 100_000.0, 1_000.0])
    off = np.array([UNSEEN_TOKENS, -UNSEEN_TOKENS - 1, UNSEEN_TOKENS + 1, 100_000 * UNSEEN_SHARE, 1_000 * UNSEEN_SHARE])
    assert is_unseen(recorded - off, recorded).tolist() == [False, False, True, False, False]


def test_the_parts_add_up() -> None:
    found = recorded_sum([growth(1_000, 100), growth(500, 490, 110), growth(400, 480)])
    assert (found.recorded, found.counted, found.by_rule) == (1_900, 1_070, 110)
    assert (found.not_in_file, found.unseen_requests, found.off) == (900, 1, -70)
    assert found.counted + found.not_in_file + found.off == found.recorded
    assert found.to_json() == {"counted": 1_070, "byRule": 110, "notInFile": 900, "notInFileRequests": 1, "off": -70}


def test_nothing_is_a_sum_of_nothing() -> None:
    assert recorded_sum([]).to_json() == dict.fromkeys(
        ("counted", "byRule", "notInFile", "notInFileRequests", "off"), 0
    )
