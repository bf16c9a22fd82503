"""Template filters for messages of the engine and the importers, and for the names of formats."""

from __future__ import annotations

import re

from django import template
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from budgeteer.sources.source_rows import format_title

register = template.Library()
register.filter(format_title)

_CODE = re.compile(r"`([^`]+)`")


@register.filter
def with_code(sentence: str) -> SafeString:
    """The sentence, escaped, with what stands between back quotes as code."""
    return mark_safe(_CODE.sub(r"<code>\1</code>", escape(sentence)))  # noqa: S308 - escaped on this very line


@register.filter
def grouped(number: int) -> str:
    """The number with its thousands apart: `1,813`."""
    return f"{number:,}"


@register.filter
def lower_first(sentence: str) -> str:
    """The sentence as it goes on after a colon."""
    return f"{sentence[:1].lower()}{sentence[1:]}"


@register.filter
def upper_first(sentence: str) -> str:
    """The sentence as it begins a line."""
    return f"{sentence[:1].upper()}{sentence[1:]}"


@register.filter
def full_stop(sentence: str) -> str:
    """The sentence with exactly one mark at its end."""
    return sentence if sentence.endswith((".", "!", "?", "…")) or not sentence else f"{sentence}."
