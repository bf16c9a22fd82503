"""What "Kept if" promises holds: with each limit at its number, the message is sent, however messages are grouped."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from budgeteer.engine.packing.result import Packing
from tests.engine.packs import assistant, bundle_of, fates, packed, user


def _kept(packing: Packing) -> set[str]:
    return {item for item, fate in fates(packing).items() if fate == "kept"}


def _check(roles: list[str], history: dict[str, Any], pins: list[str]) -> int:
    """How many messages of these roles are promised numbers of settings of history, each of which was tried."""
    makers = {"user": user, "assistant": assistant}
    bundle = bundle_of(*[makers[role]("word " * (place % 4 + 1)) for place, role in enumerate(roles)])
    tried = 0
    for row in packed(bundle, {"history": history, "pins": pins}).ledger:
        asked = {str(one.limit): one.at_least for one in row.reason.conditions}
        if not row.id.startswith("message:") or not asked or any(not one.startswith("history.") for one in asked):
            continue
        raised = history | {limit.removeprefix("history."): least for limit, least in asked.items()}
        assert row.id in _kept(packed(bundle, {"history": raised, "pins": pins})), (row.id, asked)
        tried += 1
    return tried


@pytest.mark.parametrize(
    ("roles", "history", "pins"),
    [
        (
            ["user", "assistant", "user", "user", "user", "user"],
            {"strategy": "oldestFirst", "keepWith": {"message:m2": "message:m1"}, "startOn": "assistant"},
            [],
        ),
        (
            ["user", "assistant", "user", "assistant", "user", "assistant"],
            {"strategy": "oldestFirst", "keepWith": {"message:m3": "message:m1", "message:m4": "message:m2"}}
            | {"startOn": "user", "endOn": "assistant"},
            ["message:m2"],
        ),
    ],
)
def test_what_opens_or_ends_a_history_is_not_taken_along_by_another(
    roles: list[str], history: dict[str, Any], pins: list[str]
) -> None:
    for most in range(4, 80):
        _check(roles, {"maxTokens": most} | history, pins)


@given(st.data())
def test_every_number_that_is_promised_keeps_its_message(drawn: st.DataObject) -> None:
    roles = drawn.draw(st.lists(st.sampled_from(["user", "assistant"]), min_size=3, max_size=9))
    places = st.integers(1, len(roles))
    together = drawn.draw(st.lists(st.tuples(places, places), max_size=3))
    counts = st.none() | st.integers(1, 5)
    strategies = ["newestFirst", "keepEnds", "oldestFirst", "byPriority"]
    history: dict[str, Any] = {
        "strategy": drawn.draw(st.sampled_from(strategies)),
        "startOn": drawn.draw(st.sampled_from(["assistant", "user", "any"])),
        "endOn": drawn.draw(st.sampled_from(["any", "any", "user", "assistant"])),
        "keepWith": {f"message:m{max(pair)}": f"message:m{min(pair)}" for pair in together if pair[0] != pair[1]},
        "maxTokens": drawn.draw(st.integers(5, 120)),
        "maxTurns": drawn.draw(counts),
        "maxMessages": drawn.draw(counts),
        "ends": {"keepFirst": drawn.draw(st.integers(1, 3))},
    }
    _check(roles, history, drawn.draw(st.just([]) | places.map(lambda place: [f"message:m{place}"])))
