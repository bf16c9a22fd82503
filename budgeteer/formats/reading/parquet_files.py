"""Parquet files as JSON lines, a row each, read batch by batch with pyarrow, which is installed on demand."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping
from datetime import date, time
from typing import IO, Any, Final

from budgeteer.engine.errors import FormatError
from budgeteer.formats.reading.limits import Limits, readable_bytes

MARK: Final = b"PAR1"
"""What a Parquet file begins with."""

_BATCH_ROWS: Final = 500


def write_rows(written: IO[bytes], file: IO[bytes], *, limits: Limits) -> tuple[str, ...]:
    """Write the rows of a Parquet file as JSON lines into another, and say what they leave out.

    Fields without a value are left out, for a column has a place for the fields of every row; so are bytes (pictures,
    sounds), which are counted.

    Raises:
        FormatError: pyarrow is not installed, the file is damaged, or its rows are larger than the limit of a file.
    """
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError as error:
        mend = "Install it with: pip install 'budgeteer[parquet]', or save the file as JSON lines"
        raise FormatError(
            "A Parquet file is read with the package pyarrow, which is not installed", mend=mend
        ) from error
    bytes_left_out: Counter[str] = Counter()
    size = 0
    try:
        opened = parquet.ParquetFile(file)
        about = opened.metadata
        _check(sum(about.row_group(at).total_byte_size for at in range(about.num_row_groups)), limits)
        for batch in opened.iter_batches(batch_size=_BATCH_ROWS):
            for row in batch.to_pylist():
                kept = {key: _plain(value, key, bytes_left_out) for key, value in row.items() if value is not None}
                line = json.dumps(kept, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n"
                size += len(line)
                _check(size, limits)
                written.write(line)
    except (pa.ArrowException, OSError, ValueError) as error:
        why = str(error).splitlines()[0][:200] if str(error) else type(error).__name__
        raise FormatError(f"The Parquet file is damaged: {why}", mend="Download or save it again") from None
    if not size:
        raise FormatError("The Parquet file holds no rows", mend="Choose a file with rows")
    return tuple(
        f"Bytes in the column `{column}`, left out: {count:,}" for column, count in bytes_left_out.most_common()
    )


def _check(size: int, limits: Limits) -> None:
    if size > limits.file_bytes:
        most = readable_bytes(limits.file_bytes)
        raise FormatError(
            f"The Parquet file's rows are larger than {most}, the limit on file size",
            mend="Upload a part of it, or use the command line, whose limit is higher",
        )


def _plain(value: Any, column: str, bytes_left_out: Counter[str]) -> Any:
    """A value as JSON has it."""
    if isinstance(value, Mapping):
        held = ((key, _plain(inner, column, bytes_left_out)) for key, inner in value.items() if inner is not None)
        return {key: inner for key, inner in held if inner is not None}
    if isinstance(value, list | tuple):
        return [_plain(inner, column, bytes_left_out) for inner in value]
    if isinstance(value, bytes):
        bytes_left_out[column] += len(value)
        return None
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, date | time):
        return value.isoformat()
    return value if isinstance(value, str | int | float | bool | None) else str(value)
