"""Deletion that deletes: rows, files and words are gone, others' stay, and a killed worker leaves nothing behind."""

from __future__ import annotations

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.test import Client
from structlog.testing import capture_logs

from budgeteer.access.audit import SecurityEvent
from budgeteer.accounts.change_letters import AccountChange
from budgeteer.jobs.context import JobContext
from budgeteer.jobs.execution import execute
from budgeteer.jobs.models import Job
from budgeteer.personal_data import deletion, services, tasks
from budgeteer.presets.models import PresetVersion
from budgeteer.sources import services as sources
from budgeteer.sources.models import Source
from budgeteer.workbench.models import Workspace
from tests.accounts.test_password_links import Letters, letters  # noqa: F401 - a fixture
from tests.people import viewer
from tests.personal_data.holdings import PASSWORD, all_values, rows_of, stored, work

KEPT = {"presets.PresetVersion"}
"""What stays of somebody who is gone, without their name."""


def ask(client: Client, *, name: str = "ada-quillfeather", password: str = PASSWORD) -> int:
    return client.post("/account/data/delete/", {"name": name, "password": password}).status_code


def deletion_job() -> Job:
    return Job.objects.get(kind="personal_data.delete")


def test_the_account_is_closed_at_once(two) -> None:
    ada, bob = two
    client, elsewhere = ada.client(), ada.client()
    link = f"/r/{ada.report.token}/"
    assert Client().get(link).status_code == 200
    token = ada.user.access_tokens.get()
    with capture_logs() as lines:
        assert ask(client) == 302
    assert {"event": SecurityEvent.ACCOUNT_DELETION_ASKED, "account": ada.user.pk, "log_level": "info"} in lines
    assert not User.objects.get(pk=ada.user.pk).is_active
    assert client.get("/account/data/").status_code == elsewhere.get("/account/data/").status_code == 302
    assert Client().get(link).status_code == 404
    token.refresh_from_db()
    assert token.revoked_at is not None
    shared = Workspace.objects.get(owner=ada.user)
    assert bob.client().get(shared.get_absolute_url()).status_code == 404
    assert "Your account is closed" in client.get("/sign-in/").content.decode()


def test_nothing_of_the_person_stays_and_everything_of_others_does(two) -> None:
    ada, bob = two
    before, others = rows_of(ada.user), rows_of(bob.user)
    assert [label for label, keys in before.items() if not keys] == [], "no example of these"
    files = stored()
    mine = {name for name, content in files.items() if ada.word.encode() in content}
    assert mine
    assert ask(ada.client()) == 302
    work()
    assert deletion_job().state == "succeeded"
    left = {
        label: keys
        for label, keys in before.items()
        if apps.get_model(label)._base_manager.filter(pk__in=keys).exists()
    }
    assert set(left) == KEPT
    versions = PresetVersion.objects.filter(pk__in=before["presets.PresetVersion"])
    assert set(versions.values_list("author", flat=True)) == {None}
    assert [(label, row) for label, row in all_values() if ada.word in row] == []
    assert not any(s.get_decoded().get("_auth_user_id") == str(ada.user.pk) for s in Session.objects.all())
    now = stored()
    assert not any(ada.word.encode() in content for content in now.values())
    folders = {str(key) for label in ("sources.Source", "collections.Collection") for key in others[label]}
    other_files = {name for name, content in files.items() if bob.word.encode() in content}
    other_files |= {name for name in files if folders & set(name.split("/"))}
    assert other_files <= set(now)
    of_admin = {"admin.LogEntry"}  # the admin's history of the account that is gone
    after = rows_of(bob.user)
    assert {label: keys for label, keys in after.items() if label not in of_admin} == {
        label: keys for label, keys in others.items() if label not in of_admin
    }
    assert Client().get(f"/r/{ada.report.token}/").status_code == 404
    assert Client().get(f"/r/{bob.report.token}/").status_code == 200
    leftover = set(now) - set(files)
    assert leftover == set()


@pytest.mark.parametrize("after", [0, 1, 3, 6, 9, 12])
@pytest.mark.parametrize("where", ["before", "behind"])
def test_a_worker_killed_anywhere_leaves_nothing_behind(two, monkeypatch, after: int, where: str) -> None:
    ada, _bob = two
    ask(ada.client())
    job = deletion_job()
    seen = 0
    delete = deletion.default_storage.delete

    def killed(name: str) -> None:
        nonlocal seen
        seen += 1
        if where == "behind":
            delete(name)
        if seen > after:
            raise SystemExit
        if where == "before":
            delete(name)

    monkeypatch.setattr(deletion.default_storage, "delete", killed)
    try:
        execute(job.id, job.attempt)
    except SystemExit:
        assert User.objects.filter(pk=ada.user.pk).exists()
    monkeypatch.undo()
    Job.objects.filter(pk=job.pk, state="running").requeue()
    work()
    assert not User.objects.filter(pk=ada.user.pk).exists()
    assert not any(ada.word.encode() in content for content in stored().values())


def test_what_a_request_under_way_stored_goes_too(two, monkeypatch) -> None:
    ada, _bob = two
    ask(ada.client())
    parts = deletion._delete_parts
    late: list[Source] = []

    def and_an_upload(context: JobContext, user: User) -> None:
        parts(context, user)
        if not late:
            with context.committing():  # as the watch over jobs wants it; a request needs no claim
                late.append(sources.receive_paste(user, text="User: a late quillfeather"))

    monkeypatch.setattr(deletion, "_delete_parts", and_an_upload)
    work_all()
    assert late
    assert not User.objects.filter(pk=ada.user.pk).exists()
    assert not any(b"quillfeather" in content for content in stored().values())


def work_all() -> None:
    """The deletion; what was asked for meanwhile goes with the account."""
    job = deletion_job()
    execute(job.id, job.attempt)
    job.refresh_from_db()
    assert job.state == "succeeded", job.error


def test_a_second_deletion_finds_nothing_to_do(two) -> None:
    ada, _bob = two
    ask(ada.client())
    work()
    Job.objects.filter(kind=services.JOB).update(state="failed")
    assert tasks.delete_again(None) == 0  # type: ignore[arg-type]
    Job.objects.filter(kind=services.JOB).requeue()
    work()
    assert deletion_job().result == {"account": ada.user.pk}


def test_a_deletion_that_failed_is_tried_again(two) -> None:
    ada, _bob = two
    ask(ada.client())
    Job.objects.filter(kind=services.JOB).update(state="failed")
    assert tasks.delete_again(None) == 1  # type: ignore[arg-type]
    work()
    assert not User.objects.filter(pk=ada.user.pk).exists()


@pytest.mark.parametrize("wrong", [{"password": "no"}, {"name": "bob-marlinspike"}, {"name": ""}])
def test_a_wrong_password_or_name_changes_nothing(two, wrong: dict[str, str]) -> None:
    ada, _bob = two
    client = ada.client()
    before = rows_of(ada.user)
    assert ask(client, **wrong) == 422
    assert rows_of(ada.user) == before
    assert client.get("/account/data/").status_code == 200
    assert not Job.objects.filter(kind=services.JOB).exists()


def test_the_password_is_counted(two, settings) -> None:
    ada, _bob = two
    settings.SIGN_IN_TRIES = 2
    client = ada.client()
    assert [ask(client, password="no"), ask(client, password="no"), ask(client)] == [422, 422, 429]
    assert User.objects.get(pk=ada.user.pk).is_active


def test_the_last_administrator_stays(two) -> None:
    ada, bob = two
    bob.user.is_active = False
    bob.user.save()
    client = ada.client()
    assert "You are the last active administrator" in client.get("/account/data/").content.decode()
    assert ask(client) == 422
    assert User.objects.get(pk=ada.user.pk).is_active


def test_a_viewer_may_go_too(db) -> None:
    vera = viewer("vera", password=PASSWORD)
    client = Client()
    client.force_login(vera)
    assert ask(client, name="vera") == 302
    work()
    assert not User.objects.filter(username="vera").exists()


def test_a_letter_tells_of_it_and_is_forgotten(two, letters: Letters) -> None:  # noqa: F811
    ada, _bob = two
    ask(ada.client())
    job = deletion_job()
    execute(job.id, job.attempt)  # before the letter is written
    work()
    ((to, text),) = letters.taken
    assert to == ["quillfeather@harbour.org"]
    assert text.splitlines()[0] == AccountChange.DELETED
    assert '"ada-quillfeather"' in text
    assert tasks.forget_letters(None) == 1  # type: ignore[arg-type]
    assert [(label, row) for label, row in all_values() if ada.word in row] == []


def test_local_mode_deletes_nothing_and_says_how(two, settings) -> None:
    ada, _bob = two
    settings.BUDGETEER_MODE = "local"
    client = ada.client()
    page = client.get("/account/data/", REMOTE_ADDR="127.0.0.1").content.decode()
    assert "remove its data folder" in page
    assert "delete-account" not in page
    assert ask(client) == 405
    assert User.objects.get(pk=ada.user.pk).is_active


def test_the_page_tells_what_there_is_and_what_stays(two) -> None:
    ada, _bob = two
    page = ada.client().get("/account/data/").content.decode()
    for words in ("2 sources", "1 workspace<", "1 collection<", "1 evaluation<", "1 report<", "1 deleted source that"):
        assert words in page
    assert "1 version of presets that you published, without your name" in " ".join(page.split())
