"""Entity tags: a digest of what is answered, so that an unchanged answer is not sent and a stale change is refused.

Tags are compared without the mark of a weak one: an answer that travels compressed gets that mark, and its content is
the same.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Final

from django.http import HttpRequest, HttpResponse, HttpResponseBase

from budgeteer.access.problems import ApiProblem, ProblemKind

_DIGITS: Final = 32


def tag_of(content: bytes) -> str:
    """The entity tag of a content, in quotes."""
    return f'"{hashlib.sha256(content).hexdigest()[:_DIGITS]}"'


def conditional(request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
    """The answer to a GET with its tag; without a body (304) where the client has this content already."""
    if request.method != "GET" or not isinstance(response, HttpResponse) or response.status_code != 200:
        return response
    tag = response.headers["ETag"] = tag_of(response.content)
    if not _names(request.headers.get("If-None-Match", ""), tag):
        return response
    unchanged = HttpResponse(status=304)
    unchanged.headers["ETag"] = tag
    del unchanged.headers["Content-Type"]
    return unchanged


def check_unchanged(request: HttpRequest, content: bytes) -> None:
    """Refuse a change of something that is not what the client has seen, where it says what that is (`If-Match`).

    Raises:
        ApiProblem: it was changed since (412).
    """
    seen = request.headers.get("If-Match", "")
    if seen and not _names(seen, tag_of(content)):
        raise ApiProblem(
            ProblemKind.CHANGED,
            "it was changed since you read it; nothing was changed now",
            where="If-Match",
            hint="Read it again, and send your change with its new ETag",
        )


def _names(header: str, tag: str) -> bool:
    return any(one in {"*", tag} for one in _tags(header))


def _tags(header: str) -> Iterator[str]:
    for part in header.split(","):
        yield part.strip().removeprefix("W/")
