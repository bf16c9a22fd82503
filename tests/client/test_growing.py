"""A session that grows: only what is new is sent, and what the dashboard holds is the file."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from budgeteer.client.connection import RemoteError
from budgeteer.client.growing import GrowingFile, PushKind, line_end
from budgeteer.client.remote import Remote
from budgeteer.sources.models import Source
from tests.http_api.callers import do_jobs

LINES = [
    json.dumps({"messages": [{"role": "user", "content": f"How deep is berth {number}?"}]}).encode() + b"\n"
    for number in range(40)
]


@pytest.fixture
def session(tmp_path: Path) -> Path:
    place = tmp_path / "session.jsonl"
    place.write_bytes(b"".join(LINES[:10]))
    return place


def test_what_is_added_is_sent_and_nothing_else(remote: Remote, session: Path) -> None:
    file = GrowingFile(remote, session)
    first = file.push(whole_lines=True)
    assert first is not None
    assert (first.kind, first.sent_bytes) == (PushKind.UPLOADED, len(b"".join(LINES[:10])))
    with session.open("ab") as more:
        more.write(b"".join(LINES[10:15]) + b'{"half a li')
    second = file.push(whole_lines=True)
    assert second is not None
    assert (second.kind, second.sent_bytes) == (PushKind.APPENDED, len(b"".join(LINES[10:15])))
    assert second.source["id"] == first.source["id"]
    assert second.source["sha256"] == hashlib.sha256(b"".join(LINES[:15])).hexdigest()
    assert remote.content(file.source_id) == b"".join(LINES[:15])
    third = file.push(whole_lines=True)
    assert third is not None
    assert (third.kind, third.sent_bytes) == (PushKind.UNCHANGED, 0)


def test_what_was_appended_is_imported_and_counted(remote: Remote, session: Path) -> None:
    file = GrowingFile(remote, session)
    file.push(whole_lines=True)
    before = remote.imported(file.source_id)
    session.write_bytes(b"".join(LINES[:30]))
    file.push(whole_lines=True)
    after = remote.imported(file.source_id)
    assert before["revision"] == 1
    assert after["revision"] == 2
    assert len(list(remote.items(file.source_id))) == 30
    whole = GrowingFile(remote, session).push(whole_lines=True)
    assert whole is not None
    assert whole.source["id"] == file.source_id, "the same bytes are the same source"


def test_a_session_that_outgrows_its_owners_quota_is_refused_with_what_is_used(
    remote: Remote, session: Path, settings: Any
) -> None:
    settings.STORAGE_EACH_BYTES = session.stat().st_size + 50
    file = GrowingFile(remote, session)
    file.push(whole_lines=True)
    session.write_bytes(b"".join(LINES))
    with pytest.raises(RemoteError) as refused:
        file.push(whole_lines=True)
    assert refused.value.status == 422
    assert "that you may store" in refused.value.what
    assert "Delete sources" in refused.value.mend
    assert remote.content(file.source_id) == b"".join(LINES[:10])


def test_a_file_that_was_rewritten_becomes_a_new_source(remote: Remote, session: Path) -> None:
    file = GrowingFile(remote, session)
    first = file.push(whole_lines=True)
    session.write_bytes(b"".join(reversed(LINES)))
    second = file.push(whole_lines=True)
    assert first is not None
    assert second is not None
    assert second.kind is PushKind.UPLOADED
    assert second.source["id"] != first.source["id"]
    assert remote.content(first.source["id"]) == b"".join(LINES[:10])


def test_a_file_whose_source_was_deleted_is_uploaded_again(remote: Remote, session: Path) -> None:
    file = GrowingFile(remote, session)
    file.push(whole_lines=True)
    remote.connection.send("DELETE", f"/sources/{file.source_id}")
    again = file.push(whole_lines=True)
    assert again is not None
    assert again.kind is PushKind.UPLOADED


def test_bytes_are_appended_only_to_those_that_are_there(remote: Remote, session: Path) -> None:
    source = remote.upload(session)
    do_jobs()
    session.write_bytes(b"".join(LINES[:20]))
    for wrong in ({"sizeBytes": source["sizeBytes"] - 1}, {"sha256": "0" * 64}):
        with pytest.raises(RemoteError) as refused:
            remote.append({**source, **wrong}, session)
        assert refused.value.status == 409
        assert refused.value.document["sizeBytes"] == source["sizeBytes"]
        assert refused.value.document["sha256"] == source["sha256"]
    row = Source.objects.get(pk=source["id"])
    assert (row.size_bytes, row.sha256, row.state) == (source["sizeBytes"], source["sha256"], "ready")
    with row.upload.open("rb") as stored:
        assert stored.read() == b"".join(LINES[:10])


def test_what_is_there_as_another_source_is_not_stored_twice(remote: Remote, session: Path) -> None:
    source = remote.upload(session)
    session.write_bytes(b"".join(LINES[:20]))
    whole = remote.upload(session)
    do_jobs()
    with pytest.raises(RemoteError) as refused:
        remote.append(source, session)
    assert refused.value.document["sourceId"] == whole["id"]


def test_an_append_that_is_still_under_way_is_no_new_source(
    remote: Remote, session: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = GrowingFile(remote, session)
    file.push(whole_lines=True)
    session.write_bytes(b"".join(LINES[:20]))

    def busy(*_: object, **__: object) -> None:
        raise RemoteError("this request is being answered", status=409, document={"type": "/api/#conflict"})

    monkeypatch.setattr(remote, "append", busy)
    with pytest.raises(RemoteError, match="being answered"):
        file.push(whole_lines=True)
    assert Source.objects.count() == 1


def test_nothing_is_sent_before_a_first_line_is_whole(remote: Remote, session: Path) -> None:
    session.write_bytes(b'{"messages": [')
    assert GrowingFile(remote, session).push(whole_lines=True) is None


def test_the_last_line_end_is_found_across_blocks(tmp_path: Path) -> None:
    place = tmp_path / "long.jsonl"
    place.write_bytes(b"a\n" + b"b" * 2_500_000)
    assert line_end(place, place.stat().st_size) == 2
    assert line_end(place, 1) == 0
