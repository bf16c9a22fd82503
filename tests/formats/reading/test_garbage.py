"""Circles are looked for seldom while files are read, and as usual afterwards."""

from __future__ import annotations

import gc
import threading

from budgeteer.formats.reading.garbage import MADE, collected_seldom


def test_the_usual_pace_comes_back_after_the_last_import() -> None:
    usual = gc.get_threshold()
    inside, outside = threading.Event(), threading.Event()

    def another() -> None:
        with collected_seldom():
            inside.set()
            outside.wait(30)

    thread = threading.Thread(target=another)
    with collected_seldom():
        assert gc.get_threshold()[0] == MADE
        thread.start()
        assert inside.wait(30)
    assert gc.get_threshold()[0] == MADE
    outside.set()
    thread.join(30)
    assert gc.get_threshold() == usual


def test_a_pace_that_is_slower_already_stays() -> None:
    usual = gc.get_threshold()
    try:
        for pace in (0, 2 * MADE):
            gc.set_threshold(pace, 10, 10)
            with collected_seldom():
                assert gc.get_threshold() == (pace, 10, 10)
            assert gc.get_threshold() == (pace, 10, 10)
    finally:
        gc.set_threshold(*usual)
