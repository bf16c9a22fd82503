"""Errors of the HTTP API as problem details (RFC 9457): what is wrong, where, and how to mend it.

A row of ProblemKind is one kind of error: its status and its title. `type` leads to the row on the page that describes
the API, which lists all of them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from enum import Enum
from typing import Any, Final

from django.http import HttpRequest, HttpResponse

from budgeteer.access.bearer import TokenProblem, bearer_of
from budgeteer.engine.errors import InputError

MEDIA_TYPE: Final = "application/problem+json"
REFERENCE: Final = "/api/"
"""The page that describes the API."""


class ProblemKind(Enum):
    """Every kind of error that the API answers with: (code, status, title)."""

    MALFORMED = ("malformed", 400, "The request cannot be read")
    NO_TOKEN = ("no-token", 401, "No token that is valid came with the request")
    ROLE = ("role", 403, "The account's role does not allow this")
    SCOPE = ("scope", 403, "The token was not made for this")
    NOT_FOUND = ("not-found", 404, "There is no such thing")
    METHOD = ("method", 405, "This address does not take the method")
    TOO_SLOW = ("too-slow", 408, "The body came too slowly")
    CONFLICT = ("conflict", 409, "It is not in a state for this")
    CHANGED = ("changed", 412, "It was changed since")
    TOO_LARGE = ("too-large", 413, "The body is too large")
    MEDIA = ("media-type", 415, "The body has a type that is not taken here")
    INVALID = ("invalid", 422, "The input cannot be used")
    OVER_BUDGET = ("over-budget", 422, "It cannot be made to fit")
    QUOTA = ("quota", 422, "The account's storage has no room for that")
    KEY_REUSED = ("key-reused", 422, "The idempotency key belongs to another request")
    RATE = ("rate", 429, "Too many requests")
    BUSY = ("busy", 429, "Too much at once")
    SERVER = ("server", 500, "Something went wrong here")
    AWAY = ("away", 503, "A part of the server does not answer")
    OVERLOADED = ("overloaded", 503, "The server is busy")
    NO_ROOM = ("no-room", 507, "The server has no room for that")

    def __init__(self, code: str, status: int, title: str) -> None:
        self.code = code
        self.status = status
        self.title = title

    @property
    def address(self) -> str:
        """The `type` of such a problem."""
        return f"{REFERENCE}#{self.code}"


#: The kind of an error of which only the status is known.
_BY_STATUS: Final[Mapping[int, ProblemKind]] = {kind.status: kind for kind in reversed(ProblemKind)}

_TOKEN_PROBLEMS: Final[Mapping[TokenProblem, tuple[str, str]]] = {
    TokenProblem.MISSING: ("there is no token", "Send the header `Authorization: Bearer <token>`"),
    TokenProblem.MALFORMED: ("the header holds no token", "Write it as `Authorization: Bearer <token>`"),
    TokenProblem.UNKNOWN: ("there is no such token", "Make one on the page Access tokens of your account"),
    TokenProblem.EXPIRED: ("the token has expired", "Make a new one on the page Access tokens of your account"),
    TokenProblem.REVOKED: ("the token was revoked", "Make a new one on the page Access tokens of your account"),
    TokenProblem.CLOSED: ("the account of the token is closed", "Ask an administrator to open it again"),
}


class ApiProblem(Exception):
    """An error that an operation answers with; `more` are further members of the problem document."""

    def __init__(
        self, kind: ProblemKind, what: str, *, where: str = "", hint: str = "", more: Mapping[str, Any] | None = None
    ) -> None:
        self.kind = kind
        self.what = what
        self.where = where
        self.hint = hint
        self.more = dict(more or {})
        super().__init__(what)

    @classmethod
    def of(cls, error: InputError, kind: ProblemKind = ProblemKind.INVALID) -> ApiProblem:
        """The problem that says what an InputError says."""
        return cls(kind, error.what, where=error.where, hint=error.mend)

    def response(self) -> HttpResponse:
        """The answer."""
        return problem(self.kind, self.what, where=self.where, hint=self.hint, **self.more)


def problem(kind: ProblemKind, what: str, *, where: str = "", hint: str = "", **more: Any) -> HttpResponse:
    """A problem document as an answer."""
    document = problem_document(kind, what, where=where, hint=hint, **more)
    return HttpResponse(json.dumps(document), status=kind.status, content_type=MEDIA_TYPE)


def problem_document(kind: ProblemKind, what: str, *, where: str = "", hint: str = "", **more: Any) -> dict[str, Any]:
    """A problem document: `type`, `title`, `status`, `detail`, `where`, `hint` and what `more` adds."""
    return {
        "type": kind.address,
        "title": kind.title,
        "status": kind.status,
        "detail": what,
        "where": where,
        "hint": hint,
        **more,
    }


def problem_of_status(status: int, error: InputError | None = None) -> HttpResponse:
    """The problem of an error that another part of the dashboard found, by its status and what it said."""
    kind = _BY_STATUS.get(status, ProblemKind.SERVER if status >= 500 else ProblemKind.MALFORMED)
    if error is None:
        return problem(kind, kind.title)
    return problem(kind, error.what, where=error.where, hint=error.mend)


def no_token(request: HttpRequest) -> HttpResponse:
    """The answer to a request that speaks for nobody, with the reason."""
    found = bearer_of(request)
    what, hint = _TOKEN_PROBLEMS[found if isinstance(found, TokenProblem) else TokenProblem.MISSING]
    answer = problem(ProblemKind.NO_TOKEN, what, where="Authorization", hint=hint)
    answer.headers["WWW-Authenticate"] = 'Bearer realm="budgeteer"'
    return answer
