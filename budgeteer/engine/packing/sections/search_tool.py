"""`search_features`: the tool that a model searches feature specs with, its instructions, and a prompt that has both.

The words are ours; that there are such a tool and such instructions is the seed's (token limit error, change 2).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final

from budgeteer.engine.config.schema import TextsConfig
from budgeteer.engine.content.library import ToolDefinition
from budgeteer.engine.counting.tokenizers import TokenCounter
from budgeteer.engine.inputs.bundle import Bundle, SystemText
from budgeteer.engine.packing.sections.own_tools import OURS, own_tool, with_own, worded

#: The decision id of the instructions.
SYSTEM_ID: Final = "system:search_features"
_KEPT_AS: Final = "search_tool.last"

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

#: What a system text says to a model that has the tool.
_INSTRUCTIONS: Final = """\
# Looking up feature specifications

The specifications of this project are not part of this prompt. `{tool}` finds them.

Search before you begin a task, again when the task turns to another part of the product, and whenever you are about to
decide what something should do. Take two to five words from the request: the nouns that a specification on it would
use. For work on signing in, for example: {tool}({"keywords": ["login", "session", "password"]}).

What a specification requires goes before your own judgement, and its acceptance criteria are how the work is checked.
If two of them disagree, say so and ask. If nothing is found, go by the request, and do not search for the same words
again."""


@dataclass(frozen=True, slots=True)
class Searching:
    """A bundle with the search tool and its instructions; `added` are the decision ids of what it had not already."""

    given: Bundle
    bundle: Bundle
    added: frozenset[str]


@dataclass(frozen=True, slots=True)
class _CachedSearch:
    """A bundle with the tool, and in which words that was asked for."""

    texts: TextsConfig
    searching: Searching


def search_tool(texts: TextsConfig = OURS) -> ToolDefinition:
    """The definition, in MCP's form; tool_forms.tool_in_form gives it in any provider's."""
    return own_tool(texts.search_tool_name, texts.search_tool or _DESCRIPTION, _PARAMETERS)


def search_instructions(texts: TextsConfig = OURS) -> str:
    """What a system text says to a model that has the tool."""
    return worded(texts.search_instructions or _INSTRUCTIONS, texts.search_tool_name)


def with_search_tool(given: Bundle, texts: TextsConfig, *, counter: TokenCounter) -> Searching:
    """The bundle for a model that searches its specs itself. The last answer is kept with the bundle."""
    kept = given.prepared.get(_KEPT_AS)
    if isinstance(kept, _CachedSearch) and kept.texts == texts and kept.searching.given is given:
        return kept.searching
    text = SystemText(SYSTEM_ID, "Instructions for searching specs", "system", search_instructions(texts))
    bundle, added = with_own(given, search_tool(texts), text, counter=counter)
    # What is prepared of this bundle is no other's: its system texts and tools are more.
    searching = Searching(given, replace(bundle, prepared={}), frozenset(added))
    given.prepared[_KEPT_AS] = _CachedSearch(texts, searching)
    return searching
