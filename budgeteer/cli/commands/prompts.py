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
    from budgeteer.engine.packing.pruning.model_texts import compress_tool
    from budgeteer.engine.packing.sections.search_tool import search_tool

    return {tool.name: tool for tool in (search_tool(), compress_tool())}


def _texts() -> Mapping[str, str]:
    from budgeteer.engine.packing.pruning.model_texts import nudge_text, system_text
    from budgeteer.engine.packing.pruning.nudges import NUDGES
    from budgeteer.engine.packing.sections.search_tool import search_instructions

    own = {
        "search_features.instructions": search_instructions(),
        "compress.instructions": system_text("auto"),
        "compress.manual": system_text("manual"),
    }
    return own | {f"nudge.{nudge}": nudge_text(nudge) for nudge in NUDGES}


def _definition(tool: ToolDefinition, form: str) -> str:
    from budgeteer.engine.content.library import TOOL_FORMS
    from budgeteer.engine.providers.tool_forms import tool_in_form

    if form == "text":
        return f"{tool.name}\n\n{tool.description}\n\n{json.dumps(tool.parameters, indent=2)}"
    known = next(one for one in TOOL_FORMS if one == form)
    return json.dumps(tool_in_form(tool, known), indent=2)
