"""Reports of real sessions: at the two levels without texts, no run of 12 characters of any message is in any file.

What our own words share with a session (one that talks about Budgeteer, or about a model of our table) is told apart
by reports of our own sample: a run that stands there too, whatever its figures, is ours.
"""

from __future__ import annotations

import csv
import functools
import io
import os
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from budgeteer import samples
from budgeteer.engine.analysis.cost_and_usage import reported_sentence
from budgeteer.engine.config.schema import load_config
from budgeteer.engine.content.conversation import Conversation
from budgeteer.engine.counting.message_measures import measure_messages
from budgeteer.engine.counting.tokenizers import counter_for
from budgeteer.engine.errors import FormatError
from budgeteer.engine.inputs.bundle import Inputs, build_bundle
from budgeteer.engine.models.registry import MODELS
from budgeteer.engine.packing.pack import pack
from budgeteer.engine.packing.result import Packing
from budgeteer.engine.packing.verdict_text import WORDS
from budgeteer.formats.detect import import_bytes
from budgeteer.presentation.header import figures_of
from budgeteer.reports.document import Document
from budgeteer.reports.files.exports import to_csv, to_markdown
from budgeteer.reports.levels.redacted import message_texts
from budgeteer.reports.report_prompt import prompt_text
from budgeteer.reports.rule_labels import what_went
from budgeteer.reports.snapshot import Heading, InputUsed, freeze, public_copy
from budgeteer.reports.standalone import to_html
from budgeteer.reports.vocabulary import RULES
from tests.reports.runs import leaves_of, runs_of, shown_in

pytestmark = pytest.mark.corpus
CORPUS = Path(os.environ["BUDGETEER_CORPUS"])
LEVELS = ("numbers", "redacted")
#: The oracle keeps every run of a session in memory.
MOST_BYTES = 1_500_000
CONFIG = {
    "model": "gpt-4o",
    "outputReserve": 500,
    "contextWindow": 12_000,
    "history": {"strategy": "newestFirst"},
    "pruning": {"mode": "auto"},
}


def files() -> list[Path]:
    found = sorted(path for path in (CORPUS / "conversations").rglob("*") if path.is_file())
    return [path for path in found if path.stat().st_size <= MOST_BYTES]


def packing_of(talk: Conversation, **changes: Any) -> Packing:
    counter = counter_for("o200k_base")
    measures = measure_messages(talk.messages, counter=counter)
    bundle = build_bundle(Inputs(conversation=talk, conversation_measures=measures), counter=counter)
    return pack(bundle, load_config({**CONFIG, **changes}), counter=counter)


def document_of(packing: Packing, *, name: str, level: str) -> Document:
    full = freeze(
        packing,
        heading=Heading("", datetime(2026, 1, 2, tzinfo=UTC), ("plain", 1)),
        inputs=[InputUsed(name, "conversation", "openai-chat", "ab" * 32, 1_000, 0)],
        figures=figures_of(packing),
        progress=lambda _sentence: None,
    )
    return public_copy(full, content=level, message_texts=message_texts(packing))


def shown_of(document: Document) -> Iterator[str]:
    """Every string of the JSON, every cell of the CSV and of the Markdown, every line of the prompt, the HTML file."""
    yield from leaves_of(document)
    for row in csv.reader(io.StringIO(to_csv(document))):
        yield from row
    for line in to_markdown(document).splitlines():
        yield from (cell.strip().replace("\\", "") for cell in line.split(" | "))
    yield from prompt_text(document).splitlines()
    yield from shown_in("text/html", to_html(document).encode())


def without_figures(text: str) -> str:
    return re.sub(r"\d[\d,.]*", "#", text)


@functools.cache
def our_own(level: str) -> str:
    """What reports of our own sample show that fits, that is cut and that cannot fit, and the names of our tables."""
    [(name, content)] = [each for each in samples.read("agent-session") if each[0].endswith(".jsonl")]
    [talk] = import_bytes(content, name=name).conversations
    shown = [*MODELS, *(row.title for row in MODELS.values()), *map(what_went, RULES)]
    shown += [f" by {one} and {other}" for one in WORDS.values() for other in WORDS.values()]
    for in_file, missing in ((None, 7), (9, 1), (5, 5), (5, 7), (5, 3)):  # what a source reported, in all its sentences
        for other in ("", "gpt-4o"):
            shown.append(reported_sentence(10, in_file=in_file, not_in_file=missing, other_model=other))
            shown.append(reported_sentence(8, in_file=in_file, not_in_file=missing, other_model=other))
    for changes in ({}, {"contextWindow": 128_000}, {"contextWindow": 600}, {"history": {"strategy": "full"}}):
        shown += shown_of(document_of(packing_of(talk, **changes), name=name, level=level))
    return "\n".join(map(without_figures, shown))


@pytest.mark.parametrize("path", files(), ids=lambda path: path.name)
def test_no_run_of_a_message_is_in_a_report_without_texts(path: Path) -> None:
    try:
        talks = import_bytes(path.read_bytes(), name=path.name).conversations[:2]
    except FormatError:
        return
    for talk in talks:
        packing = packing_of(talk)
        said = runs_of(message_texts(packing))
        named = runs_of([path.name, talk.title, *(text for tool in talk.tools for text in leaves_of(dict(tool)))])
        for level in LEVELS:
            shown = runs_of(shown_of(document_of(packing, name=path.name, level=level)))
            quoted = [
                run
                for run in shown & (said | named if level == "numbers" else said)
                if without_figures(run) not in our_own(level)
            ]
            assert sorted(quoted) == []
