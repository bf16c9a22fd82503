"""Feature specs: all, found or listed; pins, keywords of a query, excluded folders, what each is told."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from budgeteer.engine.analysis.feature_modes import feature_modes
from budgeteer.engine.config.schema import load_config
from budgeteer.engine.content.library import FeatureSpec
from budgeteer.engine.counting.library_measures import feature_text, measure_features
from budgeteer.engine.counting.tokenizers import counter_for
from budgeteer.engine.packing.ledger import Decision
from budgeteer.engine.packing.result import Packing
from budgeteer.engine.packing.sections.feature_search import keywords_of_query, normalised, search_features
from budgeteer.engine.packing.sections.features import (
    NO_KEYWORD_HEADER,
    FeatureAsk,
    FeatureCause,
    FeatureFit,
    fit_features,
)
from budgeteer.engine.rendering import render_request
from tests.engine.packs import bundle_of, packed, user

COUNTER = counter_for("o200k_base")
SPECS = (
    FeatureSpec("crane.md", "Crane", "", "The crane. A crane lifts."),
    FeatureSpec("bugs/crane-falls.md", "Crane falls", "", "The crane fell."),
    FeatureSpec("ferry.md", "Ferry", "", "The ferry meets the crane."),
    FeatureSpec("tide.md", "Tide", "", "High and low."),
)


def search(query: str = "Tell me.", pins: tuple[str, ...] = (), **features: Any) -> Packing:
    config = {"features": {"mode": "search", **features}, "pins": list(pins)}
    return packed(bundle_of(user(query), features=SPECS), config)


def decisions(packing: Packing) -> dict[str, Decision]:
    return {one.id.removeprefix("feature:"): one for one in packing.ledger if one.section == "features"}


def test_the_found_are_whole_in_order_and_every_other_is_told_why() -> None:
    found = decisions(search(keywords=["crane"], topK=1))
    assert {key: one.rule for key, one in found.items()} == {
        "crane.md": "features.search",
        "ferry.md": "features.topK",
        "bugs/crane-falls.md": "features.excludedFolders",
        "tide.md": "features.search",
    }
    assert found["crane.md"].sentence == "Score 5: 1 keywords in its name, 2 occurrences in its text, for crane."
    assert found["ferry.md"].counterfactual == "Kept if features.topK were ≥ 2."
    assert found["bugs/crane-falls.md"].sentence == "Search leaves the folder bugs out."
    assert found["tide.md"].counterfactual == "Kept under features.mode all."


@pytest.mark.parametrize(
    ("features", "told"),
    [({"keywords": []}, "There is no keyword"), ({"keywords": ["zebra"]}, "Nothing matches zebra")],
)
def test_without_a_match_the_files_are_listed_by_path(features: dict[str, Any], told: str) -> None:
    packing = search(**features)
    found = decisions(packing)
    text = render_request(packing)["messages"][0]["content"]
    assert text.endswith("\n\n- crane.md\n- ferry.md\n- tide.md")
    assert {key: one.fate for key, one in found.items()} == {
        "crane.md": "truncated",
        "ferry.md": "truncated",
        "tide.md": "truncated",
        "bugs/crane-falls.md": "dropped",
    }
    assert found["ferry.md"].sentence.startswith(told)
    assert found["ferry.md"].after.chars == len("- ferry.md\n")


def test_where_every_folder_is_excluded_there_are_no_files() -> None:
    packing = packed(bundle_of(user(), features=SPECS[1:2]), {"features": {"mode": "search", "keywords": ["crane"]}})
    assert render_request(packing)["messages"][0]["content"].endswith("No feature files found.")


def test_a_pin_stays_whether_it_matches_or_not() -> None:
    packing = search(keywords=["crane"], topK=1, pins=("feature:tide.md",))
    assert [one.id for one in packing.ledger if one.fate == "kept" and one.section == "features"] == ["feature:tide.md"]
    assert decisions(packing)["tide.md"].rule == "pin"
    assert decisions(packing)["crane.md"].counterfactual == "Kept if features.topK were ≥ 2."
    alone = search(keywords=["zebra"], pins=("feature:bugs/crane-falls.md",))
    text = render_request(alone)["messages"][0]["content"]
    assert text.endswith("The crane fell.\n\n- crane.md\n- ferry.md\n- tide.md")
    only = packed(
        bundle_of(user(), features=SPECS[:1]),
        {"features": {"mode": "search", "keywords": []}, "pins": ["feature:crane.md"]},
    )
    assert "binding" in render_request(only)["messages"][0]["content"]


def test_keywords_come_from_the_query_where_none_are_given() -> None:
    packing = search("Please make the Crane faster, please!")
    assert packing.chosen.features.keywords == ("crane", "faster")
    assert [one.id for one in packing.ledger if one.fate == "kept"][:2] == ["feature:crane.md", "feature:ferry.md"]


@pytest.mark.parametrize(
    ("query", "keywords"),
    [
        ("", ()),
        ("What is it?", ()),
        ("The CI of a UI, go", ("ci", "ui")),
        ("token-limit, TOKEN_LIMIT and token-limit", ("token-limit", "token_limit")),
        ("修复 聊天 a b", ("修复", "聊天")),
        (" ".join(f"word{number}" for number in range(40)), tuple(f"word{number}" for number in range(12))),
    ],
)
def test_a_query_gives_the_words_that_may_name_its_subject(query: str, keywords: tuple[str, ...]) -> None:
    assert keywords_of_query(query) == keywords


def test_keywords_are_trimmed_folded_and_taken_once() -> None:
    assert normalised([" Chat", "chat ", "", "  ", "STRASSE", "straße"]) == ("chat", "strasse")


def test_a_file_name_that_several_share_counts_with_its_folder() -> None:
    shared = (
        FeatureSpec("docs/crane/spec.md", "", "", "Lifts."),
        FeatureSpec("docs/ferry/spec.md", "", "", "Sails."),
        FeatureSpec("crane/tide.md", "", "", "Rises."),
    )
    found = {
        word: [(hit.row, hit.filename_hits) for hit in search_features(shared, (word,), load_config({}).features)]
        for word in ("crane", "ferry", "spec", "docs", "tide")
    }
    assert found == {
        "crane": [(0, 1)],
        "ferry": [(1, 1)],
        "spec": [(0, 1), (1, 1)],
        "docs": [],
        "tide": [(2, 1)],
    }


def test_letters_of_either_case_match_in_names_and_texts_and_a_file_is_no_folder() -> None:
    specs = (FeatureSpec("CRANE.md", "", "", "A Crane. THE CRANE."), FeatureSpec("docs/bugs", "", "", "crane"))
    settings = load_config({"features": {"excludedFolders": ["bugs"]}}).features
    hits = search_features(specs, ("crane",), settings)
    assert [(hit.row, hit.filename_hits, hit.content_hits) for hit in hits] == [(0, 1, 2), (1, 0, 1)]


def fitted(limit: int | None, specs: Sequence[FeatureSpec] = SPECS, *pins: str, **features: Any) -> FeatureFit:
    settings = load_config({"features": features}).features
    ask = FeatureAsk("", frozenset(pins), limit)
    return fit_features(specs, measure_features(specs, counter=COUNTER), settings, counter=COUNTER, ask=ask)


def section(*texts: str) -> int:
    """The section as it is written, with its header and the blank line after it, counted as one text."""
    return COUNTER.count("".join(f"{text}\n\n" for text in ("# Feature specifications", *texts)))


def test_a_limit_holds_the_section_as_it_is_written_and_not_one_less() -> None:
    texts = [feature_text(spec) for spec in SPECS]
    for count in range(1, len(SPECS) + 1):
        size = section(*texts[:count])
        assert fitted(size).order == tuple(range(count))
        short = fitted(size - 1)
        assert short.order == tuple(range(count - 1))
        assert (short.cause[count - 1], short.needed[count - 1]) == (FeatureCause.NO_ROOM, size)


def test_the_first_spec_that_does_not_fit_ends_the_section_and_a_pin_stays() -> None:
    specs = (SPECS[0], FeatureSpec("long.md", "Long", "", "word " * 200), SPECS[3])
    enough = section(feature_text(specs[0]), feature_text(specs[2]))
    assert fitted(enough, specs).order == (0,)
    assert fitted(0, specs, "feature:tide.md").order == (2,)
    assert fitted(None, specs).order == (0, 1, 2)


def test_a_list_of_files_ends_where_the_limit_does() -> None:
    lines = ["- crane.md\n", "- ferry.md\n", "- tide.md\n"]
    header = f"{NO_KEYWORD_HEADER}\n\n"
    for count in range(1, 4):
        size = COUNTER.count(header + "".join(lines[:count]))
        found = fitted(size, mode="search", keywords=[])
        assert [SPECS[row].path for row in found.listed] == ["crane.md", "ferry.md", "tide.md"][:count]
        assert len(fitted(size - 1, mode="search", keywords=[]).listed) == count - 1


def test_both_modes_are_side_by_side_whichever_is_in_force() -> None:
    sides = [search(keywords=["crane"], topK=1, mode=mode) for mode in ("all", "search")]
    modes = [feature_modes(one.bundle, one.config.features) for one in sides]
    assert modes[0] is not None
    assert modes[1] is not None
    assert (modes[0].mode, modes[1].mode) == ("all", "search")
    assert (modes[0].all, modes[0].search, modes[0].found) == (modes[1].all, modes[1].search, 2)
    for packing, size in zip(sides, (modes[0].all, modes[0].search), strict=True):
        assert packing.ledger.total("features").tokens <= size.tokens
    assert feature_modes(bundle_of(user()), sides[0].config.features) is None


def test_a_path_with_a_line_end_in_it_stays_one_line_of_the_list() -> None:
    packing = packed(
        bundle_of(user(), features=(FeatureSpec("a\nb.md", "", "", "x"),)), {"features": {"mode": "search"}}
    )
    assert render_request(packing)["messages"][0]["content"].endswith("\n\n- a b.md")
