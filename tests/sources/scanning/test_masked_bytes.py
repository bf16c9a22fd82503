from __future__ import annotations

import gzip
import io
import json
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from budgeteer.engine.errors import InputError
from budgeteer.sources.scanning import masked_bytes as module
from budgeteer.sources.scanning.masked_bytes import MaskedBytes, check_can_be_masked, masked_bytes
from tests.scanning.test_rules import AWS, GITHUB

KIND = "assigned password or key"


def masked(data: bytes, *values: str, encoding: str = "utf-8") -> MaskedBytes:
    return masked_bytes(data, dict.fromkeys(values, KIND), encoding=encoding, progress=lambda _done, _total: None)


@given(st.text(min_size=6, max_size=30), st.booleans())
def test_a_value_is_masked_in_a_string_and_in_a_string_within_it_and_the_file_stays_json(secret, is_ascii):
    value = f"{secret}7!"
    call = {"arguments": json.dumps({"password": value}, ensure_ascii=is_ascii)}
    data = json.dumps([f"p = {value}.", call], ensure_ascii=is_ascii).encode("utf-8", "surrogatepass")
    result = masked(data, value)
    text, after = json.loads(result.data)
    assert text == f"p = [masked: {KIND}]."
    assert json.loads(after["arguments"]) == {"password": f"[masked: {KIND}]"}
    assert (result.places, result.missing) == (2, 0)


@pytest.mark.parametrize(
    ("written", "value"),
    [
        (b'{"a": "x\\/y\\/2345"}', "x/y/2345"),
        (b'{"a": "p\\u003cq\\u0026r1"}', "p<q&r1"),
        (b"KEY\r\nline 2\r\nEND", "KEY\nline 2\nEND"),
        ("Schlüssel: ü1ü2ü3".encode("utf-16-le"), "ü1ü2ü3"),
    ],
)
def test_a_value_is_masked_as_other_writers_write_it(written, value):
    encoding = "utf-16-le" if b"\0" in written else "utf-8"
    result = masked(written, value, encoding=encoding)
    assert (result.places, result.missing) == (1, 0)
    assert f"[masked: {KIND}]" in result.data.decode(encoding)


def test_what_stands_in_no_known_form_is_counted_and_of_two_values_the_longer_is_first():
    result = masked(f"{AWS} and {AWS[4:]}".encode(), AWS[4:], AWS, GITHUB)
    assert result.data == f"[masked: {KIND}] and [masked: {KIND}]".encode()
    assert (result.places, result.missing, result.left) == (2, 1, 0)


def test_a_plain_word_that_is_a_whole_string_of_json_stays_since_it_may_give_the_file_its_shape():
    text = json.dumps({"role": "system", "system": 1, "text": 'password = "system"; system'})
    result = masked(text.encode(), "system")
    told = json.loads(result.data)
    assert told == {"role": "system", "system": 1, "text": f'password = "[masked: {KIND}]"; [masked: {KIND}]'}
    assert (result.places, result.left) == (2, 2)
    assert masked(b'password = "system"', "system").left == 0


def test_too_many_values_are_refused(monkeypatch):
    monkeypatch.setattr(module, "MOST_MASKED", 2)
    with pytest.raises(InputError, match="3 values were found"):
        masked(b"x", "a1", "b2", "c3")


def test_what_is_packed_or_binary_is_refused_in_one_sentence():
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("a.txt", "a")
    for head in (archive.getvalue(), gzip.compress(b"a")):
        with pytest.raises(InputError, match="a packed file cannot be masked"):
            check_can_be_masked(head, name="a.zip")
    with pytest.raises(InputError, match="cannot be masked: its parts have lengths"):
        check_can_be_masked(b"SQLite format 3\0" + bytes(100), name="a.db")
    check_can_be_masked(b'{"a": 1}', name="a.json")
