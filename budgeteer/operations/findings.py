"""The result of one health check."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class FindingState(StrEnum):
    """How a part is; a warning does not keep anything from working."""

    OK = "ok"
    WARNING = "warning"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at.

    Attributes:
        name: what was looked at, one word or two.
        sentence: how it is; for whoever runs the dashboard, since it may name addresses and folders.
        mend: how to put it right; "" where nothing is wrong.
    """

    name: str
    state: FindingState
    sentence: str
    mend: str = ""


def ok(name: str, sentence: str) -> Finding:
    """It is as it should be."""
    return Finding(name, FindingState.OK, sentence)


def warning(name: str, sentence: str, *, mend: str) -> Finding:
    """It works, but not for ever or not for everybody."""
    return Finding(name, FindingState.WARNING, sentence, mend)


def failed(name: str, sentence: str, *, mend: str) -> Finding:
    """It does not work."""
    return Finding(name, FindingState.FAILED, sentence, mend)


def worst(findings: list[Finding]) -> FindingState:
    """The state of the whole: that of its worst part."""
    order = list(FindingState)
    return max((finding.state for finding in findings), key=order.index, default=FindingState.OK)
