from __future__ import annotations

import pytest


@pytest.fixture
def owner(db):
    from django.contrib.auth.models import User

    return User.objects.create_user("ada")


@pytest.fixture
def other(db):
    from django.contrib.auth.models import User

    return User.objects.create_user("bob")


@pytest.fixture(autouse=True)
def nothing_loaded():
    from budgeteer.sources.loading import forget_loaded

    forget_loaded()
