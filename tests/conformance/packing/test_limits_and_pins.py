"""Limits hold for everything that is not pinned; a pin beats every limit but the file size."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from budgeteer.engine.content.written_messages import SUMMARY_LINE
from budgeteer.engine.inputs.bundle import Inputs
from budgeteer.engine.packing.ledger import Decision, Size
from budgeteer.engine.packing.result import Packing
from budgeteer.engine.rendering import render_request
from tests.conformance.packing.test_packing import configurations, inputs, packed, slowly

pytestmark = pytest.mark.conformance


def history_size(packing: Packing) -> Size:
    return packing.ledger.total("history")


def lost_turns(own: list[Decision]) -> int:
    """How many messages of the user's the provider cannot be sent: they begin no turn of those that are kept."""
    return sum(one.category == "U" and one.rule.startswith("validity:") for one in own)


@slowly
@given(inputs(), configurations(strategy="summarizeOlder"))
def test_summarised_history_is_within_its_characters(given_inputs: Inputs, data: dict[str, Any]) -> None:
    packing = packed(given_inputs, data, "openai-chat")
    history = [one for one in packing.ledger if one.section == "history"]
    added = [one for one in history if one.fate == "added" and one.id != "notice:history"]
    settings = data["history"]
    if (
        packing.fits
        and history_size(packing).chars > settings["maxChars"]
        and settings["summarizing"]["trigger"] is None
        # A kept message of the user's and a system text keep what `keepWith` ties to them, from any turn.
        and not (settings["keepWith"] and settings["summarizing"]["userMessageTokens"])
        and not (settings["keepWith"] and any(one.category == "S" for one in history))
    ):
        # Only the last turns may be longer, and what of the user's words is kept on purpose.
        own = [one for one in history if one.fate != "added"]
        turns = packing.bundle.history_measures.turn.tolist()
        whole = [turn for one, turn in zip(own, turns, strict=True) if one.fate == "kept" and one.category != "U"]
        assert all(turn > max(turns) - settings["keepUserTurns"] - lost_turns(own) for turn in whole)
    for one in added:
        assert one.after.chars <= data["history"]["summaryMaxChars"]
        sent = [str(message["content"]) for message in render_request(packing)["messages"]]
        assert sum(text.rpartition("\n\n---\n\n")[2].startswith(SUMMARY_LINE) for text in sent) == 1
    assert bool(added) == any(one.fate == "summarised" for one in packing.ledger)


@slowly
@given(inputs(), configurations(strategy="newestFirst"))
def test_newest_first_history_is_within_its_tokens(given_inputs: Inputs, data: dict[str, Any]) -> None:
    packing = packed(given_inputs, data, "openai-chat")
    if packing.fits:
        assert history_size(packing).tokens <= data["history"]["maxTokens"]


@slowly
@given(inputs(), configurations())
def test_libraries_are_within_their_limits(given_inputs: Inputs, data: dict[str, Any]) -> None:
    packing = packed(given_inputs, data, "openai-chat")
    if not data["skillsBudget"]["enabled"]:
        dropped = [one.rule for one in packing.ledger if one.section in ("skills", "tools") and one.fate == "dropped"]
        assert set(dropped) <= {"validity:openai-chat"}  # a tool that runs at another provider
        return
    limits = data["skillsBudget"]["limits"]
    kept = [one for one in packing.ledger if one.section == "skills" and one.fate != "dropped"]
    assert len(kept) <= limits["maxSkillsInPrompt"]
    if kept:
        assert packing.ledger.total("skills").chars <= limits["maxSkillsPromptChars"]
    free = [one for one in packing.ledger if one.section == "tools" and one.fate == "kept" and one.rule == "kept"]
    if free:
        assert packing.ledger.total("tools").chars <= limits["maxToolDefinitionChars"]


@slowly
@given(inputs(), configurations(), st.data())
def test_a_pin_beats_every_limit_but_the_file_size(
    given_inputs: Inputs, data: dict[str, Any], drawn: st.DataObject
) -> None:
    plain = packed(given_inputs, data, "openai-chat")
    ids = [one.id for one in plain.ledger if one.section in ("skills", "tools", "history") and one.fate != "added"]
    chosen = set(drawn.draw(st.lists(st.sampled_from(ids), max_size=4))) if ids else set()
    skills = {one.removeprefix("skill:") for one in chosen if one.startswith("skill:")}
    pinned = {
        **data,
        "pins": sorted(one for one in chosen if not one.startswith("skill:")),
        "skillsBudget": {**data["skillsBudget"], "policies": dict.fromkeys(sorted(skills), "pinned")},
    }
    packing = packed(given_inputs, pinned, "openai-chat")
    for one in packing.ledger:
        if one.section == "tools" and one.rule.startswith("validity:"):
            continue  # no pin sends a provider what it does not have
        if one.id in chosen and one.rule != "maxSkillFileBytes":
            assert one.fate in ("kept", "truncated"), one
            assert one.pinned or not data["skillsBudget"]["enabled"]


@slowly
@given(inputs(), configurations(), st.data())
def test_a_skill_whose_policy_is_off_is_never_listed(
    given_inputs: Inputs, data: dict[str, Any], drawn: st.DataObject
) -> None:
    paths = [skill.path for skill in given_inputs.skills]
    off = drawn.draw(st.lists(st.sampled_from(paths), max_size=4)) if paths else []
    data["skillsBudget"] = {**data["skillsBudget"], "enabled": True, "policies": dict.fromkeys(off, "off")}
    for one in packed(given_inputs, data, "openai-chat").ledger:
        if one.id.removeprefix("skill:") in off:
            assert one.fate == "dropped"
