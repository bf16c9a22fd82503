"""An evaluation in the dashboard beside the command line's: conversations a second with one and two workers, the page.

    python -m benchmarks.scaling.collection_run [--conversations 10000] [--workers 1 2] [--page 100000]

The conversations are those of `benchmarks.scaling.evaluating`, in files of 2,500, imported before the clock runs: it
runs from the commit that begins the evaluation until its figures are there. The page is timed over an evaluation of so
many conversations, which is the measured one with its rows repeated: the whole of it, a bar's conversations, and CSV.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from itertools import batched
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from benchmarks.documents import ROOT
from benchmarks.scaling.evaluating import CONFIG, conversations, megabytes_of, run, write_lines

if TYPE_CHECKING:
    from django.test import Client

    from budgeteer.collections.models import EvaluationRun

A_FILE: Final = 2_500
WAIT_SECONDS: Final = 3_600.0
LOOKS: Final = 60
WORKER: Final = (
    "import sys, django; django.setup(); from budgeteer.serve.child import main; sys.exit(main(sys.argv[1:]))"
)


@dataclass(frozen=True, slots=True)
class RunTime:
    """What one number of workers came to: seconds of each step, megabytes of all workers at most."""

    workers: int
    evaluate_seconds: float
    megabytes: float


@dataclass(frozen=True, slots=True)
class PageTime:
    """How long the page of an evaluation takes, in milliseconds."""

    conversations: int
    page_p95_ms: float
    bar_p95_ms: float
    csv_seconds: float


def main(arguments: list[str]) -> int:
    """Measure, and print a line for each figure."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scaling.collection_run", description=__doc__)
    parser.add_argument("--conversations", type=int, default=10_000)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--page", type=int, default=100_000)
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        files = write_files(Path(folder) / "sessions", options.conversations)
        for workers in options.workers:
            seconds, megabytes = run(files[0].parent, workers)
            told("command line", options.conversations, workers, seconds, megabytes)
        data = Path(folder) / "data"
        data.mkdir()
        imported, surveyed = _inside(data, f"fill({str(files[0].parent)!r})", workers=2)
        click.echo(
            f"dashboard: imported in {imported:.1f} s with 2 workers, looked through for duplicates in {surveyed:.1f} s"
        )
        for workers in options.workers:
            found = RunTime(**_inside(data, f"evaluated({workers})", workers=workers))
            told("dashboard", options.conversations, workers, found.evaluate_seconds, found.megabytes)
        page = PageTime(**_inside(data, f"looked_at({options.page})", workers=0))
        click.echo(
            f"page over {page.conversations:,} conversations: p95 {page.page_p95_ms:.0f} ms, with the conversations of "
            f"a bar {page.bar_p95_ms:.0f} ms; CSV in {page.csv_seconds:.1f} s"
        )
    return 0


def told(who: str, count: int, workers: int, seconds: float, megabytes: float) -> None:
    """Print one line."""
    rate = f"{count / seconds:,.0f} conversations/s"
    click.echo(f"{who}, {count:,} conversations, {workers} process(es): {seconds:.1f} s, {rate}, {megabytes:.0f} MB")


def write_files(folder: Path, count: int) -> list[Path]:
    """Files of A_FILE conversations each."""
    folder.mkdir()
    found = []
    for number, part in enumerate(batched(conversations(count), A_FILE)):
        found.append(folder / f"sessions-{number:03d}.jsonl")
        write_lines(found[-1], part)
    return found


@contextmanager
def _workers(variables: dict[str, str], count: int) -> Iterator[Sequence[subprocess.Popen[bytes]]]:
    """So many worker processes, ended at the end."""
    started = [
        subprocess.Popen(
            [sys.executable, "-c", WORKER, "worker", f"bench{number}", "default,large"],
            env=variables,
            stdin=subprocess.PIPE,
            cwd=ROOT,
        )
        for number in range(count)
    ]
    try:
        yield started
    finally:
        for process in started:
            process.terminate()
        for process in started:
            process.communicate()


def _inside(data: Path, call: str, *, workers: int) -> Any:
    """What a function of this module gives in a process over the data, beside so many workers."""
    from tests.browser.stack import environment

    variables = {
        **os.environ,
        **environment(data),
        "PYTHONPATH": str(ROOT),
        "DJANGO_SETTINGS_MODULE": "budgeteer.settings",
    }
    subprocess.run([sys.executable, "manage.py", "migrate", "-v0"], cwd=ROOT, env=variables, check=True)
    with _workers(variables, workers) as started:
        pids = [process.pid for process in started]
        code = f"from benchmarks import collection_run as it; it.pids = {pids}; print(it.in_json(it.{call}))"
        command = [sys.executable, "manage.py", "shell", "--no-imports", "-c", code]
        done = subprocess.run(command, cwd=ROOT, env=variables, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr[-3000:])
    return json.loads(done.stdout.splitlines()[-1])


#: The workers beside this process.
pids: Sequence[int] = ()


def in_json(found: object) -> str:
    """What a function below gives, for the process that asked."""
    return json.dumps(asdict(found) if isinstance(found, RunTime | PageTime) else found)


def fill(folder: str) -> tuple[float, float]:
    """Import the files into a collection; seconds of that, and of looking for duplicates."""
    from django.core.files.base import File

    from budgeteer.accounts.services import local_user
    from budgeteer.collections import services
    from budgeteer.sources import services as sources

    user, started = local_user(), time.monotonic()
    taken = []
    for path in sorted(Path(folder).glob("*.jsonl")):
        with path.open("rb") as file:
            taken.append(sources.receive_upload(user, name=path.name, content=File(file, path.name)))
    _wait_for_jobs()
    imported = time.monotonic() - started
    collection = services.create(user, name="Measured", members=taken)
    started = time.monotonic()
    services.ensure_surveyed(collection)
    _wait_for_jobs()
    return imported, time.monotonic() - started


def evaluated(workers: int) -> RunTime:
    """Evaluate the collection once."""
    from budgeteer.accounts.services import local_user
    from budgeteer.collections import runs
    from budgeteer.collections.models import Collection
    from budgeteer.engine.analysis.evaluation.chunk import NamedConfig
    from budgeteer.engine.config.schema import load_config

    while runs.workers() < workers:
        time.sleep(0.1)
    time.sleep(3)  # they load vocabularies first
    started, most = time.monotonic(), 0.0
    config = NamedConfig("newestFirst", load_config(CONFIG))
    run = runs.begin(Collection.objects.get(), [config], owner=local_user(), keeps_duplicates=False)
    while run.is_under_way:
        time.sleep(0.1)
        run.refresh_from_db()
        most = max(most, sum(map(megabytes_of, pids)))
    seconds = time.monotonic() - started
    if run.state != run.State.DONE:
        raise RuntimeError(f"{run.state}: {run.error}")
    return RunTime(workers, seconds, most)


def looked_at(count: int) -> PageTime:
    """Time the page of an evaluation of so many conversations."""
    from django.test import Client

    from budgeteer.collections.models import EvaluationRun

    run = EvaluationRun.objects.filter(state="done").first()
    if run is None:
        raise RuntimeError("nothing was evaluated")
    _repeat(run, count)
    client = Client(SERVER_NAME="localhost")
    client.force_login(run.owner)
    address = run.get_absolute_url()
    whole, bar = [], []
    for number in range(LOOKS):
        whole.append(_milliseconds(client, address))
        bar.append(_milliseconds(client, f"{address}?low={1 + number * 40}&high={4000 + number * 100}"))
    started = time.monotonic()
    answer: Any = client.get(f"{address}rows.csv")
    if not sum(map(len, answer.streaming_content)):
        raise RuntimeError("the CSV is empty")
    return PageTime(run.conversations, _p95(whole), _p95(bar), time.monotonic() - started)


def _milliseconds(client: Client, address: str) -> float:
    started = time.perf_counter()
    answer = client.get(address)
    if answer.status_code != 200:
        raise RuntimeError(f"{address} answers {answer.status_code}")
    return 1_000 * (time.perf_counter() - started)


def _p95(values: Sequence[float]) -> float:
    return sorted(values)[int(0.95 * len(values))]


def _repeat(run: EvaluationRun, count: int) -> None:
    """Let the run have so many conversations, by its own rows again and again."""
    from django.core.files.base import ContentFile
    from django.core.files.storage import default_storage

    from budgeteer.collections.row_columns import RowColumns, segments_of
    from budgeteer.collections.row_search import segments_of_run
    from budgeteer.engine.analysis.evaluation.records import evaluation_from_record, evaluation_to_record

    if run.record is None:
        raise RuntimeError("the evaluation has no figures")
    times = -(-count // run.conversations)
    once = RowColumns.joined(segments_of_run(run))
    merged = evaluation_from_record(run.record)
    for _ in range(times - 1):
        merged.merge(evaluation_from_record(run.record))
    run.segments.all().delete()
    for at, part in enumerate(segments_of(once for _ in range(times))):
        run.segments.create(
            number=at, rows=default_storage.save(f"{run.folder}/bench-{at}.npz", ContentFile(part.dump()))
        )
    run.record, run.conversations = evaluation_to_record(merged), times * run.conversations
    run.save()


def _wait_for_jobs() -> None:
    from budgeteer.jobs.models import UNFINISHED, Job

    until = time.monotonic() + WAIT_SECONDS
    while Job.objects.filter(state__in=UNFINISHED).exists():
        if time.monotonic() > until:
            raise RuntimeError("the jobs did not end")
        time.sleep(0.1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
