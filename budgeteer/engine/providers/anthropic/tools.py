"""Tool definitions in Anthropic's form, and as Claude reads them.

Anthropic says that a system prompt is made of the definitions (its page on tool use), and not how each is written. Of
recorded requests whose every text is known, with the published size of that prompt taken off, stays what is counted
here: a line of JSON for each definition, and six tokens around it. Which requests, and how near: docs/accuracy.md.
"""

from __future__ import annotations

import json
import re
from typing import Any, Final

from budgeteer.engine.content.library import ToolDefinition, described, json_object
from budgeteer.engine.providers.base import Charge, ToolReading, ToolRendering
from budgeteer.engine.providers.tool_names import ToolNames


def anthropic_tool(tool: ToolDefinition) -> dict[str, Any]:
    """`{name, description, input_schema}`."""
    return {**described(tool), "input_schema": dict(tool.parameters or {})}


def claude_text(tool: ToolDefinition) -> str | None:
    """One definition as Claude reads it; None for a tool that has no input schema of its own.

    `{description, name, parameters}` as Python writes JSON: a blank behind each colon and comma, and what is not ASCII
    by its number. An empty description is left out, and so is what only the API reads (`strict`, `cache_control`).
    """
    if tool.parameters is None:
        return None
    said = {"description": tool.description} if tool.description else {}
    return _SPACED.encode({**said, "name": tool.name, "parameters": tool.parameters})


_SPACED: Final = json.JSONEncoder(default=json_object)

CLAUDE: Final = ToolReading(
    text=claude_text,
    # Anthropic publishes no count of a definition.
    is_published=lambda _tool: False,
    opening="",
    closing="",
    each=Charge(6, "not published; measured on recorded requests of Claude 3.5 to 5, 2026-11-24 (docs/accuracy.md)"),
    charge=None,
    shared_with_system=None,
    makers=frozenset({"Anthropic"}),
    models=frozenset(),
)

ANTHROPIC_TOOLS: Final = ToolRendering(
    form="anthropic",
    title="Anthropic",
    write=anthropic_tool,
    reading=CLAUDE,
    names=ToolNames(
        re.compile(r"^[a-zA-Z0-9_-]+\Z"), 128, "the API's own 400 for tools.N.custom.name, read 2026-11-30"
    ),
    counts_are_published=False,
)
