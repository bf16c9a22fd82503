"""What the kinds that are made from a workspace have in common: its sources, its title, its packing's figures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from budgeteer.reports.document import Document
from budgeteer.reports.kinds.base import PlacePath
from budgeteer.reports.levels.text_runs import names_within
from budgeteer.reports.models import Report
from budgeteer.reports.snapshot import Heading, InputUsed
from budgeteer.workbench.models import Workspace, WorkspaceSource


def workspace_of(workspace: Workspace | None) -> Workspace:
    """The workspace of a kind that is made from one.

    Raises:
        ValueError: there is none.
    """
    if workspace is None:
        raise ValueError("this kind of report is made from a workspace")
    return workspace


def heading_of(report: Report, preset: tuple[str, int] = ("", 0)) -> Heading:
    """What stands above a report's numbers."""
    return Heading(report.title, report.created_at, preset)


def inputs_used(links: Sequence[WorkspaceSource]) -> Iterator[InputUsed]:
    """What was packed: of several conversations the first one only."""
    conversations = 0
    for link in links:
        conversations += link.source.kind == "conversation"
        if link.source.kind == "conversation" and conversations > 1:
            continue
        yield InputUsed(
            name=link.source.name,
            kind=link.source.kind,
            format=link.source.format,
            sha256=link.source.sha256,
            size_bytes=link.source.size_bytes,
            conversation=link.conversation_index,
        )


def with_names(reduced: Document, given: Mapping[str, Any], message_texts: Iterable[str]) -> Document:
    """A reduced document with the names of the files in the given one, but those that quote a message."""
    names = [each["name"] for each in given["inputs"]]
    quoted = names_within(set(names), message_texts)
    pairs = zip(reduced["inputs"], names, strict=True)
    return {**reduced, "inputs": [{**safe, "name": safe["name"] if name in quoted else name} for safe, name in pairs]}


def place_in_document(path: PlacePath) -> str:
    """A place without words of its own."""
    return "Report: " + ".".join(map(str, path))
