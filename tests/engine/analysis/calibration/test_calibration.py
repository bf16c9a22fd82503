"""A calibration finds what a provider charged, and leaves out what says nothing about it."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

import numpy as np
import pytest

from budgeteer.engine.analysis.calibration.calibration import MIN_REQUESTS, Calibration, calibrate
from budgeteer.engine.analysis.calibration.recorded_growth import LeftOut
from budgeteer.engine.analysis.calibration.robust_regression import robust_fit
from budgeteer.engine.analysis.counted_text import counted_text, measured_text
from budgeteer.engine.config.schema import load_config
from budgeteer.engine.content.conversation import (
    REQUEST_FORM,
    WITHOUT_TEXTS,
    Conversation,
    ImagePart,
    Message,
    OpaquePart,
    Part,
    ReasoningPart,
    RecordedRequest,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)
from budgeteer.engine.counting.tokenizers import counter_for
from budgeteer.engine.errors import TokenizerUnavailable
from budgeteer.engine.inputs.bundle import Inputs, build_bundle
from budgeteer.engine.packing.allocation import calibrated_margin, tokenizer_of
from budgeteer.engine.packing.pack import pack

WORDS = ("the", "lamp", "keeper", "rows", "past", "a", "harbour", "wall", "and", "counts", "ships", "at", "dawn")
COUNTER = counter_for("claude-v3")


def said(role: Any, *parts: Part) -> Message:
    return Message(role, parts)


def one(conversation: Conversation, *, model: str = "", tokenizer: str = "") -> Calibration:
    (found,) = calibrate([conversation], model=model, tokenizer=tokenizer)
    return found


def session(requests: int, *, factor: float = 1.0, call: int = 45, parameter: int = 15, seed: int = 1) -> Conversation:
    """A session whose provider charges so many tokens for each counted, and around calls and parameters."""
    random = Random(seed)
    messages = [said("user", TextPart("Begin."))]
    recorded = [RecordedRequest(1, 10_000, model="claude-sonnet-4-5")]
    charged = 10_000.0
    for number in range(requests):
        arguments = {f"p{at}": " ".join(random.choices(WORDS, k=5)) for at in range(random.randint(1, 4))}
        written = "{" + ",".join(f'"{name}":"{value}"' for name, value in arguments.items()) + "}"
        result = " ".join(random.choices(WORDS, k=random.randint(5, 400)))
        talk = [TextPart("Looking.")] if number % 3 else []
        messages.append(said("assistant", *talk, ToolCallPart(f"c{number}", "look", written)))
        messages.append(said("tool", ToolResultPart(f"c{number}", (TextPart(result),))))
        texts = ["look", *arguments, *arguments.values(), result, *(part.text for part in talk)]
        charged += factor * sum(map(COUNTER.count, texts)) + call + parameter * len(arguments) + 2 * len(talk)
        recorded.append(RecordedRequest(len(messages), round(charged), model="claude-sonnet-4-5"))
    return Conversation("s", "s", tuple(messages), model="claude-sonnet-4-5", recorded=tuple(recorded))


def test_a_fit_gives_back_what_was_charged() -> None:
    found = one(session(60, factor=1.31, call=50, parameter=9))
    assert found.coefficients is not None
    assert found.fitted is not None
    assert found.coefficients.per_token == pytest.approx(1.31, abs=0.002)
    assert found.coefficients.per_call == pytest.approx(50, abs=2)
    assert found.coefficients.per_parameter == pytest.approx(9, abs=1)
    assert found.fitted.median < 0.005
    assert found.counted is not None
    assert found.counted.total == pytest.approx(-0.2, abs=0.05)
    assert found.counted.p99_under > 0.2


def test_what_is_kept_counts_as_was_charged() -> None:
    """A packing under what one session gave is as large as another session's provider recorded it."""
    found = one(session(80, factor=1.31, call=50, parameter=9))
    kept = found.kept(made="2026-11-23", source="a session")
    assert kept is not None
    assert found.not_kept == ""
    assert kept.error.p99_under < 0.01
    talk = session(60, factor=1.31, call=50, parameter=9, seed=2)
    data = {"model": "claude-sonnet-4-5", "calibrations": [kept.model_dump(by_alias=True)]}
    config = load_config(data)
    counter = counter_for(tokenizer_of(config))
    packing = pack(build_bundle(Inputs(conversation=talk), counter=counter), config, counter=counter)
    grown = talk.recorded[-1].input_tokens - talk.recorded[0].input_tokens
    assert packing.total.tokens == pytest.approx(grown, rel=0.01)
    assert (packing.kind, packing.tokenizer) == ("calibrated", "claude-v3")
    assert packing.safety_margin_percent == calibrated_margin(kept) == 1
    assert counted_text(packing) == f"calibrated, {measured_text(kept)}"


def test_what_cannot_be_used_is_not_kept_and_says_why() -> None:
    few = one(session(MIN_REQUESTS - 1))
    renamed = [replace(each, model="our-proxy") for each in session(30).recorded]
    unknown = one(replace(session(30), recorded=tuple(renamed)))
    quarter = one(session(30), tokenizer="chars/4")
    other = one(session(60, factor=9))
    reasons = [found.not_kept for found in (few, unknown, quarter, other)]
    assert [found.kept(made="2026-11-23") for found in (few, unknown, quarter, other)] == [None] * 4
    assert ["fewer" in reasons[0], "not known" in reasons[1], "chars/4" in reasons[2], "9" in reasons[3]] == [True] * 4


def test_a_charge_is_never_below_nothing() -> None:
    found = one(session(80, call=60, parameter=-9))
    assert found.coefficients is not None
    assert found.coefficients.per_parameter == 0
    assert 0 < found.coefficients.per_call < 60


def test_a_few_requests_that_held_more_than_the_file_shows_do_not_move_a_fit() -> None:
    talk = session(60)
    more = np.cumsum([900 if number % 12 == 5 else 0 for number in range(len(talk.recorded))]).tolist()
    moved = tuple(
        replace(request, input_tokens=request.input_tokens + added)
        for request, added in zip(talk.recorded, more, strict=True)
    )
    found = one(replace(talk, recorded=moved))
    assert found.coefficients is not None
    assert found.coefficients.per_token == pytest.approx(1, abs=0.005)
    assert found.coefficients.per_call == pytest.approx(45, abs=3)


def test_a_fit_is_held_against_stretches_that_it_was_not_fitted_to() -> None:
    """Of two sessions whose provider charged otherwise, each is predicted by the other: both are far off."""
    apart = calibrate([session(30, factor=1.0), session(30, factor=1.5, seed=2)])[0]
    alike = calibrate([session(30, factor=1.5), session(30, factor=1.5, seed=2)])[0]
    assert apart.fitted is not None
    assert alike.fitted is not None
    assert apart.fitted.median > 0.2
    assert alike.fitted.median < 0.01


def test_few_requests_are_held_against_the_count_but_give_no_fit() -> None:
    few = one(session(MIN_REQUESTS - 1))
    assert few.counted is not None
    assert abs(few.counted.total) < 0.01
    assert (few.coefficients, few.fitted) == (None, None)
    assert one(session(MIN_REQUESTS)).coefficients is not None
    nothing = one(session(0))
    assert (nothing.counted, nothing.recorded.recorded) == (None, 0)


IMAGE = ImagePart({"type": "image"}, 10, 10)
SEAL = ReasoningPart("", encrypted="c2VhbGVk", provider="openai")
CASES: dict[LeftOut, dict[str, Any]] = {
    LeftOut.UNKNOWN_MODEL: {"model": "brand-new-model"},
    LeftOut.OTHER_MODEL: {"next_model": "claude-opus-4-5"},
    LeftOut.OTHER_SERVER: {"next": {"other_server": True}},
    LeftOut.BEGUN: {"first": {"program": "2.1.37"}},
    LeftOut.NOT_READ: {"first": {"cache_read_tokens": 50, "cache_write_tokens": 40}, "next": {"cache_read_tokens": 89}},
    LeftOut.WITHOUT_TEXTS: {"metadata": {WITHOUT_TEXTS: True}},
    LeftOut.NOT_LARGER: {"grown": -5},
    LeftOut.NOTHING_ADDED: {"added": ()},
    LeftOut.FILES_UNREAD: {"next": {"files_unread": True}},
    LeftOut.REDACTED: {
        "added": (
            said("assistant", ToolCallPart("c", "look", "{}")),
            said("tool", ToolResultPart("c", (TextPart("See REDACTED/wall"),))),
        )
    },
    LeftOut.MEDIA: {"added": (said("user", TextPart("See"), IMAGE),)},
    LeftOut.SEALED: {"added": (said("user", OpaquePart("x", {"type": "x"}, "anthropic")),)},
    LeftOut.AT_PROVIDER: {
        "after": (said("assistant", OpaquePart("web_search_call", {"type": "x"}, "openai-responses")),)
    },
    LeftOut.REASONING: {"added": (said("assistant", ReasoningPart("So.", "c2ln"), TextPart("Yes.")),)},
    LeftOut.REASONING_ENDED: {
        "model": "gpt-5.5",
        "added": (said("assistant", SEAL, TextPart("Yes.")), said("user", TextPart("Go on."))),
        "reasoning": 12,
    },
}


@pytest.mark.parametrize("reason", [reason for reason in LeftOut if reason is not LeftOut.LAST])
def test_a_request_that_says_nothing_about_counts_is_left_out_with_its_reason(reason: LeftOut) -> None:
    case = CASES[reason]
    model = case.get("model", "claude-sonnet-4-5")
    added = case.get("added", (said("assistant", TextPart("Yes.")), said("user", TextPart("Go on."))))
    first = RecordedRequest(1, 100, reasoning_tokens=case.get("reasoning"), model=model, **case.get("first", {}))
    following = RecordedRequest(1 + len(added), 100 + case.get("grown", 40), model=case.get("next_model", model))
    following = replace(following, **case.get("next", {}))
    messages = (said("user", TextPart("Begin.")), *added, *case.get("after", ()))
    talk = Conversation("s", "s", messages, model=model, recorded=(first, following))
    found = calibrate([replace(talk, metadata=case.get("metadata", {}))])
    left_out = sum((one.records.left_out for one in found), start=type(found[0].records.left_out)())
    assert left_out == {reason: 1, LeftOut.LAST: 1} if reason is not LeftOut.UNKNOWN_MODEL else {reason: 2}
    assert sum(len(one.records.growths) for one in found) == 0


@pytest.mark.parametrize("seal", [SEAL, ReasoningPart("", provider="openai")], ids=["sealed", "seal taken out"])
def test_sealed_reasoning_is_taken_off_where_its_tokens_are_recorded(seal: ReasoningPart) -> None:
    call = said("assistant", seal, ToolCallPart("c", "look", "{}"))
    messages = (said("user", TextPart("Begin.")), call, said("tool", ToolResultPart("c", (TextPart("A wall."),))))
    recorded = (
        RecordedRequest(1, 100, reasoning_tokens=400, model="gpt-5.5"),
        RecordedRequest(3, 530, reasoning_tokens=0, model="gpt-5.5"),
    )
    talk = Conversation("s", "s", messages, recorded=recorded, metadata={REQUEST_FORM: "openai-responses"})
    (growth,) = one(talk).records.growths
    assert growth.recorded_tokens == 30


def in_a_turn(*parts: Part, grown: int, is_error: bool = False, **of_next: Any) -> Conversation:
    """A reply with one call, its result, and by how much the input of the request after it is larger."""
    answer = ToolResultPart("c", (TextPart("A wall."),), is_error=is_error)
    messages = (
        said("user", TextPart("Begin.")),
        said("assistant", *parts, ToolCallPart("c", "look", "{}")),
        said("tool", answer),
    )
    model = "claude-opus-4-5"
    recorded = (RecordedRequest(1, 100, model=model), RecordedRequest(3, 100 + grown, model=model, **of_next))
    return Conversation("s", "s", messages, model=model, recorded=recorded)


def counted_of(talk: Conversation) -> int:
    (growth,) = one(talk).records.growths
    return growth.counted_tokens


def sealed(text: str, more: int) -> ReasoningPart:
    """Thinking with a seal that is so many bytes longer than its text."""
    return ReasoningPart(text, signature="A" * ((len(text.encode()) + more) * 4 // 3))


def test_thinking_that_is_no_summary_goes_back_and_is_counted() -> None:
    thought = "The wall is what was asked for, and it stands in the harbour."
    more = counted_of(in_a_turn(sealed(thought, 170), grown=90)) - counted_of(in_a_turn(grown=60))
    assert more == COUNTER.count(thought) + 14
    assert one(in_a_turn(sealed(thought, 900), grown=900)).records.left_out[LeftOut.REASONING] == 1


def test_only_a_program_adds_listings_to_a_context_that_it_began() -> None:
    """And only to the first request after one: those that go on are used, and so are those of no program."""
    talk = session(6)
    sent = [replace(request, program="2.1.37") for request in talk.recorded]
    sent[4:] = [replace(request, input_tokens=request.input_tokens - 8_000) for request in sent[4:]]
    assert len(one(talk).records.growths) == 6
    left_out = one(replace(talk, recorded=tuple(sent))).records.left_out
    assert left_out == {LeftOut.BEGUN: 2, LeftOut.NOT_LARGER: 1, LeftOut.LAST: 1}


def test_a_call_that_failed_takes_more() -> None:
    plain, failed = in_a_turn(grown=60), in_a_turn(grown=68, is_error=True)
    assert counted_of(failed) - counted_of(plain) == 8


def test_what_a_program_is_known_to_have_added_is_counted_and_is_no_text() -> None:
    (plain,), (more,) = (
        one(talk).records.growths for talk in (in_a_turn(grown=60), in_a_turn(grown=170, unwritten_tokens=110))
    )
    assert more.counted_tokens == plain.counted_tokens + 110
    assert more.text_tokens == plain.text_tokens


@pytest.mark.parametrize(("written", "read"), [(40, 90), (40, 120), (0, 0)])
def test_a_cache_that_was_read_or_promises_nothing_leaves_nothing_out(written: int, read: int) -> None:
    talk = in_a_turn(grown=60, cache_read_tokens=read)
    first = replace(talk.recorded[0], cache_read_tokens=50, cache_write_tokens=written)
    assert counted_of(replace(talk, recorded=(first, talk.recorded[1]))) > 0


def test_a_fit_is_of_what_stands_in_the_file() -> None:
    talk = session(60, factor=1.2)
    reminded = [
        replace(request, input_tokens=request.input_tokens + 900 * at, unwritten_tokens=900 if at else 0)
        for at, request in enumerate(talk.recorded)
    ]
    found, plain = one(replace(talk, recorded=tuple(reminded))), one(talk)
    assert found.coefficients == plain.coefficients


def test_an_unknown_name_may_be_read_as_a_known_model_and_another_tokenizer_may_count() -> None:
    talk = session(MIN_REQUESTS)
    renamed = replace(talk, recorded=tuple(replace(each, model="our-proxy") for each in talk.recorded))
    assert one(renamed).records.row is None
    found = one(renamed, model="claude-sonnet-4-5", tokenizer="chars/4")
    assert (found.records.model, found.records.tokenizer) == ("claude-sonnet-4-5", "chars/4")
    assert found.to_json()["requestsUsed"] == MIN_REQUESTS
    with pytest.raises(TokenizerUnavailable):
        calibrate([talk], tokenizer="no-such")


def test_other_branches_repeat_the_requests_of_their_conversation() -> None:
    talk = session(3)
    (found,) = calibrate([talk, replace(talk, id="b", branch_of="s")])
    assert found.records.requests == 4


def test_a_robust_fit_is_least_squares_where_nothing_is_wrong() -> None:
    columns = np.array([[at, at % 3] for at in range(1, 40)], np.float64)
    assert robust_fit(columns, columns @ np.array([2.0, 7.0])) == pytest.approx([2.0, 7.0])
