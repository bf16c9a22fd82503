"""How often a conversation used each skill and tool: the basis of the orders `recent` and `frequent`.

A tool is used where it is called. A skill is used where its file is named (`commit/SKILL.md`, in a text or in what a
tool was asked for), where a call is given its name as an argument, or where a text names it: any name that holds a
hyphen, colon or underscore, and a plain one behind a slash or in quotes, for "pdf" alone is a word like any other.
Results and system texts do not count: they list skills that nobody used.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from types import MappingProxyType

from budgeteer.engine.config.schema import BudgetConfig
from budgeteer.engine.content.conversation import Message, TextPart, ToolCallPart, calls_of
from budgeteer.engine.content.library import Skill, ToolDefinition
from budgeteer.engine.content.usage_order import Use
from budgeteer.engine.inputs.bundle import Inputs, tools_of

_FILE = re.compile(r"(?:[\w.@+-]+[/\\]+)+SKILL\.md", re.IGNORECASE)
_WORD = re.compile(r"(?P<mark>[/`\"'])?(?P<word>[A-Za-z0-9][\w:-]*)")
_JOINERS = frozenset("-:_")


def usage_of(messages: Sequence[Message], skills: Sequence[Skill] = ()) -> dict[str, Use]:
    """The use of every skill (by path) and tool (by name) that is used at all.

    `count` is the number of messages (of calls, for a tool); `last` the position of the newest one, from 1.
    """
    by_name: dict[str, list[str]] = {}
    for skill in skills:
        by_name.setdefault(skill.name, []).append(skill.path)
    files = _Files(skills)
    uses: dict[str, Use] = {}

    def add(key: str, position: int) -> None:
        uses[key] = Use(uses.get(key, Use()).count + 1, position)

    for position, message in enumerate(messages, start=1):
        for call in calls_of(message):
            add(call.name, position)
        if skills and message.role in ("user", "assistant"):
            for path in _skills_in(message, by_name, files):
                add(path, position)
    return uses


def with_usage(inputs: Inputs, config: BudgetConfig, recorded: Mapping[str, Use] = MappingProxyType({})) -> Inputs:
    """The inputs with the use of their skills and tools, where the configuration orders by it; else unchanged.

    A skill's use comes from `recorded` (a usage file, by the names it gives), else from the conversation; where neither
    uses any of them, `recent` takes the times of their files. A usage file without times does not tell what is recent;
    one that names no tool leaves the tools to the conversation.
    """
    budget = config.skills_budget
    if not budget.enabled or budget.optimization.prioritization not in ("recent", "frequent"):
        return inputs
    messages = inputs.conversation.messages if inputs.conversation else ()
    uses = usage_of(messages, inputs.skills)
    own = tools_of(inputs.conversation) if inputs.tools is None and inputs.conversation else inputs.tools or ()
    known, strangers = recorded_use(recorded, inputs.skills, own)
    if any(use.last if budget.optimization.prioritization == "recent" else use.count for use in known.values()):
        more = f", in which {strangers:,} name(s) belong to no skill or tool here" if strangers else ""
        paths = {skill.path for skill in inputs.skills}
        called = {} if known.keys() - paths else {name: use for name, use in uses.items() if name not in paths}
        return replace(inputs, usage=called | known, usage_source=f"in the usage file{more}")
    if any(skill.path in uses for skill in inputs.skills) or budget.optimization.prioritization == "frequent":
        return replace(inputs, usage=uses, usage_source="in the conversation")
    times = {skill.path: Use(0, _seconds(skill.modified)) for skill in inputs.skills if skill.modified}
    return replace(inputs, usage=uses | times, usage_source="by the times of their files")


def recorded_use(
    recorded: Mapping[str, Use], skills: Sequence[Skill], tools: Sequence[ToolDefinition] = ()
) -> tuple[dict[str, Use], int]:
    """What a usage file says of these skills (by path) and tools (by name), and how many of its names are strange.

    A skill is named by its path, its name, or the end of its path, with or without `SKILL.md`.
    """
    by_name: dict[str, list[str]] = {}
    for skill in skills:
        by_name.setdefault(skill.name, []).append(skill.path)
    paths, names, files = {skill.path for skill in skills}, {tool.name for tool in tools}, _Files(skills)
    uses: dict[str, Use] = {}
    strangers = 0
    for written, use in recorded.items():
        name = written.strip().lstrip("/")
        whole = name if name.lower().endswith("skill.md") else f"{name.rstrip('/')}/SKILL.md"
        found = [name] if name in paths else by_name.get(name) or list(files.named_in(whole))
        found += [name] if name in names else []
        strangers += not found
        for key in found:
            before = uses.get(key, Use())
            uses[key] = Use(before.count + use.count, max(before.last, use.last))
    return uses, strangers


def _seconds(moment: str) -> float:
    try:
        return datetime.fromisoformat(moment).replace(tzinfo=UTC).timestamp()
    except ValueError:
        return 0


def _skills_in(message: Message, by_name: Mapping[str, Sequence[str]], files: _Files) -> set[str]:
    found: set[str] = set()
    for part in message.parts:
        match part:
            case TextPart(text=text):
                found.update(files.named_in(text))
                names = {match["word"] for match in _WORD.finditer(text) if _is_a_name(match)}
            case ToolCallPart(arguments=arguments):
                values = list(_strings(arguments))
                for value in values:
                    found.update(files.named_in(value))
                names = {value.lstrip("/") for value in values}
            case _:
                continue
        for name in names & by_name.keys():
            found.update(by_name[name])
    return found


def _is_a_name(match: re.Match[str]) -> bool:
    return bool(match["mark"]) or not _JOINERS.isdisjoint(match["word"])


def _strings(arguments: str) -> Iterator[str]:
    """Every string value at the top of a call's arguments; the whole text where they are no JSON object."""
    try:
        data = json.loads(arguments)
    except (ValueError, RecursionError):
        data = None
    if not isinstance(data, dict):
        yield arguments
        return
    yield from (value for value in data.values() if isinstance(value, str))


class _Files:
    """Finds a library's files by the end of a path, as long as no other file of the library ends so."""

    def __init__(self, skills: Sequence[Skill]) -> None:
        self._by_end: dict[str, str | None] = {}
        for skill in skills:
            steps = skill.path.lower().split("/")
            for start in range(len(steps) - 1):
                end = "/".join(steps[start:])
                self._by_end[end] = None if end in self._by_end else skill.path

    def named_in(self, text: str) -> Iterator[str]:
        """The paths of the skills whose file a text names."""
        for match in _FILE.finditer(text):
            steps = match.group().lower().replace("\\", "/").split("/")
            for start in range(len(steps) - 1):
                path = self._by_end.get("/".join(steps[start:]))
                if path is not None:
                    yield path
                    break
