"""A sample workspace, on a wide screen and on a phone."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from tests.browser.conftest import NARROW, Visitor
from tests.browser.steps import open_sample


@pytest.fixture
def agent(visitor: Callable[..., Visitor]) -> Page:
    page = visitor().open("/")
    open_sample(page, "A long agent session")
    return page


@pytest.fixture
def phone(visitor: Callable[..., Visitor]) -> Page:
    page = visitor(width=NARROW).open("/")
    open_sample(page, "A long agent session")
    return page
