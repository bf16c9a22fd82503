from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.auth.models import AnonymousUser
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import QueryDict
from django.utils import timezone
from django.utils.datastructures import MultiValueDict

from budgeteer.jobs import services as jobs
from budgeteer.jobs.models import Job
from budgeteer.sources import services
from budgeteer.sources.models import Source
from budgeteer.sources.uploads import FILES_AT_ONCE
from tests.sources.material import chat, imported, run_jobs, stored_bytes, upload

pytestmark = pytest.mark.django_db


def post(**fields: str) -> QueryDict:
    data = QueryDict(mutable=True)
    data.update(fields)
    return data


def test_nothing_chosen_is_one_sentence_and_stores_nothing(owner):
    reception = services.receive_request(owner, post(text="  \n"), MultiValueDict())
    assert reception.sources == ()
    assert "No file was chosen" in reception.refused[0].sentence


def test_one_bad_file_does_not_lose_the_others(owner):
    files = [SimpleUploadedFile("empty.json", b""), SimpleUploadedFile("good.json", chat())]
    reception = services.receive_request(owner, post(text="some notes"), MultiValueDict({"files": files}))
    assert [source.name for source in reception.sources] == ["good.json", "Pasted: some notes"]
    assert [error.where for error in reception.refused] == ["empty.json"]


def test_more_files_than_one_request_may_wait_for_are_refused_together(owner):
    def reception(count: int) -> services.UploadResult:
        files = [SimpleUploadedFile(f"{row}.txt", f"Note {row}".encode()) for row in range(count)]
        return services.receive_request(owner, post(), MultiValueDict({"files": files}))

    refused = reception(FILES_AT_ONCE + 1)
    assert refused.sources == ()
    assert f"{FILES_AT_ONCE + 1} files were chosen" in refused.refused[0].sentence
    assert "one zip" in refused.refused[0].sentence
    assert not Source.objects.filter(owner=owner).exists()
    assert len(reception(3).sources) == 3


def test_a_paste_has_the_line_ends_it_was_typed_with(owner):
    reception = services.receive_request(owner, post(text="one\r\ntwo"), MultiValueDict())
    assert stored_bytes(reception.sources[0]) == b"one\ntwo"


def test_only_the_owner_sees_a_source(owner, other):
    source = upload(owner, chat())
    assert services.visible_source(owner, source.pk) == source
    assert services.visible_source(other, source.pk) is None
    assert services.visible_source(AnonymousUser(), source.pk) is None
    assert list(services.recent(other)) == []


def test_a_deleted_source_can_be_had_back(owner, other):
    source = upload(owner, chat())
    services.delete(source)
    assert services.visible_source(owner, source.pk) is None
    assert services.just_deleted(owner, str(source.pk)) == source
    assert services.restore(other, source.pk) is None
    services.restore(owner, source.pk)
    assert services.visible_source(owner, source.pk) == source


def test_uploading_deleted_bytes_again_brings_the_source_back(owner):
    source = imported(owner, chat())
    services.delete(source)
    again = upload(owner, chat(), name="again.json")
    assert (again.pk, again.state) == (source.pk, "ready")
    assert services.visible_source(owner, source.pk).name == "again.json"


def test_a_purge_removes_rows_and_files_of_what_was_deleted_long_ago(owner, django_capture_on_commit_callbacks):
    source, fresh = imported(owner, chat(1)), imported(owner, chat(2))
    names = [source.upload.name, source.items.name]
    for deleted in (source, fresh):
        services.delete(deleted)
    Source.objects.filter(pk=source.pk).update(deleted_at=timezone.now() - timedelta(days=2))
    with django_capture_on_commit_callbacks(execute=True):
        assert services.purge(before=timezone.now() - services.UNDO_TIME) == 1
    assert [default_storage.exists(name) for name in names] == [False, False]
    assert list(Source.objects.all()) == [fresh]
    assert default_storage.exists(fresh.upload.name)


def test_a_source_whose_import_was_called_off_is_failed_and_can_be_imported_again(owner):
    source = upload(owner, chat())
    jobs.cancel(Job.objects.get())
    source = services.visible_source(owner, source.pk)
    assert source.state == "failed"
    assert "cancelled" in source.error["sentence"]
    services.import_again(source)
    assert services.visible_source(owner, source.pk).state == "importing"


def test_a_new_name_is_cleaned(owner):
    source = upload(owner, chat())
    services.rename(source, " My\x07 session ")
    assert Source.objects.get().name == "My session"


@pytest.mark.django_db
def test_an_import_that_ended_while_a_page_was_made_is_not_waited_for(owner):
    source = upload(owner, chat(2))
    assert services.importing_job(source) == services.latest_job(source)
    run_jobs()
    assert source.state == "importing", "as the page read it before the worker was done"
    assert services.importing_job(source) is None
    assert source.is_ready


@pytest.mark.django_db
def test_an_import_that_failed_while_a_page_was_made_is_said_to_have_failed(owner):
    source = upload(owner, b"\x89PNG\r\n\x1a\n\0", name="picture.png")
    run_jobs()
    assert services.importing_job(source) is None
    assert source.state == "failed"
