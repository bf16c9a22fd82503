from __future__ import annotations

import pytest


@pytest.fixture
def owner(db):
    from tests.people import editor

    return editor("ada")


@pytest.fixture
def other(db):
    from tests.people import editor

    return editor("bob")


@pytest.fixture(autouse=True)
def every_import_is_done(repeated_imports, monkeypatch):
    """Import whatever is uploaded, also where these bytes were imported before: imports are what is tested here."""
    monkeypatch.setattr(repeated_imports, "is_on", False)


@pytest.fixture(autouse=True)
def nothing_loaded():
    from budgeteer.sources.loading import forget_loaded

    forget_loaded()
