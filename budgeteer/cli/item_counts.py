"""Count the items of a file one by one, without limits or packing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from budgeteer.cli.output.progress import progress_bar
from budgeteer.cli.output.tables import shortened
from budgeteer.cli.source_files import parse_choice, pick_conversation, read_source
from budgeteer.engine.config.schema import SkillsBudgetConfig
from budgeteer.engine.content.conversation import Conversation, text_of
from budgeteer.engine.content.library import FeatureSpec, Skill, ToolDefinition
from budgeteer.engine.counting.library_measures import measure_features, measure_skills, measure_tools
from budgeteer.engine.counting.message_frames import message_frames
from budgeteer.engine.counting.message_measures import measure_messages
from budgeteer.engine.counting.tokenizers import TokenCounter
from budgeteer.engine.inputs.bundle import tools_of
from budgeteer.engine.models.registry import ModelRow
from budgeteer.engine.packing.sections.skill_block import wrapper_size
from budgeteer.engine.packing.sections.skills import entry_sizes
from budgeteer.engine.packing.sections.tools import ToolCosts, line_end_tokens
from budgeteer.engine.providers.registry import DEFAULT_PROVIDER, PROVIDERS
from budgeteer.formats.mapping.field_mapping import FieldMapping

NAME_WIDTH = 60


@dataclass(frozen=True, slots=True)
class ItemCounts:
    """One row: an item, or (with id "") what stands between items. `body_tokens` is a skill's text, shown apart.

    `is_estimated`: whether nobody publishes how it is counted, whatever the counter.
    """

    id: str
    name: str
    tokens: int
    chars: int
    body_tokens: int | None = None
    is_estimated: bool = False


def count_file(
    written: str, *, row: ModelRow, counter: TokenCounter, whole: bool, mapping: FieldMapping | None = None
) -> list[ItemCounts]:
    """Every item of `FILE` or `FILE#N` as the model `row` reads it, then what stands between them.

    A `mapping` says where its messages stand.

    Raises:
        InputError: the file cannot be read, or holds several conversations and none was chosen.
    """
    imported = read_source(parse_choice(written).name, whole=whole, mapping=mapping)
    if imported.conversations:
        return list(_conversation(pick_conversation(written, imported), row, counter))
    if imported.text:
        return [ItemCounts("text", "text", counter.count(imported.text), len(imported.text))]
    return [
        *_skills(imported.skills, counter),
        *_tools(imported.tools, ToolCosts(DEFAULT_PROVIDER, counter, row)),
        *_features(imported.features, counter),
    ]


def _conversation(talk: Conversation, row: ModelRow, counter: TokenCounter) -> Iterator[ItemCounts]:
    with progress_bar("Counting messages") as progress:
        measures = measure_messages(talk.messages, counter=counter, progress=progress)
    tokens = measures.column(DEFAULT_PROVIDER, "before_tokens").tolist()
    chars = measures.column(DEFAULT_PROVIDER, "before_chars").tolist()
    for number, message in enumerate(talk.messages):
        name = shortened(f"{message.role}: {text_of(message)[:400]}", NAME_WIDTH)
        yield ItemCounts(message.id or f"#{number + 1}", name, tokens[number], chars[number])
    first = talk.messages[0] if talk.messages else None
    line_end = line_end_tokens(text_of(first), counter) if first is not None and first.role == "system" else None
    yield from _tools(tools_of(talk), ToolCosts(DEFAULT_PROVIDER, counter, row, line_end=line_end))
    if counter.per_message_overhead:
        provider = PROVIDERS[DEFAULT_PROVIDER]
        frames = int(message_frames(measures, provider, counter).sum())
        yield ItemCounts("", "message frames and reply priming", frames + provider.overhead.reply.tokens, 0)


def _skills(skills: Sequence[Skill], counter: TokenCounter) -> Iterator[ItemCounts]:
    if not skills:
        return
    with progress_bar("Counting skills") as progress:
        measures = measure_skills(skills, counter=counter, progress=progress)
    sizes = entry_sizes(skills, measures, SkillsBudgetConfig(), counter=counter)
    for number, skill in enumerate(skills):
        tokens, chars = int(sizes.raw_tokens[number]), int(sizes.raw_chars[number])
        yield ItemCounts(f"skill:{skill.path}", skill.name, tokens, chars, int(measures.body_tokens[number]))
    wrapper = wrapper_size(counter)
    yield ItemCounts("", "header and tags", wrapper.tokens, wrapper.chars)


def _tools(tools: Sequence[ToolDefinition], costs: ToolCosts) -> Iterator[ItemCounts]:
    if not tools:
        return
    with progress_bar("Counting tools") as progress:
        measures = measure_tools(tools, counter=costs.counter, progress=progress)
    exact, tokens, chars = costs.exact(measures), costs.tokens(measures), measures.of(DEFAULT_PROVIDER).chars
    for number, tool in enumerate(tools):
        size = int(tokens[number]), int(chars[number])
        yield ItemCounts(f"tool:{tool.name}", tool.name, *size, is_estimated=not exact[number])
    joins = costs.joins(len(tools))
    name = "joins and preamble of the definitions"
    yield ItemCounts("", name, joins.tokens, joins.chars, is_estimated=not costs.is_published)


def _features(features: Sequence[FeatureSpec], counter: TokenCounter) -> Iterator[ItemCounts]:
    with progress_bar("Counting features") as progress:
        measures = measure_features(features, counter=counter, progress=progress)
    for number, feature in enumerate(features):
        tokens, chars = int(measures.tokens[number]), int(measures.chars[number])
        yield ItemCounts(f"feature:{feature.path}", feature.title or feature.path, tokens, chars)
