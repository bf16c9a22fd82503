"""Tool definitions in Gemini's form."""

from __future__ import annotations

import re
from typing import Any, Final

from budgeteer.engine.content.library import ToolDefinition, described
from budgeteer.engine.providers.base import ToolRendering
from budgeteer.engine.providers.tool_names import ToolNames


def gemini_tool(tool: ToolDefinition) -> dict[str, Any]:
    """`{name, description, parametersJsonSchema}`."""
    return {**described(tool), "parametersJsonSchema": dict(tool.parameters or {})}


GEMINI_TOOLS: Final = ToolRendering(
    form="gemini",
    title="Gemini",
    write=gemini_tool,
    reading=None,
    names=ToolNames(
        re.compile(r"^[a-zA-Z_][a-zA-Z0-9_.:-]*\Z"), 64, "the API's own 400 for function_declarations.name, 2025-11-30"
    ),
    counts_are_published=False,
)
