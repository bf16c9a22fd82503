"""Counting a source once per tokenizer, and reading the numbers back.

One npz file a tokenizer. An array's name is `<what>.<column>`; the rows of `messages` are those of every conversation
in turn, so that a conversation's rows are a slice.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import IO, Any

import numpy as np

from budgeteer.engine.bundle import tools_of
from budgeteer.engine.chat import Conversation
from budgeteer.engine.library import Chunk, FeatureSpec, Skill, ToolDefinition
from budgeteer.engine.measures import (
    Columns,
    FeatureMeasures,
    Ints,
    SkillMeasures,
    ToolMeasures,
    measure_features,
    measure_skills,
    measure_tools,
)
from budgeteer.engine.tokens import TokenCounter
from budgeteer.engine.transcript import MessageMeasures, measure_messages

type Progress = Callable[[int, int], None]

# Counted at import; any other is counted when a workspace first asks for it.
AT_IMPORT = ("o200k_base", "chars/4")


@dataclass(frozen=True, slots=True)
class Measurable:
    """What there is to count, as sequences that may read their items only when they are looked at."""

    conversations: Sequence[Conversation] = ()
    skills: Sequence[Skill] = ()
    tools: Sequence[ToolDefinition] = ()
    features: Sequence[FeatureSpec] = ()
    chunks: Sequence[Chunk] = ()
    text: str = ""

    @property
    def total(self) -> int:
        """How many items one counting goes over."""
        messages = sum(len(talk.messages) for talk in self.conversations)
        return messages + len(self.skills) + len(self.tools) + len(self.features) + len(self.chunks)


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
    chunk_tokens: Ints
    text_tokens: int

    def total_tokens(self) -> int:
        """All items together, each alone, without frames or joins: for lists, not for packing."""
        parts: tuple[Ints, ...] = (
            self.messages.openai_before_tokens,
            self.skills.head_tokens,
            self.skills.description_tokens,
            self.skills.tail_tokens,
            self.tools.openai_tokens,
            self.own_tools.openai_tokens,
            self.features.tokens,
            self.chunk_tokens,
        )
        return int(sum(int(part.sum()) for part in parts)) + self.text_tokens


_COLUMNS: Mapping[str, type[Columns]] = {
    "messages": MessageMeasures,
    "skills": SkillMeasures,
    "tools": ToolMeasures,
    "own_tools": ToolMeasures,
    "features": FeatureMeasures,
}


def measure(what: Measurable, *, counter: TokenCounter, progress: Progress | None = None) -> Measures:
    """Count everything once; `progress(done, total)` is called every few hundred items and may raise to stop."""
    done = 0

    def step(count: int) -> Progress:
        nonlocal done
        before = done
        done += count

        def report(reached: int, _total: int) -> None:
            if progress is not None:
                progress(before + reached, what.total)

        return report

    messages = MessageMeasures.of_rows([])
    if what.conversations:
        messages = _concatenated(
            [
                measure_messages(talk.messages, counter=counter, progress=step(len(talk.messages)))
                for talk in what.conversations
            ]
        )
    measures = Measures(
        messages=messages,
        skills=measure_skills(what.skills, counter=counter, progress=step(len(what.skills))),
        tools=measure_tools(what.tools, counter=counter, progress=step(len(what.tools))),
        own_tools=measure_tools([tool for talk in what.conversations for tool in tools_of(talk)], counter=counter),
        features=measure_features(what.features, counter=counter, progress=step(len(what.features))),
        chunk_tokens=np.array([counter.count(chunk.text) for chunk in what.chunks], dtype=np.int64),
        text_tokens=counter.count(what.text),
    )
    if progress is not None:
        progress(what.total, what.total)
    return measures


def _concatenated(parts: Sequence[MessageMeasures]) -> MessageMeasures:
    if len(parts) == 1:
        return parts[0]
    tables = [part.to_arrays() for part in parts]
    return MessageMeasures.from_arrays({name: np.concatenate([table[name] for table in tables]) for name in tables[0]})


def dump_measures(measures: Measures) -> bytes:
    """The npz file."""
    arrays: dict[str, Any] = {
        f"{name}.{column}": array for name in _COLUMNS for column, array in getattr(measures, name).to_arrays().items()
    }
    arrays["chunks.tokens"] = measures.chunk_tokens
    arrays["text.tokens"] = np.array([measures.text_tokens], dtype=np.int64)
    file = io.BytesIO()
    np.savez_compressed(file, **arrays)
    return file.getvalue()


def load_measures(file: IO[bytes]) -> Measures:
    """The inverse of dump_measures; nothing in the file is ever executed."""
    with np.load(file, allow_pickle=False) as stored:
        tables: dict[str, Any] = {
            name: columns.from_arrays(
                {key.removeprefix(f"{name}."): stored[key] for key in stored.files if key.startswith(f"{name}.")}
            )
            for name, columns in _COLUMNS.items()
        }
        return Measures(**tables, chunk_tokens=stored["chunks.tokens"], text_tokens=int(stored["text.tokens"][0]))
