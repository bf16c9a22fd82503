from __future__ import annotations

import base64
import io
import time

import pytest

from budgeteer.scanning.scan import scan_texts
from budgeteer.sources.files.contents import Contents
from budgeteer.sources.files.item_store import ItemReader, write_items
from budgeteer.sources.scanning.item_texts import ITEMS_AT_ONCE, item_count, texts_of
from tests.scanning.test_rules import AWS, GITHUB


def contents_with(**streams) -> Contents:
    file = io.BytesIO()
    write_items(file, streams)
    return Contents(ItemReader(lambda: io.BytesIO(file.getvalue())))


def no_progress(_done: int, _total: int) -> None:
    pass


def message(text: str) -> dict[str, object]:
    return {"role": "user", "parts": [{"type": "text", "text": text}]}


def test_every_stream_is_looked_through_and_a_path_begins_with_the_place_of_the_item():
    contents = contents_with(
        messages=[message("none"), message(f"a {AWS}")], skipped=[{"where": "line 3", "why": "cut", "line": GITHUB}]
    )
    finds = {find.kind: find.places[0].path for find in scan_texts(texts_of(contents, no_progress)).finds}
    assert finds == {"AWS key": ("messages", 1, "parts", 0, "text"), "GitHub token": ("skipped", 0, "line")}


def test_what_a_provider_sealed_and_what_is_no_text_are_left_out():
    pixels = base64.b64encode(AWS.encode() + bytes(range(256)) * 20).decode()
    parts = [
        {"type": "reasoning", "text": "", "signature": AWS, "encrypted": AWS},
        {"type": "image", "raw": {"url": f"data:image/png;base64,{pixels}", "data": f"{AWS}{pixels}"}},
    ]
    contents = contents_with(messages=[{"role": "assistant", "parts": parts}])
    assert scan_texts(texts_of(contents, no_progress)).finds == ()
    assert {text for _, text in texts_of(contents, no_progress)} >= {"assistant", "reasoning"}


def test_items_are_unpacked_as_the_scan_comes_to_them_and_each_step_is_told():
    contents = contents_with(messages=[message(str(at)) for at in range(3 * ITEMS_AT_ONCE)])
    told: list[tuple[int, int]] = []
    texts = texts_of(contents, lambda done, total: told.append((done, total)))
    assert told == []
    next(texts)
    assert told == [(0, 3 * ITEMS_AT_ONCE)]
    assert len(list(texts)) == 3 * 3 * ITEMS_AT_ONCE - 1
    assert told[-1] == (2 * ITEMS_AT_ONCE, item_count(contents))


@pytest.mark.slow
def test_the_time_of_a_scan_grows_with_the_source_alone():
    line = (
        f"The crane at berth 4 lifts 30 t; see https://quay.example.org/plan?id=7 and api_key = 'none'. {'ab ' * 20}\n"
    )

    def seconds(megabytes: int) -> float:
        text = line * (10_000 // len(line))
        contents = contents_with(messages=[message(text) for _ in range(megabytes * 100)])
        begun = time.thread_time()
        assert scan_texts(texts_of(contents, no_progress)).is_whole
        return time.thread_time() - begun

    seconds(1)  # the libraries are loaded
    assert seconds(20) < 2 * 10 * seconds(2)
