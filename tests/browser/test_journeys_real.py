"""The first three journeys on the largest real session and the largest real skills library."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.actions import Hands
from tests.browser.steps import drop, figures, verdict, wait_until_packed
from tests.browser.test_journeys_counted import (
    FIRST_RUN,
    LIBRARY,
    OVERFLOW,
    by_mouse_and_keyboard,
    fit_library,
    mend_overflow,
)

pytestmark = [pytest.mark.corpus, pytest.mark.slow]


@pytest.fixture(scope="module")
def session() -> Path:
    return _largest("conversations", "*.jsonl")


@pytest.fixture(scope="module")
def library() -> Path:
    return _largest("skills", "*.zip")


@by_mouse_and_keyboard
def test_a_first_run_ends_with_a_verdict(visitor, session, by_keyboard):
    page = visitor().open("/")
    hands = Hands(page, by_keyboard)
    hands.drop(session)
    wait_until_packed(page)
    assert re.search(r"Fits, .*[\d,]+ items left out by the \w+ limit", verdict(page))
    assert hands.actions <= FIRST_RUN


@by_mouse_and_keyboard
def test_a_skills_library_is_fitted_and_its_configuration_taken_along(visitor, library, by_keyboard):
    assert fit_library(Hands(visitor().open("/"), by_keyboard), [library]) <= LIBRARY


@by_mouse_and_keyboard
def test_why_it_overflowed_is_told_and_mended(visitor, session, by_keyboard):
    page = visitor().open("/")
    drop(page, session)
    wait_until_packed(page)
    before = figures(page)
    page.locator("#i-model").select_option("gpt-4o")  # whatever the file names: the window of some would hold all of it
    expect(page.locator("#figures")).not_to_have_text(before)
    assert mend_overflow(Hands(page, by_keyboard)) <= OVERFLOW


def _largest(folder: str, pattern: str) -> Path:
    found = Path(os.environ["BUDGETEER_CORPUS"], folder).rglob(pattern)
    return max(found, key=lambda path: path.stat().st_size)
