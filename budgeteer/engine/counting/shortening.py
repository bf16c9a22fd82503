"""Shortening what stands in a library without breaking it: minified descriptions, compact paths."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from budgeteer.engine.counting.text_boundaries import sentence_end_within

#: A minified description keeps whole sentences up to this many characters, and always its first sentence.
#: Source: ours; two sentences of the real libraries' descriptions.
MINIFIED_CHARS: Final = 200

#: So many minified descriptions are kept: a preview asks for those of the same library again and again.
DESCRIPTIONS_KEPT: Final = 8192

_OPENERS: Final = re.compile(
    r"""^(?:
        (?:this|the)\s+skill\s+(?:is\s+(?:used|designed|meant)\s+to|should\s+be\s+used\s+(?:to|when|for)|
            (?:helps|allows|enables)(?:\s+(?:you|users|the\s+agent|claude))?(?:\s+to)?|can\s+be\s+used\s+to|provides|is\s+for|lets\s+you)
       |a\s+skill\s+(?:to|for|that)
       |skill\s+(?:to|for|that)
       |use\s+this\s+skill\s+(?:when(?:ever)?|to|for|if)
       |use\s+this\s+(?:when(?:ever)?|to|for|if)
       |(?:a\s+)?comprehensive\s+(?:guide|toolkit|skill)\s+(?:to|for)
    )\s+""",
    re.VERBOSE | re.IGNORECASE,
)

_HOME = re.compile(r"^(?:/Users/[^/]+/|/home/[^/]+/|/root/|[A-Za-z]:\\Users\\[^\\]+\\)")


@lru_cache(DESCRIPTIONS_KEPT)
def minify_description(text: str) -> str:
    """White space collapsed, a boilerplate opener dropped, then cut at a sentence end. Deterministic; never longer.

    The cut keeps whole sentences up to MINIFIED_CHARS, and at least the first sentence.
    """
    flat = " ".join(text.split())
    opened = _OPENERS.sub("", flat, count=1)
    if opened and opened != flat:
        opened = opened[0].upper() + opened[1:]
    if len(opened) <= MINIFIED_CHARS:
        return opened
    return opened[: sentence_end_within(opened, MINIFIED_CHARS) or len(opened)]


def compact_path(path: str) -> str:
    """Any user's home on any system as `~/`; other paths unchanged (seed: path compaction)."""
    return _HOME.sub("~/", path, count=1)


def compact_paths(paths: Sequence[str]) -> list[str]:
    """Each path compacted; where two different paths would become one, neither is changed."""
    compacted = [compact_path(path) for path in paths]
    owners: dict[str, set[str]] = {}
    for path, short in zip(paths, compacted, strict=True):
        owners.setdefault(short, set()).add(path)
    return [path if len(owners[short]) > 1 else short for path, short in zip(paths, compacted, strict=True)]
