"""The environment of a test run, set before anything reads the settings: a plugin that pytest loads first.

A test run reads and writes nothing of the checkout's own `var/`; each parallel process has a folder of its own and, on
Redis, a database of its own: Celery keeps the connections of the first message, so the address must never change.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import ExitStack
from pathlib import Path

from tests.own_servers import own_redis_database

DATA_FOLDER = Path(tempfile.mkdtemp(prefix="budgeteer-tests-"))
os.environ["BUDGETEER_DATA_DIR"] = str(DATA_FOLDER)
os.environ["XDG_CACHE_HOME"] = str(DATA_FOLDER / "cache")  # the command line's kept counts
os.environ["DJANGO_SETTINGS_MODULE"] = "budgeteer.settings"
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"  # Playwright's loop runs in the thread of the test

_held = ExitStack()
if "REDIS_URL" in os.environ:
    os.environ["REDIS_URL"] = _held.enter_context(own_redis_database(os.environ["REDIS_URL"]))


def pytest_unconfigure() -> None:
    """Remove the data folder of this run and give back its Redis database."""
    _held.close()
    shutil.rmtree(DATA_FOLDER, ignore_errors=True)
