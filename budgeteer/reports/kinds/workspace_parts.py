"""What the kinds that are made from a workspace have in common: its sources, its title, its packing's figures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

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


def with_names(
    inputs: Sequence[Mapping[str, Any]], given: Sequence[Mapping[str, Any]], message_texts: Iterable[str]
) -> list[dict[str, Any]]:
    """Reduced inputs with the names of their files, but those that quote a message."""
    quoted = names_within({each["name"] for each in given}, message_texts)
    pairs = zip(inputs, given, strict=True)
    return [{**safe, "name": safe["name"] if of["name"] in quoted else of["name"]} for safe, of in pairs]


def place_in_document(path: PlacePath) -> str:
    """A place without words of its own."""
    return "Report: " + ".".join(map(str, path))
