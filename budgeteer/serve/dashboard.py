"""The life of the dashboard: prepare, start the children, print the address, supervise, stop."""

from __future__ import annotations

import http.client
import os
import signal
import sys
import threading
import time
import webbrowser

import click
import django
from django.conf import settings

from budgeteer.logs import tell
from budgeteer.operations import private_files
from budgeteer.serve import database
from budgeteer.serve.children import Child
from budgeteer.serve.listening import Listening

WATCH_SECONDS = 0.2
START_SECONDS = 60.0
GRACE_SECONDS = 8.0
SECOND_WORKER_SECONDS = 1.5
SCHEDULER_SECONDS = 3.0


def run_dashboard(listening: Listening, *, worker: bool, browser: bool) -> int:
    """Start everything, stay until told to stop, stop everything; the exit status."""
    stop = _stop_on_signals()
    private_files.keep_private()
    web = Child("web server", ("web", listening.host, str(listening.port)))
    children = [web]
    try:
        # Where nothing is to be migrated the web server starts up while we do.
        if database.was_left_current():
            web.start()
        django.setup()
        database.bring_up_to_date()
        if web.process is None:
            web.start()
        if not _wait_until_it_answers(listening, web, stop):
            return _explain_no_answer(stop)
        if worker:
            children += _start_background()
        _welcome(listening, browser=browser)
        _keep_alive(children, stop)
    finally:
        _stop_all(children)
    tell("Stopped.")
    return 0


def _start_background() -> list[Child]:
    """Start the workers and the scheduler.

    One worker takes everything, what is large first, and one small work only, so a large import never holds up a
    small one, and is not left for the end while the other worker has nothing to do.
    The first one is not to share the processor with the others while it starts: somebody is waiting.
    """
    everything = Child("worker", ("worker", "all", "large,default"))
    everything.start()
    small = Child("second worker", ("worker", "small", "default"))
    small.start_in(SECOND_WORKER_SECONDS)
    scheduler = Child("scheduler", ("scheduler",))
    scheduler.start_in(SCHEDULER_SECONDS)
    return [everything, small, scheduler]


def _stop_on_signals() -> threading.Event:
    """An event set by the first Ctrl+C, SIGTERM or hang-up; the second one kills at once."""
    stop = threading.Event()

    def handle(_number: int, _frame: object) -> None:
        if stop.is_set():
            raise KeyboardInterrupt
        stop.set()

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, handle)
    return stop


def _wait_until_it_answers(listening: Listening, web: Child, stop: threading.Event) -> bool:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and not stop.is_set():
        if web.process is None or web.process.poll() is not None:
            return False
        if _answers(listening):
            return True
        stop.wait(0.05)
    return False


def _answers(listening: Listening) -> bool:
    """Whether the web server says anything at all; a refusal of our host name is an answer too."""
    connection = http.client.HTTPConnection(listening.reachable_host, listening.port, timeout=5)
    try:
        connection.request("GET", "/health/")
        connection.getresponse().read()
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
    return True


def _explain_no_answer(stop: threading.Event) -> int:
    if stop.is_set():
        return 0
    tell("budgeteer: the web server did not start; what it said stands above.")
    return 2


def _welcome(listening: Listening, *, browser: bool) -> None:
    from budgeteer.accounts import services

    click.echo(f"Budgeteer is ready at {listening.address}/")
    if settings.BUDGETEER_MODE == "local":
        services.remember_served_address(listening.address)
        link = services.make_sign_in_link(listening.address)
        click.echo(f"Sign in here (works once, within {settings.SIGN_IN_LINK_MINUTES} minutes): {link}")
        if browser and _has_screen():
            webbrowser.open(services.make_sign_in_link(listening.address))
    click.echo("Press Ctrl+C to stop.")
    sys.stdout.flush()


def _has_screen() -> bool:
    """A terminal somebody sits at, with a window system behind it."""
    windows = sys.platform != "linux" or "DISPLAY" in os.environ or "WAYLAND_DISPLAY" in os.environ
    return sys.stdout.isatty() and windows


def _keep_alive(children: list[Child], stop: threading.Event) -> None:
    while not stop.wait(WATCH_SECONDS):
        for child in children:
            if told := child.mend():
                tell(told)


def _stop_all(children: list[Child]) -> None:
    """Ask all, wait for all, kill what is left; a second Ctrl+C skips the waiting."""
    deadline = time.monotonic() + GRACE_SECONDS
    try:
        for child in children:
            child.ask_to_stop()
        for child in children:
            child.stop_by(deadline)
    except KeyboardInterrupt:
        for child in children:
            child.stop_by(0.0)
