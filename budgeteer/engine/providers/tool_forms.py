"""The forms of tool definitions, those of all providers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from budgeteer.engine.content.library import ToolDefinition, ToolForm
from budgeteer.engine.providers.base import ToolRendering
from budgeteer.engine.providers.registry import PROVIDERS

TOOL_RENDERINGS: Final[Mapping[ToolForm, ToolRendering]] = {row.tools.form: row.tools for row in PROVIDERS.values()}


def tool_in_form(tool: ToolDefinition, form: ToolForm) -> dict[str, Any]:
    """The definition in a form; "mcp" is no provider's own, and every definition stays as it came."""
    return dict(tool.raw) if form == "mcp" else TOOL_RENDERINGS[form].rendered(tool)
