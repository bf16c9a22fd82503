"""Lists of messages in which each names the one before it, and some name the same one: a tree of replies.

Exports of chat applications list every reply that was asked for again. Read in the order of the list, they would stand
one after the other, as if all had been said. A list is a tree only where this is certain: every message has an id of
its own, the one before it is in the list, and those that name the same one are of one speaker and not of that one's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from budgeteer.formats.messages.branches import other_leaves, path_to
from budgeteer.formats.messages.numbering import text_value
from budgeteer.formats.messages.objects import OBJECT

_IDS: Final = ("id", "message_id", "messageId", "uuid")
_PARENTS: Final = ("parent_id", "parentId", "parent_message_id", "parentMessageId", "parentUuid", "parent")

type Numbered = tuple[int, Any]


def branches_of(messages: Sequence[Numbered]) -> list[list[Numbered]]:
    """The branch that ends in the last message, then the others; none where the messages are no tree with branches."""
    first = messages[0][1] if messages else None
    if not isinstance(first, OBJECT):
        return []
    own = next((key for key in _IDS if key in first), "")
    if not own:
        return []
    above = next((key for key in _PARENTS if any(isinstance(raw, OBJECT) and key in raw for _, raw in messages)), "")
    by_id = _by_id(messages, own) if above else {}
    if not by_id:
        return []
    parents = {given: _named(raw, above) for given, (_, raw) in by_id.items()}
    if not _is_tree(by_id, parents):
        return []
    main = path_to(parents.get, next(reversed(by_id)))
    others = other_leaves(parents.get, list(by_id), set(main))
    return [[by_id[given] for given in path] for path in (main, *(path_to(parents.get, leaf) for leaf in others))]


def _by_id(messages: Sequence[Numbered], key: str) -> dict[str, Numbered]:
    """The messages by their ids; none where one of them has no id of its own."""
    found: dict[str, Numbered] = {}
    for numbered in messages:
        given = _named(numbered[1], key) if isinstance(numbered[1], OBJECT) else None
        if given is None or given in found:
            return {}
        found[given] = numbered
    return found


def _named(raw: Mapping[str, Any], key: str) -> str | None:
    """The id under a key, None where there is none."""
    given = raw.get(key)
    return str(given) if isinstance(given, int) and not isinstance(given, bool) else text_value(given) or None


def _is_tree(by_id: Mapping[str, Numbered], parents: Mapping[str, str | None]) -> bool:
    """Whether some messages name the same one before them, and nothing contradicts that they are branches."""
    speakers = {given: text_value(raw.get("role")).lower() for given, (_, raw) in by_id.items()}
    replies: dict[str, list[str]] = {}
    for given, above in parents.items():
        if above is not None:
            replies.setdefault(above, []).append(speakers[given])
    if not replies.keys() <= by_id.keys():
        return False
    several = [(speakers[above], set(beside)) for above, beside in replies.items() if len(beside) > 1]
    return bool(several) and all(
        len(beside) == 1 and beside.isdisjoint({before, "tool", "function"}) for before, beside in several
    )
