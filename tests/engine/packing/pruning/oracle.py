"""The rules of compress, written from the specification alone: a conversation is a plain list of shown things.

Each thing is ("m", id, group) or ("b", id, things inside). Nothing of the engine is used.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

#: What is wrong with a batch: code, number of the range, ids, nearest ids.
type Problems = set[tuple[str, int | None, tuple[str, ...], tuple[str, ...]]]


@dataclass
class Thing:
    """A message or a block as it is shown. `group` is equal for messages that stay together, "" for blocks.

    `silent` is reasoning alone that leads to the next message: it shows no id and goes with that message.
    """

    name: str
    group: str = ""
    silent: bool = False
    inside: list[Thing] = field(default_factory=list)
    text: str = ""

    @property
    def is_block(self) -> bool:
        return self.name.startswith("b")

    @property
    def depth(self) -> int:
        return 1 + max((one.depth for one in self.inside if one.is_block), default=0) if self.is_block else 0

    def __eq__(self, other: object) -> bool:
        return self is other

    __hash__ = object.__hash__

    def names(self) -> list[str]:
        return [self.name, *(name for one in self.inside for name in one.names())]


@dataclass
class Refused(Exception):
    """A batch that is not applied."""

    problems: Problems


def apply(shown: list[Thing], batches: list[dict[str, Any]], *, deepest: int, most_chars: int) -> list[Thing]:
    """The conversation after all batches, or the first batch's problems."""
    made = 0
    for batch in batches:
        shown, made = _apply(shown, batch["ranges"], made, deepest=deepest, most_chars=most_chars)
    return shown


def _apply(
    shown: list[Thing], ranges: list[dict[str, str]], made: int, *, deepest: int, most_chars: int
) -> tuple[list[Thing], int]:
    spans, problems = _spans(shown, ranges)
    problems |= _overlaps(ranges, spans)
    for number, (start, stop) in spans.items():
        blocks = [one for one in shown[start : stop + 1] if one.is_block]
        problems |= _placeholders(number, ranges[number]["summary"], [one.name for one in blocks])
        depth = 1 + max((one.depth for one in blocks), default=0)
        if depth > deepest:
            problems.add(("nesting", number, tuple(one.name for one in blocks if one.depth == depth - 1), ()))
    if problems:
        raise Refused(problems)
    after = list(shown)
    for number, (start, stop) in sorted(spans.items()):
        made += 1
        texts = {f"({one.name})": one.text for one in shown[start : stop + 1] if one.is_block}
        pieces = re.split(r"(\(b[1-9][0-9]*\))", ranges[number]["summary"])
        text = "".join(texts.get(piece, piece) for piece in pieces)
        at = after.index(shown[start])
        after[at : at + stop + 1 - start] = [Thing(f"b{made}", inside=shown[start : stop + 1], text=text)]
    if sum(len(f"[Compressed conversation section]\n\n{one.text}") for one in after if one.is_block) > most_chars:
        raise Refused({("size", None, (), ())})
    return after, made


def _spans(shown: list[Thing], ranges: list[dict[str, str]]) -> tuple[dict[int, tuple[int, int]], Problems]:
    """The ranges that are ranges, as places in what is shown, and what is wrong with the others."""
    problems: Problems = set()
    places = {one.name: at for at, one in enumerate(shown)}
    spans: dict[int, tuple[int, int]] = {}
    for number, wanted in enumerate(ranges):
        ends = (wanted["startId"], wanted["endId"])
        hidden = [end for end in ends if end not in places]
        for end in dict.fromkeys(hidden):
            outer = [one.name for one in shown if end in one.names()]
            problems.add(("covered", number, (end,), (outer[0],)) if outer else ("unknown", number, (end,), ()))
        if hidden:
            continue
        start, stop = places[ends[0]], places[ends[1]]
        cut = _cuts(shown, start, stop) if start < stop else []
        if start >= stop:
            problems.add(("order", number, ends, ()))
        elif cut:
            problems |= {("group", number, (ends[which],), near) for which, near in cut}
        else:
            while start and shown[start - 1].silent and shown[start - 1].group == shown[start].group:
                start -= 1
            spans[number] = (start, stop)
    return spans, problems


def _cuts(shown: list[Thing], start: int, stop: int) -> list[tuple[int, tuple[str, ...]]]:
    """Which end cuts a group (0 the start, 1 the end), with the nearest names that would not, within the range."""
    found = []
    mates = [at for at, one in enumerate(shown) if shown[start].group and one.group == shown[start].group]
    heard = [at for at in mates if not shown[at].silent]
    if heard and heard[0] < start:
        after = mates[-1] + 1
        while after < len(shown) and shown[after].silent:
            after += 1
        found.append((0, (shown[heard[0]].name, *([shown[after].name] if after < stop else []))))
    mates = [at for at, one in enumerate(shown) if shown[stop].group and one.group == shown[stop].group]
    if mates and mates[-1] > stop:
        before = [shown[mates[0] - 1].name] if mates[0] - 1 > start else []
        found.append((1, (*before, shown[mates[-1]].name)))
    return found


def _overlaps(ranges: list[dict[str, str]], spans: dict[int, tuple[int, int]]) -> Problems:
    found: Problems = set()
    for one, mine in spans.items():
        for other, theirs in spans.items():
            if one < other and set(range(mine[0], mine[1] + 1)) & set(range(theirs[0], theirs[1] + 1)):
                ends = [ranges[number][key] for number in (one, other) for key in ("startId", "endId")]
                found.add(("overlap", other, tuple(ends), ()))
    return found


def _placeholders(number: int, summary: str, required: list[str]) -> Problems:
    named = re.findall(r"\((b[1-9][0-9]*)\)", summary)
    once = [name for at, name in enumerate(named) if name not in named[:at]]
    wrong = {
        "missing": tuple(name for name in required if name not in named),
        "repeated": tuple(name for name in once if name in required and named.count(name) > 1),
        "invented": tuple(name for name in once if name not in required),
    }
    return {(code, number, names, ()) for code, names in wrong.items() if names}
