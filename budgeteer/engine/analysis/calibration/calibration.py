"""A calibration: what a model's provider records for what Budgeteer counts, with how far off it is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, get_args

import numpy as np
from numpy.typing import NDArray

from budgeteer.engine.analysis.calibration.recorded_growth import (
    LeftOut,
    ModelRecords,
    RecordedGrowth,
    records_by_model,
)
from budgeteer.engine.analysis.calibration.recorded_sum import RecordedSum, recorded_sum
from budgeteer.engine.analysis.calibration.robust_regression import Floats, robust_fit
from budgeteer.engine.config.schema import (
    LEAST_PER_TOKEN,
    MOST_CHARGE,
    MOST_PER_TOKEN,
    CalibratedTokenizer,
    ModelCalibration,
)
from budgeteer.engine.content.conversation import Conversation

MIN_REQUESTS: Final = 20
"""Fewer requests give no calibration: five for each of four coefficients."""

MOST_OFF: Final = 0.5
"""Counts whose inputs are further off than this share are of something else."""

_FOLDS: Final = 5
#: A charge is fitted where at least so many requests have it.
_FEW: Final = 10


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
class WholeInputError:
    """How far the counted inputs of requests are from recorded ones, each with what its file does not hold.

    An input is what was recorded of the first request that can be held against a count, and every growth since. What a
    packing is too small by is this: errors of single growths are much larger, and are few beside what was there before.

    Attributes:
        median, p95: of the requests' errors, without their sign, shares of 1.
        p99_under: the share by which one input in a hundred is too small, 0 where none is.
    """

    median: float
    p95: float
    p99_under: float

    def to_json(self) -> dict[str, float]:
        """The three, rounded to a hundredth of a percent."""
        named = {"median": self.median, "p95": self.p95, "p99Under": self.p99_under}
        return {name: min(round(value, 4), 0.9999) for name, value in named.items()}


@dataclass(frozen=True, slots=True)
class Coefficients:
    """Recorded tokens for each token counted, and for what stands around texts: whole tokens, as a packing charges.

    A message is one that neither calls a tool nor answers a call; a call is counted with its result.
    """

    per_token: float
    per_message: int
    per_call: int
    per_parameter: int

    def to_json(self) -> dict[str, Any]:
        """The four, in the names of the configuration."""
        return {
            "perToken": self.per_token,
            "perMessage": self.per_message,
            "perCall": self.per_call,
            "perParameter": self.per_parameter,
        }

    def predicted(self, columns: Floats) -> Floats:
        """What requests are charged, of `_columns`."""
        charged: Floats = columns @ np.array([self.per_token, self.per_message, self.per_call, self.per_parameter])
        return charged


@dataclass(frozen=True, slots=True)
class Calibration:
    """One model's counts held against what was recorded.

    Attributes:
        records: the requests.
        recorded: by how much the inputs grew in all, of the requests that are used, and what that is the sum of.
        counted, counted_input: the errors of what a packing charges today; None where no request is used.
        coefficients, fitted, fitted_input: what fits best, and its errors on requests that it was not fitted to: of
            other stretches where there are several (five folds); None where fewer than MIN_REQUESTS are used.
    """

    records: ModelRecords
    recorded: RecordedSum
    counted: CountError | None
    counted_input: WholeInputError | None
    coefficients: Coefficients | None
    fitted: CountError | None
    fitted_input: WholeInputError | None

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
            "recordedTokens": self.recorded.recorded,
            "recordedSum": self.recorded.to_json(),
            "countedError": self.counted.to_json() if self.counted else None,
            "countedInputError": self.counted_input.to_json() if self.counted_input else None,
            "coefficients": self.coefficients.to_json() if self.coefficients else None,
            "fittedError": self.fitted.to_json() if self.fitted else None,
            "fittedInputError": self.fitted_input.to_json() if self.fitted_input else None,
        }

    def kept(self, *, made: str, source: str = "") -> ModelCalibration | None:
        """What a configuration may use of it (schema.ModelCalibration); None where `not_kept` says why not.

        Args:
            made: the day, as YYYY-MM-DD.
            source: from what, in words.
        """
        if self.not_kept or self.coefficients is None or self.fitted_input is None:
            return None
        data = {
            "model": self.records.model,
            "tokenizer": self.records.tokenizer,
            **self.coefficients.to_json(),
            "error": self.fitted_input.to_json(),
            "requests": len(self.records.growths),
            "made": made,
            "source": source,
        }
        return ModelCalibration.model_validate(data)

    @property
    def not_kept(self) -> str:
        """Why no configuration can use it, "" where one can."""
        if self.records.row is None:
            return "its model is not known"
        if self.records.tokenizer not in get_args(CalibratedTokenizer):
            return f"{self.records.tokenizer} cannot be calibrated"
        if self.coefficients is None or self.fitted_input is None:
            return f"fewer than {MIN_REQUESTS} of its requests can be used"
        if not LEAST_PER_TOKEN <= self.coefficients.per_token <= MOST_PER_TOKEN:
            return f"{self.coefficients.per_token:g} tokens for each token counted say that something else was counted"
        off = max(self.fitted_input.p95, self.fitted_input.p99_under)
        if off > MOST_OFF:
            return f"its inputs are still up to {off:.0%} off"
        return ""


def calibrate(
    conversations: Iterable[Conversation],
    *,
    model: str = "",
    tokenizer: str = "",
    watch: Callable[[], object] = lambda: None,
) -> list[Calibration]:
    """Hold the counts of every model against what was recorded of its requests; see `records_by_model`.

    `watch` is called before each conversation, and may raise to stop.

    Raises:
        TokenizerUnavailable: `tokenizer` is not one that is known here.
    """
    found = records_by_model(_watched(conversations, watch), model=model, tokenizer=tokenizer)
    return [_calibration(records) for records in found]


def _watched(conversations: Iterable[Conversation], watch: Callable[[], object]) -> Iterator[Conversation]:
    for conversation in conversations:
        watch()
        yield conversation


def _calibration(records: ModelRecords) -> Calibration:
    growths = records.growths
    recorded = np.array([one.recorded_tokens for one in growths], np.float64)
    if not growths:
        return Calibration(records, recorded_sum(growths), None, None, None, None, None)
    counted = np.array([one.counted_tokens for one in growths], np.float64)
    coefficients = fitted = fitted_input = None
    if len(growths) >= MIN_REQUESTS:
        columns = _columns(growths)
        unwritten = np.array([one.unwritten_tokens for one in growths], np.float64)
        texts = np.maximum(recorded - unwritten, 1.0)
        coefficients = _fit(columns, texts)
        predicted = _predicted(columns, texts, _folds(growths)) + unwritten
        fitted, fitted_input = count_error(predicted, recorded), input_error(predicted, growths)
    errors = count_error(counted, recorded), input_error(counted, growths)
    return Calibration(records, recorded_sum(growths), *errors, coefficients, fitted, fitted_input)


def _columns(growths: Sequence[RecordedGrowth]) -> Floats:
    rows = [(one.text_tokens, one.speaking, one.calls, one.parameters) for one in growths]
    return np.array(rows, np.float64)


def _fit(columns: Floats, recorded: Floats) -> Coefficients:
    """What fits best without a charge below nothing; one that few requests tell of is not fitted, and is nothing."""
    asked = np.count_nonzero(columns, axis=0) >= _FEW
    asked[0] = True
    while True:
        found = np.zeros(columns.shape[1])
        found[asked] = robust_fit(columns[:, asked], recorded)
        below = found < 0
        if not below[1:].any():
            break
        asked[1:] &= ~below[1:]
    charges = np.minimum(np.round(found[1:]), MOST_CHARGE)
    return Coefficients(round(float(found[0]), 4), *map(int, charges))


def _folds(growths: Sequence[RecordedGrowth]) -> NDArray[np.int64]:
    """The fold of each request: of whole stretches, whose requests share a session; of one its requests in turn."""
    stretches, stretch = np.unique([growth.chain for growth in growths], return_inverse=True)
    places = stretch if len(stretches) > 1 else np.arange(len(growths))
    folds: NDArray[np.int64] = places % _FOLDS
    return folds


def _predicted(columns: Floats, recorded: Floats, fold: NDArray[np.int64]) -> Floats:
    """What each request is predicted to have grown by, from those that are in other folds."""
    predicted = np.zeros(len(recorded))
    for number in np.unique(fold):
        inside = fold == number
        predicted[inside] = _fit(columns[~inside], recorded[~inside]).predicted(columns[inside])
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


def input_error(counted: Floats, growths: Sequence[RecordedGrowth]) -> WholeInputError:
    """How far the inputs are off to which these growths add up, in the order of the requests."""
    off = dict.fromkeys((one.chain for one in growths), 0.0)
    relative = np.zeros(len(growths))
    for at, (tokens, growth) in enumerate(zip(counted.tolist(), growths, strict=True)):
        off[growth.chain] += tokens - growth.recorded_tokens
        relative[at] = off[growth.chain] / growth.input_tokens
    size = np.abs(relative)
    return WholeInputError(
        median=float(np.median(size)),
        p95=float(np.quantile(size, 0.95)),
        p99_under=max(0.0, -float(np.quantile(relative, 0.01))),
    )
