"""Runs of HELM: completions, thoughts, chats, pictures, references that were scored, requests that failed."""

from __future__ import annotations

from typing import Any

import pytest

from budgeteer.engine.content.conversation import ImagePart, ReasoningPart, TextPart
from budgeteer.engine.errors import FormatError
from budgeteer.formats.detect import import_bytes
from tests.formats.evaluations.test_lm_harness import said
from tests.formats.makers.evaluations import HELM, HELM_REQUESTS, state
from tests.formats.shapes import dumps, zipped


def run(*states: dict[str, Any]) -> bytes:
    return dumps({**HELM, "request_states": states})


def test_a_request_is_a_conversation_and_other_completions_are_branches() -> None:
    found = import_bytes(dumps(HELM))
    asked = ("user", "Question: How many piers?\nAnswer:")
    assert found.format == "helm"
    assert said(found) == [
        [asked, ("assistant", "Two piers.")],
        [asked, ("assistant", "Three piers.")],
        [("user", "Question: Which boat?\nAnswer:"), ("assistant", "The ferry.")],
    ]
    assert [(chat.id, chat.branch_of, chat.model) for chat in found.conversations] == [
        ("id7", "", "gpt-4o"),
        ("id7~2", "id7", "gpt-4o"),
        ("id7#2", "", "gpt-4o"),
    ]
    reply = found.conversations[0].messages[1]
    assert reply.parts == (ReasoningPart("A look first: Two piers."), TextPart("Two piers."))
    assert reply.created == "2026-09-21T14:13:20Z"
    assert found.accounting is not None
    assert found.accounting.sentence() == ""


def test_a_chat_and_a_prompt_with_pictures_are_read() -> None:
    messages = [{"role": "system", "content": "Be short."}, {"role": "user", "content": "Where?"}]
    pictures = [
        {"content_type": "text/plain", "text": "Which pier?"},
        {"content_type": "image/png", "location": "https://example.org/pier.png"},
        {"content_type": "audio/mpeg", "location": "horn.mp3"},
    ]
    chat, pictured = import_bytes(
        run(
            state("x", "There.", messages=messages, prompt=""),
            state("x", "Two.", multimodal_prompt={"media_objects": pictures}, prompt=""),
        )
    ).conversations
    assert [message.role for message in chat.messages] == ["system", "user", "assistant"]
    text, picture, sound = pictured.messages[0].parts
    assert (text, type(picture)) == (TextPart("Which pier?"), ImagePart)
    assert isinstance(sound, TextPart)
    assert "horn.mp3" in sound.text


def scored(at: int, logprob: float, words: str) -> dict[str, Any]:
    prompt = f"Question: How many piers?\nAnswer: {words}"
    raw = state("How many piers?", prompt, prompt=prompt, echo_prompt=True)
    (completion,) = raw["result"]["completions"]
    completion.update(logprob=logprob, tokens=[{"text": "x", "logprob": logprob}])
    completion.pop("thinking")
    return {**raw, "reference_index": at, "request_mode": "original"}


def test_of_references_that_were_scored_the_likeliest_is_the_reply() -> None:
    found = import_bytes(run(scored(0, -2.5, "Two."), scored(1, -9.5, "Nine."), state("Which boat?", "The ferry.")))
    assert said(found) == [
        [("user", "Question: How many piers?\nAnswer: "), ("assistant", "Two.")],
        [("user", "Question: Which boat?\nAnswer:"), ("assistant", "The ferry.")],
    ]
    assert "References that were less likely than the one read as the reply, left out: 1" in found.warnings
    found = import_bytes(run(scored(0, -9.5, "Two."), scored(1, -2.5, "Nine.")))
    assert said(found)[0][-1] == ("assistant", "Nine.")


def test_references_of_an_instance_are_compared_with_each_other_alone() -> None:
    first = [scored(0, -2.5, "Two."), scored(1, -9.5, "Nine.")]
    alone = [{**raw, "request_mode": "calibration"} for raw in (scored(0, -1.5, "Two."), scored(1, -1, "Nine."))]
    changed = [scored(0, -9.5, "Two."), scored(1, -1.5, "Nine.")]
    for one in changed:
        one["instance"]["perturbation"] = {"name": "typos", "seed": 1}
    found = import_bytes(run(first[0], alone[0], first[1], alone[1], *changed))
    assert [chat[-1] for chat in said(found)] == [("assistant", "Two."), ("assistant", "Nine.")]
    assert "Requests that score a reference without its question, left out: 2" in found.warnings


def test_an_echo_of_the_prompt_is_no_part_of_the_reply() -> None:
    asked = "Question: Which boat?\nAnswer:"
    raw = state("Which boat?", f"{asked} The ferry.", echo_prompt=True)
    assert said(import_bytes(run(raw))) == [[("user", asked), ("assistant", " The ferry.")]]


def test_a_request_that_failed_is_listed() -> None:
    failed = {**state("Where?"), "result": {"success": False, "completions": [], "error": "429"}}
    found = import_bytes(run(failed, state("Which boat?", "The ferry.")))
    assert [(item.where, item.why) for item in found.skipped] == [("the object, request 1", "no reply of a model")]
    with pytest.raises(FormatError, match="HELM"):
        import_bytes(run(failed))


def test_a_request_of_odd_values_is_listed_or_read() -> None:
    for odd in (None, 7, [], {}, "x", [None], [{"text": 3}]):
        for key in ("instance", "request", "result", "train_trial_index"):
            found = import_bytes(run(*HELM["request_states"], {**state("x", "Two."), key: odd}))
            assert said(found)[:3] == said(import_bytes(dumps(HELM)))
        for part, key in (
            ("request", "prompt"),
            ("request", "messages"),
            ("result", "completions"),
            ("instance", "id"),
        ):
            raw = state("x", "Two.")
            found = import_bytes(run(*HELM["request_states"], {**raw, part: {**raw[part], key: odd}}))
            assert said(found)[:3] == said(import_bytes(dumps(HELM)))


def test_requests_alone_are_prompts_without_replies() -> None:
    found = import_bytes(dumps(HELM_REQUESTS))
    assert found.format == "helm-requests"
    assert said(found) == [
        [("user", "Question: How many piers?\nAnswer:")],
        [("user", "Question: Which boat?\nAnswer:")],
    ]
    assert [(chat.id, chat.model) for chat in found.conversations] == [("id7", "gpt-4o"), ("id8", "gpt-4o")]
    assert found.warnings == ("Requests without their replies, which stand in other files: 2",)
    assert found.accounting is not None
    assert found.accounting.sentence() == ""


def test_a_chat_and_pictures_are_read_of_requests_alone_and_ids_are_made_unique() -> None:
    chat = [{"role": "system", "content": "Be short."}, {"role": "user", "content": "Where?"}]
    pictured = {"media_objects": [{"content_type": "image/png", "location": "https://example.org/pier.png"}]}
    asked: list[dict[str, Any]] = [{"messages": chat}, {"multimodal_prompt": pictured}]
    rows = [
        {"instance_id": "id7", "train_trial_index": at, "request": {"prompt": "", **request}}
        for at, request in enumerate(asked)
    ]
    talk, picture = import_bytes(dumps(rows)).conversations
    assert [message.role for message in talk.messages] == ["system", "user"]
    assert type(picture.messages[0].parts[0]) is ImagePart
    assert (talk.id, picture.id) == ("id7", "id7#2")


def test_in_an_archive_a_run_is_read_once_and_predictions_are_no_transcript() -> None:
    predictions = [{"instance_id": "id7", "train_trial_index": 0, "predicted_text": "Two piers.", "stats": {}}]
    files = {
        "r/scenario_state.json": dumps(HELM),
        "r/display_requests.json": dumps(HELM_REQUESTS),
        "r/display_predictions.json": dumps(predictions),
    }
    found = import_bytes(zipped(files))
    assert [chat.id for chat in found.conversations] == ["id7", "id7~2", "id7#2"]
    why = {item.where: item.why for item in found.skipped}
    assert why["r/display_requests.json"] == "repeats what a file of the format `helm` beside it says"
    assert why["r/display_predictions.json"].startswith("no transcript: ")
