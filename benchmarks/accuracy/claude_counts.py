"""Claude's counter beside ctok, which it counts like: how many texts differ, and how much faster it is.

    python -m benchmarks.accuracy.claude_counts [FILE] [--texts N] [--seed N] [--family NAME]

Counts N generated texts (of every script, with what ctok's rules are about strewn in) by both, in each family, one by
one and many at once, and says which differ; every 50,000 it says how far it is. With FILE, a conversation, it also
measures both on its messages, in seconds of one core, by turns and the least of several: ctok, Budgeteer as a new
counter meets the session, and once more.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import batched
from typing import Final

import click
import ctok

from budgeteer.cli.source_files import read_conversation
from budgeteer.engine.content.conversation import text_of
from budgeteer.engine.counting.claude.claude_counter import ClaudeCounter
from budgeteer.engine.counting.claude.claude_vocabulary import CLAUDE_FAMILIES
from budgeteer.engine.counting.tokenizers import counter_for
from tests.conformance.counting import reference
from tests.engine.counting.claude.test_claude_counter import generated

SHOWN: Final = 5
#: How often the speed of each is measured, so that other work on the machine weighs little.
ROUNDS: Final = 5
#: Generated texts that are counted at once, and after how many it says so.
AT_ONCE: Final = 500
TOLD_EVERY: Final = 50_000


def main(arguments: list[str]) -> int:
    """Compare, and say what was found; status 1 where a text differs."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.accuracy.claude_counts", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("file", nargs="?", help="a conversation to measure the speed on")
    parser.add_argument("--texts", type=int, default=10_000, help="generated texts for each family")
    parser.add_argument("--seed", type=int, default=1, help="where the generated texts begin")
    parser.add_argument("--family", choices=CLAUDE_FAMILIES, action="append", help="one family instead of all")
    options = parser.parse_args(arguments)
    click.echo(f"seed {options.seed}")
    differing = 0
    for name in options.family or CLAUDE_FAMILIES:
        if options.file:
            click.echo(speed(name, options.file))
        found = 0
        for number, text in enumerate(different(name, options.texts, options.seed)):
            found += 1
            if number < SHOWN:
                click.echo(f"  {text!r}")
        differing += found
        click.echo(f"{name}: {found:,} of {options.texts:,} generated texts differ")
    return 1 if differing else 0


def different(name: str, number: int, seed: int) -> Iterator[str]:
    """The generated texts of which ctok counts other tokens than Budgeteer does, one by one or many at once."""
    counter = counter_for(name)
    told = 0
    for texts in batched(generated(number, seed=seed), AT_ONCE):
        counts = [reference.count(text, name) for text in texts]
        found = zip(texts, counts, counter.count_all(texts), map(counter.count, texts), strict=True)
        yield from (text for text, theirs, at_once, alone in found if not theirs == at_once == alone)
        told += len(texts)
        if told % TOLD_EVERY == 0:
            click.echo(f"  {name}: {told:,} texts compared", err=True)


def speed(name: str, file: str) -> str:
    """How long both take for the messages of a conversation, in a sentence: the least of ROUNDS of each, by turns."""
    texts = [text for message in read_conversation(file, whole=True).messages if (text := text_of(message))]
    size = sum(len(text.encode()) for text in texts)
    version = reference.CLAUDE_VERSIONS[name]
    ctok.token_count("a", version)
    cold, warm, theirs = (float("inf"),) * 3
    for _ in range(ROUNDS):
        counter = ClaudeCounter(name)
        counter.count("a")  # reads the vocabulary
        cold = min(cold, _seconds(counter.count_all, texts))
        warm = min(warm, _seconds(counter.count_all, texts))
        theirs = min(theirs, _seconds(_counts_of_ctok, texts, version))
    return (
        f"{name}: {size / 1e6:.1f} MB in {cold:.3f} s, once more in {warm:.3f} s; ctok {theirs:.2f} s: "
        f"{theirs / cold:.0f} and {theirs / warm:.0f} times as fast"
    )


def _counts_of_ctok(texts: Sequence[str], version: str) -> list[int]:
    return [ctok.token_count(text, version) for text in texts]


def _seconds[**P](run: Callable[P, object], *args: P.args, **options: P.kwargs) -> float:
    before = time.process_time()
    run(*args, **options)
    return time.process_time() - before


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
