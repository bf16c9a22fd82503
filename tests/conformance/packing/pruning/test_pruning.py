"""Properties of every packing with pruning on."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from budgeteer.engine.config.schema import load_config
from budgeteer.engine.counting.tokenizers import counter_for
from budgeteer.engine.inputs.bundle import Inputs, build_bundle
from budgeteer.engine.packing.pack import pack
from budgeteer.engine.packing.result import Packing
from budgeteer.engine.rendering import render_request
from budgeteer.formats.detect import import_bytes
from tests.conformance import generated
from tests.conformance.invariants import check_everything
from tests.conformance.packing.pruning.pruning_material import inputs, settings_of
from tests.conformance.packing.test_idempotence import joins_a_notice, joins_the_line
from tests.conformance.packing.test_packing import FORMS, configurations, slowly
from tests.conformance.recount import compact
from tests.conformance.rendering.reading_back import count_read_back_alike, read_back

pytestmark = pytest.mark.conformance


def packed(given_inputs: Inputs, data: dict[str, Any], provider: str | None) -> Packing:
    tokenizer = data["tokenizer"]
    if tokenizer == "auto":
        tokenizer = "cl100k_base" if data["model"] == "gpt-4" else "o200k_base"
    counter = counter_for(tokenizer)
    return pack(build_bundle(given_inputs, counter=counter), load_config(data), counter=counter, provider=provider)


@st.composite
def ranges(draw: st.DrawFn, given_inputs: Inputs) -> list[dict[str, Any]]:
    """Batches of ranges that go with a conversation: whole groups, blocks within blocks among them."""
    bundle = build_bundle(given_inputs, counter=counter_for("chars/4"))
    groups: list[list[str]] = []
    for row, group in enumerate(bundle.history_measures.group.tolist()):
        if row and group == bundle.history_measures.group[row - 1]:
            groups[-1].append(f"m{row + 1:03d}")
        else:
            groups.append([f"m{row + 1:03d}"])
    batches: list[dict[str, Any]] = []
    for number in range(1, draw(st.integers(0, 4)) + 1):
        if len(groups) < 2:
            break
        start = draw(st.integers(0, len(groups) - 2))
        end = draw(st.integers(start + 1, min(start + 6, len(groups) - 1)))
        inside = [one[0] for one in groups[start : end + 1] if one[0][0] == "b"]
        summary = draw(generated.WORDS).replace("(b", "(c") + "".join(f" then ({one})" for one in inside)
        span = {"startId": groups[start][0], "endId": groups[end][-1], "summary": summary}
        batches.append({"topic": draw(generated.NAMES), "ranges": [{**span, "open": draw(st.integers(0, 5)) == 0}]})
        groups[start : end + 1] = [[f"b{number}"]]
    return batches


@st.composite
def pruned_configurations(draw: st.DrawFn, given_inputs: Inputs) -> dict[str, Any]:
    data = draw(configurations())
    data["contextWindow"] += draw(st.sampled_from([0, 1_500, 2_000]))
    data["pruning"] = {**draw(settings_of()), "maxNesting": 9, "ranges": draw(ranges(given_inputs))}
    return data


@st.composite
def subjects(draw: st.DrawFn, *, failing: bool = True) -> tuple[Inputs, dict[str, Any]]:
    given_inputs = draw(inputs(failing=failing))
    data = draw(pruned_configurations(given_inputs))
    window = data["contextWindow"] - data["outputReserve"]
    words = sum(len(one["summary"]) for batch in data["pruning"]["ranges"] for one in batch["ranges"])
    assume(words * 5 < window or not data["pruning"]["ranges"])  # else the summaries may be over their own bound
    return given_inputs, data


@slowly
@given(subjects(), st.sampled_from(FORMS))
def test_a_packing_with_pruning_breaks_nothing(subject: tuple[Inputs, dict[str, Any]], provider: str | None) -> None:
    packing = packed(*subject, provider)
    check_everything(packing)
    assert packing.verdict.not_sent_tokens >= 0
    assert all(category.not_sent_tokens >= 0 for category in packing.categories)


@slowly
@given(generated.conversations(valid=False), configurations(), settings_of(), st.sampled_from(FORMS))
def test_a_packing_of_broken_input_with_pruning_breaks_nothing(
    conversation: Any, data: dict[str, Any], pruning: dict[str, Any], provider: str | None
) -> None:
    check_everything(packed(Inputs(conversation=conversation), {**data, "pruning": pruning}, provider))


@slowly
@given(subjects(failing=False))
def test_packing_a_packed_prompt_changes_nothing(subject: tuple[Inputs, dict[str, Any]]) -> None:
    given_inputs, data = subject
    count_read_back_alike(data)
    data["tokenizer"] = "auto"
    # Read back, a message in the user's name is history: what pruning explains is said anew.
    in_name = data["system"]["placement"] == "user"
    if in_name or data["history"]["strategy"] != "full" or data["shares"]["enabled"]:
        data["system"] = {"placement": "dedicated"}
    first = packed(given_inputs, data, "openai-chat")
    request = render_request(first)
    assume(first.fits and len(request["messages"]) > 1)
    (conversation,) = import_bytes(compact(request).encode("utf-8", "surrogatepass")).conversations
    again = packed(Inputs(conversation=conversation), data, "openai-chat")
    assert render_request(again) == request
    assert {one.fate for one in again.ledger} == {"kept"}
    assert again.total == first.total


@pytest.mark.slow
@slowly
@given(subjects(failing=False), st.sampled_from(["openai-responses", "anthropic", "gemini"]))
def test_a_packed_request_of_any_provider_is_packed_to_itself(
    subject: tuple[Inputs, dict[str, Any]], provider: str
) -> None:
    given_inputs, data = subject
    data |= {"tokenizer": "auto", "system": {"placement": "dedicated"}, "shares": {"enabled": False}}
    assume(data["history"]["strategy"] != "summarizeOlder")
    data["history"]["ends"]["between"] = "notice"  # and so is one that keepEnds writes
    count_read_back_alike(data)
    for batch in data["pruning"]["ranges"]:
        batch["ranges"][0]["open"] = False
    first = packed(given_inputs, data, provider)
    request = render_request(first)
    assume(first.fits and (request.get("messages") or request.get("input") or request.get("contents")))
    assume("thought" not in compact(request))
    assume(not joins_the_line(request))  # read back, that is one message of the user's, and no line
    assume(not joins_a_notice(request))  # nor is that a notice: the message gets a second id
    if provider == "anthropic":
        (conversation,) = import_bytes(compact(request).encode("utf-8", "surrogatepass")).conversations
    else:
        conversation = read_back(request, provider)
    again = packed(Inputs(conversation=conversation), data, provider)
    assert render_request(again) == request
    assert {one.fate for one in again.ledger} == {"kept"}
    assert again.total.tokens <= first.total.tokens


@pytest.mark.slow
@slowly
@given(inputs(), configurations())
def test_pruning_that_is_off_changes_nothing(given_inputs: Inputs, data: dict[str, Any]) -> None:
    plain, off = packed(given_inputs, data, None), packed(given_inputs, {**data, "pruning": {"dedupe": False}}, None)
    assert render_request(plain) == render_request(off)
    assert plain.total == off.total
