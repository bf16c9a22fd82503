"""A number that remembers what it was compared with."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from budgeteer.engine.analysis.sweep.tracked_number import TrackedNumber, Watch, plain

SMALL = st.integers(-30, 30)


def swept_at(position: int) -> tuple[Watch, TrackedNumber]:
    watch = Watch(position)
    number: Any = watch.number(lambda at: at)
    return watch, number


def decide(number: Any, numbers: list[int]) -> list[bool]:
    """Comparisons of every kind, with sums, differences, products and quotients of the number."""
    array = np.array(numbers)
    found: list[bool] = [bool(max(number - 3, numbers[0]) > 5), bool(min(number * 2, 40) >= numbers[1])]
    found += (array <= number).tolist() + (array > number + 1).tolist() + (number < array).tolist()
    found += [bool(numbers[2] - number > 0), bool(number // 3 == numbers[3]), bool(number != numbers[4])]
    found += [bool(number * 2 - (number + 4) >= numbers[5]), bool(number + number // 2 < numbers[0])]
    found.append(int(np.searchsorted(np.sort(array), number, side="right")) > 2)
    return found


@given(SMALL, st.lists(SMALL, min_size=6, max_size=6))
def test_it_compares_as_the_number_it_is_and_knows_how_long_that_holds(position: int, numbers: list[int]) -> None:
    watch, number = swept_at(position)
    found = decide(number, numbers)
    assert found == decide(position, numbers)
    last = watch.last(200)
    assert all(decide(at, numbers) == found for at in range(position, last + 1))


@given(SMALL, SMALL)
def test_one_comparison_turns_exactly_where_it_is_said_to(position: int, bound: int) -> None:
    watch, number = swept_at(position)
    assert (number >= bound) == (position >= bound)
    assert watch.last(100) == (100 if position >= bound else bound - 1)


def test_two_numbers_of_one_root_are_compared_once_and_for_all() -> None:
    watch, number = swept_at(5)
    assert number + 2 > number
    assert not number >= number + 1
    assert watch.last(1_000) == 1_000


@pytest.mark.parametrize(
    "use",
    [
        int,
        float,
        range,
        lambda number: [1, 2, 3][number],
        lambda number: [1, 2, 3][:number],
        lambda number: number * 0.5,
        lambda number: number * -1,
        lambda number: number // 0,
        lambda number: number + "1",
        lambda number: "1" - number,
        lambda number: number < "1",
        np.sort,
        lambda number: np.searchsorted([1, 2], number),
    ],
)
def test_what_is_no_comparison_is_refused(use: Any) -> None:
    _, number = swept_at(2)
    with pytest.raises(TypeError):
        use(number)


def test_it_is_shown_as_the_number_it_is() -> None:
    _, number = swept_at(1_234)
    assert f"{number:,}" == "1,234"
    assert repr(number) == "TrackedNumber(1234)"
    assert plain(number) == 1_234  # type: ignore[arg-type]  # as it stands in the place of an int
    assert plain(7) == 7
    assert bool(number)
    assert not bool(number - 1_234)
    assert len({number, number}) == 1
    assert number != "1,234"
