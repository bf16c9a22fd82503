"""Count a source once per tokenizer, and load the numbers again.

One npz file a tokenizer. An array's name is `<what>.<column>`; the rows of `messages` are those of every conversation
in turn, so that a conversation's rows are a slice.
"""

from __future__ import annotations

import hashlib
import io
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import IO, Any

import numpy as np

from budgeteer.engine.content.conversation import Conversation
from budgeteer.engine.content.library import ToolDefinition
from budgeteer.engine.content.source_items import SourceItems
from budgeteer.engine.counting.library_measures import (
    ChunkMeasures,
    Columns,
    FeatureMeasures,
    Ints,
    RowSource,
    SkillMeasures,
    ToolMeasures,
    fresh_rows,
    measure_chunks,
    measure_features,
    measure_skills,
    measure_tools,
)
from budgeteer.engine.counting.message_measures import MessageMeasures, measure_conversations
from budgeteer.engine.counting.tokenizers import TokenCounter
from budgeteer.engine.inputs.bundle import tools_of
from budgeteer.engine.providers.registry import DEFAULT_PROVIDER
from budgeteer.formats.messages.branches import repeated_messages, repeated_tools
from budgeteer.sources.measures.measure_cache import COUNTING_VERSION, CachedRows, Fingerprints, MeasureCache

type Progress = Callable[[int, int], None]

# How hard zlib tries: numpy's own choice takes six times as long and saves a tenth.
PACKING = 1

# Counted at every import, beside that of the model its conversation names; any other when a workspace first asks.
AT_IMPORT = ("o200k_base", "chars/4")


def own_tools_of(items: SourceItems) -> list[ToolDefinition]:
    """Return the definitions that the conversations themselves carry, in their order."""
    return [tool for conversation in items.conversations for tool in tools_of(conversation)]


@dataclass(frozen=True, slots=True)
class Measures:
    """The numbers of one source under one tokenizer.

    `own_tools` are the definitions that the conversations themselves carry, in the order of the conversations.
    """

    messages: MessageMeasures
    skills: SkillMeasures
    tools: ToolMeasures
    own_tools: ToolMeasures
    features: FeatureMeasures
    chunks: ChunkMeasures
    text_tokens: int

    def total_tokens(self, conversations: Sequence[Conversation] = ()) -> int:
        """All items together, each alone, without frames or joins: for lists, not for packing.

        What branches of one of the measured `conversations` share counts once.
        """
        parts: tuple[Ints, ...] = (
            _without(self.messages.of(DEFAULT_PROVIDER).before_tokens, repeated_messages(conversations)),
            self.skills.head_tokens,
            self.skills.description_tokens,
            self.skills.tail_tokens,
            self.tools.of(DEFAULT_PROVIDER).tokens,
            _without(self.own_tools.of(DEFAULT_PROVIDER).tokens, repeated_tools(conversations)),
            self.features.tokens,
            self.chunks.tokens,
        )
        return int(sum(int(part.sum()) for part in parts)) + self.text_tokens


def _without(column: Ints, places: Sequence[int]) -> Ints:
    return np.delete(column, np.array(places, dtype=np.int64))


_COLUMNS: Mapping[str, type[Columns]] = {
    "messages": MessageMeasures,
    "skills": SkillMeasures,
    "tools": ToolMeasures,
    "own_tools": ToolMeasures,
    "features": FeatureMeasures,
    "chunks": ChunkMeasures,
}
#: A digest of how things are counted and of every column there is: what another version stored is counted anew.
LAYOUT = hashlib.sha256(
    f"{COUNTING_VERSION};".encode()
    + ";".join(f"{table}:{','.join(kind.column_names())}" for table, kind in _COLUMNS.items()).encode()
).hexdigest()


def measure(
    what: SourceItems,
    *,
    counter: TokenCounter,
    progress: Progress | None = None,
    rows_of: Callable[[str], RowSource] | None = None,
) -> Measures:
    """Count everything once; `progress(done, total)` is called every few hundred items and may raise to stop.

    `rows_of` gives what may know the rows of a table already, by the table's name; without it all are counted.
    """
    done = 0
    source_of = rows_of or (lambda _table: fresh_rows)

    def step(count: int) -> Progress:
        nonlocal done
        before = done
        done += count

        def report(reached: int, _total: int) -> None:
            if progress is not None:
                progress(before + reached, what.total)

        return report

    def one_number(table: str, texts: Sequence[str], reached: Progress | None = None) -> Ints:
        counted = source_of(table)(
            len(texts), lambda start, stop: [[n] for n in counter.count_all(texts[start:stop])], progress=reached
        )
        return np.array(counted, dtype=np.int64).reshape(len(texts))

    measures = Measures(
        messages=measure_conversations(
            [talk.messages for talk in what.conversations],
            counter=counter,
            progress=step(sum(len(talk.messages) for talk in what.conversations)),
            rows=source_of("messages"),
        ),
        skills=measure_skills(what.skills, counter=counter, progress=step(len(what.skills)), rows=source_of("skills")),
        tools=measure_tools(what.tools, counter=counter, progress=step(len(what.tools)), rows=source_of("tools")),
        own_tools=measure_tools(own_tools_of(what), counter=counter, rows=source_of("own_tools")),
        features=measure_features(
            what.features, counter=counter, progress=step(len(what.features)), rows=source_of("features")
        ),
        chunks=measure_chunks(what.chunks, counter=counter, progress=step(len(what.chunks)), rows=source_of("chunks")),
        text_tokens=int(one_number("text", [what.text] if what.text else []).sum()),
    )
    if progress is not None:
        progress(what.total, what.total)
    return measures


def known_rows_of(prints: Fingerprints, *, tokenizer: str, cache: MeasureCache) -> Callable[[str], RowSource]:
    """What `measure` asks for rows where earlier countings are in a cache."""

    def rows_of(table: str) -> RowSource:
        columns = _COLUMNS.get(table)
        names = ",".join(columns.column_names()) if columns else "tokens"
        return CachedRows(
            prints=prints.by_stream.get(table, b""),
            sizes=prints.sizes.get(table, ()),
            table=f"{table}:{names}",
            tokenizer=tokenizer,
            cache=cache,
        )

    return rows_of


def dump_measures(measures: Measures) -> bytes:
    """The npz file."""
    arrays: dict[str, Any] = {
        f"{name}.{column}": array for name in _COLUMNS for column, array in getattr(measures, name).to_arrays().items()
    }
    arrays["text.tokens"] = np.array([measures.text_tokens], dtype=np.int64)
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=PACKING) as packed:
        for name, array in arrays.items():
            with packed.open(f"{name}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, array, allow_pickle=False)
    return file.getvalue()


def load_measures(file: IO[bytes]) -> Measures:
    """The inverse of dump_measures; nothing in the file is ever executed."""
    with _opened(file) as stored:
        tables: dict[str, Any] = {name: _table(stored, name, columns) for name, columns in _COLUMNS.items()}
        return Measures(**tables, text_tokens=int(stored["text.tokens"][0]))


def load_message_measures(file: IO[bytes]) -> MessageMeasures:
    """Only what was measured of messages, in a third of the time."""
    with _opened(file) as stored:
        return _table(stored, "messages", MessageMeasures)


def _opened(file: IO[bytes]) -> Any:
    # An npz is read in many small steps, and the file may be far away.
    return np.load(io.BytesIO(file.read()), allow_pickle=False)


def _table[C: Columns](stored: Any, name: str, columns: type[C]) -> C:
    prefix = f"{name}."
    return columns.from_arrays(
        {key.removeprefix(prefix): stored[key] for key in stored.files if key.startswith(prefix)}
    )
