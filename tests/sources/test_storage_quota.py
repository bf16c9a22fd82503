"""A person's sources stay within their quota, whatever comes at once; who has no room is told how to mend it."""

from __future__ import annotations

import hashlib
from concurrent.futures import ThreadPoolExecutor
from html import unescape
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client

from budgeteer import samples
from budgeteer.sources import services
from budgeteer.sources.files.storage import files_under
from budgeteer.sources.models import Source
from budgeteer.sources.uploads import as_file
from budgeteer.tokens import services as tokens
from budgeteer.tokens.scopes import Scope
from budgeteer.workbench.models import Workspace
from tests.sources.material import upload

pytestmark = pytest.mark.django_db
LIMIT = 1000


@pytest.fixture(autouse=True)
def quota(settings, tmp_path) -> None:
    """Room for 1,000 bytes each, in a folder of files that holds nothing of other tests."""
    settings.STORAGE_EACH_BYTES = LIMIT
    settings.MEDIA_ROOT = tmp_path


@pytest.fixture
def client(owner: User) -> Client:
    client = Client(SERVER_NAME="localhost")
    client.force_login(owner)
    return client


def taken(owner: User) -> int:
    return sum(Source.objects.filter(owner=owner).values_list("size_bytes", flat=True))


def stored() -> int:
    return sum(default_storage.size(name) for name, _ in files_under("uploads"))


def append(source: Source, data: bytes) -> Source:
    known = services.ExpectedBytes(source.size_bytes, source.sha256)
    return services.append(source, as_file(data, "more"), known=known)


def words(answer: Any) -> str:
    return " ".join(unescape(answer.content.decode()).split())


def test_what_has_no_room_is_refused_with_what_is_used_and_leaves_nothing(owner, other):
    upload(owner, b"a" * 700)
    with pytest.raises(services.QuotaExceeded) as refused:
        upload(owner, b"b" * 301, name="big.txt")
    assert refused.value.where == "big.txt"
    assert "add 301 bytes" in refused.value.what
    assert "700 bytes of the 1 kB" in refused.value.what
    assert "BUDGETEER_STORAGE_EACH_MB" in refused.value.mend
    assert (taken(owner), stored()) == (700, 700)
    upload(owner, b"b" * 300)
    upload(other, b"b" * LIMIT)
    assert (taken(owner), taken(other)) == (LIMIT, LIMIT)


def test_without_a_limit_any_amount_is_taken(owner, settings):
    settings.STORAGE_EACH_BYTES = 0
    upload(owner, b"a" * 5000)
    assert append(upload(owner, b"b" * 5000), b"c").size_bytes == 5001


def test_the_same_bytes_again_take_no_room(owner):
    upload(owner, b"a" * LIMIT)
    assert upload(owner, b"a" * LIMIT).was_known


def test_appended_bytes_count_as_far_as_they_are_new(owner):
    source = append(upload(owner, b"a" * 900), b"b" * 100)
    assert source.size_bytes == LIMIT
    with pytest.raises(services.QuotaExceeded, match="would add 1 bytes"):
        append(source, b"c")
    source.refresh_from_db()
    assert (source.size_bytes, source.sha256) == (LIMIT, hashlib.sha256(b"a" * 900 + b"b" * 100).hexdigest())


def test_deleted_sources_can_be_had_back_until_their_room_is_needed(owner, django_capture_on_commit_callbacks):
    first, second = upload(owner, b"a" * 400), upload(owner, b"b" * 400)
    services.delete(first)
    services.delete(second)
    with django_capture_on_commit_callbacks(execute=True):
        upload(owner, b"c" * 200)
    assert taken(owner) == LIMIT
    with django_capture_on_commit_callbacks(execute=True):
        upload(owner, b"d" * 300)
    assert services.restore(owner, first.pk) is None
    assert services.restore(owner, second.pk) is not None
    assert stored() == taken(owner) == 900


def test_a_refused_upload_removes_no_deleted_source(owner):
    gone = upload(owner, b"a" * 400)
    upload(owner, b"b" * 600)
    services.delete(gone)
    with pytest.raises(services.QuotaExceeded):
        upload(owner, b"c" * 500)
    assert services.restore(owner, gone.pk) is not None


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("way", ["upload", "append"])
def test_of_many_at_once_no_more_than_fit_are_taken(owner, way, monkeypatch):
    """The check before anything is stored is left out, as where all of them have passed it."""
    monkeypatch.setattr("budgeteer.sources.uploads.check_room", lambda *_, **__: None)
    monkeypatch.setattr("budgeteer.sources.appending.check_room", lambda *_, **__: None)
    here = [upload(owner, bytes([number])) for number in range(8)] if way == "append" else []

    def one(number: int) -> bool:
        try:
            if here:
                append(here[number], b"x" * 300)
            else:
                upload(owner, bytes([number]) * 300)
        except services.QuotaExceeded:
            return False
        finally:
            connection.close()
        return True

    with ThreadPoolExecutor(8) as pool:
        fit = list(pool.map(one, range(8)))
    assert fit.count(True) == 3
    assert stored() == taken(owner) == 900 + len(here)


def test_the_page_says_how_much_is_used_and_why_an_upload_was_refused(client, owner, settings):
    upload(owner, b"a" * 600)
    services.delete(upload(owner, b"b" * 100))
    assert "600 bytes of 1 kB of storage used; 100 bytes of deleted sources" in words(client.get("/sources/"))
    file = SimpleUploadedFile("big.txt", b"c" * 500)
    answer = client.post("/sources/upload/", {"files": [file]})
    assert answer.status_code == 422
    assert "add 500 bytes to the 600 bytes of the 1 kB that you may store" in words(answer)
    settings.STORAGE_EACH_BYTES = 0
    assert "of storage used" not in words(client.get("/sources/"))


def test_a_sample_that_has_no_room_opens_nothing(client, owner):
    answer = client.post(f"/samples/{samples.SAMPLES[0].slug}/")
    assert answer.status_code == 422
    assert "that you may store" in words(answer)
    assert not Workspace.objects.exists()


def test_the_api_names_the_quota_and_what_is_used(owner):
    upload(owner, b"a" * 900)
    secret = tokens.make(owner, tokens.TokenRequest("Send", [Scope.SOURCES_WRITE], 7)).secret
    bearer = {"authorization": f"Bearer {secret}", "idempotency-key": "one"}
    file = SimpleUploadedFile("big.txt", b"c" * 500)
    answer = Client(SERVER_NAME="localhost").post("/api/v1/sources", {"file": file}, headers=bearer)
    problem = answer.json()
    assert (answer.status_code, problem["type"], problem["where"]) == (422, "/api/#quota", "big.txt")
    assert "900 bytes of the 1 kB" in problem["detail"]
    assert "Delete sources" in problem["hint"]
