"""Output of `budgeteer doctor`: text for people, JSON for programs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from budgeteer import __version__
from budgeteer.operations.findings import Finding, FindingState, worst

LABELS = {FindingState.OK: "ok", FindingState.WARNING: "warning", FindingState.FAILED: "FAILED"}


def printed(findings: Sequence[Finding]) -> str:
    """One line a finding, how to mend it below, and a line that sums up."""
    name_width = max((len(finding.name) for finding in findings), default=0)
    state_width = max(map(len, LABELS.values()))
    lines: list[str] = []
    for finding in findings:
        lines.append(f"{LABELS[finding.state]:<{state_width}}  {finding.name:<{name_width}}  {finding.sentence}")
        if finding.mend:
            lines.append(f"{'':<{state_width}}  {'':<{name_width}}  → {finding.mend}.")
    return "\n".join([*lines, "", _summary(findings)])


def to_json(findings: Sequence[Finding]) -> dict[str, Any]:
    """The findings as plain data."""
    return {
        "status": worst(list(findings)),
        "version": __version__,
        "checks": [
            {"name": one.name, "state": one.state, "sentence": one.sentence, "mend": one.mend} for one in findings
        ],
    }


def _summary(findings: Sequence[Finding]) -> str:
    counts = Counter(finding.state for finding in findings)
    if counts[FindingState.FAILED]:
        return f"{counts[FindingState.FAILED]} failed, {_warnings(counts[FindingState.WARNING])}."
    return f"Everything works, {_warnings(counts[FindingState.WARNING])}."


def _warnings(number: int) -> str:
    return {0: "no warnings", 1: "1 warning"}.get(number, f"{number} warnings")
