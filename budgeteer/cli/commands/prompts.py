"""`budgeteer prompts`: texts and tool definitions for search and pruning, to use elsewhere."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING

import click

from budgeteer.cli.output.tables import table

if TYPE_CHECKING:
    from budgeteer.engine.content.library import ToolDefinition

FORMS = ("text", "openai", "responses", "anthropic", "mcp", "gemini")

#: Name -> what it is.
PROMPTS = {
    "search_features": "The tool that finds feature specifications by keywords.",
    "search_features.instructions": "What a system text says to a model that has the tool.",
    "compress": "The tool that replaces ranges of the conversation by summaries.",
    "compress.instructions": "What a system text says to a model that compresses as it works (pruning.mode auto).",
    "compress.manual": "What it says to a model that compresses only on request (pruning.mode manual).",
    "nudge.contextLimitStrong": "Above pruning.maxContextPercent, with pruning.nudgeForce strong.",
    "nudge.contextLimitSoft": "The same, with pruning.nudgeForce soft.",
    "nudge.iteration": "From pruning.minContextPercent on, after many calls since the user last wrote.",
    "nudge.turn": "From pruning.minContextPercent on.",
}


@click.command()
@click.argument("name", required=False)
@click.option(
    "--form", type=click.Choice(FORMS), default="text", show_default=True, help="A tool definition in this form."
)
def command(*, name: str | None, form: str) -> None:
    """Print the prompt NAME, or the list of prompts.

    A tool definition is printed as text to read, or as the JSON that OpenAI (chat or Responses), Anthropic, Gemini or
    an MCP server takes.
    """
    if name is None:
        click.echo(table(("name", ""), list(PROMPTS.items())))
        return
    if name not in PROMPTS:
        raise click.UsageError(f"{name}: there is no such prompt. Available: {', '.join(PROMPTS)}")
    tools = _tools()
    if name in tools:
        click.echo(_definition(tools[name], form))
    elif form == "text":
        click.echo(_texts()[name])
    else:
        raise click.UsageError(f"{name} is a text: --form {form} is for tool definitions")


def _tools() -> Mapping[str, ToolDefinition]:
    from budgeteer.engine.analysis.search_tool import SEARCH_TOOL
    from budgeteer.engine.packing.pruning.model_texts import COMPRESS_TOOL

    return {tool.name: tool for tool in (SEARCH_TOOL, COMPRESS_TOOL)}


def _texts() -> Mapping[str, str]:
    from budgeteer.engine.analysis.search_tool import SEARCH_INSTRUCTIONS
    from budgeteer.engine.packing.pruning.model_texts import NUDGE_TEXTS, SYSTEM_AUTO, SYSTEM_MANUAL

    own = {
        "search_features.instructions": SEARCH_INSTRUCTIONS,
        "compress.instructions": SYSTEM_AUTO,
        "compress.manual": SYSTEM_MANUAL,
    }
    return own | {f"nudge.{nudge}": text for nudge, text in NUDGE_TEXTS.items()}


def _definition(tool: ToolDefinition, form: str) -> str:
    from budgeteer.engine.content.library import TOOL_FORMS
    from budgeteer.engine.providers.tool_forms import tool_in_form

    if form == "text":
        return f"{tool.name}\n\n{tool.description}\n\n{json.dumps(tool.parameters, indent=2)}"
    known = next(one for one in TOOL_FORMS if one == form)
    return json.dumps(tool_in_form(tool, known), indent=2)
