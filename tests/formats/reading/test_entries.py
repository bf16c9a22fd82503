"""The entries of a file, and the first of them that every format looks at."""

from __future__ import annotations

import pytest

from budgeteer.formats.reading.document import Document
from budgeteer.formats.reading.entries import SAMPLED, sampled


@pytest.mark.parametrize("held", [[], [{"role": "user"}]])
def test_the_first_entries_are_looked_for_once(held: list[object]) -> None:
    """Also where there is none: a list of a million numbers was searched anew for each format."""
    document = Document("json", value=[0, *held, None])
    assert sampled(document) == held
    document.value.append({"role": "assistant"})
    assert sampled(document) == held


def test_only_the_first_entries_are_looked_at() -> None:
    document = Document("json", value=[{"number": number} for number in range(SAMPLED + 1)])
    assert len(sampled(document)) == SAMPLED
