"""Which process is killed when: a plan drawn from the seed, and the hand that carries it out."""

from __future__ import annotations

import random
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
    "sqlite": {"import": 9, "pack": 6, "summary": 5, "scheduler": 3, "web": 7},
    "postgres": {"import": 7, "pack": 5, "summary": 4, "scheduler": 3, "web": 5, "redis": 3, "postgres": 3},
}
KINDS = {"import": "sources.import", "pack": "reports.freeze", "summary": "workbench.summarise"}
LONGEST_WAIT_SECONDS = 90.0
MOST_SECONDS_IN = {"import": 0.5, "pack": 0.15, "summary": 0.15}
"""How far into a running job the kill comes at most: about as long as such a job takes here."""


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


def _kill_worker(stack: Stack, moment: str, dice: random.Random) -> Kill:
    """Wait until a worker is busy with such a job, let a random part of it pass, kill that worker."""
    victim: list[tuple[Part, object, int]] = []

    def find() -> bool:
        from budgeteer.jobs.models import Job

        for job_id, attempt, worker in Job.objects.filter(kind=KINDS[moment], state="running").values_list(
            "id", "attempt", "worker"
        ):
            part = stack.part_of(worker)
            if part is not None:
                victim[:] = [(part, job_id, attempt)]
        return bool(victim)

    if not _waited(stack, find):
        return _kill_part(stack.parts["worker all"], moment, hit=False)
    part, job_id, attempt = victim[0]
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
