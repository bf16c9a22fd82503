"""The rules of an OpenAI chat completions request."""

from __future__ import annotations

from typing import Any, Final

from budgeteer.engine.providers.base import ProviderRule, Request
from budgeteer.engine.providers.openai_chat.tools import OPENAI_TOOLS
from budgeteer.engine.providers.rule_checks import NAMED, nameless, not_empty, unanswered, wrong_names


def _pairing(request: Request) -> tuple[list[str], list[str]]:
    """The calls that nothing answers, and what is wrong with results."""
    open_calls: list[str] = []
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
        open_calls += sorted(waiting)
        waiting = {call["id"] for call in message.get("tool_calls", ())}
    return [*open_calls, *sorted(waiting)], stray


def _stray_results(request: Request) -> str:
    return "; ".join(_pairing(request)[1][:3])


def _called_names(request: Request) -> list[str]:
    calls = [call for message in request["messages"] for call in message.get("tool_calls", ())]
    return [call.get("function", call.get("custom"))["name"] for call in calls]


def _tool_names(request: Request) -> list[str]:
    tools: list[dict[str, Any]] = request.get("tools", [])
    defined = [tool[tool["type"]]["name"] for tool in tools if tool.get("type") in ("function", "custom")]
    return [*_called_names(request), *defined]


CHAT_RULES: Final = (
    ProviderRule("not empty", "the request has a message", lambda request: not_empty(request["messages"], "message")),
    ProviderRule("results follow calls", "every result answers a call of the message before it", _stray_results),
    ProviderRule("calls are answered", "every call is answered once", lambda request: unanswered(_pairing(request)[0])),
    ProviderRule("calls have names", NAMED, lambda request: nameless(_called_names(request))),
    ProviderRule(
        "tool names",
        f"every tool is named with up to {OPENAI_TOOLS.names.most} letters, digits, - and _",
        lambda request: wrong_names(_tool_names(request), OPENAI_TOOLS.names),
    ),
)
