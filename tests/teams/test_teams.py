"""Teams: who manages one, what joining and leaving opens and ends, and that a team keeps an owner."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client
from structlog.testing import capture_logs

from budgeteer.access.audit import SecurityEvent
from budgeteer.access.rules import AccountRole, set_role
from budgeteer.accounts.throttling import USER_NAMES
from budgeteer.collections import services as collections
from budgeteer.collections import views as collection_views
from budgeteer.personal_data.services import close_for_deletion
from budgeteer.teams import services, views
from budgeteer.teams.models import Team, TeamMembership
from budgeteer.teams.sharing import EVERYONE, audience_named, audience_of, audiences_of
from budgeteer.workbench import services as workbench
from budgeteer.workbench.models import Workspace
from budgeteer.workbench.team import sharing
from budgeteer.workbench.views import page as page_views
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


def test_names_that_nobody_has_are_tried_so_often_and_right_ones_as_often_as_one_likes(office: Team, ada: User) -> None:
    client, address = signed_in(ada), f"{office.get_absolute_url()}add/"
    for number in range(USER_NAMES - 1):
        assert client.post(address, {"username": f"nobody-{number}"}).status_code == 422
    for name in ("carl", "dora", "erin"):
        User.objects.create_user(name)
        assert client.post(address, {"username": name}).status_code == 302
    assert client.post(address, {"username": "nobody"}).status_code == 422
    refused = client.post(address, {"username": "vera"})
    assert refused.status_code == 429
    assert int(refused["Retry-After"]) > 0
    assert "Too many user names that no account has. Wait " in refused.content.decode()
    assert not office.memberships.filter(user__username="vera").exists()


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
    for name in ("harbour OFFICE", "Everyone", "  everyone ", "every\u200bone", "\u202eeveryone", "\u200b \u2060"):
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


def test_a_right_that_outlived_the_role_manages_no_team(office: Team) -> None:
    """Somebody who was staff with a right of their own is a viewer again: the right stays on the account."""
    vera = people.viewer("vera")
    vera.user_permissions.add(Permission.objects.get(codename="change_team"))
    vera = User.objects.get(pk=vera.pk)
    assert signed_in(vera).get(office.get_absolute_url()).status_code == 404
    assert signed_in(vera).post(f"{office.get_absolute_url()}add/", {"username": "vera"}).status_code == 404
    assert "Harbour office" not in signed_in(vera).get("/account/teams/").content.decode()
    set_role(vera, AccountRole.ADMIN)
    assert signed_in(vera).get(office.get_absolute_url()).status_code == 200


def test_who_lost_the_team_between_the_page_and_the_lock_changes_nothing(office: Team, ada: User, bob: User) -> None:
    """Two owners remove each other at once: whoever is second manages nothing any more."""
    services.set_role(membership(office, bob), "owner", by=ada)
    vera = services.add(office, people.viewer("vera").username, by=ada)
    services.remove(membership(office, ada), by=bob)
    for late in (
        lambda: services.add(office, "ada", by=ada),
        lambda: services.set_role(vera, "owner", by=ada),
        lambda: services.remove(vera, by=ada),
    ):
        with pytest.raises(services.ChangedMeanwhile, match="you no longer own this team"):
            late()
    assert sorted(office.memberships.values_list("user__username", flat=True)) == ["bob", "vera"]


@pytest.mark.parametrize("gone", ["the member", "the team"])
def test_what_is_gone_by_the_time_of_the_lock_is_said_on_a_page(
    gone: str, office: Team, ada: User, bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    client, address, found = signed_in(ada), office.get_absolute_url(), views._member

    def found_before(team: Team, membership_id: int) -> TeamMembership:
        member = found(team, membership_id)
        if gone == "the team":
            Team.objects.get(pk=team.pk).delete()
        else:
            TeamMembership.objects.filter(pk=member.pk).delete()
        return member

    monkeypatch.setattr(views, "_member", found_before)
    bobs = membership(office, bob)
    answer = client.post(f"{address}members/{bobs.pk}/role/", {"role": "owner"}, follow=True)
    assert answer.status_code == (404 if gone == "the team" else 200)
    if gone == "the member":
        assert "no longer in the team" in answer.content.decode()


@pytest.mark.parametrize("ends", ["the team", "the membership"])
def test_nothing_is_shared_through_a_membership_that_has_ended_meanwhile(
    ends: str, shared: Workspace, office: Team, bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada = shared.owner
    sharing.share(shared, None)
    through = audience_named(ada, str(office.pk))
    collection = collections.create(ada, name="Talks", members=[])
    if ends == "the team":
        services.delete(office, by=ada)
    else:
        services.set_role(membership(office, bob), "owner", by=ada)
        services.remove(membership(office, ada), by=ada)
    for module, row in ((page_views, shared), (collection_views, collection)):
        monkeypatch.setattr(module, "audience_named", lambda *_: through)
        answer = signed_in(ada).post(f"{row.get_absolute_url()}team/", {"shared": "on", "team": "1"}, follow=True)
        assert "you are no longer in this team" in answer.content.decode()
        row.refresh_from_db()
        assert audience_of(row) is None


def test_names_and_numbers_of_any_kind_are_refused_or_shown_as_text(office: Team, ada: User) -> None:
    client, address = signed_in(ada), office.get_absolute_url()
    for number in (2**63, 10**40, 0):
        assert client.get(f"/account/teams/{number}/").status_code == 404
        assert client.post(f"{address}members/{number}/remove/").status_code == 404
    for odd in ("<b>x</b>", "\u202ebob", "a" * 5_000, "\ud800", "bob\r\nX-Odd: 1"):
        answer = client.post(f"{address}add/", {"username": odd.encode("utf-8", "replace").decode()})
        assert answer.status_code == 422
        assert "<b>x</b>" not in answer.content.decode()
    root = signed_in(people.admin("root"))
    root.post("/admin/teams/team/add/", {"name": "<i>Quay</i>\r\nSet-Cookie: a=b", "owner": ada.pk})
    made = Team.objects.get(name__startswith="<i>")
    assert made.name == "<i>Quay</i> Set-Cookie: a=b"
    workspace = workbench.open_with_sources(ada, [], name="Berth")
    sharing.share(workspace, audience_named(ada, str(made.pk)))
    for place in ("/account/teams/", made.get_absolute_url(), workspace.get_absolute_url(), "/w/"):
        assert "<i>Quay" not in client.get(place).content.decode(), place
    for place in ("", f"{made.pk}/change/", f"{made.pk}/delete/", f"{made.pk}/history/"):
        assert "<i>Quay" not in root.get(f"/admin/teams/team/{place}").content.decode(), place


def test_a_form_of_a_team_takes_no_get_and_no_members_of_another(office: Team, ada: User, bob: User) -> None:
    sven = people.editor("sven")
    pilots = Team(name="Pilots")
    services.create(pilots, owner=sven, by=sven)
    client = signed_in(ada)
    for ending in ("role/", "remove/"):
        there = f"{office.get_absolute_url()}members/{membership(pilots, sven).pk}/{ending}"
        assert client.post(there, {"role": "member"}).status_code == 404
        assert client.get(there).status_code == 405
    assert membership(pilots, sven).is_owner
    checked = Client(SERVER_NAME="localhost", enforce_csrf_checks=True)
    checked.force_login(ada)
    assert checked.post(f"{office.get_absolute_url()}add/", {"username": "sven"}).status_code == 403
    address = f"{office.get_absolute_url()}members/{membership(office, bob).pk}/role/"
    client.post(address, {"role": "administrator", "team": pilots.pk, "user": sven.pk, "is_staff": "1"})
    assert (membership(office, bob).role, pilots.memberships.count()) == ("member", 1)
