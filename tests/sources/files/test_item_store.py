from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from budgeteer.sources.files.item_store import CHUNK_ITEMS, ItemReader, ItemsDamaged, StoredSequence, write_items

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters(exclude_categories=())),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
items = st.lists(st.dictionaries(st.text(max_size=8), values, max_size=4), max_size=30)


def stored(streams, header=None) -> bytes:
    file = io.BytesIO()
    write_items(file, streams, header=header)
    return file.getvalue()


def reader(data: bytes) -> ItemReader:
    return ItemReader(lambda: io.BytesIO(data))


@pytest.mark.slow
@given(items, items)
def test_what_is_written_is_what_is_read(first, second):
    found = reader(stored({"a": first, "b": second}))
    assert found.read("a") == first
    assert found.read("b") == second


@given(st.integers(0, 3 * CHUNK_ITEMS), st.integers(-5, 900), st.integers(-5, 900))
def test_a_slice_of_a_stored_sequence_is_the_slice_of_the_list(count, start, stop):
    listed = list(range(count))
    found = reader(stored({"n": ({"n": n} for n in listed)}))
    sequence = StoredSequence(found, "n", lambda item: item["n"])
    assert list(sequence[start:stop]) == listed[start:stop]
    assert list(sequence[start:stop:3]) == listed[start:stop:3]


def test_a_page_in_the_middle_unpacks_one_chunk_only():
    found = reader(stored({"n": ({"n": n} for n in range(40 * CHUNK_ITEMS))}))
    page = found.read("n", 20 * CHUNK_ITEMS + 10, 20 * CHUNK_ITEMS + 60)
    assert [item["n"] for item in page] == list(range(20 * CHUNK_ITEMS + 10, 20 * CHUNK_ITEMS + 60))
    assert found.unpacked_chunks == 1


def test_a_sequence_is_iterated_in_order_and_indexed_from_both_ends():
    found = reader(stored({"n": ({"n": n} for n in range(CHUNK_ITEMS + 7))}))
    sequence = StoredSequence(found, "n", lambda item: item["n"], start=5)
    assert list(sequence) == list(range(5, CHUNK_ITEMS + 7))
    assert (sequence[0], sequence[-1]) == (5, CHUNK_ITEMS + 6)
    with pytest.raises(IndexError):
        sequence[len(sequence)]


def test_a_stream_that_was_not_written_is_empty():
    assert reader(stored({"a": []})).read("b") == []


def test_the_header_is_read_without_unpacking_a_chunk():
    found = reader(stored({"a": [{"x": 1}]}, header={"kind": "skills"}))
    assert found.header == {"kind": "skills"}
    assert found.unpacked_chunks == 0


@pytest.mark.parametrize("keep", [0, 10, -1, -30])
def test_a_file_that_was_cut_short_is_refused(keep):
    data = stored({"a": [{"x": 1}]})
    with pytest.raises(ItemsDamaged):
        reader(data[:keep])
