"""Tool definitions in the form of OpenAI's chat."""

from __future__ import annotations

import re
from typing import Any, Final

from budgeteer.engine.content.library import ToolDefinition, described, is_strict
from budgeteer.engine.providers.base import ToolRendering
from budgeteer.engine.providers.openai_chat.tool_text import TYPESCRIPT
from budgeteer.engine.providers.tool_names import ToolNames


def chat_tool(tool: ToolDefinition) -> dict[str, Any]:
    """`{"type": "function", "function": {name, description, parameters}}`, and `strict` where it is on."""
    strict = {"strict": True} if is_strict(tool) else {}
    return {"type": "function", "function": {**described(tool), "parameters": dict(tool.parameters or {}), **strict}}


OPENAI_TOOLS: Final = ToolRendering(
    form="openai",
    title="OpenAI",
    write=chat_tool,
    reading=TYPESCRIPT,
    names=ToolNames(
        re.compile(r"^[a-zA-Z0-9_-]+\Z"), 64, "OpenAI's OpenAPI document, FunctionObject.name, read 2026-11-30"
    ),
    counts_are_published=True,
    fields=frozenset({"strict"}),
)
