"""What was measured in the browser, and the file it is kept in."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from playwright.sync_api import Browser

from benchmarks.browser.interactions import Timed

KEPT = Path(__file__).parent / "results.json"


@dataclass(frozen=True, slots=True)
class Workspace:
    """One workspace, by what it holds, with its interactions."""

    title: str
    timed: Sequence[Timed]


@dataclass(frozen=True, slots=True)
class Weighed:
    """One page: its bytes as sent (gzip -9 of the page alone), elements, layout shift and failures of axe.

    `sideways` are pixels past 320; `zoomed` those past 720 at 200 % of 1440; `forced` whether its first heading and
    its verdict are seen in forced colours.
    """

    name: str
    page_bytes: int
    elements: int
    shift: float
    sideways: int
    zoomed: int
    forced: bool
    axe: int


@dataclass(frozen=True, slots=True)
class Measured:
    """Everything one run measured. `assets` are bytes of gzip by kind, `scores` Lighthouse's medians by page.

    `weighed_on` and `scored_on` are the days the pages were weighed and scored where that was another run than the one
    that timed.
    """

    machine: dict[str, str]
    workspaces: Sequence[Workspace] = ()
    pages: Sequence[Weighed] = ()
    assets: dict[str, int] = field(default_factory=dict)
    scores: dict[str, dict[str, float]] = field(default_factory=dict)
    weighed_on: str = ""
    scored_on: str = ""

    def save(self, path: Path = KEPT) -> None:
        """Keep it."""
        path.write_text(json.dumps(asdict(self), indent=1) + "\n", encoding="utf-8")

    @classmethod
    def load(cls, path: Path = KEPT) -> Measured:
        """What the last run kept."""
        data = json.loads(path.read_text(encoding="utf-8"))
        return cls(
            data["machine"],
            [Workspace(one["title"], [_timed(row) for row in one["timed"]]) for one in data["workspaces"]],
            [Weighed(**one) for one in data["pages"]],
            data["assets"],
            data["scores"],
            data.get("weighed_on", ""),
            data.get("scored_on", ""),
        )


def _timed(row: dict[str, object]) -> Timed:
    return Timed(str(row["name"]), float(str(row["goal_ms"])), tuple(row["took_ms"]))  # type: ignore[arg-type]


def machine(browser: Browser, load: tuple[float, float]) -> dict[str, str]:
    """What was measured on, without its name; `load` is the mean load when it began and when it ended."""
    return {
        "measured": f"Measured on {datetime.now(UTC):%Y-%m-%d}",
        "system": f"{platform.system()} {platform.machine()}",
        "processors": f"{os.cpu_count()} processors",
        "load": f"mean load {load[0]:.1f} at the beginning and {load[1]:.1f} at the end",
        "browser": f"Chromium {browser.version}",
    }
