"""The dashboard's processes: all of them with one command, or one of them alone."""

from __future__ import annotations

import os
from collections.abc import Sequence

DEFAULT_PORT = 8000
PARTS = ("web", "worker", "scheduler", "migrate")


def serve(*, host: str = "127.0.0.1", port: int | None = None, worker: bool = True, browser: bool = True) -> int:
    """Run the dashboard until Ctrl+C or SIGTERM; the exit status.

    Args:
        host: the address to listen on; in local mode a loopback one.
        port: the port; 0 for any free one; None for 8000 or the next free one.
        worker: also run the workers and the scheduler.
        browser: open the sign-in link in a browser, where there is a screen.

    Raises:
        InputError: the host is not allowed in this mode, or the port is taken.
    """
    _choose_settings()
    from budgeteer.serve.dashboard import run_dashboard
    from budgeteer.serve.listening import Listening

    return run_dashboard(Listening.choose(host=host, port=port), worker=worker, browser=browser)


def serve_web(*, host: str = "127.0.0.1", port: int | None = None) -> int:
    """Run the web part alone in this process; the exit status. Without a port it is 8000 or nothing.

    Raises:
        InputError: see `serve`; and where the database is not up to date.
    """
    _choose_settings()
    from budgeteer.serve import foreground
    from budgeteer.serve.listening import Listening

    return foreground.run_web(Listening.choose(host=host, port=DEFAULT_PORT if port is None else port))


def serve_part(part: str, *, queues: Sequence[str] | None = None, name: str | None = None) -> int:
    """Run the worker, the scheduler or the migration alone in this process; the exit status.

    Args:
        part: "worker", "scheduler" or "migrate".
        queues: the worker's queues; None for all.
        name: the worker's name; None for "worker".

    Raises:
        InputError: there is no such queue, or the database is not what this version needs.
    """
    _choose_settings()
    from budgeteer.serve import foreground

    if part == "worker":
        return foreground.run_worker(queues=queues, name=name)
    return {"scheduler": foreground.run_scheduler, "migrate": foreground.run_migrate}[part]()


def _choose_settings() -> None:
    """Name the settings; in local mode let what this process and its children make be for their owner only."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "budgeteer.settings")
    from django.conf import settings

    if settings.LOCAL:
        os.umask(0o077)
