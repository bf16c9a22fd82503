"""`budgeteer evaluate` over generated conversations: conversations a second, peak memory, the bare counter beside it.

    python -m benchmarks.scaling.evaluating [--conversations 100000] [--workers 1 2] [--folder FOLDER]

Every conversation has 20 messages of 5 to 400 words of this repository's documentation; one file of lines. The bare
counter counts the texts of all messages, a chunk at a time, and reads no file. Memory is the largest that the program
and each of its processes had, added up.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

import click

from benchmarks.documents import ROOT
from budgeteer.engine.analysis.evaluation.chunk import NamedConfig, NamedConversation, evaluate_chunk
from budgeteer.engine.config.schema import load_config
from budgeteer.engine.content.conversation import Conversation, Message, Role, TextPart
from budgeteer.engine.counting.tokenizers import counter_for

MESSAGES: Final = 20
WORDS: Final = (5, 20, 60, 150, 400)
CHUNK: Final = 250
#: Conversations whose texts the bare counter and the engine alone are timed on.
TIMED: Final = 4_000
RUNS: Final = 7
CONFIG: Final = {"model": "gpt-4o", "history": {"strategy": "newestFirst"}}
_WATCHED: Final = "import resource, sys; from budgeteer.cli import main; main(sys.argv[1:])"


def conversations(count: int) -> Iterator[list[str]]:
    """The texts of each conversation; the same for the same count."""
    chance = random.Random(20)
    words = [word for page in sorted((ROOT / "docs").glob("*.md")) for word in page.read_text(encoding="utf-8").split()]
    for _ in range(count):
        yield [" ".join(chance.choices(words, k=chance.choice(WORDS))) for _ in range(MESSAGES)]


def write(path: Path, count: int) -> None:
    """A file of so many conversations, one a line."""
    write_lines(path, conversations(count))


def write_lines(path: Path, talks: Iterable[list[str]]) -> None:
    """A file of the conversations with these texts, one a line."""
    with path.open("w", encoding="utf-8") as file:
        for texts in talks:
            said = [{"role": _role(at), "content": text} for at, text in enumerate(texts)]
            file.write(json.dumps({"messages": said}) + "\n")


def _role(at: int) -> Role:
    return "assistant" if at % 2 else "user"


def run(path: Path, workers: int) -> tuple[float, float]:
    """Seconds and megabytes of one evaluation."""
    config = path.with_suffix(".config.json")
    config.write_text(json.dumps(CONFIG), encoding="utf-8")
    line = ["evaluate", str(path), "--config", str(config), "--workers", str(workers), "--json"]
    before = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-c", _WATCHED, *line], stdout=subprocess.DEVNULL, env={**os.environ, "PYTHONPATH": str(ROOT)}
    )
    most = 0.0
    while process.poll() is None:
        most = max(most, megabytes_of(process.pid))
        time.sleep(0.2)
    if process.returncode:
        raise SystemExit(process.returncode)
    return time.perf_counter() - before, most


def megabytes_of(pid: int) -> float:
    """What a process and those it started hold now, in megabytes."""
    pids, at = [pid], 0
    while at < len(pids):
        try:
            children = Path(f"/proc/{pids[at]}/task/{pids[at]}/children").read_text(encoding="ascii")
        except OSError:
            children = ""
        pids += map(int, children.split())
        at += 1
    return sum(map(_resident, pids))


def _resident(pid: int) -> float:
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
    except OSError:
        return 0.0
    return pages * resource.getpagesize() / 1e6


def engine_against_counter() -> tuple[float, float]:
    """Processor seconds of the bare counter and of the engine over the same conversations, the best of RUNS in turn."""
    texts = list(conversations(TIMED))
    counter = counter_for("o200k_base")
    config = [NamedConfig("newestFirst", load_config(CONFIG))]
    samples = [
        NamedConversation(
            str(number), Conversation(str(number), "", [_message(at, text) for at, text in enumerate(said)])
        )
        for number, said in enumerate(texts)
    ]
    counting, evaluating = [], []
    for _ in range(RUNS):
        before = time.process_time()
        for at in range(0, TIMED, CHUNK):
            counter.count_all([text for said in texts[at : at + CHUNK] for text in said])
        counting.append(time.process_time() - before)
        before = time.process_time()
        for at in range(0, TIMED, CHUNK):
            evaluate_chunk(samples[at : at + CHUNK], config)
        evaluating.append(time.process_time() - before)
    return min(counting), min(evaluating)


def _message(at: int, text: str) -> Message:
    return Message(_role(at), (TextPart(text),), id=str(at))


def main(arguments: list[str]) -> int:
    """Print the figures."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scaling.evaluating")
    parser.add_argument("--conversations", type=int, default=100_000)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--folder")
    options = parser.parse_args(arguments)
    counting, evaluating = engine_against_counter()
    click.echo(
        f"{TIMED:,} conversations: counted in {counting:.2f} s of processor time, evaluated in {evaluating:.2f} s"
    )
    click.echo(f"evaluating takes {evaluating / counting:.2f} times the bare counter")
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        for count in (options.conversations // 10, options.conversations):
            path = Path(folder) / f"{count}.jsonl"
            write(path, count)
            for workers in options.workers:
                seconds, megabytes = run(path, workers)
                rate = f"{count / seconds:,.0f} conversations/s, {path.stat().st_size / seconds / 1e6:.1f} MB/s"
                click.echo(
                    f"{count:,} conversations, {workers} process(es): {seconds:.0f} s, {rate}, {megabytes:.0f} MB"
                )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
