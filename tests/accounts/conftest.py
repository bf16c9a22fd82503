"""Fixtures of the sign-in tests."""

from __future__ import annotations

import pytest


@pytest.fixture
def team(settings: object) -> None:
    """The same dashboard in team mode."""
    settings.BUDGETEER_MODE = "team"  # type: ignore[attr-defined]
