"""What is kept in a process: the values used last, and no more of them than asked for."""

from __future__ import annotations

from budgeteer.lru import LruCache


def test_the_values_used_last_stay_and_each_is_made_once() -> None:
    made: list[str] = []

    def value(key: str) -> str:
        made.append(key)
        return key.upper()

    kept: LruCache[str] = LruCache(2)
    for key in ("a", "b", "a", "c", "a", "b"):
        assert kept.get(key, lambda key=key: value(key)) == key.upper()
    assert made == ["a", "b", "c", "b"]


def test_cleared_it_keeps_nothing() -> None:
    kept: LruCache[int] = LruCache(2)
    kept.get("a", lambda: 1)
    kept.clear()
    assert kept.get("a", lambda: 2) == 2
