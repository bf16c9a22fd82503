"""Pages of claude.ai copied as text: what the page says to screen readers marks the turns, often amid a line.

Certain: `You said: ` and `Claude responded: ` in turn, each followed by the beginning of the turn, which the page shows
again behind it. Dates and buttons below a prompt are glued to its end. What comes before the first reply is a prompt
whose mark was not copied, where no prompt has one before it.
Source: pages that people have copied and published, 2026-11.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Final

from budgeteer.engine.content.conversation import Message
from budgeteer.formats.messages.imported import Imported
from budgeteer.formats.reading.conversation_draft import ConversationDraft, texts
from budgeteer.formats.reading.document import Document
from budgeteer.formats.reading.importing import require

_MARK: Final = re.compile(r"(?P<prompt>You said)(?=:)|(?P<reply>Claude responded)(?=:)")
_MONTHS: Final = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
_DATE: Final = (
    rf"(?:\d{{1,2}}>? {_MONTHS}|{_MONTHS} \d{{1,2}}|\d{{1,2}}:\d\d(?:\s?[AP]M)?|Yesterday|Today)(?:, \d{{4}})?"
)
_BELOW: Final = re.compile(rf"(?:Show (?:more|less))?\s*(?:{_DATE})?\s*\Z")
_FEWEST_REPLIES: Final = 2
_LONGEST_HEADING: Final = 400
"""Characters of what is said to screen readers before a turn."""


def detect(document: Document) -> str | None:
    """Why a document is such a page, None when it is not."""
    text = document.text if document.shape == "text" else ""
    if "Claude responded:" not in text:
        return None
    marks = list(_MARK.finditer(text))
    replies = sum(mark["reply"] is not None for mark in marks)
    in_turn = all(bool(one["reply"]) != bool(two["reply"]) for one, two in pairwise(marks))
    if replies < _FEWEST_REPLIES or len(marks) == replies or not in_turn:
        return None
    return f"has {replies:,} replies behind `Claude responded:`, as the page of claude.ai says them to screen readers"


def read(document: Document) -> Imported:
    """Read a page as one conversation.

    Raises:
        FormatError: no mark of a turn is in it.
    """
    text = document.text.removeprefix("\ufeff").replace("\r\n", "\n")
    draft = ConversationDraft(document.notes, "line ")
    marks = list(_MARK.finditer(text))
    document.notes.see([mark.group() for mark in marks])
    before = text[: marks[0].start()] if marks else ""
    if marks and marks[0]["reply"]:
        _add(draft, Message("user", (), line=1), before)
    else:
        document.notes.count("Lines before the first turn, left out", int(bool(before.strip())), of=before)
    line, told = 1, 0
    ends = [*(mark.start() for mark in marks), len(text)]
    for mark, (begin, end) in zip(marks, pairwise(ends), strict=True):
        line += text.count("\n", told, begin)
        told = begin
        said = text[mark.end() + 1 : end].strip()
        heading = _heading(said)
        document.notes.count("Beginnings of turns that the page says twice, read once", int(bool(heading)), of=heading)
        frame = Message("user" if mark["prompt"] else "assistant", (), line=line)
        _add(draft, frame, said[len(heading) :])
    chat = draft.conversation("c1", "", document.stem or "claude.ai chat")
    require(chat.messages, document, "page of claude.ai")
    return Imported("", "", "conversation", conversations=(chat,))


def _heading(said: str) -> str:
    """The longest beginning of a turn that comes again behind it, "" where there is none."""
    longest = min(_LONGEST_HEADING, len(said) // 2)
    at = next((at for at in range(longest, 1, -1) if said.startswith(said[:at], at)), 0)
    return said[:at]


def _add(draft: ConversationDraft, frame: Message, said: str) -> None:
    """Add a turn, a prompt without the date and the buttons below it."""
    below = _BELOW.search(said) if frame.role == "user" else None
    if below and below.group().strip():
        draft.notes.count("Dates and buttons below prompts, left out", of=below.group())
        said = said[: below.start()]
    if said.strip():
        draft.add(Message(frame.role, texts(said.strip()), line=frame.line))
