"""The segments of a fitted request, as a cache compares them: hashes, tokens, content blocks, and what each one is.

Hashes are of what is sent of an item. What a history strategy or pruning shortens is told apart by what shortened it
and by its size then; an id that pruning adds is a part of its message.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from enum import IntEnum
from typing import Final

import numpy as np
from numpy.typing import NDArray

from budgeteer.engine.analysis.cache.cache_rules import Mark
from budgeteer.engine.analysis.cache.prefix_cache import Hashes, SentRequest
from budgeteer.engine.content.conversation import ROLES, Message, message_to_json
from budgeteer.engine.counting.library_measures import Ints
from budgeteer.engine.inputs.bundle import Bundle
from budgeteer.engine.packing.pack import Fitted, Packer
from budgeteer.engine.packing.pruning.pruned import Pruned

_ASSISTANT = ROLES.index("assistant")
_USER = ROLES.index("user")
#: What of a message is not sent: where it stood in its source.
_NOT_SENT: Final = ("id", "created", "line", "typed", "moved", "origin")
#: Odd factors that keep changes of a message apart in its hash (primes of xxHash64).
_SHORTENED, _TAGGED, _SIZED = (
    np.uint64(0x9E3779B185EBCA87),
    np.uint64(0xC2B2AE3D27D4EB4F),
    np.uint64(0x165667B19E3779F9),
)
#: So many hashes of blocks and summaries are kept for the next request.
_MOST_TEXTS: Final = 1_024


class SegmentKind(IntEnum):
    """What a segment is: a tool definition, instructions, a message, a block of pruning's, a summary or a notice."""

    TOOL = 0
    INSTRUCTIONS = 1
    MESSAGE = 2
    BLOCK = 3
    WRITTEN = 4


@dataclass(frozen=True, slots=True, eq=False)
class Segments:
    """A request's segments in prompt order, and how they came about.

    Attributes:
        request: hashes, tokens and marks. kind: SegmentKind of each.
        row: of a tool its index, of instructions their place among the pieces, of a message its row of the history as
            it came (that of the query behind all of them); -1 for what was written.
        packer, fitted: what was fitted.
    """

    request: SentRequest
    kind: NDArray[np.int8]
    row: Ints
    packer: Packer
    fitted: Fitted


@dataclass(frozen=True, slots=True, eq=False)
class _Head:
    """What stands before the messages: tools, then instructions."""

    keys: Hashes
    tokens: Ints
    tools: int


class SegmentMaker:
    """Makes the segments of the requests of one conversation; what does not change is hashed once."""

    def __init__(self, whole: Bundle) -> None:
        messages = [*whole.history, *([whole.query] if whole.query is not None else [])]
        self._keys = np.array([_message_key(message) for message in messages], np.uint64)
        self._blocks = np.array([max(len(message.parts), 1) for message in messages], np.int64)
        self._heads: dict[object, _Head] = {}
        self._texts: dict[str, int] = {}

    def segments(self, packer: Packer, fitted: Fitted, *, total_tokens: int, seconds: float) -> Segments:
        """The segments of a fitted request; their tokens and the priming of the reply are `total_tokens`."""
        said = self._said(fitted)
        query_row = len(packer.bundle.history if fitted.pruned is None else fitted.pruned.given.history)
        if packer.framing.has_query():
            said = said.with_query(self._keys[query_row], packer.framing.query_tokens(), query_row, self._blocks)
        reply = packer.framing.reply()
        head = self._head(fitted, total_tokens - int(said.tokens.sum()) - reply)
        before = len(head.keys)
        kind = np.full(before, SegmentKind.INSTRUCTIONS, np.int8)
        kind[: head.tools] = SegmentKind.TOOL
        pieces = np.concatenate([np.array(fitted.libraries.tools.order, np.int64), np.arange(before - head.tools)])
        marks: dict[Mark, int] = {
            "tools": head.tools,
            "system": before,
            "previous": before + said.previous_end(),
            "end": before + len(said.keys),
        }
        request = SentRequest(
            keys=np.concatenate([head.keys, said.keys]),
            tokens=np.concatenate([head.tokens, said.tokens]),
            blocks=np.concatenate([np.ones(before, np.int64), said.blocks]),
            marks=marks,
            seconds=seconds,
            tail_tokens=reply,
        )
        return Segments(request, np.concatenate([kind, said.kind]), np.concatenate([pieces, said.row]), packer, fitted)

    def _head(self, fitted: Fitted, tokens: int) -> _Head:
        """Tools and instructions; what stands around them belongs to the last of them."""
        libraries = fitted.libraries
        key = (
            tokens,
            libraries.tools.order,
            libraries.skills.order,
            libraries.features.order,
            libraries.features.listed,
            libraries.retrieval.order,
            libraries.retrieval.says_nothing,
        )
        if key not in self._heads:
            bundle = fitted.block.bundle
            tools = [_hash(json.dumps(bundle.tools[row].raw, default=str)) for row in libraries.tools.order]
            pieces = [_hash(piece.text()) for piece in libraries.pieces]
            sizes = [int(libraries.tools.tokens[row]) for row in libraries.tools.order]
            sizes += [piece.followed_tokens for piece in libraries.pieces]
            keys = [*tools, *pieces]
            if tokens and not keys:
                keys, sizes = [0], [0]
            found = np.array(sizes, np.int64)
            if len(found):
                found[-1] += tokens - int(found.sum())
            self._heads[key] = _Head(np.array(keys, np.uint64), found, len(tools))
        return self._heads[key]

    def _said(self, fitted: Fitted) -> _MessageSegments:
        """The history that is sent, without the query."""
        fit, view, pruned = fitted.history, fitted.view, fitted.pruned
        rows = np.flatnonzero(fit.kept)
        given = rows if pruned is None else pruned.rows[rows]
        is_block = given < 0
        keys = np.where(is_block, np.uint64(0), self._keys[given]).astype(np.uint64)
        if pruned is not None:
            self._prune(keys, rows, given, pruned)
        if fit.shortened is not None:
            short = fit.shortened.among(fit.kept)
            at = np.searchsorted(rows, short.rows)
            keys[at] ^= (short.tokens.astype(np.uint64) + np.uint64(1)) * _SIZED + short.chars.astype(np.uint64)
        said = _MessageSegments(
            keys,
            fit.as_sent(view).tokens[rows],
            np.where(is_block, 1, self._blocks[given]),
            np.where(is_block, SegmentKind.BLOCK, SegmentKind.MESSAGE).astype(np.int8),
            given,
            view.role[rows],
        )
        if fit.summary is None:
            return said
        return said.with_written(
            int(fit.kept[: fit.summary.before].sum()), self._text(fit.summary.text), fit.summary_tokens
        )

    def _prune(self, keys: Hashes, rows: Ints, given: Ints, pruned: Pruned) -> None:
        """Change the hashes of what pruning shortens, of what stands in a block, and of what has an id behind it."""
        texts = {number: self._text(block.text) for number, block in enumerate(pruned.blocks)}
        places = np.cumsum(pruned.rows < 0) - 1
        for at in np.flatnonzero(given < 0).tolist():
            keys[at] = texts[int(places[rows[at]])]
        strategy = np.where(given < 0, 0, pruned.shortened.strategy[given]).astype(np.uint64)
        sized = np.where(given < 0, 0, pruned.shortened.sized.chars[given]).astype(np.uint64)
        keys ^= strategy * (_SHORTENED + sized * np.uint64(2))
        tagged = pruned.tags.tokens[rows] > 0
        keys ^= np.where(tagged, (given + len(self._keys) + 1).astype(np.uint64) * _TAGGED, np.uint64(0))

    def _text(self, text: str) -> int:
        if text not in self._texts:
            if len(self._texts) >= _MOST_TEXTS:
                self._texts.clear()
            self._texts[text] = _hash(text)
        return self._texts[text]


@dataclass(frozen=True, slots=True, eq=False)
class _MessageSegments:
    """The messages of a request, one entry each."""

    keys: Hashes
    tokens: Ints
    blocks: Ints
    kind: NDArray[np.int8]
    row: Ints
    role: Ints

    def with_written(self, at: int, key: int, tokens: int) -> _MessageSegments:
        """With a summary or a notice before the message at `at`."""
        return _MessageSegments(
            np.insert(self.keys, at, np.uint64(key)),
            np.insert(self.tokens, at, tokens),
            np.insert(self.blocks, at, 1),
            np.insert(self.kind, at, SegmentKind.WRITTEN),
            np.insert(self.row, at, -1),
            np.insert(self.role, at, _USER),
        )

    def with_query(self, key: np.uint64, tokens: int, row: int, blocks: Ints) -> _MessageSegments:
        """With the query behind them."""
        return _MessageSegments(
            np.append(self.keys, key),
            np.append(self.tokens, tokens),
            np.append(self.blocks, blocks[row]),
            np.append(self.kind, np.int8(SegmentKind.MESSAGE)),
            np.append(self.row, row),
            np.append(self.role, _USER),
        )

    def previous_end(self) -> int:
        """Where the last reply begins: what stands before it was the end of the request that it answers."""
        is_reply = self.role == _ASSISTANT
        begins = np.flatnonzero(is_reply & ~np.concatenate([[False], is_reply[:-1]])[: len(is_reply)])
        return int(begins[-1]) if len(begins) else 0


def _message_key(message: Message) -> int:
    data = {key: value for key, value in message_to_json(message).items() if key not in _NOT_SENT}
    return _hash(json.dumps(data, sort_keys=True, default=str, separators=(",", ":")))


def _hash(text: str) -> int:
    digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little")
