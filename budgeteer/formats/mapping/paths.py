"""JSONPath as mappings use it: names, numbers, slices and wildcards, so that an expression cannot take long.

Filters, functions, several selectors in one pair of brackets and descents into everything (`..`) are refused: an
expression then selects nothing twice, and its time is bounded by the document. Source of the syntax: RFC 9535, read by
python-jsonpath.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, Final

from budgeteer.engine.errors import FormatError

if TYPE_CHECKING:
    from jsonpath import JSONPath, JSONPathEnvironment

LONGEST: Final = 200
"""Characters of an expression."""

_PLAIN: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@cache
def _environment() -> JSONPathEnvironment:
    """The library's parser; its patterns take longer to compile than most imports take."""
    from jsonpath import JSONPathEnvironment

    return JSONPathEnvironment(strict=True)


def check(expression: str, field: str) -> None:
    """Refuse an expression that cannot be used; `field` is the key of the mapping it stands under.

    Raises:
        FormatError: it is no JSONPath, too long, or of more than names, numbers, slices and wildcards.
    """
    compiled(expression, field)


@lru_cache(maxsize=512)
def compiled(expression: str, field: str = "") -> JSONPath:
    """The expression ready to use.

    Raises:
        FormatError: as check.
    """
    from jsonpath import JSONPath, JSONPathError

    if len(expression) > LONGEST:
        raise FormatError(f"The path has {len(expression):,} characters; {LONGEST} fit", where=field, mend="Shorten it")
    try:
        path = _environment().compile(expression)
    except (JSONPathError, RecursionError, ValueError) as error:
        why = str(error).split("\n", maxsplit=1)[0][:160]
        raise FormatError(f"{expression!r} is no JSONPath: {why}", where=field, mend=_MEND) from None
    if not isinstance(path, JSONPath) or not all(map(_is_simple, path.segments)):
        what = f"{expression!r} uses more of JSONPath than names, numbers, slices and `*`"
        raise FormatError(what, where=field, mend=_MEND)
    return path


_MEND: Final = 'Write it like `$.messages[*]`, `$.author.role` or `$["a name with blanks"]`'


def _is_simple(segment: object) -> bool:
    from jsonpath.segments import JSONPathChildSegment
    from jsonpath.selectors import IndexSelector, NameSelector, SliceSelector, WildcardSelector

    return (
        isinstance(segment, JSONPathChildSegment)
        and len(segment.selectors) == 1
        and isinstance(segment.selectors[0], NameSelector | IndexSelector | SliceSelector | WildcardSelector)
    )


def nodes(expression: str, value: Any) -> Iterator[Any]:
    """What an expression selects in a value, in order; nothing for an empty expression."""
    if expression:
        for match in compiled(expression).finditer(value):
            yield match.obj


def step(key: str) -> str:
    """A key as the next step of a path: `.name`, or `["another name"]`."""
    return f".{key}" if _PLAIN.fullmatch(key) else f"[{json.dumps(key, ensure_ascii=False)}]"
