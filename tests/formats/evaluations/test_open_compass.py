"""Predictions of OpenCompass: texts, chats, several turns, several predictions, labels, details of an evaluation."""

from __future__ import annotations

from typing import Any

import pytest

from budgeteer.engine.content.conversation import ReasoningPart, TextPart, calls_of, results_of
from budgeteer.engine.errors import FormatError
from budgeteer.formats.detect import import_bytes
from tests.formats.evaluations.test_lm_harness import said
from tests.formats.makers.evaluations import AGENT_STEPS, OPEN_COMPASS
from tests.formats.shapes import dumps, jsonl

ASKED: list[dict[str, str]] = OPEN_COMPASS["0"]["origin_prompt"]
CHAT = [
    ("system", "Answer about ferries."),
    ("user", "Where does the ferry leave?"),
    ("assistant", "From pier two."),
    ("user", "How many piers?"),
]


def read(asked: Any, prediction: Any, **more: Any) -> list[list[tuple[str, str]]]:
    found = import_bytes(dumps({"0": {"origin_prompt": asked, "prediction": prediction, **more}}))
    assert found.format == "opencompass"
    return said(found)


def test_each_result_is_a_conversation() -> None:
    found = import_bytes(dumps(OPEN_COMPASS))
    assert (found.format, [chat.id for chat in found.conversations]) == ("opencompass", ["0", "1"])
    assert said(found) == [
        [*CHAT, ("assistant", "There are two piers.")],
        [("user", "Which boat?"), ("assistant", "The ferry.")],
    ]
    assert found.accounting is not None
    assert found.accounting.sentence() == ""


@pytest.mark.parametrize(
    "data",
    [
        jsonl(*({"idx": int(key), **row} for key, row in OPEN_COMPASS.items())),
        jsonl(*({"data_abbr": "piers", "id": int(key), "success": True, **row} for key, row in OPEN_COMPASS.items())),
        dumps(list(OPEN_COMPASS.values())),
        dumps(
            {
                "accuracy": 50.0,
                "details": {
                    "type": "GEN",
                    **{
                        key: {
                            "prompt": row["origin_prompt"],
                            "origin_prediction": row["prediction"],
                            "predictions": "2",
                            "references": row["gold"],
                        }
                        for key, row in OPEN_COMPASS.items()
                    },
                },
            }
        ),
    ],
)
def test_results_are_read_wherever_they_stand(data: bytes) -> None:
    found = import_bytes(data)
    assert (found.format, said(found)) == ("opencompass", said(import_bytes(dumps(OPEN_COMPASS))))
    assert [chat.id for chat in found.conversations] == ["0", "1"]


def test_lists_of_both_are_turns() -> None:
    turns = [("user", "Where?"), ("assistant", "There."), ("user", "When?"), ("assistant", "Now.")]
    assert read(["Where?", "When?"], ["There.", "Now."], gold=["a", None]) == [turns]
    spoken = [{"round": 1, "user": "Where?", "assistant": "There."}, {"round": 2, "user": "When?", "assistant": "Now."}]
    assert read(None, spoken) == [turns]


@pytest.mark.parametrize("words", ["content", "prompt"])
@pytest.mark.parametrize("is_filled", [True, False])
def test_replies_stand_where_a_chat_left_room_for_them(words: str, is_filled: bool) -> None:
    asked = [
        {"role": "user", words: "Where?"},
        {"role": "assistant", words: "There." if is_filled else ""},
        {"role": "user", words: "When?"},
        {"role": "assistant", words: "Now." if is_filled else ""},
    ]
    turns = [("user", "Where?"), ("assistant", "There."), ("user", "When?"), ("assistant", "Now.")]
    assert read(asked, ["There.", "Now."]) == [turns]
    assert read([*asked[:1], {"role": "BOT", words: ""}], "There.") == [turns[:2]]


def test_several_predictions_of_one_prompt_are_branches() -> None:
    for asked, chat in (("Where?", [("user", "Where?")]), (ASKED, CHAT)):
        assert read(asked, ["There.", "Here.", "Nowhere."]) == [
            [*chat, ("assistant", reply)] for reply in ("There.", "Here.", "Nowhere.")
        ]


def test_the_label_that_was_predicted_is_the_reply() -> None:
    labels = {
        f"label: {label}": {"testing input": "x", "prompt": f"Which boat?\nAnswer: {words}", "PPL": 1.5, "BPB": 0.1}
        for label, words in (("A", "The tug"), ("B", "The ferry"))
    }
    assert read("Which boat?\nAnswer: The tug", "B", gold="B", **labels) == [
        [("user", "Which boat?\nAnswer: The"), ("assistant", "ferry")]
    ]
    with pytest.raises(FormatError, match="OpenCompass"):
        read("Which boat?", "C", **labels)


def test_a_result_without_a_reply_is_its_prompt_and_is_counted() -> None:
    found = import_bytes(dumps({**OPEN_COMPASS, "2": {"origin_prompt": ASKED, "prediction": "", "refr": "Two."}}))
    assert said(found)[2] == CHAT
    assert "Results without a reply: 1" in found.warnings
    assert not any("say nothing" in warning for warning in found.warnings)
    found = import_bytes(dumps({**OPEN_COMPASS, "2": {"origin_prompt": None, "prediction": ""}}))
    assert (len(found.conversations), [item.where for item in found.skipped]) == (2, ["the object, result 2"])


def test_a_message_of_another_role_is_read_and_one_of_no_role_is_left_out_and_accounted_for() -> None:
    words = " ".join(f"pier{number}" for number in range(300))
    asked = [
        {"role": "HUMAN", "prompt": "Where?"},
        {"role": "THOUGHTS", "prompt": "At the pier?"},
        {"role": "", "prompt": words},
    ]
    found = import_bytes(dumps({"0": {"origin_prompt": asked, "prediction": "There."}}))
    assert found.warnings == (
        "Messages of no role, left out: 1",
        "Messages of the role `THOUGHTS`, read as the assistant's: 1",
    )
    assert said(found)[0] == [("user", "Where?"), ("assistant", "At the pier?"), ("assistant", "There.")]
    assert found.accounting is not None
    assert (found.accounting.unread, found.accounting.left_out) == (0, len(words))


def test_steps_of_an_agent_stand_before_its_answer() -> None:
    row = {"origin_prompt": "Where from?", "prediction": "From pier two.", "steps": AGENT_STEPS}
    found = import_bytes(dumps({"0": row}))
    (chat,) = found.conversations
    asked, searched, result, clock, failure, reply = chat.messages
    assert asked.parts == (TextPart("Where from?"),)
    assert searched.parts[0] == ReasoningPart("I look the pier up.")
    assert [(one.name, one.arguments) for one in calls_of(searched)] == [("PierSearch", '{"query":"ferry"}')]
    assert results_of(result)[0].content == (TextPart("Pier two."),)
    assert [(one.name, one.arguments) for one in calls_of(clock)] == [("Clock", "{}")]
    assert (results_of(failure)[0].content, results_of(failure)[0].is_error) == (
        (TextPart("There is no clock."),),
        True,
    )
    assert reply.parts == (ReasoningPart("That is enough."), TextPart("From pier two."))
    assert found.warnings == ()
    assert found.accounting is not None
    assert (found.accounting.unread, found.accounting.left_out) == (0, 0)


def test_a_last_step_that_says_something_else_than_the_answer_is_a_call() -> None:
    row = {"origin_prompt": "Where from?", "prediction": "From pier two.", "steps": AGENT_STEPS[:1]}
    (chat,) = import_bytes(dumps({"0": row})).conversations
    assert [message.role for message in chat.messages] == ["user", "assistant", "tool", "assistant"]


def test_arguments_of_the_step_that_gives_the_answer_are_left_out_and_counted() -> None:
    step = {**AGENT_STEPS[2], "args": {"draft": "From one of the piers."}}
    found = import_bytes(dumps({"0": {"origin_prompt": "Where?", "prediction": "From pier two.", "steps": [step]}}))
    assert found.warnings == ("Arguments of steps that give the answer, left out: 1",)
    assert [message.role for message in found.conversations[0].messages] == ["user", "assistant"]


@pytest.mark.parametrize(
    "row",
    [
        {"origin_prompt": "Where?", "prediction": "There.", "steps": ["looked"]},
        {"origin_prompt": "Where?", "prediction": ["There.", "Here."], "steps": AGENT_STEPS},
    ],
)
def test_steps_that_cannot_be_tied_to_one_answer_are_left_out_and_counted(row: dict[str, Any]) -> None:
    assert "Steps of agents, left out: 1" in import_bytes(dumps({"0": row})).warnings


def test_a_result_of_odd_values_is_listed_or_read() -> None:
    for odd in (None, 7, [], {}, "x", [None], [7.5], {"prediction": 3}, [{"role": "HUMAN"}], [[]]):
        for key in ("origin_prompt", "prediction", "gold", "label: A", "steps"):
            found = import_bytes(dumps({**OPEN_COMPASS, "2": {**OPEN_COMPASS["0"], key: odd}}))
            assert said(found)[:2] == said(import_bytes(dumps(OPEN_COMPASS)))
