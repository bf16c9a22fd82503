"""What the address of the workbench says: which view, which item, how the list is filtered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Self
from urllib.parse import urlencode

VIEWS = ("map", "messages", "prompt", "timeline", "sweep", "features", "config")
SORTS = ("tokens", "after", "chars", "name", "fate", "order")


@dataclass(frozen=True, slots=True)
class ViewState:
    """The part of the page that lives in its address; only what differs from these defaults is written there.

    Attributes:
        sel: the selected decision's id.
        filter: a filter chip's key (see rows.FILTERS).
        q: text that a name must hold.
        sort: one of SORTS, with a leading "-" for the other direction than the column's own.
        page: of the list or of the prompt, from 1.
        over: the limit that is swept.
        start, end: the first and last message of a chosen range, counted from 1; 0 where none is chosen.
        replaying: which policy compresses in the timeline, "" none.
        keywords: what the feature specs are searched for, comma separated; "" takes the configuration's.
        open: the decision whose folded run of messages stands open.
    """

    view: str = "map"
    sel: str = ""
    filter: str = "all"
    q: str = ""
    sort: str = "tokens"
    page: int = 1
    open: str = ""
    over: str = ""
    keywords: str = ""
    replaying: str = ""
    start: int = 0
    end: int = 0

    @classmethod
    def read(cls, params: Mapping[str, Any]) -> Self:
        """From a query string or a posted form; what makes no sense is read as the default."""
        view = str(params.get("view") or "map")
        sort = str(params.get("sort") or "tokens")
        return cls(
            view=view if view in VIEWS else "map",
            sel=str(params.get("sel") or "")[:500],
            filter=str(params.get("filter") or "all")[:40],
            q=str(params.get("q") or "")[:200],
            sort=sort if sort.removeprefix("-") in SORTS else "tokens",
            replaying=str(params.get("replaying") or "")[:40],
            keywords=str(params.get("keywords") or "")[:400],
            over=str(params.get("over") or "")[:80],
            open=str(params.get("open") or "")[:500],
            page=_number(params, "page") or 1,
            start=_number(params, "start"),
            end=_number(params, "end"),
        )

    def query(self, **changes: Any) -> str:
        """The query string of this state with changes, with its question mark; "?" when all is default."""
        wanted = replace(self, **changes)
        default = ViewState()
        pairs = [
            (field.name, getattr(wanted, field.name))
            for field in fields(wanted)
            if getattr(wanted, field.name) != getattr(default, field.name)
        ]
        return f"?{urlencode(pairs)}"


def _number(params: Mapping[str, Any], name: str) -> int:
    """A number of at most six digits, 0 for anything else."""
    text = str(params.get(name) or "")
    return int(text) if text.isdecimal() and text.isascii() and len(text) < 7 else 0
