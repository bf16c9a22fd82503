"""`budgeteer search`: which feature specs some keywords find, and what either mode costs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from budgeteer.cli.options.search import SearchOptions
from budgeteer.cli.output.terminal import complain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from budgeteer.engine.content.library import FeatureSpec


@click.command()
@click.argument("features", metavar="FEATURES")
@click.option("--keywords", metavar="A,B", default="", help="Words to search for; without one the files are listed.")
@click.option("--top-k", type=click.IntRange(min=1), metavar="N", help="At most so many specs.  [default: 5]")
@click.option("--config", metavar="FILE", help="A configuration: its weights, folders and model.")
@click.option("--model", metavar="M", help="The model, over what the configuration says.")
@click.option(
    "--set", "assignments", metavar="PATH=VALUE", multiple=True, help="One configuration value; may be repeated."
)
@click.option("--json", "as_json", is_flag=True, help="Print results and sizes as JSON.")
@click.option("--text", "as_text", is_flag=True, help="Print what the model would get.")
def command(**written: Any) -> None:
    """Search FEATURES, a folder or archive of Markdown specs, as the tool search_features does.

    A keyword in a file's name scores 3, each occurrence in its text 1; the best come whole. Folders that search leaves
    out (removed-features, bugs) and every weight are in the configuration under features.
    """
    options = SearchOptions(**written)
    if options.as_json and options.as_text:
        raise click.UsageError("--json and --text print different things; give one")
    features = _features(options.features)
    from budgeteer.cli.feature_searching import Search

    search = Search.of(features, options)
    if options.as_text:
        click.echo(search.answer())
    elif options.as_json:
        click.echo(json.dumps(search.to_json(), ensure_ascii=False))
    else:
        click.echo(search.table())


def _features(name: str) -> Sequence[FeatureSpec]:
    """The specs; none for a folder that is missing or holds none, which is an answer and no error (seed: change 2).

    Raises:
        InputError: a file that is no library of specs.
    """
    path = Path(name)
    if not path.exists() and not path.suffix:
        complain(f"{name}: there is no such folder")
        return ()
    if path.is_dir() and not any(found.suffix.lower() in (".md", ".markdown") for found in path.rglob("*")):
        complain(f"{name}: no Markdown file in it")
        return ()
    from budgeteer.cli.source_files import read_source

    imported = read_source(name, as_format="features")
    for skipped in imported.skipped:
        complain(f"{name}: {skipped.where} was not read: {skipped.why}")
    return imported.features
