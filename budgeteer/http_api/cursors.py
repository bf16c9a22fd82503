"""Cursors of lists: where a page ended, as a text that only the server reads.

A list is ordered by a time and an id, latest first; a cursor holds both of the last row, so that rows which are added
or removed meanwhile neither repeat nor skip others.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final
from uuid import UUID

from django.db.models import Model, Q, QuerySet

from budgeteer.access.problems import ApiProblem, ProblemKind

PAGE_ROWS: Final = 50
MOST_ROWS: Final = 100
_CURSOR_CHARS: Final = 200
_MOST_POSITION: Final = 2**53


@dataclass(frozen=True, slots=True)
class ListPage[M]:
    """A page of a list, and the cursor of the next one; "" for the last page."""

    rows: Sequence[M]
    next_cursor: str


def page_of[M: Model](rows: QuerySet[M], *, cursor: str, limit: int, by: str = "created_at") -> ListPage[M]:
    """The rows behind a cursor, at most `limit`; `by` is the time they are ordered by.

    Raises:
        ApiProblem: the cursor is none of ours.
    """
    ordered = rows.order_by(f"-{by}", "-pk")
    if cursor:
        at, pk = _time_and_id(cursor)
        ordered = ordered.filter(Q(**{f"{by}__lt": at}) | Q(**{by: at, "pk__lt": pk}))
    found = list(ordered[: limit + 1])
    if len(found) <= limit:
        return ListPage(found, "")
    last = found[limit - 1]
    return ListPage(found[:limit], _written([getattr(last, by).isoformat(), str(last.pk)]))


def position_cursor(position: int) -> str:
    """The cursor of a place in a list that never changes."""
    return _written([position])


def position_of(cursor: str) -> int:
    """The place that a cursor of `position_cursor` names, 0 for none.

    Raises:
        ApiProblem: the cursor is none of ours.
    """
    if not cursor:
        return 0
    match _read(cursor):
        case [int(position)] if not isinstance(position, bool) and 0 <= position < _MOST_POSITION:
            return position
    raise _unknown()


def _time_and_id(cursor: str) -> tuple[datetime, UUID]:
    match _read(cursor):
        case [str(written), str(pk)]:
            try:
                at = datetime.fromisoformat(written)
                return (at if at.tzinfo else at.replace(tzinfo=UTC)).astimezone(UTC), UUID(pk)
            except (ValueError, OverflowError):
                pass
    raise _unknown()


def _written(parts: list[Any]) -> str:
    return base64.urlsafe_b64encode(json.dumps(parts).encode()).decode().rstrip("=")


def _read(cursor: str) -> Any:
    if len(cursor) > _CURSOR_CHARS:
        raise _unknown()
    try:
        return json.loads(base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True))
    except (ValueError, binascii.Error, RecursionError):
        raise _unknown() from None


def _unknown() -> ApiProblem:
    return ApiProblem(
        ProblemKind.INVALID,
        "this is no cursor of this list",
        where="query.cursor",
        hint="Leave it out to begin, then use `next` of the page before",
    )
