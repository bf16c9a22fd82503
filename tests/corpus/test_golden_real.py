"""The golden table: every real file with its format and what it holds, or the sentence that refuses it.

`golden.tsv` holds names and numbers only. Its figures are what `budgeteer import` reports, and each of them is counted
again from the raw bytes by `raw_counts.py`, which shares no code with the importers:

- request forms (OpenAI chat and Responses, Anthropic, Gemini): messages, blocks or parts by their `type`; a result is
  a message of its own, a run of what the model says is one;
- Claude Code: lines by message id, calls and results by their ids, from the last summary on, a sub-agent's run counted
  by its id; Codex: items from the last `replacement_history` on; Copilot CLI: events by type; pi: entries that were
  sent, from the last compaction on;
- ChatGPT: every node that says something, once; a conversation for each leaf. ADK, Gemini CLI: their contents;
- sets (ShareGPT, LLaMA-Factory, BFCL, tau-bench, LangGraph, UI messages): each row by the keys of its form;
- libraries: members of the archive by their names, tools by their entries; passages by the keys of their authors;
- skipped: lines that are not JSON objects, or say nothing though they are a user's or an assistant's.
"""

from __future__ import annotations

import csv
import os
from dataclasses import astuple, fields
from pathlib import Path

import pytest

from budgeteer.engine.errors import FormatError
from budgeteer.formats.messages.imported import Imported, counts_of
from tests.corpus.raw_counts import Row, raw_row
from tests.corpus.test_formats_real import imported_or_refused

CORPUS = Path(os.environ["BUDGETEER_CORPUS"])
TABLE = Path(__file__).with_name("golden.tsv")
COLUMNS = ("file", "format", *(field.name for field in fields(Row)), "refused")


def golden() -> dict[str, dict[str, str]]:
    with TABLE.open(newline="") as file:
        return {row["file"]: row for row in csv.DictReader(file, delimiter="\t")}


GOLDEN = golden()


def row_of(found: Imported) -> Row:
    """What an import found; definitions that a conversation carries are part of it, not items."""
    counts = counts_of(found)
    items = len(found.skills) + len(found.tools) + len(found.features) + len(found.chunks)
    numbers = [counts[name] for name in ("conversations", "messages", "toolCalls", "toolResults", "images")]
    return Row(*numbers, items, counts["skipped"])


def test_the_table_names_every_file_and_no_other() -> None:
    files = {path.relative_to(CORPUS).as_posix() for path in CORPUS.rglob("*") if path.is_file()}
    assert set(GOLDEN) == files
    assert all(tuple(row) == COLUMNS for row in GOLDEN.values())


@pytest.mark.parametrize("name", GOLDEN)
def test_a_file_holds_what_the_table_says_and_what_its_bytes_say(name: str) -> None:
    path, expected = CORPUS / name, GOLDEN[name]
    found = imported_or_refused(path)
    if isinstance(found, FormatError):
        assert (found.sentence, expected["format"]) == (expected["refused"], "")
        return
    assert (found.format, expected["refused"]) == (expected["format"], "")
    row = row_of(found)
    assert tuple(map(str, astuple(row))) == tuple(expected[field.name] for field in fields(Row))
    assert row == raw_row(path)
