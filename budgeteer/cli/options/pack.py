"""The options of `budgeteer pack`."""

from __future__ import annotations

from dataclasses import dataclass

from budgeteer.cli.options.sources import SourceOptions


@dataclass(frozen=True, slots=True)
class PackOptions(SourceOptions):
    """What the command line says: the sources, the configuration, and what is printed."""

    as_json: bool = False
    request: str | None = None
    before_after: bool = False
    no_cache: bool = False
