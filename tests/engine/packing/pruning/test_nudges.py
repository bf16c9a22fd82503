"""Nudges: each rule by itself, and thousands of requests against a simulation written from the rules alone."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from budgeteer.engine.config.schema import PruningConfig, load_config
from budgeteer.engine.packing.pruning.nudges import Cadence, ModelRequest, nudge_for, nudged, nudges


def _config(**changes: object) -> PruningConfig:
    return load_config({"pruning": {"mode": "auto", **changes}}).pruning


def _request(percent: int, *, calls: int = 0, compressed: bool = False) -> ModelRequest:
    return ModelRequest(percent * 10, 1_000, calls_since_user=calls, compressed=compressed)


@pytest.mark.parametrize(
    ("percent", "calls", "changes", "expected"),
    [
        (39, 99, {}, None),
        (40, 0, {}, "turn"),
        (40, 14, {}, "turn"),
        (40, 15, {}, "iteration"),
        (80, 0, {}, "turn"),
        (81, 15, {}, "contextLimitSoft"),
        (81, 0, {"nudgeForce": "strong"}, "contextLimitStrong"),
        (81, 0, {"mode": "manual"}, "contextLimitSoft"),
        (80, 15, {"mode": "manual"}, None),
        (99, 15, {"mode": "off"}, None),
        (50, 0, {"minContextPercent": 60}, None),
    ],
)
def test_usage_and_calls_decide_which_nudge_it_is(
    percent: int, calls: int, changes: dict[str, object], expected: str | None
) -> None:
    assert nudge_for(_request(percent, calls=calls), _config(**changes)) == expected


def test_the_first_nudge_waits_for_nothing_and_the_next_for_the_frequency() -> None:
    given_at = [at for at, nudge in enumerate(nudges([_request(90)] * 12, _config(nudgeFrequency=5))) if nudge]
    assert given_at == [0, 5, 10]


def test_a_nudge_of_another_kind_counts_as_well() -> None:
    requests = [_request(90), *[_request(50)] * 3, _request(50)]
    assert list(nudges(requests, _config(nudgeFrequency=4))) == ["contextLimitSoft", None, None, None, "turn"]


def test_a_compress_starts_the_count_anew() -> None:
    requests = [_request(90), _request(90), _request(90, compressed=True), *[_request(90)] * 3]
    given_at = [at for at, nudge in enumerate(nudges(requests, _config(nudgeFrequency=3))) if nudge]
    assert given_at == [0, 5]


def test_requests_below_the_minimum_count_towards_the_frequency() -> None:
    requests = [_request(90), _request(10), _request(10), _request(90)]
    assert list(nudges(requests, _config(nudgeFrequency=3)))[3] == "contextLimitSoft"


def test_the_cadence_is_handed_on() -> None:
    nudge, cadence = nudged(Cadence(), _request(90), _config())
    assert (nudge, cadence) == ("contextLimitSoft", Cadence(0))
    assert nudged(cadence, _request(90), _config()) == (None, Cadence(1))


REQUESTS = st.lists(
    st.builds(
        ModelRequest,
        tokens=st.integers(0, 120),
        window=st.just(100),
        calls_since_user=st.integers(0, 6),
        compressed=st.booleans(),
    ),
    max_size=40,
)


CHANGES = st.fixed_dictionaries(
    {
        "mode": st.sampled_from(["off", "auto", "manual"]),
        "nudgeForce": st.sampled_from(["soft", "strong"]),
        "minContextPercent": st.integers(0, 100),
        "maxContextPercent": st.integers(0, 100),
        "nudgeFrequency": st.integers(1, 6),
        "iterationNudgeThreshold": st.integers(1, 6),
    }
)


@given(REQUESTS, CHANGES)
def test_any_conversation_is_nudged_as_the_rules_say(requests: list[ModelRequest], changes: dict[str, Any]) -> None:
    marks: list[int] = []  # where a nudge or a compress was
    expected: list[str | None] = []
    for at, request in enumerate(requests):
        if request.compressed:
            marks.append(at)
        kind = None
        if changes["mode"] != "off" and request.tokens > changes["maxContextPercent"]:
            kind = "contextLimit" + changes["nudgeForce"].title()
        elif changes["mode"] == "auto" and request.tokens >= changes["minContextPercent"]:
            kind = "iteration" if request.calls_since_user >= changes["iterationNudgeThreshold"] else "turn"
        if marks and at - marks[-1] < changes["nudgeFrequency"]:
            kind = None
        expected.append(kind)
        if kind:
            marks.append(at)
    assert list(nudges(requests, _config(**changes))) == expected
