"""One measurement of `benchmarks.workers`, in a process of its own since settings are read once."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from benchmarks.workers import measure

if __name__ == "__main__":
    kind, count, place = sys.argv[1:]
    click.echo(json.dumps({"seconds": measure(kind, int(count), Path(place))}))
