"""Of two appends to the same bytes one is taken; the other is told what is there, though the file has gone by then."""

from __future__ import annotations

import pytest

from budgeteer.sources import services
from budgeteer.sources.files.storage import StorageAway
from budgeteer.sources.models import Source
from budgeteer.sources.uploads import as_file
from tests.sources.material import upload

pytestmark = pytest.mark.django_db


def append(source: Source, data: bytes) -> Source:
    known = services.ExpectedBytes(source.size_bytes, source.sha256)
    return services.append(source, as_file(data, "more"), known=known)


def test_who_read_the_row_before_its_file_was_replaced_is_told_what_is_there_now(
    owner, django_capture_on_commit_callbacks
):
    upload(owner, b"one\n")
    early, late = Source.objects.get(), Source.objects.get()
    with django_capture_on_commit_callbacks(execute=True):
        append(early, b"two\n")
    with pytest.raises(services.AppendRefused) as refused:
        append(late, b"three\n")
    assert refused.value.size_bytes == len(b"one\ntwo\n")


def test_a_file_that_is_lost_stays_an_error_of_the_storage(owner):
    upload(owner, b"one\n")
    source = Source.objects.get()
    source.upload.storage.delete(source.upload.name)
    with pytest.raises(StorageAway):
        append(source, b"two\n")
