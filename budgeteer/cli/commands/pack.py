"""`budgeteer pack`: pack a prompt into its budget and show every decision."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from budgeteer.cli.options.pack import PackOptions
from budgeteer.cli.options.sources import check_something_is_given, source_options
from budgeteer.cli.output.terminal import complain
from budgeteer.engine.providers.names import PROVIDER_NAMES

if TYPE_CHECKING:
    from budgeteer.engine.packing.result import Packing

DONE = 0
CANNOT_FIT = 1

#: What `--request` may print: engine.rendering.REQUEST_FORMS, without loading the engine for `--help`.
READING = ("text", "markdown")
REQUESTS = (*PROVIDER_NAMES, *READING)


@click.command()
@source_options
@click.option("--json", "as_json", is_flag=True, help="Print every decision and figure as JSON.")
@click.option("--before-after", is_flag=True, help="Also compare with everything loaded before the first message.")
@click.option("--no-cache", is_flag=True, help="Count every text anew, and keep no counts for the next time.")
@click.option("--request", metavar="PROFILE", help=f"Print the packed prompt, ready to send: {', '.join(REQUESTS)}.")
def command(**written: Any) -> int:
    """Pack a prompt into its budget and show what is kept, shortened and dropped, and why.

    Exit status: 0 the packed prompt fits, 1 it cannot be made to fit, 2 bad input.
    """
    options = PackOptions(**written)
    check_usage(options)
    from budgeteer.cli.output.packing_log import log_packing
    from budgeteer.cli.packing_run import packed

    packing = packed(options, provider=None if options.request in (None, *READING) else options.request)
    log_packing(packing)
    if options.request is not None:
        _print_request(packing, options.request)
    elif options.as_json:
        from budgeteer.engine.analysis.packing_json import packing_to_json
        from budgeteer.engine.rendering.validity import check_every_provider

        click.echo(json.dumps(packing_to_json(packing, validity=check_every_provider(packing)), ensure_ascii=False))
    else:
        from budgeteer.cli.output.packing_summary import summary

        click.echo(summary(packing))
        if options.before_after:
            from budgeteer.cli.output.packing_summary import before_and_after

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
        raise click.UsageError(f"--request {options.request}: there is no such provider. Known: {', '.join(REQUESTS)}")
    check_something_is_given(options)


def _print_request(packing: Packing, request: str) -> None:
    """Print the packed prompt; what cannot be made to fit is not sent, so only its sentence is said.

    A rule of the provider's that the request breaks (libraries alone hold no message) is said beside it.
    """
    from budgeteer.engine.rendering import render_markdown, render_request, render_text
    from budgeteer.engine.rendering.validity import check_request

    if packing.error is not None:
        complain(packing.error.sentence)
    elif request == "text":
        click.echo(render_text(packing), nl=False)
    elif request == "markdown":
        click.echo(render_markdown(packing), nl=False)
    else:
        body = render_request(packing)
        click.echo(json.dumps(body, ensure_ascii=False, indent=2))
        for check in check_request(body, packing.provider):
            if not check.ok:
                complain(check.sentence)
