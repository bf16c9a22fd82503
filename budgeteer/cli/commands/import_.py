"""`budgeteer import`: detect what a file is, read it, and report."""

from __future__ import annotations

import json

import click


@click.command(name="import")
@click.argument("file")
@click.option(
    "--as", "as_format", default="", metavar="FORMAT", help="Read it as this format instead of detecting one."
)
@click.option("--mapping", metavar="MAPPING", help="Read it by this mapping: a JSON file that says where things stand.")
@click.option("--guess-mapping", is_flag=True, help="Only print a mapping for the JSON file, to edit and use.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
@click.option(
    "--messages", type=click.IntRange(min=1), metavar="N", help="Also print conversation N in the internal form."
)
@click.option("--whole", is_flag=True, help="Keep what came before the last compaction.")
def command(  # noqa: PLR0913  # one for each option
    *,
    file: str,
    as_format: str,
    mapping: str | None,
    guess_mapping: bool,
    as_json: bool,
    messages: int | None,
    whole: bool,
) -> None:
    """Detect what FILE is, read it, and report what was found and what was not used.

    FILE is a file, a folder, or - for standard input.
    """
    from budgeteer.cli.output.import_report import conversation_number, report_lines
    from budgeteer.cli.source_files import guessed_mapping, read_mapping, read_source
    from budgeteer.engine.content.conversation import message_to_json
    from budgeteer.formats.messages.imported import report_json

    if guess_mapping:
        click.echo(guessed_mapping(file).to_text(), nl=False)
        return
    if mapping and as_format:
        raise click.UsageError("--mapping and --as exclude each other: a mapping is a format of its own")
    imported = read_source(file, as_format=as_format, whole=whole, mapping=read_mapping(mapping))
    chosen = None if messages is None else conversation_number(file, imported, messages)
    printed = [message_to_json(message) for message in chosen.messages] if chosen else []
    if as_json:
        report = report_json(imported)
        if chosen:
            report["messages"] = printed
        click.echo(json.dumps(report, ensure_ascii=False, indent=2))
        return
    click.echo("\n".join(report_lines(file, imported)))
    for message in printed:
        click.echo(json.dumps(message, ensure_ascii=False))
