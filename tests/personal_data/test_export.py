"""The download of one's data: everything of one's own byte for byte, nothing of others', whatever things are called."""

from __future__ import annotations

import io
import json
import re
import tracemalloc
import zipfile
from datetime import UTC, datetime

import pytest
from django.core.files.storage import default_storage
from django.db.models.fields.files import FieldFile

from budgeteer.accounts.models import SecondFactor
from budgeteer.jobs.models import Job
from budgeteer.personal_data.export import members_of, safe_name
from budgeteer.personal_data.zip_stream import ZipMember, zipped
from budgeteer.reports import services as reports
from budgeteer.sources.files import storage
from budgeteer.sources.models import Source
from tests.personal_data.holdings import PASSWORD, Holdings


def archive_of(one: Holdings) -> zipfile.ZipFile:
    answer = one.client().post("/account/data/download/", headers={"Accept-Encoding": "gzip"})
    assert answer.status_code == 200
    assert answer.headers["Content-Encoding"] == "identity"
    assert re.fullmatch(r'attachment; filename="budgeteer-\d{4}-\d\d-\d\d\.zip"', answer.headers["Content-Disposition"])
    archive = zipfile.ZipFile(io.BytesIO(b"".join(answer.streaming_content)))
    assert archive.testzip() is None
    return archive


def test_everything_of_ones_own_is_in_the_archive(two) -> None:
    ada, _bob = two
    archive = archive_of(ada)
    read = {name: json.loads(archive.read(name)) for name in archive.namelist() if name.endswith(".json")}
    for row in read["sources.json"]:
        assert archive.read(row["file"]) == ada.originals[row["name"]]
    assert [row["is_deleted"] for row in read["sources.json"]] == [False, True]
    assert {row["name"] for row in read["sources.json"]} == set(ada.originals)
    (workspace,) = read["workspaces.json"]
    assert workspace["query_text"] == "Where is quillfeather?"
    assert workspace["configuration"]["model"]
    assert workspace["sources"][0]["source_id"] == read["sources.json"][0]["id"]
    assert read["collections.json"][0]["evaluations"][0]["record"]
    assert read["summaries.json"][0]["text"] == "All about quillfeather."
    assert archive.read(read["reports.json"][0]["file"]) == reports.frozen_bytes(ada.report)
    assert [row["what"] for row in read["presets.json"]] == ["proposal", "version"]
    assert read["tokens.json"][0]["scopes"] == ["presets:read"]
    assert read["formats.json"][0]["mapping"]
    assert len(read["jobs.json"]) == Job.objects.filter(owner=ada.user).count()
    account = read["account.json"]
    assert (account["username"], account["role"]) == ("ada-quillfeather", "Administrator")
    assert account["passkeys"][0]["name"] == "Phone quillfeather"
    assert account["teams"][0]["team"] == f"Team {ada.user.pk}"
    assert account["teams"][0]["role"] == "owner"
    assert "missing.json" not in read


def test_nothing_of_anybody_else_and_no_secret_is_in_it(two) -> None:
    ada, bob = two
    archive = archive_of(ada)
    whole = b"\n".join(archive.read(name) for name in archive.namelist())
    assert b"quillfeather" in whole
    assert bob.word.encode() not in whole
    token = ada.user.access_tokens.get()
    secrets = (
        *(ada.user.password, PASSWORD, SecondFactor.objects.get(user=ada.user).secret, token.token_hash),
        *(token.beginning, ada.report.token, ada.report.token_digest, "credential-quillfeather", "hash-quillfeather"),
    )
    assert [secret for secret in secrets if secret.encode() in whole] == []


HOSTILE = (
    "../../etc/passwd",
    "/etc/shadow",
    "C:\\Windows\\win.ini",
    "..",
    ".",
    "con",
    "a\u202egnp.exe",
    "two\nlines\x00.txt",
    "   ",
    "x" * 200,
    "\U0001f6a2" * 190 + ".jsonl",
    "same.txt",
    "SAME.txt",
)


def test_names_lead_nowhere_and_are_unique(two) -> None:
    ada, _bob = two
    for number, name in enumerate(HOSTILE):
        stored = default_storage.save(f"uploads/hostile-{number}", io.BytesIO(name.encode()))
        Source.objects.create(
            owner=ada.user, name=name.replace("\x00", ""), sha256=f"{number:064}", size_bytes=1, upload=stored
        )
    names = archive_of(ada).namelist()
    assert len({name.lower() for name in names}) == len(names)
    for name in names:
        assert not name.startswith("/")
        assert ".." not in name.split("/")
        assert "\\" not in name
        assert name.isprintable()
        assert len(name.rpartition("/")[2].encode()) <= 140
    assert sum(name.startswith("sources/") for name in names) == len(HOSTILE) + 2


@pytest.mark.parametrize(
    ("name", "safe"),
    [("../a.json", "_a.json"), ("..", "file"), ("", "file"), ("a/b\\c.txt", "a_b_c.txt"), ("né.md", "né.md")],
)
def test_a_safe_name_keeps_what_can_be_kept(name: str, safe: str) -> None:
    assert safe_name(name) == safe


def test_a_file_that_storage_lost_is_listed_and_breaks_nothing(two) -> None:
    ada, _bob = two
    lost = Source.objects.get(owner=ada.user, name="quillfeather.json")
    default_storage.delete(lost.upload.name)
    archive = archive_of(ada)
    (entry,) = json.loads(archive.read("missing.json"))
    assert (entry["name"], entry["writtenBytes"]) == ("quillfeather.json", 0)
    assert "not there" in entry["why"]
    assert entry["file"] not in archive.namelist()
    assert any(name.endswith("quillfeather-again.txt") for name in archive.namelist())


def test_a_storage_that_goes_away_halfway_is_said(two, monkeypatch) -> None:
    ada, _bob = two
    monkeypatch.setattr("budgeteer.personal_data.export.READ_BYTES", 5)
    opened = default_storage.open

    class Broken(io.BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            if self.tell() >= 5:
                raise storage.StorageAway("The folder for uploads cannot be used", mend="Try again")
            return super().read(size)

    def half_open(file: FieldFile, mode: str = "rb") -> Broken:
        with opened(file.name) as whole:
            return Broken(whole.read())

    monkeypatch.setattr(FieldFile, "open", half_open)
    archive = archive_of(ada)
    missing = json.loads(archive.read("missing.json"))
    assert [entry["writtenBytes"] for entry in missing] == [5, 5]
    assert len(archive.read(missing[0]["file"])) == 5


def test_what_is_deleted_while_the_archive_is_sent_is_left_out(two) -> None:
    ada, _bob = two
    members = members_of(ada.user)
    assert next(members).name == "account.json"
    Source.objects.filter(owner=ada.user).delete()
    assert [member.name for member in members if member.name.startswith("sources/")] == []


def test_a_large_file_is_never_held_whole() -> None:
    piece = bytes(range(256)) * 1024
    pieces = 400
    big = ZipMember("big", (piece for _ in range(pieces)), datetime.now(UTC), len(piece) * pieces)
    tracemalloc.start()
    sent = sum(len(part) for part in zipped([big]))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert sent < len(piece) * pieces
    assert peak < 8_000_000
