"""What Budgeteer counts is what providers recorded of real requests, as far as the files show what was sent."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from budgeteer.cli.source_files import read_recorded
from budgeteer.engine.analysis.calibration.calibration import Calibration, calibrate
from budgeteer.engine.config.schema import load_config
from budgeteer.engine.counting.tokenizers import counter_for
from budgeteer.engine.inputs.bundle import Inputs, build_bundle
from budgeteer.engine.models.registry import known_model
from budgeteer.engine.packing.pack import pack
from budgeteer.engine.rendering import render_request
from tests.conformance.recount import recount_texts

SESSIONS = Path(os.environ["BUDGETEER_CORPUS"]) / "conversations"
#: The models of the sessions that Claude Code and pi wrote with at least 50 requests that can be held against counts.
CLAUDE = ("claude-opus-4-5", "claude-opus-4-6", "claude-sonnet-4-5")


@pytest.fixture(scope="module")
def found() -> dict[str, Calibration]:
    return {one.records.model: one for one in calibrate(read_recorded([str(SESSIONS)]).conversations)}


@pytest.mark.parametrize("model", CLAUDE)
def test_claude_is_counted_as_it_was_recorded(found: dict[str, Calibration], model: str) -> None:
    """Not one request in two is a hundredth off; the total misses what a program added and no file shows."""
    one = found[model]
    assert len(one.records.growths) >= 50
    assert one.counted is not None
    assert one.counted.median < 0.01
    assert -0.01 < one.counted.total < 0.005
    assert one.coefficients is not None
    assert one.coefficients.per_token == pytest.approx(1, abs=0.005)


def test_what_is_known_to_have_been_added_was_added(found: dict[str, Calibration]) -> None:
    """Of a reminder that is charged, at least half was recorded each time, and most are right to some tokens."""
    growths = [growth for model in CLAUDE for growth in found[model].records.growths if growth.unwritten_tokens]
    over = [growth.counted_tokens - growth.recorded_tokens for growth in growths]
    assert len(growths) >= 30
    assert max(over) < 55
    assert sum(abs(tokens) <= 11 for tokens in over) >= 0.8 * len(over)


def test_other_counters_are_far_from_it(found: dict[str, Calibration]) -> None:
    read = read_recorded([str(SESSIONS / "pi"), str(SESSIONS / "claude-code")]).conversations
    for tokenizer in ("o200k_base", "chars/4"):
        others = {one.records.model: one for one in calibrate(read, tokenizer=tokenizer)}
        for model in CLAUDE:
            theirs, ours = others[model].counted, found[model].counted
            assert theirs is not None
            assert ours is not None
            assert theirs.median > 5 * ours.median


def test_gpt_is_counted_token_for_token_beside_its_calls(found: dict[str, Calibration]) -> None:
    one = found["gpt-5.5"]
    assert len(one.records.growths) >= 50
    assert one.coefficients is not None
    assert one.fitted is not None
    assert one.coefficients.per_token == pytest.approx(1, abs=0.01)
    assert one.fitted.median < 0.05


@pytest.mark.parametrize("model", ["claude-sonnet-4-5", "claude-opus-5"])
def test_a_prompt_that_fills_a_window_is_under_it_when_recounted_by_another(model: str) -> None:
    """A whole session of several windows, packed newest first into one, recounted text by text with ctok itself."""
    (talk, *_) = read_recorded([str(SESSIONS / "codex" / "rollout-2302-lines-compacted.jsonl")]).conversations
    row = known_model(model)
    assert row is not None
    counter = counter_for(row.tokenizer)
    bundle = build_bundle(Inputs(conversation=talk), counter=counter, providers=[row.provider])
    history = {"strategy": "newestFirst", "maxTokens": 400_000}
    config = load_config({"model": model, "contextWindow": 200_000, "safetyMarginPercent": 0, "history": history})
    packing = pack(bundle, config, counter=counter)
    assert packing.fits
    assert packing.total.tokens > 150_000
    assert recount_texts(render_request(packing), row.tokenizer).tokens <= 200_000 - packing.output_reserve
