"""The numbers of what may go into a prompt, as arrays: characters, bytes and tokens, one row an item.

Everything a packing decides on is here, so that a preview reads arrays and never a text. Each text is counted once,
with its variants (minified, followed by a blank line, without what a provider cannot be sent).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from html import escape
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from budgeteer.engine.library import (
    REQUEST_FORMS,
    Chunk,
    FeatureSpec,
    Skill,
    ToolDefinition,
    compact_json,
    tool_in_form,
)
from budgeteer.engine.tokens import TokenCounter
from budgeteer.engine.truncation import minify_description

type Ints = NDArray[np.int64]
type Progress = Callable[[int, int], None]
type Table = Sequence[Sequence[int]] | Ints

#: Items between two calls of a progress function.
BATCH = 200


class Rows(Protocol):
    """Gives the rows of a table: each made anew, or known from an earlier counting of the same items.

    A row is known only by what it was made from, so `beside` tells what of a row's making is not in its item itself.
    """

    def __call__(
        self,
        count: int,
        make: Callable[[int], Sequence[int]],
        *,
        beside: Callable[[int], bytes] | None = None,
        progress: Progress | None = None,
    ) -> Table:
        """The rows 0 to `count`, as `make` makes them."""
        ...


def fresh_rows(
    count: int,
    make: Callable[[int], Sequence[int]],
    *,
    beside: Callable[[int], bytes] | None = None,  # noqa: ARG001 - nothing is known here
    progress: Progress | None = None,
) -> Table:
    """Every row made anew."""
    return [make(at) for at in reported(range(count), progress)]


@dataclass(frozen=True, slots=True)
class Columns:
    """Arrays of one length, int64, kept and read back by name."""

    def __len__(self) -> int:
        first: Ints = getattr(self, fields(self)[0].name)
        return len(first)

    def to_arrays(self) -> dict[str, Ints]:
        """The columns by name, as a store keeps them."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Any]) -> Self:
        """The inverse of to_arrays; names it does not know are left alone."""
        return cls(**{field.name: np.asarray(arrays[field.name], dtype=np.int64) for field in fields(cls)})

    @classmethod
    def of_rows(cls, rows: Table) -> Self:
        """Columns from rows in the order of the fields."""
        names = [field.name for field in fields(cls)]
        table = np.array(rows, dtype=np.int64).reshape(len(rows), len(names))
        return cls(**{name: np.ascontiguousarray(table[:, at]) for at, name in enumerate(names)})

    def joined(self, other: Self) -> Self:
        """These rows, then the other's."""
        mine, theirs = self.to_arrays(), other.to_arrays()
        return type(self)(**{name: np.concatenate([mine[name], theirs[name]]) for name in mine})

    def taken(self, rows: Ints | slice) -> Self:
        """Only the rows given."""
        return type(self)(**{name: column[rows] for name, column in self.to_arrays().items()})


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
class ToolMeasures(Columns):
    """One row a tool definition: its compact JSON in each provider's form."""

    openai_tokens: Ints
    openai_chars: Ints
    responses_tokens: Ints
    responses_chars: Ints
    anthropic_tokens: Ints
    anthropic_chars: Ints
    gemini_tokens: Ints
    gemini_chars: Ints


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
    skills: Sequence[Skill], *, counter: TokenCounter, progress: Progress | None = None, rows: Rows = fresh_rows
) -> SkillMeasures:
    """Count every skill once, with its minified description."""

    def row(skill: Skill) -> list[int]:
        head, tail = skill_head(skill), skill_tail(skill.path)
        full, short = skill_description(skill.description), skill_description(minify_description(skill.description))
        sizes = [size for text in (head, full, short, tail, skill.body) for size in (counter.count(text), len(text))]
        return [*sizes, skill.file_bytes]

    return SkillMeasures.of_rows(rows(len(skills), lambda at: row(skills[at]), progress=progress))


def measure_tools(
    tools: Sequence[ToolDefinition], *, counter: TokenCounter, progress: Progress | None = None, rows: Rows = fresh_rows
) -> ToolMeasures:
    """Count every tool definition once in each form."""

    def row(tool: ToolDefinition) -> list[int]:
        texts = [compact_json(tool_in_form(tool, form)) for form in REQUEST_FORMS]
        return [size for text in texts for size in (counter.count(text), len(text))]

    return ToolMeasures.of_rows(rows(len(tools), lambda at: row(tools[at]), progress=progress))


def measure_features(
    features: Sequence[FeatureSpec], *, counter: TokenCounter, progress: Progress | None = None, rows: Rows = fresh_rows
) -> FeatureMeasures:
    """Count every feature spec once, alone and followed by a blank line."""

    def row(feature: FeatureSpec) -> list[int]:
        text = feature_text(feature)
        return [counter.count(text), counter.count(text + "\n\n"), len(text)]

    return FeatureMeasures.of_rows(rows(len(features), lambda at: row(features[at]), progress=progress))


def measure_chunks(
    chunks: Sequence[Chunk], *, counter: TokenCounter, progress: Progress | None = None, rows: Rows = fresh_rows
) -> ChunkMeasures:
    """Count every chunk once: alone, as it stands in the prompt, and followed by a blank line."""

    def row(chunk: Chunk) -> list[int]:
        rest = chunk_rest(chunk)
        return [counter.count(chunk.text), counter.count(rest), counter.count(rest + "\n\n"), len(chunk.text)]

    return ChunkMeasures.of_rows(rows(len(chunks), lambda at: row(chunks[at]), progress=progress))


def reported[T](items: Sequence[T], progress: Progress | None) -> Iterator[T]:
    """The items, with a call of `progress(done, total)` after every BATCH of them and after the last."""
    total = len(items)
    for done, item in enumerate(items, start=1):
        yield item
        if progress is not None and (done % BATCH == 0 or done == total):
            progress(done, total)
