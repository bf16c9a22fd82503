"""The numbers of what may go into a prompt, as arrays: characters, bytes and tokens, one row an item.

Everything a packing decides on is here, so that a preview reads arrays and never a text. Each text is counted once,
with its variants (minified, followed by a blank line, without what a provider cannot be sent).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields, replace
from html import escape
from typing import Any, ClassVar, Protocol, Self, cast

import numpy as np
from numpy.typing import NDArray

from budgeteer.engine.content.library import Chunk, FeatureSpec, Library, Skill, ToolDefinition, compact_json
from budgeteer.engine.counting.shortening import minify_description
from budgeteer.engine.counting.tokenizers import TokenCounter
from budgeteer.engine.providers.base import ToolReading
from budgeteer.engine.providers.registry import DEFAULT_PROVIDER, PROVIDERS
from budgeteer.engine.providers.tool_forms import TOOL_RENDERINGS
from budgeteer.engine.providers.tool_names import ToolNames

type Ints = NDArray[np.int64]
type Progress = Callable[[int, int], None]
type Table = Sequence[Sequence[int]] | Ints

#: Items between two calls of a progress function.
BATCH = 200
#: Items whose texts are held at once where nobody is told of progress: enough for threads, little in memory.
STRETCH = 2_000


class NotMeasured(ValueError):
    """Raised where columns are asked for that were not measured."""


class RowSource(Protocol):
    """Gives the rows of a table: each made anew, or known from an earlier counting of the same items.

    A row is known only by what it was made from, so `beside` tells what of a row's making is not in its item itself.
    """

    def __call__(
        self,
        count: int,
        make: Callable[[int, int], Table],
        *,
        beside: Callable[[int], bytes] | None = None,
        progress: Progress | None = None,
    ) -> Table:
        """The rows 0 to `count`; `make(start, stop)` makes those of a stretch."""
        ...


def fresh_rows(
    count: int,
    make: Callable[[int, int], Table],
    *,
    beside: Callable[[int], bytes] | None = None,  # noqa: ARG001 - nothing is known here
    progress: Progress | None = None,
) -> Table:
    """Every row made anew, in stretches, so that the texts of few rows are held at once."""
    step = BATCH if progress is not None else STRETCH
    if count <= step and progress is None:
        return make(0, count)
    if not count:
        return make(0, 0)

    def stretches() -> Iterator[Table]:
        for start in range(0, count, step):
            stop = min(start + step, count)
            yield make(start, stop)
            if progress is not None:
                progress(stop, count)

    return table_of(count, stretches())


def overlapping_rows(
    count: int,
    make: Callable[[int, int], Table],
    *,
    beside: Callable[[int], bytes] | None = None,
    progress: Progress | None = None,
) -> Table:
    """Every row made anew, two stretches at once: one is read by Python while the other is counted outside of it.

    For items in memory: `make` is called in threads of this call's own.
    """
    if count <= STRETCH or progress is not None:
        return fresh_rows(count, make, beside=beside, progress=progress)
    starts = range(0, count, STRETCH)
    with ThreadPoolExecutor(2) as threads:
        return table_of(count, threads.map(make, starts, [min(start + STRETCH, count) for start in starts]))


def table_of(count: int, stretches: Iterable[Table]) -> Ints:
    """One table of at least one row from its stretches in a row, by columns: a column taken from it copies nothing."""
    table: Ints | None = None
    done = 0
    for stretch in stretches:
        rows = np.asarray(stretch, dtype=np.int64)
        if table is None:
            table = np.empty((count, rows.shape[1]), dtype=np.int64, order="F")
        table[done : done + len(rows)] = rows
        done += len(rows)
    if table is None or done != count:
        raise ValueError(f"{count} rows were asked for, and {done} made")
    return table


@dataclass(frozen=True, slots=True)
class Columns:
    """Arrays of one length, int64, kept and read back by name."""

    def __len__(self) -> int:
        names: tuple[str, ...] = self.__match_args__
        return len(getattr(self, names[0]))

    @classmethod
    def column_names(cls) -> list[str]:
        """The names of the columns in the order of a row."""
        return [field.name for field in fields(cls)]

    def to_arrays(self) -> dict[str, Ints]:
        """The columns by name, as a store keeps them."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Any]) -> Self:
        """The inverse of to_arrays; names it does not know are left alone."""
        return cls(**{field.name: np.asarray(arrays[field.name], dtype=np.int64) for field in fields(cls)})

    @classmethod
    def of_rows(cls, rows: Table) -> Self:
        """Columns from rows in the order of column_names."""
        names = cls.column_names()
        table = np.asarray(rows, dtype=np.int64).reshape(len(rows), len(names))
        return cls.from_arrays({name: np.ascontiguousarray(table[:, at]) for at, name in enumerate(names)})

    def joined(self, other: Self) -> Self:
        """These rows, then the other's."""
        mine, theirs = self.to_arrays(), other.to_arrays()
        return self.from_arrays({name: np.concatenate([mine[name], theirs[name]]) for name in mine})

    def taken(self, rows: Ints | slice) -> Self:
        """Only the rows given."""
        return self.from_arrays(
            {name: column[rows] if len(column) else column for name, column in self.to_arrays().items()}
        )


@dataclass(frozen=True, slots=True)
class ProviderColumns[C: Columns](Columns):
    """Columns that all providers share, as fields, and the same columns for each provider (`EACH`).

    A store keeps a provider's columns under its `column_prefix`, behind the shared ones, in the order of the registry.
    Those of a provider that was not measured are empty.
    """

    EACH: ClassVar[type[Columns]]
    by_provider: Mapping[str, C]

    def __len__(self) -> int:
        return len(self.by_provider[DEFAULT_PROVIDER])

    @classmethod
    def shared_names(cls) -> list[str]:
        """The names of the columns that all providers share."""
        return [field.name for field in fields(cls) if field.name != "by_provider"]

    @classmethod
    def column_name(cls, provider: str, name: str) -> str:
        """The name under which a store keeps a provider's column."""
        return f"{PROVIDERS[provider].column_prefix}_{name}"

    @classmethod
    def column_names(cls) -> list[str]:
        """The names of the columns in the order of a row: the shared ones, then each provider's."""
        each = cls.EACH.column_names()
        return [*cls.shared_names(), *(cls.column_name(provider, name) for provider in PROVIDERS for name in each)]

    def to_arrays(self) -> dict[str, Ints]:
        """The columns by name, as a store keeps them."""
        arrays: dict[str, Ints] = {name: getattr(self, name) for name in self.shared_names()}
        for provider in PROVIDERS:
            own = self.by_provider[provider].to_arrays()
            arrays |= {self.column_name(provider, name): column for name, column in own.items()}
        return arrays

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Any]) -> Self:
        """The inverse of to_arrays; names it does not know are left alone."""
        each = cls.EACH.column_names()
        by_provider = {
            provider: cls.EACH.from_arrays({name: arrays[cls.column_name(provider, name)] for name in each})
            for provider in PROVIDERS
        }
        shared = {name: np.asarray(arrays[name], dtype=np.int64) for name in cls.shared_names()}
        return cls(by_provider=cast(Any, by_provider), **shared)

    def of(self, provider: str) -> C:
        """A provider's columns.

        Raises:
            NotMeasured: they were not counted.
        """
        columns, every = self.by_provider[provider], self.by_provider[DEFAULT_PROVIDER]
        if columns is not every and len(columns) != len(every):
            raise NotMeasured(f"These items were not measured for {provider}.")
        return columns

    def only(self, providers: Collection[str]) -> Self:
        """The same without the columns of other providers."""
        none = np.zeros(0, np.int64)
        nothing: Any = self.EACH(*[none for _ in self.EACH.column_names()])
        kept = {
            provider: columns if provider in providers else nothing for provider, columns in self.by_provider.items()
        }
        return replace(self, by_provider=kept)


@dataclass(frozen=True, slots=True)
class SkillMeasures(Columns):
    """One row a skill: the pieces of its entry in the skills block, in tokens and characters.

    `head` is `<skill>` and the name line, `description` its line (`minified` the same, shortened), `tail` the
    location line from its slash on and `</skill>`; `body_tokens` the text under the front matter, shown apart.
    """

    head_tokens: Ints
    head_chars: Ints
    description_tokens: Ints
    description_chars: Ints
    minified_tokens: Ints
    minified_chars: Ints
    tail_tokens: Ints
    tail_chars: Ints
    body_tokens: Ints
    body_chars: Ints
    file_bytes: Ints


@dataclass(frozen=True, slots=True)
class ToolSizes(Columns):
    """One row a tool definition: its compact JSON in one provider's form, and as the provider's own models read it.

    `read_tokens` are what the definition adds to the text that those models read, `tokens` again where that is not
    known; `published` is 1 where published counts cover all that the definition says.
    """

    tokens: Ints
    chars: Ints
    read_tokens: Ints
    published: Ints


@dataclass(frozen=True, slots=True)
class ToolMeasures(ProviderColumns[ToolSizes]):
    """One row a tool definition: its size in each provider's form."""

    EACH = ToolSizes


@dataclass(frozen=True, slots=True)
class FeatureMeasures(Columns):
    """One row a feature spec as rendered, alone and followed by a blank line."""

    tokens: Ints
    followed_tokens: Ints
    chars: Ints


@dataclass(frozen=True, slots=True)
class ChunkMeasures(Columns):
    """One row a retrieved chunk: its text alone, and from the bracket that closes its label on.

    A label ends in a digit and the rest begins with a bracket, where counts add up exactly (decision 002), so that the
    number a chunk gets need not be known here. `followed_tokens` is the rest with a blank line after it.
    """

    tokens: Ints
    labelled_tokens: Ints
    followed_tokens: Ints
    chars: Ints


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredLibrary(Library):
    """A library with its measures: one row an item, None where a part has not been counted."""

    skill_measures: SkillMeasures | None = None
    tool_measures: ToolMeasures | None = None
    feature_measures: FeatureMeasures | None = None
    chunk_measures: ChunkMeasures | None = None


def skill_head(skill: Skill) -> str:
    """The opening of a skill's entry, through its name line."""
    return f"<skill>\n<name>{escape(skill.name, quote=False)}</name>\n"


def skill_description(description: str) -> str:
    """The description line of a skill's entry."""
    return f"<description>{escape(description, quote=False)}</description>\n"


def skill_tail(path: str) -> str:
    """The location line from the slash after the install root, and the end of the entry."""
    return f"/{escape(path, quote=False)}</location>\n</skill>\n"


def feature_text(feature: FeatureSpec) -> str:
    """A feature spec as it stands in the prompt: a header with its path, then the file as it is."""
    return f"## Feature: {feature.path}\n\n{feature.text}"


def chunk_label(number: int) -> str:
    """The opening of a chunk's entry, up to its number (seed: Gemma plan, step 4)."""
    return f"[Source {number}"


def chunk_rest(chunk: Chunk) -> str:
    """What follows the number in a chunk's entry."""
    return f"]: {chunk.text}"


def measure_skills(
    skills: Sequence[Skill],
    *,
    counter: TokenCounter,
    progress: Progress | None = None,
    rows: RowSource = fresh_rows,
    minified: bool = True,
) -> SkillMeasures:
    """Count every skill once, with its minified description.

    Without `minified` those columns stay empty: to pack with `minifyDescriptions`, measure again.
    """

    def make(start: int, stop: int) -> Ints:
        some = skills[start:stop]
        full = [skill_description(skill.description) for skill in some]
        short = [skill_description(minify_description(skill.description)) for skill in some] if minified else full
        pieces = (
            _sizes([skill_head(skill) for skill in some], counter),
            wide := _sizes(full, counter),
            _sizes(short, counter) if minified else wide,
            _sizes([skill_tail(skill.path) for skill in some], counter),
            _sizes([skill.body for skill in some], counter),
        )
        sizes = [size for piece in pieces for size in piece]
        return _table([*sizes, [skill.file_bytes for skill in some]])

    measures = SkillMeasures.of_rows(rows(len(skills), make, progress=progress))
    if minified:
        return measures
    none = np.zeros(0, np.int64)
    return replace(measures, minified_tokens=none, minified_chars=none)


def measure_tools(
    tools: Sequence[ToolDefinition],
    *,
    counter: TokenCounter,
    progress: Progress | None = None,
    rows: RowSource = fresh_rows,
) -> ToolMeasures:
    """Count every tool definition once in each form; providers that share a form share its sizes."""

    def make(start: int, stop: int) -> Ints:
        some = tools[start:stop]
        sizes = {
            form: _sizes([compact_json(rendering.rendered(tool)) for tool in some], counter)
            for form, rendering in TOOL_RENDERINGS.items()
        }
        read: dict[tuple[ToolReading, ToolNames], list[int | None]] = {}
        columns: list[Sequence[int]] = []
        for row in PROVIDERS.values():
            tokens, chars = sizes[row.tools.form]
            reading = row.tools.reading
            if reading is None:
                columns += [tokens, chars, tokens, [0] * len(some)]
                continue
            key = (reading, row.tools.names)
            if key not in read:
                read[key] = _read_tokens([row.tools.named(tool) for tool in some], reading, counter)
            own = [size if size is not None else json for size, json in zip(read[key], tokens, strict=True)]
            columns += [tokens, chars, own, [int(reading.is_published(tool)) for tool in some]]
        return _table(columns)

    return ToolMeasures.of_rows(rows(len(tools), make, progress=progress))


def _read_tokens(tools: Sequence[ToolDefinition], reading: ToolReading, counter: TokenCounter) -> list[int | None]:
    """What each definition adds between the reading's opening and closing, with what stands around each of them.

    None where one is not read so.
    """
    texts = [reading.text(tool) for tool in tools]
    around = counter.count(reading.opening + reading.closing) - reading.each.tokens
    counts = iter(counter.count_all([reading.opening + text + reading.closing for text in texts if text is not None]))
    return [None if text is None else next(counts) - around for text in texts]


def measure_features(
    features: Sequence[FeatureSpec],
    *,
    counter: TokenCounter,
    progress: Progress | None = None,
    rows: RowSource = fresh_rows,
) -> FeatureMeasures:
    """Count every feature spec once, alone and followed by a blank line."""

    def make(start: int, stop: int) -> Ints:
        texts = [feature_text(feature) for feature in features[start:stop]]
        followed = counter.count_all([text + "\n\n" for text in texts])
        return _table([counter.count_all(texts), followed, list(map(len, texts))])

    return FeatureMeasures.of_rows(rows(len(features), make, progress=progress))


def measure_chunks(
    chunks: Sequence[Chunk], *, counter: TokenCounter, progress: Progress | None = None, rows: RowSource = fresh_rows
) -> ChunkMeasures:
    """Count every chunk once: alone, as it stands in the prompt, and followed by a blank line."""

    def make(start: int, stop: int) -> Ints:
        texts = [chunk.text for chunk in chunks[start:stop]]
        rests = [chunk_rest(chunk) for chunk in chunks[start:stop]]
        followed = counter.count_all([rest + "\n\n" for rest in rests])
        return _table([counter.count_all(texts), counter.count_all(rests), followed, list(map(len, texts))])

    return ChunkMeasures.of_rows(rows(len(chunks), make, progress=progress))


def _sizes(texts: Sequence[str], counter: TokenCounter) -> tuple[list[int], list[int]]:
    """Tokens and characters of each text."""
    return counter.count_all(texts), list(map(len, texts))


def _table(columns: Sequence[Sequence[int]]) -> Ints:
    """Rows from columns."""
    table: Ints = np.array(columns, dtype=np.int64).T
    return table
