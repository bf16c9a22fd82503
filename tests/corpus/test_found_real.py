"""Feature libraries and chunk sets of the corpus: what the seeds answer, what modes cost, packings at ten budgets."""

from __future__ import annotations

import functools
import os
import time
from collections import Counter
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from budgeteer.engine.config.schema import load_config
from budgeteer.engine.content.library import Chunk, FeatureSpec
from budgeteer.engine.counting.library_measures import ChunkMeasures, FeatureMeasures, measure_chunks, measure_features
from budgeteer.engine.counting.tokenizers import counter_for
from budgeteer.engine.inputs.bundle import Bundle, Inputs, build_bundle
from budgeteer.engine.packing.pack import pack
from budgeteer.engine.packing.sections.feature_search import normalised, search_features
from budgeteer.engine.packing.sections.retrieval import ChunkRoom, fit_chunks
from budgeteer.engine.rendering import render_request
from budgeteer.formats.detect import import_bytes
from tests.conformance.counting import reference
from tests.conformance.invariants import check_everything
from tests.conformance.packing.sections import seed_search
from tests.conformance.packing.seed_shares import SearchResult, longest_rendered, retrieve
from tests.conformance.recount import recount
from tests.corpus.test_packing_real import conversations_of, files, measured
from tests.examples import SHARE

pytestmark = pytest.mark.corpus
CORPUS = Path(os.environ["BUDGETEER_CORPUS"])
COUNTER = counter_for("o200k_base")
LIBRARIES = ("naide-prompts-features", "openspec-specs-and-changes", "kubernetes-keps-apps-cli")
CHUNK_SETS = (
    "anthropic-cookbook-anthropic_docs.json",
    "anthropic-cookbook-codebase_chunks.json",
    "anthropic-cookbook-evaluation_set-first25.jsonl",
    "gemini-grounding-chunks-3.json",
    "gemini-grounding-chunks-4.json",
    "open-rag-eval-connector.csv",
    "openai-file-search-results-3.json",
    "ragchecker-checking_inputs.json",
    "ragchecker-checking_outputs.json",
    "tavily-search-response.json",
)
SEARCHES = (
    ("chat", "history"),
    ("token", "limit", "memory"),
    ("Pod", "job", " scheduling "),
    ("spec", "change"),
    ("readme",),
    ("kubectl", "apply", "delete"),
    ("no such word anywhere",),
    (),
)
#: Budgets in percent of what everything would take.
SHARES_OF_DEMAND = (1, 5, 10, 20, 35, 50, 70, 90, 100, 120)


@functools.cache
def library(name: str) -> tuple[tuple[FeatureSpec, ...], FeatureMeasures]:
    path = CORPUS / "features" / f"{name}.zip"
    found = import_bytes(path.read_bytes(), name=path.name).features
    return found, measure_features(found, counter=COUNTER)


@functools.cache
def chunk_set(name: str) -> tuple[tuple[Chunk, ...], ChunkMeasures]:
    found = import_bytes((CORPUS / "rag" / name).read_bytes(), name=name, as_format="chunks").chunks
    return found, measure_chunks(found, counter=COUNTER)


#: Each library with each search, in half of their pairs unless all examples are tried: the seed's way is slow.
SEARCHED = [
    pytest.param(name, keywords, id=f"{name}-{' '.join(keywords)}")
    for (at, name), (by, keywords) in product(enumerate(LIBRARIES), enumerate(SEARCHES))
    if (at + by) % min(SHARE, 2) == 0
]


@pytest.mark.parametrize(("name", "keywords"), SEARCHED)
def test_the_search_is_the_seeds_but_for_names_that_several_specs_share(name: str, keywords: tuple[str, ...]) -> None:
    features, _ = library(name)
    hits = search_features(features, normalised(keywords), load_config({}).features)
    ours = {features[hit.row].path: hit.score for hit in hits}
    plain = [seed_search.File(feature.path, feature.text) for feature in features]
    seeds = dict(seed_search.search_features(plain, keywords, top_k=len(plain)))
    names = Counter(path.rpartition("/")[2] for path in (feature.path for feature in features))
    alone = {feature.path for feature in features if names[feature.path.rpartition("/")[2]] == 1}
    assert {path: score for path, score in ours.items() if path in alone} == {
        path: score for path, score in seeds.items() if path in alone
    }
    assert all(ours[path] >= score for path, score in seeds.items())
    assert list(ours) == sorted(ours, key=lambda path: (-ours[path], path))


@pytest.mark.parametrize("mode", ["all", "search"])
@pytest.mark.parametrize("placement", ["dedicated", "prepended"])
@pytest.mark.parametrize("name", LIBRARIES)
def test_a_library_in_a_prompt_equals_its_recount(name: str, placement: str, mode: str) -> None:
    features, measures = library(name)
    bundle = build_bundle(Inputs(features=features, feature_measures=measures, query="Which?"), counter=COUNTER)
    for keywords in SEARCHES if mode == "search" else SEARCHES[:1]:
        settings = {"mode": mode, "keywords": list(keywords)}
        config = load_config({"features": settings, "system": {"placement": placement}})
        packing = pack(bundle, config, counter=COUNTER)
        counted = recount(render_request(packing))
        assert (counted.tokens, counted.chars) == (packing.total.tokens, packing.total.chars)


@pytest.mark.parametrize("fit", ["prefix", "fill"])
@pytest.mark.parametrize("name", CHUNK_SETS)
def test_real_chunks_are_packed_at_every_budget(name: str, fit: str) -> None:
    chunks, measures = chunk_set(name)
    whole = int(measures.followed_tokens.sum()) + 50
    bundle = build_bundle(Inputs(chunks=chunks, chunk_measures=measures, query="Which?"), counter=COUNTER)
    before: set[str] = set()
    for percent in SHARES_OF_DEMAND:
        window = max(min(whole * percent // 100, 128_000), 10)
        settings = {"searchTopK": len(chunks), "fit": fit}
        packing = pack(bundle, load_config(_windowed(window, retrieval=settings)), counter=COUNTER)
        check_everything(packing)
        kept = {one.id for one in packing.ledger if one.fate == "kept" and one.section == "retrieval"}
        if fit == "prefix":
            assert before <= kept
        before = kept
    assert len(before) == len(chunks) or whole > 100_000


@pytest.mark.parametrize("name", CHUNK_SETS)
def test_the_prefix_of_real_chunks_is_the_longest_that_fits(name: str) -> None:
    chunks, measures = chunk_set(name)
    results = [SearchResult(chunk.text, -at if chunk.score is None else chunk.score) for at, chunk in enumerate(chunks)]
    contents = [result.content for result in retrieve(results[:60], 12)]
    config = load_config({"retrieval": {"searchTopK": 12}}).retrieval
    for limit in (0, 20, 150, 900, 4_000, 20_000):
        kept = longest_rendered(contents, "# Retrieved context", lambda text, most=limit: reference.count(text) <= most)
        rows = measures.taken(slice(0, 60))
        fit = fit_chunks(chunks[:60], rows, config, counter=COUNTER, room=ChunkRoom(limit))
        assert [chunks[row].text for row in fit.order] == [contents[at] for at in kept]


def _windowed(window: int, **more: Any) -> dict[str, Any]:
    return {"model": "gpt-4o", "contextWindow": window, "outputReserve": 0, **more}


def _with_everything(path: Path, number: int) -> Bundle:
    """A real conversation with a real library and real chunks beside it."""
    features, feature_measures = library("naide-prompts-features")
    chunks, chunk_measures = chunk_set("tavily-search-response.json")
    inputs = Inputs(
        conversation=conversations_of(path)[number],
        conversation_measures=measured(path, number),
        features=features,
        feature_measures=feature_measures,
        chunks=chunks,
        chunk_measures=chunk_measures,
        system="Be brief.",
    )
    return build_bundle(inputs, counter=COUNTER)


@pytest.mark.parametrize("path", files(), ids=lambda path: path.name)
def test_shares_search_and_prepending_keep_the_invariants_of_real_conversations(path: Path) -> None:
    for number in range(min(len(conversations_of(path)), 2)):
        bundle = _with_everything(path, number)
        demand = int(bundle.history_measures.column("openai-chat", "tokens").sum()) + 16_000
        for at, percent in enumerate(SHARES_OF_DEMAND):
            data = _windowed(
                max(min(demand * percent // 100, 128_000), 20),
                features={"mode": "search", "topK": 3},
                shares={"enabled": at % 2 == 0, "redistribute": at % 4 == 0},
                system={"placement": "prepended" if at % 3 else "dedicated"},
                history={"strategy": ("newestFirst", "summarizeOlder", "full")[at % 3]},
            )
            provider = "anthropic" if at % 5 == 4 else "openai-chat"
            check_everything(pack(bundle, load_config(data), counter=COUNTER, provider=provider))


@pytest.mark.parametrize("name", LIBRARIES)
def test_a_warm_search_reads_no_text_again(name: str) -> None:
    features, measures = library(name)
    bundle = build_bundle(Inputs(features=features, feature_measures=measures, query="Which?"), counter=COUNTER)
    config = load_config({"features": {"mode": "search", "keywords": ["chat", "history", "pod"]}})
    pack(bundle, config, counter=COUNTER)
    times = []
    for _ in range(9):
        started = time.process_time()
        pack(bundle, config, counter=COUNTER)
        times.append(time.process_time() - started)
    assert sorted(times)[4] < 0.05
