"""An import report as lines of text."""

from __future__ import annotations

from collections.abc import Iterator

from budgeteer.cli.output.kinds import KIND_WORDS
from budgeteer.cli.output.tables import shortened, table
from budgeteer.engine.content.conversation import Conversation, calls_of
from budgeteer.engine.errors import InputError
from budgeteer.formats.messages.imported import Imported, counts_of

#: How much of a long report a person is shown; `--json` has all of it.
SHOWN_ROWS = 20


def conversation_number(file: str, imported: Imported, number: int) -> Conversation:
    """Conversation `number`, counted from 1.

    Raises:
        InputError: the file does not hold that many.
    """
    if number > len(imported.conversations):
        what = f"there is no conversation {number}"
        raise InputError(what, where=file, mend=f"The file holds {len(imported.conversations)}")
    return imported.conversations[number - 1]


def report_lines(file: str, imported: Imported) -> Iterator[str]:
    """The report as a person reads it."""
    yield f"{file}: {KIND_WORDS[imported.kind]}, read as {imported.format}"
    yield f"  {imported.reason}"
    account = imported.accounting
    if account is not None and account.is_lossy:
        yield f"  WARNING: {account.sentence()}"
    counts = [(name, count) for name, count in counts_of(imported).items() if count]
    if imported.text:
        counts.append(("characters", len(imported.text)))
    yield ""
    yield table(("what", "count"), counts, indent=2)
    if len(imported.conversations) > 1:
        rows = [
            (f"#{number}", len(one.messages), sum(len(calls_of(m)) for m in one.messages), shortened(one.title, 60))
            for number, one in enumerate(imported.conversations[:SHOWN_ROWS], start=1)
        ]
        yield ""
        yield table(("conversation", "messages", "calls", "title"), rows, indent=2)
        yield from _rest(len(imported.conversations))
    if imported.skipped:
        yield ""
        yield table(("not read", "why"), [(one.where, one.why) for one in imported.skipped[:SHOWN_ROWS]], indent=2)
        yield from _rest(len(imported.skipped))
    for warning in imported.warnings:
        yield f"  note: {warning}"
    if account is not None and account.left_out_keys:
        yield f"  note: {account.left_out_sentence()}"


def _rest(total: int) -> Iterator[str]:
    if total > SHOWN_ROWS:
        yield f"  … and {total - SHOWN_ROWS:,} more; --json lists all"
