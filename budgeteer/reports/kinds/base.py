"""What a kind of report has to say of itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from django.contrib.auth.models import User
from django.http import QueryDict

from budgeteer.collections.models import EvaluationRun
from budgeteer.reports.document import Document, KindName
from budgeteer.reports.files.blocks import Block
from budgeteer.reports.models import Report
from budgeteer.workbench.models import Workspace


@dataclass(frozen=True, slots=True)
class ReportSubject:
    """What somebody shares.

    Attributes:
        workspace, run: one of both.
        question: what of it, by the names of ReportKind.question: the sides of a comparison, the limit of a sweep.
    """

    owner: User
    workspace: Workspace | None = None
    run: EvaluationRun | None = None
    question: Mapping[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """What it is called where its owner types no title."""
        return str(self.run.collection if self.run is not None else self.workspace)


@dataclass(frozen=True, slots=True)
class FrozenParts:
    """The full document, and what is read beside it.

    Attributes:
        message_texts: the texts of every message that went into it, read at most once.
        level, sentence: what it comes to, for lists; the level is "" where there is none.
        models: the names of the models that it is about.
    """

    document: Document
    message_texts: Iterable[str]
    level: str
    sentence: str
    models: tuple[str, ...]


type PlacePath = tuple[str | int, ...]
type Placing = Callable[[PlacePath], str]


@dataclass(frozen=True, slots=True)
class ReportKind:
    """One kind.

    Attributes:
        subject: what it is made from.
        levels: what each level (models.Content) tells of it, for the form that shares it.
        describe: what is shared, in a sentence, "" where the page says it. Raises BudgeteerError where the question
            cannot be answered.
        question: the words of an address, and of the form that shares it, that say what is shown.
        take: everything that freezing depends on, as JSON. Raises BudgeteerError where nothing can be shared yet.
        freeze: the full document from a report's row; it is told the function that takes each step as a sentence.
        reduce: the document with what its level (models.Content) lets through; the last argument are the texts of its
            messages. Raises FormatError for a value that is not of its kind.
        context: what the templates read of a document, for the words of an address.
        body, frame, file: the templates of its page's middle, of what is embedded, and of the HTML file.
        sheets: the style sheets beside those of every report.
        to_csv, to_markdown, to_png: its files.
        to_blocks: what is printed of it, for its PDF file.
        placed: of a document, where each of its strings stands, in words: for the places that a scan names.
    """

    name: KindName
    subject: Literal["workspace", "evaluation"]
    levels: Mapping[str, str]
    describe: Callable[[ReportSubject], str]
    question: tuple[str, ...]
    take: Callable[[ReportSubject], dict[str, Any]]
    freeze: Callable[[Report, Callable[[str], None]], FrozenParts]
    reduce: Callable[[Document, str, Iterable[str]], Document]
    context: Callable[[Document, QueryDict], Mapping[str, Any]]
    body: str
    frame: str
    file: str
    sheets: tuple[str, ...]
    to_csv: Callable[[Document], str]
    to_markdown: Callable[[Document], str]
    to_png: Callable[[Document], bytes]
    to_blocks: Callable[[Document], Iterable[Block]]
    placed: Callable[[Document], Placing]

    @property
    def sheet_paths(self) -> tuple[str, ...]:
        """The style sheets by the paths of static files."""
        return tuple(f"budgeteer/css/{name}.css" for name in self.sheets)
