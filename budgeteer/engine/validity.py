"""Provider rules, checked on the rendered request before it is exported. Each rule answers with a sentence.

The rules (domain: What a packing must never break): OpenAI chat, every tool message answers a call of the assistant
message before it, every call is answered once, nothing between. Anthropic, the first message is the user's, roles
alternate, every tool_use is answered in the next message, results stand before text, no text block is empty.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from budgeteer.engine.profiles import PROFILES
from budgeteer.engine.rendering import render_request
from budgeteer.engine.result import Check, Packing


def check_packing(packing: Packing) -> list[Check]:
    """Every rule of the packing's profile against its rendered request."""
    return check_request(render_request(packing), packing.profile)


def check_request(request: Mapping[str, Any], profile: str) -> list[Check]:
    """Every rule of a profile against a request in its form."""
    messages: Sequence[Mapping[str, Any]] = request["messages"]
    rules = _anthropic_rules(messages) if profile == "anthropic" else _openai_rules(messages)
    title = PROFILES[profile].title
    return [
        Check(profile, rule, not wrong, f"{title}: {promise}." if not wrong else f"{title}: {wrong}.")
        for rule, promise, wrong in rules
    ]


type _Rule = tuple[str, str, str]


def _openai_rules(messages: Sequence[Mapping[str, Any]]) -> Iterator[_Rule]:
    unanswered: list[str] = []
    stray: list[str] = []
    waiting: set[str] = set()
    for number, message in enumerate(messages, start=1):
        if message["role"] == "tool":
            call_id = message["tool_call_id"]
            if call_id in waiting:
                waiting.discard(call_id)
            else:
                stray.append(f"message {number} answers {call_id}, which is not open before it")
            continue
        unanswered += sorted(waiting)
        waiting = {call["id"] for call in message.get("tool_calls", ())}
    unanswered += sorted(waiting)
    yield "results follow calls", "every result answers a call of the message before it", "; ".join(stray[:3])
    wrong = f"{len(unanswered)} calls are not answered: {', '.join(unanswered[:3])}" if unanswered else ""
    yield "calls are answered", "every call is answered once", wrong


def _anthropic_rules(messages: Sequence[Mapping[str, Any]]) -> Iterator[_Rule]:
    first = messages[0]["role"] if messages else "user"
    yield (
        "first message",
        "the first message is the user's",
        "" if first == "user" else "the first message is not the user's",
    )
    roles = [message["role"] for message in messages]
    twice = [number for number, pair in enumerate(pairwise(roles), start=1) if pair[0] == pair[1]]
    yield "roles alternate", "roles alternate", f"messages {twice[0]} and {twice[0] + 1} have one role" if twice else ""
    yield "calls are answered", "every tool_use is answered in the next message", _anthropic_pairs(messages)
    yield "results before text", "results stand before text", _results_first(messages)
    blank = sum(
        block["type"] == "text" and not block["text"].strip() for message in messages for block in message["content"]
    )
    yield "no empty text", "no text block is empty", f"{blank} text blocks are empty" if blank else ""


def _anthropic_pairs(messages: Sequence[Mapping[str, Any]]) -> str:
    waiting: set[str] = set()
    for number, message in enumerate(messages, start=1):
        answers = [block["tool_use_id"] for block in message["content"] if block["type"] == "tool_result"]
        if set(answers) != waiting or len(answers) != len(waiting):
            return f"message {number} does not answer exactly the calls of the message before it"
        waiting = {block["id"] for block in message["content"] if block["type"] == "tool_use"}
    return "the last message calls tools that nothing answers" if waiting else ""


def _results_first(messages: Sequence[Mapping[str, Any]]) -> str:
    for number, message in enumerate(messages, start=1):
        kinds = [block["type"] == "tool_result" for block in message["content"]]
        if kinds != sorted(kinds, reverse=True):
            return f"message {number} has a result after other content"
    return ""
