"""How a packing's tokens are known, in words for every interface: the weakest kind, its share, what was measured."""

from __future__ import annotations

from budgeteer.engine.config.schema import ModelCalibration
from budgeteer.engine.packing.result import Packing


def counted_text(packing: Packing) -> str:
    """For example "calibrated, ±1.5 % measured on 521 requests" or "0.8 % estimated, the rest reconstructed"."""
    calibration = packing.allowance.calibration
    own = packing.allowance.kind if calibration is None else f"calibrated, {measured_text(calibration)}"
    if packing.kind == packing.allowance.kind:
        return own
    estimated, total = packing.ledger.estimated_tokens, packing.total.tokens
    return packing.kind if estimated == total else f"{share_text(estimated, total)} {packing.kind}, the rest {own}"


def short_text(packing: Packing) -> str:
    """The weakest kind with its share where that is not all, for example "2.3 % of tokens estimated"."""
    estimated, total = packing.ledger.estimated_tokens, packing.total.tokens
    if packing.kind == packing.allowance.kind or estimated == total:
        return packing.kind
    return f"{share_text(estimated, total)} of tokens {packing.kind}"


def measured_text(calibration: ModelCalibration) -> str:
    """How far calibrated inputs were off in 95 of 100 requests, and on how many that was measured."""
    return f"±{calibration.error.p95 * 100:.1f} % measured on {calibration.requests:,} requests"


def share_text(part: int, whole: int) -> str:
    """A share of tokens in percent; a small one is not called none."""
    percent = part / whole * 100
    return "less than 0.1 %" if percent < 0.1 else f"{percent:.1f} %"
