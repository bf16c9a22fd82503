"""The simulated cache held against what providers recorded of real sessions, request by request.

What a session sent is simulated as it was: each recorded request goes on from the one before, at its recorded time, and
a smaller one (a compaction, a rewind) or one to another model begins anew and repeats nothing. The sizes are those that
were recorded, so that the rules alone are tried. Beside them stand sizes that are counted: only the first of those that
go on from one another is as it was recorded, for it holds what no file does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np

from budgeteer.engine.analysis.cache.cache_rules import CacheRules, rule_names, rules_for
from budgeteer.engine.analysis.cache.prefix_cache import Miss, SentRequest, cache_of
from budgeteer.engine.analysis.cache.session_cache import DEFAULT_PAUSE_SECONDS, RequestClock
from budgeteer.engine.content.conversation import Conversation, RecordedRequest
from budgeteer.engine.counting.library_measures import Ints
from budgeteer.engine.counting.message_frames import framed_tokens
from budgeteer.engine.counting.message_measures import measure_messages
from budgeteer.engine.counting.tokenizers import TokenCounter, counter_for
from budgeteer.engine.models.registry import ModelRow, known_model
from budgeteer.engine.providers.registry import PROVIDERS

#: Fewer requests say little about a cache: the first of a session often reads what another session wrote.
MIN_REQUESTS: Final = 5
#: A request that reads less than this share of what is simulated, or more by it, differs.
_DIFFERS: Final = 0.05


@dataclass(frozen=True, slots=True)
class RecordedCache:
    """One session: what was recorded beside what is simulated under one set of rules, in tokens.

    Attributes:
        conversation, model, rules: which session, the model that answered, and the rules.
        requests: how many were recorded. begun: how many of them did not go on from the one before.
        input_tokens: the input of all of them.
        recorded_read, recorded_written: what the provider recorded.
        simulated_read: with recorded sizes. counted_read: with counted growth.
        differences: why single requests differ by more than a twentieth, and how many tokens more (or less) they read.
    """

    conversation: str
    model: str
    rules: CacheRules
    requests: int
    begun: int
    input_tokens: int
    recorded_read: int
    recorded_written: int
    simulated_read: int
    counted_read: int
    differences: tuple[tuple[str, int, int], ...]

    @property
    def is_default(self) -> bool:
        """Whether these are the rules that a replay takes for the model unless others are named."""
        row = known_model(self.model)
        return row is not None and rule_names(row)[:1] == (self.rules.name,)

    @property
    def error(self) -> float:
        """The simulated reads beside the recorded ones, as a share of these."""
        return self.simulated_read / self.recorded_read - 1

    @property
    def counted_error(self) -> float:
        """The same with counted sizes."""
        return self.counted_read / self.recorded_read - 1


def recorded_caches(conversations: Iterable[Conversation]) -> Iterator[RecordedCache]:
    """Every session with recorded reads and rules for its model, under each set of rules it may have used."""
    for conversation in conversations:
        recorded = conversation.recorded
        row = known_model(_model_of(conversation))
        if row is None or len(recorded) < MIN_REQUESTS or not sum(one.cache_read_tokens for one in recorded):
            continue
        sizes = np.array([one.input_tokens for one in recorded], np.int64)
        counted = _counted_sizes(conversation, row, counter_for(row.tokenizer))
        for name in rule_names(row):
            if name != "gemini-explicit":
                yield _held(conversation, row, rules_for(row, name), sizes=sizes, counted=counted)


def _held(
    conversation: Conversation, row: ModelRow, rules: CacheRules | None, *, sizes: Ints, counted: Ints
) -> RecordedCache:
    assert rules is not None  # noqa: S101 - its name is one of the model's
    recorded = conversation.recorded
    reads, misses = _simulated(conversation, rules, sizes)
    counted_reads, _ = _simulated(conversation, rules, counted)
    return RecordedCache(
        conversation=conversation.id,
        model=row.name,
        rules=rules,
        requests=len(recorded),
        begun=sum(_begins(recorded)) - 1,
        input_tokens=int(sizes.sum()),
        recorded_read=sum(one.cache_read_tokens for one in recorded),
        recorded_written=sum(one.cache_write_tokens for one in recorded),
        simulated_read=sum(reads),
        counted_read=sum(counted_reads),
        differences=_differences(recorded, reads, misses),
    )


def _simulated(conversation: Conversation, rules: CacheRules, sizes: Ints) -> tuple[list[int], list[Miss | None]]:
    """What each recorded request reads, and why not more; its sizes are `sizes`."""
    cache, clock = cache_of(rules), RequestClock(DEFAULT_PAUSE_SECONDS)
    keys: list[int] = []
    tokens: list[int] = []
    blocks: list[int] = []
    reads: list[int] = []
    misses: list[Miss | None] = []
    start = 0
    for number, (request, begins) in enumerate(zip(conversation.recorded, _begins(conversation.recorded), strict=True)):
        if begins:
            keys, tokens, blocks, start = [], [], [], 0
        keys.append(number + 1)
        tokens.append(int(sizes[number]) - sum(tokens))
        added = conversation.messages[start : request.position]
        blocks.append(max(sum(max(len(message.parts), 1) for message in added), 1))
        near = conversation.messages[max(request.position - 1, 0) : request.position + 1]
        sent = SentRequest(
            keys=np.array(keys, np.uint64),
            tokens=np.array(tokens, np.int64),
            blocks=np.array(blocks, np.int64),
            marks={"previous": len(keys) - 1, "end": len(keys)},
            seconds=clock.seconds(near),
        )
        use = cache.serve(sent)
        reads.append(use.read_tokens)
        misses.append(use.miss)
        start = request.position
    return reads, misses


def _begins(recorded: Sequence[RecordedRequest]) -> list[bool]:
    """Which requests do not go on from the one before: smaller ones, and those to another model."""
    pairs = pairwise(recorded)
    return [True, *(now.input_tokens < before.input_tokens or now.model != before.model for before, now in pairs)]


def _counted_sizes(conversation: Conversation, row: ModelRow, counter: TokenCounter) -> Ints:
    """The size of each recorded request: of those that begin anew as recorded, then as much more as is counted."""
    recorded = conversation.recorded
    measures = measure_messages(conversation.messages, counter=counter, providers=(row.provider,))
    before = np.concatenate([[0], np.cumsum(framed_tokens(measures, PROVIDERS[row.provider], counter))])
    sizes = np.zeros(len(recorded), np.int64)
    counted = before[[request.position for request in recorded]]
    for number, begins in enumerate(_begins(recorded)):
        grown = counted[number] - counted[number - 1]
        sizes[number] = recorded[number].input_tokens if begins else sizes[number - 1] + grown
    return sizes


def _differences(
    recorded: Sequence[RecordedRequest], reads: Sequence[int], misses: Sequence[Miss | None]
) -> tuple[tuple[str, int, int], ...]:
    """Each kind of difference with its requests and tokens, the largest first: simulated reads less recorded ones."""
    requests: Counter[str] = Counter()
    tokens: Counter[str] = Counter()
    for number, (one, read, miss) in enumerate(zip(recorded, reads, misses, strict=True)):
        off = read - one.cache_read_tokens
        if abs(off) <= _DIFFERS * one.input_tokens:
            continue
        kind = _kind(number, off, miss)
        requests[kind] += 1
        tokens[kind] += off
    return tuple((kind, requests[kind], tokens[kind]) for kind in sorted(tokens, key=lambda kind: -abs(tokens[kind])))


def _kind(number: int, off: int, miss: Miss | None) -> str:
    if off < 0 and number == 0:
        return "written by an earlier session"
    if off < 0:
        return {
            "expired": "still read after the pause",
            "changed": "read on where the request began anew",
        }.get(str(miss), "read more than rules say")
    return "not read, though it should be"


def _model_of(conversation: Conversation) -> str:
    """The model that answered most of the recorded requests."""
    names = Counter(one.model or conversation.model for one in conversation.recorded)
    return names.most_common(1)[0][0] if names else conversation.model
