"""One measurement of `benchmarks.scaling.workers`, in a process of its own since settings are read once."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from benchmarks.scaling.workers import measure

if __name__ == "__main__":
    kind, count, place = sys.argv[1:]
    click.echo(json.dumps({"seconds": measure(kind, int(count), Path(place))}))
