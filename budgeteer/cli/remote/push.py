"""`budgeteer push`: upload files to a dashboard, and what is added to them later."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE…")
@click.option("--url", default="", metavar="URL", help="The dashboard; by default the one of the last login.")
@click.option("--as", "as_format", default="", metavar="FORMAT", help="Import as this format instead of detecting one.")
@click.option("--new", "name", default="", metavar="NAME", help="Open a new workspace over the files.")
@click.option("--workspace", default="", metavar="ID", help="Use the files in this workspace as well.")
@click.option("--watch", is_flag=True, help="Go on: send the lines that are added to a file. Ctrl+C ends it.")
@click.option(
    "--every",
    type=click.FloatRange(min=0.1, max=3600),
    default=2.0,
    metavar="SECONDS",
    help="How often --watch looks (2).",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object for each push.")
def command(files: tuple[str, ...], *, watch: bool, every: float, **written: Any) -> int:
    """Upload FILEs to a dashboard. The same file later: only what is new is sent.

    What the dashboard holds is compared with the beginning of the file; a file that was rewritten becomes a new source.
    With --watch only whole lines are sent, since the last one may still be written.

    Example: budgeteer push ~/.claude/projects/app/session.jsonl --new "Today" --watch
    """
    from budgeteer.cli.remote.pushing import Pusher, PushOptions
    from budgeteer.client import credentials
    from budgeteer.client.connection import Connection
    from budgeteer.client.remote import Remote

    options = PushOptions(**written)
    if options.name and options.workspace:
        raise click.UsageError("--new and --workspace exclude each other")
    login = credentials.find(options.url)
    with Remote(Connection(login.url, login.token)) as remote:
        pusher = Pusher(remote, [Path(name) for name in files], options)
        pusher.push_all(whole_lines=watch)
        if watch:
            pusher.watch(every_seconds=every)
    return 0
