"""From what the command line names to a packing: import, measure with a progress bar, pack."""

from __future__ import annotations

from typing import Any

from budgeteer.cli.configuration import assemble
from budgeteer.cli.pack import PackOptions
from budgeteer.cli.progress import progress_bar
from budgeteer.cli.reading import read_conversation, read_kind, read_source, read_text, read_text_file
from budgeteer.engine.allocation import tokenizer_of
from budgeteer.engine.bundle import Inputs, build_bundle
from budgeteer.engine.measures import measure_chunks, measure_features, measure_skills, measure_tools
from budgeteer.engine.packing import pack
from budgeteer.engine.result import Packing
from budgeteer.engine.tokens import TokenCounter, counter_for
from budgeteer.engine.transcript import measure_messages
from budgeteer.engine.usage import with_usage


def packed(options: PackOptions, *, profile: str | None) -> Packing:
    """The packing the options describe, in the form `profile` (None: the model's own).

    Raises:
        InputError: a file or the configuration cannot be used.
        TokenizerUnavailable: the model's vocabulary is not packaged.
    """
    config = assemble(options.config, options.model, options.assignments)
    counter = counter_for(tokenizer_of(config))
    recorded = {} if options.usage is None else read_source(options.usage, as_format="usage").usage
    inputs = with_usage(gather(options, counter=counter), config, recorded)
    return pack(build_bundle(inputs, counter=counter), config, counter=counter, profile=profile)


def gather(options: PackOptions, *, counter: TokenCounter) -> Inputs:
    """Everything the options name, read and measured.

    Raises:
        InputError: a file cannot be used.
    """
    inputs: dict[str, Any] = {
        "system": None if options.system is None else read_text(options.system),
        "specs": tuple((name, read_text_file(name)) for name in options.specs),
        "workspace_context": None if options.workspace_context is None else read_text(options.workspace_context),
        "query": None if options.query is None else read_text(options.query),
    }
    if options.conversation is not None:
        talk = read_conversation(options.conversation, whole=options.whole)
        inputs["conversation"] = talk
        with progress_bar("Counting messages") as progress:
            measures = measure_messages(talk.messages, counter=counter, progress=progress)
        inputs["conversation_measures"] = measures
    if options.skills is not None:
        inputs["skills"] = read_kind(options.skills, "skills").skills
        with progress_bar("Counting skills") as progress:
            inputs["skill_measures"] = measure_skills(inputs["skills"], counter=counter, progress=progress)
    if options.tools is not None:
        inputs["tools"] = read_kind(options.tools, "tools").tools
        with progress_bar("Counting tools") as progress:
            inputs["tool_measures"] = measure_tools(inputs["tools"], counter=counter, progress=progress)
    if options.features is not None:
        inputs["features"] = read_kind(options.features, "features").features
        with progress_bar("Counting features") as progress:
            inputs["feature_measures"] = measure_features(inputs["features"], counter=counter, progress=progress)
    if options.chunks is not None:
        inputs["chunks"] = read_source(options.chunks, as_format="chunks").chunks
        with progress_bar("Counting chunks") as progress:
            inputs["chunk_measures"] = measure_chunks(inputs["chunks"], counter=counter, progress=progress)
    return Inputs(**inputs)
