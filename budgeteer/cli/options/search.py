"""The options of `budgeteer search`."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """What the command line says; None or () where an option was not given."""

    features: str
    keywords: str
    top_k: int | None
    config: str | None
    model: str | None
    assignments: tuple[str, ...]
    as_json: bool
    as_text: bool
