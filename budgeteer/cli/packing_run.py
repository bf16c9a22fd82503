"""From command-line sources to a packing: import, measure with a progress bar, pack."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import PurePath

import click

from budgeteer.cli.configuration import assemble
from budgeteer.cli.count_cache import keeping_counter
from budgeteer.cli.options.pack import PackOptions
from budgeteer.cli.options.sources import SourceOptions
from budgeteer.cli.output.progress import progress_bar
from budgeteer.cli.source_files import (
    read_conversation,
    read_kind,
    read_mapping,
    read_source,
    read_text,
    read_text_file,
)
from budgeteer.engine.analysis.sweep.probe import Subject
from budgeteer.engine.config.schema import BudgetConfig
from budgeteer.engine.counting.library_measures import measure_chunks, measure_features, measure_skills, measure_tools
from budgeteer.engine.counting.message_measures import measure_messages
from budgeteer.engine.counting.tokenizers import TokenCounter, counter_for
from budgeteer.engine.inputs.bundle import Bundle, Inputs, PromptTexts, build_bundle, measured_anew
from budgeteer.engine.inputs.item_usage import with_usage
from budgeteer.engine.inputs.prompt_sources import PromptSource, build_inputs
from budgeteer.engine.packing.allocation import provider_of, tokenizer_of
from budgeteer.engine.packing.result import Packing
from budgeteer.engine.providers.registry import PROVIDERS


@dataclass(frozen=True, slots=True)
class Counting:
    """How texts are counted: `counters` gives the counter of a name; `providers` are the forms messages are sent in."""

    counters: Callable[[str], TokenCounter] = counter_for
    providers: tuple[str, ...] = tuple(PROVIDERS)


def packed(options: PackOptions, *, provider: str | None) -> Packing:
    """The packing the options describe, in the form `provider` (None: the model's own).

    Raises:
        InputError: a file or the configuration cannot be used.
        TokenizerUnavailable: the model's vocabulary is not packaged.
    """
    config = assemble(options.config, options.model, options.assignments, options.calibration)
    # The rules of every form are checked for the JSON; otherwise one form is enough.
    providers = tuple(PROVIDERS) if options.as_json else (provider or provider_of(config),)
    if options.no_cache:
        return replace(subject_of(options, Counting(providers=providers)), provider=provider).packed()
    with keeping_counter(tokenizer_of(config), complain=partial(click.echo, err=True)) as counter:
        return replace(subject_of(options, Counting(lambda _: counter, providers)), provider=provider).packed()


def subject_of(options: SourceOptions, counting: Counting | None = None) -> Subject:
    """What the options describe, ready to be packed under this configuration and others.

    Raises:
        InputError: a file or the configuration cannot be used.
        TokenizerUnavailable: the model's vocabulary is not packaged.
    """
    config = assemble(options.config, options.model, options.assignments, options.calibration)
    counting = counting or Counting()
    bundle_of = bundle_maker(options, counting)
    return Subject(bundle_of(config), config, counting.counters(tokenizer_of(config)), recount=bundle_of)


def bundle_maker(options: SourceOptions, counting: Counting | None = None) -> Callable[[BudgetConfig], Bundle]:
    """Makes the bundle of the sources for a configuration; what a tokenizer counted is not counted again.

    Raises:
        InputError: a file cannot be used.
    """
    counting = counting or Counting()
    recorded = {} if options.usage is None else read_source(options.usage, as_format="usage").usage
    gathered: dict[str, Inputs] = {}

    def bundle_of(config: BudgetConfig) -> Bundle:
        counter = counting.counters(tokenizer_of(config))
        if not gathered:
            gathered[counter.name] = gather(options, counter=counter, providers=counting.providers)
        elif counter.name not in gathered:  # files are read once: standard input cannot be read again
            read = next(iter(gathered.values()))
            gathered[counter.name] = measured_anew(read, counter=counter, providers=counting.providers)
        return build_bundle(with_usage(gathered[counter.name], config, recorded), counter=counter)

    return bundle_of


def gather(options: SourceOptions, *, counter: TokenCounter, providers: Collection[str] = tuple(PROVIDERS)) -> Inputs:
    """Everything the options name, read and measured.

    Raises:
        InputError: a file cannot be used.
    """
    texts = PromptTexts(
        system=None if options.system is None else read_text(options.system),
        specs=tuple(zip(spec_names(options.specs), map(read_text_file, options.specs), strict=True)),
        workspace_context=None if options.workspace_context is None else read_text(options.workspace_context),
        query=None if options.query is None else read_text(options.query),
    )
    sources: list[PromptSource] = []
    if options.conversation is not None:
        talk = read_conversation(options.conversation, whole=options.whole, mapping=read_mapping(options.mapping))
        with progress_bar("Counting messages") as progress:
            counted = measure_messages(talk.messages, counter=counter, progress=progress, providers=providers)
        sources.append(PromptSource(conversation=talk, conversation_measures=counted))
    if options.skills is not None:
        skills = read_kind(options.skills, "skills").skills
        with progress_bar("Counting skills") as progress:
            skill_measures = measure_skills(skills, counter=counter, progress=progress)
        sources.append(PromptSource(skills=skills, skill_measures=skill_measures))
    if options.tools is not None:
        tools = read_kind(options.tools, "tools").tools
        with progress_bar("Counting tools") as progress:
            tool_measures = measure_tools(tools, counter=counter, progress=progress)
        sources.append(PromptSource(tools=tools, tool_measures=tool_measures))
    if options.features is not None:
        features = read_kind(options.features, "features").features
        with progress_bar("Counting features") as progress:
            feature_measures = measure_features(features, counter=counter, progress=progress)
        sources.append(PromptSource(features=features, feature_measures=feature_measures))
    if options.chunks is not None:
        chunks = read_source(options.chunks, as_format="chunks").chunks
        with progress_bar("Counting chunks") as progress:
            chunk_measures = measure_chunks(chunks, counter=counter, progress=progress)
        sources.append(PromptSource(chunks=chunks, chunk_measures=chunk_measures))
    return build_inputs(sources, texts)


def spec_names(paths: Sequence[str]) -> list[str]:
    """What a prompt calls spec files: the shortest end of each path that no other has."""
    steps = [[*reversed(PurePath(path).parts)] for path in paths]
    names = []
    for mine in steps:
        others = [one for one in steps if one != mine]
        count = next((n for n in range(1, len(mine)) if all(one[:n] != mine[:n] for one in others)), len(mine))
        names.append("/".join(reversed([step for step in mine[:count] if step.strip("/\\")])))
    return names
