from __future__ import annotations

import io

import pytest

from budgeteer.engine.content.conversation import Conversation, Message, TextPart
from budgeteer.engine.content.library import Chunk, FeatureSpec, Skill
from budgeteer.engine.content.source_items import SourceItems
from budgeteer.engine.counting.tokenizers import counter_for
from budgeteer.sources.measures.measuring import dump_measures, load_measures, load_message_measures, measure

COUNTER = counter_for("o200k_base")
WHAT = SourceItems(
    conversations=[
        Conversation("a", "A", [Message("user", (TextPart("how deep is it"),), id="1")]),
        Conversation("b", "B", [Message("user", (TextPart(word),), id=word) for word in ("dredge", "moor")]),
    ],
    skills=[Skill("dredge", "How to dredge.", "dredge/SKILL.md", body="First.")],
    features=[FeatureSpec("f.md", "F", "", "# F")],
    chunks=[Chunk("a passage")],
    text="some text",
)


def test_measures_survive_their_file():
    measures = measure(WHAT, counter=COUNTER)
    back = load_measures(io.BytesIO(dump_measures(measures)))
    alone = load_message_measures(io.BytesIO(dump_measures(measures)))
    assert {name: column.tolist() for name, column in alone.to_arrays().items()} == {
        name: column.tolist() for name, column in measures.messages.to_arrays().items()
    }
    for name in ("messages", "skills", "tools", "own_tools", "features"):
        for column, array in getattr(measures, name).to_arrays().items():
            assert getattr(back, name).to_arrays()[column].tolist() == array.tolist()
    assert back.chunks.tokens.tolist() == [COUNTER.count("a passage")]
    assert back.text_tokens == COUNTER.count("some text")
    assert back.total_tokens() == measures.total_tokens()


def test_an_empty_source_has_empty_measures():
    measures = measure(SourceItems(), counter=COUNTER)
    assert len(measures.messages) == 0
    assert load_measures(io.BytesIO(dump_measures(measures))).total_tokens() == 0


def test_progress_never_goes_back_and_ends_at_the_total():
    seen = []
    measure(WHAT, counter=COUNTER, progress=lambda done, total: seen.append((done, total)))
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)
    assert seen[-1] == (WHAT.total, WHAT.total)


def test_a_progress_that_raises_stops_the_counting():
    def stop(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        measure(WHAT, counter=COUNTER, progress=stop)
