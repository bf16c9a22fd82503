"""The answer of the tool `search_features` to a model that called it.

That there is such an answer is the seed's (token limit error, change 2).
"""

from __future__ import annotations

from collections.abc import Sequence

from budgeteer.engine.config.schema import FeaturesConfig
from budgeteer.engine.content.library import FeatureSpec
from budgeteer.engine.counting.library_measures import measure_features
from budgeteer.engine.counting.tokenizers import TokenCounter
from budgeteer.engine.packing.sections.features import NONE_FOUND, FeatureAsk, feature_pieces, fit_features
from budgeteer.engine.packing.sections.system import JOIN


def tool_answer(
    features: Sequence[FeatureSpec], keywords: Sequence[str], config: FeaturesConfig, *, counter: TokenCounter
) -> str:
    """What the tool gives back: the best specs whole, or the list of files, or a sentence that there is none."""
    asked = config.model_copy(update={"mode": "search", "keywords": list(keywords)})
    measures = measure_features(features, counter=counter)
    fit = fit_features(features, measures, asked, counter=counter, ask=FeatureAsk())
    pieces = feature_pieces(fit, features, measures, counter=counter)
    return JOIN.join(piece.text() for piece in pieces) if pieces else f"{NONE_FOUND}."
