"""`budgeteer count`: tokens and characters, by item and in total."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from budgeteer.cli.output.tables import table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from budgeteer.cli.item_counts import ItemCounts

DEFAULT_MODEL = "gpt-4o"


@click.command()
@click.argument("file")
@click.option("--model", metavar="M", help=f"Count with this model's tokenizer.  [default: {DEFAULT_MODEL}]")
@click.option("--tokenizer", metavar="T", help="Count with o200k_base, claude-v4.8, chars/4, …")
@click.option("--mapping", metavar="MAPPING", help="Read it by this mapping of 'import --guess-mapping'.")
@click.option("--whole", is_flag=True, help="The whole transcript, not only what follows its last compaction.")
@click.option("--json", "as_json", is_flag=True, help="Print every item as JSON.")
def command(  # noqa: PLR0913  # one for each option
    *, file: str, model: str | None, tokenizer: str | None, mapping: str | None, whole: bool, as_json: bool
) -> None:
    """Count FILE: every message, skill, tool definition, feature spec or text, and the total.

    FILE may name one conversation of several as FILE#N. A conversation's total is what it costs as a chat request,
    message frames included. A skill's total is its entry in the prompt; its body is shown apart.
    """
    if model is not None and tokenizer is not None:
        raise click.UsageError("--model and --tokenizer each choose a tokenizer; give one")
    from budgeteer.cli.item_counts import count_file
    from budgeteer.cli.source_files import read_mapping
    from budgeteer.engine.counting.claude.claude_vocabulary import CLAUDE_FAMILIES
    from budgeteer.engine.counting.tokenizers import counter_for
    from budgeteer.engine.models.registry import model as model_row
    from budgeteer.engine.packing.allocation import count_kind

    row = model_row(model or DEFAULT_MODEL)
    counter = counter_for(tokenizer or row.tokenizer)
    stand_in = tokenizer is None and row.tokenizer_is_stand_in
    rows = count_file(file, row=row, counter=counter, whole=whole, mapping=read_mapping(mapping))
    known = count_kind(counter, row) if tokenizer is None else counter.kind
    kind = "estimated" if any(one.is_estimated for one in rows) else known
    if as_json:
        click.echo(json.dumps(_report(rows, counter.name, kind), ensure_ascii=False, indent=2))
    else:
        click.echo(_text(rows))
        note = ""
        if row.tokenizer in CLAUDE_FAMILIES and stand_in:
            note = f", {row.title}'s own tokenizer as ctok has it"
        elif stand_in and row.tokenizer_is_own:
            note = f", {row.title}'s own vocabulary; what stands around messages is not published"
        elif stand_in:
            note = f", a stand-in for {row.title}'s own tokenizer"
        click.echo(f"\nCounted with {counter.name}{note} ({kind}).")


def _report(rows: Sequence[ItemCounts], tokenizer: str, kind: str) -> dict[str, Any]:
    items = []
    for row in rows:
        if row.id:
            body = {} if row.body_tokens is None else {"bodyTokens": row.body_tokens}
            items.append({"id": row.id, "name": row.name, "tokens": row.tokens, "chars": row.chars, **body})
    overhead = [{"name": row.name, "tokens": row.tokens, "chars": row.chars} for row in rows if not row.id]
    total = {"tokens": sum(row.tokens for row in rows), "chars": sum(row.chars for row in rows)}
    return {"tokenizer": tokenizer, "kind": kind, "total": total, "items": items, "overhead": overhead}


def _text(rows: Sequence[ItemCounts]) -> str:
    bodies = any(row.body_tokens is not None for row in rows)
    header = ["tokens", "characters", *(["body tokens"] if bodies else []), "item", "name"]
    lines = [
        [row.tokens, row.chars, *([row.body_tokens] if bodies else []), row.id or "(between items)", row.name]
        for row in rows
    ]
    body_total = [sum(row.body_tokens or 0 for row in rows)] if bodies else []
    total = [sum(row.tokens for row in rows), sum(row.chars for row in rows), *body_total, "total", ""]
    return table(header, [*lines, total])
