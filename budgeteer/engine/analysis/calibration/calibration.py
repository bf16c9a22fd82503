"""A calibration: what a model's provider records for what Budgeteer counts, with how far off it is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from budgeteer.engine.analysis.calibration.recorded_growth import (
    LeftOut,
    ModelRecords,
    RecordedGrowth,
    records_by_model,
)
from budgeteer.engine.analysis.calibration.robust_regression import Floats, robust_fit
from budgeteer.engine.content.conversation import Conversation

MIN_REQUESTS: Final = 20
"""Fewer requests give no calibration: five for each of four coefficients."""

_FOLDS: Final = 5


@dataclass(frozen=True, slots=True)
class CountError:
    """How far counted tokens are from recorded ones; a share of 1 each.

    Attributes:
        total: counted over recorded of all requests together, less 1; below 0 where too little is counted.
        median, p95: of the requests' own errors, without their sign; p99_under: the share by which the count of one
            request in a hundred is too small, 0 where none is: what a safety margin has to cover.
    """

    total: float
    median: float
    p95: float
    p99_under: float

    def to_json(self) -> dict[str, Any]:
        """The four, rounded to a hundredth of a percent."""
        named = {"total": self.total, "median": self.median, "p95": self.p95, "p99Under": self.p99_under}
        return {name: round(value, 4) for name, value in named.items()}


@dataclass(frozen=True, slots=True)
class Coefficients:
    """Recorded tokens for each token counted, and for each text, call with its result, and parameter of a call."""

    per_token: float
    per_text: float
    per_call: float
    per_parameter: float

    def to_json(self) -> dict[str, Any]:
        """The four, rounded."""
        return {
            "perToken": round(self.per_token, 4),
            "perText": round(self.per_text, 2),
            "perCall": round(self.per_call, 2),
            "perParameter": round(self.per_parameter, 2),
        }


@dataclass(frozen=True, slots=True)
class Calibration:
    """One model's counts held against what was recorded.

    Attributes:
        records: the requests.
        recorded_tokens: by how much the inputs grew in all, of the requests that are used.
        counted: the error of what a packing charges today; None where no request is used.
        coefficients, fitted: what fits best, and its error on requests that it was not fitted to (five folds); None
            where fewer than MIN_REQUESTS are used.
    """

    records: ModelRecords
    recorded_tokens: int
    counted: CountError | None
    coefficients: Coefficients | None
    fitted: CountError | None

    def to_json(self) -> dict[str, Any]:
        """Every figure as plain data."""
        records = self.records
        left_out = {reason.name.lower(): records.left_out[reason] for reason in LeftOut if records.left_out[reason]}
        return {
            "model": records.model,
            "tokenizer": records.tokenizer,
            "requests": records.requests,
            "requestsUsed": len(records.growths),
            "leftOut": left_out,
            "recordedTokens": self.recorded_tokens,
            "countedError": self.counted.to_json() if self.counted else None,
            "coefficients": self.coefficients.to_json() if self.coefficients else None,
            "fittedError": self.fitted.to_json() if self.fitted else None,
        }


def calibrate(conversations: Iterable[Conversation], *, model: str = "", tokenizer: str = "") -> list[Calibration]:
    """Hold the counts of every model against what was recorded of its requests; see `records_by_model`.

    Raises:
        TokenizerUnavailable: `tokenizer` is not one that is known here.
    """
    return [_calibration(records) for records in records_by_model(conversations, model=model, tokenizer=tokenizer)]


def _calibration(records: ModelRecords) -> Calibration:
    growths = records.growths
    recorded = np.array([one.recorded_tokens for one in growths], np.float64)
    if not growths:
        return Calibration(records, 0, None, None, None)
    counted = np.array([one.counted_tokens for one in growths], np.float64)
    coefficients = fitted = None
    if len(growths) >= MIN_REQUESTS:
        columns = _columns(growths)
        coefficients = Coefficients(*robust_fit(columns, recorded).tolist())
        fitted = count_error(_predicted(columns, recorded), recorded)
    return Calibration(records, int(recorded.sum()), count_error(counted, recorded), coefficients, fitted)


def _columns(growths: Sequence[RecordedGrowth]) -> Floats:
    rows = [(one.text_tokens, one.texts, one.calls, one.parameters) for one in growths]
    return np.array(rows, np.float64)


def _predicted(columns: Floats, recorded: Floats) -> Floats:
    """What each request is predicted to have grown by, from those that are in other folds."""
    fold = np.arange(len(recorded)) % _FOLDS
    predicted = np.zeros(len(recorded))
    for number in range(_FOLDS):
        inside = fold == number
        predicted[inside] = columns[inside] @ robust_fit(columns[~inside], recorded[~inside])
    return predicted


def count_error(counted: Floats, recorded: Floats) -> CountError:
    """How far the counts of requests are from what was recorded of them, both in tokens and above zero."""
    relative = counted / recorded - 1
    size = np.abs(relative)
    return CountError(
        total=float(counted.sum() / recorded.sum() - 1),
        median=float(np.median(size)),
        p95=float(np.quantile(size, 0.95)),
        p99_under=max(0.0, -float(np.quantile(relative, 0.01))),
    )
