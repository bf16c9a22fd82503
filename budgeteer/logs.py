"""Structured logs: one line an event, for a console or as JSON, with the request's or job's id."""

from __future__ import annotations

import logging.config
import sys
import uuid
from collections.abc import Callable
from typing import Any

import structlog
from django.http import HttpRequest, HttpResponseBase

SHARED_PROCESSORS: list[structlog.typing.Processor] = [
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_logger_name,
    structlog.stdlib.add_log_level,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
]


def logging_config(*, form: str, level: str) -> dict[str, Any]:
    """The `logging.config` dict: everything to standard error, `form` "console" or "json"."""
    renderers: list[structlog.typing.Processor] = (
        [structlog.processors.dict_tracebacks, structlog.processors.JSONRenderer()]
        if form == "json"
        else [
            structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty(), exception_formatter=structlog.dev.plain_traceback)
        ]
    )
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "structured": {
                "()": "structlog.stdlib.ProcessorFormatter",
                "processors": [structlog.stdlib.ProcessorFormatter.remove_processors_meta, *renderers],
                "foreign_pre_chain": SHARED_PROCESSORS,
            }
        },
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "structured"}},
        "root": {"handlers": ["stderr"], "level": "WARNING"},
        "loggers": {"budgeteer": {"level": level.upper()}},
    }


def configure(config: dict[str, Any]) -> None:
    """Apply `logging_config`'s dict and point structlog at the standard loggers."""
    logging.config.dictConfig(config)
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *SHARED_PROCESSORS,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )


def current_request_id() -> str:
    """The id of the request that is being answered, or that asked for the job at hand; "" outside of both."""
    return str(structlog.contextvars.get_contextvars().get("request_id", ""))


class RequestIdMiddleware:
    """Gives every request an id, puts it on each log line and sends it back as `X-Request-ID`."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        request_id = uuid.uuid4().hex
        with structlog.contextvars.bound_contextvars(request_id=request_id):
            response = self.get_response(request)
        response.headers["X-Request-ID"] = request_id
        return response
