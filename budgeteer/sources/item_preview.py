"""The items of a source on its page: a window of rows, its conversations, what was not read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from budgeteer.engine.analysis.cost_and_usage import reported_sentence
from budgeteer.engine.content.conversation import REQUEST_FORM, Message, ToolCallPart, calls_of, text_of
from budgeteer.engine.content.library import compact_json
from budgeteer.engine.counting.tokenizers import counter_for
from budgeteer.engine.inputs.bundle import request_tokens
from budgeteer.engine.inputs.recorded_input import held_against_counts
from budgeteer.engine.models.registry import ModelRow
from budgeteer.engine.providers.registry import DEFAULT_PROVIDER
from budgeteer.formats.mapping.field_mapping import FieldMapping
from budgeteer.formats.mapping.mapped_reader import preview
from budgeteer.formats.messages.imported import Skipped
from budgeteer.formats.reading.json_text import SKIPPED_CHARACTERS
from budgeteer.sources.files.contents import Contents, recorded_of
from budgeteer.sources.files.item_store import Item
from budgeteer.sources.measures.measuring import Measures
from budgeteer.sources.models import Source
from budgeteer.sources.source_rows import Window

LINE_CHARS = 240
TEXT_CHARS = 2000
SKIPPED_SHOWN = 100
CONVERSATIONS_SHOWN = 100

ROLES: Mapping[str, tuple[str, str]] = {
    "system": ("System", "S"),
    "developer": ("Developer", "S"),
    "user": ("User", "U"),
    "assistant": ("Assistant", "A"),
    "tool": ("Tool result", "X"),
}


@dataclass(frozen=True, slots=True)
class PreviewRow:
    """One item of a source: a line, and its text cut at TEXT_CHARS."""

    number: int
    letter: str
    label: str
    line: str
    text: str
    more: str
    tokens: str


@dataclass(frozen=True, slots=True)
class ConversationRow:
    """One conversation of a file that holds several."""

    number: int
    title: str
    messages: str
    tokens: str
    reported: str
    model: str
    note: str
    is_on: bool


def conversation_rows(contents: Contents, measures: Measures | None, *, chosen: int) -> list[ConversationRow]:
    """The conversations around the chosen one, at most CONVERSATIONS_SHOWN; empty for a file with only one.

    `tokens` are those of its messages, each alone; `reported` what the source says of its last request.
    """
    total = contents.conversation_count()
    if total < 2:
        return []
    start = max(min(chosen - CONVERSATIONS_SHOWN // 2, total - CONVERSATIONS_SHOWN), 0)
    rows = contents.reader.read("conversations", start, start + CONVERSATIONS_SHOWN)
    return [
        ConversationRow(
            number=start + offset + 1,
            title=row["title"] or row["id"] or f"Conversation {start + offset + 1}",
            messages=f"{row['count']:,}",
            tokens=f"{_tokens_of(row, measures):,}" if measures is not None else "",
            reported=_number_or_nothing(row["reported_input_tokens"]),
            model=row["model"],
            note=", ".join(
                note
                for note in (
                    "sub-agent" if row["is_subagent"] else "",
                    "branch" if row.get("branch_of") else "",
                    _other_branches(row["branches"]),
                )
                if note
            ),
            is_on=start + offset == chosen,
        )
        for offset, row in enumerate(rows)
    ]


def _other_branches(number: int) -> str:
    if not number:
        return ""
    return "main branch, 1 other" if number == 1 else f"main branch, {number:,} others"


def _number_or_nothing(number: int | None) -> str:
    return "" if number is None else f"{number:,}"


def _tokens_of(row: Item, measures: Measures) -> int:
    return int(measures.messages.of(DEFAULT_PROVIDER).before_tokens[row["start"] : row["start"] + row["count"]].sum())


def reported_by_source(row: Item | None, measures: Measures | None) -> str:
    """What the source reported of a conversation's last request beside our count of it, a sentence or ""."""
    if row is None or row["reported_input_tokens"] is None:
        return ""
    reported: int = row["reported_input_tokens"]
    if measures is None:
        return f"The source reported {reported:,} input tokens for its last request."
    messages = measures.messages.taken(slice(row["start"], row["start"] + row["count"]))
    own = measures.own_tools.taken(slice(row["tools_start"], row["tools_start"] + len(row["tools"])))
    counted = request_tokens(messages, own)
    return reported_sentence(reported, in_file=counted, not_in_file=max(reported - counted, 0))


def recorded_growth(row: Item | None, measures: Measures | None, model: ModelRow | None) -> str:
    """How the counts of a conversation's own model compare with what was recorded of its requests, a sentence or ""."""
    if row is None or measures is None or model is None:
        return ""
    requests = recorded_of(row)
    messages = measures.messages.taken(slice(row["start"], row["start"] + row["count"]))
    form = row["metadata"].get(REQUEST_FORM, model.provider)
    counter = counter_for(model.tokenizer)
    known = held_against_counts(messages, requests, provider=form, counter=counter, form=form)
    error = None if known is None else known.median_growth_error
    if known is None or error is None:
        return ""
    side = "above" if error > 0 else "below"
    grew = f"from one to the next of its {len(known.rows):,} recorded requests"
    return f"Counts with {model.tokenizer} are {abs(error) * 100:.1f} % {side} what was reported {grew} (median)."


def preview_rows(
    source: Source, contents: Contents, page: Window, *, offset: int, measures: Measures | None
) -> list[PreviewRow]:
    """The items of one page. `offset` is where the chosen conversation's messages start."""
    start, stop = page.first - 1 + offset, page.last + offset
    if page.total == 0:
        return []
    tokens = _tokens(source.kind, measures, start, stop)
    shown = _SHOWN[source.kind](contents, start, stop)
    return [
        PreviewRow(
            number=page.first + place,
            letter=letter,
            label=label,
            line=" ".join(text[: LINE_CHARS * 2].split())[:LINE_CHARS],
            text=text[:TEXT_CHARS],
            more=f"{len(text) - TEXT_CHARS:,} more characters" if len(text) > TEXT_CHARS else "",
            tokens=f"{tokens[place]:,}" if tokens is not None else "",
        )
        for place, (letter, label, text) in enumerate(shown)
    ]


@dataclass(frozen=True, slots=True)
class MappedRow:
    """One message that a mapping reads of a sample."""

    letter: str
    role: str
    line: str
    calls: int


def mapped_rows(sample: Any, mapping: FieldMapping) -> list[MappedRow]:
    """The first messages that a mapping reads of the sample of a file."""
    return [
        MappedRow(
            ROLES[one.role][1], ROLES[one.role][0], " ".join(_spoken(one).split())[:LINE_CHARS], len(calls_of(one))
        )
        for one in preview(sample, mapping)
    ]


def _spoken(message: Message) -> str:
    """The text of a message without its calls, which are counted beside it; the calls where nothing else is said."""
    parts = tuple(part for part in message.parts if not isinstance(part, ToolCallPart))
    return text_of(replace(message, parts=parts)) or text_of(message)


def _tokens(kind: str, measures: Measures | None, start: int, stop: int) -> Sequence[int] | None:
    if measures is None:
        return None
    match kind:
        case "conversation":
            column = measures.messages.of(DEFAULT_PROVIDER).before_tokens
        case "skills":
            skills = measures.skills
            column = skills.head_tokens + skills.description_tokens + skills.tail_tokens
        case "tools":
            column = measures.tools.of(DEFAULT_PROVIDER).tokens
        case "features":
            column = measures.features.tokens
        case "chunks":
            column = measures.chunks.tokens
        case "usage":
            return None
        case _:
            return [measures.text_tokens]
    return [int(tokens) for tokens in column[start:stop]]


type _Rows = Iterator[tuple[str, str, str]]


def _messages(contents: Contents, start: int, stop: int) -> _Rows:
    for message in contents.messages()[start:stop]:
        word, letter = ROLES[message.role]
        yield letter, word, text_of(message) or _without_text(message)


def _without_text(message: Message) -> str:
    kinds = sorted({type(part).__name__.removesuffix("Part").lower() for part in message.parts})
    return f"({', '.join(kinds)})" if kinds else "(nothing)"


def _skills(contents: Contents, start: int, stop: int) -> _Rows:
    for row in contents.reader.read("skills", start, stop):
        yield "K", row["name"], row["description"]


def _tools(contents: Contents, start: int, stop: int) -> _Rows:
    for row in contents.reader.read("tools", start, stop):
        yield "T", row["name"], row["description"] or compact_json(row["raw"])


def _features(contents: Contents, start: int, stop: int) -> _Rows:
    for row in contents.reader.read("features", start, stop):
        yield "F", row["path"], row["text"]


def _chunks(contents: Contents, start: int, stop: int) -> _Rows:
    for row in contents.reader.read("chunks", start, stop):
        score = f"{row['score']:.3f}" if row["score"] is not None else "no score"
        yield "R", row["source"] or row["id"] or score, row["text"]


def _texts(contents: Contents, start: int, stop: int) -> _Rows:
    for row in contents.reader.read("text", start, stop):
        yield "S", "Text", row["text"]


def _usage(contents: Contents, start: int, stop: int) -> _Rows:
    for row in contents.reader.read("usage", start, stop):
        times = f"used {row['count']:,} time{'' if row['count'] == 1 else 's'}"
        yield "", row["name"], f"{times}, last on {_moment(row['last'])}" if row["last"] else times


def _moment(seconds: float) -> str:
    try:
        return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M} UTC"
    except (ValueError, OverflowError):  # a zone may move the ends of the calendar beyond it
        return f"{seconds:,.0f} s of Unix time"


_SHOWN: Mapping[str, Any] = {
    "conversation": _messages,
    "skills": _skills,
    "tools": _tools,
    "features": _features,
    "chunks": _chunks,
    "text": _texts,
    "usage": _usage,
}


def skipped_text(entries: Sequence[Skipped]) -> Iterator[str]:
    """The download of what was not read: place, reason, and the line itself, which may have been cut."""
    for entry in entries:
        cut = f" (the first {SKIPPED_CHARACTERS} characters of it)" if len(entry.line) >= SKIPPED_CHARACTERS else ""
        yield f"# {entry.where}: {entry.why}{cut}\n" + (f"{entry.line}\n" if entry.line else "")
