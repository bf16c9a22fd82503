"""The race: a gate before any time is kept, rounds in turn, and a limit that stops a call."""

from __future__ import annotations

import time

import pytest

from benchmarks.packers import race as module
from benchmarks.packers.race import Contender, Pace, WrongAnswerError, race
from benchmarks.packers.results import Ratio, ratio

PACE = Pace(rounds=3, limit_seconds=0.2, share_seconds=5.0)


@pytest.fixture(autouse=True)
def _short_turns(monkeypatch):
    """So that a call of 60 ms is a long one, made once in a turn."""
    monkeypatch.setattr(module, "TURN_SECONDS", 0.005)


def sleeper(name: str, seconds: float, log: list[str], *, fault: str = "", ours: bool = False) -> Contender:
    def work(turn: int) -> int:
        log.append(f"{name}{turn}")
        time.sleep(seconds)
        return turn

    return Contender(name, 1, lambda: work, lambda _answer: [fault] if fault else [], ours=ours)


def test_all_answer_before_any_is_timed_and_then_take_turns():
    log: list[str] = []
    laps = race([sleeper("a", 0.06, log), sleeper("b", 0.06, log)], PACE)
    assert log == ["a0", "b0", *["a1", "b1"] * 3]
    assert [len(lap.seconds) for lap in laps] == [3, 3]
    assert all(0.06 <= (lap.median or 0) < 0.2 for lap in laps)


def test_a_wrong_answer_of_ours_stops_everything():
    log: list[str] = []
    with pytest.raises(WrongAnswerError, match="ours, 1: over by 3 tokens"):
        race([sleeper("other", 0.06, log), sleeper("ours", 0.06, log, fault="over by 3 tokens", ours=True)], PACE)
    assert log == ["other0", "ours0"]


def test_a_wrong_answer_of_others_is_timed_and_named():
    (lap,) = race([sleeper("other", 0.06, [], fault="breaks 1 pair")], PACE)
    assert lap.faults == ["breaks 1 pair"]
    assert len(lap.seconds) == 3


def test_a_call_over_the_limit_is_stopped_and_its_ratio_is_a_bound():
    log: list[str] = []
    slow, fast = race([sleeper("slow", 5.0, log), sleeper("fast", 0.06, log)], PACE)
    assert log.count("slow0") == 1
    assert slow.seconds == []
    assert slow.limit_seconds == PACE.limit_seconds
    assert fast.median is not None
    assert ratio(slow, fast) == Ratio(PACE.limit_seconds / fast.median, is_bound=True)
    assert ratio(fast, slow) is None


def test_a_limit_does_not_reach_who_catches_every_exception():
    def stubborn(_turn: int) -> None:
        try:
            time.sleep(5.0)
        except Exception:  # noqa: BLE001 - what some libraries do
            time.sleep(5.0)

    (lap,) = race([Contender("stubborn", 1, lambda: stubborn, lambda _answer: [])], PACE)
    assert lap.limit_seconds == PACE.limit_seconds


def test_ours_over_the_limit_stops_everything():
    with pytest.raises(WrongAnswerError, match="no answer within"):
        race([sleeper("ours", 5.0, [], ours=True)], PACE)


def test_who_has_used_up_its_share_gets_one_round_only():
    log: list[str] = []
    (lap,) = race([sleeper("a", 0.06, log)], Pace(rounds=5, limit_seconds=1.0, share_seconds=0.1))
    assert len(lap.seconds) == 1


def test_a_short_call_is_repeated_within_its_turn(monkeypatch: pytest.MonkeyPatch):
    """By a clock that only calls move: on a busy machine a real one would say that a call was long."""
    seconds, calls = 0.0, 0

    def short(_turn: int) -> None:
        nonlocal seconds, calls
        seconds, calls = seconds + 0.000_1, calls + 1

    monkeypatch.setattr("time.perf_counter", lambda: seconds)
    race([Contender("a", 1, lambda: short, lambda _answer: [])], Pace(rounds=1, limit_seconds=1.0, share_seconds=1.0))
    assert calls > 50
