"""One log line per request, with an id that links it to everything else logged for it."""

from __future__ import annotations

import logging
import re
import time
import uuid
from collections.abc import Callable

import structlog
from django.conf import settings
from django.http import HttpRequest, HttpResponseBase

from budgeteer.logs import ACCESS

GIVEN_ID = re.compile(r"[A-Za-z0-9._-]{8,64}")
PROBES = frozenset({"health/", "ready/", "metrics"})
_PARAMETER = re.compile(r"<(?:\w+:)?(\w+)>")

log = structlog.get_logger(ACCESS)


class RequestLogMiddleware:
    """Gives every request an id, puts it on each log line, sends it back as `X-Request-ID`, and logs the request.

    Behind a proxy of ours the id may come from there, so that its lines and ours are found together.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        started = time.monotonic()
        request_id = _given_id(request) or uuid.uuid4().hex
        request.request_id = request_id  # type: ignore[attr-defined]  # read by the log, which may come later
        with structlog.contextvars.bound_contextvars(request_id=request_id):
            response = self.get_response(request)
            self._log(request, response.status_code, elapsed_ms=(time.monotonic() - started) * 1000)
        response.headers["X-Request-ID"] = request_id
        return response

    def _log(self, request: HttpRequest, status: int, *, elapsed_ms: float) -> None:
        # Only a user that somebody asked for is known: the line of a request costs no query.
        user = getattr(request, "_cached_user", None)
        match = request.resolver_match
        # What a supervisor asks every few seconds, and files, are of no interest while all is well.
        dull = match is None or match.route in PROBES
        (log.debug if dull and status < 400 else log.info)(
            "request",
            method=request.method,
            path=loggable_path(request),
            status=status,
            elapsed_ms=round(elapsed_ms, 1),
            user_id=getattr(user, "pk", None),
        )


class SafePaths(logging.Filter):
    """Takes the path out of what Django logs about a request, and puts in the one that may be logged."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Let every record pass, changed where it has to be, but for what is logged better elsewhere."""
        if record.name == "django.security.DisallowedHost":
            record.exc_info = None  # anybody can cause it, and the sentence says it all
        request = getattr(record, "request", None)
        if isinstance(request, HttpRequest) and isinstance(record.args, tuple):
            safe = loggable_path(request)
            if record.name == "django.request" and request.path.removeprefix("/") in PROBES:
                return False  # that it is not ready was logged with its reason
            record.args = tuple(
                safe if isinstance(part, str) and request.path in (part, _unescaped(part)) else part
                for part in record.args
            )
        return True


def loggable_path(request: HttpRequest) -> str:
    """The path as far as it may be known: numbers and ids stay, any other parameter is named instead.

    A link's token opens a report or a session, so it is never written down; nor is an unknown path beyond its first
    part, since a mistyped link may hold a token as well.
    """
    match = request.resolver_match
    if match is None:
        first, slash, rest = request.path.removeprefix("/").partition("/")
        return f"/{first[:40]}{slash}{'…' if rest else ''}"

    def shown(parameter: re.Match[str]) -> str:
        value = match.kwargs.get(parameter[1])
        return str(value) if isinstance(value, int | uuid.UUID) else f"<{parameter[1]}>"

    return "/" + _PARAMETER.sub(shown, match.route)


def _given_id(request: HttpRequest) -> str:
    """The id a trusted proxy sent, if it is one that may stand in a line."""
    given = request.headers.get("X-Request-ID", "") if settings.TRUST_PROXY else ""
    return given if GIVEN_ID.fullmatch(given) else ""


def _unescaped(text: str) -> str:
    """A log argument as it was before Django escaped its control and non-ASCII characters."""
    try:
        return text.encode("ascii").decode("unicode_escape")
    except UnicodeError:
        return text
