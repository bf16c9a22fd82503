"""Output of `budgeteer calibrate` for a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from budgeteer.cli.output.tables import table
from budgeteer.engine.analysis.calibration.calibration import MIN_REQUESTS, Calibration, CountError, WholeInputError
from budgeteer.engine.analysis.calibration.recorded_growth import LeftOut
from budgeteer.engine.config.schema import ModelCalibration
from budgeteer.engine.packing.allocation import calibrated_margin

_ERROR = ("total error", "median", "95 %", "inputs: median", "95 %", "1 % under")
_NOTHING = ("-",) * len(_ERROR)


def calibration_table(found: Sequence[Calibration], *, files: int, passed_over: int) -> str:
    """Each model's errors as counted and as fitted, the coefficients, and what was left out."""
    more = f", {passed_over:,} passed over that record none" if passed_over else ""
    lines = [f"{files:,} {'file' if files == 1 else 'files'} with recorded requests{more}."]
    if not found:
        return lines[0]
    header = ("model", "tokenizer", "requests", "used", "recorded tokens", "", *_ERROR)
    lines += ["", table(header, [row for one in found for row in _rows(one)])]
    lines += ["", *_sums(found), *_coefficients(found), *_left_out(found)]
    return "\n".join(lines).rstrip()


def _rows(one: Calibration) -> list[tuple[object, ...]]:
    records = one.records
    used = len(records.growths)
    first = (records.model, records.tokenizer or "-", records.requests, used, one.recorded.recorded)
    rows: list[tuple[object, ...]] = [(*first, "counted", *_percents(one.counted, one.counted_input))]
    if one.fitted is not None:
        rows.append(("", "", "", "", "", "fitted", *_percents(one.fitted, one.fitted_input)))
    return rows


def _percents(error: CountError | None, inputs: WholeInputError | None) -> tuple[str, ...]:
    if error is None or inputs is None:
        return _NOTHING
    shares = (error.median, error.p95, inputs.median, inputs.p95, inputs.p99_under)
    return (f"{error.total:+.2%}", *(f"{share:.2%}" for share in shares))


def _sums(found: Sequence[Calibration]) -> list[str]:
    """What was recorded of each model, taken apart."""
    sums = [(one.records.model, one.recorded) for one in found if one.records.growths]
    rows = [
        (model, one.counted, one.by_rule, one.not_in_file, f"{one.not_in_file / one.recorded:.2%}", one.off)
        for model, one in sums
    ]
    header = ("recorded tokens are", "counted", "of that by rule", "and not in the file", "share", "and off beside it")
    return [table(header, rows), ""] if rows else []


def _coefficients(found: Sequence[Calibration]) -> list[str]:
    rows = [
        (one.records.model, *(f"{value:g}" for value in one.coefficients.to_json().values()))
        for one in found
        if one.coefficients is not None
    ]
    if not rows:
        return [f"No model has the {MIN_REQUESTS} requests that a fit takes.", ""]
    header = ("fitted tokens", "per token counted", "per message", "per call and result", "per parameter")
    return [table(header, rows), ""]


def _left_out(found: Sequence[Calibration]) -> list[str]:
    totals = {reason: sum(one.records.left_out[reason] for one in found) for reason in LeftOut}
    rows = [(count, str(reason)) for reason, count in totals.items() if count]
    return [table(("left out", "because"), rows)] if rows else []


def kept_text(kept: Sequence[ModelCalibration], found: Sequence[Calibration], name: str) -> str:
    """What was kept in the file `name`, and why the other models were not."""
    lines = [f"{name}: {measured(one)}" for one in kept]
    lines += [f"Not kept: {one.records.model}, {one.not_kept}." for one in found if one.not_kept]
    return "\n".join(["", *lines])


def measured(one: ModelCalibration) -> str:
    """A calibration in a line: its model, how far its inputs are off, and the safety margin that this makes."""
    off = f"{one.error.p95:.1%} off in 95 of 100 requests, median {one.error.median:.1%}"
    return f"{one.model} with {one.tokenizer}, {off}; safety margin {calibrated_margin(one)} %."
