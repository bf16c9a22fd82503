"""Event logs of OpenAI Evals: calls that go on, several samples, older versions, what is left out."""

from __future__ import annotations

from typing import Any

import pytest

from budgeteer.engine.errors import FormatError
from budgeteer.formats.detect import import_bytes
from tests.formats.evaluations.test_lm_harness import said
from tests.formats.makers.evaluations import OPENAI_EVALS, event
from tests.formats.shapes import dumps, jsonl

SPEC, FIRST, MATCH, OTHER, SECOND, REPORT = OPENAI_EVALS
ASKED = [("system", "Answer about ferries."), ("user", "Where does the ferry leave?")]


def test_calls_of_a_sample_are_one_conversation_and_other_samples_are_branches() -> None:
    found = import_bytes(jsonl(*OPENAI_EVALS))
    assert found.format == "openai-evals"
    assert said(found) == [
        [*ASKED, ("assistant", "From pier two."), ("user", "And when?"), ("assistant", "At eight.")],
        [("user", "How many piers?"), ("assistant", "Two.")],
        [("user", "How many piers?"), ("assistant", "Three.")],
    ]
    whole, asked, other = found.conversations
    assert [chat.id for chat in found.conversations] == ["piers.0", "piers.1", "piers.1~2"]
    assert (asked.branches, other.branch_of, whole.model, asked.model) == (1, "piers.1", "gpt-4-0613", "gpt-4")
    assert (whole.reported_input_tokens, whole.recorded[0].position, whole.recorded[0].output_tokens) == (31, 4, 6)
    assert "Non-message lines, not read: 3 (1 spec, 1 match, 1 final_report)" in found.warnings
    assert "Calls that a later call goes on from, left out: 1" in found.warnings
    assert found.accounting is not None
    assert found.accounting.sentence() == ""


@pytest.mark.parametrize("data", [dumps(OPENAI_EVALS[1:-1]), jsonl(*OPENAI_EVALS[1:-1]), jsonl(*OPENAI_EVALS)[:-30]])
def test_events_are_read_wherever_they_stand(data: bytes) -> None:
    assert said(import_bytes(data)) == said(import_bytes(jsonl(*OPENAI_EVALS)))


@pytest.mark.parametrize(
    ("sampled", "replies"),
    [
        ("Two.", ["Two."]),
        (["Two."], ["Two."]),
        ([{"pier": 2}], ['{"pier":2}']),
        (["Two.", "", None, "Three."], ["Two.", "Three."]),
    ],
)
def test_what_was_sampled_is_a_text_or_a_list(sampled: Any, replies: list[str]) -> None:
    found = import_bytes(jsonl(SPEC, event(0, "sampling", {"prompt": "How many?", "sampled": sampled})))
    assert [chat[-1] for chat in said(found)] == [("assistant", reply) for reply in replies]


@pytest.mark.parametrize(
    ("spec", "own", "model"),
    [
        ({"completion_fns": ["generation/direct/gpt-4"]}, {}, "gpt-4"),
        ({"completion_fns": ["gpt-4", "gpt-3.5-turbo"]}, {}, ""),
        ({"completion_fns": ["gpt-4", "gpt-3.5-turbo"]}, {"model": "gpt-4-0613"}, "gpt-4-0613"),
        ({"model_name": "gpt-3.5-turbo", "model_names": {}}, {}, "gpt-3.5-turbo"),
        ({"completion_fns": []}, {"metadata": {"model": "davinci"}}, "davinci"),
        ({"completion_fns": [7]}, {}, ""),
    ],
)
def test_the_model_is_the_one_that_answered_or_the_only_one_of_the_run(
    spec: dict[str, Any], own: dict[str, Any], model: str
) -> None:
    found = import_bytes(jsonl({"spec": spec}, event(0, "sampling", {"prompt": "Hi", "sampled": ["Hello."], **own})))
    assert found.conversations[0].model == model


def test_calls_of_other_samples_are_kept_though_they_say_the_same() -> None:
    again = {**SECOND, "sample_id": "piers.2"}
    assert [chat.id for chat in import_bytes(jsonl(FIRST, SECOND, again)).conversations] == ["piers.0", "piers.2"]
    apart = event(9, "sampling", {"prompt": "Which boat?", "sampled": "The ferry."})
    assert [chat.id for chat in import_bytes(jsonl(FIRST, apart)).conversations] == ["piers.0", "piers.0#2"]


def test_an_event_without_a_text_is_listed() -> None:
    for data in ({"prompt": "Hi"}, {"sampled": "x"}, {"prompt": "Hi", "sampled": []}, {"prompt": [1], "sampled": "x"}):
        found = import_bytes(jsonl(*OPENAI_EVALS, event(7, "sampling", data)))
        assert [item.where for item in found.skipped] == ["line 7"]
        assert said(found) == said(import_bytes(jsonl(*OPENAI_EVALS)))


def test_a_log_without_calls_is_refused_by_name() -> None:
    with pytest.raises(FormatError, match="OpenAI Evals"):
        import_bytes(jsonl(SPEC, MATCH, REPORT))


def test_odd_values_are_read_or_refused() -> None:
    for odd in (None, 7, [], {}, "x", [None], [{}], [{"role": 3}]):
        for key in ("run_id", "event_id", "sample_id", "type", "created_at"):
            assert said(import_bytes(jsonl(FIRST, {**OTHER, key: odd}, SECOND)))
        for key in ("prompt", "sampled", "usage", "model", "metadata"):
            assert said(import_bytes(jsonl(FIRST, {**OTHER, "data": {**OTHER["data"], key: odd}})))
