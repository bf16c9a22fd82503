from __future__ import annotations

import errno
import gzip
import json
import os

import pytest
from django.core.files.storage import FileSystemStorage, default_storage

from budgeteer.jobs.models import Job
from budgeteer.sources import services
from budgeteer.sources.models import Source
from budgeteer.sources.uploads import NAME_CHARS, as_file, clean_name, pack_folder, paste_name, read_paths
from tests.formats.shapes import zipped
from tests.sources.material import chat, imported, run_jobs, stored_bytes, upload

pytestmark = pytest.mark.django_db


def uploads() -> set[str]:
    return set(default_storage.listdir("uploads")[1]) if default_storage.exists("uploads") else set()


def test_the_original_is_kept_byte_for_byte(owner):
    data = b"\xff\xfe odd \x00 bytes \r\n" * 1000
    source = upload(owner, data)
    assert stored_bytes(source) == data
    assert source.size_bytes == len(data)


def test_the_same_bytes_of_one_owner_are_one_source(owner):
    first = upload(owner, chat())
    kept = uploads()
    again = upload(owner, chat(), name="copy.json")
    assert (again.pk, again.was_known, again.name) == (first.pk, True, "request.json")
    assert uploads() == kept
    assert Job.objects.count() == 1


def test_the_same_bytes_of_another_owner_are_another_source(owner, other):
    assert upload(owner, chat()).pk != upload(other, chat()).pk


@pytest.mark.parametrize("name", ["a.gz", "a.zip"])
def test_a_small_upload_that_unpacks_to_a_large_one_waits_on_the_queue_for_long_work(owner, name):
    text = b"The ferry leaves at noon. " * 200_000
    packed = gzip.compress(text) if name == "a.gz" else zipped({"notes.md": text.decode()})
    assert len(packed) < 100_000
    upload(owner, packed, name=name)
    assert Job.objects.get().queue == "large"


def test_an_upload_asks_for_its_import_and_large_ones_on_the_queue_for_long_work(owner):
    upload(owner, chat())
    upload(owner, b"x" * 4_000_001)
    assert set(Job.objects.values_list("kind", "queue")) == {("sources.import", "default"), ("sources.import", "large")}


def test_a_failed_upload_sent_again_is_imported_again(owner):
    assert imported(owner, b"\x89PNG\r\n\x1a\n\x00").state == "failed"
    again = upload(owner, b"\x89PNG\r\n\x1a\n\x00")
    assert again.state == "importing"
    assert len(run_jobs()) == 1


def test_an_upload_over_the_limit_is_refused_by_name_and_leaves_nothing(owner, settings):
    settings.UPLOAD_MAX_BYTES = 1000
    kept = uploads()
    with pytest.raises(services.UploadRefused, match=r"big\.json: 2 kB is more than the limit of 1 kB"):
        upload(owner, b"x" * 2000, name="big.json")
    assert uploads() == kept
    assert not Source.objects.exists()


def test_a_file_that_lies_about_its_size_is_stopped_at_the_limit(owner, settings):
    settings.UPLOAD_MAX_BYTES = 1000
    content = as_file(b"x" * 2000, "liar.json")
    content.size = 10
    kept = uploads()
    with pytest.raises(services.UploadRefused, match="more than the limit"):
        services.receive_upload(owner, name="liar.json", content=content)
    assert uploads() == kept


def test_an_empty_file_is_refused_and_leaves_nothing(owner):
    kept = uploads()
    with pytest.raises(services.UploadRefused, match=r"empty\.json: the file is empty"):
        upload(owner, b"", name="empty.json")
    assert uploads() == kept


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("../../etc/passwd", "passwd"),
        ("C:\\Users\\x\\session.jsonl", "session.jsonl"),
        ("  a\x00b\u202e.json ", "ab.json"),
        ("", "Unnamed"),
        ("/", "Unnamed"),
    ],
)
def test_a_name_is_the_last_part_of_its_path_without_control_characters(given, shown):
    assert clean_name(given) == shown


def test_a_long_name_keeps_its_beginning_and_its_ending():
    name = clean_name("x" * 500 + ".jsonl")
    assert len(name) == NAME_CHARS
    assert name.endswith(".jsonl")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ('\n {"messages": []}', "Pasted JSON"),
        ("User: hello\nAssistant: hi", "Pasted: User: hello"),
        ("w" * 100, f"Pasted: {'w' * 40}…"),
        ("AWS_SECRET=" + "AKIA" + "QYLPMN5HHHFPZAM2\nUser: hello", "Pasted text"),
        ("Write to ada" + "@harbour.io before noon\n", "Pasted text"),
        ("w" * 100 + " ada" + "@harbour.io", f"Pasted: {'w' * 40}…"),
    ],
)
def test_a_paste_is_named_by_its_first_line(text, name):
    assert paste_name(text) == name


def test_a_paste_keeps_its_characters(owner):
    source = services.receive_paste(owner, text="Grüße 👋\nzweite Zeile")
    assert stored_bytes(source).decode() == "Grüße 👋\nzweite Zeile"


def test_a_folder_packs_to_the_same_bytes_in_whatever_order_it_comes():
    paths = [{"path": "lib/a/SKILL.md", "modified": 1_700_000_000_000}, {"path": "lib/b/SKILL.md"}]
    files = [as_file(b"A", "SKILL.md"), as_file(b"B", "SKILL.md")]
    name, packed = pack_folder(files, paths)
    _, turned = pack_folder(files[::-1], paths[::-1])
    assert name == "lib.zip"
    with packed, turned:
        assert packed.read() == turned.read()


def test_a_folder_becomes_one_source_with_its_skills(owner):
    texts = [f"---\nname: {n}\ndescription: Does {n}.\n---\n{n}".encode() for n in ("a", "b")]
    paths = json.dumps([{"path": f"lib/{n}/SKILL.md"} for n in ("a", "b")])
    source = services.receive_folder(owner, files=[as_file(text, "SKILL.md") for text in texts], paths=paths)
    run_jobs()
    source.refresh_from_db()
    assert (source.name, source.kind, source.counts["skills"]) == ("lib.zip", "skills", 2)


@pytest.mark.parametrize("text", ["", "{", "{}", "[]", '["a"]', '[{"path": ""}]', '[{"path": 1}]', "[" * 100_000])
def test_paths_that_do_not_match_the_files_are_refused(text):
    with pytest.raises(services.UploadRefused, match="does not match"):
        read_paths(text, count=1)


@pytest.mark.parametrize("path", ["d/\ud800.md", "d/a\0.md", "d/" + "x" * 5000])
def test_a_path_no_archive_can_hold_is_refused(path):
    with pytest.raises(services.UploadRefused, match="does not match its files"):
        read_paths(json.dumps([{"path": path}]), count=1)


def test_a_folder_that_takes_nothing_is_said_whatever_becomes_of_what_was_begun(owner, monkeypatch):
    from budgeteer.sources.files.storage import StorageAway

    def refuse(*_arguments, **_named):
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    monkeypatch.setattr(FileSystemStorage, "_save", refuse)
    monkeypatch.setattr(FileSystemStorage, "delete", refuse)
    with pytest.raises(StorageAway, match="Read-only file system"):
        upload(owner, b"User: hello\nAssistant: hello")
    assert not Source.objects.exists()
