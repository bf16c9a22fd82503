"""People who work in one dashboard at once: what they wait for, and what the web process takes.

    python -m benchmarks.load [--people 50] [--minutes 5] [--stack postgres|sqlite] [--quick]

Starts the parts of a team's dashboard (web, two workers, scheduler) over servers of its own, with an account for each
person, and locust, a load generator, with the journeys of benchmarks/load/people.py. Prints the requests by what they
were for, with p50, p95 and p99, the memory of the web process over time, and the machine's load. Status 1 where a
request failed, a committed change took longer than its goal at p95, or the memory grew.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import secrets
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import click

from benchmarks.load.watching import Watched, watching
from budgeteer.cli.output.tables import table
from tests.kills import parts

ROOT: Final = Path(__file__).parents[2]
LOCUST: Final = ROOT / ".venv-bench" / "bin" / "locust"
COMMITTED: Final = "slider: let go (saved)"
GOAL_MS: Final = 500
#: The last part of a run, in which memory may grow by no more than this.
STEADY_SHARE: Final = 2 / 3
MOST_GROWTH: Final = 0.05
WEB: Final = "web"
LOCUST_LOG: Final = "locust.log"
TENTHS: Final = 10


@dataclass(frozen=True, slots=True)
class Waited:
    """What requests for one purpose took, in milliseconds."""

    purpose: str
    requests: int
    failures: int
    p50: float
    p95: float
    p99: float
    most: float


def main(arguments: list[str]) -> int:
    """Start the dashboard, let people work, and print what they waited for."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.load", description=__doc__)
    parser.add_argument("--people", type=int, default=50)
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("--stack", choices=("postgres", "sqlite"), default="postgres")
    parser.add_argument("--quick", action="store_true", help="five people for half a minute; no goal is held")
    options = parser.parse_args(arguments)
    people, minutes = (5, 0.5) if options.quick else (options.people, options.minutes)
    if not LOCUST.exists():
        raise SystemExit("locust is not here. Run `make .venv-bench/.installed`.")
    with tempfile.TemporaryDirectory(prefix="budgeteer-load-") as place:
        folder = Path(place)
        with parts.prepared(options.stack, folder) as stack:
            password = secrets.token_urlsafe(16)
            # Jobs are looked after as often as by default; the kills that start the same parts are impatient.
            kept = {key: value for key, value in stack.environment.items() if not key.startswith("BUDGETEER_JOB_")}
            stack.environment = kept | _for_a_team()
            accounts = _make_accounts(stack, people, password)
            parts.start_parts(stack)
            generator = _start_work(stack, folder, accounts, password, minutes)
            with watching(lambda: _processes(stack, generator.pid)) as watched:
                status = generator.wait()
            if status not in (0, 1):  # 1: a request failed, which the table says
                raise RuntimeError((folder / LOCUST_LOG).read_text()[-4000:])
        waited = list(_read(folder / "load_stats.csv"))
        committed = list(_committed(folder / "requests"))
    _print(waited, people=people, minutes=minutes, stack=options.stack)
    _print_course(watched, committed)
    memory = [_of_web(resident) / 1e6 for resident in watched.resident]
    return 0 if options.quick else _judged(waited, memory)


def _for_a_team() -> dict[str, str]:
    """As in production but for TLS, with a web process of one thread for each processor (docs/deployment.md).

    Nobody is made to wait for signing in from one address.
    """
    return {
        "BUDGETEER_MODE": "team",
        "SECRET_KEY": secrets.token_urlsafe(60),
        "ALLOWED_HOSTS": "127.0.0.1",
        "BUDGETEER_HTTPS": "no",
        "BUDGETEER_SIGN_IN_TRIES_PER_ADDRESS": "10000",
        "BUDGETEER_LOG_LEVEL": "warning",
        "BUDGETEER_WEB_PROCESSES": str(os.cpu_count() or 1),
        "BUDGETEER_WEB_THREADS": "1",
    }


def _make_accounts(stack: parts.Stack, people: int, password: str) -> list[str]:
    """Migrate, and make an editor for each person; their names."""
    names = [f"person-{number}" for number in range(1, people + 1)]
    making = (
        "import json, os, django; django.setup()\n"
        "from django.core.management import call_command\n"
        "from django.contrib.auth.hashers import make_password\n"
        "from django.contrib.auth.models import User\n"
        "from budgeteer.access.rules import AccountRole, set_role\n"
        "call_command('migrate', verbosity=0, interactive=False)\n"
        "password = make_password(os.environ['LOAD_PASSWORD'])\n"
        "for name in json.loads(os.environ['LOAD_ACCOUNTS']):\n"
        "    set_role(User.objects.create(username=name, password=password), AccountRole.EDITOR)\n"
    )
    given = stack.environment | {"LOAD_ACCOUNTS": json.dumps(names), "LOAD_PASSWORD": password}
    subprocess.run([sys.executable, "-c", making], env=given, cwd=ROOT, check=True)
    return names


def _start_work(
    stack: parts.Stack, folder: Path, accounts: list[str], password: str, minutes: float
) -> subprocess.Popen[bytes]:
    """Let everybody work for so long; within the first tenth of it they come one after another."""
    seconds = int(minutes * 60)
    command = [
        *(str(LOCUST), "--headless", "--only-summary", "--loglevel", "WARNING", "--locustfile"),
        *(str(ROOT / "benchmarks" / "load" / "people.py"), "--host", f"http://127.0.0.1:{stack.port}"),
        *("--users", str(len(accounts)), "--spawn-rate", f"{max(len(accounts) * 10 / seconds, 1):.2f}"),
        *("--run-time", f"{seconds}s", "--csv", str(folder / "load"), "--reset-stats"),
    ]
    given = {
        "PATH": os.environ["PATH"],
        "LOAD_ACCOUNTS": json.dumps(accounts),
        "LOAD_PASSWORD": password,
        "LOAD_REQUESTS": str(folder / "requests"),
    }
    with (folder / LOCUST_LOG).open("w") as output:
        return subprocess.Popen(command, env=given, cwd=folder, stdout=output, stderr=subprocess.STDOUT)


def _processes(stack: parts.Stack, generator: int) -> dict[str, tuple[int, ...]]:
    """The processes of the servers and parts by name, each of those that answer requests by itself."""
    found: dict[str, tuple[int, ...]] = {"load generator": (generator,)}
    for name, part in (stack.servers | stack.parts).items():
        process = part.process.pid if part.process else 0
        started = parts.started_by(process)
        if name == "web":
            found |= {f"{WEB} {number}": (one,) for number, one in enumerate(started, 1)}
            started = []
        found[name] = (process, *started)
    return found


def _read(path: Path) -> Iterator[Waited]:
    with path.open(newline="") as file:
        for row in csv.DictReader(file):
            yield Waited(
                row["Name"],
                int(row["Request Count"]),
                int(row["Failure Count"]),
                *(float(row[key]) for key in ("50%", "95%", "99%", "100%")),
            )


def _print(waited: list[Waited], *, people: int, minutes: float, stack: str) -> None:
    rows = [
        [one.purpose, f"{one.requests:,}", f"{one.failures:,}", *(f"{ms:,.0f}" for ms in (one.p50, one.p95, one.p99))]
        for one in waited
    ]
    click.echo(f"{people} people for {minutes:g} minutes, {stack}; load of the machine {os.getloadavg()[1]:.1f}")
    click.echo(table(["what", "requests", "failed", "p50 ms", "p95 ms", "p99 ms"], rows))


def _committed(path: Path) -> Iterator[tuple[float, float]]:
    """When each saved change was answered, in seconds since 1970, and after how many milliseconds."""
    with path.open() as file:
        for line in file:
            at, waited, purpose = line.rstrip("\n").split(" ", 2)
            if purpose == COMMITTED:
                yield float(at), float(waited)


def _print_course(watched: Watched, committed: list[tuple[float, float]]) -> None:
    """A row for each tenth of the time: what saved changes took, the processors in use, and the memory of the web."""
    if not watched.times:
        return
    begun, tenth = watched.times[0], (watched.times[-1] - watched.times[0]) / TENTHS
    names = [name for name, used in watched.used[-1].items() if used - watched.used[0].get(name, 0) > 1]
    rows = []
    for number in range(TENTHS):
        start, end = begun + number * tenth, begun + (number + 1) * tenth
        waits = sorted(waited for at, waited in committed if start <= at < end)
        used, held = watched.between(start, end)
        quantiles = statistics.quantiles(waits, n=20) if len(waits) > 1 else [0.0] * 19
        rows.append(
            [
                f"{(number + 1) * tenth / 60:.1f}",
                f"{len(waits):,}",
                f"{quantiles[9]:,.0f}",
                f"{quantiles[18]:,.0f}",
                *(f"{used.get(name, 0):.2f}" for name in names),
                f"{_of_web(held):,.0f}",
            ]
        )
    click.echo("Until so many minutes: saved changes, what they took, processors in use, memory of the web processes")
    click.echo(table(["minute", "saved", "p50 ms", "p95 ms", *names, "web MB"], rows))


def _of_web(values: Mapping[str, float]) -> float:
    return sum(value for name, value in values.items() if name.startswith(WEB))


def _steady(memory: list[float]) -> tuple[float, float]:
    """The mean memory at the beginning and at the end of the last two thirds."""
    steady = memory[int(len(memory) * (1 - STEADY_SHARE)) :] or memory
    part = max(len(steady) // 10, 1)
    return sum(steady[:part]) / part, sum(steady[-part:]) / part


def _judged(waited: list[Waited], memory: list[float]) -> int:
    begun, grown = _steady(memory)
    failed = sum(one.failures for one in waited if one.purpose != "Aggregated")
    slow = [one for one in waited if one.purpose == COMMITTED and one.p95 > GOAL_MS]
    if failed:
        click.echo(f"{failed} requests failed.")
    for one in slow:
        click.echo(f"{one.purpose}: p95 is {one.p95:,.0f} ms; at most {GOAL_MS} ms are allowed.")
    click.echo(f"web processes: {begun:,.0f} MB after a third of the time, {grown:,.0f} MB at the end")
    if grown > begun * (1 + MOST_GROWTH):
        click.echo(f"The web processes grew by {grown / begun - 1:.0%}; at most {MOST_GROWTH:.0%} are allowed.")
    return 1 if failed or slow or grown > begun * (1 + MOST_GROWTH) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
