"""How an evaluation is cut into chunks, and what one chunk comes to."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from budgeteer.collections.models import EvaluationChunk, EvaluationRun
from budgeteer.collections.row_columns import RowColumns, RowName
from budgeteer.collections.survey import Survey, runs_of
from budgeteer.engine.analysis.evaluation.chunk import (
    ChunkRun,
    NamedConfig,
    NamedConversation,
    empty_totals,
    evaluate_chunk,
)
from budgeteer.engine.analysis.evaluation.evaluation import Evaluation, PackedConversation
from budgeteer.engine.config.schema import load_config
from budgeteer.engine.counting.message_measures import MessageMeasures
from budgeteer.engine.counting.tokenizers import TokenCounter
from budgeteer.engine.errors import InputError
from budgeteer.sources import services as sources
from budgeteer.sources.files.contents import CONVERSATIONS, Contents
from budgeteer.sources.models import Source

#: A chunk ends where it has so many conversations, or so many messages: some tenths of a second of work.
CONVERSATIONS_A_CHUNK: Final = 500
MESSAGES_A_CHUNK: Final = 20_000
#: The same where every request is replayed, which takes ten times as long and more, the longer a conversation is.
REPLAYED_A_CHUNK: Final = 40
REPLAYED_MESSAGES_A_CHUNK: Final = 2_000
#: How long one conversation may be replayed under all configurations together: others wait for the worker.
REPLAY_SECONDS: Final = 180.0


def configs_of(run: EvaluationRun) -> list[NamedConfig]:
    """The configurations of a run.

    Raises:
        ConfigError: this version cannot use one of them.
    """
    return [NamedConfig(one["name"], load_config(one["config"])) for one in run.configs]


def chunks_of(run: EvaluationRun, survey: Survey) -> Iterator[EvaluationChunk]:
    """The chunks of a run over what was surveyed, in the order of the collection; rows that are not saved yet."""
    most, most_messages = CONVERSATIONS_A_CHUNK, MESSAGES_A_CHUNK
    if run.replays_sessions:
        most, most_messages = REPLAYED_A_CHUNK, REPLAYED_MESSAGES_A_CHUNK
    places = np.flatnonzero(survey.kept(duplicates=run.keeps_duplicates))
    held: list[int] = []
    messages = number = 0
    for place in places.tolist():
        held.append(place)
        messages += int(survey.messages[place])
        if len(held) >= most or messages >= most_messages:
            yield _chunk(run, survey, held, number)
            held, messages, number = [], 0, number + 1
    if held:
        yield _chunk(run, survey, held, number)


def _chunk(run: EvaluationRun, survey: Survey, places: Sequence[int], number: int) -> EvaluationChunk:
    numbers: dict[int, list[int]] = {}
    for source, place in zip(survey.source[list(places)].tolist(), places, strict=True):
        numbers.setdefault(source, []).append(int(survey.number[place]))
    pieces: list[dict[str, Any]] = [
        {
            "source": survey.sources[source].source_id.hex,
            "revision": survey.sources[source].revision,
            "runs": runs_of(own),
        }
        for source, own in numbers.items()
    ]
    return EvaluationChunk(run=run, number=number, pieces=pieces, conversations=len(places))


@dataclass(frozen=True, slots=True)
class ChunkOutcome:
    """What a chunk came to: the figures, and its rows as columns."""

    evaluation: Evaluation
    rows: RowColumns


@dataclass(slots=True)
class ChunkReader:
    """Reads the conversations of chunks; it holds what was counted of the source that was read last, and no other.

    `sessions`: whether all requests of each conversation are replayed.
    """

    configs: Sequence[NamedConfig]
    sessions: bool = False
    _held: tuple[uuid.UUID, int] | None = None
    _measures: dict[str, MessageMeasures | None] = field(default_factory=dict)

    def evaluate(self, chunk: EvaluationChunk, watch: Callable[[], None]) -> ChunkOutcome:
        """Every conversation of a chunk under every configuration; `watch` is called between them and may raise.

        Raises:
            InputError: a source is gone, or was imported anew since the run was begun; or a conversation takes longer
                to replay than one may.
        """
        spent: dict[str, float] = {}
        found = Evaluation([empty_totals(named, sessions=self.sessions) for named in self.configs])
        rows: list[list[PackedConversation]] = [[] for _ in self.configs]
        for piece in chunk.pieces:
            source = _source_of(piece)
            contents = sources.contents_of(source)
            for first, stop in piece["runs"]:
                watch()
                samples, places = _samples(source, contents, first, stop)

                def known(
                    counter: TokenCounter, source: Source = source, places: slice = places
                ) -> MessageMeasures | None:
                    measured = self._measured(source, counter.name)
                    return None if measured is None else measured.taken(places)

                def watch_of(name: str, source: Source = source) -> Callable[[], None]:
                    return _within_replay_time(watch, spent, name, source)

                with_measures = ChunkRun(known, watch, watch_of)
                result = evaluate_chunk(samples, self.configs, rows=True, sessions=self.sessions, run=with_measures)
                found.merge(result.evaluation)
                for mine, more in zip(rows, result.rows, strict=True):
                    mine.extend(more)
        revisions = {piece["source"]: int(piece["revision"]) for piece in chunk.pieces}
        return ChunkOutcome(found, RowColumns.of(rows, revisions))

    def _measured(self, source: Source, tokenizer: str) -> MessageMeasures | None:
        """What was counted of the messages of a source, None where it was not counted with this tokenizer."""
        if self._held != (source.pk, source.revision):
            self._held, self._measures = (source.pk, source.revision), {}
        if tokenizer not in self._measures:
            self._measures[tokenizer] = sources.read_message_measures(source, tokenizer)
        return self._measures[tokenizer]


def _within_replay_time(
    watch: Callable[[], None], spent: dict[str, float], name: str, source: Source
) -> Callable[[], None]:
    """The same function, which ends the replay of a conversation that has had its time; `spent` is what it had before.

    Raises:
        InputError: by what is returned: it has had it.
    """
    before, began = spent.get(name, 0.0), time.monotonic()

    def bounded() -> None:
        spent[name] = before + time.monotonic() - began
        if spent[name] > REPLAY_SECONDS:
            raise InputError(
                f"a conversation takes longer than the {REPLAY_SECONDS / 60:.0f} minutes that one may be replayed",
                where=source.name,
                mend="Evaluate without replaying sessions, or take the source out; the command line has no such limit",
            )
        watch()

    return bounded


def _source_of(piece: Mapping[str, Any]) -> Source:
    source = Source.objects.filter(pk=uuid.UUID(hex=piece["source"]), deleted_at__isnull=True).first()
    if source is None:
        raise InputError("a source of the collection was deleted meanwhile", mend="Evaluate the collection again")
    if source.revision != piece["revision"]:
        mend = "Evaluate the collection again"
        raise InputError("was imported anew since the evaluation began", where=source.name, mend=mend)
    return source


def _samples(source: Source, contents: Contents, first: int, stop: int) -> tuple[list[NamedConversation], slice]:
    """Conversations of a source by their numbers, and the places of their messages among those of the source."""
    rows = contents.reader.read(CONVERSATIONS, first, stop)
    found = [
        NamedConversation(RowName(source.pk, first + at).text, contents.conversation_of(row))
        for at, row in enumerate(rows)
    ]
    return found, slice(rows[0]["start"], rows[-1]["start"] + rows[-1]["count"])
