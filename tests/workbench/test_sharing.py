"""A workspace that is shared with the team: who may look, what they cannot do, and the copy."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.test import Client

from budgeteer.accounts.rules import Role, set_role
from budgeteer.engine.profiles import PROFILES
from budgeteer.sources.models import Source
from budgeteer.workbench import services, sharing, steps
from budgeteer.workbench.models import Workspace
from tests import people
from tests.workbench.pages import text_of

EXPORTS = (*PROFILES, "text", "packing", "config", "delta", "skills-budget")


@pytest.fixture(autouse=True)
def _team(settings: object) -> None:
    settings.BUDGETEER_MODE = "team"  # type: ignore[attr-defined]


@pytest.fixture
def shared(session: Workspace) -> Workspace:
    sharing.share_with_team(session, wanted=True)
    return session


def signed_in(user: User) -> Client:
    client = Client(SERVER_NAME="localhost")
    client.force_login(user)
    return client


@pytest.fixture
def reader(db: None) -> User:
    return people.viewer("vera", first_name="Vera")


def main_of(page: str) -> str:
    """The page between its header's menu and its end, without the chrome every page has."""
    return page[page.index('<main id="main"') : page.index("</main>")]


def test_a_workspace_is_private_until_its_owner_shares_it(client: Client, session: Workspace, reader: User) -> None:
    address = session.get_absolute_url()
    assert signed_in(reader).get(address).status_code == 404
    assert "Share with the team" in client.get(address).content.decode()
    client.post(f"{address}team/", {"shared": "on"})
    assert signed_in(reader).get(address).status_code == 200
    page = client.get(address).content.decode()
    assert "Stop sharing with the team" in page
    assert 'id="team-chip"' in page
    client.post(f"{address}team/", {"shared": "off"})
    assert signed_in(reader).get(address).status_code == 404


@pytest.mark.parametrize("view", ["map", "prompt", "config"])
def test_whoever_looks_finds_the_same_figures_and_nothing_to_press(
    client: Client, shared: Workspace, reader: User, view: str
) -> None:
    address = f"{shared.get_absolute_url()}?view={view}"
    own, theirs = (each.get(address).content.decode() for each in (client, signed_in(reader)))
    assert text_of(own, "verdict") == text_of(theirs, "verdict")
    assert "ada’s workspace; you are looking." in text_of(theirs, "looking")
    main = main_of(theirs)
    assert 'method="post" action' in main_of(own)
    assert re.findall(r"hx-post=", main) == []
    assert [form for form in re.findall(r"<form[^>]*>", main) if "post" in form and "config-form" not in form] == []
    assert '<fieldset class="all" disabled>' in main
    assert re.findall(r'<button[^>]*type="submit"[^>]*>(?!Filter)', main) == []
    assert "/share/" not in theirs
    assert "Delete this workspace" not in theirs
    assert "/sources/" not in main


def test_the_inspector_shows_a_policy_and_offers_none(library: Workspace, reader: User, client: Client) -> None:
    sharing.share_with_team(library, wanted=True)
    link = re.search(
        r'class="plain" href="(\?[^"#]*sel=[^"#]*)', client.get(library.get_absolute_url()).content.decode()
    )
    assert link is not None
    address = library.get_absolute_url() + link[1].replace("&amp;", "&")
    assert 'name="policy"' in client.get(address).content.decode()
    page = signed_in(reader).get(address).content.decode()
    assert 'name="policy"' not in page
    assert "Policy for this skill" in page
    assert 'id="pin"' not in page


@pytest.mark.parametrize("what", EXPORTS)
def test_whoever_looks_may_download_what_the_owner_may(
    client: Client, shared: Workspace, reader: User, what: str
) -> None:
    address = f"{shared.get_absolute_url()}export/{what}/"
    own, theirs = client.get(address), signed_in(reader).get(address)
    assert theirs.status_code == 200
    assert theirs.content == own.content


@pytest.mark.parametrize(
    "act", ["config/", "undo/", "redo/", "item/", "texts/", "sources/", "rename/", "delete/", "team/", "publish/"]
)
def test_nobody_but_the_owner_changes_a_shared_workspace(shared: Workspace, other: User, act: str) -> None:
    before = Workspace.objects.values().get(pk=shared.pk)
    assert signed_in(other).post(f"{shared.get_absolute_url()}{act}", {"name": "mine"}).status_code == 404
    assert Workspace.objects.values().get(pk=shared.pk) == before


def test_the_sources_of_a_shared_workspace_stay_private(shared: Workspace, other: User) -> None:
    for link in shared.links.all():
        for part in ("", "raw/", "skipped/"):
            assert signed_in(other).get(f"{link.source.get_absolute_url()}{part}").status_code == 404


def test_lists_name_who_shares(client: Client, shared: Workspace, reader: User, owner: User) -> None:
    User.objects.filter(pk=owner.pk).update(first_name="Ada", last_name="Lovelace")
    for address in ("/", "/w/"):
        theirs = signed_in(reader).get(address).content.decode()
        assert "shared by Ada Lovelace" in theirs
        assert shared.get_absolute_url() in theirs
        assert "shared with the team" in client.get(address).content.decode()
    assert "No shared workspace is called" in signed_in(reader).get("/w/?q=nothing").content.decode()


def test_a_deleted_workspace_is_shared_no_more(client: Client, shared: Workspace, reader: User) -> None:
    client.post(f"{shared.get_absolute_url()}delete/")
    assert signed_in(reader).get(shared.get_absolute_url()).status_code == 404
    assert shared.name not in signed_in(reader).get("/").content.decode()


def test_local_mode_shares_with_nobody(settings: object, client: Client, shared: Workspace, other: User) -> None:
    settings.BUDGETEER_MODE = "local"  # type: ignore[attr-defined]
    assert signed_in(other).get(shared.get_absolute_url()).status_code == 404
    page = client.get(shared.get_absolute_url()).content.decode()
    assert "with the team" not in page
    assert "with the team" not in client.get("/").content.decode()
    assert client.post(f"{shared.get_absolute_url()}team/", {"shared": "on"}).status_code == 404


def test_an_editor_makes_a_copy_with_sources_of_their_own(
    client: Client, shared: Workspace, other: User, run_jobs: Callable[[], None]
) -> None:
    steps.commit(shared, {"history": {"strategy": "newestFirst"}})
    services.write_texts(shared, {"query": "What now?"})
    verdict = text_of(client.get(shared.get_absolute_url()).content.decode(), "verdict")
    theirs = signed_in(other)
    answer = theirs.post(f"{shared.get_absolute_url()}copy/")
    run_jobs()
    copy = Workspace.objects.get(owner=other)
    assert answer["Location"] == copy.get_absolute_url()
    assert (copy.config_delta, copy.query_text, copy.preset_slug) == (
        shared.config_delta,
        "What now?",
        shared.preset_slug,
    )
    assert not copy.shared_with_team
    assert {link.source.owner_id for link in copy.links.all()} == {other.pk}
    page = theirs.get(copy.get_absolute_url()).content.decode()
    assert text_of(page, "verdict") == verdict
    assert 'id="looking"' not in page
    stored = set(Source.objects.values_list("upload", flat=True))
    assert len(stored) == 2 * shared.links.count()


def test_a_copy_uses_bytes_that_are_there_already(shared: Workspace, other: User, run_jobs: Callable[[], None]) -> None:
    first = sharing.copy_for(other, shared)
    run_jobs()
    again = sharing.copy_for(other, shared)
    assert [link.source_id for link in again.links.all()] == [link.source_id for link in first.links.all()]
    assert Source.objects.filter(owner=other).count() == shared.links.count()


def test_a_copy_that_is_too_large_by_now_is_refused_with_a_sentence(
    settings: object, shared: Workspace, other: User
) -> None:
    settings.UPLOAD_MAX_BYTES = 10  # type: ignore[attr-defined]
    page = signed_in(other).post(f"{shared.get_absolute_url()}copy/", follow=True).content.decode()
    assert "It cannot be copied" in page
    assert not Workspace.objects.filter(owner=other).exists()


def test_a_viewer_is_offered_no_copy_and_told_who_can_help(shared: Workspace, reader: User) -> None:
    theirs = signed_in(reader)
    page = theirs.get(shared.get_absolute_url()).content.decode()
    assert "ask an administrator to make you an editor" in text_of(page, "looking")
    assert 'id="copy"' not in page
    assert theirs.post(f"{shared.get_absolute_url()}copy/").status_code == 403


def test_an_owner_who_became_a_viewer_looks_at_their_own_work(client: Client, session: Workspace, owner: User) -> None:
    set_role(owner, Role.VIEWER)
    page = client.get(session.get_absolute_url()).content.decode()
    assert "your account is a viewer now" in text_of(page, "looking")
    assert '<fieldset class="all" disabled>' in page
    link = session.links.select_related("source").get() if session.links.count() == 1 else session.links.all()[0]
    assert link.source.get_absolute_url() in page
    for address in ("/", "/w/", "/sources/", link.source.get_absolute_url(), "/reports/"):
        main = main_of(client.get(address).content.decode())
        assert 'method="post"' not in main, address


def test_a_workspace_whose_sources_are_still_read_looks_again_by_itself(importing: Workspace, reader: User) -> None:
    sharing.share_with_team(importing, wanted=True)
    answer = signed_in(reader).get(importing.get_absolute_url())
    assert answer["Refresh"] == "3"
    assert "/jobs/" not in answer.content.decode()
