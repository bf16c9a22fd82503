"""`budgeteer serve`: the dashboard with its worker and scheduler, or one part of it."""

from __future__ import annotations

from dataclasses import dataclass

import click
from click.core import ParameterSource

from budgeteer.serve import PARTS

#: Which part an option is for when one part runs alone; "" for an option of the whole dashboard only.
PART_OF_OPTION = {"host": "web", "port": "web", "queues": "worker", "name": "worker", "no_worker": "", "no_browser": ""}


@dataclass(frozen=True, slots=True)
class ServeOptions:
    """What the command line says."""

    host: str
    port: int | None
    no_worker: bool
    no_browser: bool
    only: str | None
    queues: str | None
    name: str | None


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option(
    "--port", type=click.IntRange(0, 65535), help="Port; 0 takes any free one.  [default: 8000, or the next free one]"
)
@click.option("--no-worker", is_flag=True, help="Only the web process; a worker runs elsewhere.")
@click.option("--no-browser", is_flag=True, help="Do not open a browser.")
@click.option("--only", type=click.Choice(PARTS), help="Run this part alone, in the foreground, until SIGTERM.")
@click.option("--queues", metavar="Q,Q", help="With --only worker: the queues it serves.  [default: all]")
@click.option("--name", help="With --only worker: what it is called.  [default: worker]")
@click.pass_context
def command(context: click.Context, /, **written: object) -> int:
    """Run the dashboard: web, worker and scheduler, stopped together by Ctrl+C.

    Prints the address and, in local mode, a one-time link that signs you in. With --only it runs one part, for
    whoever supervises processes; the part migrate brings the database up to date and ends.
    """
    options = ServeOptions(**written)  # type: ignore[arg-type]  # click gives each option its type
    check_usage(context, options)
    from budgeteer.serve import serve, serve_part, serve_web

    if options.only == "web":
        return serve_web(host=options.host, port=options.port)
    if options.only:
        queues = options.queues.split(",") if options.queues is not None else None
        return serve_part(options.only, queues=queues, name=options.name)
    return serve(host=options.host, port=options.port, worker=not options.no_worker, browser=not options.no_browser)


def check_usage(context: click.Context, options: ServeOptions) -> None:
    """Refuse options that do not go together.

    Raises:
        click.UsageError: one was given that means nothing beside, or without, `--only`.
    """
    for option, part in PART_OF_OPTION.items():
        if context.get_parameter_source(option) is ParameterSource.DEFAULT:
            continue
        flag = f"--{option.replace('_', '-')}"
        if options.only is None and part == "worker":
            raise click.UsageError(f"{flag} is for one worker alone; add --only worker", context)
        if options.only is not None and part != options.only:
            belongs = f"it belongs to --only {part}" if part else "it is for the whole dashboard"
            raise click.UsageError(f"{flag} means nothing with --only {options.only}; {belongs}", context)
