"""Roles and rules: who is what, what a rule asks for, and what becomes of accounts from before there were roles."""

from __future__ import annotations

from importlib import import_module
from types import SimpleNamespace

import pytest
from django.apps import apps
from django.contrib.auth.models import AnonymousUser, Group, User
from django.db import connection
from django.test import Client
from django.views import View

from budgeteer.access.rules import EDITORS, PUBLIC, AccessRule, AccountRole, access, public, role_of, rule_of, set_role
from budgeteer.accounts import services
from tests import people

pytestmark = pytest.mark.django_db


def test_each_way_to_make_an_account_gives_the_role_it_should() -> None:
    assert role_of(AnonymousUser()) is None
    assert role_of(User.objects.create_user("eve")) is AccountRole.VIEWER
    assert role_of(User.objects.create_superuser("root")) is AccountRole.ADMIN
    assert role_of(User.objects.create_user("closed", is_active=False, is_staff=True)) is None
    assert role_of(services.local_user()) is AccountRole.ADMIN


@pytest.mark.parametrize("before", AccountRole)
@pytest.mark.parametrize("after", AccountRole)
def test_setting_a_role_takes_the_earlier_one_away(before: AccountRole, after: AccountRole) -> None:
    user = User.objects.create_user("eve")
    set_role(user, before)
    set_role(user, after)
    stored = User.objects.get(pk=user.pk)
    assert role_of(stored) is after
    assert stored.is_staff == stored.is_superuser == (after is AccountRole.ADMIN)
    assert stored.groups.filter(name=EDITORS).exists() == (after is AccountRole.EDITOR)


def test_a_rule_tells_looking_from_changing() -> None:
    rule = AccessRule(AccountRole.VIEWER, AccountRole.EDITOR)
    for method in ("GET", "HEAD", "OPTIONS"):
        assert rule.needed(method) is AccountRole.VIEWER
    for method in ("POST", "PUT", "PATCH", "DELETE", "ODD"):
        assert rule.needed(method) is AccountRole.EDITOR


def test_functions_and_classes_declare_a_rule_and_namespaces_have_one() -> None:
    @access(write=AccountRole.ADMIN)
    def function() -> None: ...

    @public
    class Page(View): ...

    class Silent(View): ...

    assert rule_of(function) == AccessRule(AccountRole.VIEWER, AccountRole.ADMIN)
    assert rule_of(Page.as_view()) is PUBLIC
    assert rule_of(Silent.as_view()) is None
    assert rule_of(Silent.as_view(), ["admin"]) == AccessRule(AccountRole.ADMIN, AccountRole.ADMIN)


def test_accounts_from_before_there_were_roles_can_do_what_they_could() -> None:
    active, staff, root, closed = (
        User.objects.create_user("active"),
        User.objects.create_user("staff", is_staff=True),
        User.objects.create_superuser("root"),
        User.objects.create_user("closed", is_active=False),
    )
    migration = import_module("budgeteer.accounts.migrations.0002_roles_and_tries")
    migration.keep_what_people_could_do(apps, SimpleNamespace(connection=connection))
    assert [role_of(User.objects.get(pk=user.pk)) for user in (active, staff, root)] == [
        AccountRole.EDITOR,
        AccountRole.ADMIN,
        AccountRole.ADMIN,
    ]
    assert not User.objects.get(pk=staff.pk).is_superuser
    User.objects.filter(pk=closed.pk).update(is_active=True)
    assert role_of(User.objects.get(pk=closed.pk)) is AccountRole.VIEWER


def test_a_new_installation_has_no_group_until_there_is_an_editor() -> None:
    migration = import_module("budgeteer.accounts.migrations.0002_roles_and_tries")
    migration.keep_what_people_could_do(apps, SimpleNamespace(connection=connection))
    assert not Group.objects.exists()


def test_a_viewer_who_writes_is_told_who_can_change_that() -> None:
    client = Client()
    client.force_login(people.viewer("vera"))
    answer = client.post("/w/new/")
    page = answer.content.decode()
    assert answer.status_code == 403
    assert "An administrator can make you an editor." in page
    assert "You are signed in as" in page
    assert "Nothing was changed" in page


def test_a_part_of_a_page_that_is_refused_says_so_too() -> None:
    client = Client()
    client.force_login(people.viewer("vera"))
    answer = client.post("/w/new/", headers={"HX-Request": "true"})
    assert answer.status_code == 403
    assert "An administrator can make you an editor." in answer["HX-Trigger"]
    assert 'role="alert"' in answer.content.decode()
    assert "<html" not in answer.content.decode()


def test_signing_in_again_after_a_post_leads_home_and_after_a_page_back_to_it() -> None:
    assert Client().post("/w/new/")["Location"] == "/sign-in/?next=/"
    assert Client().get("/sources/?q=a")["Location"] == "/sign-in/?next=/sources/%3Fq%3Da"


LONG = "%C3%A9" * 4_000


@pytest.mark.parametrize("headers", [{}, {"HX-Request": "true", "HX-Current-URL": f"http://testserver/w/?q={LONG}"}])
def test_an_address_too_long_to_be_led_to_after_signing_in_leads_home(headers: dict[str, str]) -> None:
    answer = Client().get(f"/sources/?q={LONG}", headers=headers)
    assert (answer.get("Location") or answer["HX-Redirect"]) == "/sign-in/?next=/"
