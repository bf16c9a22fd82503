"""Errors that nobody expected, reported to a service that speaks Sentry's protocol.

What is logged with a traceback is reported: its kind, the lines of code it passed through, and the ids that the log
line has (request, job and its kind). What an exception says may quote somebody's text, so it is left out, and so are
values of variables, addresses, headers, names of people and of this machine.
"""

from __future__ import annotations

import logging
import sys
from typing import TYPE_CHECKING, Any, Final

import structlog

from budgeteer import __version__

if TYPE_CHECKING:
    from sentry_sdk.types import Event

#: What of a log line goes along: ids and kinds, never a word.
TAGS: Final = ("request_id", "job_id", "kind", "attempt", "trace_id")
SECONDS_TO_SEND: Final = 2.0


class ErrorReportHandler(logging.Handler):
    """Reports what is logged as an error with its exception.

    Args:
        dsn: where to, as the service gives it: https://key@host/project.
    """

    def __init__(self, dsn: str) -> None:
        super().__init__(logging.ERROR)
        import sentry_sdk

        sentry_sdk.init(
            dsn,
            release=f"budgeteer@{__version__}",
            server_name="",
            default_integrations=False,
            auto_enabling_integrations=False,
            include_local_variables=False,
            include_source_context=False,
            max_breadcrumbs=0,
            before_send=without_words,
        )

    def emit(self, record: logging.LogRecord) -> None:
        """Report the record's exception; the sending is done by a thread of its own."""
        error = _error_of(record)
        if error is None:
            return
        import sentry_sdk

        known = structlog.contextvars.get_contextvars() | _of_request(record)
        with sentry_sdk.new_scope() as scope:
            for name in TAGS:
                if name in known:
                    scope.set_tag(name, str(known[name]))
            scope.set_tag("logger", record.name)
            sentry_sdk.capture_exception(error)

    def close(self) -> None:
        """Send what waits, for two seconds at most."""
        import sentry_sdk

        sentry_sdk.flush(SECONDS_TO_SEND)
        super().close()


def without_words(event: Event, _hint: dict[str, Any]) -> Event:
    """The event without what exceptions say; Sentry calls it before sending."""
    for one in event.get("exception", {}).get("values", []):
        one["value"] = ""
    return event


def _error_of(record: logging.LogRecord) -> BaseException | None:
    """The exception of a record; structlog keeps it in the event, or `True` for the one at hand."""
    given = record.msg.get("exc_info") if isinstance(record.msg, dict) else record.exc_info
    if given is True:
        given = sys.exc_info()
    found = given[1] if isinstance(given, tuple) else given
    return found if isinstance(found, BaseException) else None


def _of_request(record: logging.LogRecord) -> dict[str, str]:
    """The id of the request a record is about, for what Django logs when the request is over."""
    request_id = getattr(getattr(record, "request", None), "request_id", "")
    return {"request_id": request_id} if request_id else {}
