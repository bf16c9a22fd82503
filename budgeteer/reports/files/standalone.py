"""A report as one HTML file: styles within it, no script, nothing fetched; it opens from a disk."""

from __future__ import annotations

from functools import cache
from itertools import islice
from pathlib import Path
from typing import Final

from django.contrib.staticfiles import finders
from django.template.loader import render_to_string
from django.utils.safestring import SafeString, mark_safe

from budgeteer.reports.document import Document
from budgeteer.reports.models import LEVEL_NAMES
from budgeteer.reports.report_page import build_page, item_rows

MOST_ITEMS: Final = 2_000
"""Rows of the item table in the file, about 1 MB; the CSV has all."""

_SHEETS: Final = ("tokens", "base", "bar", "report")


def to_html(document: Document) -> str:
    """The page of a report, drawn from the document alone: the same bytes as long as this version draws it."""
    items = item_rows(document)
    context = {
        "document": document,
        "page": build_page(document),
        "level_name": LEVEL_NAMES[document["report"]["content"]],
        "items": list(islice(items, MOST_ITEMS)),
        "item_count": len(items),
        "styles": styles(),
    }
    return render_to_string("reports/standalone.html", context)


@cache
def styles() -> SafeString:
    """The style sheets of the public page, one after the other.

    Raises:
        FileNotFoundError: one is not where static files are looked for.
    """
    found = []
    for name in _SHEETS:
        path = finders.find(f"budgeteer/css/{name}.css")
        if not isinstance(path, str):
            raise FileNotFoundError(f"there is no static file budgeteer/css/{name}.css")
        found.append(Path(path).read_text("utf-8"))
    return mark_safe("\n".join(found))  # noqa: S308 - our own files, none of which holds markup
