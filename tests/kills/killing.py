"""Which process is killed or stopped when: a plan drawn from the seed, and the hand that carries it out."""

from __future__ import annotations

import random
import shutil
import signal
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from django.db import Error as AnyDatabaseError
from django.db import connection

from tests.kills.parts import Part, Stack

# How often each moment is chosen, per stack.
MOMENTS = {
    "sqlite": {
        "import": 8,
        "pack": 5,
        "summary": 4,
        "evaluate": 5,
        "calibrate": 3,
        "asleep": 3,
        "scheduler": 3,
        "web": 6,
        "broker": 2,
    },
    "postgres": {
        "import": 6,
        "pack": 4,
        "summary": 4,
        "evaluate": 4,
        "calibrate": 3,
        "asleep": 3,
        "scheduler": 3,
        "web": 4,
        "redis": 3,
        "postgres": 3,
        "postgres asleep": 2,
    },
}
KINDS = {
    "import": "sources.import",
    "pack": "reports.freeze",
    "summary": "workbench.summarise",
    "evaluate": "collections.evaluate",
    "calibrate": "workbench.calibrate",
}
LONGEST_WAIT_SECONDS = 90.0
MOST_SECONDS_IN = {"import": 0.5, "pack": 0.15, "summary": 0.15, "evaluate": 2.0, "calibrate": 0.06}
"""How far into a running job the kill comes at most: about as long as such a job takes here."""
LONGEST_SLEEP_SECONDS = 15.0
"""A worker that is stopped goes on when its job was given to another, and then at the latest."""


@dataclass(frozen=True, slots=True)
class Kill:
    """One kill: at which moment, of which part, and whether it hit what it waited for."""

    moment: str
    part: str
    hit: bool


def plan(kind: str, kills: int, dice: random.Random) -> list[str]:
    """The moments of so many kills, every kind of moment in its share, in random order."""
    weights = MOMENTS[kind]
    moments = [moment for moment, weight in weights.items() for _ in range(weight)]
    chosen = [moments[place * len(moments) // kills] for place in range(kills)] if kills < len(moments) else moments
    chosen += dice.choices(list(weights), list(weights.values()), k=kills - len(chosen))
    dice.shuffle(chosen)
    return chosen


def carry_out(
    stack: Stack, moments: Sequence[str], dice: random.Random, *, is_uploading: Callable[[], bool]
) -> list[Kill]:
    """Kill at each moment and start again what was killed; between two kills work goes on for a while."""
    done = []
    for moment in moments:
        done.append(_kill(stack, moment, dice, is_uploading))
        stack.start_again_what_ended()
        _rest(stack, dice.uniform(0.2, 2.0))
    return done


def _kill(stack: Stack, moment: str, dice: random.Random, is_uploading: Callable[[], bool]) -> Kill:
    if moment in KINDS:
        return _kill_worker(stack, moment, dice)
    if moment == "asleep":
        return _stop_worker(stack)
    if moment == "postgres asleep":
        return _stop_for(stack.servers["postgres"], moment, dice.uniform(1.0, 5.0))
    if moment == "broker":
        return _remove_messages(stack)
    if moment == "web":
        hit = _waited(stack, is_uploading)
        time.sleep(dice.uniform(0.0, 0.5))
        return _kill_part(stack.parts["web"], moment, hit=hit and is_uploading())
    if moment == "scheduler":
        return _kill_part(stack.parts["scheduler"], moment, hit=True)
    server = stack.servers[moment]
    # PostgreSQL's own "immediate" end: no checkpoint, no farewell, recovery from the log at the next start.
    server.kill(signal.SIGQUIT if moment == "postgres" else signal.SIGKILL)
    time.sleep(dice.uniform(0.1, 1.5))
    server.start()
    return Kill(moment, server.name, hit=True)


def _kill_part(part: Part, moment: str, *, hit: bool) -> Kill:
    part.kill()
    part.start()
    return Kill(moment, part.name, hit)


def _stop_worker(stack: Stack) -> Kill:
    """Stop a worker in an import, until the job is another's; then let it go on, which must change nothing."""
    victim = _busy_worker(stack, "sources.import")
    if victim is None:
        return Kill("asleep", "", hit=False)
    part, job_id, attempt = victim
    part.signal_all(signal.SIGSTOP)
    until = time.monotonic() + LONGEST_SLEEP_SECONDS
    while time.monotonic() < until and _is_still_claimed(job_id, attempt):
        time.sleep(0.1)
        stack.start_again_what_ended()
    hit = not _is_still_claimed(job_id, attempt)
    part.signal_all(signal.SIGCONT)
    return Kill("asleep", part.name, hit)


def _stop_for(part: Part, moment: str, seconds: float) -> Kill:
    part.signal_all(signal.SIGSTOP)
    time.sleep(seconds)
    part.signal_all(signal.SIGCONT)
    return Kill(moment, part.name, hit=True)


def _remove_messages(stack: Stack) -> Kill:
    """Remove the folder that is the broker, with every message in it."""
    folder = stack.folder / "data" / "broker"
    hit = folder.is_dir()
    shutil.rmtree(folder, ignore_errors=True)
    return Kill("broker", "broker", hit)


def _busy_worker(stack: Stack, kind: str) -> tuple[Part, object, int] | None:
    """A worker that does a job of that kind, with the job's id and attempt; waits for one."""
    victim: list[tuple[Part, object, int]] = []

    def find() -> bool:
        from budgeteer.jobs.models import Job

        running = Job.objects.filter(kind=kind, state="running")
        for job_id, attempt, worker in running.values_list("id", "attempt", "worker"):
            part = stack.part_of(worker)
            if part is not None:
                victim[:] = [(part, job_id, attempt)]
        return bool(victim)

    return victim[0] if _waited(stack, find) else None


def _kill_worker(stack: Stack, moment: str, dice: random.Random) -> Kill:
    """Wait until a worker is busy with such a job, let a random part of it pass, kill that worker."""
    victim = _busy_worker(stack, KINDS[moment])
    if victim is None:
        return _kill_part(stack.parts["worker all"], moment, hit=False)
    part, job_id, attempt = victim
    time.sleep(dice.uniform(0.0, MOST_SECONDS_IN[moment]))
    part.kill()
    hit = _is_still_claimed(job_id, attempt)
    part.start()
    return Kill(moment, part.name, hit)


def _is_still_claimed(job_id: object, attempt: int) -> bool:
    """Whether the job was cut off: its row still says that the dead worker runs it."""
    from budgeteer.jobs.models import Job

    return Job.objects.filter(id=job_id, attempt=attempt, state="running").exists()


def _waited(stack: Stack, true: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + LONGEST_WAIT_SECONDS
    while time.monotonic() < deadline:
        try:
            if true():
                return True
        except AnyDatabaseError:
            connection.close()
        time.sleep(0.005)
        stack.start_again_what_ended()
    return False


def _rest(stack: Stack, seconds: float) -> None:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        time.sleep(0.1)
        stack.start_again_what_ended()


def counted(kills: Sequence[Kill]) -> dict[str, tuple[int, int]]:
    """By moment: how many kills there were, and how many hit."""
    all_, hits = Counter(kill.moment for kill in kills), Counter(kill.moment for kill in kills if kill.hit)
    return {moment: (number, hits[moment]) for moment, number in sorted(all_.items())}
