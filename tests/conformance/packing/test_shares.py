"""Shares and retrieved chunks: the seed's numbers and its builder, and where ours differs from it on purpose."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from budgeteer.engine.config.schema import load_config
from budgeteer.engine.content.library import Chunk
from budgeteer.engine.counting.tokenizers import counter_for
from budgeteer.engine.inputs.bundle import Inputs, build_bundle
from budgeteer.engine.packing.allocation import allowance, shares_of
from budgeteer.engine.packing.pack import pack
from budgeteer.engine.packing.result import Packing
from budgeteer.engine.rendering import render_request
from tests.conformance.counting import reference
from tests.conformance.generated import TEXTS, WORDS
from tests.conformance.packing.seed_shares import (
    SearchResult,
    allocate_budget,
    build_context,
    estimate_tokens,
    longest_rendered,
    retrieve,
)
from tests.conformance.packing.test_packing import configurations, inputs, packed, shares, slowly
from tests.examples import examples

pytestmark = pytest.mark.conformance
HEADER = "# Retrieved context"
GEMMA_WINDOWS = (1024, 2048, 4096, 8192)
many = settings(deadline=None, max_examples=examples(1_500))


def config_of(window: int, reserve: int, given_shares: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "model": "gpt-4o",
        "contextWindow": window,
        "outputReserve": reserve,
        "safetyMarginPercent": 0,
        "shares": given_shares,
        **more,
    }


@many
@given(st.integers(300, 128_000), st.integers(0, 256), st.integers(0, 3_000), shares())
def test_each_share_is_the_seeds(window: int, reserve: int, query: int, given_shares: dict[str, Any]) -> None:
    config = load_config(config_of(window, reserve, given_shares))
    found = shares_of(config, allowance(config, counter_for("o200k_base")), query_tokens=query)
    assert found is not None
    if window - query - reserve < 0:
        assert (found.context_tokens, found.history_tokens, found.system_tokens) == (0, 0, 0)
        return
    parts = [given_shares[name] for name in ("context", "history", "system")]
    expected = allocate_budget(window, query, reserve, shares=parts)
    assert (found.context_tokens, found.history_tokens, found.system_tokens) == (
        expected.context,
        expected.history,
        expected.system,
    )


@pytest.mark.parametrize("window", GEMMA_WINDOWS)
@pytest.mark.parametrize("query", [0, 1, 100, 406, 700])
def test_the_seeds_own_shares_on_its_models(window: int, query: int) -> None:
    config = load_config(config_of(window, 256, {"enabled": True}))
    found = shares_of(config, allowance(config, counter_for("o200k_base")), query_tokens=query)
    assert found is not None
    expected = allocate_budget(window, query, shares=(0.55, 0.35, 0.10))
    assert (found.context_tokens, found.history_tokens, found.system_tokens) == (
        expected.context,
        expected.history,
        expected.system,
    )


RESULTS = st.lists(
    st.builds(SearchResult, TEXTS | WORDS, st.sampled_from([0.1, 0.5, 0.5, 0.9]) | st.floats(-1, 1)), max_size=12
)


def retrieval_of(packing: Packing) -> str:
    """The section's text as it is sent, without its header; "" where there is none."""
    messages = render_request(packing)["messages"]
    text = str(messages[0]["content"]) if messages else ""
    return text.partition(f"{HEADER}\n\n")[2] if HEADER in text else ""


@many
@given(RESULTS, st.integers(20, 900), st.integers(1, 5))
def test_with_characters_over_four_the_context_is_the_seeds(
    results: list[SearchResult], window: int, top_k: int
) -> None:
    """The share pays for the section's header too, and that is all that differs: labels and joins are free here."""
    data = config_of(window, 0, {"enabled": True, "context": 0.6, "history": 0.2, "system": 0.2})
    data |= {"tokenizer": "chars/4", "retrieval": {"searchTopK": top_k}, "system": {"marker": ""}}
    counter = counter_for("chars/4")
    chunks = tuple(Chunk(result.content, score=result.score) for result in results)
    packing = pack(build_bundle(Inputs(chunks=chunks), counter=counter), load_config(data), counter=counter)
    share = allocate_budget(window, 0, 0, shares=(0.6, 0.2, 0.2)).context
    room = share - estimate_tokens(HEADER)
    expected = build_context(retrieve(results, top_k), room)
    if not chunks or (expected == "No relevant context." and estimate_tokens(expected) > room):
        expected = ""  # ours says nothing where even that sentence is over its share
    assert retrieval_of(packing) == expected
    assert packing.ledger.total("retrieval").tokens <= share


@pytest.mark.slow
@many
@given(RESULTS.filter(bool), st.integers(20, 700), st.integers(1, 8), st.sampled_from(["gpt-4o", "gpt-4"]))
def test_with_a_vocabulary_the_prefix_is_the_longest_whose_text_fits(
    results: list[SearchResult], window: int, top_k: int, model: str
) -> None:
    """The seed counts contents alone; ours counts the section as it is sent, so that a share is never passed."""
    data = config_of(window, 0, {"enabled": True, "context": 0.6, "history": 0.2, "system": 0.2})
    data |= {"model": model, "retrieval": {"searchTopK": top_k}, "system": {"marker": ""}}
    name = "cl100k_base" if model == "gpt-4" else "o200k_base"
    counter = counter_for(name)
    chunks = tuple(Chunk(result.content, score=result.score) for result in results)
    packing = pack(build_bundle(Inputs(chunks=chunks), counter=counter), load_config(data), counter=counter)
    assert packing.chosen.shares is not None
    share = math.floor((window - 3) * 0.6)  # the priming of the reply is charged with the query
    assert packing.chosen.shares.context_tokens == share
    left = window - 3 - (3 + reference.count("system", name))
    contents = [result.content for result in retrieve(results, top_k)]
    kept = longest_rendered(contents, HEADER, lambda text: reference.count(text, name) <= min(share, left))
    entries = [f"[Source {number}]: {contents[at]}" for number, at in enumerate(kept, 1)]
    text = retrieval_of(packing)
    assert text in ("\n\n".join(entries), "" if kept else "No relevant context.")
    if text:
        assert reference.count(f"{HEADER}\n\n{text}", name) == packing.ledger.total("retrieval").tokens


@slowly
@given(inputs(), configurations(), shares())
def test_no_section_passes_its_share_or_an_error_says_so(
    given_inputs: Inputs, data: dict[str, Any], given_shares: dict[str, Any]
) -> None:
    data = {**data, "shares": {**given_shares, "redistribute": False}}
    packing = packed(given_inputs, data, "openai-chat")
    found = packing.chosen.shares
    assert found is not None
    assert packing.ledger.total("retrieval").tokens <= max(found.context_tokens, 0)
    if not packing.fits:
        return
    group = sum(packing.ledger.total(name).tokens for name in ("system", "tools", "skills", "features"))
    assert group <= found.system_tokens
    assert packing.ledger.total("history").tokens <= found.history_tokens


@slowly
@given(inputs(), configurations(strategy="newestFirst"), shares())
def test_what_flows_on_never_takes_anything_away(
    given_inputs: Inputs, data: dict[str, Any], given_shares: dict[str, Any]
) -> None:
    data["skillsBudget"]["enabled"] = False
    # With `fill`, a better chunk that has room now may take the place of two that are worse.
    data["retrieval"]["fit"] = "prefix"
    alone = packed(given_inputs, {**data, "shares": {**given_shares, "redistribute": False}}, "openai-chat")
    flowing = packed(given_inputs, {**data, "shares": {**given_shares, "redistribute": True}}, "openai-chat")
    # A notice of what was left out goes where nothing is left out any more.
    kept = [
        {one.id for one in packing.ledger if one.fate != "dropped" and not one.id.startswith("notice:")}
        for packing in (alone, flowing)
    ]
    retrieved = [{key for key in ids if key.startswith("chunk:")} for ids in kept]
    assert retrieved[0] <= retrieved[1]
    if retrieved[0] == retrieved[1]:
        assert kept[0] <= kept[1]


@slowly
@given(inputs(), configurations(), st.integers(0, 500))
def test_a_larger_window_never_keeps_fewer_chunks(given_inputs: Inputs, data: dict[str, Any], more: int) -> None:
    data["skillsBudget"]["enabled"] = data["shares"]["redistribute"] = False
    data["retrieval"]["fit"] = "prefix"
    larger = {**data, "contextWindow": data["contextWindow"] + more}
    kept = [
        {one.id for one in packed(given_inputs, one_data, "openai-chat").ledger if one.fate != "dropped"}
        for one_data in (data, larger)
    ]
    chunks = [{key for key in ids if key.startswith("chunk:")} for ids in kept]
    assert chunks[0] <= chunks[1]
