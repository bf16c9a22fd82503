"""Evaluate a chunk of conversations: a pure function from conversations and configurations to what merges.

All messages of a chunk are counted at once, once for each tokenizer, unless they were counted before. What nothing is
left out of is added up as arrays (whole_requests); every other conversation is packed. So of conversations that were
counted before, the texts of those that are packed are read, and no others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Final

import numpy as np

from budgeteer.engine.analysis.evaluation.evaluation import Evaluation, Flow, PackedConversation, Totals
from budgeteer.engine.analysis.evaluation.sessions import SessionTotals, SessionUse, session_use
from budgeteer.engine.analysis.evaluation.whole_requests import WholeRequests, whole_requests
from budgeteer.engine.analysis.sweep.probe import Subject
from budgeteer.engine.config.schema import BudgetConfig
from budgeteer.engine.content.conversation import Conversation, Message, calls_of, results_of
from budgeteer.engine.counting.library_measures import Ints
from budgeteer.engine.counting.message_measures import MessageMeasures, measure_conversations
from budgeteer.engine.counting.tokenizers import TokenCounter, counter_for
from budgeteer.engine.inputs.bundle import Bundle, Inputs, build_bundle
from budgeteer.engine.models.registry import dollars
from budgeteer.engine.packing.allocation import allowance, provider_of, tokenizer_of
from budgeteer.engine.packing.ledger import DROPPED, FATES, LETTERS, SUMMARISED, TRUNCATED, LedgerRows
from budgeteer.engine.packing.pack import pack
from budgeteer.engine.packing.result import Packing

#: The tool of a result whose call is not in the conversation, or has no name.
_UNNAMED: Final = "(no call)"
#: The longest name of a tool that is told in full; providers take 64 characters.
TOOL_NAME_CHARS: Final = 200
#: Conversations that are worth counting at once; more take memory and save no time.
CHUNK: Final = 250

type MeasuresByCounter = Callable[[TokenCounter], MessageMeasures | None]
"""The measures of all messages of a chunk under a tokenizer, one conversation's after the other's; None to count."""


def _no_watch() -> None:
    """Nobody watches."""


@dataclass(frozen=True, slots=True)
class ChunkRun:
    """What a chunk is evaluated with.

    Attributes:
        known: what was counted before, for every provider; None to count.
        watch: called after each conversation that is packed or replayed; it may raise to end the evaluation.
        watch_of: by the name of a conversation what is called after each of its requests that is replayed, and may
            raise; None calls `watch`.
    """

    known: MeasuresByCounter | None = None
    watch: Callable[[], None] = _no_watch
    watch_of: Callable[[str], Callable[[], None]] | None = None


@dataclass(frozen=True, slots=True)
class NamedConversation:
    """One conversation of a collection: a name that is its own, such as its file with its number, and what was read."""

    name: str
    conversation: Conversation


@dataclass(frozen=True, slots=True)
class NamedConfig:
    """A configuration with the name that people read."""

    name: str
    config: BudgetConfig


@dataclass(frozen=True, slots=True)
class ChunkResult:
    """What a chunk came to, and one row a conversation for each configuration where rows were requested."""

    evaluation: Evaluation
    rows: tuple[tuple[PackedConversation, ...], ...] = ()


def evaluate_chunk(
    samples: Sequence[NamedConversation],
    configs: Sequence[NamedConfig],
    *,
    rows: bool = False,
    sessions: bool = False,
    run: ChunkRun | None = None,
) -> ChunkResult:
    """Pack the last request of each conversation under each configuration, and sum up.

    Args:
        samples: the conversations.
        configs: the configurations.
        rows: whether a row of each conversation is wanted.
        sessions: whether all requests of each conversation are replayed, too, which takes some ten times as long.
        run: what was counted before, and who watches.

    Raises:
        ConfigError: a configuration cannot be used.
        TokenizerUnavailable: a model's vocabulary is not packaged.
    """
    run = run or ChunkRun()
    found = Evaluation([empty_totals(named, sessions=sessions) for named in configs])
    counted: dict[str, _Counted] = {}
    packed: list[list[PackedConversation]] = []
    for named, totals in zip(configs, found.totals, strict=True):
        name = tokenizer_of(named.config)
        if name not in counted:
            same = {provider_of(one.config) for one in configs if tokenizer_of(one.config) == name}
            counter = counter_for(name)
            counted[name] = _Counted.of(samples, counter, same, known=run.known(counter) if run.known else None)
        packed.append(_evaluate(counted[name], named.config, totals, run))
    for a, b in combinations(range(len(configs)), 2):
        for one, other in zip(packed[a], packed[b], strict=True):
            found.sides[a, b].add(one.name, one.level, other.level)
    return ChunkResult(found, tuple(map(tuple, packed)) if rows else ())


def empty_totals(named: NamedConfig, *, sessions: bool = False) -> Totals:
    """The totals of a configuration before any conversation; `sessions` where all requests are replayed.

    Raises:
        ConfigError: the configuration cannot be used.
    """
    allowed = allowance(named.config, counter_for(tokenizer_of(named.config)))
    row = allowed.row
    return Totals(
        named.name,
        row.name,
        allowed.usable_tokens,
        input_price=row.input_price,
        cached_price=row.cached_input_price,
        sessions=SessionTotals.empty(row) if sessions else None,
    )


@dataclass(slots=True)
class _Counted:
    """The conversations of a chunk as one tokenizer counts them.

    Attributes:
        measures: of all messages, one conversation's after the other's. starts: where each conversation begins.
        tools: by conversation, for each result its row among the messages and the name of the tool that was called.
        bundles: those that were packed, by their place.
    """

    samples: Sequence[NamedConversation]
    counter: TokenCounter
    measures: MessageMeasures
    starts: Ints
    tools: list[list[tuple[int, str]]]
    bundles: dict[int, Bundle]

    @classmethod
    def of(
        cls,
        samples: Sequence[NamedConversation],
        counter: TokenCounter,
        providers: set[str],
        *,
        known: MessageMeasures | None,
    ) -> _Counted:
        """Everything counted, for these request forms; `known` where it was counted before."""
        held: list[Sequence[Message]] = [sample.conversation.messages for sample in samples]
        measures = known
        if measures is None:
            held = [tuple(messages) for messages in held]
            measures = measure_conversations(held, counter=counter, providers=providers)
        starts = np.cumsum([0, *map(len, held)])
        results = np.concatenate([[0], np.cumsum(measures.is_result)])
        answered = (results[starts[1:]] > results[starts[:-1]]).tolist()
        empty: list[tuple[int, str]] = []
        tools = [list(_tools_in(one)) if has else empty for one, has in zip(held, answered, strict=True)]
        return cls(samples, counter, measures, starts, tools, {})

    def bundle(self, place: int) -> Bundle:
        """One conversation, ready to be packed."""
        if place not in self.bundles:
            own = self.measures.taken(slice(int(self.starts[place]), int(self.starts[place + 1])))
            inputs = Inputs(conversation=self.samples[place].conversation, conversation_measures=own)
            self.bundles[place] = build_bundle(inputs, counter=self.counter)
        return self.bundles[place]


def _tools_in(messages: Sequence[Message]) -> Iterator[tuple[int, str]]:
    """For each result its row, and the name of the tool whose call it answers."""
    names: dict[str, str] = {}
    for row, message in enumerate(messages):
        if message.role == "assistant":
            names |= {call.id: _tool_name(call.name) for call in calls_of(message)}
        elif message.role == "tool":
            for result in results_of(message):
                yield row, names.get(result.call_id) or _UNNAMED


def _tool_name(name: str) -> str:
    """A name as figures carry it: cut where it is too long, and without what databases and UTF-8 cannot hold."""
    cut = name if len(name) <= TOOL_NAME_CHARS else f"{name[:TOOL_NAME_CHARS]}…"
    return cut.replace("\0", "\ufffd").encode("utf-8", "replace").decode()


def _evaluate(counted: _Counted, config: BudgetConfig, totals: Totals, run: ChunkRun) -> list[PackedConversation]:
    """Every conversation under one configuration, added to the totals."""
    conversations = [sample.conversation for sample in counted.samples]
    whole = whole_requests(conversations, counted.measures, counted.starts, config, counter=counted.counter)
    found: list[PackedConversation] = []
    for place, sample in enumerate(counted.samples):
        if whole.is_whole[place]:
            tokens = int(whole.tokens[place])
            size = int(counted.starts[place + 1] - counted.starts[place])
            prices = (dollars(tokens, totals.input_price), dollars(tokens, totals.cached_price))
            found.append(
                PackedConversation(sample.name, size, tokens, tokens, totals.limit_tokens, "fits", 0, 0, 0, *prices)
            )
        else:
            packing = pack(counted.bundle(place), config, counter=counted.counter)
            found.append(_packed(sample.name, packing, totals))
            _add_items(packing, counted.tools[place], totals)
            run.watch()
    _add_whole(whole, counted, totals)
    if totals.sessions is not None:
        found = [replace(one, session=used) for one, used in zip(found, _replayed(counted, config, run), strict=True)]
    totals.requested.add(np.array([one.requested_tokens for one in found], np.int64))
    totals.sent.add(np.array([one.sent_tokens for one in found], np.int64))
    for one in found:
        totals.levels[one.level] += 1
        totals.overflowing += one.overflows
        totals.messages += one.messages
        totals.dropped += one.dropped
        totals.summarised += one.summarised
        totals.shortened += one.shortened
        if totals.sessions is not None and one.session is not None:
            totals.sessions.add(one.session)
    totals.name_largest(found)
    return found


def _replayed(counted: _Counted, config: BudgetConfig, run: ChunkRun) -> Iterator[SessionUse]:
    """Every request of each conversation under one configuration."""
    row, provider = allowance(config, counted.counter).row, provider_of(config)
    for place, sample in enumerate(counted.samples):
        subject = Subject(counted.bundle(place), config, counted.counter, provider=provider)
        yield session_use(subject, row, run.watch if run.watch_of is None else run.watch_of(sample.name))
        run.watch()


def _packed(name: str, packing: Packing, totals: Totals) -> PackedConversation:
    """A packing as one row: items are the messages of its history and its query."""
    parts = [part for part in packing.ledger.parts if part.section in ("history", "query")]
    tokens, verdict = packing.total.tokens, packing.verdict
    return PackedConversation(
        name,
        messages=len(packing.bundle.history) + len(packing.bundle.system) + (packing.bundle.query is not None),
        requested_tokens=verdict.asked_tokens,
        sent_tokens=tokens,
        limit_tokens=totals.limit_tokens,
        level=verdict.level,
        dropped=sum(part.count(DROPPED) for part in parts),
        summarised=sum(part.count(SUMMARISED) for part in parts),
        shortened=sum(int(np.count_nonzero(part.shortened)) for part in parts),
        cost=dollars(tokens, totals.input_price),
        cached_cost=dollars(tokens, totals.cached_price),
    )


def _add_items(packing: Packing, tools: Sequence[tuple[int, str]], totals: Totals) -> None:
    """The items of a packing by category, by tool and by rule."""
    counts = dict.fromkeys(LETTERS, 0)
    for part in packing.ledger.parts:
        for place, count in enumerate(np.bincount(part.category, minlength=len(LETTERS)).tolist()):
            counts[LETTERS[place]] += count
        for rule, flow in _by_rule(part, packing):
            totals.rules.setdefault(rule, Flow()).add(flow.count, flow.requested_tokens, flow.sent_tokens)
    for total in packing.categories:
        flow = totals.categories.setdefault(total.letter, Flow())
        flow.add(counts.get(total.letter, 0), total.sent_tokens + total.not_sent_tokens, total.sent_tokens)
    if tools:
        _add_tools(packing, tools, totals)


def _by_rule(part: LedgerRows, packing: Packing) -> Iterator[tuple[str, Flow]]:
    """What a section does not send whole, by the rule of its decisions.

    Messages of one fate by one rule of their strategy are explained once.
    """
    rows = np.flatnonzero((part.fate == DROPPED) | (part.fate == SUMMARISED) | (part.fate == TRUNCATED))
    if part.messages is None or packing.pruned is not None:
        for row in rows.tolist():
            yield part.explain(row).rule, Flow(1, int(part.before_tokens[row]), int(part.after_tokens[row]))
        return
    alike = packing.chosen.history.rule[rows] * len(FATES) + part.fate[rows]
    for kind in np.unique(alike).tolist():
        mine = rows[alike == kind]
        tokens = (int(part.before_tokens[mine].sum()), int(part.after_tokens[mine].sum()))
        yield part.explain(int(mine[0])).rule, Flow(len(mine), *tokens)


def _add_tools(packing: Packing, tools: Sequence[tuple[int, str]], totals: Totals) -> None:
    """The results by the tool that was called; a row of the conversation is one of its history behind system texts."""
    start = len(packing.bundle.system)
    history = next(
        (part for part in packing.ledger.parts if part.section == "history" and part.messages is not None), None
    )
    if history is None or history.messages is None:
        return
    place = {row: at for at, row in enumerate(history.messages.tolist()) if row >= 0}
    for row, name in tools:
        at = place.get(row - start)
        if at is not None:
            flow = totals.tools.setdefault(name, Flow())
            flow.add(1, int(history.before_tokens[at]), int(history.after_tokens[at]))


def _add_whole(whole: WholeRequests, counted: _Counted, totals: Totals) -> None:
    """What is sent whole, by category and by tool."""
    for letter, count, tokens in whole.categories():
        totals.categories.setdefault(letter, Flow()).add(count, tokens, tokens)
    for place in np.flatnonzero(whole.is_whole).tolist():
        for row, name in counted.tools[place]:
            tokens = int(whole.message_tokens[int(counted.starts[place]) + row])
            totals.tools.setdefault(name, Flow()).add(1, tokens, tokens)
