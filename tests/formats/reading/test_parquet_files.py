"""Parquet files: rows read as JSON lines are, held or where they lie, and refused by what is wrong with them."""

from __future__ import annotations

import gzip
import io
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import UTC, datetime
from typing import IO, Any

import pytest

from budgeteer.engine.content.conversation import calls_of
from budgeteer.engine.errors import FormatError
from budgeteer.formats.detect import import_bytes, import_file
from budgeteer.formats.reading.document import Options, open_document
from budgeteer.formats.reading.limits import Limits
from tests.formats.shapes import OPENAI_CHAT, jsonl, parquet, zipped

ROWS: tuple[dict[str, Any], ...] = tuple({"id": f"r{at}", "messages": OPENAI_CHAT[: at + 2]} for at in range(4))


@pytest.fixture
def options() -> Iterator[Options]:
    with ExitStack() as stack:

        def scratch() -> IO[bytes]:
            return stack.enter_context(tempfile.TemporaryFile())

        yield Options(limits=Limits(held_bytes=0), scratch=scratch)


def test_rows_are_read_as_json_lines_are() -> None:
    rows, lines = import_bytes(parquet(*ROWS)), import_bytes(jsonl(*ROWS))
    assert (rows.format, rows.conversations) == ("openai-chat", lines.conversations)
    assert any(calls_of(message) for message in rows.conversations[-1].messages)


def test_a_packed_one_and_those_of_an_archive_are_read() -> None:
    data = parquet(*ROWS)
    assert import_bytes(gzip.compress(data)).conversations == import_bytes(data).conversations
    held = import_bytes(zipped({"data/train-0.parquet": data, "data/test-0.parquet": parquet(ROWS[0])}))
    assert (held.format, len(held.conversations)) == ("transcripts", 5)


def test_one_too_large_to_hold_is_read_where_it_lies(options: Options) -> None:
    data = parquet(*({**row, "picture": b"\x89PNG"} for row in ROWS))
    far, held = import_file(io.BytesIO(data), options=options), import_bytes(data)
    assert [len(chat.messages) for chat in far.conversations] == [len(chat.messages) for chat in held.conversations]
    assert far.warnings[0] == held.warnings[0] == "Bytes in the column `picture`, left out: 16"


def test_values_are_what_json_has() -> None:
    row = {"at": datetime(2026, 3, 1, 10, tzinfo=UTC), "score": float("nan"), "map": {"a": None, "b": [1.5, True]}}
    (line, _) = open_document(parquet(row, {**row, "score": 0.5})).lines
    assert line.value == {"at": "2026-03-01T10:00:00+00:00", "score": None, "map": {"b": [1.5, True]}}


def test_what_is_wrong_with_one_is_said() -> None:
    data = parquet(*ROWS)
    with pytest.raises(FormatError, match="The Parquet file is damaged"):
        import_bytes(data[:-40])
    with pytest.raises(FormatError, match="The Parquet file holds no rows"):
        import_bytes(parquet())
    large = parquet(*({"text": "tide " * 2_000} for _ in range(50)))
    with pytest.raises(FormatError, match="rows are larger than 300 kB, the limit on file size"):
        import_bytes(large, limits=Limits(file_bytes=300_000))


def test_without_pyarrow_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(FormatError, match="pyarrow, which is not installed") as refused:
        import_bytes(b"PAR1")
    assert refused.value.mend.startswith("Install it with: pip install 'budgeteer[parquet]'")
