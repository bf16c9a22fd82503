"""The rules for secrets that may be longer than a piece of a line: private keys and JSON Web Tokens.

The first lines of keys and the form of a token are detect-secrets'. A key is followed from its first line to its END,
or, where that was cut off, over everything that can belong to it. Both take a time that grows with the text alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from typing import Any, Final

from budgeteer.scanning.hits import SecretHit

KEY_CHARS: Final = 10_000
"""The longest private key that is found to its end."""

_END_OF_KEY: Final = re.compile(r"-----END [A-Z0-9 ]*PRIVATE KEY( BLOCK)?-----|Private-MAC: [0-9a-fA-F]+")
#: What may follow the first line: known header lines; base64 with line ends, also escaped ones, and with the numbers
#: that tools write before lines.
_BODY_OF_KEY: Final = re.compile(
    r"(?:-----|: [^\r\n\\\"]{0,200})"
    r"(?:(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset|Encryption|Public-Lines|Private-Lines): [^\r\n\\\"]{0,200}"
    r"|[A-Za-z0-9+/=_\s\\|\u2192-])*+"
)
_TOKEN_RUN: Final = re.compile(r"[A-Za-z0-9_=-]+")
_SIGNATURE: Final = re.compile(r"(?:\.[A-Za-z0-9_=-]*)?")

type _Finder = Callable[[str, Any, str], Iterator[SecretHit]]


def long_hits_in(text: str) -> Iterator[SecretHit]:
    """Everything that these rules find in a text of any length, its lines uncut."""
    for kind, plugin, find in _rules():
        yield from find(text, plugin, kind)


def _keys(text: str, plugin: Any, kind: str) -> Iterator[SecretHit]:
    """Private keys. None reaches into the next one, so every character is looked at for one key only."""
    firsts = sorted(match.span() for pattern in plugin.denylist for match in pattern.finditer(text))
    limits = (*(start for start, _ in firsts[1:]), len(text))
    for (start, first_end), limit in zip(firsts, limits, strict=False):
        stop = min(limit, start + KEY_CHARS)
        end = _END_OF_KEY.search(text, first_end, stop) or _BODY_OF_KEY.match(text, first_end, stop)
        yield SecretHit(start, end.end() if end else first_end, kind)


def _tokens(text: str, plugin: Any, kind: str) -> Iterator[SecretHit]:
    """JSON Web Tokens with their signatures."""
    at = text.find("eyJ")
    while at >= 0:
        head = _TOKEN_RUN.match(text, at)
        end = head.end() if head else at + 1
        body = _TOKEN_RUN.match(text, end + 1) if text.startswith(".", end) else None
        if body:
            end = body.end()
            if plugin.is_formally_valid(text[at:end]):
                signature = _SIGNATURE.match(text, end)
                end = signature.end() if signature else end
                yield SecretHit(at, end, kind)
        at = text.find("eyJ", end)


#: module of detect_secrets.plugins, class, what is found, how.
_LONG: Final[tuple[tuple[str, str, str, _Finder], ...]] = (
    ("private_key", "PrivateKeyDetector", "private key", _keys),
    ("jwt", "JwtTokenDetector", "JSON Web Token", _tokens),
)

LONG_KINDS: Final = tuple(kind for _, _, kind, _ in _LONG)
"""Everything that these rules look for, a rule each."""


@cache
def _rules() -> tuple[tuple[str, Any, _Finder], ...]:
    return tuple(
        (kind, getattr(import_module(f"detect_secrets.plugins.{module}"), name)(), find)
        for module, name, kind, find in _LONG
    )
