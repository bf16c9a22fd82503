"""The inputs of a workspace as its page lists them: sources and typed texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from budgeteer.presentation.labels import count_of
from budgeteer.sources import services as sources
from budgeteer.workbench.config_form.fields import FieldChoice
from budgeteer.workbench.models import Workspace, WorkspaceSource
from budgeteer.workbench.services import TEXT_FIELDS, RefusedText

MOST_CONVERSATIONS = 500
"""The most conversations of one file that are offered in a list."""

KIND_LETTERS = {"conversation": "H", "skills": "K", "tools": "T", "features": "F", "chunks": "R", "text": "S"}
KIND_COUNTS = {
    "conversation": (("messages", "message"),),
    "skills": (("skills", "skill"),),
    "tools": (("tools", "tool"),),
    "features": (("features", "feature spec"),),
    "chunks": (("chunks", "chunk"),),
    "usage": (("usage", "name"),),
}
KIND_HINTS = {"usage": "Nothing of it is sent: it orders skills and tools where they are taken by use."}
TEXT_HINTS = {
    "system": "Used instead of the conversation's own system text.",
    "context": "What the environment adds: folders, open files, rules.",
    "query": "What the user asks now. Empty: the conversation's last user message.",
}


@dataclass(frozen=True, slots=True)
class InputRow:
    """One source in use.

    Attributes:
        conversations: the choice where the file holds several, else empty.
        roles: the choice for a pasted text, else empty.
        note: a sentence where the source is not used, "" otherwise.
        hint: what it is for, where that is not plain.
    """

    link_id: int
    name: str
    url: str
    letter: str
    detail: str
    conversations: tuple[FieldChoice, ...]
    roles: tuple[FieldChoice, ...]
    note: str
    hint: str
    can_come_first: bool


@dataclass(frozen=True, slots=True)
class TextField:
    """One text typed into the workspace."""

    key: str
    title: str
    hint: str
    value: str
    size: str
    error: str


def input_rows(links: Sequence[WorkspaceSource], *, is_own: bool) -> tuple[InputRow, ...]:
    """The sources in use, in order; whoever only looks is told no title of a conversation that is not chosen."""
    talks = [link for link in links if link.source.kind == "conversation"]
    return tuple(_row(link, is_second=link in talks[1:], is_own=is_own) for link in links)


def text_fields(workspace: Workspace, *, refused: Mapping[str, RefusedText]) -> tuple[TextField, ...]:
    """The texts that may be typed; one that was refused is shown again as it was typed."""
    fields = []
    for key, (attribute, title) in TEXT_FIELDS.items():
        error = refused.get(key)
        value = error.text if error else getattr(workspace, attribute)
        size = f"{len(value):,} characters" if value else "empty"
        fields.append(TextField(key, title, TEXT_HINTS[key], value, size, error.sentence if error else ""))
    return tuple(fields)


def _row(link: WorkspaceSource, *, is_second: bool, is_own: bool) -> InputRow:
    source = link.source
    return InputRow(
        link_id=link.pk,
        name=source.name,
        url=source.get_absolute_url(),
        letter=KIND_LETTERS.get(source.kind, ""),
        detail=_detail(link),
        conversations=_conversations(link) if is_own else _chosen(link, is_second=is_second),
        roles=_roles(link),
        note="Not used: one conversation is packed at a time." if is_second else "",
        hint=KIND_HINTS.get(source.kind, ""),
        can_come_first=is_second,
    )


def _detail(link: WorkspaceSource) -> str:
    source = link.source
    if source.state != "ready":
        return "importing" if source.state == "importing" else "failed"
    named = KIND_COUNTS.get(source.kind, ())
    counts = [count_of(int(source.counts[key]), noun) for key, noun in named if key in source.counts]
    return " · ".join([*counts, source.format]) if source.format else ", ".join(counts)


def _conversations(link: WorkspaceSource) -> tuple[FieldChoice, ...]:
    number = int(link.source.counts.get("conversations", 0)) if link.source.kind == "conversation" else 0
    if number < 2:
        return ()
    titles = sources.contents_of(link.source).reader.read("conversations", 0, MOST_CONVERSATIONS)
    return tuple(
        FieldChoice(
            value=str(index),
            label=_title(titles[index] if index < len(titles) else {}, index=index, number=number),
            is_chosen=index == link.conversation_index,
        )
        for index in range(min(number, MOST_CONVERSATIONS))
    )


def _chosen(link: WorkspaceSource, *, is_second: bool) -> tuple[FieldChoice, ...]:
    """Of the conversations the one that is packed; none of a source that is not used."""
    return () if is_second else tuple(choice for choice in _conversations(link) if choice.is_chosen)


def _title(row: Mapping[str, object], *, index: int, number: int) -> str:
    title = str(row.get("title") or row.get("id") or "").strip()
    head = f"{index + 1} of {number}"
    return f"{head}: {title[:60]}" if title else head


def _roles(link: WorkspaceSource) -> tuple[FieldChoice, ...]:
    if link.source.kind != "text":
        return ()
    return tuple(FieldChoice(role.value, str(role.label), role.value == link.role) for role in WorkspaceSource.Role)
