"""Word of progress comes also where nothing new can be counted."""

from __future__ import annotations

import io
import json
import tempfile
from itertools import pairwise
from typing import Any

import pytest

from budgeteer.formats.detect import import_bytes, import_file
from budgeteer.formats.messages.progress import STEP, ProgressHeartbeat
from budgeteer.formats.reading.document import Options
from budgeteer.formats.reading.limits import Limits
from tests.formats.shapes import Session

MESSAGES = 3 * STEP


def test_the_last_word_is_said_again_between_the_items() -> None:
    told: list[tuple[int, int, str]] = []
    telling = ProgressHeartbeat(lambda *said: told.append(said))
    assert list(telling.over(range(STEP))) == list(range(STEP))
    assert told == []
    telling(2, 5, "lines")
    assert list(telling.over(range(2 * STEP + 1))) == list(range(2 * STEP + 1))
    assert told == [(2, 5, "lines")] * 3


def test_nobody_has_to_listen() -> None:
    telling = ProgressHeartbeat()
    telling(1, 2, "lines")
    assert list(telling.over(range(STEP))) == list(range(STEP))


def test_whoever_listens_may_stop_the_work() -> None:
    def stop(*_said: Any) -> None:
        raise KeyboardInterrupt

    def first(*said: Any) -> None:
        telling._progress = stop

    telling = ProgressHeartbeat(first)
    telling(1, 2, "lines")
    with pytest.raises(KeyboardInterrupt):
        list(telling.over(range(STEP)))


def test_reading_held_lines_is_told_of_behind_opening_them() -> None:
    told: list[tuple[int, int, str]] = []
    row = json.dumps({"role": "user", "content": "Hi"}).encode() + b"\n"
    imported = import_bytes(row * MESSAGES, progress=lambda *said: told.append(said))
    assert len(imported.conversations[0].messages) == MESSAGES
    last = told[-1]
    assert last[2] == "lines"
    assert told.count(last) > 2 * MESSAGES // STEP  # each pass over the lines, not their opening alone


def test_walking_the_tree_of_a_far_session_is_told_of() -> None:
    session = Session()
    for number in range(MESSAGES):
        session.user(f"u{number}", "Hi")
    told: list[tuple[int, int, str]] = []
    with tempfile.TemporaryFile() as scratch:
        options = Options(Limits(held_bytes=0), lambda *said: told.append(said), scratch=lambda: scratch)
        import_file(io.BytesIO(session.data), options=options)
    repeats = sum(one == two for one, two in pairwise(told))
    assert repeats > 6 * MESSAGES // STEP
