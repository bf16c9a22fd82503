"""Tables (CSV, TSV) of messages, of prompts with their replies, or with whole conversations in cells, as JSON lines.

Any other table is told as well, and by its form alone: a head of names, and rows of as many cells. No format reads it,
but a mapping may.
"""

from __future__ import annotations

import csv
import io
import re
from itertools import islice
from typing import Any, Final

from budgeteer.formats.messages.speakers import CHAT_COLUMNS, has_pair, has_sides, is_talk, spoken_columns, talk_roles
from budgeteer.formats.messages.string_ledger import strings_in
from budgeteer.formats.reading import json_text
from budgeteer.formats.reading.json_text import JsonLine

_LONGEST_HEAD: Final = 1_000
_MESSAGE_COLUMNS: Final = (("role", "content"), ("prompt", "chosen"))
"""Columns of tables that hold messages, or what was asked beside the preferred answer."""
_ASSERTED: Final = "__expected"
"""How promptfoo's columns begin of what is asserted of the reply to a test."""
_ROLE_COLUMNS: Final = (("role", "text"), ("role", "message"))
"""Columns of tables of messages whose roles are those of a person and a model."""
_PASSAGES: Final = frozenset({"passage", "page_content", "chunk", "chunk_id"})
"""Columns of tables of what was retrieved."""
_LISTS: Final = frozenset({
    "messages", "traj", "history", "conversation", "conversations", "turns",
    "chosen", "rejected", "prompt", "completion",
})  # fmt: skip
"""Columns whose lists of messages are read whatever stands beside them; under another name they are most of a table."""
_HEAD: Final = 65_536
_NAME: Final = re.compile(r"[\"']?[\w .-]{1,40}[\"']?")
_SPEAKERS: Final = ("role", "from")
_SAID: Final = ("content", "value", "tool_calls", "text")
_CELL: Final = re.compile(r'\[\s*+\{\s*+""?(?:role|from|content|value)""?\s*+:')
"""How a list of messages begins in a cell, whose quotes are doubled where the cell is quoted."""

_TEMPLATE: Final = re.compile(
    r"\s*(?:(?:<s>|<bos>|<\|begin_of_text\|>)\s*)?"
    r"(?:<\|(?:im_start|start_header_id|header_start|system|user)\|>|<start_of_turn>|\[INST\]|<<SYS>>)"
)
"""How a conversation begins that a chat template wrote with marks that nobody types."""

_SEPARATORS: Final = (",", "\t", ";")
_LOOKED_AT: Final = 200
"""Rows by which a table is told."""
_FEWEST_ROWS: Final = 2
_MOST: Final = 0.95
"""How many of those rows have as many cells as the head has names."""
_HEADING: Final = re.compile(r"[\w#%(][^:?!\"{}<>|]{0,59}")
"""A name at the head of a column: short, and no sentence, address or time."""
_SPACED: Final = 0.5
"""Cells behind a comma and a space up to which a text is a table: commas of sentences are followed by one."""


def talk_rows(text: str) -> list[JsonLine]:
    """The rows of a table of messages, or of what was asked with the replies, as JSON lines; none of another text."""
    head = text[:_LONGEST_HEAD].lstrip("\ufeff").split("\n", 1)[0].strip("\r")
    comma = "," if "," in head else "\t"
    names = {name.strip(" \"'").lower() for name in head.split(comma)}
    is_known = has_pair(names) or has_sides(names) or any(names.issuperset(columns) for columns in _MESSAGE_COLUMNS)
    is_known = is_known or any(name.startswith(_ASSERTED) for name in names)
    spoken = spoken_columns(names) or next((columns for columns in _ROLE_COLUMNS if names.issuperset(columns)), None)
    is_named = bool(names) and all(map(_NAME.fullmatch, names))
    has_cells = not is_known and is_named and bool(_CELL.search(text, 0, _HEAD))
    is_chat = not is_known and is_named and not names.isdisjoint(CHAT_COLUMNS)
    if not (is_known or spoken or has_cells or is_chat) or names & _PASSAGES:
        return []
    reader = csv.DictReader(io.StringIO(text.lstrip("\ufeff"), newline=""), delimiter=comma)
    rows: list[JsonLine] = []
    try:
        for row in reader:
            held = {key.strip().lower(): value for key, value in row.items() if isinstance(key, str) and value}
            rows.append(JsonLine(reader.line_num, held))
    except csv.Error:
        return []
    if has_cells:
        found = [JsonLine(row.number, {key: _cell(held) for key, held in row.value.items()}) for row in rows]
        if _holds_talks(found):
            return found
    if is_chat and _are_written(rows):
        return rows
    is_kept = is_known or (spoken is not None and _is_spoken(rows, spoken))
    return rows if is_kept else []


def _is_spoken(rows: list[JsonLine], columns: tuple[str, str]) -> bool:
    """Whether rows are what a person and a model say, or people in a talk."""
    held = [row.value for row in rows]
    return is_talk(held, columns[0]) or bool(talk_roles(held, columns))


def is_table(text: str) -> bool:
    """Whether a text is a table for certain: a head of names, and rows of as many cells."""
    return _separator(text) is not None


def table_rows(text: str) -> list[JsonLine]:
    """The rows of a table by the names of its columns, as JSON lines; none of a text that is no table."""
    comma = _separator(text)
    if comma is None:
        return []
    reader = csv.DictReader(io.StringIO(text.lstrip("\ufeff"), newline=""), delimiter=comma)
    rows: list[JsonLine] = []
    try:
        for row in reader:
            held = {key.strip(): value for key, value in row.items() if isinstance(key, str) and value}
            rows.append(JsonLine(reader.line_num, held))
    except csv.Error:  # a field too long for a table
        return []
    return rows


def _separator(text: str) -> str | None:
    """What stands between the cells of a table, None of a text that is none."""
    head = text[:_LONGEST_HEAD].lstrip("\ufeff").split("\n", 1)[0]
    return next((comma for comma in _SEPARATORS if comma in head and _has_columns(text, comma)), None)


def _has_columns(text: str, comma: str) -> bool:
    reader = csv.reader(io.StringIO(text.lstrip("\ufeff"), newline=""), delimiter=comma)
    try:
        head = [name.strip() for name in next(reader, [])]
        rows = [row for row in islice(reader, _LOOKED_AT) if row]
    except csv.Error:
        return False
    if len(head) < 2 or len(set(head)) < len(head) or not all(map(_is_heading, head)):
        return False
    fitting = [row for row in rows if len(row) == len(head)]
    behind = [cell for row in fitting for cell in row[1:]]
    spaced = sum(cell.startswith(" ") and not is_number(cell) for cell in behind)
    is_spaced = comma != "\t" and spaced > len(behind) * _SPACED
    return len(fitting) >= max(_FEWEST_ROWS, len(rows) * _MOST) and not is_spaced


def _is_heading(name: str) -> bool:
    return bool(_HEADING.fullmatch(name)) and any(map(str.isalpha, name))


def is_number(cell: str) -> bool:
    """Whether a cell is a number."""
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _are_written(rows: list[JsonLine]) -> bool:
    """Whether most rows hold a conversation that a chat template wrote into one text."""
    written = sum(any(_TEMPLATE.match(str(row.value.get(key, ""))) for key in CHAT_COLUMNS) for row in rows)
    return written * 2 > len(rows)


def _holds_talks(rows: list[JsonLine]) -> bool:
    """Whether most rows hold a list of messages, in a column for them or as most of what the rows say."""
    cells = [(key, held) for row in rows for key, held in row.value.items()]
    talks = sum(any(isinstance(held, list) for held in row.value.values()) for row in rows)
    if not talks or talks * 2 < len(rows):
        return False
    if any(key in _LISTS and isinstance(held, list) for key, held in cells):
        return True
    lists = sum(len(text) for _, held in cells if isinstance(held, list) for text in strings_in(held))
    return lists * 2 >= sum(len(text) for _, held in cells for text in strings_in(held))


def _cell(given: str) -> Any:
    """The list of messages that a cell holds as JSON; any other text as it is."""
    held = json_text.parse_inner(given, None) if given.lstrip()[:1] == "[" else None
    return held if isinstance(held, list) and held and all(map(_is_message, held)) else given


def _is_message(value: Any) -> bool:
    is_said = isinstance(value, dict) and any(key in value for key in _SAID)
    return is_said and any(isinstance(value.get(key), str) for key in _SPEAKERS)
