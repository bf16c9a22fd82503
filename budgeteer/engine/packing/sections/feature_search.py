"""Feature search: which specs match a request's keywords (seed: token limit error, change 2).

`score = filenameWeight × keywords found in the file name + contentWeight × occurrences in the content`. Keywords are
trimmed, case-folded and taken once each; occurrences do not overlap.
"""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from budgeteer.engine.config.schema import FeaturesConfig
from budgeteer.engine.content.library import FeatureSpec

#: At most so many keywords are taken from a query. Source: ours; a longer list finds everything.
QUERY_KEYWORDS: Final = 12
#: A shorter word of a query is no keyword, unless it is written in capitals (CI, UI) or in another alphabet.
SHORTEST_WORD: Final = 3

_WORD = re.compile(r"[^\W_][\w-]*")
#: Words of a request that say nothing about its subject. Source: ours.
_STOP_WORDS: Final = frozenset(
    [
        "about",
        "after",
        "all",
        "also",
        "and",
        "any",
        "are",
        "because",
        "been",
        "before",
        "being",
        "but",
        "can",
        "could",
        "did",
        "does",
        "doing",
        "done",
        "don",
        "for",
        "from",
        "get",
        "give",
        "had",
        "has",
        "have",
        "help",
        "her",
        "here",
        "him",
        "his",
        "how",
        "into",
        "its",
        "just",
        "let",
        "like",
        "make",
        "may",
        "might",
        "more",
        "most",
        "must",
        "need",
        "not",
        "now",
        "off",
        "once",
        "one",
        "only",
        "other",
        "our",
        "out",
        "over",
        "own",
        "please",
        "same",
        "see",
        "shall",
        "she",
        "should",
        "show",
        "some",
        "such",
        "tell",
        "than",
        "that",
        "the",
        "their",
        "them",
        "then",
        "there",
        "these",
        "they",
        "this",
        "those",
        "through",
        "too",
        "under",
        "until",
        "upon",
        "use",
        "using",
        "very",
        "want",
        "was",
        "way",
        "were",
        "what",
        "when",
        "where",
        "which",
        "while",
        "who",
        "why",
        "will",
        "with",
        "without",
        "would",
        "yes",
        "yet",
        "you",
        "your",
    ]
)


@dataclass(frozen=True, slots=True)
class Hit:
    """One spec that matches: its row, its score, and what it is made of."""

    row: int
    score: int
    filename_hits: int
    content_hits: int


def normalised(keywords: Iterable[str]) -> tuple[str, ...]:
    """The keywords trimmed, case-folded, each once, in their order; empty ones left out."""
    folded = (keyword.strip().casefold() for keyword in keywords)
    return tuple(dict.fromkeys(keyword for keyword in folded if keyword))


def keywords_of_query(query: str) -> tuple[str, ...]:
    """The first words of a query that may name its subject."""
    words = (
        word
        for word in _WORD.findall(query)
        if (len(word) >= SHORTEST_WORD or word.isupper() or (not word.isascii() and len(word) > 1))
        and word.casefold() not in _STOP_WORDS
    )
    return normalised(words)[:QUERY_KEYWORDS]


def chosen_keywords(config: FeaturesConfig, query: str) -> tuple[str, ...]:
    """The configuration's keywords; the query's where it gives none (null)."""
    return keywords_of_query(query) if config.keywords is None else normalised(config.keywords)


def excluded_rows(features: Sequence[FeatureSpec], config: FeaturesConfig) -> frozenset[int]:
    """The rows of the specs that lie in a folder that search leaves out."""
    return _excluded(tuple(features), frozenset(config.excluded_folders))


@functools.lru_cache(maxsize=16)
def _excluded(features: tuple[FeatureSpec, ...], folders: frozenset[str]) -> frozenset[int]:
    return frozenset(row for row, one in enumerate(features) if not folders.isdisjoint(one.path.split("/")[:-1]))


def search_features(features: Sequence[FeatureSpec], keywords: Sequence[str], config: FeaturesConfig) -> list[Hit]:
    """Every spec that matches, best first, then by path; `keywords` are normalised."""
    if not keywords:
        return []
    counts = _counts(tuple(features), tuple(keywords))
    excluded = excluded_rows(features, config)
    hits = [
        Hit(row, config.filename_weight * named + config.content_weight * said, named, said)
        for row, (named, said) in enumerate(counts)
        if (named or said) and row not in excluded
    ]
    return sorted((hit for hit in hits if hit.score), key=lambda hit: (-hit.score, features[hit.row].path, hit.row))


@functools.lru_cache(maxsize=16)
def _counts(features: tuple[FeatureSpec, ...], keywords: tuple[str, ...]) -> tuple[tuple[int, int], ...]:
    """By spec, the keywords in its name and their occurrences in its content; kept, for a preview asks again and again.

    A file name that several specs share (`README.md`, `spec.md`) names none of them, so their folder counts with it.
    """
    names = Counter(_file_name(feature.path) for feature in features)

    def row(feature: FeatureSpec) -> tuple[int, int]:
        name = _file_name(feature.path)
        if names[name] > 1:
            name = "/".join(feature.path.split("/")[-2:])
        name, text = name.casefold(), feature.text.casefold()
        return sum(keyword in name for keyword in keywords), sum(text.count(keyword) for keyword in keywords)

    return tuple(map(row, features))


def _file_name(path: str) -> str:
    return path.rpartition("/")[2]
