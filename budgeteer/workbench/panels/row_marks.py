"""Row digests: rows that the page already has are named in an answer and not sent again."""

from __future__ import annotations

import base64
from hashlib import blake2b

from django.http import HttpRequest

from budgeteer import __version__

HEADER = "X-Have"
"""The marks of the rows that the page shows, with spaces between them."""


class MarkedRow:
    """A row with a mark: the id of its element, another one whenever anything it prints is another."""

    __slots__ = ()

    @property
    def mark(self) -> str:
        """Short, and a plain name in HTML and CSS. Another release may print the same row otherwise."""
        digest = blake2b(f"{__version__} {self!r}".encode(), digest_size=9).digest()
        return f"k{base64.urlsafe_b64encode(digest).decode()}"


def held(request: HttpRequest) -> frozenset[str]:
    """The marks of the rows on the page that asks; none where it is loaded anew."""
    return frozenset(request.headers.get(HEADER, "").split())
