"""Every URL under a report's link x every state of the link and of its password, held to the table of matrix.py."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from budgeteer.accounts.checks import every_route
from budgeteer.reports import services
from budgeteer.reports.document import dump, pack_bytes
from budgeteer.reports.models import Content, Report, new_token
from budgeteer.reports.sharing.password import hashed
from budgeteer.reports.snapshot import public_copy
from tests import people
from tests.accounts.matrix import HOLDERS, LINKS
from tests.reports.documents import sample_document

PASSWORD = "seven grey trawlers"


def make_report(content: str, **columns: object) -> Report:
    document = public_copy(sample_document(), content=content, message_texts=())
    owner = User.objects.filter(username="ada").first() or people.editor("ada")
    return Report.objects.create(
        owner=owner,
        content=content,
        document=pack_bytes(dump(document)),
        frozen_at=timezone.now(),
        embed_on="" if columns.get("password") else "https://wiki.harbour.org",
        **{"expires_at": timezone.now() + timedelta(days=7), **columns},
    )


def tokens_of(content: str) -> dict[str, str]:
    """The token that each holder has."""
    revoked = make_report(content)
    tokens = {
        "open": make_report(content).token,
        "expired": make_report(content, expires_at=timezone.now() - timedelta(seconds=1)).token,
        "revoked": revoked.token,
        "unknown": new_token(),
        **{name: make_report(content, password=hashed(PASSWORD)).token for name in HOLDERS if "password" in name},
    }
    services.revoke(revoked)
    return tokens


def test_every_url_under_a_link_has_a_row_and_every_row_a_url() -> None:
    assert {route.name for route in every_route() if route.path.startswith("r/<")} == set(LINKS)


@pytest.mark.django_db
@pytest.mark.parametrize("content", [Content.REDACTED, Content.FULL])
def test_every_url_answers_every_holder_of_a_link_as_the_table_says(content: str) -> None:
    tokens = tokens_of(content)
    typed = {"wrong password": "wrong", "right password": PASSWORD}
    differences = []
    for holder_at, holder in enumerate(HOLDERS):
        client = Client()
        if holder in typed:
            client.post(reverse("reports:unlock", args=(tokens[holder],)), {"password": typed[holder]})
        for name, row in LINKS.items():
            address = reverse(name, args=(tokens[holder],))
            told = {"password": typed.get(holder, "")}
            got = (client.get(address).status_code, client.post(address, told).status_code)
            wanted = (row.get[holder_at], row.post[holder_at])
            if got != wanted:
                differences.append(f"{address} ({name}) for {holder}: {got}, not {wanted}")
    assert differences == []


@pytest.mark.django_db
def test_a_report_of_numbers_answers_the_same_but_for_its_prompt() -> None:
    token = make_report(Content.NUMBERS).token
    got = {name: Client().get(reverse(name, args=(token,))).status_code for name in LINKS}
    prompts = {"reports:prompt": 404, "reports:prompt_file": 404}
    assert got == {**{name: row.get[0] for name, row in LINKS.items()}, **prompts}
