"""Who may do what: three roles, and the rule each view declares about itself.

A view without a rule is refused to everybody (middleware.AccessMiddleware) and named by a system check (checks.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, cast

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser, Group, User
from django.db import models, transaction

EDITORS = "editors"
"""The group whose members are editors. Administrators are Django's staff, everybody else is a viewer: no account has
more power than somebody gave it, whichever way it was made."""

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS", "TRACE"})


class Role(models.IntegerChoices):
    """What an account may do; each role may all that the one before it may."""

    VIEWER = 1, "Viewer"
    EDITOR = 2, "Editor"
    ADMIN = 3, "Administrator"


@dataclass(frozen=True, slots=True)
class Rule:
    """The least role that may look (`read`) and that may change something (`write`); None is anybody at all."""

    read: Role | None
    write: Role | None

    def needed(self, method: str) -> Role | None:
        """The least role for a request of this method."""
        return self.read if method in SAFE_METHODS else self.write


PUBLIC = Rule(None, None)
NAMESPACE_RULES = {"admin": Rule(Role.ADMIN, Role.ADMIN)}
"""Rules of whole namespaces: Django's admin makes its own views, so that none of them can declare one."""


def public[V: Callable[..., Any]](view: V) -> V:
    """The view is for anybody, signed in or not."""
    return _declare(view, PUBLIC)


def access[V: Callable[..., Any]](*, read: Role = Role.VIEWER, write: Role = Role.EDITOR) -> Callable[[V], V]:
    """The view, a function or a class, is for signed-in people of these roles at least."""

    def declare(view: V) -> V:
        return _declare(view, Rule(read, write))

    return declare


def rule_of(view: Callable[..., Any], namespaces: Iterable[str] = ()) -> Rule | None:
    """The rule that holds for a view of the URL conf; None where nobody made one."""
    for namespace in namespaces:
        if namespace in NAMESPACE_RULES:
            return NAMESPACE_RULES[namespace]
    declared = getattr(view, "access_rule", None) or getattr(getattr(view, "view_class", None), "access_rule", None)
    return cast("Rule | None", declared)


def role_of(user: AbstractBaseUser | AnonymousUser) -> Role | None:
    """The role of an account as the database has it now; None for a visitor and for an account that was closed."""
    if not isinstance(user, User) or not user.is_active:
        return None
    if user.is_staff:
        return Role.ADMIN
    return Role.EDITOR if user.groups.filter(name=EDITORS).exists() else Role.VIEWER


@transaction.atomic
def set_role(user: User, role: Role) -> None:
    """Give an account this role and no other; an administrator may use all of Django's admin."""
    user.is_staff = user.is_superuser = role is Role.ADMIN
    user.save(update_fields=["is_staff", "is_superuser"])
    editors, _ = Group.objects.get_or_create(name=EDITORS)
    if role is Role.EDITOR:
        user.groups.add(editors)
    else:
        user.groups.remove(editors)


def _declare[V: Callable[..., Any]](view: V, rule: Rule) -> V:
    # An attribute, because decorators around a view carry attributes along and as_view() leads back to its class.
    view.access_rule = rule  # type: ignore[attr-defined]
    return view
