"""A long comparison with ctok: stopped and gone on with, and begun anew where the code is another."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.accuracy import claude_counts
from benchmarks.accuracy.claude_counts import recorded, shards

FAMILIES = ["claude-v3", "claude-v4.8"]


@pytest.fixture
def compared(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int, int]]:
    """Which shards are compared, in shards of ten texts; of the family v3 one text of each is found to differ."""
    done: list[tuple[str, int, int]] = []
    real = claude_counts.different

    def different(name: str, number: int, seed: int) -> Iterator[str]:
        done.append((name, number, seed))
        yield from real(name, number, seed)
        if name == "claude-v3":
            yield "\ud800 differs"

    monkeypatch.setattr(claude_counts, "SHARD_TEXTS", 10)
    monkeypatch.setattr(claude_counts, "different", different)
    return done


def test_what_was_compared_is_taken_from_the_record(tmp_path: Path, compared: list[tuple[str, int, int]]) -> None:
    record = tmp_path / "record.jsonl"
    first = list(shards(FAMILIES, 20, 5, record))
    assert compared == [(name, 10, seed) for seed in (5, 6) for name in FAMILIES]
    assert [one.differing for one in first] == [["\ud800 differs"], [], ["\ud800 differs"], []]
    assert list(shards(FAMILIES, 25, 5, record))[:4] == first
    assert compared[4:] == [(name, 5, 7) for name in FAMILIES]


def test_a_line_that_was_cut_short_is_compared_again(tmp_path: Path, compared: list[tuple[str, int, int]]) -> None:
    record = tmp_path / "record.jsonl"
    first = list(shards(FAMILIES, 10, 5, record))
    record.write_text(record.read_text(encoding="ascii")[:-9], encoding="ascii")
    assert list(shards(FAMILIES, 10, 5, record)) == first
    assert compared[2:] == [("claude-v4.8", 10, 5)]
    assert list(recorded(record)) == first


def test_other_code_is_compared_again(
    tmp_path: Path, compared: list[tuple[str, int, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    record = tmp_path / "record.jsonl"
    list(shards(FAMILIES, 10, 5, record))
    monkeypatch.setattr(claude_counts, "digest", lambda: "another")
    list(shards(FAMILIES, 10, 5, record))
    assert compared == [(name, 10, 5) for name in FAMILIES] * 2
