"""Claude's counter beside ctok, which it counts like: how many texts differ, and how much faster it is.

    python -m benchmarks.accuracy.claude_counts [FILE] [--texts N] [--seed N] [--family NAME] [--resume RECORD]

Counts N generated texts (of every script, with what ctok's rules are about strewn in) by both, in each family, one by
one and many at once, and says which differ. They are compared in shards of 10,000, each from a seed of its own, the
families by turns. With --resume, each shard that was compared is a line of the file RECORD; what stands there for the
same code, ctok and seed is not compared again, so that a long comparison may be stopped at any time. With FILE, a
conversation, it also measures both on its messages, in seconds of one core, by turns and the least of several: ctok,
Budgeteer as a new counter meets the session, and once more.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from importlib import metadata
from itertools import batched
from pathlib import Path
from typing import Final

import click
import ctok

from budgeteer.cli.source_files import read_conversation
from budgeteer.engine.content.conversation import text_of
from budgeteer.engine.counting.claude import claude_counter
from budgeteer.engine.counting.claude.claude_counter import ClaudeCounter
from budgeteer.engine.counting.claude.claude_vocabulary import CLAUDE_FAMILIES
from budgeteer.engine.counting.tokenizers import counter_for
from tests.conformance.counting import reference
from tests.engine.counting.claude.test_claude_counter import generated

SHOWN: Final = 5
#: How often the speed of each is measured, so that other work on the machine weighs little.
ROUNDS: Final = 5
#: Generated texts that are counted at once, and those that are compared before it says so.
AT_ONCE: Final = 500
SHARD_TEXTS: Final = 10_000
#: What counts: with other code in this folder, shards are compared again.
CODE: Final = Path(claude_counter.__file__).parent


def main(arguments: list[str]) -> int:
    """Compare, and say what was found; status 1 where a text differs."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.accuracy.claude_counts", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("file", nargs="?", help="a conversation to measure the speed on")
    parser.add_argument("--texts", type=int, default=10_000, help="generated texts for each family")
    parser.add_argument("--seed", type=int, default=1, help="where the generated texts begin")
    parser.add_argument("--family", choices=CLAUDE_FAMILIES, action="append", help="one family instead of all")
    parser.add_argument("--resume", metavar="RECORD", type=Path, help="where compared shards are written down")
    options = parser.parse_args(arguments)
    click.echo(f"seed {options.seed}")
    families = options.family or list(CLAUDE_FAMILIES)
    if options.file:
        for name in families:
            click.echo(speed(name, options.file))
    differing = dict.fromkeys(families, 0)
    for shard in shards(families, options.texts, options.seed, options.resume):
        differing[shard.family] += len(shard.differing)
        for text in shard.differing[:SHOWN]:
            click.echo(f"  {shard.family}: {text!r}")
    for name, found in differing.items():
        click.echo(f"{name}: {found:,} of {options.texts:,} generated texts differ")
    return 1 if any(differing.values()) else 0


@dataclass(frozen=True, slots=True)
class Shard:
    """Generated texts that were compared, and those that differ.

    Attributes:
        code: a digest of the counter's code and of ctok's version. family, seed: whose tokens, and where texts begin.
        texts: how many were compared.
        differing: those of which ctok counts other tokens, with JSON's escapes for what no file can hold.
    """

    code: str
    family: str
    seed: int
    texts: int
    differing: Sequence[str]


def shards(families: Sequence[str], number: int, seed: int, record: Path | None) -> Iterator[Shard]:
    """Compare so many texts for each family, by turns; what the record has of the same code is taken from there."""
    code = digest()
    known = {(one.family, one.seed, one.texts): one for one in recorded(record) if one.code == code}
    for at, first in enumerate(range(0, number, SHARD_TEXTS)):
        texts = min(SHARD_TEXTS, number - first)
        for name in families:
            place = (name, seed + at, texts)
            if place in known:
                yield known[place]
                continue
            shard = Shard(code, *place, list(different(name, texts, seed + at)))
            if record is not None:
                with record.open("a", encoding="ascii") as lines:
                    lines.write(f"{json.dumps(asdict(shard))}\n")
            click.echo(f"  {name}: {first + texts:,} texts compared", err=True)
            yield shard


def digest() -> str:
    """Of all code that counts Claude's tokens, and of ctok's version."""
    code = b"".join(file.read_bytes() for file in sorted(CODE.glob("*.py")))
    return hashlib.sha256(code + metadata.version("ctok").encode()).hexdigest()[:16]


def recorded(record: Path | None) -> Iterator[Shard]:
    """The shards that a record holds. A last line that was cut short is taken out of it."""
    if record is None or not record.exists():
        return
    text = record.read_text(encoding="ascii")
    whole = text[: text.rfind("\n") + 1]
    if whole != text:
        record.write_text(whole, encoding="ascii")
    for line in whole.splitlines():
        yield Shard(**json.loads(line))


def different(name: str, number: int, seed: int) -> Iterator[str]:
    """The generated texts of which ctok counts other tokens than Budgeteer does, one by one or many at once."""
    counter = counter_for(name)
    for texts in batched(generated(number, seed=seed), AT_ONCE):
        counts = [reference.count(text, name) for text in texts]
        found = zip(texts, counts, counter.count_all(texts), map(counter.count, texts), strict=True)
        yield from (text for text, theirs, at_once, alone in found if not theirs == at_once == alone)


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
