"""Retrieved chunks: their order, what fits, what is said where nothing does, pins, and what a retry leaves."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from budgeteer.engine.config.schema import load_config
from budgeteer.engine.content.library import Chunk
from budgeteer.engine.counting.library_measures import measure_chunks
from budgeteer.engine.counting.tokenizers import counter_for
from budgeteer.engine.packing.search_reasons import explain_chunk
from budgeteer.engine.packing.sections.retrieval import NOTHING, ChunkCause, ChunkRoom, RetrievalFit, fit_chunks, ranked
from budgeteer.engine.rendering import render_request
from tests.conformance.counting import reference
from tests.engine.packs import bundle_of, fates, packed, user

COUNTER = counter_for("o200k_base")
CHUNKS = (
    Chunk("The ferry is late.", "a", 0.2),
    Chunk("The crane lifts forty tonnes and is painted blue. " * 3, "b", 0.9),
    Chunk("Tides.", "c", None),
    Chunk("The quay is long.", "d", 0.5),
)


def fit(room: ChunkRoom, **config: Any) -> RetrievalFit:
    settings = load_config({"retrieval": {"searchTopK": 4, **config}}).retrieval
    return fit_chunks(CHUNKS, measure_chunks(CHUNKS, counter=COUNTER), settings, counter=COUNTER, room=room)


def section(*texts: str) -> int:
    entries = [f"[Source {number}]: {text}" for number, text in enumerate(texts, 1)]
    return reference.count("\n\n".join(["# Retrieved context", *entries]))


def test_the_best_come_first_and_those_without_a_score_last() -> None:
    assert ranked(CHUNKS, np.zeros(4, np.bool_)) == (1, 3, 0, 2)
    assert ranked([Chunk("x", "1"), Chunk("y", "2")], np.zeros(2, np.bool_)) == (0, 1)


def test_the_first_that_does_not_fit_ends_a_prefix_and_fill_goes_on() -> None:
    room = ChunkRoom(section(CHUNKS[3].text, CHUNKS[0].text))
    assert fit(room).order == ()
    assert fit(room).says_nothing
    filled = fit(room, fit="fill")
    assert filled.order == (3, 0)
    assert filled.tokens == room.tokens
    assert filled.cause.tolist() == [ChunkCause.FITS, ChunkCause.NO_ROOM, ChunkCause.NO_ROOM, ChunkCause.FITS]


def test_at_the_size_it_needs_a_chunk_fits_and_one_below_it_does_not() -> None:
    for count, row in ((1, 1), (2, 3), (3, 0)):
        needed = int(fit(ChunkRoom(0)).needed_tokens[row])
        assert needed == section(*(CHUNKS[at].text for at in (1, 3, 0)[:count]))
        assert row in fit(ChunkRoom(needed)).order
        assert row not in fit(ChunkRoom(needed - 1)).order


@pytest.mark.parametrize("closed", [True, False])
def test_blank_lines_that_cost_a_token_of_their_own_are_charged_once(closed: bool) -> None:
    """A line end melts into the full stop before it, but not into a word."""
    words = tuple(Chunk("word word", str(number), 1 - number / 10) for number in range(4))
    assert COUNTER.count("word\n\n") == COUNTER.count("word") + 1
    settings = load_config({"retrieval": {"searchTopK": 4}}).retrieval
    for count in range(1, 5):
        text = "\n\n".join(["# Retrieved context", *(f"[Source {n}]: word word" for n in range(1, count + 1))])
        size = COUNTER.count(text if closed else text + "\n\n")
        for tokens, kept in ((size, count), (size - 1, count - 1)):
            found = fit_chunks(
                words,
                measure_chunks(words, counter=COUNTER),
                settings,
                counter=COUNTER,
                room=ChunkRoom(tokens, closed=closed),
            )
            assert len(found.order) == kept
            assert found.needed_tokens[count - 1] == size
            assert not kept or found.tokens <= tokens


def test_no_more_than_top_k_are_considered() -> None:
    found = fit(ChunkRoom(10_000), searchTopK=1)
    assert found.order == (1,)
    assert [found.needed_tokens[row] for row in (3, 0, 2)] == [2, 3, 4]
    settings = load_config({"retrieval": {"searchTopK": 1}}).retrieval
    reason = explain_chunk(found, settings, 3)
    assert (reason.rule, reason.sentence) == (
        "retrieval.searchTopK",
        "It comes 2nd by score; retrieval.searchTopK is 1.",
    )


@pytest.mark.parametrize(("most", "cause"), [(2, ChunkCause.RETRY_HALF), (1, ChunkCause.RETRY_BEST)])
def test_a_retry_leaves_fewer_and_says_so(most: int, cause: ChunkCause) -> None:
    found = fit(ChunkRoom(10_000, most=most, cause=cause))
    assert found.order == (1, 3)[:most]
    gone = explain_chunk(found, load_config({}).retrieval, 2)
    assert gone.rule == "retry"
    assert gone.sentence.startswith("History did not fit")


def test_a_pin_goes_first_and_beats_every_limit() -> None:
    found = fit(ChunkRoom(0, pins=frozenset({"chunk:c", "message:x"})))
    assert found.order == (2,)
    assert not found.says_nothing
    assert explain_chunk(found, load_config({}).retrieval, 2).rule == "pin"


def test_more_pins_than_chunks_may_be_searched_for_all_stay() -> None:
    found = fit(ChunkRoom(10_000, pins=frozenset({"chunk:a", "chunk:c"})), searchTopK=1)
    assert found.order == (0, 2)
    assert [found.cause[row] for row in (1, 3)] == [ChunkCause.TOO_MANY, ChunkCause.TOO_MANY]


def test_even_the_sentence_that_there_is_nothing_needs_room() -> None:
    needed = reference.count(f"# Retrieved context\n\n{NOTHING}")
    assert fit(ChunkRoom(needed)).says_nothing
    assert not fit(ChunkRoom(needed - 1)).says_nothing
    assert fit(ChunkRoom(needed - 1)).tokens == 0


def test_chunks_leave_the_last_exchange_its_room() -> None:
    """Query, most recent exchange, best chunks, older history: in this order."""
    talk = [user("older " * 60), user("recent " * 60)]
    bundle = bundle_of(*talk, chunks=(Chunk("passage " * 60, "p", 1.0),), query="Go on.")
    packing = packed(bundle, {"contextWindow": 135, "outputReserve": 0})
    assert fates(packing)["message:m2"] == "kept"
    assert fates(packing)["chunk:p"] == "dropped"
    assert packing.ledger.decision(0).counterfactual.startswith("Kept if retrieval had room for ")
    wide = packed(bundle, {"contextWindow": 215, "outputReserve": 0})
    assert {key: fates(wide)[key] for key in ("message:m1", "message:m2", "chunk:p")} == {
        "message:m1": "dropped",
        "message:m2": "kept",
        "chunk:p": "kept",
    }


def test_repeated_and_missing_ids_are_told_apart() -> None:
    chunks = (Chunk("x", "a"), Chunk("y", "a"), Chunk("z", "a#2"), Chunk("w"))
    packing = packed(bundle_of(user(), chunks=chunks), {"retrieval": {"searchTopK": 9}})
    ids = [one.id for one in packing.ledger if one.section == "retrieval"]
    assert ids == ["chunk:a", "chunk:a#3", "chunk:a#2", "chunk:4"]
    request = render_request(packing)
    assert "[Source 4]: w" in request["messages"][0]["content"]
