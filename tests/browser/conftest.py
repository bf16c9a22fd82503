"""A real Chromium against the real dashboard.

On SQLite with the file broker that is what `budgeteer serve` starts, in local mode; on PostgreSQL with Redis it is what
docker-compose.yml starts, in team mode.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.browser.stack import Stack, production_stack, running_stack

WIDE, NARROW = 1440, 390
WORK_MS = 180_000
"""How long importing, counting and packing may take on a busy machine."""

OVERTAKEN = re.compile(r"htmx:(sendAbort|afterRequest), ")
"""What htmx writes about a request that a later one made pointless; of one that failed it says `htmx:sendError` too."""

#: What reads real files is collected only where `BUDGETEER_CORPUS` names their folder.
collect_ignore = [] if "BUDGETEER_CORPUS" in os.environ else ["test_journeys_real.py"]

expect.set_options(timeout=60_000)


@pytest.fixture(scope="session")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    on_servers = "DATABASE_URL" in os.environ and "REDIS_URL" in os.environ
    with production_stack() if on_servers else running_stack(tmp_path_factory.mktemp("dashboard")) as running:
        yield running


@pytest.fixture(scope="session")
def signed_in(browser: Browser, stack: Stack) -> Any:
    """The cookies of the one user of local mode, or of team mode's administrator."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(stack.sign_in_link or stack.address)
    if not stack.sign_in_link:
        sign_in_with(page, *stack.account)
    expect(page.get_by_role("navigation", name="Main").first).to_be_visible()
    state = context.storage_state()
    context.close()
    return state


def sign_in_with(page: Page, name: str, password: str) -> None:
    """Fill the sign-in page, which is open, and send it."""
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Sign in").click()


@dataclass
class Visitor:
    """Somebody in front of a browser. Whatever its console complains about fails the test, unless `forgive`n."""

    context: BrowserContext
    address: str
    complaints: list[str] = field(default_factory=list)
    forgiven: list[str] = field(default_factory=list)
    pages: list[Page] = field(default_factory=list)

    def open(self, path: str = "/") -> Page:
        """A new tab on that path of the dashboard (or a whole address)."""
        page = self.context.new_page()
        page.set_default_timeout(WORK_MS)
        page.on("pageerror", lambda error: self.complaints.append(f"{page.url}: uncaught {error}"))
        page.on("console", lambda message: self._hear(page, message))
        page.goto(path if path.startswith("http") else self.address + path)
        self.pages.append(page)
        return page

    def forgive(self, pattern: str) -> None:
        """Take complaints that match for what the test provokes on purpose."""
        self.forgiven.append(pattern)

    @property
    def unforgiven(self) -> list[str]:
        return [each for each in self.complaints if not any(re.search(known, each) for known in self.forgiven)]

    def _hear(self, page: Page, message: Any) -> None:
        if message.type == "error" and not OVERTAKEN.match(message.text):
            self.complaints.append(f"{page.url}: {message.text}")


@pytest.fixture
def visitor(browser: Browser, request: pytest.FixtureRequest) -> Iterator[Callable[..., Visitor]]:
    """Make visitors: `visitor(width=…, theme="light", script=True, known=True)`; `known` ones are signed in.

    They visit the dashboard that all tests share, which starts with the first of them, or the one at `address`.
    """
    made: list[Visitor] = []

    def make(
        *, width: int = WIDE, theme: str = "light", script: bool = True, known: bool = True, address: str = ""
    ) -> Visitor:
        here = address or request.getfixturevalue("stack").address
        context = browser.new_context(
            viewport={"width": width, "height": 900},
            color_scheme=theme,
            java_script_enabled=script,
            storage_state=request.getfixturevalue("signed_in") if known else None,
            reduced_motion="reduce",
            accept_downloads=True,
        )
        context.grant_permissions(["clipboard-read", "clipboard-write"])
        made.append(Visitor(context, here))
        return made[-1]

    yield make
    heard = [complaint for each in made for complaint in each.unforgiven]
    for each in made:
        each.context.close()
    assert not heard, "\n".join(["The console complained:", *heard])


@pytest.fixture(scope="session")
def filled(browser: Browser, stack: Stack, signed_in: Any) -> Any:
    """A dashboard in use; see filled.py."""
    from tests.browser.filled import check_views, fill

    context = browser.new_context(storage_state=signed_in, viewport={"width": WIDE, "height": 900})
    page = context.new_page()
    page.set_default_timeout(WORK_MS)
    page.goto(stack.address)
    found = fill(page, stack.address)
    check_views(found)
    context.close()
    return found
