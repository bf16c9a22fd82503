"""Damage files in thousands of ways and import them: `make fuzz`, or with other numbers

    .venv/bin/python -m tests.formats.fuzz --cases 20000 --seed 20260301

The files are the fixtures of every format and, with BUDGETEER_CORPUS=folder, the files of that folder. Every case is an
import or a refusal in one sentence, within bounds on time and memory; into every other one words are put that stand
nowhere else, and they are read, listed by the report, or counted by the accounting. Every tenth is also read where it
lies, which has to tell the same. The status is 1 where a case failed; each failure is printed with what makes it anew.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from pathlib import Path

from budgeteer.formats.detect import format_names
from tests.formats.fuzzing import SEED, Told, read_both_ways, run_cases
from tests.formats.mutations import Base
from tests.formats.test_fuzz import VALID

OURS = 3
"""Times our own small files stand in the draw beside the real ones: about half of all cases."""

AT_ONCE = 250
"""Cases of one task of a process."""

BOTH_WAYS = 10
"""Every so many cases are read in both ways."""


@cache
def bases() -> list[Base]:
    """The files to damage: our own, and those of the folder BUDGETEER_CORPUS."""
    corpus = os.environ.get("BUDGETEER_CORPUS")
    real = sorted(path for path in Path(corpus).rglob("*") if path.is_file()) if corpus else []
    ours = [Base(f"fixture {number}", data) for number, data in enumerate(VALID)]
    return [*(Base(path.name, path.read_bytes()) for path in real), *ours * OURS]


def _run(numbers: range, seed: int) -> tuple[Told, list[str]]:
    """What became of cases, and those that failed."""
    told, failed = Told(), []
    for number in numbers:
        try:
            told.add(run_cases(bases(), [number], seed=seed))
            if number % BOTH_WAYS == 0:
                read_both_ways(bases(), [number], seed=seed)
        except AssertionError as error:
            failed.append(str(error))
        except Exception as error:  # noqa: BLE001  # read in both ways: any error is a crash of an import
            failed.append(f"{type(error).__name__}: {error}\nBUDGETEER_FUZZ_SEED={seed}, case {number}")
    return told, failed


def main() -> int:
    """Run the cases that the command line asks for; the status."""
    parser = argparse.ArgumentParser(prog="tests.formats.fuzz")
    parser.add_argument("--cases", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    given = parser.parse_args()
    begun, told, failed = time.monotonic(), Told(), []
    parts = [range(at, min(at + AT_ONCE, given.cases)) for at in range(0, given.cases, AT_ONCE)]
    with ProcessPoolExecutor(given.processes) as pool:
        for more, failures in pool.map(partial(_run, seed=given.seed), parts):
            told.add(more)
            failed += failures
            for failure in failures:
                sys.stdout.write(f"{failure}\n\n")
    never = [name for name in format_names() if name not in told.formats]
    sys.stdout.write(
        f"{given.cases:,} cases of {len(bases()):,} files, seed {given.seed}, in {time.monotonic() - begun:,.0f} s: "
        f"{told.imported:,} imported as {len(told.formats)} of {len(format_names())} formats, "
        f"{told.refused:,} refused, {len(failed):,} failed\n"
        f"words put in: read in {told.read:,} imports, accounted for in {told.accounted:,}\n"
    )
    if never:
        sys.stdout.write(f"never imported: {', '.join(never)}\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
