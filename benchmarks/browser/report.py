"""The part of docs/performance.md that `make bench-browser` writes."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.browser.measured_pages import Measured
from benchmarks.documents import PERFORMANCE, GeneratedPart

PART = GeneratedPart(PERFORMANCE, "make bench-browser")

#: Most bytes of gzip. Source: the dashboard's requirements.
MOST_BYTES = {"JavaScript": 40_000, "CSS": 25_000}


def generated(found: Measured) -> str:
    """Everything between the markers."""
    parts = [f"{', '.join(found.machine.values())}."]
    for workspace in found.workspaces:
        rows = [
            [
                one.name,
                f"{one.percentile(50):,.0f} ms",
                f"{one.percentile(95):,.0f} ms",
                f"{one.goal_ms:,.0f} ms",
                "reached" if one.percentile(95) <= one.goal_ms else "**missed**",
                str(len(one.took_ms)),
            ]
            for one in workspace.timed
        ]
        head = ["interaction", "p50", "p95", "p95 asked for", "", "times"]
        parts.append(f"### In the browser: {workspace.title}\n\n{_table(head, rows)}")
    if found.assets:
        parts.append(f"### What is loaded\n\n{_table(['', 'gzip', 'at most'], _assets(found))}")
    if found.pages:
        head = [
            "page",
            "gzip",
            "elements",
            "layout shift",
            "past 320 px",
            "past 720 px at 200 %",
            "forced colours",
            "axe",
        ]
        rows = [
            [
                one.name,
                f"{one.page_bytes / 1000:.1f} kB",
                f"{one.elements:,}",
                f"{one.shift:.3f}",
                f"{one.sideways}",
                f"{one.zoomed}",
                "readable" if one.forced else "**not readable**",
                f"{one.axe}",
            ]
            for one in found.pages
        ]
        day = f"Weighed on {found.weighed_on}.\n\n" if found.weighed_on else ""
        parts.append(f"### Every page\n\n{day}{_table(head, rows)}")
    if found.scores:
        kinds = list(next(iter(found.scores.values())))
        rows = [[name, *(f"{scores[kind]:.0f}" for kind in kinds)] for name, scores in found.scores.items()]
        day = f"Scored on {found.scored_on}.\n\n" if found.scored_on else ""
        parts.append(f"### Lighthouse, mobile, median of three\n\n{day}{_table(['page', *kinds], rows)}")
    return "\n\n".join(parts)


def _assets(found: Measured) -> list[list[str]]:
    return [
        [kind, f"{size / 1000:.1f} kB", f"{MOST_BYTES[kind] / 1000:.0f} kB" if kind in MOST_BYTES else ""]
        for kind, size in found.assets.items()
    ]


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    rule = ["---", *("---:" for _ in head[1:])]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (head, rule, *rows))
