"""The page that Prometheus reads: closed unless a token is set, answered in part while the database is away."""

from __future__ import annotations

import hmac
from collections.abc import Iterable
from typing import Final

import structlog
from django.conf import settings
from django.db import DatabaseError, InterfaceError
from django.http import HttpRequest, HttpResponse
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily, InfoMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_1_0_0
from prometheus_client.registry import Collector

import budgeteer
from budgeteer.operations.findings import FindingState
from budgeteer.operations.metrics.jobs import JobsCollector
from budgeteer.operations.metrics.requests import request_registry
from budgeteer.operations.readiness import Readiness

log = structlog.get_logger(__name__)

_SCHEME: Final = "bearer "


class _Parts(Collector):
    """Which version this is, and whether each part can be worked with."""

    def __init__(self, readiness: Readiness) -> None:
        self._readiness = readiness

    def collect(self) -> Iterable[Metric]:
        """The version, and a gauge for each part."""
        yield InfoMetricFamily("budgeteer", "The version that runs.", {"version": budgeteer.__version__})
        family = GaugeMetricFamily(
            "budgeteer_part_up", "1 where a part can be worked with, 0 where not.", labels=["part"]
        )
        for part, state in (self._readiness.needed | self._readiness.told).items():
            family.add_metric([part], float(state is not FindingState.FAILED))
        yield family


def is_allowed(request: HttpRequest) -> bool:
    """Whether the request carries the token of the settings."""
    given = request.headers.get("Authorization", "")
    if given[: len(_SCHEME)].lower() != _SCHEME:
        return False
    return hmac.compare_digest(given[len(_SCHEME) :].strip().encode(), settings.METRICS_TOKEN.encode())


def exposition(readiness: Readiness) -> HttpResponse:
    """Every measurement in the text format of Prometheus; those of jobs are left out while the database is away."""
    text = generate_latest(request_registry())
    for collector in (_Parts(readiness), JobsCollector()):
        registry = CollectorRegistry(auto_describe=False)
        try:
            registry.register(collector)
            text += generate_latest(registry)
        except (DatabaseError, InterfaceError) as error:
            # part_up says so too; what this process counted itself is still worth having.
            log.warning("jobs not measured", reason=type(error).__name__)
    return HttpResponse(text, content_type=CONTENT_TYPE_PLAIN_1_0_0)
