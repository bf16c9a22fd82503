"""The rules of an OpenAI Responses request."""

from __future__ import annotations

from typing import Any, Final

from budgeteer.engine.providers.base import ProviderRule, Request
from budgeteer.engine.providers.openai_responses.capabilities import CALL_ID
from budgeteer.engine.providers.openai_responses.tools import RESPONSES_TOOLS
from budgeteer.engine.providers.rule_checks import (
    NAMED,
    Items,
    nameless,
    not_empty,
    unanswered,
    wrong_ids,
    wrong_names,
)

_ANSWERED_BY: Final = {"function_call": "function_call_output", "custom_tool_call": "custom_tool_call_output"}


def _pairing(request: Request) -> tuple[list[str], list[str]]:
    """The calls that nothing answers, and what is wrong with outputs."""
    open_calls: dict[str, str] = {}
    stray: list[str] = []
    for number, item in enumerate(request["input"], start=1):
        if item.get("type") in _ANSWERED_BY:
            open_calls[item["call_id"]] = _ANSWERED_BY[item["type"]]
        elif item.get("type") in _ANSWERED_BY.values():
            if open_calls.get(item["call_id"]) == item["type"]:
                del open_calls[item["call_id"]]
            else:
                stray.append(f"item {number} answers {item['call_id']}, which is not open before it")
    return [*open_calls], stray


def _stray_outputs(request: Request) -> str:
    return "; ".join(_pairing(request)[1][:3])


def _called(request: Request, key: str) -> list[Any]:
    return [item[key] for item in request["input"] if item.get("type") in _ANSWERED_BY]


def _tool_names(request: Request) -> list[str]:
    defined = [tool["name"] for tool in request.get("tools", ()) if tool.get("type") in ("function", "custom")]
    return [*_called(request, "name"), *defined]


def _lone_reasoning(request: Request) -> str:
    items: Items = request["input"]
    led_to = [*items[1:], {"role": "user"}] if items else []
    for number, (item, after) in enumerate(zip(items, led_to, strict=True), start=1):
        if item.get("type") != "reasoning":
            continue
        if after.get("type") in _ANSWERED_BY.values() or after.get("role") in ("user", "system", "developer"):
            return f"item {number} is reasoning with nothing of the model's after it"
    return ""


RESPONSES_RULES: Final = (
    ProviderRule(
        "not empty",
        "the request has an item of input",
        lambda request: not_empty(request["input"], "item of input"),
    ),
    ProviderRule("calls have names", NAMED, lambda request: nameless(_called(request, "name"))),
    ProviderRule(
        "tool names",
        f"every tool is named with up to {RESPONSES_TOOLS.names.most} letters, digits, - and _",
        lambda request: wrong_names(_tool_names(request), RESPONSES_TOOLS.names),
    ),
    ProviderRule("outputs follow calls", "every output answers a call of its kind before it", _stray_outputs),
    ProviderRule("calls are answered", "every call has its output", lambda request: unanswered(_pairing(request)[0])),
    ProviderRule("reasoning keeps its item", "reasoning stands right before the item it led to", _lone_reasoning),
    ProviderRule(
        "call ids",
        "every call_id is of its own and has 1 to 64 characters",
        lambda request: wrong_ids(_called(request, "call_id"), CALL_ID),
    ),
)
