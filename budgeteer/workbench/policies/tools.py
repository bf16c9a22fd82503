"""What the tool definitions of a session take, as the page of policies shows it."""

from __future__ import annotations

from dataclasses import dataclass

from budgeteer.engine.analysis.deferred_tools import DeferredTools
from budgeteer.presentation.labels import count_of

_LISTED = 8


@dataclass(frozen=True, slots=True)
class ToolRow:
    """One way to send them; `saved` is over all requests, "" for the way they are."""

    name: str
    last: str
    whole: str
    saved: str


@dataclass(frozen=True, slots=True)
class ToolTable:
    """The ways, a note on what the search tool costs, and the tools that are never called, in words."""

    rows: tuple[ToolRow, ...]
    note: str
    unused: str


def tool_table(found: DeferredTools | None) -> ToolTable | None:
    """The table; None where there are no definitions."""
    if found is None:
        return None
    count, requests = len(found.tools), found.requests
    left = found.definitions - found.unused_tokens
    rows = [ToolRow(f"All {count:,}", f"{found.definitions:,}", f"{found.definitions * requests:,}", "")]
    if found.unused:
        saved = f"{found.unused_tokens * requests:,}"
        name = f"Without the {len(found.unused):,} never called"
        rows.append(ToolRow(name, f"{left:,}", f"{left * requests:,}", saved))
    deferred = ToolRow("Behind a search tool", f"{found.sent[-1]:,}", f"{sum(found.sent):,}", f"{found.saved_tokens:,}")
    note = (
        f"Tokens of definitions with the text that providers put around them (overhead in the workbench), over "
        f"{count_of(requests, 'request')}. The search tool takes "
        f"{found.search_tool:,}; each is found by one search, and {found.searches:,} tokens of the last request are "
        f"searches and their results."
    )
    more = len(found.unused) - _LISTED
    named = ", ".join(found.unused[:_LISTED]) + (f" and {more:,} more" if more > 0 else "")
    unused = f"Never called: {named}. The fit plan offers to leave them out as one step." if found.unused else ""
    return ToolTable((*rows, deferred), note, unused)
