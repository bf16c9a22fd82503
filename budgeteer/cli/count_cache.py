"""Token counts kept between runs of the command line, so that packing the same texts again loads no tokenizer.

One file in the user's cache folder holds a count by a hash of its text, of the tokenizer and of this version; no text
is kept. It may be removed at any time: what is not found is counted.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sqlite3
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

from budgeteer import __version__
from budgeteer.engine.counting.calibrated_counter import CalibratedCounter, Charges
from budgeteer.engine.counting.tokenizers import QuarterCounter, TokenCounter, counter_for

#: A file that has grown over this many bytes (about two million counts) is begun anew.
MOST_BYTES: Final = 64_000_000

_KEY_BYTES: Final = 16


@contextlib.contextmanager
def keeping_counter(name: str, *, complain: Callable[[str], None]) -> Iterator[TokenCounter]:
    """The counter named `name` that takes its counts from the cache, and puts new ones there when the block ends well.

    Where the cache cannot be used, `complain` is told once, and everything is counted.

    Raises:
        TokenizerUnavailable: as counter_for.
    """
    charges = Charges.named(name)
    if charges is not None:
        with keeping_counter(charges.vocabulary, complain=complain) as counted:
            yield CalibratedCounter(counted, charges)
        return
    counter = counter_for(name)
    if isinstance(counter, QuarterCounter):  # counts faster than anything is found
        yield counter
        return
    keeping = KeepingCounter(counter, cache_folder() / "counts.sqlite3", complain=complain)
    with contextlib.closing(keeping):
        yield keeping
        keeping.keep()


def cache_folder() -> Path:
    """The user's folder for what may be made anew, as the system names it."""
    home = Path.home()
    if sys.platform == "win32":
        folder = Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local")
    elif sys.platform == "darwin":
        folder = home / "Library" / "Caches"
    else:
        folder = Path(os.environ.get("XDG_CACHE_HOME") or home / ".cache")
    return folder / "budgeteer"


class KeepingCounter:
    """The counts of a vocabulary's counter, taken from a file where they stand there."""

    def __init__(self, counter: TokenCounter, path: Path, *, complain: Callable[[str], None]) -> None:
        self.name = counter.name
        self.kind = counter.kind
        self.per_message_overhead = counter.per_message_overhead
        self._counter = counter
        self._path = path
        self._complain = complain
        self._known: dict[bytes, int] = {}
        self._fresh: dict[bytes, int] = {}
        self._file: sqlite3.Connection | None = None
        self._open()

    def count(self, text: str) -> int:
        """The tokens of one text."""
        key = self._key(text)
        known = self._known.get(key)
        if known is None:
            known = self._found(key)
        if known is None:
            known = self._fresh[key] = self._counter.count(text)
        self._known[key] = known
        return known

    def count_parts(self, texts: Sequence[str]) -> int:
        """The sum over the texts, each a sequence of its own."""
        return sum(map(self.count, texts))

    def count_all(self, texts: Sequence[str]) -> list[int]:
        """The tokens of each text."""
        return [self.count(text) for text in texts]

    def keep(self) -> None:
        """Put what was counted into the file, for the next time."""
        if self._file is None:
            return
        try:
            with self._file:
                self._file.executemany("INSERT OR IGNORE INTO counts VALUES (?, ?)", self._fresh.items())
        except sqlite3.Error as error:
            self._give_up(error)

    def close(self) -> None:
        """Leave the file alone."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def _key(self, text: str) -> bytes:
        data = text.encode("utf-8", "surrogatepass")
        version = __version__.encode()[: hashlib.blake2b.SALT_SIZE]
        return hashlib.blake2b(data, digest_size=_KEY_BYTES, person=self.name.encode(), salt=version).digest()

    def _found(self, key: bytes) -> int | None:
        if self._file is None:
            return None
        try:
            row = self._file.execute("SELECT tokens FROM counts WHERE key = ?", (key,)).fetchone()
        except sqlite3.Error as error:
            self._give_up(error)
            return None
        return None if row is None else int(row[0])

    def _open(self) -> None:
        try:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            if self._path.exists() and self._path.stat().st_size > MOST_BYTES:
                self._path.unlink()
            self._file = sqlite3.connect(self._path)
            self._file.execute("CREATE TABLE IF NOT EXISTS counts (key BLOB PRIMARY KEY, tokens INTEGER) WITHOUT ROWID")
        except (OSError, sqlite3.Error) as error:
            self._give_up(error)

    def _give_up(self, error: Exception) -> None:
        self.close()
        self._complain(f"The counts kept in {self._path} cannot be used ({error}), so all is counted. Remove the file.")
