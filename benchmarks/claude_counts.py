"""Claude's counter beside ctok, which it counts like: how many texts differ, and how much faster it is.

    python -m benchmarks.claude_counts [FILE] [--texts N] [--seed N]

Counts N generated texts (of every script, with what ctok's rules are about strewn in) by both, in each family, and says
which differ. With FILE, a conversation, it also measures both on its messages, in seconds of one core: cold (each
segment for the first time), warm, and ctok on every twentieth message, taken for all of them by their bytes.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from typing import Final

import click
import ctok

from budgeteer.cli.source_files import read_conversation
from budgeteer.engine.content.conversation import text_of
from budgeteer.engine.counting.claude_vocabulary import CLAUDE_FAMILIES
from budgeteer.engine.counting.tokenizers import counter_for
from tests.conformance import reference
from tests.engine.counting.test_claude_counter import generated

SHOWN: Final = 5
EVERY: Final = 20


def main(arguments: list[str]) -> int:
    """Compare, and say what was found; status 1 where a text differs."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.claude_counts", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("file", nargs="?", help="a conversation to measure the speed on")
    parser.add_argument("--texts", type=int, default=10_000, help="generated texts for each family")
    parser.add_argument("--seed", type=int, default=1, help="where the generated texts begin")
    options = parser.parse_args(arguments)
    differing = 0
    for name in CLAUDE_FAMILIES:
        if options.file:
            click.echo(speed(name, options.file))
        counter = counter_for(name)
        found = [
            text
            for text in generated(options.texts, seed=options.seed)
            if counter.count(text) != reference.count(text, name)
        ]
        differing += len(found)
        shown = "".join(f"\n  {text!r}" for text in found[:SHOWN])
        click.echo(f"{name}: {len(found):,} of {options.texts:,} generated texts differ{shown}")
    return 1 if differing else 0


def speed(name: str, file: str) -> str:
    """How long both take for the messages of a conversation, in a sentence."""
    texts = [text for message in read_conversation(file, whole=True).messages if (text := text_of(message))]
    size = sum(len(text.encode()) for text in texts)
    counter, version = counter_for(name), reference.CLAUDE_VERSIONS[name]
    counter.count("a")  # reads the vocabulary
    ctok.token_count("a", version)
    cold = _seconds(lambda: counter.count_all(texts))
    warm = _seconds(lambda: counter.count_all(texts))
    some = texts[::EVERY]
    share = size / sum(len(text.encode()) for text in some)
    theirs = share * _seconds(lambda: [ctok.token_count(text, version) for text in some])
    return (
        f"{name}: {size / 1e6:.1f} MB in {cold:.2f} s cold, {warm:.2f} s warm; ctok {theirs:.1f} s:"
        f" {theirs / cold:.0f} and {theirs / warm:.0f} times as fast"
    )


def _seconds(run: Callable[[], object]) -> float:
    before = time.process_time()
    run()
    return time.process_time() - before


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
