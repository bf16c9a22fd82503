"""One row a conversation and configuration of an evaluation: as CSV, or as Parquet by pyarrow."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from budgeteer.engine.analysis.evaluation.evaluation import PackedConversation
from budgeteer.engine.errors import InputError
from budgeteer.presentation.csv_text import safe_cell

COLUMNS = (
    "configuration",
    "name",
    "messages",
    "requested",
    "sent",
    "limit",
    "level",
    "dropped",
    "summarised",
    "shortened",
    "cost",
    "cachedCost",
    "sessionRequests",
    "sessionSent",
    "sessionRead",
    "sessionWritten",
)
BESIDE = ("sourceRevision", "sourceState")
"""Columns behind these of an evaluation in the dashboard: the revision of the source that was read (nothing where it is
not known), and what became of the source since. Files on the command line have none."""

_TEXTS = frozenset({"configuration", "name", "level", "sourceState"})
_MONEY = frozenset({"cost", "cachedCost"})

type Beside = Sequence[Mapping[str, Any]]
type WriteRows = Callable[[Sequence[Sequence[PackedConversation]]], None]
type WriteNamedRows = Callable[[Sequence[Sequence[PackedConversation]], Beside], None]


@contextmanager
def csv_rows(path: str, names: Sequence[str]) -> Iterator[WriteRows]:
    """A function that writes rows of the configurations called `names` to a CSV file, with a header line.

    Raises:
        InputError: the file cannot be written.
    """
    try:
        file = Path(path).open("w", newline="", encoding="utf-8", errors="backslashreplace")  # noqa: SIM115 - closed below
    except OSError as error:
        raise _cannot(path, error) from error
    with file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()

        def write(rows: Sequence[Sequence[PackedConversation]]) -> None:
            records = records_of(rows, names)
            writer.writerows({column: safe_cell(value) for column, value in record.items()} for record in records)

        yield write


@contextmanager
def parquet_rows(path: str, names: Sequence[str]) -> Iterator[WriteRows]:
    """The same as a Parquet file, a row group for each call.

    Raises:
        InputError: pyarrow is not installed, or the file cannot be written.
    """
    with _parquet(path, COLUMNS) as write_records:
        yield lambda rows: write_records(records_of(rows, names))


@contextmanager
def named_parquet_rows(path: str, names: Sequence[str]) -> Iterator[WriteNamedRows]:
    """The same with what stands beside each row.

    Raises:
        InputError: as parquet_rows.
    """
    with _parquet(path, (*COLUMNS, *BESIDE)) as write_records:
        yield lambda rows, beside: write_records(records_of(rows, names, beside))


@contextmanager
def _parquet(path: str, columns: Sequence[str]) -> Iterator[Callable[[Iterable[dict[str, Any]]], None]]:
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError as error:
        mend = "Install it with: pip install 'budgeteer[parquet]'"
        raise InputError("Parquet needs the package pyarrow, which is not installed", mend=mend) from error
    schema = pa.schema([(name, _type(pa, name)) for name in columns])
    try:
        writer = parquet.ParquetWriter(path, schema)
    except OSError as error:
        raise _cannot(path, error) from error
    with writer:

        def write(given: Iterable[dict[str, Any]]) -> None:
            records = list(given)
            if records:
                writer.write_table(pa.Table.from_pylist(records, schema=schema))

        yield write


def _type(pa: Any, name: str) -> Any:
    if name in _TEXTS:
        return pa.string()
    return pa.float64() if name in _MONEY else pa.int64()


def records_of(
    rows: Sequence[Sequence[PackedConversation]], names: Sequence[str], beside: Beside | None = None
) -> Iterator[dict[str, Any]]:
    """The rows conversation by conversation, each under every configuration; names as UTF-8 can hold them.

    `beside` is of each conversation what stands beside its figures.
    """
    for at, same in enumerate(zip(*rows, strict=True)):
        more = beside[at] if beside is not None else {}
        for configuration, row in zip(names, same, strict=True):
            record = row.to_json()
            record["name"] = row.name.encode("utf-8", "backslashreplace").decode()
            yield {"configuration": configuration, **record, **more}


def _cannot(path: str, error: OSError) -> InputError:
    return InputError(f"cannot be written: {error.strerror or error}", where=path, mend="Check the path")
