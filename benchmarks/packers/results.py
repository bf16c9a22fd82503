"""What was measured: laps by group, added memory, the machine; as JSON, and the ratios and growth that follow."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import median
from typing import Any, Self

from benchmarks.packers.race import Lap

PLACE = Path(__file__).parent / "results.json"

#: The smallest size that growth is fitted to: below, what does not grow with the size rules.
GROWTH_FROM = 1_000


@dataclass(frozen=True, slots=True)
class Added:
    """The memory one call added, in megabytes; None where it was over the limit."""

    group: str
    size: int
    name: str
    megabytes: float | None


@dataclass(frozen=True, slots=True)
class Ratio:
    """How many times as long as another; `is_bound` where it is at least that, since the longer was stopped."""

    value: float
    is_bound: bool = False


@dataclass(frozen=True)
class Results:
    """Everything one run measured.

    `machine` tells the processor, the interpreter and the versions; `plan` its name.
    """

    plan: str
    machine: Mapping[str, str]
    laps: dict[str, list[Lap]] = field(default_factory=dict)
    memory: list[Added] = field(default_factory=list)

    def lap(self, group: str, name: str, size: int) -> Lap | None:
        """One lap, None where it was not run."""
        return next((lap for lap in self.laps.get(group, ()) if (lap.name, lap.size) == (name, size)), None)

    def names(self, group: str) -> list[str]:
        """The contenders of a group, in order."""
        return list(dict.fromkeys(lap.name for lap in self.laps.get(group, ())))

    def sizes(self, group: str) -> list[int]:
        """The sizes of a group, ascending."""
        return sorted({lap.size for lap in self.laps.get(group, ())})

    def added(self, group: str, name: str) -> Added | None:
        """The memory that was measured of a contender."""
        return next((one for one in self.memory if (one.group, one.name) == (group, name)), None)

    def growth(self, group: str, name: str) -> float | None:
        """The slope of log time over log size by least squares, from 1,000 on; None for fewer than two sizes."""
        laps = [lap for lap in self.laps.get(group, ()) if lap.name == name and lap.size >= GROWTH_FROM]
        points = [(math.log(lap.size), math.log(lap.median)) for lap in laps if lap.median]
        if len(points) < 2:
            return None
        middle_x, middle_y = (sum(column) / len(points) for column in zip(*points, strict=True))
        above = sum((x - middle_x) * (y - middle_y) for x, y in points)
        slope: float = above / sum((x - middle_x) ** 2 for x, _ in points)
        return slope

    def updated(self, newer: Results) -> Results:
        """These results with whatever was measured again in the place of what it was before."""
        memory = newer.memory or self.memory
        return Results(newer.plan, newer.machine, {**self.laps, **newer.laps}, memory)

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """The inverse of to_json."""
        laps = {group: [Lap(**lap) for lap in found] for group, found in data["laps"].items()}
        return cls(data["plan"], data["machine"], laps, [Added(**one) for one in data["memory"]])

    @classmethod
    def load(cls, place: Path = PLACE) -> Self:
        """What the last full run kept."""
        return cls.from_json(json.loads(place.read_text(encoding="utf-8")))

    def save(self, place: Path = PLACE) -> None:
        """Kept beside the code, so that the page can be written again and figures be compared."""
        place.write_text(json.dumps(_rounded(self.to_json()), indent=1) + "\n", encoding="utf-8")


def ratio(longer: Lap | None, shorter: Lap | None) -> Ratio | None:
    """The median of the ratios of each round both ran in; a bound where the longer was stopped, None without times."""
    if longer is None or shorter is None or shorter.median is None:
        return None
    if longer.limit_seconds is not None:
        return Ratio(longer.limit_seconds / shorter.median, is_bound=True)
    rounds = [one / other for one, other in zip(longer.seconds, shorter.seconds, strict=False)]
    return Ratio(median(rounds)) if rounds else None


def _rounded(value: Any) -> Any:
    """Times to five digits: more would only be noise in the file."""
    match value:
        case float():
            return float(f"{value:.5g}")
        case dict():
            return {key: _rounded(one) for key, one in value.items()}
        case list():
            return [_rounded(one) for one in value]
        case _:
            return value
