"""Accounts for tests, by role. Imports Django when called: fixtures' files are read before it is set up."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from django.contrib.auth.models import User


def viewer(name: str, **fields: object) -> User:
    from django.contrib.auth.models import User

    return User.objects.create_user(name, **fields)


def editor(name: str, **fields: object) -> User:
    from budgeteer.access.rules import AccountRole, set_role

    user = viewer(name, **fields)
    set_role(user, AccountRole.EDITOR)
    return user


def admin(name: str, **fields: object) -> User:
    from django.contrib.auth.models import User

    return User.objects.create_superuser(name, **fields)
