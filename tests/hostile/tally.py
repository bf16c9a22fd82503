"""The figures of a run: what was tried by which way, what was answered, what took longest, and what was wrong."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, Final

ANSWER_SECONDS: Final = 5.0
"""The most processor time that an answer of the web part may take."""

JOB_SECONDS: Final = 20.0
"""The most processor time that the jobs of one upload, or one command, may take."""


@dataclass
class Row:
    """One family by one way.

    Attributes:
        tried: inputs. answers: what came back for them. refused: those of them that said no, with a sentence.
        slowest: of the most processor time, in seconds, and its label.
        wrong: what must not be; to be empty.
    """

    way: str
    family: str
    tried: int = 0
    answers: int = 0
    refused: int = 0
    slowest_seconds: float = 0.0
    slowest: str = ""
    wrong: list[str] = field(default_factory=list)

    def took(self, seconds: float, label: str, *, most: float) -> None:
        """Note the processor time of one answer."""
        if seconds > self.slowest_seconds:
            self.slowest_seconds, self.slowest = seconds, label
        if seconds > most:
            self.wrong.append(f"{label}: {seconds:.1f} s of processor time")


class Tally:
    """The rows of a run, in the order in which they were begun."""

    def __init__(self) -> None:
        self._rows: dict[tuple[str, str], Row] = {}
        self._told: dict[tuple[str, str], int] = {}

    def row(self, way: str, family: str) -> Row:
        return self._rows.setdefault((way, family), Row(way, family))

    def untold(self) -> list[str]:
        """What was wrong since this was asked last, so that a long run tells of it when it happens."""
        found = []
        for key, row in list(self._rows.items()):  # a thread may add rows
            found += [f"{row.way}: {what}" for what in row.wrong[self._told.get(key, 0) :]]
            self._told[key] = len(row.wrong)
        return found

    def to_json(self) -> list[dict[str, Any]]:
        return [asdict(row) for row in self._rows.values()]
