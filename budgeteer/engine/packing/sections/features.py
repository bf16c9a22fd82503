"""Feature specs: all of them whole, those found by a search, or only the list of their files."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Final

import numpy as np
from numpy.typing import NDArray

from budgeteer.engine.config.schema import FeaturesConfig
from budgeteer.engine.content.library import FeatureSpec
from budgeteer.engine.counting.library_measures import FeatureMeasures, Ints, feature_text
from budgeteer.engine.counting.tokenizers import TokenCounter
from budgeteer.engine.packing.ledger import unique
from budgeteer.engine.packing.sections.feature_search import Hit, chosen_keywords, excluded_rows, search_features
from budgeteer.engine.packing.sections.system import FEATURES_HEADER, SystemPiece, fixed_piece

#: What stands above the specs. Source: the seed asks for a header that tells the model to apply them; words ours.
FOUND_HEADER: Final = (
    f"{FEATURES_HEADER}\n\nThese specifications match the request. They are binding: do what they require, and check "
    "the work against their acceptance criteria."
)
NO_KEYWORD_HEADER: Final = f"{FEATURES_HEADER}\n\nThese specifications exist. Search for the ones the task needs:"
NO_MATCH_HEADER: Final = f"{FEATURES_HEADER}\n\nNo specification matches the keywords. These exist:"
#: Source: the seed's own sentence for a folder that is missing or empty.
NONE_FOUND: Final = "No feature files found"


class FeatureCause(IntEnum):
    """What decided a spec's fate."""

    WHOLE = 0
    FOUND = 1
    LISTED = 2
    TOO_MANY = 3
    NO_MATCH = 4
    EXCLUDED = 5
    NO_ROOM = 6
    BEHIND_TOOL = 7


@dataclass(frozen=True, slots=True)
class FeatureFit:
    """Which specs are sent, and how.

    Attributes:
        sequence: every spec's row in the order considered: whole ones, listed ones, the rest.
        order: the rows that are sent whole. listed: those of which only the path is.
        pinned: one entry a spec.
        cause: FeatureCause per spec.
        needed: where it did not fit, the specs' tokens with it; where it is one too many, its rank; else 0.
        tokens, chars: what each takes, 0 when dropped.
        keywords, hits: what was searched for and found; () in mode all.
        limit_tokens: what the specs may take, None when nothing limits them.
        header: what stands above them; "" where there are no specs, or none but behind the search tool.
    """

    sequence: tuple[int, ...]
    order: tuple[int, ...]
    listed: tuple[int, ...]
    pinned: NDArray[np.bool_]
    cause: Ints
    needed: Ints
    tokens: Ints
    chars: Ints
    keywords: tuple[str, ...]
    hits: tuple[Hit, ...]
    limit_tokens: int | None
    header: str


@dataclass(frozen=True, slots=True)
class FeatureAsk:
    """What is asked of the specs beside the configuration.

    Attributes:
        query: the text that keywords are taken from where the configuration gives none.
        pins: decision ids of what must stay.
        limit_tokens: for the section with its header and the blank line after it; None for no limit.
    """

    query: str = ""
    pins: frozenset[str] = frozenset()
    limit_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class _Choice:
    """The rows in the order considered, before any room: whole ones, then those only listed; the header; the hits."""

    whole: list[int]
    listed: list[int]
    header: str
    keywords: tuple[str, ...] = ()
    hits: tuple[Hit, ...] = ()


def fit_features(
    features: Sequence[FeatureSpec],
    measures: FeatureMeasures,
    config: FeaturesConfig,
    *,
    counter: TokenCounter,
    ask: FeatureAsk,
) -> FeatureFit:
    """The specs that are sent, as far as the limit reaches: in mode all every one, in mode search the best `topK`.

    In mode tool only pinned ones are: the model searches the others.
    """
    if not features:
        return _no_features(config, ask)
    size = len(features)
    pinned = np.zeros(size, np.bool_)
    if any(pin.startswith("feature:") for pin in ask.pins):
        pinned = np.array([key in ask.pins for key in feature_ids(features)], np.bool_)
    cause, needed = np.full(size, int(FeatureCause.WHOLE), np.int64), np.zeros(size, np.int64)
    choice = _Choice([*np.flatnonzero(pinned).tolist(), *np.flatnonzero(~pinned).tolist()], [], FEATURES_HEADER)
    if config.mode == "search":
        choice = _searched(features, config, chosen_keywords(config, ask.query), pinned=pinned)
        cause, needed = _causes(features, config, choice)
    elif config.mode == "tool":
        held = np.flatnonzero(pinned).tolist()
        choice = _Choice(held, [], FEATURES_HEADER if held else "")
        cause[~pinned] = FeatureCause.BEHIND_TOOL
    rows = np.array([*choice.whole, *choice.listed], np.int64)
    alone, followed, chars = _sizes(features, measures, choice, counter)
    reach = (
        np.cumsum(followed) + fixed_piece(choice.header, section="features", name="", counter=counter).followed_tokens
    )
    fits = np.ones(len(rows), np.bool_)
    if ask.limit_tokens is not None:
        fits = (reach <= ask.limit_tokens) | pinned[rows]
        cause[rows[~fits]] = FeatureCause.NO_ROOM
        needed[rows[~fits]] = reach[~fits]
    after_tokens, after_chars = np.zeros(size, np.int64), np.zeros(size, np.int64)
    after_tokens[rows[fits]], after_chars[rows[fits]] = alone[fits], chars[fits]
    considered = rows.tolist()
    seen = np.zeros(size, np.bool_)
    seen[rows] = True
    rest = np.flatnonzero(~seen).tolist()
    sent = set(rows[fits].tolist())
    listed = tuple(row for row in choice.listed if row in sent)
    if listed:
        last = _line(features[listed[-1]].path)
        after_tokens[listed[-1]], after_chars[listed[-1]] = _line_tokens(last, counter), len(last)
    return FeatureFit(
        sequence=(*considered, *rest),
        order=tuple(row for row in choice.whole if row in sent),
        listed=listed,
        pinned=pinned,
        cause=cause,
        needed=needed,
        tokens=after_tokens,
        chars=after_chars,
        keywords=choice.keywords,
        hits=choice.hits,
        limit_tokens=ask.limit_tokens,
        header=choice.header,
    )


def _no_features(config: FeaturesConfig, ask: FeatureAsk) -> FeatureFit:
    """The fit where there are no specs: nothing is counted for them."""
    nothing = np.zeros(0, np.int64)
    return FeatureFit(
        sequence=(),
        order=(),
        listed=(),
        pinned=np.zeros(0, np.bool_),
        cause=nothing,
        needed=nothing,
        tokens=nothing,
        chars=nothing,
        keywords=chosen_keywords(config, ask.query) if config.mode == "search" else (),
        hits=(),
        limit_tokens=ask.limit_tokens,
        header="",
    )


def feature_pieces(
    fit: FeatureFit, features: Sequence[FeatureSpec], measures: FeatureMeasures, *, counter: TokenCounter
) -> list[SystemPiece]:
    """The section's pieces: its header, each spec, the list of files; [] where there are no specs at all."""
    if not fit.header:
        return []
    header = fixed_piece(fit.header, section="features", name="header", counter=counter)

    def piece(row: int) -> SystemPiece:
        tokens, followed, chars = measures.tokens[row], measures.followed_tokens[row], measures.chars[row]
        return SystemPiece("features", "", lambda: feature_text(features[row]), int(tokens), int(followed), int(chars))

    pieces = [header, *(piece(row) for row in fit.order)]
    if fit.listed:
        rows = list(fit.listed)
        followed = _line_tokens(_line(features[rows[-1]].path) + "\n\n", counter) - int(fit.tokens[rows[-1]])
        tokens, chars = int(fit.tokens[rows].sum()), int(fit.chars[rows].sum())
        listing = "\n".join(_line(features[row].path) for row in rows)
        pieces.append(SystemPiece("features", "", lambda: listing, tokens, tokens + followed, chars))
    return pieces


def feature_ids(features: Sequence[FeatureSpec]) -> list[str]:
    """The decision id of every spec: its path."""
    return [f"feature:{path}" for path in unique([feature.path for feature in features])]


def _searched(
    features: Sequence[FeatureSpec], config: FeaturesConfig, keywords: tuple[str, ...], *, pinned: NDArray[np.bool_]
) -> _Choice:
    """Pinned specs, then the best `topK`; with no keyword or no match pinned ones and the list of the others."""
    hits = tuple(search_features(features, keywords, config))
    held = np.flatnonzero(pinned).tolist()
    if hits:
        found = [hit.row for hit in hits if not pinned[hit.row]][: max(config.top_k - len(held), 0)]
        return _Choice([*held, *found], [], FOUND_HEADER, keywords, hits)
    excluded = excluded_rows(features, config)
    listed = [row for row in range(len(features)) if not pinned[row] and row not in excluded]
    listed.sort(key=lambda row: features[row].path)
    header = NO_MATCH_HEADER if keywords else NO_KEYWORD_HEADER
    if not listed:
        header = FOUND_HEADER if held else f"{FEATURES_HEADER}\n\n{NONE_FOUND}."
    return _Choice(held, listed, header, keywords)


def _causes(features: Sequence[FeatureSpec], config: FeaturesConfig, choice: _Choice) -> tuple[Ints, Ints]:
    """The cause of each spec before any limit, and the rank of those that match and are one too many."""
    cause, needed = np.full(len(features), int(FeatureCause.NO_MATCH), np.int64), np.zeros(len(features), np.int64)
    cause[list(excluded_rows(features, config))] = FeatureCause.EXCLUDED
    cause[choice.listed] = FeatureCause.LISTED
    whole = set(choice.whole)
    matching = [*choice.whole, *(hit.row for hit in choice.hits if hit.row not in whole)]
    cause[matching], needed[matching] = FeatureCause.TOO_MANY, np.arange(1, len(matching) + 1)
    cause[choice.whole], needed[choice.whole] = FeatureCause.FOUND, 0
    return cause, needed


def _sizes(
    features: Sequence[FeatureSpec], measures: FeatureMeasures, choice: _Choice, counter: TokenCounter
) -> tuple[Ints, Ints, Ints]:
    """Of each row considered: tokens, tokens with what joins it to the next one, characters.

    A line of the list ends with its line end, which the next line's dash follows exactly (decision 002).
    """
    alone, chars = measures.tokens[choice.whole], measures.chars[choice.whole]
    followed = measures.followed_tokens[choice.whole] if counter.per_message_overhead else alone
    if not choice.listed:
        return alone, followed, chars
    ended = [_line(features[row].path) + "\n" for row in choice.listed]
    tokens = np.array([_line_tokens(line, counter) for line in ended], np.int64)
    return (
        np.concatenate([alone, tokens]),
        np.concatenate([followed, tokens]),
        np.concatenate([chars, np.array([len(line) for line in ended], np.int64)]),
    )


def _line(path: str) -> str:
    """A path as a line of the list; a name with a line end in it stays one line."""
    return f"- {' '.join(path.splitlines())}"


@functools.lru_cache(maxsize=8192)
def _line_tokens(line: str, counter: TokenCounter) -> int:
    return counter.count(line)
