"""Calls of `compress` that a session recorded are applied as its agent applied them."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from budgeteer.engine.analysis.replay.replay import replay
from budgeteer.engine.config.schema import load_config
from budgeteer.engine.content.conversation import Message, TextPart, ToolCallPart, ToolResultPart
from budgeteer.engine.counting.tokenizers import counter_for
from budgeteer.engine.errors import CompressRefused
from budgeteer.engine.inputs.bundle import Inputs, build_bundle
from budgeteer.engine.packing.result import Packing
from budgeteer.engine.providers.registry import PROVIDERS
from budgeteer.engine.rendering import render_request
from budgeteer.formats.detect import import_bytes
from tests.engine.analysis.replay.test_replay import subject_of, talk
from tests.engine.packs import assistant, bundle_of, fates, packed, result, system, user

MANUAL = {"pruning": {"mode": "manual"}}


def compressing(
    call_id: str, *ranges: tuple[str, str, str], key: str = "ranges", failed: bool = False
) -> list[Message]:
    """A call of `compress` with its result."""
    listed = [{"startId": start, "endId": end, "summary": summary} for start, end, summary in ranges]
    call = ToolCallPart(call_id, "compress", json.dumps({"topic": f"topic {call_id}", key: listed}))
    answer = ToolResultPart(call_id, (TextPart("Done."),), failed)
    return [Message("assistant", (call,)), Message("tool", (answer,))]


LONG = "stone " * 60
RUN = [user(LONG), assistant(LONG, "a"), result("a", LONG), assistant(LONG), user("And?")]
NEXT = [user(LONG), assistant(LONG), user("Then?")]


def blocks(packing: Packing) -> dict[str, str]:
    """The text of each block that stands, by its id."""
    found = packing.pruned.blocks if packing.pruned else ()
    return {block.id: block.body for block in found}


def test_a_recorded_call_is_a_range_in_the_session_s_own_words() -> None:
    bundle = bundle_of(system("Be brief."), *RUN, *compressing("c", ("m001", "m004", "All of it.")), *NEXT)
    packing = packed(bundle, MANUAL)
    assert blocks(packing) == {"b1": "All of it."}
    assert [fates(packing)[f"message:m{at}"] for at in (2, 3, 4, 5)] == ["summarised"] * 4
    assert "Calls of compress that the session recorded are applied: 1." in packing.notes
    # The same range typed in comes to the same request.
    typed = {"topic": "topic c", "ranges": [{"startId": "m001", "endId": "m004", "summary": "All of it."}]}
    by_hand = packed(bundle, {"pruning": {"mode": "manual", "ranges": [typed]}})
    assert render_request(packing) == render_request(by_hand)
    # It is not applied where pruning is off, or the configuration says which ranges there are.
    assert blocks(packed(bundle)) == {}
    assert blocks(packed(bundle, {"pruning": {"mode": "manual", "ranges": []}})) == {}


@pytest.mark.parametrize("key", ["ranges", "content"])
@pytest.mark.parametrize("ids", [("m1", "m4"), ("m0001", "m0004"), (" M001 ", "m004")])
def test_ids_are_read_however_they_are_written(key: str, ids: tuple[str, str]) -> None:
    bundle = bundle_of(*RUN, *compressing("c", (*ids, "So."), key=key), *NEXT)
    assert blocks(packed(bundle, MANUAL)) == {"b1": "So."}


def test_calls_that_failed_or_cannot_be_applied_change_nothing_and_the_latter_are_named() -> None:
    calls = [
        *compressing("c1", ("m001", "m004", "no"), failed=True),
        *compressing("c2", ("m001", "m099", "no")),
        *compressing("c3", ("m004", "m001", "no")),
        *compressing("c4", ("m001", "m004", " ")),
        *compressing("c5", ("m001", "m004", "yes")),
        *compressing("c6", ("m002", "m004", "no")),
    ]
    packing = packed(bundle_of(*RUN, *calls, *NEXT), MANUAL)
    assert blocks(packing) == {"b1": "yes"}
    left_out = [note for note in packing.notes if "not applied" in note]
    assert len(left_out) == 4
    for topic, note in zip(("c2", "c3", "c4", "c6"), left_out, strict=True):
        assert f"topic {topic}" in note
    unanswered = compressing("c7", ("m001", "m004", "no"))[:1]
    assert blocks(packed(bundle_of(*RUN, *unanswered), MANUAL)) == {}


def test_ends_are_widened_to_whole_groups_and_one_message_is_a_range() -> None:
    cut = packed(bundle_of(*RUN, *compressing("c", ("m001", "m002", "The start.")), *NEXT), MANUAL)
    assert [fates(cut)[f"message:m{at}"] for at in (1, 2, 3, 4)] == [*["summarised"] * 3, "kept"]
    single = packed(bundle_of(*RUN, *compressing("c", ("m004", "m004", "One.")), *NEXT), MANUAL)
    assert [at for at in range(1, 8) if fates(single)[f"message:m{at}"] == "summarised"] == [4]


def test_placeholders_are_as_opencode_s_pruning_takes_them() -> None:
    """Valid ones expand once, invalid and repeated ones stay, and a block that is not named is appended."""
    first = [*compressing("c1", ("m001", "m003", "One."), ("m004", "m005", "Two."))]
    for summary, expected in (
        ("See (b1), (b9) and (b1).", "See One., (b9) and (b1).\n\nTwo."),
        ("(b2) then (b1)", "Two. then One."),
    ):
        calls = [*first, *compressing("c2", ("m001", "b2", summary))]
        bundle = bundle_of(*RUN, *calls, *NEXT)
        # m001 is hidden behind b1 by then.
        assert list(blocks(packed(bundle, MANUAL))) == ["b1", "b2"]
        calls = [*first, *compressing("c2", ("b1", "b2", summary))]
        assert blocks(packed(bundle_of(*RUN, *calls, *NEXT), MANUAL)) == {"b3": expected}
    inner = [*RUN, user(LONG), *compressing("c1", ("m002", "m003", "One.")), *NEXT]
    calls = compressing("c2", ("m001", "m006", "Everything."))
    body = blocks(packed(bundle_of(*inner, *calls, user("Go on.")), MANUAL))["b2"]
    assert body.startswith("Everything.\n\n")
    assert body.endswith("### (b1)\nOne.")


def test_what_opencode_s_pruning_accepts_is_a_range_of_the_configuration_too() -> None:
    ranges = [{"startId": "m001", "endId": "m004", "summary": "See (b9)."}]
    exact = {"pruning": {"mode": "manual", "ranges": [{"topic": "t", "ranges": ranges}]}}
    with pytest.raises(CompressRefused, match="b9"):
        packed(bundle_of(*RUN), exact)
    as_recorded = {"pruning": {"mode": "manual", "ranges": [{"topic": "t", "ranges": ranges, "recorded": True}]}}
    assert blocks(packed(bundle_of(*RUN), as_recorded)) == {"b1": "See (b9)."}


def test_the_tool_may_have_another_name_or_stand_behind_a_server_s() -> None:
    call, answer = compressing("c", ("m001", "m004", "So."))
    for name in ("mcp__dcp__compress", "squeeze"):
        part = replace(call.parts[0], name=name)
        bundle = bundle_of(*RUN, replace(call, parts=(part,)), answer, *NEXT)
        config = MANUAL | {"texts": {"compressToolName": "squeeze"}}
        assert blocks(packed(bundle, config)) == {"b1": "So."}
    assert blocks(packed(bundle_of(*RUN, replace(call, parts=(part,)), answer, *NEXT), MANUAL)) == {}


@pytest.mark.parametrize("provider", list(PROVIDERS))
def test_a_packed_session_with_recorded_calls_packs_to_itself(provider: str) -> None:
    calls = [*compressing("c1", ("m001", "m004", "All.")), *NEXT, *compressing("c2", ("b1", "m008", "(b1) and more."))]
    packing = packed(bundle_of(*RUN, *calls, user("Go on.")), MANUAL, provider=provider)
    assert list(blocks(packing)) == ["b2"]
    request = render_request(packing)
    (read,) = import_bytes(json.dumps(request).encode(), name="request.json").conversations
    again = build_bundle(Inputs(conversation=read), counter=counter_for("o200k_base"))
    assert render_request(packed(again, MANUAL, provider=provider)) == request


def test_a_replay_compresses_where_the_session_did() -> None:
    messages = [*RUN, *compressing("c", ("m001", "m004", "All of it.")), *NEXT, assistant("Done.")]
    subject = subject_of(Inputs(conversation=talk(*messages)), MANUAL)
    events = [[event.kind for event in turn.events] for turn in replay(subject).turns]
    when = [number for number, kinds in enumerate(events, 1) if "compress" in kinds]
    # Requests: the call, the reply, the compress call, and then the next one, which has its result.
    assert when == [4]


def opencode(*said: dict[str, Any]) -> bytes:
    messages = []
    for number, one in enumerate(said):
        info = {"id": f"msg_{number}", "sessionID": "ses_1", "role": one["role"], "time": {"created": 1}}
        messages.append({"info": info, "parts": one["parts"]})
    return json.dumps({"info": {"id": "ses_1", "title": "Bells"}, "messages": messages}).encode()


def test_ids_of_an_opencode_session_count_its_own_messages() -> None:
    """There a reply with its calls and results is one message."""

    def tool(name: str, given: dict[str, Any], output: str) -> dict[str, Any]:
        state = {"status": "completed", "input": given, "output": output}
        return {"type": "tool", "tool": name, "callID": f"call_{name}_{len(output)}", "state": state}

    content = [{"startId": "m0001", "endId": "m0002", "summary": "Looked at the bells."}]
    data = opencode(
        {"role": "user", "parts": [{"type": "text", "text": LONG}]},
        {"role": "assistant", "parts": [tool("read", {"a": 1}, LONG), {"type": "text", "text": LONG}]},
        {"role": "assistant", "parts": [tool("compress", {"topic": "bells", "content": content}, "Compressed.")]},
        {"role": "user", "parts": [{"type": "text", "text": "And now?"}]},
    )
    (conversation,) = import_bytes(data, name="session.json").conversations
    packing = subject_of(Inputs(conversation=conversation), MANUAL).packed()
    assert blocks(packing) == {"b1": "Looked at the bells."}
    assert sum(fate == "summarised" for fate in fates(packing).values()) == 4
    assert load_config(MANUAL).pruning.ranges is None
