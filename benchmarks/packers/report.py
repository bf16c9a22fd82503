"""docs/performance.md: the generated part between two markers, from what was measured and nothing else."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.documents import PERFORMANCE, ROOT, GeneratedPart
from benchmarks.packers import goals
from benchmarks.packers.comparisons import APPEND, CONVERSATION, HELP, REAL, SKILLS, SWEEP_LIMIT, SWEEP_SHARE
from benchmarks.packers.contenders import ours
from benchmarks.packers.race import Lap
from benchmarks.packers.results import Results, ratio

PART = GeneratedPart(PERFORMANCE, "make bench")
PLOT = ROOT / "docs" / "images" / "performance.svg"


def generated(results: Results) -> str:
    """Everything that stands between the markers."""
    judged = [_goal(one) for one in goals.judged(results)]
    sections = {
        "Goals": _table(["goal", "measured", ""], judged, left=1) if judged else "",
        "One conversation within a budget": _pictured(results),
        "Real conversations, each within half of its tokens": _sized(results, REAL, against=ours.WARM),
        "200 budgets at once, a tenth of each for 500 skills": _sized(results, SWEEP_SHARE),
        "200 budgets at once, 500 skills within 2,000 tokens of each": _sized(results, SWEEP_LIMIT),
        "A library of skills within 8,000 tokens": _sized(results, SKILLS),
        "One more message": _sized(results, APPEND),
        "The command line": _sized(results, HELP),
    }
    return "\n\n".join([_machine(results), *(f"### {title}\n\n{body}" for title, body in sections.items() if body)])


def _pictured(results: Results) -> str:
    table = _sized(results, CONVERSATION, against=ours.WARM)
    picture = "![Time against messages, both scales logarithmic](images/performance.svg)"
    return f"{picture}\n\n{table}" if table else ""


def _machine(results: Results) -> str:
    machine = results.machine
    versions = ", ".join(f"{name} {version}" for name, version in machine.items() if name not in _FACTS)
    facts = ", ".join(machine[name] for name in _FACTS if name in machine)
    return f"{facts}. {versions}."


#: What of the machine is no version of a library.
_FACTS = ("measured", "system", "processors", "python")


def _goal(one: goals.Judged) -> list[str]:
    return [one.goal, one.measured, "reached" if one.reached else "**missed**"]


def _sized(results: Results, group: str, *, against: str = "") -> str:
    """One row a contender, one column a size; growth, ratio, memory and faults where there are any."""
    sizes, names = results.sizes(group), results.names(group)
    head = ["", *(f"{size:,}" if size > 1 else "time" for size in sizes)]
    rows = [[name, *(_cell(results.lap(group, name, size)) for size in sizes)] for name in names]
    extra = {
        "growth": [_growth(results, group, name) for name in names],
        f"against {against}": [_against(results, group, name, against) for name in names] if against else [],
        "added MB": [_added(results, group, name) for name in names],
        "what is wrong": [_faults(results, group, name) for name in names],
    }
    for title, column in extra.items():
        if any(column):
            head.append(title)
            for row, cell in zip(rows, column, strict=True):
                row.append(cell)
    return _table(head, rows, left=1) if rows else ""


def _cell(lap: Lap | None) -> str:
    if lap is None:
        return "–"
    if lap.limit_seconds is not None:
        return f"> {lap.limit_seconds:g} s"
    return "–" if lap.median is None else duration(lap.median)


def _growth(results: Results, group: str, name: str) -> str:
    found = results.growth(group, name)
    return "" if found is None else f"n^{found:.2f}"


def _against(results: Results, group: str, name: str, against: str) -> str:
    """The ratio at the largest size that both ran at."""
    for size in reversed(results.sizes(group)):
        found = ratio(results.lap(group, name, size), results.lap(group, against, size))
        if found is not None:
            return f"{goals.shown(found)} × at {size:,}"
    return ""


def _added(results: Results, group: str, name: str) -> str:
    found = results.added(group, name)
    if found is None:
        return ""
    return "over the limit" if found.megabytes is None else f"{found.megabytes:.3g} at {found.size:,}"


def _faults(results: Results, group: str, name: str) -> str:
    """What was wrong, each with the sizes at which it was."""
    found: dict[str, list[str]] = {}
    for size in results.sizes(group):
        lap = results.lap(group, name, size)
        for fault in lap.faults if lap is not None else ():
            found.setdefault(fault, []).append(f"{size:,}")
    return "; ".join(f"{fault} (at {', '.join(sizes)})" for fault, sizes in found.items())


def duration(seconds: float) -> str:
    """A time in three digits."""
    if seconds >= 1:
        return f"{goals.figure(seconds)} s"
    if seconds >= 1e-3:
        return f"{goals.figure(seconds * 1e3)} ms"
    return f"{goals.figure(seconds * 1e6)} µs"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]], *, left: int) -> str:
    """A Markdown table; all but the first columns, and those of words, to the right."""
    rule = ["---" if at < left or not title or " wrong" in title else "---:" for at, title in enumerate(head)]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (head, rule, *rows))
