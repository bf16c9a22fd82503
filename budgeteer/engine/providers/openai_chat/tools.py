"""Tool definitions in the form of OpenAI's chat."""

from __future__ import annotations

from typing import Any, Final

from budgeteer.engine.content.library import ToolDefinition, described, is_strict
from budgeteer.engine.providers.base import ToolRendering
from budgeteer.engine.providers.openai_chat.tool_text import TYPESCRIPT


def chat_tool(tool: ToolDefinition) -> dict[str, Any]:
    """`{"type": "function", "function": {name, description, parameters}}`, and `strict` where it is on."""
    strict = {"strict": True} if is_strict(tool) else {}
    return {"type": "function", "function": {**described(tool), "parameters": dict(tool.parameters or {}), **strict}}


OPENAI_TOOLS: Final = ToolRendering(
    form="openai",
    title="OpenAI",
    write=chat_tool,
    reading=TYPESCRIPT,
    counts_are_published=True,
    fields=frozenset({"strict"}),
)
