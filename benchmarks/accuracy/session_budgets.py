"""Real sessions at shares of their own size: every history strategy, every provider, and what of each stays.

    python -m benchmarks.accuracy.session_budgets FOLDER [--shares 100 50 20 5 1] [--fewest N] [--rows FILE]

Packs every conversation of a folder under every history strategy and for every provider with a budget of so many
percent of the tokens that it takes by itself, and reads each request that fits by its provider's rules: it must be
valid, within its budget, not empty, and hold the task. What does not fit must need more than its budget. Prints a table
of the tokens that are sent, and which share of the prompts', answers' and results' tokens stays. `--rows` writes a CSV
line for each packing. Status 1 where a packing breaks a rule.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass, fields
from pathlib import Path
from typing import Final

import click
import numpy as np

from budgeteer.cli.output.tables import table
from budgeteer.engine.config.schema import HistoryStrategy, load_config
from budgeteer.engine.content.conversation import Conversation, Message, TextPart
from budgeteer.engine.counting.message_measures import measure_messages
from budgeteer.engine.counting.tokenizers import TokenCounter, counter_for
from budgeteer.engine.errors import InputError
from budgeteer.engine.inputs.bundle import Bundle, Inputs, build_bundle
from budgeteer.engine.models.registry import model
from budgeteer.engine.packing.history.registry import STRATEGIES
from budgeteer.engine.packing.history.view import USER
from budgeteer.engine.packing.ledger import ADDED, LETTERS
from budgeteer.engine.packing.pack import pack
from budgeteer.engine.packing.result import Packing
from budgeteer.engine.providers.registry import PROVIDERS
from budgeteer.engine.rendering import render_request
from budgeteer.formats.detect import import_bytes
from tests.conformance.invariants import FAULTS
from tests.conformance.recount import texts_in

#: The exact tokenizer with the largest window.
MODEL: Final = "gpt-4.1"
TOKENIZER: Final = "o200k_base"
SHARES: Final = (100, 50, 20, 5, 1)
#: Sets of many small conversations count by their first ones.
MOST_OF_A_FILE: Final = 3
FEWEST_MESSAGES: Final = 10
#: What of a conversation stays is said of these categories.
PARTS: Final = {"prompts": LETTERS.index("U"), "answers": LETTERS.index("A"), "results": LETTERS.index("X")}


@dataclass(frozen=True, slots=True)
class Row:
    """One packing: of which session, how, and what of its prompts, answers and results was sent, in tokens.

    `outcome` is "fits", "cannot fit", or what is wrong with it.
    """

    session: str
    strategy: HistoryStrategy
    provider: str
    percent: int
    size: int
    budget: int
    sent: int
    prompts: int
    prompts_sent: int
    answers: int
    answers_sent: int
    results: int
    results_sent: int
    outcome: str


def main(arguments: list[str]) -> int:
    """Pack, and print what stays; status 1 where a rule is broken."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.accuracy.session_budgets", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("folder", type=Path, help="a folder of conversations")
    parser.add_argument("--shares", type=int, nargs="+", default=list(SHARES), help="percent of a session's own size")
    parser.add_argument("--fewest", type=int, default=FEWEST_MESSAGES, help="leave out shorter conversations")
    parser.add_argument("--rows", type=Path, help="write a CSV line for each packing")
    options = parser.parse_args(arguments)
    rows = [
        row for name, talk in sessions(options.folder, options.fewest) for row in packings(name, talk, options.shares)
    ]
    if options.rows:
        write(options.rows, rows)
    click.echo(shown(rows))
    wrong = [row for row in rows if row.outcome not in ("fits", "cannot fit")]
    for row in wrong:
        click.echo(f"{row.session}, {row.strategy}, {row.provider}, {row.percent} %: {row.outcome}", err=True)
    return 1 if wrong else 0


def sessions(folder: Path, fewest: int) -> Iterator[tuple[str, Conversation]]:
    """The conversations of a folder by name, the first few of each file."""
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        try:
            found = import_bytes(path.read_bytes(), name=path.name).conversations
        except InputError:
            continue
        long = [talk for talk in found if len(talk.messages) >= fewest][:MOST_OF_A_FILE]
        for number, talk in enumerate(long, 1):
            yield f"{path.relative_to(folder)}#{number}" if len(long) > 1 else str(path.relative_to(folder)), talk


def packings(name: str, talk: Conversation, shares: Sequence[int]) -> Iterator[Row]:
    """One session under every strategy, provider and share."""
    counter = counter_for(TOKENIZER)
    measures = measure_messages(talk.messages, counter=counter)
    bundle = build_bundle(Inputs(conversation=talk, conversation_measures=measures), counter=counter)
    for provider in PROVIDERS:
        whole = packed(bundle, counter, provider, "full", None)
        if whole.error is not None and whole.error.cause != "size":
            continue  # of blank messages, or of a picture alone, a provider can be sent nothing at any budget
        size = whole.verdict.asked_tokens
        for percent in shares:
            for strategy in STRATEGIES:
                packing = packed(bundle, counter, provider, strategy, size * percent // 100)
                yield row_of(name, packing, percent=percent, size=size)


def packed(
    bundle: Bundle, counter: TokenCounter, provider: str, strategy: HistoryStrategy, budget: int | None
) -> Packing:
    """A packing in which the budget is the only limit; None for the model's own."""
    everything, window = "100%", model(MODEL).context_window
    config = load_config(
        {
            "model": MODEL,
            "contextWindow": window if budget is None else min(max(budget, 1), window),
            "outputReserve": 0,
            "safetyMarginPercent": 0,
            "history": {
                "strategy": strategy,
                "maxTokens": everything,
                "clearing": {"trigger": everything},
                "summarizing": {"trigger": everything},
            },
        }
    )
    return pack(bundle, config, counter=counter, provider=provider)


def row_of(name: str, packing: Packing, *, percent: int, size: int) -> Row:
    """The figures of a packing, and whether it holds what is promised."""
    ledger = packing.ledger
    mine = {part: (ledger.category == letter) & (ledger.fate != ADDED) for part, letter in PARTS.items()}
    given = {part: int(ledger.before_tokens[rows].sum()) for part, rows in mine.items()}
    sent = {part: int(ledger.after_tokens[rows].sum()) for part, rows in mine.items()}
    return Row(
        session=name,
        strategy=packing.config.history.strategy,
        provider=packing.provider,
        percent=percent,
        size=size,
        budget=packing.input_budget,
        sent=packing.total.tokens,
        prompts=given["prompts"],
        prompts_sent=sent["prompts"],
        answers=given["answers"],
        answers_sent=sent["answers"],
        results=given["results"],
        results_sent=sent["results"],
        outcome=outcome(packing),
    )


def outcome(packing: Packing) -> str:
    """Say "fits", "cannot fit", or what is wrong with the packing."""
    if packing.error is not None:
        error = packing.error
        return "cannot fit" if error.cause != "size" or error.needed_tokens > error.allowed_tokens else "would have fit"
    request = render_request(packing)
    if packing.total.tokens > packing.input_budget:
        return "over its budget"
    if faults := FAULTS[packing.provider](request):
        return "; ".join(faults)
    if not any(request.get(key) for key in ("messages", "input", "contents")):
        return "empty"
    keeps_task = STRATEGIES[packing.config.history.strategy].keeps_task
    said = "\n".join(filter(None, texts_in(request))) if keeps_task else ""
    lost = [text for text in task_texts(packing.bundle) if text not in said] if keeps_task else []
    return "without its task" if lost else "fits"


def task_texts(bundle: Bundle) -> list[str]:
    """The words of the query, else of the last message that somebody typed."""
    task = bundle.query if bundle.query is not None and bundle.query.typed else None
    if task is None:
        measures = bundle.history_measures
        typed = np.flatnonzero((measures.role == USER) & (np.diff(measures.turn, prepend=0) > 0))
        task = bundle.history[int(typed[-1])] if len(typed) else None
    return texts_of(task) if task is not None else []


def texts_of(message: Message) -> list[str]:
    """Its parts of text that say something."""
    return [part.text for part in message.parts if isinstance(part, TextPart) and part.text.strip()]


def write(path: Path, rows: Sequence[Row]) -> None:
    """A CSV file of every packing."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(field.name for field in fields(Row))
        writer.writerows(map(astuple, rows))


def shown(rows: Sequence[Row]) -> str:
    """The table: a line for each strategy and share, over all sessions and providers."""
    groups: dict[tuple[HistoryStrategy, int], list[Row]] = defaultdict(list)
    for row in rows:
        groups[row.strategy, row.percent].append(row)
    head = ["strategy", "share", "packings", "fit", "cannot fit", "broken", "budget", "sent", "of budget", *PARTS]
    lines = [line_of(strategy, percent, groups[strategy, percent]) for strategy, percent in groups]
    lines.sort(key=lambda line: list(STRATEGIES).index(line[0]))  # type: ignore[arg-type]
    count = len({row.session for row in rows})
    return f"{count:,} sessions, {len(PROVIDERS)} providers\n\n{table(head, lines)}"


def line_of(strategy: str, percent: int, rows: Sequence[Row]) -> list[str]:
    """Counts of all packings; tokens and shares of those that fit."""
    fit = [row for row in rows if row.outcome == "fits"]
    cannot = sum(row.outcome == "cannot fit" for row in rows)
    budget, sent = sum(row.budget for row in fit), sum(row.sent for row in fit)
    stays = [
        share(sum(getattr(row, f"{part}_sent") for row in fit), sum(getattr(row, part) for row in fit))
        for part in PARTS
    ]
    counts = [f"{number:,}" for number in (len(rows), len(fit), cannot, len(rows) - len(fit) - cannot, budget, sent)]
    return [strategy, f"{percent} %", *counts, share(sent, budget), *stays]


def share(part: int, whole: int) -> str:
    """A percentage with one digit; a dash of nothing."""
    return f"{100 * part / whole:.1f} %" if whole else "–"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
