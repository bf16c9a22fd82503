"""`budgeteer replay`: a conversation request by request."""

from __future__ import annotations

import json
from typing import Any

import click

from budgeteer.cli.options.cache import cache_options, cache_plan
from budgeteer.cli.options.sources import SourceOptions, check_something_is_given, source_options

DONE = 0
CANNOT_FIT = 1

#: What may compress in a replay, as `autocompress.POLICIES` lists it; written out so that `--help` loads no engine.
POLICIES = ("none", "extractive")


@click.command()
@source_options
@click.option(
    "--policy",
    type=click.Choice(POLICIES),
    default="none",
    show_default=True,
    help="What compresses beside the ranges of the configuration: extractive answers each context-limit nudge.",
)
@cache_options
@click.option("--all", "every", is_flag=True, help="Show every request, not only those at which something happens.")
@click.option("--json", "as_json", is_flag=True, help="Print every request as JSON.")
def command(policy: str, cache: str, pause: float, **written: Any) -> int:
    """Replay a conversation: what each model request asks for, what is sent of it, and what happens on the way.

    Events are overflow, warning, summary, nudge and compress. The largest items of the first request above the limit
    are named. With each request stands what the provider's prompt cache holds of it, by the published rules, what it
    costs, and what broke its prefix.

    Example: budgeteer replay --conversation session.jsonl --model gpt-4o --set pruning.mode=auto

    Exit status: 0 done, 1 a request cannot be made to fit, 2 bad input.
    """
    every, as_json = written.pop("every"), written.pop("as_json")
    options = SourceOptions(**written)
    check_something_is_given(options)
    from budgeteer.cli.output.progress import progress_bar
    from budgeteer.cli.output.replay_table import replay_table
    from budgeteer.cli.packing_run import subject_of
    from budgeteer.engine.analysis.replay.autocompress import policy_named
    from budgeteer.engine.analysis.replay.replay import replay

    subject = subject_of(options)
    plan = cache_plan(subject.config.model, cache, pause)
    with progress_bar("Replaying requests") as progress:
        found = replay(subject, policy=policy_named(policy), cache=plan, progress=progress)
    click.echo(json.dumps(found.to_json(), ensure_ascii=False) if as_json else replay_table(found, every=every))
    return CANNOT_FIT if any(turn.level == "cannotFit" for turn in found.turns) else DONE
