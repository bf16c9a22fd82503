"""`budgeteer serve`: the dashboard with its worker and scheduler."""

from __future__ import annotations

import click


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option(
    "--port", type=click.IntRange(0, 65535), help="Port; 0 takes any free one.  [default: 8000, or the next free one]"
)
@click.option("--no-worker", is_flag=True, help="Only the web process; a worker runs elsewhere.")
@click.option("--no-browser", is_flag=True, help="Do not open a browser.")
def command(*, host: str, port: int | None, no_worker: bool, no_browser: bool) -> int:
    """Run the dashboard: web, worker and scheduler, stopped together by Ctrl+C.

    Prints the address and, in local mode, a one-time link that signs you in.
    """
    from budgeteer.serve import serve

    return serve(host=host, port=port, worker=not no_worker, browser=not no_browser)
