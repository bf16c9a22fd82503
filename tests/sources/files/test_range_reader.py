from __future__ import annotations

import io

from hypothesis import given
from hypothesis import strategies as st

from budgeteer.sources.files import range_reader
from budgeteer.sources.files.range_reader import RangeReader

STEPS = st.lists(
    st.tuples(st.just("read"), st.integers(-1, 60) | st.none())
    | st.tuples(st.just("to"), st.integers(0, 250))
    | st.tuples(st.just("by"), st.integers(-40, 40))
    | st.tuples(st.just("end"), st.integers(-250, 5)),
    max_size=30,
)


class Afar:
    """Bytes that are far away, and how often they were asked for."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.asked: list[tuple[int, int | None]] = []

    def fetch(self, start: int, length: int | None) -> tuple[bytes, int]:
        self.asked.append((start, length))
        return self.data[start : None if length is None else start + length], len(self.data)

    def open(self) -> RangeReader:
        return RangeReader(self.fetch, lambda: len(self.data))


def moved(file: io.BufferedIOBase, step: tuple[str, int | None]) -> object:
    what, by = step
    if what == "read":
        return file.read(by)
    size = len(file.getvalue()) if isinstance(file, io.BytesIO) else file.size
    at = {"to": by, "by": file.tell() + by, "end": size + by}[what]
    return file.seek(max(at, 0))


@given(st.binary(max_size=200), STEPS)
def test_it_reads_and_moves_as_a_file_does(data, steps):
    near, far = io.BytesIO(data), Afar(data).open()
    for step in steps:
        assert (moved(far, step), far.tell()) == (moved(near, step), near.tell())


def test_a_read_asks_for_its_own_bytes_and_one_that_goes_on_for_more(monkeypatch):
    monkeypatch.setattr(range_reader, "FIRST_AHEAD", 16)
    monkeypatch.setattr(range_reader, "MOST_AHEAD", 32)
    afar = Afar(bytes(range(200)))
    file = afar.open()
    for _ in range(10):
        file.read(10)
    assert afar.asked == [(0, 10), (10, 16), (26, 32), (58, 32), (90, 32)]
    afar.asked.clear()
    file.seek(150)
    file.read(7)
    assert afar.asked == [(150, 7)]


def test_the_whole_is_one_request_and_its_end_is_known_afterwards():
    afar = Afar(b"x" * 100)
    file = afar.open()
    assert (len(file.read()), file.read(), file.read(5)) == (100, b"", b"")
    assert afar.asked == [(0, None)]
