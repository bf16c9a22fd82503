"""Conversations in a row are one sequence, of which only what is asked for is read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import overload

import pytest
from hypothesis import given
from hypothesis import strategies as st

from budgeteer.engine.content.conversation import Message, TextPart
from budgeteer.engine.counting.lazy_messages import ConcatenatedMessages, LazyMessages, outlines_of


def messages(*texts: str) -> list[Message]:
    return [Message("user", (TextPart(text),)) for text in texts]


class Watched(Sequence[Message]):
    """Messages that note the stretches which are read of them."""

    def __init__(self, held: list[Message]) -> None:
        self.held = held
        self.read: list[tuple[int, int]] = []

    def __len__(self) -> int:
        return len(self.held)

    @overload
    def __getitem__(self, index: int) -> Message: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Message]: ...
    def __getitem__(self, index: int | slice) -> Message | Sequence[Message]:
        assert isinstance(index, slice)
        self.read.append(index.indices(len(self))[:2])
        return self.held[index]


ENDS = st.none() | st.integers(-9, 9)


@given(
    st.lists(st.integers(0, 4), max_size=4), ENDS, ENDS, st.none() | st.integers(-3, 3).filter(bool), st.integers(-9, 9)
)
def test_it_is_the_list_of_all_of_them(
    sizes: list[int], start: int | None, stop: int | None, step: int | None, at: int
) -> None:
    talks = [messages(*(f"{number}.{one}" for one in range(size))) for number, size in enumerate(sizes)]
    flat = [message for one in talks for message in one]
    row = ConcatenatedMessages(talks)
    assert len(row) == len(flat)
    assert list(row) == flat
    assert list(row[start:stop:step]) == flat[start:stop:step]
    if -len(flat) <= at < len(flat):
        assert row[at] == flat[at]
    else:
        with pytest.raises(IndexError):
            row[at]


def test_only_the_conversations_of_a_stretch_are_read() -> None:
    talks = [Watched(messages(*"abc")), Watched(messages(*"de")), Watched(messages(*"fgh"))]
    assert list(ConcatenatedMessages(talks)[4:6]) == messages("e", "f")
    assert [one.read for one in talks] == [[], [(1, 2)], [(0, 1)]]


def test_what_is_far_is_paired_by_its_outlines_and_what_is_near_by_itself() -> None:
    class Far(LazyMessages):
        outlines = messages("…")

        def __len__(self) -> int:
            raise AssertionError("no message of it is looked at")

        def __getitem__(self, index: int | slice) -> Message:  # type: ignore[override]
            raise AssertionError("no message of it is looked at")

    near = messages("a", "b")
    assert outlines_of(near) is near
    assert outlines_of(Far()) == messages("…")
