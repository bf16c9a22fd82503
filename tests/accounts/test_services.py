"""One-time links: once, soon, hashed, and for local mode only."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.utils import timezone

from budgeteer.accounts import services
from budgeteer.accounts.models import SignInLink

pytestmark = pytest.mark.django_db


def test_the_local_user_is_an_administrator_without_a_password() -> None:
    user = services.local_user()
    assert user.is_superuser
    assert user.is_staff
    assert not user.has_usable_password()
    assert services.local_user() == user


def test_a_token_signs_in_once() -> None:
    token = services.make_sign_in_token()
    assert services.spend_sign_in_token(token) == services.local_user()
    assert services.spend_sign_in_token(token) is None


@pytest.mark.django_db(transaction=True)
def test_a_token_spent_by_many_at_once_signs_in_one() -> None:
    token = services.make_sign_in_token()

    def spend(_number: int) -> User | None:
        try:
            return services.spend_sign_in_token(token)
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        users = list(pool.map(spend, range(8)))
    assert len([user for user in users if user]) == 1


def test_a_token_expires() -> None:
    token = services.make_sign_in_token()
    SignInLink.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert services.spend_sign_in_token(token) is None


def test_a_token_is_not_kept_in_the_database() -> None:
    token = services.make_sign_in_token()
    link = SignInLink.objects.get()
    assert token not in str(vars(link))
    assert token not in str(link)


def test_expired_links_are_swept_away_when_a_new_one_is_made() -> None:
    services.make_sign_in_token()
    SignInLink.objects.update(expires_at=timezone.now() - timedelta(days=1))
    services.make_sign_in_token()
    assert SignInLink.objects.count() == 1


def test_team_mode_makes_and_takes_no_links(team: None) -> None:
    with pytest.raises(services.NotLocal, match="Sign in with your name and password"):
        services.make_sign_in_token()


def test_a_link_made_in_local_mode_is_worth_nothing_in_team_mode(settings: object) -> None:
    token = services.make_sign_in_token()
    settings.BUDGETEER_MODE = "team"  # type: ignore[attr-defined]
    assert services.spend_sign_in_token(token) is None


def test_a_link_names_the_address_the_dashboard_was_last_served_at() -> None:
    services.remember_served_address("http://127.0.0.1:8123")
    assert services.make_sign_in_link().startswith("http://127.0.0.1:8123/enter/")
    assert services.make_sign_in_link("http://localhost:9/").startswith("http://localhost:9/enter/")
