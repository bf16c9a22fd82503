"""What a worker takes for a sign of life: a message that came through, or a step of the task at hand."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from kombu.exceptions import OperationalError

from budgeteer.jobs import liveness
from budgeteer.jobs.liveness import Liveness


class Worker:
    """A worker whose clock the test turns: a look each time, as long apart as they are."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *, answers: Callable[[], bool]) -> None:
        self.now = time.monotonic()
        self.asked = self.ended = 0
        self._answers = answers
        monkeypatch.setattr("budgeteer.jobs.liveness.time.monotonic", lambda: self.now)
        self.liveness = Liveness(self._send, self._end)

    def _send(self) -> None:
        self.asked += 1
        if self._answers():
            self.liveness.handled()

    def _end(self) -> None:
        self.ended += 1

    def pass_seconds(self, seconds: float) -> None:
        for _ in range(int(seconds / liveness.look_seconds()) + 1):
            self.now += liveness.look_seconds()
            self.liveness.look()


def test_a_worker_that_handles_its_pings_is_alive(monkeypatch: pytest.MonkeyPatch) -> None:
    worker = Worker(monkeypatch, answers=lambda: True)
    worker.pass_seconds(3600)
    assert (worker.liveness.is_alive, worker.ended) == (True, 0)
    assert worker.asked > 100


def test_a_worker_that_handles_none_is_silent_first_and_then_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    worker = Worker(monkeypatch, answers=lambda: False)
    worker.pass_seconds(20)
    assert (worker.liveness.is_alive, worker.ended) == (True, 0)
    worker.pass_seconds(20)
    assert (worker.liveness.is_alive, worker.ended) == (False, 0)
    worker.pass_seconds(25)
    assert worker.ended > 0


def test_a_broker_that_is_away_is_no_fault_of_the_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    def away() -> bool:
        raise OperationalError("connection refused")

    worker = Worker(monkeypatch, answers=away)
    worker.pass_seconds(3600)
    assert (worker.liveness.is_alive, worker.ended) == (True, 0)


def test_a_process_that_was_stopped_for_an_hour_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    worker = Worker(monkeypatch, answers=lambda: worker.now < started + 1 or worker.now > started + 3600)
    started = worker.now
    worker.liveness.look()
    worker.now += 3601
    worker.liveness.look()
    worker.pass_seconds(60)
    assert worker.ended == 0


def test_a_long_task_is_alive_by_its_steps_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    worker = Worker(monkeypatch, answers=lambda: False)
    with worker.liveness.at_work():
        for _ in range(10):
            worker.pass_seconds(1500)
            worker.liveness.stepped()
        assert (worker.liveness.is_alive, worker.ended, worker.asked) == (True, 0, 0)
        worker.pass_seconds(3700)
        assert worker.ended > 0
    assert worker.liveness.is_alive
