"""Fixtures of the job tests; what they do stands in `workers.py`, which needs Django set up first."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from django.contrib.auth.models import User

    from tests.jobs.workers import StartWorker


@pytest.fixture(autouse=True)
def empty_broker() -> None:
    """No message of an earlier test is left, and the probes are registered."""
    from tests.jobs import workers

    workers.empty_the_broker()


@pytest.fixture
def start_worker(transactional_db: None, empty_broker: None) -> Iterator[StartWorker]:
    """What starts a worker process; it is killed at the end of the test."""
    from tests.jobs import workers

    with workers.workers() as start:
        yield start


@pytest.fixture
def owner(db: None) -> User:
    from tests.people import editor

    return editor("ada")
