"""From a model's window to the tokens that may be sent: every bound at its number, every fraction floored."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from budgeteer.engine.config.schema import load_config
from budgeteer.engine.counting.tokenizers import counter_for
from budgeteer.engine.errors import ConfigError
from budgeteer.engine.packing.allocation import Allowance, Shares, allowance, shares_of


def allowed(tokenizer: str = "o200k_base", **config: Any) -> Allowance:
    return allowance(load_config(config), counter_for(tokenizer))


def shared(window: int, query: int, **shares: Any) -> Shares:
    config = load_config({"contextWindow": window, "outputReserve": 7, "shares": {"enabled": True, **shares}})
    found = shares_of(config, allowance(config, counter_for("o200k_base")), query_tokens=query)
    assert found is not None
    return found


def test_the_input_budget_is_the_window_less_the_reserve_or_the_models_most_input() -> None:
    plain = allowed()
    assert (plain.window, plain.output_reserve, plain.input_budget) == (128_000, 4_096, 128_000 - 4_096)
    bounded = allowed(model="gpt-5")
    assert (bounded.window, bounded.input_budget) == (400_000, 272_000)
    assert allowed(model="gpt-5", contextWindow=200_000, outputReserve=100).input_budget == 199_900


def test_without_a_reserve_of_its_own_a_small_window_keeps_a_quarter_for_the_reply() -> None:
    assert allowed(contextWindow=1_003).output_reserve == 250
    assert allowed(contextWindow=4 * 4_096).output_reserve == 4_096
    assert allowed(contextWindow=1_000, outputReserve=0).input_budget == 1_000


def test_a_window_and_a_reserve_are_taken_up_to_their_bound() -> None:
    assert allowed(contextWindow=128_000).window == 128_000
    with pytest.raises(ConfigError, match=r"contextWindow: 128,001 tokens are more than the 128,000 of gpt-4o"):
        allowed(contextWindow=128_001)
    assert allowed(contextWindow=500, outputReserve=499).input_budget == 1
    with pytest.raises(ConfigError, match=r"outputReserve: a reserve of 500 leaves nothing of a window of 500 tokens"):
        allowed(contextWindow=500, outputReserve=500)


@pytest.mark.parametrize(
    ("tokenizer", "model", "margin", "usable", "kind"),
    [
        ("o200k_base", "gpt-4o", None, 1_005, "exact"),
        ("cl100k_base", "gpt-4o", None, 904, "estimated"),
        ("chars/4", "gpt-4o", None, 904, "estimated"),
        ("o200k_base", "claude-sonnet-4-5", None, 904, "estimated"),
        ("claude-v3", "claude-sonnet-4-5", None, 954, "reconstructed"),
        ("claude-v3", "gpt-4o", None, 904, "estimated"),
        ("o200k_base", "gemini-2.5-pro", None, 904, "estimated"),
        ("o200k_base", "gpt-4o", 3, 974, "exact"),
        ("chars/4", "gpt-4o", 0, 1_005, "estimated"),
    ],
)
def test_an_estimate_keeps_a_tenth_free_and_the_rest_is_floored(
    tokenizer: str, model: str, margin: int | None, usable: int, kind: str
) -> None:
    found = allowed(tokenizer, model=model, contextWindow=1_005, outputReserve=0, safetyMarginPercent=margin)
    assert (found.usable_tokens, found.kind) == (usable, kind)


@pytest.mark.parametrize(
    ("limit", "tokens"), [(7, 7), ("0%", 0), ("100%", 1_005), ("33%", 331), ("33.4%", 335), ("0.1%", 1), ("0.09%", 0)]
)
def test_a_percent_is_taken_of_the_input_budget_and_floored(limit: int | str, tokens: int) -> None:
    assert allowed(contextWindow=1_005, outputReserve=0).tokens(limit) == tokens


def test_a_percent_may_be_of_the_window() -> None:
    """Codex lists skills within 2 % of the window: 4,000 tokens of 200,000 (core-skills, render.rs)."""
    found = allowed(model="claude-sonnet-4-5", contextWindow=200_000, outputReserve=50_000)
    assert (found.tokens("2% of the window"), found.tokens("2%")) == (4_000, 3_000)
    assert found.tokens("0.9% of the window") == 1_800


@given(st.integers(1, 128_000), st.integers(0, 10_000))
def test_a_percent_is_what_it_says_to_the_token(budget: int, hundredths: int) -> None:
    written = f"{hundredths // 100}.{hundredths % 100:02}%"
    found = allowed(contextWindow=budget, outputReserve=0).tokens(written)
    assert found <= Fraction(budget * hundredths, 10_000) < found + 1


def test_sixteen_and_a_bit_percent_of_a_whole_window_is_no_token_less() -> None:
    """128,000 × 16.15 / 100 is 20,672; in binary fractions it comes out a hair below."""
    assert allowed(outputReserve=0).tokens("16.15%") == 20_672


def test_each_share_is_floored_from_what_query_and_reserve_leave() -> None:
    found = shared(1_000, 94, context=0.6, history=0.25, system=0.15)
    assert found.available_tokens == 1_000 - 94 - 7
    assert (found.context_tokens, found.history_tokens, found.system_tokens) == (539, 224, 134)
    assert shared(1_000, 993, context=0.6, history=0.25, system=0.15).context_tokens == 0
    assert shared(1_000, 2_000).available_tokens == 0


def test_shares_may_add_up_to_the_whole_and_no_further() -> None:
    assert shared(1_000, 0, context=0.7, history=0.2, system=0.1).available_tokens == 993
    with pytest.raises(ConfigError, match=r"the shares add up to 1\.01"):
        shared(1_000, 0, context=0.7, history=0.21, system=0.1)
