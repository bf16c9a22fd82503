"""The conversations of many files, a piece at a time: which files there are, where long ones may be cut, what is read.

A file of lines that are a conversation each is cut at line ends, so that no process holds it. Any other file is one
piece. What cannot be read is told with its reason, and never ends the reading.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

from budgeteer.cli.output.evaluation_table import NotRead
from budgeteer.cli.output.kinds import KIND_WORDS
from budgeteer.cli.source_files import read_source
from budgeteer.engine.content.conversation import Conversation
from budgeteer.engine.errors import InputError
from budgeteer.formats.detect import import_bytes
from budgeteer.formats.reading.limits import COMMAND_LINE_LIMITS

#: A piece of a file of lines, and what a process takes at once, in bytes: some hundred conversations.
PIECE_BYTES: Final = 2_000_000
#: So many lines at the start of a file show whether each is a conversation.
_HEAD_LINES: Final = 20
_HEAD_BYTES: Final = 4_000_000


@dataclass(frozen=True, slots=True)
class Piece:
    """A file, or a part of it from byte `start` to before byte `end` that begins with its conversation `first`.

    `format_name` is what the file was read as, "" where that is told from the piece.
    """

    path: str
    size: int
    start: int = 0
    end: int | None = None
    first: int = 1
    format_name: str = ""


@dataclass(frozen=True, slots=True)
class PieceRead:
    """What a piece holds: conversations by names of their own, other branches left out, and what was not read."""

    conversations: Sequence[tuple[str, Conversation]]
    branches: int
    not_read: Sequence[NotRead]


def pieces_of(names: Sequence[str]) -> Iterator[Piece]:
    """The pieces of files, and of every file in folders.

    Raises:
        InputError: a file or folder that was named does not exist.
    """
    for name in names:
        path = Path(name)
        if not path.exists():
            raise InputError("does not exist", where=name, mend="Check the path")
        inside = sorted(one for one in path.rglob("*") if one.is_file()) if path.is_dir() else [path]
        for one in inside:
            yield from _pieces(one)


def batches_of(pieces: Iterator[Piece]) -> Iterator[tuple[Piece, ...]]:
    """Pieces in their order, as many together as make a piece's size."""
    batch: list[Piece] = []
    size = 0
    for piece in pieces:
        batch.append(piece)
        size += piece.size
        if size >= PIECE_BYTES:
            yield tuple(batch)
            batch, size = [], 0
    if batch:
        yield tuple(batch)


def read_piece(piece: Piece) -> PieceRead:
    """The conversations of a piece, each with the name that `--conversation` takes it by.

    Of a conversation with several branches the main one is read, as everywhere; runs of sub-agents are conversations.
    """
    try:
        if piece.end is None:
            imported = read_source(piece.path)
        else:
            with Path(piece.path).open("rb") as file:
                file.seek(piece.start)
                data = file.read(piece.end - piece.start)
            name = Path(piece.path).name
            imported = import_bytes(data, name=name, as_format=piece.format_name, limits=COMMAND_LINE_LIMITS)
    except OSError as error:
        return PieceRead((), 0, (NotRead(piece.path, f"cannot be read: {error.strerror}"),))
    except InputError as error:
        return PieceRead((), 0, (NotRead(_place(piece), error.what),))
    found = imported.conversations
    if not found:
        what = f"holds {KIND_WORDS[imported.kind]}, no conversation"
        return PieceRead((), 0, (NotRead(_place(piece), what),))
    is_one = len(found) == 1 and piece.end is None
    named = [(piece.path if is_one else f"{piece.path}#{number}", one) for number, one in enumerate(found, piece.first)]
    kept = [(name, one) for name, one in named if not one.branch_of]
    skipped = [NotRead(f"{_place(piece)}: {one.where}", one.why) for one in imported.skipped] if piece.end else []
    return PieceRead(kept, len(named) - len(kept), skipped)


def _place(piece: Piece) -> str:
    return piece.path if piece.end is None else f"{piece.path} (from conversation {piece.first:,} on)"


def _pieces(path: Path) -> Iterator[Piece]:
    """A file as one piece, or cut where it is a conversation a line."""
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            format_name = _format_of_lines(file, path.name) if size > PIECE_BYTES else ""
            if format_name:
                yield from _cut(file, str(path), format_name)
                return
    except OSError:  # read_piece says why
        size = 0
    yield Piece(str(path), size)


def _format_of_lines(file: IO[bytes], name: str) -> str:
    """The format of a file whose first lines are a conversation each; "" for any other file."""
    head: list[bytes] = []
    while len(head) < _HEAD_LINES and sum(map(len, head)) < _HEAD_BYTES:
        line = file.readline(_HEAD_BYTES)
        if not line.endswith(b"\n"):
            return ""
        if line.strip():
            head.append(line)
    if not all(line.lstrip().startswith(b"{") for line in head):
        return ""
    try:
        both = import_bytes(b"".join(head), name=name, limits=COMMAND_LINE_LIMITS)
        half = import_bytes(b"".join(head[::2]), name=name, limits=COMMAND_LINE_LIMITS)
    except InputError:
        return ""
    each = len(both.conversations) == len(head) and len(half.conversations) == len(head[::2])
    return both.format if each and both.format == half.format else ""


def _cut(file: IO[bytes], path: str, format_name: str) -> Iterator[Piece]:
    """The pieces of a file of lines; blank lines hold no conversation."""
    start, first = 0, 1
    file.seek(0)
    while block := file.read(PIECE_BYTES):
        block += file.readline()
        end = start + len(block)
        yield Piece(path, len(block), start, end, first, format_name)
        first += sum(bool(line.strip()) for line in block.split(b"\n"))
        start = end
