"""The rules of a Gemini generateContent request."""

from __future__ import annotations

from typing import Final

from budgeteer.engine.providers.base import ProviderRule, Request
from budgeteer.engine.providers.gemini.tools import GEMINI_TOOLS
from budgeteer.engine.providers.rule_checks import (
    NAMED,
    Items,
    first_is_user,
    nameless,
    not_empty,
    same_names,
    same_role_twice,
    wrong_names,
)

_CALLS: Final = ("functionCall", "functionResponse")


def _unpaired(request: Request) -> str:
    turns: Items = request["contents"]
    waiting: list[str] = []
    for number, turn in enumerate(turns, start=1):
        answers = [part["functionResponse"]["name"] for part in turn["parts"] if "functionResponse" in part]
        if answers != waiting:
            return f"content {number} does not answer exactly the calls of the content before it, in their order"
        waiting = [part["functionCall"]["name"] for part in turn["parts"] if "functionCall" in part]
    return "the last content calls functions that nothing answers" if waiting else ""


def _empty_parts(request: Request) -> str:
    turns: Items = request["contents"]
    for number, turn in enumerate(turns, start=1):
        if not turn["parts"]:
            return f"content {number} has no parts"
        if any(part.get("text") == "" and "thoughtSignature" not in part for part in turn["parts"]):
            return f"content {number} has an empty text"
    return ""


def _lost_signatures(request: Request) -> str:
    turns: Items = request["contents"]
    for number, turn in enumerate(turns, start=1):
        if any("thoughtSignature" in part and (turn.get("role") != "model" or len(part) < 2) for part in turn["parts"]):
            return f"content {number} has a thoughtSignature without its part"
    return ""


def _foreign_roles(request: Request) -> str:
    roles = [turn.get("role", "user") for turn in request["contents"]]
    foreign = [str(role) for role in roles if role not in ("user", "model")]
    return f"{foreign[0]} is no role" if foreign else ""


def _called(request: Request) -> list[str]:
    """The names of calls and of their results."""
    parts = [part for turn in request["contents"] for part in turn["parts"]]
    return [part[key]["name"] for part in parts for key in _CALLS if key in part]


def _declared(request: Request) -> list[str]:
    return [one["name"] for tool in request.get("tools", ()) for one in tool.get("functionDeclarations", ())]


def _tool_names(request: Request) -> list[str]:
    """The names of what is called and of what is declared."""
    return [*_called(request), *_declared(request)]


GEMINI_RULES: Final = (
    ProviderRule("not empty", "the request has a content", lambda request: not_empty(request["contents"], "content")),
    ProviderRule(
        "first content",
        "the first content is the user's",
        lambda request: first_is_user(request["contents"], "content"),
    ),
    ProviderRule("roles", "every role is user or model", _foreign_roles),
    ProviderRule(
        "roles alternate", "roles alternate", lambda request: same_role_twice(request["contents"], "contents")
    ),
    ProviderRule("calls are answered", "the next turn answers every functionCall, in their order", _unpaired),
    ProviderRule("calls have names", NAMED, lambda request: nameless(_called(request))),
    ProviderRule(
        "tool names",
        f"every tool is named with up to {GEMINI_TOOLS.names.most} letters, digits, - _ . and :, a letter or _ first",
        lambda request: wrong_names(_tool_names(request), GEMINI_TOOLS.names),
    ),
    ProviderRule("tools differ", "no two tools share a name", lambda request: same_names(_declared(request))),
    ProviderRule("no empty part", "every content has parts, and no text is empty", _empty_parts),
    ProviderRule("signatures", "every thoughtSignature stands on a part of the model's", _lost_signatures),
)
