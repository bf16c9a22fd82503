"""The seeds' ways to shorten history, written again from their documents; they share no code with the engine.

Each takes messages as the seed sees them, with who speaks and how many characters it takes, and says what stays.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

DEFAULT_BUDGET = 80_000


@dataclass(frozen=True)
class NaiveMessage:
    """What the seed looks at: who speaks, and how many characters it takes."""

    role: str
    chars: int


def estimate_tokens(message: NaiveMessage) -> int:
    return -(-message.chars // 4)


def truncate_messages_to_fit(messages: Sequence[NaiveMessage], budget: int = DEFAULT_BUDGET) -> list[int]:
    """The indices that stay: system messages always; the rest newest to oldest until the budget is spent.

    A tool result left at the head of what is kept goes too: its call is gone.
    """
    spent = sum(estimate_tokens(message) for message in messages if message.role == "system")
    kept: list[int] = []
    for index in range(len(messages) - 1, -1, -1):
        if messages[index].role == "system":
            continue
        spent += estimate_tokens(messages[index])
        if spent > budget:
            break
        kept.insert(0, index)
    while kept and messages[kept[0]].role == "tool":
        kept.pop(0)
    return sorted([*kept, *(index for index, message in enumerate(messages) if message.role == "system")])


#: Naide: history over so many characters is summarised, the last turns stay, a summary is so long at most.
MAX_HISTORY_CHARS, RECENT_USER_TURNS, SUMMARY_CHARS, TOPIC_CHARS = 12_000, 2, 2_000, 80
#: Naide: how many of the last messages stay where a summary, or counting, fails.
WITHOUT_SUMMARY, UNCOUNTED = 4, 10


@dataclass(frozen=True)
class Truncated:
    """The messages that stay, and those a summary stands for."""

    kept: list[int]
    summarised: list[int]


def truncate_history(
    history: Sequence[NaiveMessage], max_chars: int = MAX_HISTORY_CHARS, user_turns: int = RECENT_USER_TURNS
) -> Truncated:
    """Naide's truncateHistory: all of it within the budget, else the last user turns and a summary of the rest."""
    everything = list(range(len(history)))
    if sum(message.chars for message in history) <= max_chars:
        return Truncated(everything, [])
    users = [index for index in everything if history[index].role == "user"]
    if not users:
        return Truncated(everything, [])
    start = users[max(len(users) - user_turns, 0)]
    return Truncated(everything[start:], everything[:start])


def last_messages(history: Sequence[NaiveMessage], count: int) -> list[int]:
    """Naide's fallbacks: only the last few messages."""
    return list(range(max(len(history) - count, 0), len(history)))


def summarize_older_messages(messages: Sequence[tuple[str, str]]) -> tuple[list[str], list[str]]:
    """Naide's summarizeOlderMessages over (role, text): the topics, and the lines that hold a decision."""
    topics = [" ".join(text.split())[:TOPIC_CHARS] for role, text in messages if role == "user"]
    decisions = []
    for role, text in messages:
        if role != "user":
            for line in text.split("\n"):
                marked = line.lstrip().startswith(("- ", "* ", "#"))
                if marked or "decided" in line or "therefore" in line:
                    decisions.append(line.strip())
    return topics, decisions


def build_history_with_budget(history: Sequence[int], token_budget: int, max_history_messages: int) -> list[int]:
    """Gemma's _buildHistoryWithBudget over the characters of messages: the last two always, older ones while they fit.

    The two are counted as one text, with the line end between them. The setting bounds the older ones.
    """
    if not history:
        return []
    places = list(range(len(history)))
    recent = places[-2:]
    tokens = joined_tokens([history[place] for place in recent])
    included: list[int] = []
    for place in reversed(places[:-2]):
        message_tokens = -(-history[place] // 4)
        if len(included) < max_history_messages and tokens + message_tokens <= token_budget:
            included.append(place)
            tokens += message_tokens
        else:
            break
    return [*reversed(included), *recent]


def joined_tokens(chars: Sequence[int]) -> int:
    """Characters over four of texts joined by line ends."""
    return -(-(sum(chars) + len(chars) - 1) // 4)


def progressive_retry(history: Sequence[int], chunks: Sequence[int], room_tokens: int) -> tuple[list[int], int, bool]:
    """Gemma's progressive retry over tokens, chunks best first: what stays of history, how many chunks, if that fits.

    The seed drops both halves at once; here the chunks lose theirs only if history's half was not enough.
    """
    places = list(range(len(history)))
    half, top = places[len(places) // 2 :], -(-len(chunks) // 2)
    last = places[-2:]
    half = half if len(half) > len(last) else last
    tries = [(places, len(chunks)), (half, len(chunks)), (half, top), (last, min(len(chunks), 1))]
    for kept, count in tries:
        if sum(history[place] for place in kept) + sum(chunks[:count]) <= room_tokens:
            return kept, count, True
    return (*tries[-1], False)
