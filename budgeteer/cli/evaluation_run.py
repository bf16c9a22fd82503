"""Evaluate many files with several processes: pieces in, summaries out, merged as they come.

Each process reads, counts and packs pieces by itself; what comes back is a summary whose size does not depend on the
number of conversations, and the rows where a file of them is written. Pieces are handed out a few at a time, so that
memory does not grow with a collection.
"""

from __future__ import annotations

import multiprocessing
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from typing import Final

from budgeteer.cli.evaluation_files import Piece, batches_of, pieces_of, read_piece
from budgeteer.cli.output.evaluation_table import Evaluated, NotRead
from budgeteer.engine.analysis.evaluation.chunk import (
    CHUNK,
    NamedConfig,
    NamedConversation,
    empty_totals,
    evaluate_chunk,
)
from budgeteer.engine.analysis.evaluation.evaluation import Evaluation, PackedConversation
from budgeteer.engine.errors import InputError

#: Batches that wait for each process: enough that none is idle, and few enough that nothing piles up.
_WAITING: Final = 2

type Rows = Sequence[Sequence[PackedConversation]]
type WriteRows = Callable[[Rows], None]
type Watch = Callable[[int, int], None]


@dataclass(slots=True)
class _BatchResult:
    """One batch: its figures and, where they were requested, its rows by configuration."""

    evaluation: Evaluation
    rows: list[tuple[PackedConversation, ...]]
    read: set[str]
    branches: int
    not_read: list[NotRead]
    size: int


@dataclass(frozen=True, slots=True)
class EvaluationTask:
    """What to evaluate: files and folders, configurations, how many processes, and where rows go (None: nowhere).

    `sessions`: whether every request of each conversation is replayed.
    """

    names: Sequence[str]
    configs: Sequence[NamedConfig]
    workers: int
    write_rows: WriteRows | None = None
    sessions: bool = False


def evaluate_files(task: EvaluationTask, *, progress: Watch | None = None) -> Evaluated:
    """Every conversation of the files under every configuration.

    `progress` is told bytes done and bytes known of. Rows are written in the order of the files.

    Raises:
        InputError: a file that was named does not exist, or a process ended before its time.
        ConfigError: a configuration cannot be used.
    """
    found = Evaluated(_empty(task.configs, sessions=task.sessions))
    files: set[str] = set()
    done = 0
    total = sum(piece.size for piece in pieces_of(task.names)) if progress is not None else 0
    for result in _results(task):
        found.evaluation.merge(result.evaluation)
        if task.write_rows is not None:
            task.write_rows(result.rows)
        files |= result.read - files
        found.branches += result.branches
        found.not_read += result.not_read
        done += result.size
        if progress is not None:
            progress(done, total)
    found.files = len(files)
    return found


def _results(task: EvaluationTask) -> Iterator[_BatchResult]:
    """The results of all batches, in the order of the batches."""
    batches = batches_of(pieces_of(task.names))
    rows = task.write_rows is not None
    if task.workers == 1:
        for batch in batches:
            yield evaluate_batch(batch, task.configs, rows=rows, sessions=task.sessions)
        return
    # A new interpreter for each process: a fork of one whose tokenizer runs threads may hang.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(task.workers, mp_context=context) as pool:
        waiting: deque[Future[_BatchResult]] = deque()
        try:
            for batch in batches:
                waiting.append(pool.submit(evaluate_batch, batch, task.configs, rows=rows, sessions=task.sessions))
                if len(waiting) >= task.workers * (1 + _WAITING):
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        except BrokenProcessPool as error:
            what = "A process ended before its time, most likely for want of memory"
            raise InputError(what, where="evaluate", mend="Try fewer --workers") from error
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def _empty(configs: Sequence[NamedConfig], *, sessions: bool) -> Evaluation:
    return Evaluation([empty_totals(named, sessions=sessions) for named in configs])


def evaluate_batch(
    batch: Sequence[Piece], configs: Sequence[NamedConfig], *, rows: bool, sessions: bool
) -> _BatchResult:
    """The conversations of some pieces under every configuration."""
    found = _BatchResult(_empty(configs, sessions=sessions), [() for _ in configs], set(), 0, [], 0)
    samples: list[NamedConversation] = []

    def evaluate() -> None:
        result = evaluate_chunk(samples, configs, rows=rows, sessions=sessions)
        found.evaluation.merge(result.evaluation)
        if rows:
            found.rows = [(*had, *more) for had, more in zip(found.rows, result.rows, strict=True)]
        samples.clear()

    for piece in batch:
        read = read_piece(piece)
        found.not_read += read.not_read
        found.branches += read.branches
        found.size += piece.size
        if read.conversations:
            found.read.add(piece.path)
        for name, conversation in read.conversations:
            samples.append(NamedConversation(name, conversation))
            if len(samples) >= CHUNK:
                evaluate()
    if samples:
        evaluate()
    return found
