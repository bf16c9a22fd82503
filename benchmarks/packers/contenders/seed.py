"""The seed's way to fit skills: binary search, the block formatted and measured anew at every probe."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.inputs.workloads import Entry
from benchmarks.packers import tokenizer
from benchmarks.packers.oracle import skills_block


def fit_skills(skills: Sequence[Entry], *, install_root: str, limit_tokens: int) -> int:
    """How many of the first skills fit. Source: seed skills budget, "smart fitting algorithm", in tokens."""
    low, high = 0, len(skills)
    while low < high:
        middle = (low + high + 1) // 2
        if tokenizer.count(skills_block(skills[:middle], install_root)) <= limit_tokens:
            low = middle
        else:
            high = middle - 1
    return low
