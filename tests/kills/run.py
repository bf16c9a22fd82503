"""Kills on one stack: `python -m tests.kills.run KIND KILLS SEED FOLDER`; prints the figures as one line of JSON."""

from __future__ import annotations

import json
import os
import random
import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from tests.kills import parts

PEOPLE = 2
"""Those who upload and share; one more evaluates and calibrates."""


def run(kind: str, *, kills: int, seed: int, folder: Path) -> dict[str, Any]:
    """Start the stack, let people work, kill, let it come to rest, and look at what is left.

    Args:
        kind: "sqlite" or "postgres".
        seed: of everything that is left to chance here; the machine's own timing is not.
    """
    dice = random.Random(f"{seed}/{kind}")
    started = time.monotonic()
    with parts.prepared(kind, folder) as stack:
        os.environ.clear()
        os.environ.update(stack.environment)
        sign_in_paths = _prepare_database()
        from tests.kills import judging, killing
        from tests.kills.people import Evaluator, Person

        parts.start_parts(stack)
        roles = [Person] * PEOPLE + [Evaluator]
        people = [
            role(port=stack.port, sign_in_path=path, number=number, seed=seed)
            for number, (role, path) in enumerate(zip(roles, sign_in_paths, strict=True), start=1)
        ]
        for person in people:
            person.start()
        done = killing.carry_out(
            stack,
            killing.plan(kind, kills, dice),
            dice,
            is_uploading=lambda: any(person.visit.sending for person in people),
        )
        for person in people:
            person.leave()
        verdict = judging.judge([person.memory for person in people])
        return {
            "stack": kind,
            "seed": seed,
            "kills": len(done),
            "by moment (kills, hits)": killing.counted(done),
            "ended by themselves": {part.name: part.own_ends for part in stack.parts.values() if part.own_ends},
            "seconds": round(time.monotonic() - started),
            **asdict(verdict),
        }


def _prepare_database() -> list[str]:
    """Migrate, and make a sign-in link for each person; their paths."""
    import django

    django.setup()
    from django.core.management import call_command
    from django.urls import reverse

    from budgeteer.accounts import services

    call_command("migrate", verbosity=0, interactive=False)
    return [reverse("accounts:enter", args=[services.make_sign_in_token()]) for _ in range(PEOPLE + 1)]


if __name__ == "__main__":
    stack_kind, kill_count, chosen_seed, place = sys.argv[1:]
    click.echo(json.dumps(run(stack_kind, kills=int(kill_count), seed=int(chosen_seed), folder=Path(place))))
