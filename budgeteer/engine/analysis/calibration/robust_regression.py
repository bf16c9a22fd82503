"""Least squares that a few wrong observations do not move."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

type Floats = NDArray[np.float64]

#: Tukey's biweight at 95 % efficiency for normal errors (Holland and Welsch 1977; also statsmodels' TukeyBiweight).
_TUNING: Final = 4.685
#: A median absolute deviation as a standard deviation of normal errors.
_MAD_TO_DEVIATION: Final = 1.4826
_MOST_ROUNDS: Final = 100
_SETTLED: Final = 1e-9


def robust_fit(columns: Floats, observed: Floats) -> Floats:
    """The coefficients of `columns` that best give `observed`: iteratively reweighted, by Tukey's biweight.

    Observations are weighed by their size as well: an error of ten tokens in a hundred counts as one of a thousand in
    ten thousand, or the largest would decide alone. Starts from least absolute deviations, so that outliers do not
    choose the beginning.

    Args:
        columns: (observations, coefficients).
        observed: (observations,), all above zero.
    """
    scale = 1 / np.sqrt(np.maximum(observed, 1.0))
    scaled, target = columns * scale[:, None], observed * scale
    found = _weighted(scaled, target, np.ones(len(target)))
    for _ in range(_MOST_ROUNDS):
        residuals = np.abs(target - scaled @ found)
        before, found = found, _weighted(scaled, target, 1 / np.maximum(residuals, 1e-3))
        if np.allclose(before, found, rtol=_SETTLED, atol=_SETTLED):
            break
    for _ in range(_MOST_ROUNDS):
        residuals = target - scaled @ found
        deviation = max(_MAD_TO_DEVIATION * float(np.median(np.abs(residuals))), 1e-6)
        relative = residuals / (_TUNING * deviation)
        weights = np.where(np.abs(relative) < 1, (1 - relative**2) ** 2, 0.0)
        before, found = found, _weighted(scaled, target, weights)
        if np.allclose(before, found, rtol=_SETTLED, atol=_SETTLED):
            break
    return found


def _weighted(columns: Floats, target: Floats, weights: Floats) -> Floats:
    root = np.sqrt(weights)
    solution: Floats = np.linalg.lstsq(columns * root[:, None], target * root, rcond=None)[0]
    return solution
