"""Requests of the HTTP API: whom the token in a request's `Authorization` header speaks for.

Below API_ROOT a token is the only way in. A session's cookie counts for nothing there, so that no page of another site
can make a browser send a request that is obeyed. The tokens themselves are rows of a higher app, which registers how
one is looked up.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from typing import Final, cast

from django.contrib.auth.models import AnonymousUser, User
from django.http import HttpRequest, HttpResponseBase

API_ROOT: Final = "/api/v1/"

_SCHEME: Final = "bearer"
_TOKEN_CHARS: Final = 200
"""Longer than any token of ours; what is longer is none."""


class TokenProblem(Enum):
    """Why a request speaks for nobody."""

    MISSING = "missing"
    MALFORMED = "malformed"
    UNKNOWN = "unknown"
    EXPIRED = "expired"
    REVOKED = "revoked"
    CLOSED = "closed"


@dataclass(frozen=True, slots=True)
class TokenHolder:
    """Whom a token speaks for, and what it may be used for; `key` names the token where requests are counted."""

    user: User
    key: str
    scopes: frozenset[str] = field(default_factory=frozenset)


type Lookup = Callable[[str], TokenHolder | TokenProblem]

_lookups: list[Lookup] = []


def register_lookup(lookup: Lookup) -> None:
    """Let the app that keeps tokens say whose one is; there is one such app."""
    _lookups[:] = [lookup]


def is_api(path: str) -> bool:
    """Whether a request to this path is one of the HTTP API."""
    return path.startswith(API_ROOT)


def holder_of(authorization: str) -> TokenHolder | TokenProblem:
    """Whom the value of an `Authorization` header speaks for."""
    if not authorization:
        return TokenProblem.MISSING
    scheme, _, token = authorization.strip().partition(" ")
    token = token.strip()
    if scheme.lower() != _SCHEME or not token or len(token) > _TOKEN_CHARS or not token.isascii():
        return TokenProblem.MALFORMED
    return _lookups[0](token) if _lookups else TokenProblem.UNKNOWN


def bearer_of(request: HttpRequest) -> TokenHolder | TokenProblem:
    """Whom a request of the API speaks for, as BearerMiddleware found it."""
    return cast(TokenHolder | TokenProblem, getattr(request, "bearer", TokenProblem.MISSING))


class BearerMiddleware:
    """Makes the holder of the token the user of a request of the API, and nobody where there is none."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if is_api(request.path_info):
            found = holder_of(request.headers.get("Authorization", ""))
            request.bearer = found  # type: ignore[attr-defined]  # read by bearer_of
            request.user = found.user if isinstance(found, TokenHolder) else AnonymousUser()
        return self.get_response(request)
