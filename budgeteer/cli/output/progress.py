"""A progress bar on standard error, shown only on a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

from budgeteer.cli.output.terminal import shown

BAR_WIDTH = 30


@contextmanager
def progress_bar(label: str) -> Iterator[Callable[[int, int], None] | None]:
    """Yield a function of (done, total) that draws the bar; None where nobody is watching. The bar goes at the end."""
    if not sys.stderr.isatty():
        yield None
        return
    drawn = 0

    def draw(done: int, total: int) -> None:
        nonlocal drawn
        filled = BAR_WIDTH * done // max(total, 1)
        line = f"{shown(label)} [{'#' * filled}{'.' * (BAR_WIDTH - filled)}] {done:,} of {total:,}"
        click.echo(f"\r{line:<{drawn}}", nl=False, err=True)
        drawn = len(line)

    try:
        yield draw
    finally:
        if drawn:
            click.echo(f"\r{'':<{drawn}}\r", nl=False, err=True)
