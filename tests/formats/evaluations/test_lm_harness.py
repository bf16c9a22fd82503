"""Samples of the Language Model Evaluation Harness: chats, templates, filters, scored continuations, results files."""

from __future__ import annotations

import json
from typing import Any

import pytest

from budgeteer.engine.content.conversation import TextPart
from budgeteer.engine.errors import FormatError
from budgeteer.formats.detect import import_bytes
from budgeteer.formats.evaluations import lm_harness
from budgeteer.formats.messages.branches import MOST_BRANCHES
from budgeteer.formats.messages.imported import Imported
from tests.formats.makers.evaluations import LM_EVAL
from tests.formats.shapes import dumps, jsonl

ASKED, SCORED = LM_EVAL


def said(found: Imported) -> list[list[tuple[str, str]]]:
    return [
        [
            (message.role, "".join(part.text for part in message.parts if isinstance(part, TextPart)))
            for message in chat.messages
        ]
        for chat in found.conversations
    ]


def asked(context: Any, *replies: str) -> dict[str, Any]:
    return {**ASKED, "arguments": {"gen_args_0": {"arg_0": context, "arg_1": {}}}, "resps": [list(replies)]}


def test_a_reply_is_the_first_that_was_sampled_or_the_likeliest_continuation() -> None:
    found = import_bytes(jsonl(*LM_EVAL))
    assert (found.format, [chat.branch_of for chat in found.conversations]) == ("lm-eval", ["", "0", ""])
    assert said(found) == [
        [("user", "Question: How many piers?\nAnswer:"), ("assistant", "There are two piers.")],
        [("user", "Question: How many piers?\nAnswer:"), ("assistant", "Three.")],
        [("user", "Question: Which boat?\nAnswer:"), ("assistant", "The ferry")],
    ]
    assert found.accounting is not None
    assert found.accounting.unread * 20 < found.accounting.characters


@pytest.mark.parametrize(
    "data", [dumps(LM_EVAL), dumps({"results": {}, "samples": {"ferries": LM_EVAL}, "n-shot": {}}), jsonl(*LM_EVAL)]
)
def test_rows_are_read_wherever_they_stand(data: bytes) -> None:
    assert said(import_bytes(data)) == said(import_bytes(jsonl(*LM_EVAL)))


def test_a_row_of_each_filter_is_read_once() -> None:
    other = {**ASKED, "filter": "flexible-extract", "filtered_resps": ["two"]}
    found = import_bytes(jsonl(ASKED, SCORED, other))
    assert said(found) == said(import_bytes(jsonl(*LM_EVAL)))
    assert "Rows that another filter of the replies repeats, read once: 1" in found.warnings


@pytest.mark.parametrize(
    "context",
    [
        json.dumps([{"role": "system", "content": "Be short."}, {"role": "user", "content": "How many?"}]),
        [json.dumps([{"role": "system", "content": "Be short."}, {"role": "user", "content": "How many?"}])],
        "<|im_start|>system\nBe short.<|im_end|>\n<|im_start|>user\nHow many?<|im_end|>\n<|im_start|>assistant\n",
    ],
)
def test_a_chat_is_read_as_its_messages(context: Any) -> None:
    assert said(import_bytes(jsonl(asked(context, "Two.")))) == [
        [("system", "Be short."), ("user", "How many?"), ("assistant", "Two.")]
    ]


def test_what_lmms_eval_writes_is_read() -> None:
    row = {"doc_id": 3, "target": "2", "input": "How many?", "resps": [["Two."]], "filtered_resps": ["Two."]}
    assert said(import_bytes(jsonl(row))) == [[("user", "How many?"), ("assistant", "Two.")]]


def test_the_same_document_of_two_tasks_has_two_ids() -> None:
    found = import_bytes(dumps({"samples": {"one": LM_EVAL, "two": LM_EVAL}}))
    assert [chat.id for chat in found.conversations] == ["one/0", "one/0~2", "one/1", "two/0", "two/0~2", "two/1"]
    found = import_bytes(jsonl(ASKED, asked("Which?", "That.", "This.")))
    assert [(chat.id, chat.branch_of) for chat in found.conversations] == [
        ("0", ""),
        ("0~2", "0"),
        ("0#2", ""),
        ("0~2#2", "0#2"),
    ]


def test_results_without_samples_are_refused_by_name() -> None:
    with pytest.raises(FormatError, match="Language Model Evaluation Harness"):
        import_bytes(dumps({"results": {"t": {"acc,none": 1}}, "group_subtasks": {}, "n-shot": {"t": 0}}))


def test_a_row_of_odd_values_is_skipped_or_read() -> None:
    for odd in (None, 7, [], {}, "x", [None], [[]], [[None, None]], [[[10**400, "True"]]], {"gen_args_0": 4}):
        for key in ("arguments", "resps", "doc_id"):
            found = import_bytes(jsonl(ASKED, {**SCORED, key: odd}))
            assert said(found)[:2] == said(import_bytes(jsonl(ASKED)))


def test_what_stands_in_the_place_of_a_flag_is_not_passed_over() -> None:
    words = "the ferry to the outer islands leaves from the second pier"
    odd = {**SCORED, "resps": [SCORED["resps"][0], [["-4.25", {"role": "user", "content": words}]]]}
    told = import_bytes(jsonl(odd)).accounting
    assert told is not None
    assert told.unread >= len(words)


def test_several_replies_to_one_input_are_branches_of_one_conversation() -> None:
    """The prompt stands once in the file, however many replies were sampled."""
    row = {"doc_id": 7, "input": "How many piers?", "resps": [["Two."], ["Three."], ["Four.", 7]]}
    found = import_bytes(jsonl(row))
    assert [(chat.id, chat.branch_of) for chat in found.conversations] == [("7", ""), ("7~2", "7"), ("7~3", "7")]
    assert said(found) == [[("user", "How many piers?"), ("assistant", text)] for text in ("Two.", "Three.", "Four.")]


def test_of_many_replies_no_more_are_read_than_are_offered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each is read with the whole prompt before it, which the file holds once."""
    read: list[Any] = []
    reader = lm_harness.add_exchange
    monkeypatch.setattr(lm_harness, "add_exchange", lambda draft, *said: read.append(said) or reader(draft, *said))
    found = import_bytes(jsonl(asked("How many piers?", *(f"There are {number}." for number in range(500)))))
    assert len(read) == len(found.conversations) == MOST_BRANCHES + 1
    assert found.conversations[0].branches == 499
