"""Time and memory of imports of large files, without counting, each in a process of its own: `make bench-imports`.

python -m benchmarks.imports.speed                   # 100 MB of every shape, 500 MB of some; writes docs/performance.md
python -m benchmarks.imports.speed --megabytes 20    # another size, printed only
python -m benchmarks.imports.speed --only chatgpt    # some formats; the figures of the others are kept
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any, Final

import click

from benchmarks.documents import PERFORMANCE, GeneratedPart
from benchmarks.imports import shapes

PLACE: Final = Path(__file__).parent / "results.json"
PART: Final = GeneratedPart(PERFORMANCE, "make bench-imports")

MEGABYTES: Final = (100, 500)
#: What an import may take and has to reach. Source: the dashboard's requirements.
MOST_MEGABYTES, LEAST_RATE, FIRST_SECONDS = 400, 30, 1.0


@dataclass(frozen=True, slots=True)
class Import:
    """What one import took.

    Attributes:
        title: of its shape.
        megabytes: of the file.
        messages: how many were read.
        seconds: by the clock.
        cpu_seconds: of processor time.
        first_seconds: until the first word of progress.
        peak_megabytes: the most resident memory of the process, the interpreter and the package included.
        parse_seconds: of processor time that `json.loads` alone takes for the same lines or document; None where it was
            not measured.
    """

    title: str
    megabytes: float
    messages: int
    seconds: float
    cpu_seconds: float
    first_seconds: float
    peak_megabytes: float
    parse_seconds: float | None = None


def main(arguments: Sequence[str]) -> int:
    """Measure, show, and write; status 1 where a file is read as another format or with other messages."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.imports.speed")
    parser.add_argument("--megabytes", type=int, nargs="+", default=MEGABYTES)
    parser.add_argument("--only", nargs="+", default=(), metavar="FORMAT")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.one:
        click.echo(json.dumps(_imported(Path(options.one))))
        return 0
    asked = [shape for shape in shapes.SHAPES if not options.only or shape.format in options.only]
    loads = [os.getloadavg()[0]]
    found = []
    for shape in asked:
        for size in options.megabytes:
            if size == min(options.megabytes) or shape.is_typical:
                found.append(measured(shape, size))
                if size in MEGABYTES:
                    keep(found[-1])
    loads.append(os.getloadavg()[0])
    if set(options.megabytes) <= set(MEGABYTES):
        PART.write(page(kept(), machine(loads)))
    click.echo(page(found, machine(loads)))
    return 0


def kept() -> list[Import]:
    """What was measured, of every shape and size the last, in the order of the shapes."""
    rows = [Import(**row) for row in json.loads(PLACE.read_text(encoding="utf-8"))]
    order = [shape.title for shape in shapes.SHAPES]
    return sorted((row for row in rows if row.title in order), key=lambda row: (order.index(row.title), row.megabytes))


def keep(one: Import) -> None:
    """Keep what was measured in the place of what was measured of the same before."""
    others = [row for row in kept() if (row.title, round(row.megabytes)) != (one.title, round(one.megabytes))]
    PLACE.write_text(json.dumps([asdict(row) for row in [*others, one]], indent=1) + "\n", encoding="utf-8")


def measured(shape: shapes.Shape, megabytes: int) -> Import:
    """Write a file of a shape and import it in a process of its own.

    Raises:
        RuntimeError: the import failed, or told another format.
    """
    with tempfile.TemporaryDirectory(prefix="budgeteer-imports-") as folder:
        path = Path(folder) / f"large.{'json' if shape.around else 'jsonl'}"
        size = shapes.write(path, shape, megabytes)
        command = [sys.executable, "-m", "benchmarks.imports.speed", "--one", str(path)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr[-2_000:])
    told: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    if told.pop("format") != shape.format or told.pop("unread"):
        raise RuntimeError(f"{shape.title}: {done.stdout}")
    one = Import(shape.title, size / 1e6, **told)
    rate = one.megabytes / one.cpu_seconds
    click.echo(f"{one.title:40} {one.megabytes:5.0f} MB {rate:6.1f} MB/s {one.peak_megabytes:5.0f} MB", err=True)
    return one


def _imported(path: Path) -> dict[str, Any]:
    from budgeteer.formats.detect import import_file
    from budgeteer.formats.reading.document import Options
    from budgeteer.formats.reading.limits import COMMAND_LINE_LIMITS

    heard: list[float] = []

    def progress(_done: int, _total: int, _unit: str) -> None:
        if not heard:
            heard.append(time.monotonic() - begun)

    with ExitStack() as stack, path.open("rb") as file:

        def scratch() -> IO[bytes]:
            return stack.enter_context(tempfile.TemporaryFile())

        options = Options(limits=COMMAND_LINE_LIMITS, progress=progress, scratch=scratch)
        begun, cpu = time.monotonic(), time.process_time()
        found = import_file(file, name=path.name, options=options)
        took = {"seconds": time.monotonic() - begun, "cpu_seconds": time.process_time() - cpu}
        status = Path("/proc/self/status").read_text(encoding="ascii")
        peak = int(next(line for line in status.splitlines() if line.startswith("VmHWM:")).split()[1]) / 1024
        messages = sum(len(chat.messages) for chat in found.conversations)
    lossy = found.accounting is None or found.accounting.is_lossy
    first = heard[0] if heard else took["seconds"]
    told = {"format": found.format, "unread": lossy, "messages": messages}
    return {**told, **took, "first_seconds": first, "peak_megabytes": peak, "parse_seconds": _parse_seconds(path)}


def _parse_seconds(path: Path) -> float:
    """The processor time of `json.loads` for each line of a file, or for the one document that it is."""
    with path.open("rb") as file:
        begun = time.process_time()
        if path.suffix == ".json":
            json.loads(file.read())
        else:
            for line in file:
                json.loads(line)
        return time.process_time() - begun


def machine(loads: Sequence[float]) -> str:
    """What was measured on, without its name."""
    return (
        f"Measured on {datetime.now(UTC):%Y-%m-%d}, {platform.system()} {platform.machine()}, "
        f"{os.cpu_count()} processors, Python {platform.python_version()}; "
        f"mean load {loads[0]:.1f} at the beginning and {loads[1]:.1f} at the end."
    )


def page(found: Sequence[Import], measured_on: str) -> str:
    """The table as Markdown."""
    columns = ("file", "MB", "messages", "MB/s of processor time", "MB/s by the clock", "against `json.loads`")
    head = f"| {' | '.join(columns)} | first progress | peak memory |"
    rows = [head, "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"]
    for one in found:
        rate = _judged(f"{one.megabytes / one.cpu_seconds:.0f}", reached=one.megabytes / one.cpu_seconds >= LEAST_RATE)
        peak = _judged(f"{one.peak_megabytes:.0f} MB", reached=one.peak_megabytes <= MOST_MEGABYTES)
        first = _judged(f"{one.first_seconds:.2f} s", reached=one.first_seconds <= FIRST_SECONDS)
        cells = (
            one.title,
            f"{one.megabytes:.0f}",
            f"{one.messages:,}",
            rate,
            f"{one.megabytes / one.seconds:.0f}",
            f"{one.cpu_seconds / one.parse_seconds:.1f} times" if one.parse_seconds else "–",
            first,
            peak,
        )
        rows.append(f"| {' | '.join(cells)} |")
    return "\n".join([measured_on, "", *rows])


def _judged(text: str, *, reached: bool) -> str:
    return text if reached else f"**{text}**"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
