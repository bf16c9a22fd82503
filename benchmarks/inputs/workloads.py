"""What every contender is given: the same conversations and the same skills, as plain data of no library's own."""

from __future__ import annotations

import functools
import json
import random
from dataclasses import dataclass

from benchmarks.inputs import texts

#: Of the conversations. Source: seed truncateMessagesToFit, default budget.
BUDGET_TOKENS = 80_000
#: Of the skills block.
SKILLS_TOKENS = 8_000

SYSTEM = "You are a careful engineer. Use the tools, say what you do, and leave files of others alone."
_TOOLS = ("read_file", "run_tests", "search", "apply_patch", "list_folder")


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call; `arguments` is JSON as json.dumps writes it."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Said:
    """One message. `answers` is the id of the call that a result answers, "" for any other message."""

    role: str
    text: str
    calls: tuple[Call, ...] = ()
    answers: str = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """One skill."""

    name: str
    description: str
    path: str


@functools.cache
def conversation(size: int) -> tuple[Said, ...]:
    """So many messages, about 80 tokens each: a system text, then turns of a user, tools and an answer.

    Nearly half are results of tools, nearly a third calls them. The last message is the user's.
    """
    chance = random.Random(size)
    messages = [Said("system", SYSTEM)]
    while len(messages) < size - 1:
        messages += _turn(chance, room=size - 1 - len(messages))
    messages.append(Said("user", texts.prose(chance, 190)))
    return tuple(messages)


def _turn(chance: random.Random, *, room: int) -> list[Said]:
    """What a user asks, what the assistant does and what it answers; at most `room` messages."""
    turn = [Said("user", texts.prose(chance, 190))]
    for _ in range(chance.choice((0, 1, 1, 2, 3, 4, 6))):
        calls = tuple(_call(chance) for _ in range(chance.choice((1, 1, 1, 2, 3))))
        if len(turn) + 1 + len(calls) >= room:
            break
        says = texts.prose(chance, 90) if chance.random() < 0.4 else ""
        turn.append(Said("assistant", says, calls))
        turn += [Said("tool", texts.output(chance, 265), answers=call.id) for call in calls]
    turn.append(Said("assistant", texts.prose(chance, 300)))
    return turn[:room]


def _call(chance: random.Random) -> Call:
    name = chance.choice(_TOOLS)
    arguments = {"path": f"src/{texts.word(chance)}.py"}
    if name == "apply_patch":
        arguments["patch"] = texts.code(chance, 340)
    elif name == "search":
        arguments["query"] = texts.prose(chance, 60)
    return Call(f"call_{chance.getrandbits(48):012x}", name, json.dumps(arguments))


@functools.cache
def skills(size: int) -> tuple[Entry, ...]:
    """So many skills, about 430 characters each in a prompt."""
    chance = random.Random(-size - 1)
    names = [f"{texts.word(chance)}-{texts.word(chance)}-{number}" for number in range(size)]
    return tuple(Entry(name, texts.prose(chance, 300)[:1_024], f"{name}/SKILL.md") for name in names)


def sweep_budgets(count: int = 200, low: int = 4_000, high: int = 200_000) -> tuple[int, ...]:
    """So many budgets in even steps, in tokens."""
    return tuple(low + (high - low) * step // (count - 1) for step in range(count))


def texts_of(messages: tuple[Said, ...]) -> list[str]:
    """Every text that has to be counted, each once: what is said, and arguments."""
    return [text for said in messages for text in (said.text, *(call.arguments for call in said.calls)) if text]
