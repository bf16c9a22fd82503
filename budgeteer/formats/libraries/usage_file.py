"""Usage files: how often or when each skill or tool was used; the basis of the orders `frequent` and `recent`.

Read are `{"name": count}`, `{"name": {"count": 3, "last": "2026-01-31"}}`, `{"name": ["2026-01-31T10:00:00Z", …]}`,
objects with a name and a time (JSONL or an array), and lines of text with a time and a name in either order.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from budgeteer.engine.content.library import compact_json
from budgeteer.engine.content.usage_order import Use
from budgeteer.engine.errors import FormatError
from budgeteer.formats.messages.imported import Imported, Skipped
from budgeteer.formats.reading.document import Document
from budgeteer.formats.reading.entries import entries_of, mostly
from budgeteer.formats.reading.importing import described

_NAMES = ("skill", "name", "tool", "path", "id")
_TIMES = ("timestamp", "time", "at", "date", "used", "usedAt", "used_at", "ts", "last", "lastUsed", "last_used")
_COUNTS = ("count", "uses", "times", "n")
_SURE = re.compile(r"[-:_/]")
"""What a name of a skill or tool has and a plain word has not: a count beside plain words may count anything."""

_LINE = re.compile(r"\s*(?P<first>[^\s,;]+)[\s,;]+(?P<second>[^\s,;].*?)\s*")
_NAME = re.compile(r"[^=:{}\"'\[\],]{1,80}(?::[^\s=:{}\"'\[\],]{1,80})?|[\"'][^=\"']{1,80}[\"']")
"""A name in a line, also one behind that of its collection (`tools:search`): no field, object, row of a table or line
of a log."""
_EARLIEST, _LATEST = 1e8, 1e11
"""Unix times from 1973 to 5138 in seconds; larger numbers are milliseconds."""

_LONGEST_BESIDE = 120
"""Characters of a text beside a name and a time, such as who used it: a longer one is what the object is about."""

_MOST_CHARS = 500
"""A longer line is none of a time and a name; looking for two of them in blanks takes the square of its length."""

_FEWEST_LINES = 0.5
_OF_OTHERS = frozenset(
    {
        *("role", "content", "message", "messages", "payload", "text", "trace_id", "traceId", "span_id", "spanId"),
        *("level", "logger", "stack", "msg", "pid", "hostname", "url", "requestId", "request_id"),
        *("request", "response", "sid", "attrs", "parent_id", "parentId"),
    }
)
"""Keys of messages, of events, of spans and of logs: an object that has one of them is no use of a skill or tool."""


def detect(document: Document) -> str | None:
    """Why a document is a usage file, None when it is not."""
    value = document.value
    if isinstance(value, Mapping) and value:
        uses = [_use(given) for given in value.values()]
        if all(use is not None for use in uses) and any(_SURE.search(name) for name in value):
            return "holds names with how often, or when, each was used"
    elif document.shape in ("jsonl", "json") and mostly(document, lambda each: _event(each) is not None):
        return "holds objects of a name and the time of its use"
    elif document.shape == "text":
        lines = [line for line in document.text.lstrip("\ufeff").split("\n")[:200] if line.strip()]
        if lines and sum(_line(line) is not None for line in lines) > len(lines) * _FEWEST_LINES:
            return "has lines of a time and a name"
    return None


def read(document: Document) -> Imported:
    """Read every use; what is none is listed.

    Raises:
        FormatError: there is none.
    """
    skipped = list(document.skipped)
    uses: dict[str, Use] = {}
    for name, use in _found(document, skipped):
        before = uses.get(name, Use())
        uses[name] = Use(before.count + use.count, max(before.last, use.last))
    if not uses:
        raise FormatError(
            f"No use of a skill or tool was found in {described(document)}",
            where=document.name,
            mend='Give {"name": count}, or lines with a time and a name',
        )
    return Imported(format="", reason="", kind="usage", usage=uses, skipped=tuple(skipped))


def _found(document: Document, skipped: list[Skipped]) -> Iterator[tuple[str, Use]]:
    if isinstance(document.value, Mapping) and _event(document.value) is None:
        for name, given in document.value.items():
            use = _use(given)
            if use is None:
                skipped.append(Skipped(f"key {name[:60]}", "no count and no time", compact_json(given)[:500]))
            else:
                yield name, use
    elif document.shape == "text":
        for number, line in enumerate(document.text.lstrip("\ufeff").split("\n"), 1):
            event = _line(line)
            if event is not None:
                yield event
            elif line.strip():
                skipped.append(Skipped(f"line {number}", "no time beside a name", line.strip()[:500]))
    else:
        for entry in entries_of(document, skipped):
            event = _event(entry.value)
            if event is None:
                skipped.append(Skipped(entry.where, "no name with a time", compact_json(entry.value)[:500]))
            else:
                yield event


def _use(given: Any) -> Use | None:
    """A count, a list of times, or an object of both; None for anything else."""
    if isinstance(given, bool):
        return None
    if isinstance(given, int):
        return Use(given) if given >= 0 else None
    if isinstance(given, list):
        times = [seconds_of(each) for each in given]
        known = [time for time in times if time is not None]
        return Use(len(known), max(known)) if known and len(known) == len(times) else None
    if isinstance(given, Mapping):
        count = next((given[key] for key in _COUNTS if isinstance(given.get(key), int)), None)
        last = _first_time(given)
        if (count is None and last is None) or (count is not None and count < 0):
            return None
        return Use(int(count) if count is not None else 1, last or 0)
    return None


def _event(value: Mapping[str, Any]) -> tuple[str, Use] | None:
    """One use: an object with a name and a time, and little else: what holds objects or lists is another event."""
    if any(isinstance(inner, Mapping) or (isinstance(inner, list) and inner) for inner in value.values()):
        return None
    name = next((value[key] for key in _NAMES if isinstance(value.get(key), str) and value[key].strip()), None)
    time = _first_time(value)
    if name is None or time is None or _OF_OTHERS & value.keys():
        return None
    if any(len(inner) > _LONGEST_BESIDE for inner in value.values() if isinstance(inner, str)):
        return None
    return name.strip(), Use(1, time)


def _line(line: str) -> tuple[str, Use] | None:
    found = _LINE.fullmatch(line.rstrip("\r")) if len(line) <= _MOST_CHARS else None
    if found is None:
        return None
    for time, name in ((found["first"], found["second"]), (found["second"], found["first"])):
        seconds = seconds_of(time)
        if seconds is not None and _NAME.fullmatch(name):
            return name.strip("\"' "), Use(1, seconds)
    return None


def _first_time(value: Mapping[str, Any], keys: Sequence[str] = _TIMES) -> float | None:
    return next((seconds for key in keys if (seconds := seconds_of(value.get(key))) is not None), None)


def seconds_of(given: Any) -> float | None:
    """A time as Unix seconds: ISO 8601 (UTC where it names no zone), or seconds or milliseconds; None for others."""
    if isinstance(given, str):
        try:
            moment = datetime.fromisoformat(given.strip())
        except ValueError:
            return seconds_of(float(given)) if re.fullmatch(r"\d{9,13}(\.\d{1,9})?", given.strip()) else None
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    if isinstance(given, bool) or not isinstance(given, int | float) or given < _EARLIEST:
        return None
    return float(given) if given < _LATEST else given / 1_000 if given < _LATEST * 1_000 else None
