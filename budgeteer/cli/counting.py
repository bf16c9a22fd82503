"""Counting what a file holds, item by item, with no limit and no packing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from budgeteer.cli.progress import progress_bar
from budgeteer.cli.reading import parse_choice, pick_conversation, read_source
from budgeteer.cli.tables import shortened
from budgeteer.engine.bundle import tools_of
from budgeteer.engine.chat import Conversation, text_of
from budgeteer.engine.config import SkillsBudgetConfig
from budgeteer.engine.library import FeatureSpec, Skill, ToolDefinition
from budgeteer.engine.measures import measure_features, measure_skills, measure_tools
from budgeteer.engine.profiles import DEFAULT_PROFILE, PROFILES
from budgeteer.engine.sections.skill_block import wrapper_size
from budgeteer.engine.sections.skills import entry_sizes
from budgeteer.engine.sections.tools import ToolCosts
from budgeteer.engine.tokens import TokenCounter
from budgeteer.engine.transcript import measure_messages

NAME_WIDTH = 60


@dataclass(frozen=True, slots=True)
class Counted:
    """One row: an item, or (with id "") what stands between items. `body_tokens` is a skill's text, shown apart."""

    id: str
    name: str
    tokens: int
    chars: int
    body_tokens: int | None = None


def count_file(written: str, *, counter: TokenCounter, whole: bool) -> list[Counted]:
    """Every item of `FILE` or `FILE#N`, then what stands between them.

    Raises:
        InputError: the file cannot be read, or holds several conversations and none was chosen.
    """
    imported = read_source(parse_choice(written).name, whole=whole)
    if imported.conversations:
        return list(_conversation(pick_conversation(written, imported), counter))
    if imported.text:
        return [Counted("text", "text", counter.count(imported.text), len(imported.text))]
    return [
        *_skills(imported.skills, counter),
        *_tools(imported.tools, counter),
        *_features(imported.features, counter),
    ]


def _conversation(talk: Conversation, counter: TokenCounter) -> Iterator[Counted]:
    with progress_bar("Counting messages") as progress:
        measures = measure_messages(talk.messages, counter=counter, progress=progress)
    tokens = measures.column(DEFAULT_PROFILE, "before_tokens").tolist()
    chars = measures.column(DEFAULT_PROFILE, "before_chars").tolist()
    for number, message in enumerate(talk.messages):
        name = shortened(f"{message.role}: {text_of(message)[:400]}", NAME_WIDTH)
        yield Counted(message.id or f"#{number + 1}", name, tokens[number], chars[number])
    yield from _tools(tools_of(talk), counter)
    if counter.per_message_overhead:
        profile = PROFILES[DEFAULT_PROFILE]
        frames = profile.message.tokens * len(measures) + int(measures.frame_tokens.sum())
        frames += profile.speaker.tokens * int(measures.named.sum()) if profile.speaker else 0
        yield Counted("", "message frames and reply priming", frames + profile.reply.tokens, 0)


def _skills(skills: Sequence[Skill], counter: TokenCounter) -> Iterator[Counted]:
    if not skills:
        return
    with progress_bar("Counting skills") as progress:
        measures = measure_skills(skills, counter=counter, progress=progress)
    sizes = entry_sizes(skills, measures, SkillsBudgetConfig(), counter=counter)
    for number, skill in enumerate(skills):
        tokens, chars = int(sizes.raw_tokens[number]), int(sizes.raw_chars[number])
        yield Counted(f"skill:{skill.path}", skill.name, tokens, chars, int(measures.body_tokens[number]))
    wrapper = wrapper_size(counter)
    yield Counted("", "header and tags", wrapper.tokens, wrapper.chars)


def _tools(tools: Sequence[ToolDefinition], counter: TokenCounter) -> Iterator[Counted]:
    if not tools:
        return
    with progress_bar("Counting tools") as progress:
        measures = measure_tools(tools, counter=counter, progress=progress)
    for number, tool in enumerate(tools):
        tokens, chars = int(measures.openai_tokens[number]), int(measures.openai_chars[number])
        yield Counted(f"tool:{tool.name}", tool.name, tokens, chars)
    joins = ToolCosts(DEFAULT_PROFILE, counter).joins(len(tools))
    yield Counted("", "brackets and commas of the definitions", joins.tokens, joins.chars)


def _features(features: Sequence[FeatureSpec], counter: TokenCounter) -> Iterator[Counted]:
    with progress_bar("Counting features") as progress:
        measures = measure_features(features, counter=counter, progress=progress)
    for number, feature in enumerate(features):
        tokens, chars = int(measures.tokens[number]), int(measures.chars[number])
        yield Counted(f"feature:{feature.path}", feature.title or feature.path, tokens, chars)
