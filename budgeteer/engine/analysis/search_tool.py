"""`search_features` as a model sees it: the tool's definition, its instructions, and its answer.

A model that searches for itself carries these instead of every spec. The words are ours; that there are such a tool,
such instructions and such an answer is the seed's (token limit error, change 2).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from budgeteer.engine.config.schema import FeaturesConfig
from budgeteer.engine.content.library import FeatureSpec, ToolDefinition
from budgeteer.engine.counting.library_measures import measure_features
from budgeteer.engine.counting.tokenizers import TokenCounter
from budgeteer.engine.packing.sections.features import NONE_FOUND, FeatureAsk, feature_pieces, fit_features
from budgeteer.engine.packing.sections.system import JOIN

TOOL_NAME: Final = "search_features"

_DESCRIPTION: Final = (
    "Find the feature specifications of this project that are about something. Give keywords; the best matches come "
    "back whole, with their requirements and acceptance criteria. Without a match, or without a keyword, you get the "
    "list of the files."
)
_PARAMETERS: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        "keywords": {
            "type": "array",
            "items": {"type": "string"},
            "description": "Words that a specification on the subject would use, for example ['login', 'session'].",
        }
    },
    "required": ["keywords"],
}

#: The definition, in MCP's form; tool_forms.tool_in_form gives it in any provider's.
SEARCH_TOOL: Final = ToolDefinition(
    TOOL_NAME,
    _DESCRIPTION,
    _PARAMETERS,
    "mcp",
    {"name": TOOL_NAME, "description": _DESCRIPTION, "inputSchema": _PARAMETERS},
)

#: What a system text says to a model that has the tool.
SEARCH_INSTRUCTIONS: Final = f"""\
# Looking up feature specifications

The specifications of this project are not part of this prompt. `{TOOL_NAME}` finds them.

Search before you begin a task, again when the task turns to another part of the product, and whenever you are about to
decide what something should do. Take two to five words from the request: the nouns that a specification on it would
use. For work on signing in, for example: {TOOL_NAME}({{"keywords": ["login", "session", "password"]}}).

What a specification requires goes before your own judgement, and its acceptance criteria are how the work is checked.
If two of them disagree, say so and ask. If nothing is found, go by the request, and do not search for the same words
again."""


def tool_answer(
    features: Sequence[FeatureSpec], keywords: Sequence[str], config: FeaturesConfig, *, counter: TokenCounter
) -> str:
    """What the tool gives back: the best specs whole, or the list of files, or a sentence that there is none."""
    asked = config.model_copy(update={"mode": "search", "keywords": list(keywords)})
    measures = measure_features(features, counter=counter)
    fit = fit_features(features, measures, asked, counter=counter, ask=FeatureAsk())
    pieces = feature_pieces(fit, features, measures, counter=counter)
    return JOIN.join(piece.text() for piece in pieces) if pieces else f"{NONE_FOUND}."
