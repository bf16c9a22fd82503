"""Cost of feature specs in both modes, side by side, and the cost of the search tool itself."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

from budgeteer.engine.config.schema import FeaturesConfig, TextsConfig
from budgeteer.engine.content.conversation import text_of
from budgeteer.engine.content.library import compact_json
from budgeteer.engine.counting.tokenizers import TokenCounter, counter_for
from budgeteer.engine.inputs.bundle import Bundle
from budgeteer.engine.packing.ledger import Size
from budgeteer.engine.packing.sections.features import FeatureAsk, FeatureFit, feature_pieces, fit_features
from budgeteer.engine.packing.sections.own_tools import OURS
from budgeteer.engine.packing.sections.search_tool import search_instructions, search_tool
from budgeteer.engine.packing.sections.system import JOIN, pieces_tokens
from budgeteer.engine.providers.registry import DEFAULT_PROVIDER, PROVIDERS


@dataclass(frozen=True, slots=True)
class FeatureModes:
    """The section in both modes, header and blank lines included.

    Attributes:
        mode: the one in force.
        keywords: what is searched for.
        specs: how many there are; `found` how many match, `loaded` how many of them come whole.
        all, search: the section's size.
        tool, instructions: what a model carries that searches for itself (OpenAI's form, counted alone).
    """

    mode: str
    keywords: tuple[str, ...]
    specs: int
    found: int
    loaded: int
    all: Size
    search: Size
    tool: Size
    instructions: Size

    def to_json(self) -> dict[str, Any]:
        """As in the command line's contract."""
        return {
            "mode": self.mode,
            "keywords": list(self.keywords),
            "specs": self.specs,
            "found": self.found,
            "loaded": self.loaded,
            "all": self.all.to_json(),
            "search": self.search.to_json(),
            "tool": self.tool.to_json(),
            "instructions": self.instructions.to_json(),
        }


def feature_modes(
    bundle: Bundle, config: FeaturesConfig, *, pins: frozenset[str] = frozenset(), texts: TextsConfig = OURS
) -> FeatureModes | None:
    """Both modes' costs without any share; None where no spec was given."""
    if not bundle.features:
        return None
    counter = counter_for(bundle.tokenizer)
    query = text_of(bundle.query) if bundle.query is not None else ""

    def fit(mode: str) -> FeatureFit:
        asked = config.model_copy(update={"mode": mode})
        ask = FeatureAsk(query, pins)
        return fit_features(bundle.features, bundle.feature_measures, asked, counter=counter, ask=ask)

    def size(chosen: FeatureFit) -> Size:
        pieces = feature_pieces(chosen, bundle.features, bundle.feature_measures, counter=counter)
        chars = sum(piece.chars for piece in pieces) + len(JOIN) * (len(pieces) - 1)
        return Size(pieces_tokens(pieces, counter=counter), chars)

    searched = fit("search")
    return FeatureModes(
        mode=config.mode,
        keywords=searched.keywords,
        specs=len(bundle.features),
        found=len(searched.hits),
        loaded=len(searched.order),
        all=size(fit("all")),
        search=size(searched),
        tool=_text_size(compact_json(PROVIDERS[DEFAULT_PROVIDER].tools.rendered(search_tool(texts))), counter.name),
        instructions=_text_size(search_instructions(texts), counter.name),
    )


@functools.cache
def _text_size(text: str, tokenizer: str) -> Size:
    counter: TokenCounter = counter_for(tokenizer)
    return Size(counter.count(text), len(text))
