"""The comparison of the model table with LiteLLM's, over a table of our own in its shape."""

from __future__ import annotations

from benchmarks.accuracy.model_limits import EXPLAINED, differences
from budgeteer.engine.models.registry import MODELS


def entry(window: int, reply: int) -> dict[str, int]:
    return {"max_input_tokens": window, "max_output_tokens": reply}


def test_what_differs_is_said_with_both_figures() -> None:
    table = {"gpt-4o": entry(128_000, 16_384), "gpt-5": entry(272_000, 64_000), "azure/o1": entry(1, 1)}
    compared, found = differences(table)
    assert compared == 2  # a host's limits say nothing of the model
    assert found == {"gpt-5": "max_output_tokens: ours 128,000, theirs 64,000"}


def test_a_limit_that_either_leaves_out_is_not_compared() -> None:
    table = {"gemini/gemini-3.5-flash": entry(1_048_576, 65_535), "gpt-4o": {"mode": "chat"}}
    assert differences(table) == (2, {})


def test_every_reason_belongs_to_a_row() -> None:
    assert set(EXPLAINED) <= set(MODELS)
