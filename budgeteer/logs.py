"""Structured logs: one line per event, for a console or as JSON, with the id of the request or job.

No line holds what people uploaded or wrote: events name ids and counts, a traceback comes without the values of its
variables, and what an exception says is cut short.
"""

from __future__ import annotations

import logging
import logging.config
import sys
import threading
from types import TracebackType
from typing import Any, Final

import structlog
from structlog.tracebacks import ExceptionDictTransformer
from structlog.typing import EventDict, WrappedLogger

ACCESS = "budgeteer.access"
"""The logger of the one line that each request leaves."""

PACKING = "budgeteer.packing"
"""The logger of what each packing did (engine.events)."""

EXCEPTION_CHARS = 300
"""What an exception says may quote what it stumbled over; so much is enough to recognise it by."""

_REPORTS: Final = "budgeteer.telemetry.error_reports.ErrorReportHandler"

_process_name = ""
_writes_json = False


def name_process(name: str) -> None:
    """Call this process by that name on each of its lines ("web", "worker all")."""
    global _process_name  # noqa: PLW0603 — a process has one name
    _process_name = name


def process_name() -> str:
    """What this process is called ("web", "worker all"); "" before it has a name."""
    return _process_name


def current_request_id() -> str:
    """The id of the request that is being answered, or that asked for the job at hand; "" outside of both."""
    return str(structlog.contextvars.get_contextvars().get("request_id", ""))


def tell(sentence: str) -> None:
    """Say something to whoever started this process: plainly to a person, as a line of the log where that is JSON."""
    if _writes_json:
        structlog.get_logger("budgeteer").info(sentence)
    else:
        sys.stderr.write(f"{sentence}\n")


def logging_config(*, form: str, level: str, quiet: bool = False, reports_to: str = "") -> dict[str, Any]:
    """The `logging.config` dict, of plain data: everything to standard error.

    Args:
        form: "console" or "json".
        level: the least important lines of ours that are written; of others' only warnings are.
        quiet: leave out the lines of each request and each packing, unless the level is "debug".
        reports_to: the DSN of the service that unexpected errors are reported to as well; "" for none.
    """
    # Handlers that Django and granian bring along would write lines of another form beside ours.
    ours_only: dict[str, Any] = {"handlers": [], "propagate": True}
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"structured": {"()": "budgeteer.logs.formatter", "form": form}},
        "filters": {"safe paths": {"()": "budgeteer.request_log.SafePaths"}},
        "handlers": {
            "stderr": {"class": "logging.StreamHandler", "formatter": "structured", "filters": ["safe paths"]},
            **({"reports": {"()": _REPORTS, "dsn": reports_to}} if reports_to else {}),
        },
        "root": {"handlers": ["stderr", *(["reports"] if reports_to else [])], "level": "WARNING"},
        "loggers": {
            "budgeteer": {"level": level.upper()},
            **{name: {"level": "WARNING" if quiet and level != "debug" else "NOTSET"} for name in (ACCESS, PACKING)},
            "django": ours_only | {"level": "WARNING"},
            # What was refused stands in the line of its request, where there is one.
            "django.request": {"level": "WARNING" if quiet else "ERROR"},
            "django.server": ours_only | {"level": "WARNING"},
            "_granian": ours_only | {"level": "WARNING"},
        },
    }


def formatter(*, form: str) -> structlog.stdlib.ProcessorFormatter:
    """What makes a line of a record, whoever logged it."""
    renderers = _json_renderers() if form == "json" else [_console_renderer()]
    return structlog.stdlib.ProcessorFormatter(
        processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *renderers],
        foreign_pre_chain=SHARED_PROCESSORS,
    )


def configure(config: dict[str, Any]) -> None:
    """Apply `logging_config`'s dict and point structlog at the standard loggers."""
    logging.config.dictConfig(config)
    structlog.configure(
        processors=_PROCESSORS,
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
    global _writes_json  # noqa: PLW0603 — a process logs in one form
    _writes_json = config["formatters"]["structured"]["form"] == "json"
    if _writes_json:
        _catch_what_is_printed()


def _add_process_name(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    if _process_name:
        event["process"] = _process_name
    return event


def _add_request_id(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    """The id of the request a record is about, for what Django logs when the request is over."""
    request = getattr(event.get("_record"), "request", None)
    if request_id := getattr(request, "request_id", ""):
        event.setdefault("request_id", request_id)
    return event


SHARED_PROCESSORS: list[structlog.typing.Processor] = [
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_logger_name,
    structlog.stdlib.add_log_level,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
    _add_process_name,
    _add_request_id,
]
#: One list for the whole process: loggers keep the one they first used, and both Django and Celery configure them.
_PROCESSORS: Final[list[Any]] = [
    structlog.stdlib.filter_by_level,
    *SHARED_PROCESSORS,
    structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
]


def _console_renderer() -> structlog.typing.Processor:
    return structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty(), exception_formatter=structlog.dev.plain_traceback)


def _json_renderers() -> list[structlog.typing.Processor]:
    tracebacks = structlog.processors.ExceptionRenderer(ExceptionDictTransformer(show_locals=False))
    return [tracebacks, _cut_exceptions, structlog.processors.JSONRenderer()]


def _cut_exceptions(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    """Keep the first line of what an exception says: databases put the values of a row into the second."""
    exceptions = event.get("exception")
    for one in exceptions if isinstance(exceptions, list) else []:
        one["exc_value"] = one["exc_value"].partition("\n")[0][:EXCEPTION_CHARS]
    return event


def _catch_what_is_printed() -> None:
    """Log what Python itself would print to standard error: warnings, and exceptions that nobody caught."""
    logging.captureWarnings(capture=True)
    sys.excepthook = _log_uncaught
    threading.excepthook = _log_uncaught_in_thread


def _log_uncaught(kind: type[BaseException], error: BaseException, traceback: TracebackType | None) -> None:
    if issubclass(kind, KeyboardInterrupt):
        return
    logging.getLogger("budgeteer").critical("unhandled exception", exc_info=(kind, error, traceback))


def _log_uncaught_in_thread(caught: threading.ExceptHookArgs) -> None:
    if caught.exc_value is not None and not issubclass(caught.exc_type, SystemExit):
        _log_uncaught(caught.exc_type, caught.exc_value, caught.exc_traceback)
