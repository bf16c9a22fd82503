"""`budgeteer pull`: what was tuned in the dashboard, as a file here."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import click

#: What can be had of a workspace; "source" is the original file of a source.
KINDS = ("config", "changes", "packing", "request", "source")


@click.command()
@click.argument("id_", metavar="ID")
@click.option(
    "--what",
    type=click.Choice(KINDS),
    default="config",
    help="config: the whole configuration (the default); changes: what it changes of its preset; packing: every "
    "decision and figure; request: the packed prompt; source: the original file, ID being a source's.",
)
@click.option("--provider", default=None, metavar="FORM", help="The request form of packing and request.")
@click.option("--url", default="", metavar="URL", help="The dashboard; by default the one of the last login.")
@click.option("-o", "--output", default="-", metavar="FILE", help="Where to write it; standard output by default.")
def command(id_: str, *, what: str, provider: str | None, url: str, output: str) -> int:
    """Write the configuration, figures or packed prompt of the workspace ID, or a source, to a file.

    Example: budgeteer pull 0d7c2b1e-… -o tuned.json; budgeteer pack --conversation session.jsonl --config tuned.json

    Exit status: 0 done, 1 the packed prompt cannot be made to fit, 2 bad input.
    """
    from budgeteer.client import credentials
    from budgeteer.client.connection import Connection
    from budgeteer.client.remote import Remote

    login = credentials.find(url)
    fits = True
    with Remote(Connection(login.url, login.token)) as remote:
        if what == "source":
            _write(remote.content(id_), output)
            return 0
        workspace = remote.workspace(id_)
        match what:
            case "config":
                found: Any = workspace.config
            case "changes":
                found = workspace.data["changes"]
            case "packing":
                found = workspace.packing(provider=provider)
                fits = found["fits"]
            case _:
                found = workspace.request(provider)
    _write(json.dumps(found, ensure_ascii=False, indent=2).encode() + b"\n", output)
    return 0 if fits else 1


def _write(data: bytes, output: str) -> None:
    if output == "-":
        sys.stdout.buffer.write(data)
        return
    try:
        Path(output).write_bytes(data)
    except OSError as error:
        raise click.ClickException(f"{output} cannot be written: {error.strerror}") from None
