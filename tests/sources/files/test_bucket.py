from __future__ import annotations

import io
import os
import threading

import boto3
import pytest
from django.core.files.base import ContentFile, File
from django.core.files.storage import default_storage
from django.db import connection
from django.test import override_settings
from django.urls import reverse
from django.utils import timezone

from budgeteer.jobs import services as jobs
from budgeteer.jobs.execution import execute
from budgeteer.jobs.models import Job
from budgeteer.sources import services
from budgeteer.sources.files.item_store import ItemReader, write_items
from budgeteer.sources.files.storage import StorageAway, files_under
from budgeteer.sources.loading import forget_loaded
from budgeteer.sources.models import Source
from tests.sources.bucket_server import BUCKET, KEYS, bucket_server, counting_proxy, refusing_server
from tests.sources.material import chat, chats, imported, run_jobs, stored_bytes, upload


def storages(endpoint: str) -> dict[str, object]:
    options = {"bucket": BUCKET, "folder": "team/a", "endpoint": endpoint, "region": "us-east-1", **KEYS}
    return {
        "default": {"BACKEND": "budgeteer.sources.files.bucket.BucketStorage", "OPTIONS": options},
        "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
    }


@pytest.fixture(scope="module")
def server():
    with bucket_server() as address:
        yield address


@pytest.fixture
def bucket(server):
    """The bucket itself, empty, as another client sees it."""
    keys = {"aws_access_key_id": KEYS["access_key"], "aws_secret_access_key": KEYS["secret_key"]}
    made = boto3.resource("s3", endpoint_url=server, region_name="us-east-1", **keys).Bucket(BUCKET)
    made.create()
    yield made
    made.objects.all().delete()
    made.delete()


@pytest.fixture
def wire(server, bucket):
    """The dashboard keeps its files in the bucket, and this is the wire to it."""
    with counting_proxy(server) as between, override_settings(STORAGES=storages(between.address)):
        yield between


def keys_in(bucket) -> list[str]:
    return sorted(entry.key for entry in bucket.objects.all())


@pytest.mark.usefixtures("wire")
def test_a_file_comes_back_whole_in_parts_and_again():
    data = os.urandom(300_000)
    name = default_storage.save("uploads/one", ContentFile(data))
    with default_storage.open(name) as file:
        assert file.size == len(data)
        assert file.read() == data
        assert file.read() == b""
        file.seek(1000)
        assert file.read(10) == data[1000:1010]
        assert file.read(70_000) == data[1010:71_010]
        assert (file.tell(), file.seek(-5, io.SEEK_END)) == (71_010, len(data) - 5)
        assert file.read(100) == data[-5:]
    with file.open() as again:
        assert b"".join(again.chunks(4096)) == data


@pytest.mark.slow
@pytest.mark.usefixtures("wire")
def test_an_empty_file_and_a_place_past_the_end_give_nothing():
    name = default_storage.save("uploads/empty", ContentFile(b""))
    with default_storage.open(name) as file:
        assert (file.read(), file.read(5)) == (b"", b"")
    name = default_storage.save("uploads/short", ContentFile(b"abc"))
    with default_storage.open(name) as file:
        file.seek(9)
        assert file.read(5) == b""


def test_small_steps_over_a_file_are_few_requests(wire):
    data = os.urandom(2_000_000)
    name = default_storage.save("uploads/one", ContentFile(data))
    wire.reset()
    with default_storage.open(name) as file:
        assert b"".join(iter(lambda: file.read(4096), b"")) == data
    assert len(wire.requests) < 10
    assert wire.received < len(data) * 1.05


def test_one_chunk_of_an_item_blob_costs_its_own_bytes(wire):
    blob = io.BytesIO()
    items = [{"text": os.urandom(2000).hex()} for _ in range(4000)]
    write_items(blob, {"messages": items})
    name = default_storage.save("sources/x/items", ContentFile(blob.getvalue()))
    wire.reset()
    reader = ItemReader(lambda: default_storage.open(name))
    assert (len(wire.requests), wire.received < 25_000) == (2, True)
    wire.reset()
    assert reader.read("messages", 2000, 2050) == items[2000:2050]
    assert len(wire.requests) == 1
    assert wire.received < len(blob.getvalue()) / 10


@pytest.mark.django_db
def test_an_upload_is_private_and_has_no_address(wire, bucket, owner):
    source = upload(owner, chat(2))
    (stored,) = bucket.objects.all()
    assert stored.key == f"team/a/{source.upload.name}"
    assert stored.Object().content_type == "application/octet-stream"
    grantees = [grant["Grantee"].get("URI", "") for grant in stored.Object().Acl().grants]
    assert not any("AllUsers" in uri or "AuthenticatedUsers" in uri for uri in grantees)
    assert not any("acl" in line for line in wire.requests)
    with pytest.raises(ValueError, match="no address"):
        source.upload.url  # noqa: B018


@pytest.mark.django_db
def test_a_source_lives_in_the_bucket_from_upload_to_purge(
    wire, bucket, owner, client, django_capture_on_commit_callbacks
):
    data = chats(40)
    with django_capture_on_commit_callbacks(execute=True):
        source = imported(owner, data)
    assert source.state == "ready"
    loaded = services.load_inputs(source, tokenizer="o200k_base", conversation=3)
    assert len(loaded.conversation_measures) == len(loaded.conversation.messages) == 9
    services.ensure_measured(source, "cl100k_base")
    run_jobs()
    assert services.measures_of(source, "cl100k_base") is not None
    client.force_login(owner)
    assert "Plan harbour 3" in client.get(f"{source.get_absolute_url()}?conversation=4").content.decode()
    raw = client.get(reverse("sources:raw", args=[source.pk]))
    assert (raw.getvalue(), raw.headers["Content-Length"]) == (data, str(len(data)))
    with django_capture_on_commit_callbacks(execute=True):
        services.import_again(source, as_format="text")
        run_jobs()
    assert len(keys_in(bucket)) == 4
    with django_capture_on_commit_callbacks(execute=True):
        services.delete(source)
        services.purge(before=timezone.now())
    assert keys_in(bucket) == []


@pytest.mark.django_db
def test_an_import_fetches_the_upload_once(wire, owner):
    data = chats(50)
    source = upload(owner, data)
    wire.reset()
    run_jobs()
    fetched = [line for line in wire.requests if line.startswith(("GET", "HEAD"))]
    assert fetched == [f"GET /{BUCKET}/team/a/{source.upload.name}"]
    assert len(wire.requests) == 4


@pytest.mark.django_db
def test_known_bytes_are_not_sent_again(wire, owner):
    upload(owner, chat(3))
    wire.reset()
    assert upload(owner, chat(3)).was_known
    assert wire.requests == []


@pytest.mark.django_db
def test_a_refused_upload_leaves_nothing_in_the_bucket(wire, bucket, owner, settings):
    settings.UPLOAD_MAX_BYTES = 100
    for data in (b"x" * 101, b""):
        with pytest.raises(services.UploadRefused):
            services.receive_upload(owner, name="a", content=File(io.BytesIO(data), "a"))
    assert keys_in(bucket) == []
    assert wire.requests == []


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_two_workers_import_from_one_bucket(wire, bucket, owner):
    sources = [upload(owner, chats(3) + b"\n" * number, name=f"{number}.jsonl") for number in range(6)]
    jobs = [(job.id, job.attempt) for job in Job.objects.all()]

    def work(mine) -> None:
        for job in mine:
            execute(*job)
        connection.close()

    # Each is delivered to both workers, as a broker may.
    workers = [threading.Thread(target=work, args=(order,)) for order in (jobs, jobs[::-1])]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert set(Source.objects.values_list("state", "revision")) == {("ready", 1)}
    assert len(keys_in(bucket)) == len(sources) * 4


def test_listing_pages_through_the_bucket(wire, bucket, monkeypatch):
    monkeypatch.setattr("budgeteer.sources.files.bucket.LIST_PAGE", 10)
    for number in range(15):
        bucket.put_object(Key=f"team/a/uploads/{number:04}", Body=b"x")
    bucket.put_object(Key="team/b/uploads/other", Body=b"x")
    listed = list(files_under("uploads"))
    assert [name for name, _ in listed] == [f"uploads/{number:04}" for number in range(15)]
    assert all(written.tzinfo for _, written in listed)
    assert len([line for line in wire.requests if line.startswith("GET")]) == 2


SAYINGS = {
    (403, "AccessDenied"): "refuses (AccessDenied)",
    (403, "InvalidAccessKeyId"): "refuses (InvalidAccessKeyId)",
    (404, "NoSuchBucket"): "There is no bucket",
    (404, "NoSuchKey"): "is not there",
    (503, "SlowDown"): "out of order (SlowDown)",
}


@pytest.mark.slow
@pytest.mark.django_db
@pytest.mark.parametrize(("answer", "sentence"), SAYINGS.items(), ids=str)
def test_a_bucket_that_refuses_is_a_sentence(client, wire, owner, answer, sentence):
    source = imported(owner, chat(2))
    forget_loaded()
    client.force_login(owner)
    with refusing_server(*answer) as address, override_settings(STORAGES=storages(address)):
        response = client.get(source.get_absolute_url())
        assert response.status_code == 503
        if answer[0] != 404:  # an answer to HEAD has no body that could tell a bucket from a file
            assert sentence.split("(")[0] in response.content.decode()
        if answer != (404, "NoSuchKey"):
            with pytest.raises(StorageAway, match=sentence.replace("(", r"\(").replace(")", r"\)")):
                default_storage.save("uploads/x", ContentFile(b"x"))


@pytest.mark.django_db
def test_a_bucket_that_does_not_answer_is_a_sentence_on_every_page_and_loses_nothing(client, wire, owner):
    source = imported(owner, chat(2))
    forget_loaded()
    client.force_login(owner)
    wire.is_cut = True
    for url in (source.get_absolute_url(), reverse("sources:raw", args=[source.pk])):
        response = client.get(url)
        assert response.status_code == 503
        assert f"The bucket {BUCKET} does not answer" in response.content.decode()
    sent = client.post("/sources/upload/", {"files": [io.BytesIO(b"some text to keep")]})
    assert sent.status_code == 422
    assert "does not answer" in sent.content.decode()
    assert Source.objects.count() == 1
    wire.is_cut = False
    assert client.get(source.get_absolute_url()).status_code == 200


@pytest.mark.django_db(transaction=True)
def test_a_job_that_meets_an_outage_is_tried_again_and_blames_nobody(wire, bucket, owner, settings):
    source = upload(owner, chat(2))
    wire.is_cut = True
    (job,) = run_jobs()
    source.refresh_from_db()
    assert (source.state, source.error) == ("importing", {})
    assert not job.is_finished
    assert "does not answer" in job.log[-1]["sentence"]
    wire.is_cut = False
    Job.objects.filter(pk=job.pk).requeue(lost=1)
    run_jobs()
    source.refresh_from_db()
    assert source.state == "ready"
    assert stored_bytes(source) == chat(2)
    assert len(keys_in(bucket)) == 4


@pytest.mark.django_db(transaction=True)
def test_a_job_that_meets_nothing_but_refusals_fails_with_their_sentence(wire, owner, settings):
    settings.JOB_MAX_ATTEMPTS, settings.JOB_STALE_SECONDS = 2, 0
    source = upload(owner, chat(2))
    with refusing_server(403, "AccessDenied") as address, override_settings(STORAGES=storages(address)):
        for _ in range(2):
            run_jobs()
            jobs.reap()
    job = Job.objects.get()
    assert job.state == "failed"
    assert job.error["what"] == f"The bucket {BUCKET} refuses (AccessDenied)"
    assert "may read, write, delete and list" in job.error["mend"]
    source = services.refresh_state(source)
    assert (source.state, source.error["what"]) == ("failed", job.error["what"])
    jobs.retry(job)
    run_jobs()
    source.refresh_from_db()
    assert (source.state, source.error) == ("ready", {})
