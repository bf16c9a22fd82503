"""Messages as pairs of a role and what was said (`["human", "…"]`), as LangChain takes them and writes tuples as JSON.

Certain where the first of every pair is a word for a role, and one of them is a person or a model. Other lists of pairs
may be anything: they are read where the format is chosen by name, each pair whose first is a word for a speaker.
Source: https://github.com/langchain-ai/langchain, `langchain_core/messages/utils.py` (`convert_to_messages`) and
`langchain_core/prompts/chat.py` (`placeholder`), 2026-11.
"""

from __future__ import annotations

from itertools import islice
from typing import Any, Final

from budgeteer.engine.content.conversation import Role
from budgeteer.formats.messages.speakers import role_meant
from budgeteer.formats.openai.roles import known_role

PLACEHOLDERS: Final = frozenset({"placeholder", "messages_placeholder"})
"""What stands in a template for messages that are put in later."""
_LOOKED_AT: Final = 200
_OFFERED_FROM: Final = 2
"""The format is offered where one of so many pairs begins with a word for a speaker."""


def are_role_pairs(value: Any) -> bool:
    """Whether a value is a list of pairs of a role that is known and what was said."""
    words = _words(value)
    roles = [known_role(word) for word in words if word not in PLACEHOLDERS]
    return None not in roles and not {"user", "assistant"}.isdisjoint(roles)


def may_be_role_pairs(value: Any) -> bool:
    """Whether a value is a list of pairs of which so many begin with a word for a speaker that it may be of them."""
    words = _words(value)
    return bool(words) and sum(role_in(word) is not None for word in words) * _OFFERED_FROM >= len(words)


def role_in(word: str) -> Role | None:
    """The role that the first of a pair means, None where it means none."""
    return known_role(word) or role_meant(word)


def is_pair(item: Any) -> bool:
    """Whether a value is a pair of a word and what was said: a text, or a list of parts."""
    return isinstance(item, list) and len(item) == 2 and isinstance(item[0], str) and isinstance(item[1], str | list)


def _words(value: Any) -> list[str]:
    """The first of each pair of a list, of the first so many; none where one is no pair."""
    looked = list(islice(value, _LOOKED_AT)) if isinstance(value, list) else []
    return [pair[0] for pair in looked] if all(map(is_pair, looked)) else []
