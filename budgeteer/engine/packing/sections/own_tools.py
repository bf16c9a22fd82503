"""Tools and texts of ours that a packing adds to a prompt: their names and words, and how a bundle takes them in."""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

import numpy as np

from budgeteer.engine.config.schema import TextsConfig
from budgeteer.engine.content.conversation import ROLES, text_of
from budgeteer.engine.content.library import ToolDefinition, compact_json
from budgeteer.engine.counting.library_measures import ToolMeasures, measure_tools
from budgeteer.engine.counting.tokenizers import TokenCounter, counter_for
from budgeteer.engine.inputs.bundle import Bundle, SystemText, tool_from_raw

#: The words that a configuration without any has.
OURS: Final = TextsConfig()
#: Where a text names the tool it is about.
_TOOL: Final = "{tool}"


def worded(text: str, tool_name: str) -> str:
    """A text with the tool's name in it. Nothing else in braces is read."""
    return text.replace(_TOOL, tool_name)


def own_tool(name: str, description: str, parameters: Mapping[str, Any]) -> ToolDefinition:
    """A tool of ours in MCP's form."""
    said = worded(description, name)
    return ToolDefinition(
        name, said, parameters, "mcp", {"name": name, "description": said, "inputSchema": dict(parameters)}
    )


def with_own(
    bundle: Bundle, tool: ToolDefinition | None, text: SystemText, *, counter: TokenCounter
) -> tuple[Bundle, set[str]]:
    """The bundle with a tool and a system text, where it has none of that name and does not say it; their ids."""
    added: set[str] = set()
    if not says(bundle, text.text):
        bundle = replace(bundle, system=(*bundle.system, text))
        added.add(text.id)
    if tool is not None and all(one.name != tool.name for one in bundle.tools):
        measures = bundle.tool_measures.joined(_measured(compact_json(tool.raw), counter.name))
        bundle = replace(bundle, tools=(*bundle.tools, tool), tool_measures=measures)
        added.add(f"tool:{tool.name}")
    return bundle, added


def says(bundle: Bundle, text: str) -> bool:
    """Whether the text is there already: in a system text, or before the first words of the user."""
    if any(text in one.text for one in bundle.system):
        return True
    users = np.flatnonzero(bundle.history_measures.role == ROLES.index("user"))
    first = bundle.history[int(users[0])] if len(users) else bundle.query
    return first is not None and text in text_of(first)


@functools.lru_cache(maxsize=64)
def _measured(definition: str, tokenizer: str) -> ToolMeasures:
    """The measures of a definition as JSON."""
    return measure_tools((tool_from_raw(json.loads(definition)),), counter=counter_for(tokenizer))
