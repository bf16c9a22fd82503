"""`manage.py sign_in_link`."""

from __future__ import annotations

from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

pytestmark = pytest.mark.django_db


def test_it_prints_a_link_that_signs_in(client: Client) -> None:
    printed = StringIO()
    call_command("sign_in_link", stdout=printed)
    path = printed.getvalue().strip().split("/", 3)[3]
    assert client.get(f"/{path}")["Location"] == "/"


def test_team_mode_refuses_with_a_sentence(team: None) -> None:
    with pytest.raises(CommandError, match="Sign-in links are for local mode"):
        call_command("sign_in_link")
