"""The dashboard with one command: web, workers and scheduler as processes that start and stop together."""

from __future__ import annotations

import os

DEFAULT_PORT = 8000


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
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "budgeteer.settings")
    from budgeteer.serve.dashboard import run_dashboard
    from budgeteer.serve.listening import Listening

    return run_dashboard(Listening.choose(host=host, port=port), worker=worker, browser=browser)
