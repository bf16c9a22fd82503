"""Whoever is signed in sees where, and ends what they do not know; a session's key is told to nobody."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.sessions.models import Session
from django.test import Client
from django.utils import timezone

from budgeteer.accounts.sessions.browsers import browser_words
from budgeteer.accounts.sessions.services import end_session, end_sessions, sessions_of
from tests import people

pytestmark = pytest.mark.django_db
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0"
PHONE = (
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) "
    "Version/18.5 Mobile/15E148 Safari/604.1"
)
PAGE = "/account/sessions/"


def signed_in(user, agent: str = FIREFOX) -> Client:
    client = Client(SERVER_NAME="localhost", headers={"User-Agent": agent})
    client.force_login(user)
    session = client.session  # force_login makes a request of its own, without headers
    session["user_agent"] = agent
    session.save()
    return client


def is_signed_in(client: Client) -> bool:
    return client.get(PAGE).status_code == 200


def test_the_page_names_each_session_and_this_one_and_shows_no_key():
    ada, bo = people.editor("ada"), people.editor("bo")
    here, phone, strange = signed_in(ada), signed_in(ada, PHONE), signed_in(bo)
    page = here.get(PAGE).content.decode()
    assert page.count("Firefox on Linux") == 1
    assert page.count("Mobile Safari on iOS") == 2  # its name, and that of its button
    assert page.index("Firefox on Linux") < page.index("Mobile Safari on iOS")
    assert page.count("This session") == 1
    for client in (here, phone, strange):
        assert client.session.session_key not in page
    assert "Firefox on Linux" in strange.get(PAGE).content.decode()


def test_one_session_is_ended_and_the_others_stay():
    ada = people.editor("ada")
    here, phone, office = signed_in(ada), signed_in(ada, PHONE), signed_in(ada)
    (mark,) = [
        one.mark
        for one in sessions_of(ada, this=here.session.session_key)
        if one.user_agent == PHONE and not one.is_this
    ]
    assert here.post(f"{PAGE}end/", {"session": mark}).status_code == 302
    assert [is_signed_in(client) for client in (here, phone, office)] == [True, False, True]
    again = here.post(f"{PAGE}end/", {"session": mark}, follow=True)
    assert "had ended already" in again.content.decode()


def test_all_others_are_ended_at_once_and_nobody_elses():
    ada, bo = people.editor("ada"), people.editor("bo")
    here, phone, strange = signed_in(ada), signed_in(ada, PHONE), signed_in(bo)
    answer = here.post(f"{PAGE}end-others/", follow=True)
    assert "1 other session was ended" in answer.content.decode()
    assert [is_signed_in(client) for client in (here, phone, strange)] == [True, False, True]


def test_the_mark_of_somebody_elses_session_ends_nothing():
    ada, bo = people.editor("ada"), people.editor("bo")
    strange = signed_in(bo)
    (theirs,) = sessions_of(bo, this=None)
    assert not end_session(ada, theirs.mark)
    signed_in(ada).post(f"{PAGE}end/", {"session": theirs.mark})
    assert is_signed_in(strange)


def test_a_session_that_has_expired_or_is_from_before_is_no_trouble():
    ada = people.editor("ada")
    here, old, expired = signed_in(ada), signed_in(ada), signed_in(ada, PHONE)
    session = old.session
    del session["signed_in_at"], session["user_agent"]
    session.save()
    Session.objects.filter(pk=expired.session.session_key).update(expire_date=timezone.now() - timedelta(days=1))
    page = here.get(PAGE).content.decode()
    assert "Unknown browser" in page
    assert "iOS" not in page
    assert end_sessions(ada, besides=here.session.session_key) == 1, "one that worked ended"
    assert [one.pk for one in Session.objects.all()] == [here.session.session_key], "and the expired one is gone too"


def test_a_browser_is_noted_when_somebody_signs_in():
    ada = people.editor("ada")
    ada.set_password("a long way to the harbour 7")
    ada.save()
    client = Client(SERVER_NAME="localhost", headers={"User-Agent": PHONE})
    client.post("/sign-in/", {"username": "ada", "password": "a long way to the harbour 7"})
    (one,) = sessions_of(ada, this=client.session.session_key)
    assert (one.user_agent, one.is_this) == (PHONE, True)
    assert one.signed_in_at is not None


@pytest.mark.parametrize(
    ("agent", "words"),
    [
        (FIREFOX, "Firefox on Linux"),
        (PHONE, "Mobile Safari on iOS"),
        ("", "Unknown browser"),
        ("\x00<script>alert(1)</script>" * 50, "Unknown browser"),
        ("curl/8.5.0", "curl"),
    ],
)
def test_what_a_browser_says_it_is_becomes_words(agent: str, words: str):
    assert browser_words(agent) == words
