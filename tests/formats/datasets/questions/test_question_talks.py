"""Questions asked in a row about a text: CoQA's and QuAC's own forms, and rows that are something else."""

from __future__ import annotations

from typing import Any

import pytest

from budgeteer.engine.content.conversation import text_of
from budgeteer.formats.detect import import_bytes
from tests.formats.shapes import dumps

TEXT = "Ada lives in Oslo."
COQA = {"story": TEXT, "questions": [{"input_text": "Where?", "turn_id": 1}], "answers": [{"input_text": "Oslo"}]}
QUAC = {"context": TEXT, "qas": [{"question": "Where?", "answers": [{"text": "in"}], "orig_answer": {"text": "Oslo"}}]}
ROW = {"background": "B", "context": TEXT, "questions": ["Where?"], "answers": {"texts": [["Oslo", "in Oslo"]]}}


@pytest.mark.parametrize(
    "value",
    [
        {"version": "1.0", "data": [COQA]},
        {"data": [{"title": "Ada", "background": "B", "paragraphs": [QUAC]}]},
        [ROW, ROW],
        [{"passage": TEXT, "questions": ["Where?"], "answers": ["Oslo"]}],
    ],
)
def test_the_text_stands_before_the_first_question(value: Any) -> None:
    found = import_bytes(dumps(value))
    said = [(message.role, text_of(message)) for message in found.conversations[0].messages]
    assert (found.format, said) == ("question-talks", [("user", f"{TEXT}\n\nWhere?"), ("assistant", "Oslo")])


def test_a_text_without_as_many_answers_is_listed_as_skipped() -> None:
    found = import_bytes(dumps([ROW, {**ROW, "answers": []}]))
    assert [(item.where, item.why) for item in found.skipped] == [
        ("element 2", "no text with questions and as many answers")
    ]


@pytest.mark.parametrize(("text", "summary"), [("dialogue", "summary"), ("article", "highlights")])
def test_a_text_and_its_summary_are_what_was_asked_and_the_reply(text: str, summary: str) -> None:
    rows = [{"id": "1", text: "Ada: Late?\r\nBo: Yes.", summary: "Bo is late."}] * 3
    found = import_bytes(dumps(rows))
    assert (found.format, len(found.conversations)) == ("questions", 3)
    assert text_of(found.conversations[0].messages[1]) == "Bo is late."


def test_comparisons_of_webgpt_are_ranked_replies() -> None:
    row = {"question": {"id": "1", "full_text": "Why salt?"}, "answer_0": "Rivers.", "answer_1": "Rocks.", "score_0": 1}
    main, other, *_ = import_bytes(dumps([row, row])).conversations
    assert [text_of(message) for message in main.messages] == ["Why salt?", "Rivers."]
    assert text_of(other.messages[-1]) == "Rocks."
