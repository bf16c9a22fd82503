"""The log of security events: what is in it, and what never is."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from django.test import Client
from structlog.testing import capture_logs

from budgeteer.access.audit import SecurityEvent
from budgeteer.accounts import services as accounts
from budgeteer.presets import services as presets
from budgeteer.reports import services as reports
from budgeteer.teams.sharing import EVERYONE
from budgeteer.workbench import services as workbench
from budgeteer.workbench.team import sharing
from tests import people

pytestmark = pytest.mark.django_db
PASSWORD = "correct horse battery"
SECRETS = ("correct horse", "new staple", "my-secret-typed-as-a-name", "127.1.2.3")


@pytest.fixture
def lines(team) -> Iterator[list[dict[str, object]]]:
    with capture_logs() as found:
        yield found
    assert not any(secret in json.dumps(found, default=str) for secret in SECRETS)


def told(lines: list[dict[str, object]], event: SecurityEvent) -> dict[str, object]:
    return next(line for line in lines if line["event"] == event)


def sign_in(name: str, password: str) -> int:
    return Client().post("/sign-in/", {"username": name, "password": password}, REMOTE_ADDR="127.1.2.3").status_code


def test_signing_in_and_failing_are_found_together_by_name_and_address(lines) -> None:
    ada = people.editor("ada", password=PASSWORD)
    sign_in("ada", "my-secret-typed-as-a-name")
    sign_in("ada", PASSWORD)
    sign_in("my-secret-typed-as-a-name", "x")
    failed, signed_in = told(lines, SecurityEvent.SIGN_IN_FAILED), told(lines, SecurityEvent.SIGNED_IN)
    assert (failed["name_key"], failed["address_key"]) == (signed_in["name_key"], signed_in["address_key"])
    assert signed_in["account"] == ada.pk
    assert failed["log_level"] == "warning"
    other = [line for line in lines if line["event"] == SecurityEvent.SIGN_IN_FAILED][-1]
    assert other["name_key"] != failed["name_key"]


def test_a_limit_that_is_reached_is_told(lines, settings) -> None:
    settings.SIGN_IN_TRIES = 1
    assert [sign_in("ada", "x"), sign_in("ada", "x")] == [200, 429]
    assert int(str(told(lines, SecurityEvent.SIGN_IN_LIMITED)["seconds"])) > 0


def test_passwords_roles_and_accounts_are_told_without_their_values(lines) -> None:
    ada = people.editor("ada", password=PASSWORD)
    own = Client()
    own.force_login(ada)
    new = "new staple 77"
    own.post("/account/password/", {"old_password": PASSWORD, "new_password1": new, "new_password2": new})
    assert told(lines, SecurityEvent.PASSWORD_CHANGED)["account"] == ada.pk
    chief, client = people.admin("grace"), Client()
    client.force_login(chief)
    form = {"username": "bob", "role": "1", "password1": "new staple 77", "password2": "new staple 77"}
    client.post("/admin/auth/user/add/", {**form, "usable_password": "true"})
    made = told(lines, SecurityEvent.ACCOUNT_CREATED)
    assert made["by"] == chief.pk
    change = {"username": "ada", "role": "1", "first_name": "Ada"}
    client.post(f"/admin/auth/user/{ada.pk}/change/", change)
    changed = told(lines, SecurityEvent.ACCOUNT_CHANGED)
    assert changed["account"] == ada.pk
    assert "Ada" not in json.dumps(changed["fields"])
    assert len(changed["fields"]) >= 2  # type: ignore[arg-type]
    roles = [(line["account"], line["role"]) for line in lines if line["event"] == SecurityEvent.ROLE_SET]
    assert roles[-1] == (ada.pk, "viewer")


def test_what_is_shared_published_and_revoked_is_told(lines) -> None:
    ada, bob = people.editor("ada"), people.editor("bob")
    workspace = workbench.open_with_sources(ada, [])
    workbench.write_texts(workspace, {"query": "my-secret-typed-as-a-name"})
    sharing.share(workspace, EVERYONE)
    sharing.copy_for(bob, workspace)
    sharing.share(workspace, None)
    order = reports.PublishRequest(title="my-secret-typed-as-a-name", content="full", days=7)
    report = reports.publish(workspace, order, owner=ada)
    token = report.token
    reports.revoke(report)
    reports.revoke(report)
    presets.publish(presets.current("skills-library").preset, config={}, note="my-secret-typed-as-a-name", author=ada)
    assert [line["event"] for line in lines if line["event"] in set(SecurityEvent) - {SecurityEvent.ROLE_SET}] == [
        SecurityEvent.WORKSPACE_SHARED,
        SecurityEvent.WORKSPACE_COPIED,
        SecurityEvent.WORKSPACE_UNSHARED,
        SecurityEvent.REPORT_PUBLISHED,
        SecurityEvent.REPORT_REVOKED,
        SecurityEvent.PRESET_PUBLISHED,
    ]
    assert told(lines, SecurityEvent.WORKSPACE_COPIED)["by"] == bob.pk
    assert token
    assert token not in json.dumps(lines, default=str)


def test_a_link_that_is_no_more_is_a_failed_sign_in(settings) -> None:
    settings.BUDGETEER_MODE = "local"
    token = accounts.make_sign_in_token()
    with capture_logs() as lines:
        Client().get(f"/enter/{token}/")
        Client().get(f"/enter/{token}/")
    assert [line["event"] for line in lines if line["event"] in set(SecurityEvent)] == [
        SecurityEvent.SIGNED_IN,
        SecurityEvent.SIGN_IN_FAILED,
    ]
    assert token not in json.dumps(lines, default=str)
