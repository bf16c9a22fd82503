"""Which values a scan finds in texts of any length, and where."""

from __future__ import annotations

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from budgeteer.scanning import scan
from budgeteer.scanning.scan import scan_document, scan_texts
from tests.scanning.test_rules import AWS

BODY = "\n".join(base64.b64encode(bytes((7 * at + line) % 251 for at in range(48))).decode() for line in range(25))
KEY = "-----BEGIN " + f"PRIVATE KEY-----\n{BODY}\n-----END PRIVATE KEY-----"


def document_with(*texts: str) -> dict[str, object]:
    return {"texts": [{"text": text} for text in texts]}


def test_a_value_is_found_once_with_every_place():
    result = scan_document(document_with(f"a {AWS}\n{AWS}", "none", f"{AWS}"))
    [find] = result.finds
    assert (find.value, find.kind, find.count) == (AWS, "AWS key", 3)
    assert [place.path for place in find.places] == [("texts", 0, "text")] * 2 + [("texts", 2, "text")]


@pytest.mark.parametrize("before", [0, 1_000, 1_695, 1_990, 2_000, 5_000, 70_000])
@pytest.mark.parametrize("fill", ["x ", "line\n"])
def test_a_value_is_found_wherever_a_long_text_is_cut(before, fill):
    text = (fill * before)[:before] + f" {AWS} " + fill * 3_000
    [find] = scan_document(document_with(text)).finds
    [place] = find.places
    assert (find.count, text[place.start : place.end]) == (1, AWS)


@given(st.lists(st.text(alphabet="ab \n", max_size=40), max_size=8), st.integers(8, 40))
def test_pieces_hold_every_character_of_a_text(parts, longest):
    text = "".join(parts)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scan, "_LONGEST_LINE", longest)
        patch.setattr(scan, "_OVERLAP", 3)
        patch.setattr(scan, "_BATCH_CHARS", 10)
        pieces = list(scan._pieces(text))
    seen = {at for offset, piece in pieces for at in range(offset, offset + len(piece))}
    assert all(text[offset : offset + len(piece)] == piece for offset, piece in pieces)
    assert {at for at, letter in enumerate(text) if letter != "\n"} <= seen
    assert all(len(line) <= longest for _, piece in pieces for line in piece.split("\n"))


def test_a_value_does_not_reach_from_one_text_into_the_next():
    assert scan_document(document_with(AWS[:10], AWS[10:])).finds == ()


def test_a_part_of_a_value_counts_where_it_stands_alone():
    whole = 'password = "tr0ub4dor/ada@harbour.org/1"'
    [find] = scan_document(document_with(whole)).finds
    assert find.value == "tr0ub4dor/ada@harbour.org/1"
    both = document_with(whole, "to ada@quay.org or ada@harbour.org")
    finds = {each.value: each for each in scan_document(both).finds}
    assert set(finds) == {find.value, "ada@quay.org", "ada@harbour.org"}
    assert [place.path for place in finds["ada@harbour.org"].places] == [("texts", 1, "text")]


def test_a_key_is_found_whole_where_a_batch_is_full():
    for before in range(1_000, 1_040):
        text = ("y" * 63 + "\n") * before + KEY + "\nmore"
        [find] = scan_document(document_with(text)).finds
        assert find.value == KEY.removeprefix("-----")


def test_a_scan_takes_its_texts_one_after_the_other_and_ends_where_its_time_does():
    taken = []

    def texts():
        for number in range(100):
            taken.append(number)
            yield (number,), f"{AWS} {'word ' * 20_000}"

    times = iter([0.0, 0.0, scan.MOST_SECONDS])
    result = scan_texts(texts(), clock=lambda: next(times))
    assert not result.is_whole
    assert len(taken) < 5
    assert [place.path for find in result.finds for place in find.places] == [(0,)]
