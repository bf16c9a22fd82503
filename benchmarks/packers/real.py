"""Real conversations: every file of a folder that can be imported, in the plain form that all contenders understand.

What only some of them understand is left out: pictures, files, reasoning, calls or results without their other half,
and calls that name no tool. Tools have the names that OpenAI takes. Names of files are not kept.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.inputs.workloads import Call, Said
from benchmarks.packers import oracle
from benchmarks.packers.comparisons import contenders_over
from benchmarks.packers.race import Contender
from budgeteer.engine.content.conversation import Message, TextPart, call_input, calls_of, results_of
from budgeteer.engine.errors import InputError
from budgeteer.engine.providers.openai_chat.tools import OPENAI_TOOLS
from budgeteer.formats.detect import import_bytes

#: Only the longest conversations say anything about time.
LONGEST = 3
FEWEST_MESSAGES = 50


def races(folder: Path) -> Iterator[list[Contender]]:
    """The contenders over each of the longest conversations of a folder, the shortest of them first."""
    by_size = {len(found): found for found in conversations(folder) if len(found) >= FEWEST_MESSAGES}
    for size in sorted(by_size)[-LONGEST:]:
        costs = oracle.costs_of(by_size[size])
        yield contenders_over(costs, costs.of(range(size)) // 2)


def conversations(folder: Path) -> Iterator[tuple[Said, ...]]:
    """Every conversation that can be read."""
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        try:
            imported = import_bytes(path.read_bytes(), name=path.name)
        except InputError:
            continue
        for one in imported.conversations:
            yield plain(one.messages)


def plain(messages: Sequence[Message]) -> tuple[Said, ...]:
    """A conversation with one system text at most, every call answered at once, and nothing empty."""
    system = [_text(message) for message in messages if message.role in ("system", "developer")]
    found = [Said("system", "\n\n".join(system))] if any(text.strip() for text in system) else []
    rest = [message for message in messages if message.role not in ("system", "developer")]
    numbers = iter(range(len(rest)))
    at = 0
    while at < len(rest):
        results = _results_after(rest, at)
        found += _said(rest[at], rest[at + 1 : at + 1 + results], next(numbers))
        at += 1 + results
    return tuple(found)


def _results_after(messages: Sequence[Message], at: int) -> int:
    """How many messages after this one are results."""
    end = at + 1
    while end < len(messages) and messages[end].role == "tool":
        end += 1
    return end - at - 1


def _said(message: Message, after: Sequence[Message], number: int) -> list[Said]:
    """One message with the results that answer it, each call under an id of its own."""
    if message.role == "tool":
        return []
    text = _text(message)
    answers = {result.call_id: _result_text(one) for one in after for result in results_of(one)}
    calls = {call.id: call for call in calls_of(message) if call.name and call.id in answers}
    named = [
        Call(f"call_{number}_{place}", OPENAI_TOOLS.names.sent(call.name), json.dumps(call_input(call.arguments)))
        for place, call in enumerate(calls.values())
    ]
    if not text.strip() and not named:
        return []
    results = [Said("tool", answers[old], answers=new.id) for old, new in zip(calls, named, strict=True)]
    return [Said(message.role, text if text.strip() else "", tuple(named)), *results]


def _text(message: Message) -> str:
    return "\n".join(part.text for part in message.parts if isinstance(part, TextPart))


def _result_text(message: Message) -> str:
    texts = (part.text for result in results_of(message) for part in result.content if isinstance(part, TextPart))
    return "\n".join(texts)
