"""What is uploaded while things are killed: files made from a seed, each with what must be found in it."""

from __future__ import annotations

import io
import json
import random
import zipfile
from dataclasses import dataclass

from tests.formats.shapes import Session, text_block, use_block

NOUNS = ("berth", "crane", "tide", "ledger", "manifest", "beacon", "hawser", "pilot", "dredger", "quay", "bollard")
VERBS = ("weighs", "moors", "counts", "lifts", "signs", "delays", "insures", "paints", "lowers", "inspects", "answers")


@dataclass(frozen=True, slots=True)
class Upload:
    """One file, and how many items of its main kind it holds ("messages" or "skills")."""

    name: str
    data: bytes
    items: int
    what: str


def conversation(dice: random.Random, number: int) -> Upload:
    """An OpenAI chat request with tool calls, some thousand messages long, unlike any other of this run."""
    messages: list[dict[str, object]] = [{"role": "system", "content": f"You keep harbour {number}."}]
    for turn in range(dice.randint(300, 900)):
        messages.append({"role": "user", "content": f"Turn {turn}: {_prose(dice, 2)}"})
        call = {"id": f"call_{turn}", "type": "function", "function": {"name": "look", "arguments": f'{{"at":{turn}}}'}}
        messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": f"call_{turn}", "content": _prose(dice, 12)})
        messages.append({"role": "assistant", "content": _prose(dice, 4)})
    data = json.dumps({"model": "gpt-4o", "messages": messages}).encode()
    return Upload(f"harbour-{number}.json", data, len(messages), "messages")


def sessions(dice: random.Random, number: int) -> Upload:
    """A file with a conversation a line, some short and some long: what a collection is evaluated over."""
    lines, count = [], 0
    for place in range(dice.randint(200, 320)):
        messages = [{"role": "user", "content": f"Harbour {number}, berth {place}: {_prose(dice, 2)}"}]
        for _ in range(dice.randint(1, 12)):
            messages.append({"role": "assistant", "content": _prose(dice, dice.randint(1, 20))})
            messages.append({"role": "user", "content": _prose(dice, 1)})
        lines.append(json.dumps({"model": "gpt-4o", "messages": messages}))
        count += len(messages)
    return Upload(f"sessions-{number}.jsonl", "\n".join(lines).encode(), count, "messages")


def recorded(dice: random.Random, number: int) -> Upload:
    """A session with what a provider recorded of each request, unlike any other of this run."""
    requests, tokens = dice.randint(250, 400), 1_000
    session = Session()
    session.user("u", f"Look around harbour {number}")
    for place in range(requests):
        session.assistant(f"a{place}", text_block("Looking."), message_id=f"m{place}")
        session.assistant(f"b{place}", use_block(f"c{place}"), message_id=f"m{place}")
        for line in session.lines[-2:]:
            line["message"] |= {"model": "claude-sonnet-4-5", "usage": {"input_tokens": tokens}}
        seen = _prose(dice, dice.randint(20, 60))
        session.result(f"r{place}", f"c{place}", seen)
        tokens += 50 + len(seen) // 4
    return Upload(f"recorded-{number}.jsonl", session.data, 1 + 2 * requests, "messages")


def library(dice: random.Random, number: int) -> Upload:
    """A zip of skills."""
    file = io.BytesIO()
    count = dice.randint(60, 200)
    with zipfile.ZipFile(file, "w") as archive:
        for place in range(count):
            name = f"{dice.choice(VERBS)}-{number}-{place}"
            text = f"---\nname: {name}\ndescription: {_prose(dice, 1)}\n---\n{_prose(dice, 20)}\n"
            archive.writestr(f"library-{number}/{name}/SKILL.md", text)
    return Upload(f"library-{number}.zip", file.getvalue(), count, "skills")


def _prose(dice: random.Random, sentences: int) -> str:
    return " ".join(
        f"The {dice.choice(NOUNS)} {dice.choice(VERBS)} {dice.randint(2, 9999)} times at the {dice.choice(NOUNS)}."
        for _ in range(sentences)
    )
