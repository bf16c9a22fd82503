"""`budgeteer policies`: every way to keep a conversation within its budget, side by side."""

from __future__ import annotations

import json
from typing import Any

import click

from budgeteer.cli.options.cache import cache_options, cache_plan
from budgeteer.cli.options.sources import SourceOptions, check_something_is_given, source_options

DONE = 0
CANNOT_FIT = 1


@click.command()
@source_options
@cache_options
@click.option("--json", "as_json", is_flag=True, help="Print every policy as JSON.")
def command(cache: str, pause: float, **written: Any) -> int:
    """Replay a conversation under every history strategy and under pruning, and compare what each comes to.

    Each has the window, the budget and the limits of the configuration. Shown are the tokens of all requests, the
    largest one, how many demand more than may be sent, what is left out, what is read from the provider's prompt cache,
    how often its prefix breaks, and the price with the cache and without. A second table says what agents such as
    Claude Code and Codex would have done to the conversation: when they compact, and what goes. A third says what its
    tool definitions take, what those that are never called do, and what all would take behind a search tool.

    Example: budgeteer policies --conversation session.jsonl --model claude-sonnet-4-5 --set contextWindow=60000

    Exit status: 0 done, 1 under every policy a request cannot be made to fit, 2 bad input.
    """
    as_json = written.pop("as_json")
    options = SourceOptions(**written)
    check_something_is_given(options)
    from budgeteer.cli.output.policies_table import agents_table, policies_table, tools_table
    from budgeteer.cli.output.progress import progress_bar
    from budgeteer.cli.packing_run import subject_of
    from budgeteer.engine.analysis.deferred_tools import deferred_tools
    from budgeteer.engine.analysis.replay.harness_replay import replay_harnesses
    from budgeteer.engine.analysis.replay.policies import compare_policies

    subject = subject_of(options)
    plan = cache_plan(subject.config.model, cache, pause)
    with progress_bar("Replaying policies") as progress:
        found = compare_policies(subject, cache=plan, progress=progress)
    agents = replay_harnesses(subject)
    bundle, counter = subject.bundle, subject.counter
    tools = deferred_tools(bundle, subject.config, counter=counter) if bundle.tools else None
    if as_json:
        data = {
            "cache": None if plan is None else plan.rules.name,
            "policies": [one.to_json() for one in found],
            "agents": [one.to_json() for one in agents],
            "tools": None if tools is None else tools.to_json(),
        }
        click.echo(json.dumps(data, ensure_ascii=False))
    else:
        click.echo(policies_table(found, rules="" if plan is None else plan.rules.title))
        if agents:
            click.echo(agents_table(agents))
        if tools is not None:
            click.echo(tools_table(tools))
    return CANNOT_FIT if all(one.failing for one in found) else DONE
