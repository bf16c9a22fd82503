"""The options that name sources and a configuration, shared by every command that packs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import click

type Decorator = Callable[[Any], Any]


@dataclass(frozen=True, slots=True)
class SourceOptions:
    """What the command line says of sources and configuration; None or () where an option was not given."""

    conversation: str | None = None
    mapping: str | None = None
    whole: bool = False
    skills: str | None = None
    features: str | None = None
    tools: str | None = None
    chunks: str | None = None
    usage: str | None = None
    system: str | None = None
    specs: tuple[str, ...] = ()
    workspace_context: str | None = None
    query: str | None = None
    config: str | None = None
    model: str | None = None
    assignments: tuple[str, ...] = ()
    calibration: str | None = None


_SOURCES: Sequence[Decorator] = (
    click.option("--conversation", metavar="FILE[#N]", help="A conversation; #N chooses one of several."),
    click.option(
        "--mapping", metavar="FILE", help="Read the conversation by this mapping of 'import --guess-mapping'."
    ),
    click.option("--whole", is_flag=True, help="The whole transcript, not only what follows its last compaction."),
    click.option("--skills", metavar="FILE|DIR", help="A skill library."),
    click.option("--features", metavar="FILE|DIR", help="A library of feature specs."),
    click.option("--tools", metavar="FILE|DIR", help="Tool definitions, in place of the conversation's own."),
    click.option("--chunks", metavar="FILE", help="Retrieved chunks: JSON, JSONL or CSV."),
    click.option(
        "--usage", metavar="FILE", help="How often, or when, skills were used: for the orders frequent and recent."
    ),
    click.option("--system", metavar="TEXT|@FILE", help="The system text, in place of the conversation's own."),
    click.option("--spec", "specs", metavar="FILE", multiple=True, help="A spec file; may be repeated."),
    click.option("--workspace-context", metavar="TEXT|@FILE", help="What the workspace tells the model."),
    click.option("--query", metavar="TEXT|@FILE", help="What the user asks, after the conversation."),
)
_CONFIG = click.option("--config", metavar="FILE", help="A configuration; 'budgeteer config schema' describes it.")
_VALUES: Sequence[Decorator] = (
    click.option("--model", metavar="M", help="The model, over what the configuration says."),
    click.option(
        "--set", "assignments", metavar="PATH=VALUE", multiple=True, help="One configuration value; may be repeated."
    ),
    click.option("--calibration", metavar="FILE", help="Count as recorded: a file of 'budgeteer calibrate --write'."),
)


def source_options[F](command: F) -> F:
    """The options that name sources, and a configuration of them."""
    return _decorated(command, (*_SOURCES, _CONFIG, *_VALUES))


def source_options_without_config[F](command: F) -> F:
    """The same for a command that is given its configurations in another way."""
    return _decorated(command, (*_SOURCES, *_VALUES))


def check_something_is_given(options: SourceOptions) -> None:
    """Refuse a command line that names nothing to pack, or a mapping of nothing.

    Raises:
        click.UsageError: it does.
    """
    if options.mapping is not None and options.conversation is None:
        raise click.UsageError("--mapping says how --conversation is read; give that as well")
    materials = (options.conversation, options.skills, options.features, options.tools, options.chunks)
    texts = (options.system, options.workspace_context, options.query)
    if not any(one is not None for one in (*materials, *texts)) and not options.specs:
        raise click.UsageError(
            "nothing to pack: give --conversation, --skills, --features, --tools, --chunks or a text"
        )


def _decorated[F](command: F, options: Sequence[Decorator]) -> F:
    for option in reversed(options):
        command = option(command)
    return command
