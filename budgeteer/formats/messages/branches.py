"""Branches of a conversation whose source is a tree: the main branch first, the others offered beside it.

An importer finds the main branch in its own way (the node the file names, or the last message). Then:

1. `other_leaves` tells where the other branches end, `path_to` which nodes lead there;
2. the importer builds a Conversation of each, as it built the main one (lazily: only so many are offered);
3. `with_branches` names them, ties them to the main one, and shares the messages they have in common.

How they are counted: `Conversation.branches` of the main one is how many other branches the source has, offered or not.
`repeated_messages` and `repeated_tools` tell what several branches of one conversation share: `report.counts_of` and
the totals of a source hold it once, and measuring counts its tokens once; the store keeps it with each branch, and a
note says how many.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from itertools import islice

from budgeteer.engine.content.conversation import Conversation, Message
from budgeteer.engine.counting.lazy_messages import outlines_of
from budgeteer.formats.messages.message_spool import spliced
from budgeteer.formats.messages.numbering import Notes, last_text, note_opaque, short_line, unique_ids
from budgeteer.formats.messages.outlines import holds_opaque

MOST_BRANCHES = 20
"""Other branches offered of one conversation; what is beyond is counted in a note."""

MOST_REPEATED = 100_000
"""Messages that the offered branches of one conversation may repeat of it; a bound on memory, not on meaning."""

_TITLE_CHARACTERS = 40


def other_leaves[K](parent: Callable[[K], K | None], saying: Sequence[K], inside: Collection[K]) -> list[K]:
    """Where the other branches end: the nodes outside the main branch that no other one outside hangs under.

    Args:
        parent: the node before a node, None at a root; circles are allowed.
        saying: the nodes that carry a message, in the order in which branches are to be offered.
        inside: the nodes of the main branch; a set, or nodes are looked up slowly.
    """
    above: set[K] = set()
    for node in saying:
        at = None if node in inside else parent(node)
        while at is not None and at not in inside and at not in above:
            above.add(at)
            at = parent(at)
    return [node for node in saying if node not in inside and node not in above]


def path_to[K](parent: Callable[[K], K | None], node: K) -> list[K]:
    """The nodes from the root to one, both included; a circle ends where it closes."""
    found: dict[K, None] = {}
    at: K | None = node
    while at is not None and at not in found:
        found[at] = None
        at = parent(at)
    return list(reversed(found))


def with_branches(
    main: Conversation, others: Iterable[Conversation], notes: Notes, *, total: int
) -> tuple[Conversation, ...]:
    """The main branch and the others that are offered, each with the id, the title and the tie of a branch.

    Ids are `<main id>~2`, `<main id>~3` …; a title says after which message the branch leaves the main one and how it
    goes on. A branch that the model would see as it sees the main one (all that differs was compacted away) is left
    out.

    Args:
        main: the main branch, with its id and title.
        others: the other branches built like the main one, in the order of offering; no more of them are built than
            are offered.
        notes: where the branches and the messages they share are counted.
        total: how many other branches the source has.
    """
    found: list[Conversation] = []
    repeated = 0
    for other in islice(others, MOST_BRANCHES):
        shared = _shared(main.messages, other.messages)
        if shared == len(other.messages):
            continue
        repeated += shared
        if repeated > MOST_REPEATED:
            repeated -= shared
            break
        found.append(_branch(main, other, shared, len(found) + 2))
    if total:
        notes.count("Other branches in the file", total)
    if found:
        notes.count("Other branches, each offered as a conversation of its own behind the main one", len(found))
        notes.count("Messages that these branches share with the main one, counted once", repeated)
        if any(holds_opaque(outlines_of(other.messages)) for other in found):
            note_opaque(_own_messages(main, found), notes)
    return (replace(main, branches=total) if total else main, *found)


def with_unique_ids(found: Sequence[Conversation]) -> tuple[Conversation, ...]:
    """The conversations with an id each; branches, which stand behind their main one, are tied to what it is called."""
    ids = unique_ids(chat.id for chat in found)
    if [chat.id for chat in found] == ids:
        return tuple(found)
    renamed: dict[str, str] = {}
    kept: list[Conversation] = []
    for chat, given in zip(found, ids, strict=True):
        if not chat.branch_of:
            renamed[chat.id] = given
        kept.append(replace(chat, id=given, branch_of=renamed.get(chat.branch_of, chat.branch_of)))
    return tuple(kept)


def repeated_messages(conversations: Sequence[Conversation]) -> list[int]:
    """The places of messages that an earlier branch of their conversation has too: same id, same content.

    Places are those of all conversations' messages in a row.
    """
    with_branches = {conversation.branch_of for conversation in conversations} - {""}
    seen: dict[tuple[str, str], Message] = {}
    found: list[int] = []
    start = 0
    for conversation in conversations:
        family = conversation.branch_of or conversation.id
        messages = outlines_of(conversation.messages) if family in with_branches else ()
        for place, message in enumerate(messages, start):
            key = (family, message.id)
            if seen.get(key) == message:
                found.append(place)
            seen[key] = message
        start += len(conversation.messages)
    return found


def repeated_tools(conversations: Sequence[Conversation]) -> list[int]:
    """The places of tool definitions that a branch repeats of its conversation, in a row as the messages' are."""
    tools_of = {conversation.id: conversation.tools for conversation in conversations}
    found: list[int] = []
    start = 0
    for conversation in conversations:
        if conversation.branch_of and tools_of.get(conversation.branch_of) == conversation.tools:
            found.extend(range(start, start + len(conversation.tools)))
        start += len(conversation.tools)
    return found


def _own_messages(main: Conversation, others: Sequence[Conversation]) -> list[Message]:
    """The messages of the other branches that the main one does not have, each once."""
    shared = set(repeated_messages((main, *others)))
    every = (message for other in others for message in outlines_of(other.messages))
    return [message for place, message in enumerate(every, len(main.messages)) if place not in shared]


def _shared(main: Sequence[Message], other: Sequence[Message]) -> int:
    """How many messages two branches begin with in common."""
    for position, (one, two) in enumerate(zip(outlines_of(main), outlines_of(other), strict=False)):
        if one is not two and one != two:
            return position
    return min(len(main), len(other))


def _branch(main: Conversation, other: Conversation, shared: int, number: int) -> Conversation:
    return Conversation(  # `replace` takes four times as long
        id=f"{main.id}~{number}",
        title=_title(main, other, shared),
        messages=spliced(main.messages[:shared], other.messages[shared:]),
        tools=other.tools,
        model=other.model,
        reported_input_tokens=other.reported_input_tokens,
        recorded=other.recorded,
        branch_of=main.id,
        is_subagent=main.is_subagent,
        metadata={**other.metadata, "forksAfter": shared},
    )


def _title(main: Conversation, other: Conversation, shared: int) -> str:
    name = short_line(main.title, _TITLE_CHARACTERS)
    place = f"after message {shared:,}" if shared else "from its start"
    own = (last_text(message.parts) for message in other.messages[shared:])
    goes_on = short_line(next((text for text in own if text), ""), _TITLE_CHARACTERS)
    return f"{name}, branch {place}" + (f": {goes_on}" if goes_on else "")
