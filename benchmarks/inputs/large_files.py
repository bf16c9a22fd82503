"""Large inputs as the files people drop: a conversation of 10,000 messages, 400 skills, 120 tools, or real ones."""

from __future__ import annotations

import json
import random
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.inputs import texts, workloads
from benchmarks.inputs.workloads import Said

#: Sizes of the generated inputs. Source: the dashboard's requirements.
MESSAGES, SKILLS, TOOLS = 10_000, 400, 120


@dataclass(frozen=True, slots=True)
class Inputs:
    """What a workspace is made of: its title in the tables, and its files."""

    title: str
    files: tuple[Path, ...]


def generated(folder: Path, *, messages: int = MESSAGES) -> Inputs:
    """The generated inputs, written to a folder; the same every time for the same Python."""
    folder.mkdir(parents=True, exist_ok=True)
    talk = folder / "conversation.json"
    body = {"messages": [_message(said) for said in workloads.conversation(messages)]}
    talk.write_text(json.dumps(body), encoding="utf-8")
    tools = folder / "tools.json"
    tools.write_text(json.dumps(_tools(TOOLS)), encoding="utf-8")
    title = f"{messages:,} messages, {SKILLS} skills, {TOOLS} tools, generated"
    return Inputs(title, (talk, _skills(folder / "skills.zip", SKILLS), tools))


def real(folder: Path) -> Inputs:
    """The largest session, skills library and tool catalogue of a folder of real files, chosen by their bytes."""
    session = _largest(folder / "conversations", "**/*.jsonl")
    skills = _largest(folder / "skills", "*.zip")
    tools = _largest(folder / "tools", "*-tools-list.json")
    return Inputs("largest real session, skills library and tool catalogue", (session, skills, tools))


def _largest(folder: Path, pattern: str) -> Path:
    return max(folder.glob(pattern), key=lambda path: path.stat().st_size)


def _message(said: Said) -> dict[str, object]:
    """One message as a Chat Completions body has it."""
    if said.answers:
        return {"role": "tool", "tool_call_id": said.answers, "content": said.text}
    message: dict[str, object] = {"role": said.role, "content": said.text}
    if said.calls:
        message["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
            for call in said.calls
        ]
    return message


def _skills(target: Path, count: int) -> Path:
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for entry in workloads.skills(count):
            front = f"---\nname: {entry.name}\ndescription: {json.dumps(entry.description)}\n---\n"
            archive.writestr(entry.path, f"{front}\n{entry.description}\n")
    return target


def _tools(count: int) -> Sequence[object]:
    """So many function tools with one to six parameters each."""
    chance = random.Random(count)
    return [_tool(chance, number) for number in range(count)]


def _tool(chance: random.Random, number: int) -> object:
    names = dict.fromkeys(texts.word(chance) for _ in range(chance.randint(1, 6)))
    properties = {name: {"type": "string", "description": texts.prose(chance, 90)} for name in names}
    schema = {"type": "object", "properties": properties, "required": list(names)[:1]}
    name = f"{texts.word(chance)}_{texts.word(chance)}_{number}"
    function = {"name": name, "description": texts.prose(chance, 300), "parameters": schema}
    return {"type": "function", "function": function}
