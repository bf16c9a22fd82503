from __future__ import annotations

import os
import threading
from datetime import timedelta

import pytest
from django.contrib.sessions.models import Session
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import connection
from django.utils import timezone

from budgeteer.accounts.models import SignInLink
from budgeteer.celery import app
from budgeteer.jobs import cleanup as housekeeping
from budgeteer.jobs import services as jobs
from budgeteer.jobs.models import Job
from budgeteer.reports.models import Report
from budgeteer.sources import cleanup as sweeping
from budgeteer.sources import services
from budgeteer.sources.files.storage import files_under
from budgeteer.sources.models import KnownRun, Source
from budgeteer.workbench.models import Workspace
from tests.sources.material import chat, imported, run_jobs, upload

pytestmark = pytest.mark.django_db
LONG_AGO = timedelta(days=400)


@pytest.fixture(autouse=True)
def own_files(settings, tmp_path):
    """A folder of files that holds nothing of other tests."""
    settings.MEDIA_ROOT = tmp_path


@pytest.fixture
def swept(django_capture_on_commit_callbacks):
    def clean_up(*, pace: housekeeping.Pace = "often") -> dict[str, int]:
        with django_capture_on_commit_callbacks(execute=True):
            return housekeeping.clean_up(pace=pace)

    return clean_up


def age(name: str, by: timedelta) -> None:
    """Make a stored file look as if it had been written earlier."""
    written = (timezone.now() - by).timestamp()
    os.utime(default_storage.path(name), (written, written))


def all_files() -> list[str]:
    return sorted(name for folder in ("uploads", "sources") for name, _ in files_under(folder))


def test_files_that_no_row_names_go_when_they_are_old(owner, swept):
    source = imported(owner, chat(3))
    named = all_files()
    assert len(named) == 4
    for name in named:
        age(name, LONG_AGO)
    left = [
        default_storage.save(name, ContentFile(b"left"))
        for name in ("uploads/killed", f"sources/{source.pk}/1-dead/items", "sources/gone/1-dead/measures-x.npz")
    ]
    assert swept(pace="seldom")["orphaned files"] == 0
    for name in left:
        age(name, LONG_AGO)
    assert swept(pace="seldom")["orphaned files"] == 3
    assert all_files() == named
    assert services.load_inputs(source, tokenizer="o200k_base").conversation_measures is not None
    assert default_storage.listdir("sources")[0] == [str(source.pk)]


def test_a_sweep_of_nothing_at_all_is_nothing(swept):
    assert swept(pace="seldom")["orphaned files"] == 0
    assert set(swept().values()) == {0}


def test_deleted_sources_go_after_the_time_for_an_undo_and_others_stay(owner, swept):
    kept, young, old = (imported(owner, chat(n), name=f"{n}.json") for n in (1, 2, 3))
    for source in (young, old):
        services.delete(source)
    Source.objects.filter(pk=old.pk).update(deleted_at=timezone.now() - sweeping.UNDO_TIME - timedelta(minutes=1))
    assert swept()["deleted sources"] == 1
    assert set(Source.objects.values_list("pk", flat=True)) == {kept.pk, young.pk}
    assert len(all_files()) == 8
    assert services.restore(owner, young.pk) is not None


def test_a_source_that_is_taken_back_at_the_last_moment_stays(owner, monkeypatch):
    source = imported(owner, chat(2))
    services.delete(source)
    one = sweeping.purge_one

    def taken_back(pk, *, before):
        services.restore(owner, pk)
        return one(pk, before=before)

    monkeypatch.setattr(sweeping, "purge_one", taken_back)
    assert services.purge(before=timezone.now() + timedelta(hours=1)) == 0
    assert Source.objects.filter(pk=source.pk, deleted_at=None).exists()


def test_a_cancelled_import_that_nobody_looked_at_is_settled(owner, swept):
    source = imported(owner, chat(2))
    services.import_again(source, as_format="text")
    assert swept()["unsettled imports"] == 0
    jobs.cancel(Job.objects.get(state="queued"))
    assert swept()["unsettled imports"] == 1
    source.refresh_from_db()
    assert (source.state, source.format, source.error["asked"]) == ("ready", "openai-chat", "text")


def test_finished_jobs_go_after_their_time_and_unfinished_ones_never(owner, swept, settings):
    imported(owner, chat(2))
    upload(owner, chat(3))
    Job.objects.update(created_at=timezone.now() - LONG_AGO, finished_at=timezone.now() - timedelta(days=29))
    Job.objects.filter(state="queued").update(finished_at=None)
    assert swept()["finished jobs"] == 0
    settings.JOBS_DAYS = 28
    assert swept()["finished jobs"] == 1
    assert list(Job.objects.filter(kind="sources.import").values_list("state", flat=True)) == ["queued"]
    assert [job.state for job in run_jobs() if job.kind == "sources.import"] == ["succeeded"]


def test_counts_out_of_use_go(owner, swept):
    imported(owner, chat(2))
    count = KnownRun.objects.count()
    assert swept()["counts out of use"] == 0
    KnownRun.objects.update(used_on=timezone.now().date() - LONG_AGO)
    assert swept()["counts out of use"] == count > 0


def test_what_ended_reports_showed_is_erased_and_open_ones_stay(owner, swept):
    now = timezone.now()
    ended = {"expired": {"expires_at": now - timedelta(seconds=1)}, "open": {"expires_at": now + timedelta(days=1)}}
    for title, fields in ended.items():
        Report.objects.create(owner=owner, title=title, document=b"shown", **fields)
    assert swept()["ended reports"] == 1
    assert dict(Report.objects.values_list("title", "document"))["expired"] is None
    assert bytes(dict(Report.objects.values_list("title", "document"))["open"]) == b"shown"


def test_deleted_workspaces_go_and_their_reports_stay(owner, swept):
    now = timezone.now()
    gone = Workspace.objects.create(owner=owner, name="gone", preset_slug="x", deleted_at=now - LONG_AGO)
    Workspace.objects.create(owner=owner, name="young", preset_slug="x", deleted_at=now)
    Workspace.objects.create(owner=owner, name="kept", preset_slug="x")
    report = Report.objects.create(owner=owner, workspace=gone, title="r", expires_at=now + timedelta(days=1))
    assert swept()["deleted workspaces"] == 1
    assert set(Workspace.objects.values_list("name", flat=True)) == {"young", "kept"}
    report.refresh_from_db()
    assert report.workspace is None


def test_spent_links_and_ended_sessions_go(owner, swept):
    now = timezone.now()
    for name, expires, used in (
        ("open", now + timedelta(minutes=9), None),
        ("just used", now + timedelta(minutes=9), now),
        ("used", now + timedelta(minutes=9), now - LONG_AGO),
        ("expired", now - LONG_AGO, None),
    ):
        SignInLink.objects.create(user=owner, token_hash=name, expires_at=expires, used_at=used)
    for key, expires in (("running", now + timedelta(days=1)), ("ended", now - timedelta(days=1))):
        Session.objects.create(session_key=key, session_data="", expire_date=expires)
    done = swept()
    assert (done["spent sign-in links"], done["ended sessions"]) == (2, 1)
    assert set(SignInLink.objects.values_list("token_hash", flat=True)) == {"open", "just used"}
    assert Session.objects.get().session_key == "running"


def test_a_sweep_that_fails_does_not_keep_the_others(swept, monkeypatch):
    def broken(_now):
        raise RuntimeError("no")

    monkeypatch.setitem(housekeeping._sweeps, "broken", housekeeping.CleanupTask("broken", broken, pace="often"))
    done = swept()
    assert "broken" not in done
    assert done["ended sessions"] == 0


def test_the_scheduler_asks_for_each_pace():
    asked = [entry["kwargs"] for entry in app.conf.beat_schedule.values() if entry["task"] == "jobs.clean_up"]
    assert asked == [{"pace": "soon"}, {"pace": "often"}, {"pace": "seldom"}]
    app.loader.import_default_modules()
    assert "jobs.clean_up" in app.tasks


@pytest.mark.django_db(transaction=True)
def test_two_sweeps_at_once_remove_each_thing_once(owner):
    for number in range(6):
        services.delete(imported(owner, chat(number + 1), name=f"{number}.json"))
    Source.objects.update(deleted_at=timezone.now() - LONG_AGO)
    Job.objects.update(finished_at=timezone.now() - LONG_AGO)
    KnownRun.objects.update(used_on=timezone.now().date() - LONG_AGO)
    runs, done = KnownRun.objects.count(), []

    def work() -> None:
        done.append(housekeeping.clean_up(pace="often"))
        connection.close()

    workers = [threading.Thread(target=work) for _ in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    total = {what: sum(each[what] for each in done) for what in done[0]}
    assert (total["deleted sources"], total["finished jobs"], total["counts out of use"]) == (6, 6, runs)
    assert all_files() == []
