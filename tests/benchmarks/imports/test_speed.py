"""The files whose import is measured: read as what they are, with nothing passed over, and shown in a table."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.imports import shapes, speed
from budgeteer.formats.detect import import_bytes


@pytest.mark.parametrize("shape", shapes.SHAPES, ids=lambda shape: shape.title)
def test_a_shape_is_read_as_its_format(shape: shapes.Shape, tmp_path: Path) -> None:
    path = tmp_path / "large"
    size = shapes.write(path, shape, 1)
    assert path.stat().st_size == size
    assert 1_000_000 <= size < 1_200_000
    found = import_bytes(path.read_bytes())
    assert found.format == shape.format
    assert found.skipped == ()
    assert found.accounting is not None
    assert not found.accounting.is_lossy
    assert sum(len(chat.messages) for chat in found.conversations) > 100


def test_what_misses_a_goal_is_marked_in_the_table() -> None:
    slow = speed.Import(
        "Slow", 100, 2_000, seconds=40, cpu_seconds=10, first_seconds=0.2, peak_megabytes=500, parse_seconds=4
    )
    row = speed.page([slow], "Measured").splitlines()[-1]
    assert row == "| Slow | 100 | 2,000 | **10** | 2 | 2.5 times | 0.20 s | **500 MB** |"
