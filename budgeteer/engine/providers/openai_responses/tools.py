"""Tool definitions in the form of OpenAI's Responses."""

from __future__ import annotations

import re
from typing import Any, Final

from budgeteer.engine.content.library import ToolDefinition, described, is_strict
from budgeteer.engine.providers.base import ToolRendering
from budgeteer.engine.providers.openai_chat.tool_text import TYPESCRIPT
from budgeteer.engine.providers.tool_names import ToolNames


def responses_tool(tool: ToolDefinition) -> dict[str, Any]:
    """The form of chat but flat, with `strict`, which is on there unless it is said to be off."""
    return {
        "type": "function",
        **described(tool),
        "parameters": dict(tool.parameters or {}),
        "strict": is_strict(tool),
    }


RESPONSES_TOOLS: Final = ToolRendering(
    form="responses",
    title="OpenAI",
    write=responses_tool,
    reading=TYPESCRIPT,
    names=ToolNames(
        re.compile(r"^[a-zA-Z0-9_-]+\Z"), 128, "OpenAI's OpenAPI document, FunctionToolParam.name, read 2026-11-30"
    ),
    counts_are_published=False,
    fields=frozenset({"strict"}),
)
