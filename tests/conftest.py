"""What every test may ask for: real servers, a real browser. (`environment.py` comes first.)"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests import own_servers as own
from tests import servers

# As root and without a display Chromium needs the first four; the rest keep it from calling home.
CHROMIUM_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
TESTS_FOLDER = Path(__file__).parent

#: Folders and modules whose tests neither database nor broker can make a difference to: they call functions that know
#: none, or start what keeps its data in files whatever the environment names …
PURE_PATHS = (
    "benchmarks",
    "cli",
    "conformance",
    "corpus",
    "deployment/test_agreement.py",
    "docs",
    "engine",
    "formats",
    "llm",
    "presentation",
    "serve/test_gateway.py",
    "serve/test_private.py",
    "sources/files/test_item_store.py",
    "sources/test_large_files.py",
    "test_api.py",
    "test_directions.py",
    "test_icons.py",
    "test_layout.py",
    "test_lru.py",
    "test_settings.py",
)
#: … but for those tests in them that ask for one of these.
IMPURE_FIXTURES = frozenset({"db", "transactional_db", "own_servers", "page", "redis_url", "postgres_url"})

# A loaded machine is no failure, so no example has a deadline. Continuous integration tries the same examples each
# time: what it says of a change is about the change.
settings.register_profile("budgeteer", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("continuous integration", settings.get_profile("budgeteer"), derandomize=True)
settings.load_profile("continuous integration" if os.environ.get("CI") else "budgeteer")


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Collect the suite over real files only where `BUDGETEER_CORPUS` names their folder."""
    if "BUDGETEER_CORPUS" not in os.environ and collection_path.is_relative_to(TESTS_FOLDER / "corpus"):
        return True
    return None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark by folder: what lies under `corpus` reads real files, what lies under `browser` drives Chromium.

    Browser tests stay together in one of several parallel processes: they share one running dashboard. Every test that
    is not known to be pure runs on both stacks (scripts/test.sh).
    """
    for item in items:
        for folder in ("corpus", "browser", "conformance"):
            if item.path.is_relative_to(TESTS_FOLDER / folder):
                item.add_marker(folder)
        if "browser" in item.keywords:
            item.add_marker(pytest.mark.xdist_group("browser"))
        if _is_pure(item):
            item.add_marker("pure")


def _is_pure(item: pytest.Item) -> bool:
    """Whether a database, a broker, another process of ours or a browser cannot make a difference to the test."""
    in_pure_path = any(item.path.is_relative_to(TESTS_FOLDER / path) for path in PURE_PATHS)
    return in_pure_path and not IMPURE_FIXTURES & set(getattr(item, "fixturenames", ()))


@pytest.fixture(autouse=True)
def own_umask() -> Iterator[None]:
    """Give back the rights that new files have: `serve` in local mode narrows them for the whole process."""
    before = os.umask(0o022)
    os.umask(before)
    yield
    os.umask(before)


@pytest.fixture(scope="session", autouse=True)
def no_heartbeat_in_this_process() -> None:
    """Let no job that a test does itself have a heartbeat; worker processes have theirs.

    A heartbeat has a database connection of its own, which does not see a test's open transaction: after the two
    seconds that a busy machine may take, it would find the job's row gone and call the job off.
    """
    from django.conf import settings as dashboard

    dashboard.JOB_HEARTBEAT_SECONDS = 24 * 3600.0


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    """The address of a PostgreSQL server; the role may create and drop databases."""
    with servers.postgres() as url:
        yield url


@pytest.fixture(scope="session")
def redis_server() -> Iterator[str]:
    """The address of a Redis server that others may use as well."""
    with servers.redis() as url:
        yield url


@pytest.fixture
def redis_url(redis_server: str) -> Iterator[str]:
    """The address of an empty Redis database of one's own."""
    with own.own_redis_database(redis_server) as url:
        yield url


@pytest.fixture
def own_servers() -> Iterator[dict[str, str]]:
    """The variables of an empty database and broker for a process of its own; see `own_servers.py`."""
    with own.own_servers() as variables:
        yield variables


@pytest.fixture(scope="session")
def browser_type_launch_args() -> dict[str, object]:
    """Playwright starts the Chromium of this machine, not a download of its own."""
    program = servers.chromium_program()
    if program is None:
        raise servers.ServerMissing("Chromium is not installed. Run `make deps`, or let CHROMIUM name the program.")
    return {"executable_path": str(program), "args": CHROMIUM_FLAGS, "headless": True}


@pytest.fixture
def console_errors() -> list[str]:
    """What the browser complained about so far; a test that provokes a complaint clears it."""
    return []


@pytest.fixture
def browser_page(page, console_errors: list[str]) -> Iterator[object]:
    """A page in a real Chromium; an error in its console fails the test at the end."""
    page.on("pageerror", lambda error: console_errors.append(f"uncaught: {error}"))
    page.on("console", lambda message: console_errors.append(message.text) if message.type == "error" else None)
    page.set_default_timeout(15_000)
    yield page
    assert console_errors == []
