"""Which names share a run of characters with a text: a rolling hash over arrays, for tens of megabytes in seconds."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Final

import numpy as np
from numpy.typing import NDArray

RUN_CHARS: Final = 12
"""As many characters in a row as a name may not share with any message."""

_STRETCH_CHARS: Final = 1 << 20
"""Characters hashed at a time; an array of them takes 8 MB."""
_BASE: Final = np.uint64(0x9E3779B97F4A7C15)
"""The golden ratio in 64 bits (Knuth, The Art of Computer Programming 3, 6.4): odd, with its bits well spread."""
_FILTER_BITS: Final = 20
_SEPARATOR: Final = "\0"
"""Between texts that are hashed together; names with it in them share no run across it."""

type _Hashes = NDArray[np.uint64]


def names_within(names: Collection[str], texts: Iterable[str]) -> frozenset[str]:
    """The names of which RUN_CHARS characters in a row stand in one of the texts.

    Two runs with one 64-bit hash count as the same, so a name may be returned that shares none; none is missed.
    """
    owners: dict[int, set[str]] = {}
    for name in names:
        for one in _hashes(name):
            owners.setdefault(int(one), set()).add(name)
    if not owners:
        return frozenset()
    wanted = np.array(sorted(owners), np.uint64)
    shift = np.uint64(64 - _FILTER_BITS)
    may_be = np.zeros(1 << _FILTER_BITS, np.bool_)
    may_be[wanted >> shift] = True
    found: set[int] = set()
    for stretch in _stretches(texts):
        hashes = _hashes(stretch)
        likely = hashes[may_be[hashes >> shift]]
        found.update(int(one) for one in np.intersect1d(likely, wanted))
    return frozenset(name for one in found for name in owners[one])


def _hashes(text: str) -> _Hashes:
    """The hash of every run, in order; empty for a text that is shorter than one."""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    count = max(len(codes) - RUN_CHARS + 1, 0)
    total = np.zeros(count, np.uint64)
    for at in range(RUN_CHARS if count else 0):
        total *= _BASE
        total += codes[at : at + count]
    return total


def _stretches(texts: Iterable[str]) -> Iterator[str]:
    """The texts joined or cut to about the length that is hashed at a time; cuts overlap, so that no run is lost."""
    waiting: list[str] = []
    chars = 0
    for text in texts:
        for start in range(0, max(len(text) - RUN_CHARS + 1, 1), _STRETCH_CHARS):
            piece = text[start : start + _STRETCH_CHARS + RUN_CHARS - 1]
            waiting.append(piece)
            chars += len(piece)
            if chars >= _STRETCH_CHARS:
                yield _SEPARATOR.join(waiting)
                waiting, chars = [], 0
    yield _SEPARATOR.join(waiting)
