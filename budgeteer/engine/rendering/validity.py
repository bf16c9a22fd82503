"""Provider rules, checked on the rendered request before it is exported. Each rule answers with a sentence.

The rules are those of the domain, "What a packing must never break". A check looks at the JSON alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, Final

from budgeteer.engine.counting.tokenizers import counter_for
from budgeteer.engine.packing.pack import pack
from budgeteer.engine.packing.result import Packing, ValidityCheck
from budgeteer.engine.providers.profiles import PROFILES
from budgeteer.engine.rendering import render_request

type _Items = Sequence[Mapping[str, Any]]
type _Rule = tuple[str, str, str]
"""A rule's name, its promise, and how it is broken: "" when it is kept."""

_NAMED: Final = "every call names its tool"
_ANSWERED_BY: Final = {"function_call": "function_call_output", "custom_tool_call": "custom_tool_call_output"}
_GEMINI_CALLS: Final = ("functionCall", "functionResponse")


def check_packing(packing: Packing) -> list[ValidityCheck]:
    """Every rule of the packing's profile against its rendered request."""
    return check_request(render_request(packing), packing.profile)


def check_every_profile(packing: Packing) -> list[ValidityCheck]:
    """Every rule of every profile, its own first; for the others the same bundle is packed in their form."""
    checks = check_packing(packing)
    counter = counter_for(packing.tokenizer)
    for profile in PROFILES:
        if profile != packing.profile:
            checks += check_packing(pack(packing.bundle, packing.config, counter=counter, profile=profile))
    return checks


def check_request(request: Mapping[str, Any], profile: str) -> list[ValidityCheck]:
    """Every rule of a profile against a request in its form."""
    title = PROFILES[profile].title
    return [
        ValidityCheck(profile, rule, not wrong, f"{title}: {promise}." if not wrong else f"{title}: {wrong}.")
        for rule, promise, wrong in _RULES[profile](request)
    ]


def _openai_rules(request: Mapping[str, Any]) -> Iterator[_Rule]:
    unanswered: list[str] = []
    stray: list[str] = []
    waiting: set[str] = set()
    for number, message in enumerate(request["messages"], start=1):
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
    yield "not empty", "the request has a message", _not_empty(request["messages"], "message")
    yield "results follow calls", "every result answers a call of the message before it", "; ".join(stray[:3])
    yield "calls are answered", "every call is answered once", _unanswered(unanswered)
    calls = [call["function"]["name"] for message in request["messages"] for call in message.get("tool_calls", ())]
    yield "calls have names", _NAMED, _nameless(calls)


def _not_empty(items: _Items, what: str) -> str:
    """How the rule that a request asks for something is broken (every reference: at least one message)."""
    return "" if items else f"the request has no {what}"


def _unanswered(calls: Sequence[str]) -> str:
    return f"{len(calls)} calls are not answered: {', '.join(calls[:3])}" if calls else ""


def _nameless(names: Sequence[str]) -> str:
    """How the rule that a call names its tool is broken (each provider's reference of a call: `name` is required)."""
    missing = sum(not name.strip() for name in names)
    return f"{missing} calls name no tool" if missing else ""


def _responses_rules(request: Mapping[str, Any]) -> Iterator[_Rule]:
    items: _Items = request["input"]
    open_calls: dict[str, str] = {}
    stray: list[str] = []
    calls = [item for item in items if item.get("type") in _ANSWERED_BY]
    for number, item in enumerate(items, start=1):
        if item.get("type") in _ANSWERED_BY:
            open_calls[item["call_id"]] = _ANSWERED_BY[item["type"]]
        elif item.get("type") in _ANSWERED_BY.values():
            if open_calls.get(item["call_id"]) == item["type"]:
                del open_calls[item["call_id"]]
            else:
                stray.append(f"item {number} answers {item['call_id']}, which is not open before it")
    yield "not empty", "the request has an item of input", _not_empty(items, "item of input")
    yield "calls have names", _NAMED, _nameless([item["name"] for item in calls])
    yield "outputs follow calls", "every output answers a call of its kind before it", "; ".join(stray[:3])
    yield "calls are answered", "every call has its output", _unanswered([*open_calls])
    yield "reasoning keeps its item", "reasoning stands right before the item it led to", _lone_reasoning(items)
    promise = "every call_id is of its own and has 1 to 64 characters"
    yield "call ids", promise, _wrong_ids([item["call_id"] for item in calls], "openai-responses")


def _lone_reasoning(items: _Items) -> str:
    led_to = [*items[1:], {"role": "user"}] if items else []
    for number, (item, after) in enumerate(zip(items, led_to, strict=True), start=1):
        if item.get("type") != "reasoning":
            continue
        if after.get("type") in _ANSWERED_BY.values() or after.get("role") in ("user", "system", "developer"):
            return f"item {number} is reasoning with nothing of the model's after it"
    return ""


def _wrong_ids(ids: Sequence[str], profile: str) -> str:
    pattern = PROFILES[profile].call_id or re.compile("")
    wrong = next((one for one in ids if not pattern.match(one)), None)
    if wrong is not None:
        return f"the call id {wrong[:80]!r} is not allowed"
    return "a call id is used twice" if len(set(ids)) < len(ids) else ""


def _anthropic_rules(request: Mapping[str, Any]) -> Iterator[_Rule]:
    messages: _Items = request["messages"]
    yield "not empty", "the request has a message", _not_empty(messages, "message")
    yield "first message", "the first message is the user's", _first_is(messages, "message")
    yield "roles alternate", "roles alternate", _same_role_twice(messages, "messages")
    yield "calls are answered", "every tool_use is answered in the next message", _anthropic_pairs(messages)
    yield "results before text", "results stand before text", _results_first(messages)
    blocks = [block for message in messages for block in message["content"]]
    blank = sum(block["type"] == "text" and not block["text"].strip() for block in blocks)
    yield "no empty text", "no text block is empty", f"{blank} text blocks are empty" if blank else ""
    yield "thinking leads on", "no turn of the assistant's ends in thinking", _last_thoughts(messages)
    calls = [block["id"] for block in blocks if block["type"] == "tool_use"]
    promise = "every call id is of its own, of up to 64 letters, digits, - and _"
    yield "call ids", promise, _wrong_ids(calls, "anthropic")
    names = [block["name"] for block in blocks if block["type"] == "tool_use"]
    yield "calls have names", _NAMED, _nameless(names)


def _first_is(turns: _Items, what: str) -> str:
    return "" if not turns or turns[0]["role"] == "user" else f"the first {what} is not the user's"


def _same_role_twice(turns: _Items, what: str) -> str:
    for number, (one, after) in enumerate(pairwise(turns), start=1):
        if one["role"] == after["role"]:
            return f"{what} {number} and {number + 1} have one role"
    return ""


def _anthropic_pairs(messages: _Items) -> str:
    waiting: set[str] = set()
    for number, message in enumerate(messages, start=1):
        answers = [block["tool_use_id"] for block in message["content"] if block["type"] == "tool_result"]
        if set(answers) != waiting or len(answers) != len(waiting):
            return f"message {number} does not answer exactly the calls of the message before it"
        waiting = {block["id"] for block in message["content"] if block["type"] == "tool_use"}
    return "the last message calls tools that nothing answers" if waiting else ""


def _results_first(messages: _Items) -> str:
    for number, message in enumerate(messages, start=1):
        kinds = [block["type"] == "tool_result" for block in message["content"]]
        if kinds != sorted(kinds, reverse=True):
            return f"message {number} has a result after other content"
    return ""


def _last_thoughts(messages: _Items) -> str:
    for number, message in enumerate(messages, start=1):
        if message["content"] and message["content"][-1]["type"] in ("thinking", "redacted_thinking"):
            return f"message {number} ends in thinking"
    return ""


def _gemini_rules(request: Mapping[str, Any]) -> Iterator[_Rule]:
    turns: _Items = request["contents"]
    yield "not empty", "the request has a content", _not_empty(turns, "content")
    yield "first content", "the first content is the user's", _first_is(turns, "content")
    foreign = [str(turn["role"]) for turn in turns if turn["role"] not in ("user", "model")]
    yield "roles", "every role is user or model", f"{foreign[0]} is no role" if foreign else ""
    yield "roles alternate", "roles alternate", _same_role_twice(turns, "contents")
    yield "calls are answered", "the next turn answers every functionCall, in their order", _gemini_pairs(turns)
    named = [part[key]["name"] for turn in turns for part in turn["parts"] for key in _GEMINI_CALLS if key in part]
    yield "calls have names", _NAMED, _nameless(named)
    yield "no empty part", "every content has parts, and no text is empty", _empty_parts(turns)
    yield "signatures", "every thoughtSignature stands on a part of the model's", _lost_signatures(turns)


def _gemini_pairs(turns: _Items) -> str:
    waiting: list[str] = []
    for number, turn in enumerate(turns, start=1):
        answers = [part["functionResponse"]["name"] for part in turn["parts"] if "functionResponse" in part]
        if answers != waiting:
            return f"content {number} does not answer exactly the calls of the content before it, in their order"
        waiting = [part["functionCall"]["name"] for part in turn["parts"] if "functionCall" in part]
    return "the last content calls functions that nothing answers" if waiting else ""


def _empty_parts(turns: _Items) -> str:
    for number, turn in enumerate(turns, start=1):
        if not turn["parts"]:
            return f"content {number} has no parts"
        if any(part.get("text") == "" and "thoughtSignature" not in part for part in turn["parts"]):
            return f"content {number} has an empty text"
    return ""


def _lost_signatures(turns: _Items) -> str:
    for number, turn in enumerate(turns, start=1):
        if any("thoughtSignature" in part and (turn["role"] != "model" or len(part) < 2) for part in turn["parts"]):
            return f"content {number} has a thoughtSignature without its part"
    return ""


_RULES: Final[Mapping[str, Callable[[Mapping[str, Any]], Iterator[_Rule]]]] = {
    "openai-chat": _openai_rules,
    "openai-responses": _responses_rules,
    "anthropic": _anthropic_rules,
    "gemini": _gemini_rules,
}
