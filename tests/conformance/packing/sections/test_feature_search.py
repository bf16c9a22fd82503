"""Feature search is the seed's: the same files in the same order with the same scores, on thousands of libraries."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from budgeteer.engine.analysis.feature_modes import feature_modes
from budgeteer.engine.analysis.search_tool import tool_answer
from budgeteer.engine.config.schema import load_config
from budgeteer.engine.content.library import FeatureSpec
from budgeteer.engine.counting.tokenizers import counter_for
from budgeteer.engine.inputs.bundle import Inputs, build_bundle
from budgeteer.engine.packing.pack import pack
from budgeteer.engine.packing.sections.feature_search import normalised, search_features
from budgeteer.engine.rendering import render_request
from tests.conformance.counting import reference
from tests.conformance.packing.sections import seed_search
from tests.examples import examples

pytestmark = pytest.mark.conformance
many = settings(deadline=None, max_examples=examples(2_000))
WORD = st.sampled_from(
    ["chat", "Chat", "history", "token", "TOKENS", "aa", "a", "straße", "STRASSE", "ſ", "İ", "日本", " limit ", "", "-"]
)
TEXT = st.lists(WORD | st.sampled_from([" ", "\n", "aaa", "# "]), max_size=14).map("".join)
FOLDER = st.sampled_from(["", "specs/", "bugs/", "specs/removed-features/", "Bugs/", "chat/"])


@st.composite
def libraries(draw: st.DrawFn) -> tuple[FeatureSpec, ...]:
    """Specs whose file names are all their own."""
    specs = []
    for number in range(draw(st.integers(0, 14))):
        path = f"{draw(FOLDER)}{draw(WORD).strip()}{number:02}.md"
        specs.append(FeatureSpec(path, path, "", draw(TEXT)))
    return tuple(specs)


KEYWORDS = st.lists(WORD, max_size=4)


def files(features: tuple[FeatureSpec, ...]) -> list[seed_search.File]:
    return [seed_search.File(feature.path, feature.text) for feature in features]


@pytest.mark.slow
@many
@given(libraries(), KEYWORDS, st.integers(1, 6), st.integers(0, 4), st.integers(0, 3))
def test_the_search_is_the_seeds(
    features: tuple[FeatureSpec, ...], keywords: list[str], top_k: int, in_name: int, in_text: int
) -> None:
    config = load_config({"features": {"filenameWeight": in_name, "contentWeight": in_text}}).features
    hits = search_features(features, normalised(keywords), config)[:top_k]
    weights = seed_search.Weights(in_name, in_text)
    expected = seed_search.search_features(files(features), keywords, top_k=top_k, weights=weights)
    assert [(features[hit.row].path, hit.score) for hit in hits] == expected


@settings(deadline=None, max_examples=examples(600))
@given(libraries(), KEYWORDS, st.integers(1, 6), st.sampled_from(["gpt-4o", "gpt-4"]))
def test_the_prompt_holds_what_the_search_finds_whole_and_nothing_else(
    features: tuple[FeatureSpec, ...], keywords: list[str], top_k: int, model: str
) -> None:
    data = {"model": model, "features": {"mode": "search", "keywords": keywords, "topK": top_k}}
    counter = counter_for("cl100k_base" if model == "gpt-4" else "o200k_base")
    config = load_config(data)
    packing = pack(build_bundle(Inputs(features=features), counter=counter), config, counter=counter)
    found = seed_search.search_features(files(features), keywords, top_k=top_k)
    by_path = {feature.path: feature for feature in features}
    request = render_request(packing)
    text = request["messages"][0]["content"] if request["messages"] else ""
    if found:
        whole = [f"## Feature: {path}\n\n{by_path[path].text}" for path, _ in found]
        assert text.endswith("\n\n" + "\n\n".join(whole))
        assert [one.id for one in packing.ledger if one.fate == "kept"] == [f"feature:{path}" for path, _ in found]
        assert "binding" in text
    elif features:
        paths = sorted(file.path for file in seed_search.available(files(features), ("removed-features", "bugs")))
        listing = "\n".join(f"- {path}" for path in paths)
        assert text.endswith(f":\n\n{listing}" if paths else "No feature files found.")
    expected = text.removeprefix("[SYSTEM INSTRUCTIONS]\n\n") or "No feature files found."
    assert tool_answer(features, keywords, config.features, counter=counter) == expected


@settings(deadline=None, max_examples=examples(300))
@given(libraries().filter(bool), KEYWORDS, st.integers(1, 6))
def test_the_costs_side_by_side_are_those_of_the_texts(
    features: tuple[FeatureSpec, ...], keywords: list[str], top_k: int
) -> None:
    counter = counter_for("o200k_base")
    sizes: dict[str, Any] = {}
    for mode in ("all", "search"):
        data = {"features": {"mode": mode, "keywords": keywords, "topK": top_k}, "system": {"marker": ""}}
        bundle = build_bundle(Inputs(features=features), counter=counter)
        packing = pack(bundle, load_config(data), counter=counter)
        text = render_request(packing)["messages"][0]["content"]
        sizes[mode] = (reference.count(text), len(text))
    modes = feature_modes(bundle, load_config(data).features)
    assert modes is not None
    assert (modes.all.tokens, modes.all.chars) == sizes["all"]
    assert (modes.search.tokens, modes.search.chars) == sizes["search"]


@settings(deadline=None, max_examples=examples(300))
@given(libraries(), KEYWORDS, st.integers(1, 5))
def test_more_specs_asked_for_never_drop_one(
    features: tuple[FeatureSpec, ...], keywords: list[str], top_k: int
) -> None:
    counter = counter_for("chars/4")
    kept = []
    for count in (top_k, top_k + 1):
        data = {"tokenizer": "chars/4", "features": {"mode": "search", "keywords": keywords, "topK": count}}
        packing = pack(build_bundle(Inputs(features=features), counter=counter), load_config(data), counter=counter)
        kept.append({one.id for one in packing.ledger if one.fate == "kept"})
    assert kept[0] <= kept[1]


def test_a_name_that_several_specs_share_counts_with_its_folder_unlike_the_seeds() -> None:
    """The seed looks at the last step of the path alone; the real libraries call every spec README.md or spec.md."""
    features = (FeatureSpec("login/spec.md", "", "", "x"), FeatureSpec("billing/spec.md", "", "", "x"))
    config = load_config({}).features
    assert [hit.row for hit in search_features(features, ("login",), config)] == [0]
    assert seed_search.search_features(files(features), ["login"]) == []
