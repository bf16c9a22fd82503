"""Checks that the rules of several providers share. Each answers how a rule is broken: "" when it is kept."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any, Final

from budgeteer.engine.providers.tool_names import ToolNames

type Items = Sequence[Mapping[str, Any]]

NAMED: Final = "every call names its tool"


def not_empty(items: Items, what: str) -> str:
    """How the rule that a request asks for something is broken (every reference: at least one message)."""
    return "" if items else f"the request has no {what}"


def unanswered(calls: Sequence[str]) -> str:
    """How the rule that every call is answered is broken, given the ids of those that are not."""
    return f"{len(calls)} calls are not answered: {', '.join(calls[:3])}" if calls else ""


def nameless(names: Sequence[str]) -> str:
    """How the rule that a call names its tool is broken (each provider's reference of a call: `name` is required)."""
    missing = sum(not name.strip() for name in names)
    return f"{missing} calls name no tool" if missing else ""


def wrong_names(names: Iterable[str], allowed: ToolNames) -> str:
    """How the rule of a provider for names of tools is broken; a call without one breaks another rule."""
    wrong = next((name for name in names if not allowed.takes(name)), None)
    return "" if wrong is None else f"the tool name {wrong[:80]!r} is not allowed"


def same_names(names: Sequence[str]) -> str:
    """How the rule that no two definitions share a name is broken."""
    twice = next((name for name, count in Counter(names).items() if count > 1), None)
    return "" if twice is None else f"two tools are named {twice[:80]!r}"


def wrong_ids(ids: Sequence[str], pattern: re.Pattern[str]) -> str:
    """How the rule that call ids match a pattern and differ is broken."""
    wrong = next((one for one in ids if not pattern.match(one)), None)
    if wrong is not None:
        return f"the call id {wrong[:80]!r} is not allowed"
    return "a call id is used twice" if len(set(ids)) < len(ids) else ""


def first_is_user(turns: Items, what: str) -> str:
    """How the rule that the user begins is broken."""
    return "" if not turns or turns[0].get("role", "user") == "user" else f"the first {what} is not the user's"


def same_role_twice(turns: Items, what: str) -> str:
    """How the rule that roles alternate is broken."""
    for number, (one, after) in enumerate(pairwise(turns), start=1):
        if one.get("role", "user") == after.get("role", "user"):
            return f"{what} {number} and {number + 1} have one role"
    return ""
