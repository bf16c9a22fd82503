"""What an earlier packing wrote is no message of the conversation: it asks nothing and no limit counts it."""

from __future__ import annotations

from typing import Any

import pytest

from budgeteer.engine.content.written_messages import notice_text
from tests.engine.packs import assistant, bundle_of, fates, packed, user

NOTICE = user(notice_text(41))


@pytest.mark.parametrize("strategy", ["newestFirst", "keepEnds", "clearToolResults"])
def test_a_limit_of_messages_does_not_count_a_notice(strategy: str) -> None:
    config: dict[str, Any] = {"history": {"strategy": strategy, "maxMessages": 2, "notice": True}}
    packing = packed(bundle_of(NOTICE, user("Where?"), assistant("There.")), config)
    assert set(fates(packing).values()) == {"kept"}


def test_a_notice_at_the_end_is_no_query() -> None:
    bundle = bundle_of(user("Where?"), NOTICE)
    assert bundle.query is None
    packing = packed(bundle, {"history": {"strategy": "newestFirst", "maxTokens": 8}})
    assert fates(packing)["message:m1"] == "kept"


def test_a_notice_may_stand_before_the_role_a_history_begins_with() -> None:
    config = {"history": {"strategy": "newestFirst", "startOn": "assistant", "notice": True}}
    packing = packed(bundle_of(NOTICE, assistant("There."), user("And then?")), config)
    assert set(fates(packing).values()) == {"kept"}


def test_a_group_of_two_turns_is_as_far_back_as_its_older_turn() -> None:
    talk = [user("One?"), assistant("One."), user("Two?"), assistant("Two."), user("Three?"), assistant("Three.")]
    together = {"message:m2": "message:m6"}
    packing = packed(bundle_of(*talk), {"history": {"strategy": "newestFirst", "maxTurns": 2, "keepWith": together}})
    assert [key for key, fate in fates(packing).items() if fate == "kept"] == ["message:m3", "message:m4", "message:m5"]


def test_what_follows_the_end_goes_after_the_newest_messages_are_cut() -> None:
    talk = [user("One?"), assistant("One."), user("Two?"), assistant("Two.")]
    config = {"history": {"strategy": "oldestFirst", "maxMessages": 2, "endOn": "user"}}
    assert [key for key, fate in fates(packed(bundle_of(*talk), config)).items() if fate == "kept"] == ["message:m1"]
