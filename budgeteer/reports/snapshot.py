"""Freeze a packing into a report document."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from budgeteer import __version__
from budgeteer.engine.analysis.packing_json import figures_to_json, packing_to_json
from budgeteer.engine.config.schema import dump_config
from budgeteer.engine.models.registry import ModelRow
from budgeteer.engine.packing.result import Packing
from budgeteer.engine.rendering import render_spans
from budgeteer.engine.rendering.validity import check_every_provider
from budgeteer.presentation.bar import BarFigures
from budgeteer.presentation.header import figures_of
from budgeteer.reports.document import VERSION, Document, KindName, fingerprint
from budgeteer.reports.levels.by_level import at_level
from budgeteer.reports.levels.redacted import redacted
from budgeteer.reports.models import Content
from budgeteer.reports.redaction import numbers_only


@dataclass(frozen=True, slots=True)
class InputUsed:
    """One source a packing read. `size_bytes` and `sha256` are those of the upload."""

    name: str
    kind: str
    format: str
    sha256: str
    size_bytes: int
    conversation: int


@dataclass(frozen=True, slots=True)
class Heading:
    """What stands above the numbers. `preset` is (slug, version)."""

    title: str
    created_at: datetime
    preset: tuple[str, int]


def freeze(
    packing: Packing,
    *,
    heading: Heading,
    inputs: Sequence[InputUsed],
    figures: BarFigures,
    progress: Callable[[str], None],
) -> Document:
    """The full document of a packing, prompt included. `progress` is told each step as a sentence."""
    progress("Writing down every decision")
    document: Document = {
        "report": head_of(heading),
        "inputs": [input_to_json(each) for each in inputs],
        **_origin(packing, heading.preset),
        "bar": _bar(figures),
        "packing": packing_to_json(packing, validity=check_every_provider(packing)),
    }
    progress("Writing down the packed prompt")
    document["prompt"] = [
        {"id": span.decision_id, "role": span.role, "fate": span.fate, "text": span.text}
        for span in render_spans(packing)
    ]
    return document


def head_of(heading: Heading, kind: KindName | None = None) -> dict[str, Any]:
    """What every document says of itself; a packed prompt does not name its kind."""
    head = {
        "version": VERSION,
        "application": f"Budgeteer {__version__}",
        "title": heading.title,
        "content": str(Content.FULL),
        "createdAt": heading.created_at.isoformat(timespec="seconds"),
    }
    return head if kind is None else {**head, "kind": kind}


def figures_of_packing(packing: Packing, preset: tuple[str, int]) -> dict[str, Any]:
    """A packing in the shape of a document, in figures alone: no decisions, prompt, notes, or rules of providers."""
    return {
        **_origin(packing, preset),
        "bar": _bar(figures_of(packing)),
        "packing": {**figures_to_json(packing, validity=()), "decisions": [], "notes": []},
    }


def _origin(packing: Packing, preset: tuple[str, int]) -> dict[str, Any]:
    slug, number = preset
    config = dump_config(packing.config)
    return {
        "model": _model(packing.allowance.row),
        "preset": {"slug": slug, "version": number},
        "config": config,
        "configSha256": fingerprint(config),
    }


def input_to_json(used: InputUsed) -> dict[str, Any]:
    """A source as a document has it."""
    return {
        "name": used.name,
        "kind": used.kind,
        "format": used.format,
        "sha256": used.sha256,
        "bytes": used.size_bytes,
        "conversation": used.conversation,
    }


def _model(row: ModelRow) -> dict[str, Any]:
    return {
        "name": row.name,
        "title": row.title,
        "provider": row.maker,
        "profile": row.provider,
        "contextWindow": row.context_window,
        "maxInput": row.max_input,
        "maxOutput": row.max_output,
        "tokenizer": row.tokenizer,
        "tokenizerIsStandIn": row.tokenizer_is_stand_in,
        "inputPrice": row.input_price,
        "cachedInputPrice": row.cached_input_price,
        "outputPrice": row.output_price,
        "source": row.source,
        "priceDate": row.date,
    }


def _bar(figures: BarFigures) -> dict[str, Any]:
    shares = [
        {
            "letter": share.letter,
            "name": share.name,
            "sent": share.sent_tokens,
            "notSent": share.not_sent_tokens,
            "trimmed": share.trimmed_tokens,
            "summarised": share.summarised_tokens,
        }
        for share in figures.shares
    ]
    return {
        "shares": shares,
        "window": figures.window,
        "inputBudget": figures.input_budget,
        "limit": figures.limit,
        "reserve": figures.reserve,
        "thresholdPercent": figures.threshold_percent,
    }


def public_copy(document: Mapping[str, Any], *, content: str, message_texts: Iterable[str]) -> Document:
    """The document with what its content level lets through.

    Args:
        document: the full one.
        content: a value of models.Content.
        message_texts: the texts of every message of the packing; read for the redacted level only.

    Raises:
        ValueError: there is no such level.
    """
    return at_level(
        document,
        content,
        redacted=lambda: redacted(document, message_texts=message_texts),
        numbers=lambda: numbers_only(document),
    )
