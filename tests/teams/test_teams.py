"""Teams: who manages one, what joining and leaving opens and ends, and that a team keeps an owner."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client
from structlog.testing import capture_logs

from budgeteer.access.audit import SecurityEvent
from budgeteer.collections import services as collections
from budgeteer.personal_data.services import close_for_deletion
from budgeteer.teams import services
from budgeteer.teams.models import Team, TeamMembership
from budgeteer.teams.sharing import EVERYONE, audience_named, audience_of, audiences_of
from budgeteer.workbench import services as workbench
from budgeteer.workbench.models import Workspace
from budgeteer.workbench.team import sharing
from tests import people


@pytest.fixture(autouse=True)
def _team_mode(settings: object) -> None:
    settings.BUDGETEER_MODE = "team"  # type: ignore[attr-defined]


@pytest.fixture
def ada(db: None) -> User:
    return people.editor("ada")


@pytest.fixture
def bob(db: None) -> User:
    return people.viewer("bob")


@pytest.fixture
def office(ada: User, bob: User) -> Team:
    team = Team(name="Harbour office")
    services.create(team, owner=ada, by=ada)
    services.add(team, "bob", by=ada)
    return team


@pytest.fixture
def shared(ada: User, office: Team) -> Workspace:
    workspace = workbench.open_with_sources(ada, [], name="Quay")
    sharing.share(workspace, audience_named(ada, str(office.pk)))
    return workspace


def signed_in(user: User) -> Client:
    client = Client(SERVER_NAME="localhost")
    client.force_login(user)
    return client


def membership(team: Team, user: User) -> TeamMembership:
    return team.memberships.get(user=user)


def sees(user: User, workspace: Workspace) -> bool:
    """Whether it is there for the user, by its address and in the lists of their pages alike."""
    client = signed_in(user)
    there = client.get(workspace.get_absolute_url()).status_code == 200
    for address in ("/", "/w/"):
        assert (workspace.name in client.get(address).content.decode()) == there, address
    return there


def test_whoever_leaves_sees_nothing_any_more_and_whoever_joins_does(
    shared: Workspace, office: Team, bob: User
) -> None:
    assert sees(bob, shared)
    assert "shared by ada with Harbour office" in signed_in(bob).get("/w/").content.decode()
    mine = membership(office, bob)
    answer = signed_in(bob).post(f"/account/teams/{office.pk}/members/{mine.pk}/remove/")
    assert answer["Location"] == "/account/teams/"
    assert not sees(bob, shared)


def test_what_one_shared_with_a_team_is_private_once_one_has_left_and_after_coming_back(
    shared: Workspace, office: Team, ada: User, bob: User
) -> None:
    collection = collections.create(ada, name="Talks", members=[])
    collections.share(collection, audience_named(ada, str(office.pk)))
    services.set_role(membership(office, bob), "owner", by=ada)
    services.remove(membership(office, ada), by=bob)
    services.add(office, "ada", by=bob)
    for row in (shared, collection):
        row.refresh_from_db()
        assert audience_of(row) is None
    assert not sees(bob, shared)


@pytest.mark.parametrize("ends", ["the team", "the account"])
def test_sharing_ends_with_the_team_and_with_the_account(
    ends: str, shared: Workspace, office: Team, ada: User, bob: User
) -> None:
    if ends == "the team":
        services.delete(office, by=ada)
    else:
        close_for_deletion(ada)
        assert not TeamMembership.objects.filter(user=ada).exists()
    assert Workspace.objects.get(pk=shared.pk).shared_through is None
    assert not sees(bob, shared)


def test_one_shares_with_everyone_or_with_a_team_of_ones_own_and_with_no_other(
    shared: Workspace, office: Team, ada: User
) -> None:
    client, address = signed_in(ada), shared.get_absolute_url()
    other = Team(name="Pilots")
    services.create(other, owner=people.editor("sven"), by=ada)
    for team in (str(other.pk), "9999", "none"):
        assert client.post(f"{address}team/", {"shared": "on", "team": team}).status_code == 404
    client.post(f"{address}team/", {"shared": "off"})
    page = client.get(address).content.decode()
    assert f'<option value="{office.pk}">Harbour office</option>' in page
    assert "Pilots" not in page
    client.post(f"{address}team/", {"shared": "on", "team": str(office.pk)})
    assert "Stop sharing with Harbour office" in client.get(address).content.decode()
    client.post(f"{address}team/", {"shared": "on"})
    shared.refresh_from_db()
    assert audience_of(shared) == EVERYONE
    assert shared.shared_through is None


def test_what_an_earlier_version_writes_means_what_it_meant(shared: Workspace) -> None:
    """It knows the boolean alone: what it shares everyone sees, whatever else the row says, and lists it once."""
    Workspace.objects.filter(pk=shared.pk).update(shared_with_team=True)
    eve = people.viewer("eve")
    assert [row.pk for row in sharing.shared_with(eve)] == [shared.pk]
    assert sees(eve, shared)


def test_an_owner_manages_members_without_being_an_editor(office: Team, ada: User, bob: User) -> None:
    people.viewer("vera")
    with capture_logs() as lines:
        services.set_role(membership(office, bob), "owner", by=ada)
        client, address = signed_in(bob), office.get_absolute_url()
        assert client.post(f"{address}add/", {"username": "vera"}).status_code == 302
        vera = office.memberships.get(user__username="vera")
        client.post(f"{address}members/{vera.pk}/role/", {"role": "owner"})
        assert "vera is an owner now." in client.get(address).content.decode()
        client.post(f"{address}members/{vera.pk}/remove/")
    assert not office.memberships.filter(user__username="vera").exists()
    told = [line["event"] for line in lines if str(line["event"]).startswith("team ")]
    assert told == [
        SecurityEvent.TEAM_ROLE_SET,
        SecurityEvent.TEAM_MEMBER_ADDED,
        SecurityEvent.TEAM_ROLE_SET,
        SecurityEvent.TEAM_MEMBER_REMOVED,
    ]


def test_who_cannot_be_added_is_said_in_the_form(office: Team, ada: User) -> None:
    User.objects.create_user("closed", is_active=False)
    for name, said in (
        ("nobody", "no open account"),
        ("closed", "no open account"),
        ("a\0b", "no open"),
        ("bob", "already"),
    ):
        answer = signed_in(ada).post(f"{office.get_absolute_url()}add/", {"username": name})
        assert answer.status_code == 422
        assert said in answer.content.decode()


def test_a_team_keeps_an_owner_whose_account_is_open(office: Team, ada: User, bob: User) -> None:
    last = membership(office, ada)
    for refused in (lambda: services.remove(last, by=ada), lambda: services.set_role(last, "member", by=ada)):
        with pytest.raises(services.LastOwner):
            refused()
    client = signed_in(ada)
    page = client.post(f"{office.get_absolute_url()}members/{last.pk}/remove/", follow=True).content.decode()
    assert "Make somebody else an owner first" in page
    services.set_role(membership(office, bob), "owner", by=ada)
    User.objects.filter(pk=bob.pk).update(is_active=False)
    with pytest.raises(services.LastOwner):
        services.remove(last, by=ada)


def test_an_administrator_makes_teams_with_names_that_differ_and_sees_nothing_through_them(
    shared: Workspace, office: Team, ada: User
) -> None:
    root = people.admin("root")
    client = signed_in(root)
    for name in ("harbour OFFICE", "Everyone", "  everyone "):
        answer = client.post("/admin/teams/team/add/", {"name": name, "owner": ada.pk})
        assert answer.status_code == 200, name
    client.post("/admin/teams/team/add/", {"name": "Pilots", "owner": ada.pk})
    pilots = Team.objects.get(name="Pilots")
    assert membership(pilots, ada).is_owner
    client.post(f"/admin/teams/team/{pilots.pk}/change/", {"name": "Sea pilots"})
    assert "Sea pilots" in client.get("/account/teams/").content.decode()
    client.post(f"/admin/teams/team/{pilots.pk}/delete/", {"post": "yes"})
    assert not Team.objects.filter(pk=pilots.pk).exists()
    assert client.get(office.get_absolute_url()).status_code == 200
    assert not sees(root, shared)


def test_local_mode_has_no_teams(settings: object, office: Team, shared: Workspace, ada: User, bob: User) -> None:
    settings.BUDGETEER_MODE = "local"  # type: ignore[attr-defined]
    assert audiences_of(ada) == ()
    for address in ("/account/teams/", office.get_absolute_url()):
        assert signed_in(ada).get(address).status_code == 404
    assert "/account/teams/" not in signed_in(ada).get("/").content.decode()
    assert not sees(bob, shared)
