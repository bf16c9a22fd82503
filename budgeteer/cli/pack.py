"""`budgeteer pack`: pack a prompt into its budget and show every decision."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from budgeteer.engine.result import Packing

DONE = 0
CANNOT_FIT = 1

#: What `--request` may print: engine.rendering.REQUEST_FORMS, written out so that `--help` loads no engine.
REQUESTS = ("openai-chat", "openai-responses", "anthropic", "gemini", "text", "markdown")


@dataclass(frozen=True, slots=True)
class PackOptions:
    """What the command line says; None or () where an option was not given."""

    conversation: str | None = None
    whole: bool = False
    skills: str | None = None
    features: str | None = None
    tools: str | None = None
    chunks: str | None = None
    usage: str | None = None
    system: str | None = None
    specs: tuple[str, ...] = ()
    workspace_context: str | None = None
    query: str | None = None
    config: str | None = None
    model: str | None = None
    assignments: tuple[str, ...] = ()
    as_json: bool = False
    request: str | None = None
    before_after: bool = False


@click.command()
@click.option("--conversation", metavar="FILE[#N]", help="A conversation; #N chooses one of several.")
@click.option("--whole", is_flag=True, help="The whole transcript, not only what follows its last compaction.")
@click.option("--skills", metavar="FILE|DIR", help="A skill library.")
@click.option("--features", metavar="FILE|DIR", help="A library of feature specs.")
@click.option("--tools", metavar="FILE|DIR", help="Tool definitions, in place of the conversation's own.")
@click.option("--chunks", metavar="FILE", help="Retrieved chunks: JSON, JSONL or CSV.")
@click.option(
    "--usage", metavar="FILE", help="How often, or when, skills were used: for the orders frequent and recent."
)
@click.option("--system", metavar="TEXT|@FILE", help="The system text, in place of the conversation's own.")
@click.option("--spec", "specs", metavar="FILE", multiple=True, help="A spec file; may be repeated.")
@click.option("--workspace-context", metavar="TEXT|@FILE", help="What the workspace tells the model.")
@click.option("--query", metavar="TEXT|@FILE", help="What the user asks, after the conversation.")
@click.option("--config", metavar="FILE", help="A configuration; 'budgeteer config schema' describes it.")
@click.option("--model", metavar="M", help="The model, over what the configuration says.")
@click.option(
    "--set", "assignments", metavar="PATH=VALUE", multiple=True, help="One configuration value; may be repeated."
)
@click.option("--json", "as_json", is_flag=True, help="Print every decision and figure as JSON.")
@click.option("--before-after", is_flag=True, help="Also compare with everything loaded before the first message.")
@click.option("--request", metavar="PROFILE", help=f"Print the packed prompt, ready to send: {', '.join(REQUESTS)}.")
def command(**written: Any) -> int:
    """Pack a prompt into its budget and show what is kept, shortened and dropped, and why.

    Exit status: 0 the packed prompt fits, 1 it cannot be made to fit, 2 bad input.
    """
    options = PackOptions(**written)
    check_usage(options)
    from budgeteer.cli.materials import packed

    packing = packed(options, profile=None if options.request in (None, "text", "markdown") else options.request)
    if options.request is not None:
        _print_request(packing, options.request)
    elif options.as_json:
        from budgeteer.engine.contract import packing_to_json
        from budgeteer.engine.validity import check_every_profile

        click.echo(json.dumps(packing_to_json(packing, validity=check_every_profile(packing)), ensure_ascii=False))
    else:
        from budgeteer.cli.summary import summary

        click.echo(summary(packing))
        if options.before_after:
            from budgeteer.cli.summary import before_and_after

            click.echo(f"\n{before_and_after(packing)}")
    return DONE if packing.fits else CANNOT_FIT


def check_usage(options: PackOptions) -> None:
    """Refuse what cannot be meant, before anything is read.

    Raises:
        click.UsageError: options that exclude each other, or leave nothing to pack.
    """
    if options.request is not None and options.as_json:
        raise click.UsageError("--json and --request print different things; give one")
    if options.request is not None and options.request not in REQUESTS:
        raise click.UsageError(f"--request {options.request}: there is no such profile. Known: {', '.join(REQUESTS)}")
    materials = (options.conversation, options.skills, options.features, options.tools, options.chunks)
    texts = (options.system, options.workspace_context, options.query)
    if not any(one is not None for one in (*materials, *texts)) and not options.specs:
        raise click.UsageError(
            "nothing to pack: give --conversation, --skills, --features, --tools, --chunks or a text"
        )


def _print_request(packing: Packing, request: str) -> None:
    """Print the packed prompt; what cannot be made to fit is not sent, so only its sentence is said."""
    from budgeteer.engine.rendering import render_markdown, render_request, render_text

    if packing.error is not None:
        click.echo(f"budgeteer: {packing.error.sentence}", err=True)
    elif request == "text":
        click.echo(render_text(packing), nl=False)
    elif request == "markdown":
        click.echo(render_markdown(packing), nl=False)
    else:
        click.echo(json.dumps(render_request(packing), ensure_ascii=False, indent=2))
