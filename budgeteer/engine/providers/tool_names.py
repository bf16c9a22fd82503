"""Names of tools as a provider takes them: one that it refuses is replaced in definitions and calls alike."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

_REFUSED: Final = re.compile(r"[^a-zA-Z0-9_-]")
#: Digits of the hash that tells two names apart whose letters alone do not.
_HASH_DIGITS: Final = 8
_KNOWN_NAMES: Final = 10_000


@dataclass(frozen=True, slots=True)
class ToolNames:
    """Which names of tools a provider takes.

    Attributes:
        pattern: what a name must match.
        most: the characters it may have.
        source: where the provider says so, and the day it was read.
    """

    pattern: re.Pattern[str]
    most: int
    source: str

    def takes(self, name: str) -> bool:
        """Whether a name is sent as it is; one that is missing breaks another rule, and stays missing."""
        return not name.strip() or (len(name) <= self.most and self.pattern.match(name) is not None)

    def sent(self, name: str) -> str:
        """The name as it is sent.

        Characters that are refused become `_`, as MCP clients write names of servers' tools. Behind letters of other
        alphabets, of which nothing would be left, and behind a name that is cut stands a hash of the name. The same
        name is always sent alike, so that calls find their definitions; `a.b` and `a_b` are one name then, which the
        rules of providers that refuse that tell.
        """
        return name if self.takes(name) else _allowed(name, self.most)


@lru_cache(_KNOWN_NAMES)
def _allowed(name: str, most: int) -> str:
    allowed = _REFUSED.sub("_", name)
    if not (allowed[0].isalpha() or allowed[0] == "_"):
        allowed = f"_{allowed}"
    if name.isascii() and len(allowed) <= most:
        return allowed
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:_HASH_DIGITS]
    return f"{allowed[: most - _HASH_DIGITS - 1]}_{digest}"
