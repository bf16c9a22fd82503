from __future__ import annotations

import json

import pytest

from budgeteer.engine.errors import FormatError
from budgeteer.reports.document import dump, fingerprint, pack_bytes, parse, unpack_bytes
from budgeteer.reports.snapshot import public_copy
from tests.reports.documents import sample_document


@pytest.mark.parametrize("content", ["full", "numbers"])
def test_reading_and_writing_again_gives_the_same_bytes(content):
    written = dump(public_copy(sample_document(), content=content, message_texts=()))
    assert dump(parse(written)) == written
    assert unpack_bytes(pack_bytes(written)) == written


def test_text_that_is_no_unicode_is_made_readable_once_and_for_all():
    document = sample_document(prompt=[{"id": None, "role": "user", "fate": "kept", "text": "half \ud83d a smile \0"}])
    written = dump(document)
    assert dump(parse(written)) == written
    assert parse(written)["prompt"][0]["text"] == "half ? a smile \0"


@pytest.mark.parametrize(
    ("content", "word"),
    [
        (b"", "not a report"),
        (b"[]", "not a report"),
        (b"\xff\xfe", "not a report"),
        (b'{"report": {"version": 99}}', "version 99"),
    ],
)
def test_what_is_no_report_is_refused(content, word):
    with pytest.raises(FormatError, match=word):
        parse(content)


def test_the_fingerprint_does_not_depend_on_the_order_of_keys():
    assert fingerprint({"a": 1, "b": 2}) == fingerprint({"b": 2, "a": 1}) != fingerprint({"a": 2, "b": 2})


def test_the_document_is_plain_json():
    assert json.loads(dump(sample_document()))["report"]["version"] == 1
