"""How much memory a worker takes to be its own."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from budgeteer.jobs import memory

MACHINE = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


@pytest.mark.parametrize(
    ("told", "bound"),
    [
        ("2000000000\n", 1_500_000_000),
        ("300000000\n", memory.LEAST_BYTES),
        ("max\n", max(memory.LEAST_BYTES, min(MACHINE // 2, memory.MOST_BYTES))),
        (None, max(memory.LEAST_BYTES, min(MACHINE // 2, memory.MOST_BYTES))),
        (f"{2**63 - 4096}\n", max(memory.LEAST_BYTES, min(MACHINE // 2, memory.MOST_BYTES))),
    ],
)
def test_the_bound_follows_the_container_or_the_machine(
    told: str | None, bound: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    limit = tmp_path / "memory.max"
    if told is not None:
        limit.write_text(told)
    monkeypatch.setattr(memory, "CONTAINER_LIMITS", (limit, tmp_path / "none"))
    assert memory.bound_bytes() == bound


def test_the_setting_wins(settings: Any) -> None:
    settings.WORKER_MEMORY_MB = 1234
    assert memory.bound_bytes() == 1_234_000_000


def test_a_process_without_a_bound_is_never_swollen() -> None:
    assert not memory.is_swollen()
