"""Which rows of a list an answer has to send: not those that the page already has, nor those that can wait."""

from __future__ import annotations

import base64
from hashlib import blake2b

from django.http import HttpRequest

from budgeteer import __version__

HEADER = "X-Have"
"""The marks of the rows that the page shows, with spaces between them."""
SCREENFUL_HEADER = "X-Screenful"
"""There where rows below the screen can wait: whoever sends it asks again for them."""


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


def wants_screenful(request: HttpRequest) -> bool:
    """Whether the rows that a screen shows first are enough."""
    return SCREENFUL_HEADER in request.headers
