"""What the right answer is, by simple counting, and what is wrong with another one.

Written from the published cost of a chat request (3 tokens a message, its role, what it says, names and arguments of
its calls, 3 for the reply) and from the rule "system texts, then from the newest on, no result without its call".
It shares no code with the engine.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.inputs.workloads import Entry, Said
from benchmarks.packers import tokenizer

MESSAGE_TOKENS = 3
REPLY_TOKENS = 3

SKILLS_OPEN = "# Skills\n\n<available_skills>\n"
SKILLS_CLOSE = "</available_skills>"
#: Between two parts of the system message.
JOIN = "\n\n---\n\n"


@dataclass(frozen=True, slots=True)
class Costs:
    """A conversation with the tokens of each message; `system` is how many messages of it lead."""

    messages: tuple[Said, ...]
    tokens: tuple[int, ...]
    system: int

    def of(self, kept: Sequence[int]) -> int:
        """The tokens of a request with these messages."""
        return REPLY_TOKENS + sum(self.tokens[at] for at in kept)


def costs_of(messages: tuple[Said, ...]) -> Costs:
    """Every message counted once."""
    system = next((at for at, said in enumerate(messages) if said.role != "system"), len(messages))
    return Costs(messages, tuple(_cost(said) for said in messages), system)


def _cost(said: Said) -> int:
    count = tokenizer.count
    calls = sum(count(call.name) + count(call.arguments) for call in said.calls)
    return MESSAGE_TOKENS + count(said.role) + count(said.text) + calls


def newest_that_fit(costs: Costs, budget_tokens: int) -> list[int]:
    """The system messages and the longest run of newest messages within a budget that begins with no result."""
    room = budget_tokens - costs.of(range(costs.system))
    start = len(costs.messages)
    for at in range(len(costs.messages) - 1, costs.system - 1, -1):
        room -= costs.tokens[at]
        if room < 0:
            break
        if costs.messages[at].role != "tool":
            start = at
    return [*range(costs.system), *range(start, len(costs.messages))]


def faults(costs: Costs, budget_tokens: int, kept: Sequence[int]) -> list[str]:
    """What is wrong with an answer, in words; nothing where it is the right one."""
    found = []
    over = costs.of(kept) - budget_tokens
    if over > 0:
        found.append(f"over by {over:,} {'token' if over == 1 else 'tokens'}")
    if list(kept) != sorted(set(kept)):
        found.append("changes the order")
    if list(kept[: costs.system]) != list(range(costs.system)):
        found.append("drops the system text")
    if len(costs.messages) - 1 not in kept:
        found.append("drops the newest message")
    if broken := _broken_pairs(costs.messages, set(kept)):
        found.append(f"breaks {broken:,} {'pair' if broken == 1 else 'pairs'}")
    right = newest_that_fit(costs, budget_tokens)
    if not found and list(kept) != right:
        fewer = len(right) - len(kept)
        found.append(f"keeps {fewer:,} fewer than fit" if fewer > 0 else "keeps other messages")
    return found


def _broken_pairs(messages: tuple[Said, ...], kept: set[int]) -> int:
    """Calls whose result was left out, and results whose call was."""
    asked = {call.id: at for at, said in enumerate(messages) for call in said.calls}
    pairs = [(asked[said.answers], at) for at, said in enumerate(messages) if said.answers]
    return sum((call in kept) != (result in kept) for call, result in pairs)


def skills_block(skills: Sequence[Entry], install_root: str) -> str:
    """The skills block as a prompt holds it."""
    entries = (
        f"<skill>\n<name>{_escaped(skill.name)}</name>\n<description>{_escaped(skill.description)}</description>\n"
        f"<location>{install_root}/{skill.path}</location>\n</skill>\n"
        for skill in skills
    )
    return f"{SKILLS_OPEN}{''.join(entries)}{SKILLS_CLOSE}"


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def skills_faults(skills: Sequence[Entry], install_root: str, limit_tokens: int, kept: int) -> list[str]:
    """What is wrong with keeping the first `kept` skills: the block formatted anew, and with one more."""
    here = tokenizer.count(skills_block(skills[:kept], install_root)) if kept else 0
    if here > limit_tokens:
        return [f"over by {here - limit_tokens:,} tokens"]
    if kept < len(skills) and tokenizer.count(skills_block(skills[: kept + 1], install_root)) <= limit_tokens:
        return ["keeps fewer skills than fit"]
    return []


@dataclass(frozen=True, slots=True)
class Room:
    """What one budget holds: so many of the first skills within their share, and messages in what is left.

    `system_tokens` is the system message with the skills in it, `total_tokens` the whole request.
    """

    skills: int
    system_tokens: int
    messages: tuple[int, ...]
    total_tokens: int


def rooms_of(
    costs: Costs, skills: Sequence[Entry], install_root: str, budgets: Sequence[int], limits: Sequence[int]
) -> list[Room]:
    """The right answer for every budget and its limit of skills, in tokens, none of them falling.

    The block of skills is formatted anew and counted whole for each length.
    """
    sizes = [0]
    system = costs.messages[0].text
    bodies = [costs.tokens[0]]
    found = []
    for budget, limit in zip(budgets, limits, strict=True):
        while len(sizes) <= len(skills) and sizes[-1] <= limit:
            block = skills_block(skills[: len(sizes)], install_root)
            sizes.append(tokenizer.count(block))
            whole = Said("system", f"{system}{JOIN}{block}")
            bodies.append(_cost(whole))
        kept = max(at for at, size in enumerate(sizes) if size <= limit)
        here = Costs(costs.messages, (bodies[kept], *costs.tokens[1:]), costs.system)
        messages = newest_that_fit(here, budget)
        found.append(Room(kept, bodies[kept], tuple(messages), here.of(messages)))
    return found
