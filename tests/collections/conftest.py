from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from django.contrib.auth.models import User


@pytest.fixture
def owner(db: None) -> User:
    from tests.people import editor

    return editor("ada")


@pytest.fixture
def other(db: None) -> User:
    from tests.people import editor

    return editor("bob")


@pytest.fixture(autouse=True)
def nothing_kept() -> None:
    from budgeteer.collections.collection_page import forget_sums
    from budgeteer.collections.row_search import forget_segments
    from budgeteer.collections.run_records import forget_evaluations
    from budgeteer.sources.loading import forget_loaded

    for forget in (forget_loaded, forget_sums, forget_segments, forget_evaluations):
        forget()
