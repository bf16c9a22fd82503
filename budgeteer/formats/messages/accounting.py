"""What an import made of the strings of a file, as figures: how many characters were read, left out, or neither."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

LISTED_KEYS: Final = 6
"""How many keys are named, the ones that hold most."""

TOLERATED: Final = 0.05
"""The share of a file's characters that may be neither read nor left out before the report says so. Source: ours."""


@dataclass(frozen=True, slots=True)
class KeyShare:
    """A key of a file, as a path (`messages[].text`; `*` for keys that are ids), and the characters under it."""

    key: str
    characters: int


@dataclass(frozen=True, slots=True)
class Accounting:
    """The characters of strings of a file, without base64 and the white space around lines.

    Attributes:
        characters: all of them that were looked at.
        read: those that are in what was read.
        metadata: those of fields that hold no words of a conversation in any format (ids, times, states).
        left_out: those that the report says were left out, or that the format leaves out.
        is_estimate: whether only a sample of the file was looked at.
        left_out_keys, unread_keys: where those that were left out, or that nobody read, stand; the largest first.
    """

    characters: int = 0
    read: int = 0
    metadata: int = 0
    left_out: int = 0
    is_estimate: bool = False
    left_out_keys: tuple[KeyShare, ...] = ()
    unread_keys: tuple[KeyShare, ...] = ()

    @property
    def unread(self) -> int:
        """The characters that were neither read nor left out."""
        return self.characters - self.read - self.metadata - self.left_out

    @property
    def is_lossy(self) -> bool:
        """Whether more was passed over than is tolerated."""
        return self.unread > self.characters * TOLERATED

    def sentence(self) -> str:
        """What was passed over, "" where it is no more than is tolerated."""
        if not self.is_lossy:
            return ""
        share = 100 * self.unread / self.characters
        about = "About " if self.is_estimate else ""
        return (
            f"{about}{share:.0f} % of the text in this file was not read: {self.unread:,} of {self.characters:,} "
            f"characters{' of a sample' if self.is_estimate else ''}, most of them under {listed(self.unread_keys)}"
        )

    def left_out_sentence(self) -> str:
        """What was left out and where it stands, "" where nothing was."""
        if not self.left_out_keys:
            return ""
        return f"Not sent to a model: {listed(self.left_out_keys)}"

    def to_json(self) -> dict[str, Any]:
        """The figures as plain data."""
        return {
            "characters": self.characters,
            "read": self.read,
            "metadata": self.metadata,
            "leftOut": self.left_out,
            "unread": self.unread,
            "isLossy": self.is_lossy,
            "isEstimate": self.is_estimate,
            "leftOutKeys": _rows(self.left_out_keys),
            "unreadKeys": _rows(self.unread_keys),
        }


def accounting_from_json(data: Mapping[str, Any] | None) -> Accounting | None:
    """The figures that `to_json` wrote; None of a report from before there were any."""
    if not data:
        return None
    return Accounting(
        characters=data["characters"],
        read=data["read"],
        metadata=data["metadata"],
        left_out=data["leftOut"],
        is_estimate=data["isEstimate"],
        left_out_keys=_keys_in(data["leftOutKeys"]),
        unread_keys=_keys_in(data["unreadKeys"]),
    )


def _keys_in(rows: Iterable[Mapping[str, Any]]) -> tuple[KeyShare, ...]:
    return tuple(KeyShare(row["key"], row["characters"]) for row in rows)


def listed(keys: Iterable[KeyShare]) -> str:
    """Keys with their characters: "`a.b` (1,200 characters), `c` (30)"."""
    said = [f"`{one.key}` ({one.characters:,}{'' if at else ' characters'})" for at, one in enumerate(keys)]
    return ", ".join(said)


def largest(counts: Counter[str]) -> tuple[KeyShare, ...]:
    """The keys that hold most."""
    return tuple(KeyShare(key, count) for key, count in counts.most_common(LISTED_KEYS) if count)


def joined(accounts: Iterable[Accounting | None]) -> Accounting | None:
    """The accounts of several files as one; None where no file has one."""
    found = [each for each in accounts if each is not None]
    if not found:
        return None
    left_out: Counter[str] = Counter()
    unread: Counter[str] = Counter()
    for each in found:
        left_out.update({one.key: one.characters for one in each.left_out_keys})
        unread.update({one.key: one.characters for one in each.unread_keys})
    return Accounting(
        characters=sum(each.characters for each in found),
        read=sum(each.read for each in found),
        metadata=sum(each.metadata for each in found),
        left_out=sum(each.left_out for each in found),
        is_estimate=any(each.is_estimate for each in found),
        left_out_keys=largest(left_out),
        unread_keys=largest(unread),
    )


def _rows(keys: Iterable[KeyShare]) -> list[dict[str, Any]]:
    return [{"key": one.key, "characters": one.characters} for one in keys]
