"""Damaged copies of files: a piece of one, changed by bytes or by JSON values; a seed and a number always give one."""

from __future__ import annotations

import io
import json
import math
import random
import zipfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from tests.formats.shapes import zipped

PIECES = ((0.65, 6_000), (0.92, 40_000), (0.99, 200_000), (1.0, 1_000_000))
"""How large a piece of a file may be: up to 6 kB in 65 of 100 cases, up to 1 MB in one of 100."""

SCRAPS = (
    b'"', b"{", b"}", b"[", b"]", b",", b":", b"\\", b"\n", b"\r\n", b"\x00", b"\xff", b"\xef\xbb\xbf", b"\xc3",
    b"null", b"\\ud800", b"1e999", b"-", b"[[[[[[[[", b'{"a":' * 40, b"```", b"---\n", b"## user\n", b"data:;base64,",
    b"PK\x05\x06",
)  # fmt: skip
VALUES: tuple[Any, ...] = (
    None, True, False, 0, -1, 2**63, 10**40, 1.5, math.inf, "", " ", "x", "\x00", "\ud800", "user", "tool_use", [], {},
    [[]], [None], [{}], {"": None}, {"type": "text"}, {"role": "user"}, "[", '{"a":1}', "9" * 5_000,
    "data:image/png;base64,",
)  # fmt: skip


_UNKNOWN_KEYS = ("remark", "caption", "body", "text", "content", "note")


@dataclass(frozen=True, slots=True)
class Base:
    """A file to damage."""

    name: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Case:
    """One damaged file, and what was done to which."""

    name: str
    data: bytes
    steps: tuple[str, ...]


def case_of(bases: Sequence[Base], seed: int, number: int) -> Case:
    """Case `number` of a seed: always the same for the same files."""
    rng = random.Random(f"{seed}:{number}")
    base = rng.choice(bases)
    steps = [base.name]
    drawn = rng.random()
    limit = next(size for share, size in PIECES if drawn <= share)
    data = _piece(rng, base.data, limit)
    steps.append(f"a piece of {len(data):,} bytes")
    for _ in range(rng.choice((0, 1, 1, 1, 2, 3, 6))):
        change = rng.choice((_by_bytes, _by_values, _by_values))
        data, step = change(rng, data, bases)
        steps.append(step)
    return Case(base.name, data, tuple(steps))


def with_words(case: Case, words: str, rng: random.Random) -> Case | None:
    """The case with words in place of one of its strings, or in one more field; None where it holds no JSON."""
    whole = _parsed(case.data)
    values = [whole] if isinstance(whole, dict | list) else _values_of_lines(case.data)
    places = list(_places(values))
    if not places or any(not isinstance(value, dict | list) for value in values):
        return None
    values = json.loads(json.dumps(values))
    *way, key = rng.choice(places)
    holder = values
    for step in way:
        holder = holder[step]
    if isinstance(holder[key], str):
        holder[key] = words
    elif isinstance(holder, dict):
        holder[rng.choice(_UNKNOWN_KEYS)] = words
    else:
        holder[key] = {"role": "user", "content": words}
    return Case(case.name, _dumped(values), (*case.steps, f"words at {'/'.join(map(str, (*way, key)))[:80]}"))


def _piece(rng: random.Random, data: bytes, limit: int) -> bytes:
    if len(data) <= limit:
        return data
    if data[:2] == b"PK":
        return _smaller_zip(rng, data, limit)
    value = _parsed(data)
    if value is not None:
        return _dumped([_smaller(rng, value, limit)])
    lines = data.split(b"\n")
    first = rng.choice((0, rng.randrange(len(lines))))
    kept: list[bytes] = []
    for line in lines[first : first + 400]:
        if kept and sum(map(len, kept)) + len(line) > limit:
            break
        kept.append(line)
    return b"\n".join(kept)[: limit * 4]


def _smaller_zip(rng: random.Random, data: bytes, limit: int) -> bytes:
    files: dict[str, bytes] = {}
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        infos = [info for info in archive.infolist() if info.file_size <= limit]
        for info in rng.sample(infos, min(len(infos), rng.randint(1, 6))):
            files[info.filename] = archive.read(info)
    return zipped(files)


def _smaller(rng: random.Random, value: Any, limit: int) -> Any:
    """The value with its longest lists cut to a run of a few elements."""
    room = max(1, int(math.log2(limit)) - 8)
    match value:
        case list() if len(value) > room:
            start = rng.choice((0, rng.randrange(len(value) - room + 1)))
            return [_smaller(rng, item, limit) for item in value[start : start + room]]
        case list():
            return [_smaller(rng, item, limit) for item in value]
        case dict():
            return {key: _smaller(rng, item, limit) for key, item in value.items()}
        case str() if len(value) > limit:
            return value[:limit]
        case _:
            return value


@lru_cache(maxsize=256)
def _parsed(data: bytes) -> Any:
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return None


def _by_bytes(rng: random.Random, data: bytes, bases: Sequence[Base]) -> tuple[bytes, str]:
    if not data:
        return rng.choice(SCRAPS), "from nothing"
    at = rng.randrange(len(data))
    end = min(len(data), at + rng.choice((1, 2, 8, 64, 600)))
    other = rng.choice(bases).data
    there = rng.randrange(max(1, len(other)))
    name, changed = rng.choice(
        (
            ("flip", data[:at] + bytes([data[at] ^ (1 << rng.randrange(8))]) + data[at + 1 :]),
            ("cut out", data[:at] + data[end:]),
            ("twice", data[:end] + data[at:end] * rng.choice((1, 2, 30)) + data[end:]),
            ("scrap", data[:at] + rng.choice(SCRAPS) * rng.choice((1, 1, 50)) + data[at:]),
            ("cut off", data[:at]),
            ("headless", data[at:]),
            ("splice", data[:at] + other[there : there + 2_000] + data[end:]),
            ("utf-16", data.decode("utf-8", "replace").encode("utf-16")),
            ("carriage returns", data.replace(b"\n", b"\r\n")),
        )
    )
    return changed, f"{name} at {at}"


def _by_values(rng: random.Random, data: bytes, bases: Sequence[Base]) -> tuple[bytes, str]:
    """One value, key or place of a JSON document or of JSON lines changed; other files by bytes."""
    whole = _parsed(data)
    values = [whole] if isinstance(whole, dict | list) else _values_of_lines(data)
    places = list(_places(values))
    if not places:
        return _by_bytes(rng, data, bases)
    values = json.loads(json.dumps(values))
    path = rng.choice(places)
    holder = values
    for key in path[:-1]:
        holder = holder[key]
    name, change = rng.choice(tuple(_CHANGES.items()))
    change(rng, holder, path[-1], places)
    return _dumped(values), f"{name} at {'/'.join(map(str, path))[:80]}"


def _values_of_lines(data: bytes) -> list[Any]:
    found: list[Any] = []
    for line in data.split(b"\n")[:400]:
        value = _parsed(line) if line.strip() else None
        if isinstance(value, dict | list):
            found.append(value)
    return found


def _dumped(values: Sequence[Any]) -> bytes:
    return b"\n".join(json.dumps(value).encode() for value in values)


def _places(value: Any, path: tuple[Any, ...] = (), room: int = 2_000) -> Iterator[tuple[Any, ...]]:
    """The paths of values, breadth not bounded but depth; the first few thousand of them."""
    waiting: list[tuple[Any, tuple[Any, ...]]] = [(value, path)]
    for inner, at in waiting:
        if len(waiting) > room or len(at) > 12:
            return
        pairs = inner.items() if isinstance(inner, dict) else enumerate(inner) if isinstance(inner, list) else ()
        for key, item in pairs:
            yield (*at, key)
            if isinstance(item, dict | list):
                waiting.append((item, (*at, key)))


type _Holder = Any
type _Change = Callable[[random.Random, _Holder, Any, Sequence[tuple[Any, ...]]], None]


def _replace(rng: random.Random, holder: _Holder, key: Any, _places: Sequence[tuple[Any, ...]]) -> None:
    holder[key] = rng.choice(VALUES)


def _wrap(rng: random.Random, holder: _Holder, key: Any, _places: Sequence[tuple[Any, ...]]) -> None:
    value = holder[key]
    holder[key] = rng.choice(([value], {"text": value}, {"content": [value]}, json.dumps(value), [value] * 3))


def _remove(_rng: random.Random, holder: _Holder, key: Any, _places: Sequence[tuple[Any, ...]]) -> None:
    del holder[key]


def _rename(rng: random.Random, holder: _Holder, key: Any, places: Sequence[tuple[Any, ...]]) -> None:
    if isinstance(holder, dict):
        names = [path[-1] for path in places if isinstance(path[-1], str)]
        holder[rng.choice(names)] = holder.pop(key)
    else:
        holder.insert(rng.randrange(len(holder) + 1), holder[key])


def _swap(rng: random.Random, holder: _Holder, key: Any, _places: Sequence[tuple[Any, ...]]) -> None:
    other = rng.choice(list(holder) if isinstance(holder, dict) else range(len(holder)))
    holder[key], holder[other] = holder[other], holder[key]


def _nest(rng: random.Random, holder: _Holder, key: Any, _places: Sequence[tuple[Any, ...]]) -> None:
    for _ in range(rng.choice((5, 60, 250))):
        holder[key] = [holder[key]]


_CHANGES: dict[str, _Change] = {
    "value": _replace,
    "other value": _replace,
    "wrapped": _wrap,
    "removed": _remove,
    "renamed": _rename,
    "swapped": _swap,
    "nested": _nest,
}
