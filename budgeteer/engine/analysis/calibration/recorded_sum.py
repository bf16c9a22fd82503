"""What was recorded of a model's requests as a sum: counted, not in the file, and off beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from budgeteer.engine.analysis.calibration.recorded_growth import RecordedGrowth
from budgeteer.engine.analysis.calibration.robust_regression import Floats

#: A request that grew by more than was counted, by more than both, grew by what its file does not show. Of the requests
#: of pi, which adds nothing of its own, that go on with results alone, none does (docs/accuracy.md).
UNSEEN_TOKENS: Final = 50
UNSEEN_SHARE: Final = 0.02


@dataclass(frozen=True, slots=True)
class RecordedSum:
    """The growth of requests in tokens: `recorded` is the sum of `counted`, `not_in_file` and `off`.

    Attributes:
        counted: what a packing charges, with `by_rule`.
        by_rule: what their program is known to have added without a text in the file.
        not_in_file: what `unseen_requests` grew by more than was counted.
        off: what is left; below 0 where more was counted.
    """

    recorded: int
    counted: int
    by_rule: int
    not_in_file: int
    unseen_requests: int

    @property
    def off(self) -> int:
        """What the count is off by beside what is not in the file."""
        return self.recorded - self.counted - self.not_in_file

    def to_json(self) -> dict[str, Any]:
        """The figures as plain data."""
        return {
            "counted": self.counted,
            "byRule": self.by_rule,
            "notInFile": self.not_in_file,
            "notInFileRequests": self.unseen_requests,
            "off": self.off,
        }


def recorded_sum(growths: Sequence[RecordedGrowth]) -> RecordedSum:
    """The sum over requests that can be held against their counts."""
    counted = np.array([growth.counted_tokens for growth in growths], np.float64)
    recorded = np.array([growth.recorded_tokens for growth in growths], np.float64)
    unseen = is_unseen(counted, recorded)
    return RecordedSum(
        recorded=int(recorded.sum()),
        counted=int(counted.sum()),
        by_rule=sum(growth.unwritten_tokens for growth in growths),
        not_in_file=int((recorded - counted)[unseen].sum()),
        unseen_requests=int(unseen.sum()),
    )


def is_unseen(counted: Floats, recorded: Floats) -> NDArray[np.bool_]:
    """Which requests grew by more than a count of what the file shows is ever short by."""
    short = recorded - counted
    unseen: NDArray[np.bool_] = (short > UNSEEN_TOKENS) & (short > UNSEEN_SHARE * recorded)
    return unseen
