"""Pruning that no model is told of: blocks and notes as text, and nothing added beside them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from budgeteer.engine.config.schema import load_config
from budgeteer.engine.counting.tokenizers import counter_for
from budgeteer.engine.inputs.bundle import Inputs, build_bundle
from budgeteer.engine.packing.pack import pack
from budgeteer.engine.packing.pruning.nudges import ModelRequest, nudge_for
from budgeteer.engine.rendering import render_request
from tests.conformance.invariants import check_everything
from tests.conformance.packing.pruning.pruning_material import inputs, settings_of
from tests.conformance.packing.test_packing import FORMS, slowly
from tests.engine.packs import assistant, talk, user

COUNTER = counter_for("o200k_base")


@pytest.mark.slow
@slowly
@given(inputs(), settings_of(), st.sampled_from(FORMS))
def test_every_invariant_holds_and_nothing_is_added(
    given_inputs: Inputs, pruning: dict[str, Any], provider: str | None
) -> None:
    config = load_config({"model": "gpt-4o", "pruning": {**pruning, "modelDriven": False}})
    packing = pack(build_bundle(given_inputs, counter=COUNTER), config, counter=COUNTER, provider=provider)
    check_everything(packing)
    assert packing.verdict.counts["added"] == 0
    assert sum(one.size.tokens for one in packing.ledger.overhead if one.name == "message ids") == 0
    plain = pack(build_bundle(given_inputs, counter=COUNTER), load_config({"model": "gpt-4o"}), counter=COUNTER)
    assert provider is not None or packing.total.tokens <= plain.total.tokens


def test_a_block_written_by_hand_is_text_only() -> None:
    conversation = talk(user("first " * 200), assistant("second " * 200), user("third"))
    bundle = build_bundle(Inputs(conversation=conversation), counter=COUNTER)
    span = {"startId": "m001", "endId": "m002", "summary": "What was said."}
    ranges = [{"topic": "The beginning", "ranges": [span]}]
    pruning = {"mode": "manual", "modelDriven": False, "ranges": ranges}
    config = load_config({"model": "gpt-4o", "pruning": pruning})
    request = render_request(pack(bundle, config, counter=COUNTER))
    assert [message["role"] for message in request["messages"]] == ["user", "user"]
    assert request["messages"][0]["content"].endswith("What was said.")
    assert "m003" not in str(request)
    assert "tools" not in request


def test_no_model_is_reminded() -> None:
    config = load_config({"pruning": {"mode": "auto", "modelDriven": False}}).pruning
    assert nudge_for(ModelRequest(tokens=99, window=100), config) is None
