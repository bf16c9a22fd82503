"""What a rule of the scan finds."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SecretHit:
    """A stretch of a text, in characters, and what was found there."""

    start: int
    end: int
    kind: str
