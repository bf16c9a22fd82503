"""Fixtures of the sign-in tests."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def _fast_passwords(settings: object) -> None:
    """Hash passwords in no time; processes that tests start hash them as people's."""
    fast = "django.contrib.auth.hashers.MD5PasswordHasher"
    settings.PASSWORD_HASHERS = [fast, *settings.PASSWORD_HASHERS]  # type: ignore[attr-defined]


@pytest.fixture
def team(settings: object) -> None:
    """The same dashboard in team mode."""
    settings.BUDGETEER_MODE = "team"  # type: ignore[attr-defined]
