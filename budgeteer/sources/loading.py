"""Load sources for a packing: engine objects and their measures, cached in the process between previews."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import IO, Final
from uuid import UUID

from django.db.models import QuerySet

from budgeteer.engine.content.usage_order import Use
from budgeteer.engine.counting.message_measures import MessageMeasures
from budgeteer.engine.errors import InputError
from budgeteer.engine.inputs.prompt_sources import PromptSource
from budgeteer.lru import LruCache
from budgeteer.sources.files.contents import Contents
from budgeteer.sources.files.item_store import ItemReader
from budgeteer.sources.measures.measuring import LAYOUT, Measures, load_measures, load_message_measures
from budgeteer.sources.models import Source, SourceMeasures


class SourceNotReady(InputError):
    """Its import has not finished, or failed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedSource(PromptSource):
    """One source ready to be packed; its measures are None until it is counted (see services.ensure_measured).

    Attributes:
        kind: decides which of the fields are filled. tokenizer: what the measures were counted with.
        text: plain text. usage: recorded use of skills and tools, by the names a usage file gives.
    """

    source_id: str
    name: str
    kind: str
    tokenizer: str
    text: str = ""
    usage: Mapping[str, Use] = field(default_factory=dict)


#: Kept beyond the sources used last, by the size of their files: those of some dozens of people who work at once.
KEPT_BYTES: Final = 45_000_000
#: So long those are kept that nobody looks at: longer than people pause at their work, in seconds.
KEPT_SECONDS: Final = 300.0
#: What the smallest source takes as well.
LEAST_BYTES: Final = 20_000

# Large sources of a few open workspaces; the texts of a conversation are not among what is kept.
_contents: LruCache[Contents] = LruCache(32, most_weight=KEPT_BYTES, idle_seconds=KEPT_SECONDS)
_measures: LruCache[Measures] = LruCache(64, most_weight=KEPT_BYTES, idle_seconds=KEPT_SECONDS)
_loaded: LruCache[LoadedSource] = LruCache(64, most_weight=KEPT_BYTES, idle_seconds=KEPT_SECONDS)


def weight_of(source: Source) -> int:
    """What keeping a source in the process costs, in bytes of its file."""
    return LEAST_BYTES + source.size_bytes


def forget_loaded() -> None:
    """Drop everything kept in this process (tests start from nothing)."""
    for kept in (_contents, _measures, _loaded):
        kept.clear()


def contents_of(source: Source) -> Contents:
    """The stored items.

    Raises:
        SourceNotReady: nothing has been imported yet.
    """
    if not source.items:
        reason = source.error.get("what") if source.state == Source.State.FAILED else ""
        raise SourceNotReady(
            f"it could not be imported: {reason}" if reason else "it is still being imported",
            where=source.name,
            mend="Open the source to see why and to import it again" if reason else "Wait for its job to finish",
        )
    storage, name = source.items.storage, str(source.items.name)

    def opener() -> IO[bytes]:
        file: IO[bytes] = storage.open(name, "rb")
        return file

    return _contents.get((source.pk, source.revision), lambda: Contents(ItemReader(opener)), weight=weight_of(source))


def counted(source: Source, tokenizer: str) -> QuerySet[SourceMeasures]:
    """The row of its numbers under a tokenizer, of this revision and with every column this version reads; or none."""
    return SourceMeasures.objects.filter(source=source, tokenizer=tokenizer, revision=source.revision, columns=LAYOUT)


def counted_among(sources: Iterable[Source], tokenizer: str) -> set[UUID]:
    """The ids of those sources that are counted under a tokenizer (see `counted`), by one query at most."""
    revisions = {source.pk: source.revision for source in sources}
    kept = {held for held, revision in revisions.items() if (held, revision, tokenizer) in _measures}
    if len(kept) == len(revisions):
        return kept
    rows = SourceMeasures.objects.filter(source__in=revisions, tokenizer=tokenizer, columns=LAYOUT)
    return {held for held, revision in rows.values_list("source_id", "revision") if revision == revisions[held]}


def tokenizers_of(sources: Iterable[Source]) -> set[str]:
    """The tokenizers that every one of these sources is counted under, by one query."""
    revisions = {source.pk: source.revision for source in sources}
    rows = SourceMeasures.objects.filter(source__in=revisions, columns=LAYOUT)
    by_source: dict[UUID, set[str]] = {pk: set() for pk in revisions}
    for held, revision, tokenizer in rows.values_list("source_id", "revision", "tokenizer"):
        if revision == revisions[held]:
            by_source[held].add(tokenizer)
    return set.intersection(*by_source.values()) if by_source else set()


def measures_of(source: Source, tokenizer: str) -> Measures | None:
    """Its numbers under a tokenizer, None when they have not been counted."""
    row = counted(source, tokenizer).first()
    if row is None:
        return None

    def read() -> Measures:
        with row.arrays.open("rb") as file:
            return load_measures(file)

    return _measures.get((source.pk, source.revision, tokenizer), read, weight=weight_of(source))


def read_message_measures(source: Source, tokenizer: str) -> MessageMeasures | None:
    """What was counted of its messages, read anew and not kept: for what goes through many sources once."""
    row = counted(source, tokenizer).first()
    if row is None:
        return None
    with row.arrays.open("rb") as file:
        return load_message_measures(file)


def load(source: Source, *, tokenizer: str, conversation: int = 0) -> LoadedSource:
    """A source with its measures; texts of messages stay in storage until they are looked at.

    Raises:
        SourceNotReady: its import has not finished, or failed.
        InputError: the file holds no conversation of that number.
    """
    contents = contents_of(source)
    measures = measures_of(source, tokenizer)
    if measures is None:
        return _build(source, contents, None, tokenizer=tokenizer, conversation=conversation)
    key = (source.pk, source.revision, source.name, tokenizer, conversation)
    return _loaded.get(
        key,
        lambda: _build(source, contents, measures, tokenizer=tokenizer, conversation=conversation),
        weight=weight_of(source),
    )


def _build(
    source: Source, contents: Contents, measures: Measures | None, *, tokenizer: str, conversation: int
) -> LoadedSource:
    row = contents.conversation_row(conversation)
    if source.kind == "conversation" and row is None:
        raise InputError(
            f"there is no conversation number {conversation + 1}",
            where=source.name,
            mend=f"The file holds {contents.conversation_count()}; choose one of them",
        )
    rows = slice(row["start"], row["start"] + row["count"]) if row else slice(0, 0)
    talk = contents.conversation(conversation)
    own_rows = slice(row["tools_start"], row["tools_start"] + len(talk.tools)) if row and talk else slice(0, 0)
    return LoadedSource(
        source_id=str(source.pk),
        name=source.name,
        kind=source.kind,
        tokenizer=tokenizer,
        conversation=talk,
        conversation_measures=measures.messages.taken(rows) if measures else None,
        skills=contents.skills(),
        skill_measures=measures.skills if measures else None,
        tools=contents.tools() if source.kind == "tools" else None,
        tool_measures=measures.tools if measures else None,
        features=contents.features(),
        feature_measures=measures.features if measures else None,
        own_tool_measures=measures.own_tools.taken(own_rows) if measures else None,
        chunks=contents.chunks(),
        chunk_measures=measures.chunks if measures else None,
        text=contents.text(),
        usage=contents.usage(),
    )
