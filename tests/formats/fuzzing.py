"""What must hold for any upload, and a runner that says which case of which seed broke it."""

from __future__ import annotations

import io
import json
import os
import random
import re
import signal
import time
import tracemalloc
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from tempfile import TemporaryFile
from types import FrameType
from typing import IO, Any

from budgeteer.engine.content.conversation import message_from_json, message_to_json
from budgeteer.engine.errors import FormatError
from budgeteer.formats.detect import format_names, import_bytes, import_file
from budgeteer.formats.messages.imported import Imported, report_json
from budgeteer.formats.messages.outlines import says_nothing
from budgeteer.formats.reading.document import Options
from budgeteer.formats.reading.limits import Limits
from tests.formats.mutations import Base, Case, case_of, with_words

SEED = int(os.environ.get("BUDGETEER_FUZZ_SEED", "20260301"))
"""The same cases each time, unless BUDGETEER_FUZZ_SEED asks for others."""

CPU_SECONDS_PER_MEGABYTE = 2.0
"""Of processor time, so that a busy machine is no failure; a file under 1 MB has as long as one of 1 MB."""

HELD_BYTES = 48_000_000
HELD_TIMES = 120
"""The most memory an import may ask for: a fixed part (vocabularies, numpy), and so many times the file."""

HELD_WHEN_FAR = 500
"""Files over so many bytes lie where they are, so that small ones are read that way too."""

WORDS = (
    "Nobody has ever written this sentence about seventeen purple walruses before. Umbrellas smelled faintly like "
    "cinnamon whenever glaciers yawned politely. Eleven accordions melted into custard while librarians juggled "
    "turnips underwater. Somewhere behind velvet volcanoes, twelve beetles audited invisible orchestras. "
    "Marmalade lighthouses sneezed, so postmen adopted hesitant comets. Under glass bridges, philosophers knitted "
    "thunder amid leftover spaghetti. Grandmotherly submarines preferred jazz, although periscopes voted polka. "
    "Tomorrow nineteen zebras inherit lunar laundry, unless penguins protest rhythmically. Cardboard emperors "
    "fear drizzle; wooden dentists fear applause. Finally, walnuts agreed: gravity remained merely enthusiastic "
    "rumour. "
)
"""In no file. The accounting knows texts by three words in a row, which stand here once each, and lines of fewer words
by these: no word here may be such a line. Longer than what is cut to be shown: it cannot be read in part only."""

SHOWN = 40
"""Characters of these that tell that they were read."""

CUT_FROM = 10
"""Characters of these in which a skipped line ends that is cut within them: what is shown counts as read."""

_LISTED = re.compile(r"(found:?|in) (?:a JSON array of \d+, the first|\d+ JSON lines) with the keys.*")
_ELEMENT = re.compile(r"\belement (\d+)")

WATCHED = 40
"""Memory is watched in every so many cases, for watching takes time."""


class Hung(BaseException):
    """No `except Exception` swallows it."""


def check(found: Imported) -> None:
    """What holds for every import: unique ids, results alone, plain data, no lone surrogate, no silent loss."""
    json.dumps(report_json(found), ensure_ascii=False, allow_nan=False).encode()
    told = found.accounting
    if told is not None:
        assert told.read >= 0
        assert told.read + told.metadata + told.left_out + told.unread == told.characters
        assert told.is_lossy == bool(told.sentence())
    for chat in found.conversations:
        ids = [message.id for message in chat.messages]
        assert len(set(ids)) == len(ids)
        assert all(ids)
        for message in chat.messages:
            if message.role == "tool":
                assert len(message.parts) == 1
            elif says_nothing(message.parts):
                assert any(said.startswith("Messages that say nothing: ") for said in found.warnings)
            stored = json.dumps(message_to_json(message), ensure_ascii=False)
            stored.encode()
            assert message_from_json(json.loads(stored)).parts == message.parts
        json.dumps(dict(chat.metadata)).encode()


@dataclass(slots=True)
class Told:
    """What became of cases.

    Attributes:
        refused: how many were refused by a sentence.
        formats: how many were imported, by format.
        read: of the words put into every other case, in how many imports they were read,
        accounted: and in how many the accounting says that so much was not read.
    """

    refused: int = 0
    formats: Counter[str] = field(default_factory=Counter)
    read: int = 0
    accounted: int = 0

    @property
    def imported(self) -> int:
        """How many were imported."""
        return self.formats.total()

    def add(self, other: Told) -> None:
        """Add what became of other cases."""
        self.refused += other.refused
        self.formats += other.formats
        self.read += other.read
        self.accounted += other.accounted


def run_cases(bases: Sequence[Base], numbers: Iterable[int], *, seed: int = SEED) -> Told:
    """Import the cases of these numbers, every other one with words in it that stand nowhere else.

    Raises:
        AssertionError: one broke a promise; it names the seed, the number and what was done to which file.
    """
    told = Told()
    for number in numbers:
        case = case_of(bases, seed, number)
        rng = random.Random(f"format {seed}:{number}")
        chosen = rng.choice(format_names()) if rng.random() < 0.3 else None
        place = f"words {seed}:{number}"
        spoken = with_words(case, WORDS, random.Random(place)) if number % 2 else None
        without = with_words(case, "x", random.Random(place)) if spoken else None
        case = spoken or case
        try:
            with _within(case, watched=number % WATCHED == 0):
                found = _attempt(case, chosen)
            if found is None:
                told.refused += 1
                continue
            told.formats[found.format] += 1
            if without is not None:
                is_read = _says(found, WORDS)
                assert is_read or _is_accounted(found, without, chosen), "words were lost in silence"
                told.read += is_read
                told.accounted += not is_read
        except (Exception, Hung) as error:
            raise AssertionError(
                f"{type(error).__name__}: {error}\n"
                f"BUDGETEER_FUZZ_SEED={seed}, case {number}, read as {chosen or 'detected'}: {', '.join(case.steps)}\n"
                f"{len(case.data):,} bytes that begin with {case.data[:200]!r}"
            ) from error
    return told


def _attempt(case: Case, chosen: str | None) -> Imported | None:
    """The import, None where the file was refused by a sentence."""
    found = _imported_or_refused(case, chosen)
    if isinstance(found, FormatError):
        assert found.what
        assert "\n" not in found.sentence
        found.sentence.encode()
        return None
    check(found)
    return found


def _says(found: Imported, words: str) -> bool:
    """Whether words stand in what was read, or in a line that the report lists as skipped."""
    chats = [[message_to_json(one) for one in chat.messages] for chat in found.conversations]
    beside = [
        [chat.id, chat.title, chat.model, [one.model for one in chat.recorded], chat.tools, dict(chat.metadata)]
        for chat in found.conversations
    ]
    rest = (found.skills, found.tools, found.features, found.chunks, found.text, found.usage, found.metadata)
    # The beginning is enough: titles, ids and skipped lines are cut.
    return words[:SHOWN] in json.dumps([chats, beside], ensure_ascii=False, default=str) + repr(rest) + repr(
        found.skipped
    )


def _is_accounted(found: Imported, without: Case, chosen: str | None) -> bool:
    """Whether the report says of the words that they were not read.

    The accounting has as many unread characters; or as many more that are bookkeeping or left out than that of the
    same file with "x" for the words (`without`); or both are alike, for the words are on a line that the report lists
    as skipped. Of a line that is cut within the words, their beginning is shown.
    """
    told, words = found.accounting, len(WORDS.strip()) - _cut_within(found)
    if told is None or told.is_estimate:
        return told is not None
    plain = _imported_or_refused(without, chosen)
    before = 0
    if isinstance(plain, Imported) and plain.format == found.format and plain.accounting is not None:
        if found.skipped and plain.accounting == told:
            return True
        before = plain.accounting.metadata + plain.accounting.left_out
    return told.unread >= words - 1 or told.metadata + told.left_out + told.unread - before >= words - 1


def _cut_within(found: Imported) -> int:
    """How many characters of the words a skipped line may show that is cut within them: fewer than tell a reading."""
    ends = tuple(WORDS[:length] for length in range(CUT_FROM, SHOWN))
    return SHOWN if any(one.line.endswith(ends) for one in found.skipped) else 0


def read_both_ways(bases: Sequence[Base], numbers: Iterable[int], *, seed: int = SEED) -> int:
    """Import the cases as bytes that are held and as files that are read where they lie; how many were imported.

    Raises:
        AssertionError: the two differ in more than the reason, which of a far file tells no numbers.
    """
    imported = 0
    for number in numbers:
        case = case_of(bases, seed, number)
        try:
            imported += is_read_both_ways(case)
        except (AssertionError, TypeError, KeyError, ValueError) as error:
            said = f"BUDGETEER_FUZZ_SEED={seed}, case {number}: {', '.join(case.steps)}"
            raise AssertionError(f"{said}\n{type(error).__name__}: {error}") from error
    return imported


def is_read_both_ways(case: Case) -> bool:
    """Whether a file is imported, as bytes that are held and as a file that is read where it lies.

    Raises:
        AssertionError: the two differ in more than the reason.
    """
    held = _told(partial(import_bytes, case.data, name=case.name))
    far = _told_of_far(case)
    assert far == held or _is_tree_in_a_row(far, held)
    return not isinstance(held, str)


def _is_tree_in_a_row(far: Any, held: Any) -> bool:
    """Whether messages that name the one before them stand in a row where the file lies, and as branches in the other.

    Which of a list are a tree is looked for only where they are held; the messages are the same.
    """
    if isinstance(far, str) or isinstance(held, str) or not any("branchOf" in one for one in held[0]["conversations"]):
        return False
    said = [{json.dumps(message) for chat in told[1] for message in chat} for told in (far, held)]
    return {far[0]["format"], held[0]["format"]} == {"openai-chat"} and len(far[1]) == 1 and said[0] == said[1]


def _told_of_far(case: Case) -> object:
    with ExitStack() as stack:

        def scratch() -> IO[bytes]:
            return stack.enter_context(TemporaryFile())

        options = Options(limits=Limits(held_bytes=HELD_WHEN_FAR), scratch=scratch)
        return _told(partial(import_file, io.BytesIO(case.data), name=case.name, options=options))


def _told(read: Callable[[], Imported]) -> object:
    """Everything an import tells, or the sentence that refuses it."""
    try:
        found = read()
    except FormatError as error:
        return _LISTED.sub(r"\1 entries", error.sentence)
    messages = [[message_to_json(message) for message in chat.messages] for chat in found.conversations]
    libraries = (found.skills, found.tools, found.features, found.chunks, found.text)
    # What outlives the file is plain JSON.
    json.dumps([[list(chat.tools), dict(chat.metadata)] for chat in found.conversations])
    json.dumps([[tool.raw, tool.parameters] for tool in found.tools])
    report = {**report_json(found), "reason": ""}
    report["warnings"] = [said for said in report["warnings"] if not said.startswith("A JSON list of ")]
    # A list that is not held is read as lines, each an element of it.
    return json.loads(_ELEMENT.sub(r"line \1", json.dumps(report).replace('"[].', '"'))), messages, libraries


def _imported_or_refused(case: Case, chosen: str | None) -> Imported | FormatError:
    try:
        return import_bytes(case.data, name=case.name, as_format=chosen)
    except FormatError as error:
        return error


@contextmanager
def _within(case: Case, *, watched: bool) -> Iterator[None]:
    """The bounds on time and, when it is watched, on memory."""
    seconds = CPU_SECONDS_PER_MEGABYTE * max(1.0, len(case.data) / 1_000_000) * (4 if watched else 1)

    def stop(_signal: int, _frame: FrameType | None) -> None:
        raise Hung(f"it took over {seconds:.1f} s of processor time")

    before = signal.signal(signal.SIGVTALRM, stop)
    if watched:
        tracemalloc.start()
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    begun = time.process_time()
    try:
        yield
        assert time.process_time() - begun <= seconds, "it took too long"
        held = tracemalloc.get_traced_memory()[1] if watched else 0
        assert held <= HELD_BYTES + HELD_TIMES * len(case.data), f"it held {held:,} bytes"
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
        if watched:
            tracemalloc.stop()
