"""`budgeteer prompts`: the texts and tool definitions that a model is given for search, to use elsewhere."""

from __future__ import annotations

import json

import click

from budgeteer.cli.tables import table

FORMS = ("text", "openai", "anthropic", "mcp")

#: Name -> what it is. The prompts of pruning follow with pruning.
PROMPTS = {
    "search_features": "The tool that finds feature specifications by keywords.",
    "search_features.instructions": "What a system text says to a model that has the tool.",
}
NOT_YET = ("compress",)


@click.command()
@click.argument("name", required=False)
@click.option(
    "--form", type=click.Choice(FORMS), default="text", show_default=True, help="A tool definition in this form."
)
def command(*, name: str | None, form: str) -> None:
    """Print the prompt NAME, or the list of prompts.

    A tool definition is printed as text to read, or as the JSON that OpenAI, Anthropic or an MCP server takes.
    """
    if name is None:
        click.echo(table(("name", ""), list(PROMPTS.items())))
        return
    if name in NOT_YET:
        raise click.UsageError(f"{name} is not available yet. Available: {', '.join(PROMPTS)}")
    if name not in PROMPTS:
        raise click.UsageError(f"{name}: there is no such prompt. Available: {', '.join(PROMPTS)}")
    from budgeteer.engine.search_tool import SEARCH_INSTRUCTIONS

    if name == "search_features":
        click.echo(_definition(form))
    elif form == "text":
        click.echo(SEARCH_INSTRUCTIONS)
    else:
        raise click.UsageError(f"{name} is a text: --form {form} is for tool definitions")


def _definition(form: str) -> str:
    from budgeteer.engine.library import tool_in_form
    from budgeteer.engine.search_tool import SEARCH_TOOL

    if form == "text":
        parameters = json.dumps(SEARCH_TOOL.parameters, indent=2)
        return f"{SEARCH_TOOL.name}\n\n{SEARCH_TOOL.description}\n\n{parameters}"
    raw = dict(SEARCH_TOOL.raw) if form == "mcp" else tool_in_form(SEARCH_TOOL, form)  # type: ignore[arg-type] # FORMS
    return json.dumps(raw, indent=2)
