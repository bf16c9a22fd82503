"""The seed's searchFeatures (token limit error, change 2), written again from its text; no code of the engine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class File:
    path: str
    text: str


@dataclass(frozen=True)
class Weights:
    filename: int = 3
    content: int = 1


def normalise(keywords: Sequence[str]) -> list[str]:
    """Trimmed, case-folded, each once."""
    found: list[str] = []
    for keyword in keywords:
        word = keyword.strip().casefold()
        if word != "" and word not in found:
            found.append(word)
    return found


def occurrences(text: str, word: str) -> int:
    """How often a word stands in a text, looking on behind each place where it was found."""
    count, at = 0, 0
    while at + len(word) <= len(text):
        if text[at : at + len(word)] == word:
            count += 1
            at += len(word)
        else:
            at += 1
    return count


def score(file: File, words: Sequence[str], weights: Weights) -> int:
    name = file.path.split("/")[-1].casefold()
    text = file.text.casefold()
    points = 0
    for word in words:
        if occurrences(name, word) > 0:
            points += weights.filename
        points += weights.content * occurrences(text, word)
    return points


def available(files: Sequence[File], excluded: Sequence[str]) -> list[File]:
    found = []
    for file in files:
        folders = file.path.split("/")[:-1]
        if not [folder for folder in folders if folder in excluded]:
            found.append(file)
    return found


def search_features(
    files: Sequence[File],
    keywords: Sequence[str],
    *,
    top_k: int = 5,
    weights: Weights | None = None,
    excluded: Sequence[str] = ("removed-features", "bugs"),
) -> list[tuple[str, int]]:
    """(path, score) of the best `top_k`, by score, then path; [] for no keyword and for no match."""
    words = normalise(keywords)
    rated = [(file.path, score(file, words, weights or Weights())) for file in available(files, excluded)]
    rated = [one for one in rated if one[1] > 0]
    return sorted(rated, key=lambda one: (-one[1], one[0]))[:top_k]
