"""The rules of an Anthropic Messages request."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from budgeteer.engine.providers.anthropic.capabilities import CALL_ID
from budgeteer.engine.providers.anthropic.tools import ANTHROPIC_TOOLS
from budgeteer.engine.providers.base import ProviderRule, Request
from budgeteer.engine.providers.rule_checks import (
    NAMED,
    Items,
    first_is_user,
    nameless,
    not_empty,
    same_names,
    same_role_twice,
    wrong_ids,
    wrong_names,
)


def _content(message: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    """The blocks of a message; one text may stand as a string."""
    content = message["content"]
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def _unpaired(request: Request) -> str:
    messages: Items = request["messages"]
    waiting: set[str] = set()
    for number, message in enumerate(messages, start=1):
        answers = [block["tool_use_id"] for block in _content(message) if block["type"] == "tool_result"]
        if set(answers) != waiting or len(answers) != len(waiting):
            return f"message {number} does not answer exactly the calls of the message before it"
        waiting = {block["id"] for block in _content(message) if block["type"] == "tool_use"}
    return "the last message calls tools that nothing answers" if waiting else ""


def _results_first(request: Request) -> str:
    for number, message in enumerate(request["messages"], start=1):
        kinds = [block["type"] == "tool_result" for block in _content(message)]
        if kinds != sorted(kinds, reverse=True):
            return f"message {number} has a result after other content"
    return ""


def _last_thoughts(request: Request) -> str:
    for number, message in enumerate(request["messages"], start=1):
        content = _content(message)
        if content and content[-1]["type"] in ("thinking", "redacted_thinking"):
            return f"message {number} ends in thinking"
    return ""


def _blocks(request: Request, kind: str) -> list[Mapping[str, Any]]:
    return [block for message in request["messages"] for block in _content(message) if block["type"] == kind]


def _blank_texts(request: Request) -> str:
    blank = sum(not block["text"].strip() for block in _blocks(request, "text"))
    return f"{blank} text blocks are empty" if blank else ""


def _defined(request: Request) -> list[str]:
    """The names of the request's own tools; those that run at Anthropic have a type of their own."""
    return [tool["name"] for tool in request.get("tools", ()) if tool.get("type", "custom") == "custom"]


def _tool_names(request: Request) -> list[str]:
    """Those, and the names of calls."""
    return [*(block["name"] for block in _blocks(request, "tool_use")), *_defined(request)]


def _last_blank(request: Request) -> str:
    """How the API's own 400, "final assistant content cannot end with trailing whitespace", comes about."""
    for message in request["messages"][-1:]:
        text = "".join(block.get("text", "") for block in _content(message)[-1:])
        if message["role"] == "assistant" and text != text.rstrip():
            return "the last message is the assistant's and ends in white space"
    return ""


ANTHROPIC_RULES: Final = (
    ProviderRule("not empty", "the request has a message", lambda request: not_empty(request["messages"], "message")),
    ProviderRule(
        "first message",
        "the first message is the user's",
        lambda request: first_is_user(request["messages"], "message"),
    ),
    ProviderRule(
        "roles alternate", "roles alternate", lambda request: same_role_twice(request["messages"], "messages")
    ),
    ProviderRule("calls are answered", "every tool_use is answered in the next message", _unpaired),
    ProviderRule("results before text", "results stand before text", _results_first),
    ProviderRule("no empty text", "no text block is empty", _blank_texts),
    ProviderRule("last text", "no reply that is to be gone on with ends in white space", _last_blank),
    ProviderRule("thinking leads on", "no turn of the assistant's ends in thinking", _last_thoughts),
    ProviderRule(
        "call ids",
        "every call id is of its own, of up to 64 letters, digits, - and _",
        lambda request: wrong_ids([block["id"] for block in _blocks(request, "tool_use")], CALL_ID),
    ),
    ProviderRule(
        "calls have names",
        NAMED,
        lambda request: nameless([block["name"] for block in _blocks(request, "tool_use")]),
    ),
    ProviderRule(
        "tool names",
        f"every tool is named with up to {ANTHROPIC_TOOLS.names.most} letters, digits, - and _",
        lambda request: wrong_names(_tool_names(request), ANTHROPIC_TOOLS.names),
    ),
    ProviderRule("tools differ", "no two tools share a name", lambda request: same_names(_defined(request))),
)
