"""One row of the format registry: the importer's name and its two functions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from budgeteer.formats.messages.imported import Imported, Kind
from budgeteer.formats.reading.document import Document


@dataclass(frozen=True, slots=True)
class Format:
    """One row of the registry.

    Attributes:
        name: as in `import --as` and in reports; small letters, digits and hyphens, at most 40.
        title: as people read it.
        kind: what kind of source it makes.
        detect: why a document is of this format, a clause that goes on from "It ", None when it is not. It is asked of
            every upload, so it looks at a sample, and it never raises.
        read: the document as engine objects; raises FormatError when nothing is usable.
        in_archives: whether the files of an archive of transcripts may be of this format.
        before: for the format of another package, the row it is asked before; "" is before the looks at plain text.
        package: the package it comes from, "" for our own.
    """

    name: str
    title: str
    kind: Kind
    detect: Callable[[Document], str | None]
    read: Callable[[Document], Imported]
    in_archives: bool = False
    before: str = ""
    package: str = ""
