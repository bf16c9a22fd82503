"""Two people who have one of everything, each with words of their own in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.personal_data.holdings import Holdings


@pytest.fixture(autouse=True)
def _settings(settings: object, tmp_path: object) -> None:
    settings.BUDGETEER_MODE = "team"  # type: ignore[attr-defined]
    settings.MEDIA_ROOT = str(tmp_path)  # type: ignore[attr-defined]


@pytest.fixture
def two(db: None) -> tuple[Holdings, Holdings]:
    """Ada, who asks, and Bob, who copied from her."""
    from tests.personal_data.holdings import make_two

    return make_two()
