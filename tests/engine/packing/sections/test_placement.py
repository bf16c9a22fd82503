"""Where the block of instructions stands, and the table of before and after."""

from __future__ import annotations

from typing import Any

import pytest

from budgeteer.engine.analysis.before_after import before_after
from budgeteer.engine.content.conversation import ImagePart, Message, TextPart
from budgeteer.engine.content.library import Chunk, FeatureSpec, Skill
from budgeteer.engine.providers.registry import PROVIDERS
from budgeteer.engine.rendering import render_request, render_spans, render_text
from tests.conformance.recount import recount
from tests.engine.packs import assistant, bundle_of, packed, system, user

PREPENDED: dict[str, Any] = {"system": {"placement": "prepended"}}
BLOCK = "[SYSTEM INSTRUCTIONS]\n\nBe brief.\n\n---\n\n"


def first_of(*messages: Message, **inputs: Any) -> Any:
    packing = packed(bundle_of(*messages, system="Be brief.", **inputs), PREPENDED, provider="openai-chat")
    request = render_request(packing)
    counted = recount(request)
    if not counted.other:
        assert (counted.tokens, counted.chars) == (packing.total.tokens, packing.total.chars)
    assert all(message["role"] != "system" for message in request["messages"])
    return request["messages"][0]["content"]


def test_it_stands_before_the_words_of_the_first_user_message() -> None:
    assert first_of(user("Hello."), assistant(), user("Again.")) == f"{BLOCK}Hello."


@pytest.mark.parametrize("text", [" Hello.", "/help", "\n\nHello.", ""])
def test_before_white_space_or_a_slash_it_is_a_part_of_its_own(text: str) -> None:
    said = first_of(user(text), assistant(), user("Again."))
    assert said == [{"type": "text", "text": BLOCK}, {"type": "text", "text": text}]


def test_before_a_picture_it_is_a_part_of_its_own() -> None:
    picture = ImagePart({"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}, 64, 64)
    said = first_of(Message("user", (picture, TextPart("What is it?"))), assistant(), user("Again."))
    assert said[0] == {"type": "text", "text": BLOCK}
    assert len(said) == 3


def test_before_a_query_where_there_is_no_history() -> None:
    assert first_of(query="Now?") == f"{BLOCK}Now?"


def test_with_no_user_at_all_it_is_a_message_of_its_own() -> None:
    packing = packed(bundle_of(assistant("I begin."), system="Be brief."), PREPENDED, provider="openai-chat")
    request = render_request(packing)
    assert [message["role"] for message in request["messages"]] == ["user", "assistant"]
    assert recount(request).tokens == packing.total.tokens
    assert {entry.name for entry in packing.ledger.overhead} >= {"message frame"}


def test_with_nothing_to_say_nothing_is_prepended() -> None:
    packing = packed(bundle_of(user("Hello."), assistant()), PREPENDED)
    assert render_request(packing)["messages"][0]["content"] == "Hello."


@pytest.mark.parametrize("provider", list(PROVIDERS))
def test_it_may_be_a_message_of_the_user_s_for_hosts_without_another_role(provider: str) -> None:
    """The seed's change 1: `messages.unshift(User("[SYSTEM INSTRUCTIONS]…"))`, and nothing before the user's words."""
    bundle = bundle_of(
        user("Hello."), assistant("Yes?"), user("Now?"), system="Be brief.", specs=(("s.md", "A rule."),)
    )
    config = {"system": {"placement": "user"}}
    packing = packed(bundle, config, provider=provider)
    request = render_request(packing)
    assert not {"system", "instructions", "systemInstruction"} & set(request)
    if provider == "openai-chat":
        assert recount(request).tokens == packing.total.tokens
        assert [message["role"] for message in request["messages"]] == ["user", "user", "assistant", "user"]
        assert request["messages"][0]["content"].startswith("[SYSTEM INSTRUCTIONS]\n\nBe brief.\n\n---\n\n# Spec")
        assert request["messages"][1]["content"] == "Hello."
    # The conversation's own system messages, too; where nothing is to be said there is no message.
    own = packed(bundle_of(system("Be kind."), user("Hello.")), config, provider="openai-chat")
    assert [one["role"] for one in render_request(own)["messages"]] == ["user", "user"]
    assert len(render_request(packed(bundle_of(user("Hello.")), config))["messages"]) == 1
    assert before_after(packing)[0].after.where == "message of its own"


def test_the_shown_prompt_has_the_block_apart_and_the_text_has_it_in_place() -> None:
    packing = packed(bundle_of(user("Hello."), assistant(), system="Be brief."), PREPENDED)
    spans = list(render_spans(packing))
    assert [(span.role, span.decision_id) for span in spans][:2] == [("user", None), ("user", "message:m1")]
    assert spans[1].text == "Hello."
    assert f"=== user ===\n{BLOCK}Hello." in render_text(packing)


def test_every_component_is_compared_and_both_sides_add_up() -> None:
    bundle = bundle_of(
        user("Hello. " * 400),
        assistant("word " * 400),
        user("Now?"),
        system="Be brief.",
        specs=(("spec.md", "# Spec\n\nWhat must be."),),
        workspace_context="Three files.",
        skills=tuple(Skill(f"s{n}", "Does it.", f"s{n}/SKILL.md") for n in range(30)),
        features=tuple(FeatureSpec(f"f{n}.md", "", "", f"Spec on crane {n}. " * 20) for n in range(12)),
        chunks=(Chunk("A passage.", "c", 1.0),),
    )
    data = {
        "features": {"mode": "search", "keywords": ["crane"], "topK": 3},
        "skillsBudget": {"enabled": True, "limits": {"maxSkillsInPrompt": 5}},
        "history": {"strategy": "newestFirst", "maxTokens": 500},
    }
    packing = packed(bundle, data, provider="openai-chat")
    rows = {one.name: one for one in before_after(packing)}
    assert list(rows) == [
        "System text",
        "Spec files",
        "Workspace context",
        "Skills",
        "Feature files",
        "Retrieved chunks",
        "Conversation history",
        "Current user message",
        "Headers, rules and frames",
    ]
    whole = packed(bundle, {**PREPENDED, "retry": {"enabled": False}}, provider="openai-chat")
    for axis in ("tokens", "chars"):
        before = sum(getattr(one.before.size, axis) for one in rows.values())
        after = sum(getattr(one.after.size, axis) for one in rows.values())
        assert before == getattr(recount(render_request(whole)), axis)
        assert after == getattr(recount(render_request(packing)), axis)
    counts = {name: (one.before.items, one.after.items) for name, one in rows.items()}
    assert (counts["Skills"], counts["Feature files"], counts["Conversation history"]) == ((30, 5), (12, 3), (2, 1))
    places = {(one.before.where, one.after.where) for one in rows.values()}
    assert places == {("first user message", "system message"), ("messages", "messages")}


def test_before_every_chunk_is_loaded_whatever_search_top_k_says() -> None:
    chunks = tuple(Chunk(f"Passage {n}. " * 20, f"c{n}", float(n)) for n in range(5))
    packing = packed(bundle_of(user("Hello."), chunks=chunks), {"retrieval": {"searchTopK": 2}})
    (row,) = [one for one in before_after(packing) if one.name == "Retrieved chunks"]
    assert (row.before.items, row.after.items) == (5, 2)
