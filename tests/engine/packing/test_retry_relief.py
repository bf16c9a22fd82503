"""What the retry ladder takes from retrieval: half of the chunks, the best ones stay, and only where history gains."""

from typing import Any

from budgeteer.engine.content.library import Chunk
from budgeteer.engine.packing.result import Packing
from tests.engine.packs import assistant, bundle_of, fates, packed, user

#: Three exchanges of 20 tokens, under chars/4 and without any frame.
TALK = [message for _ in range(3) for message in (user("u" * 40), assistant("a" * 40))]
#: Four chunks of 20 tokens, the best first.
CHUNKS = tuple(Chunk("c" * 80, f"c{number}", 1 - number / 10) for number in range(4))


def climbed(window: int, **more: Any) -> Packing:
    config = {
        "contextWindow": window,
        "outputReserve": 0,
        "safetyMarginPercent": 0,
        "tokenizer": "chars/4",
        "retry": {"enabled": True},
        "retrieval": {"searchTopK": 4},
        **more,
    }
    packing = packed(bundle_of(*TALK, chunks=CHUNKS, tokenizer="chars/4"), config)
    assert packing.fits
    return packing


def rungs(packing: Packing) -> list[tuple[str, int, int]]:
    return [(rung.name, rung.tokens, rung.allowed_tokens) for rung in packing.chosen.history.rungs]


def chunks_of(packing: Packing) -> list[str]:
    return [key for key, fate in fates(packing).items() if key.startswith("chunk:") and fate == "kept"]


def test_half_of_the_chunks_goes_where_half_of_history_was_not_enough() -> None:
    packing = climbed(115)
    header = 115 - 24 - 4 * 20
    assert rungs(packing) == [
        ("all of history that can be sent", 60, 24),
        ("without the oldest half", 30, 24),
        ("without the oldest half and half the chunks", 30, 24 + 2 * 20),
    ]
    assert chunks_of(packing) == ["chunk:c0", "chunk:c1"]
    assert packing.total.tokens == header + 2 * 20 + 30
    gone = next(one for one in packing.ledger if one.id == "chunk:c2")
    assert (gone.rule, gone.sentence) == ("retry", "History did not fit, so the lower half of the chunks goes.")


def test_of_an_odd_number_of_chunks_the_middle_one_stays() -> None:
    packing = climbed(95)
    assert rungs(packing)[-1] == ("without the oldest half and half the chunks", 30, 24 + 20)
    assert chunks_of(packing) == ["chunk:c0", "chunk:c1"]


def test_no_chunk_goes_where_half_of_history_was_enough() -> None:
    packing = climbed(121)
    assert rungs(packing) == [("all of history that can be sent", 60, 30), ("without the oldest half", 30, 30)]
    assert len(chunks_of(packing)) == 4
    assert len(rungs(climbed(120))) == 3
    assert rungs(climbed(151)) == []


def test_a_lone_chunk_cannot_be_halved() -> None:
    packing = climbed(120, retrieval={"searchTopK": 1})
    assert rungs(packing) == []
    narrow = climbed(55, retrieval={"searchTopK": 1})
    assert chunks_of(narrow) == ["chunk:c0"]
    assert rungs(narrow)[-1] == ("only the last exchange", 20, 24)
