"""Transcripts of agent-shell (Emacs), which runs any agent of the Agent Client Protocol, as Markdown.

Certain: the first line is its title. Turns have headings with a time; a call has one with its state and title, below it
the kind of the tool, what was asked, and the output in a fence that is longer than any within it.
Source: https://github.com/xenodium/agent-shell, `agent-shell.el`, 0.13 to 0.40, and files that people have published,
2026-11.
"""

from __future__ import annotations

import re
from typing import Final

from budgeteer.engine.content.conversation import Message, ReasoningPart, TextPart, ToolResultPart
from budgeteer.formats.messages.imported import Imported
from budgeteer.formats.messages.reply_steps import ReplySteps
from budgeteer.formats.reading.conversation_draft import ConversationDraft, texts
from budgeteer.formats.reading.document import Document
from budgeteer.formats.reading.importing import require
from budgeteer.formats.text.headed_text import headed_sections, plain_lines

_BEGINNING: Final = re.compile(
    r"\s*# Agent Shell Transcript[ \t]*\n(?P<about>(?:[ \t]*\n|\*\*[^\n]*\n)*)(?:---[ \t]*\n)?"
)
_LOOKED_AT: Final = 200
"""Characters in which the title stands."""
_SESSION: Final = re.compile(r"(?m)^\*\*Session ID:\*\* (?P<id>\S{1,200})")
_MODEL: Final = re.compile(r"(?m)^\*\*Model:\*\* (?P<name>[^\n]{1,100})")
_TIME: Final = r"\d{4}-\d\d-\d\d[^()\n]{0,30}"
_HEADING: Final = re.compile(
    rf"(?m)^(?:## (?P<who>User|Agent|Agent's Thoughts)(?: \((?P<time>{_TIME})\))?"
    r"|### Tool Call \[(?P<state>[^\]\n]{1,40})\]: ?(?P<title>[^\n]*))[ \t]*$"
)
_ABOUT: Final = re.compile(r"(?m)^\*\*(?P<key>Tool|Timestamp):\*\* (?P<value>[^\n]*)\n?")
_QUOTED: Final = re.compile(r"(?m)^> ?")
_FENCE: Final = re.compile(r"`{3,}\Z")


def detect(document: Document) -> str | None:
    """Why a document is such a transcript, None when it is not."""
    if document.shape != "text" or "# Agent Shell Transcript" not in document.text[:_LOOKED_AT]:
        return None
    text = plain_lines(document.text)
    if _BEGINNING.match(text) and _HEADING.search(text):
        return "begins as agent-shell begins its transcripts"
    return None


def read(document: Document) -> Imported:
    """Read a transcript as one conversation.

    Raises:
        FormatError: nothing was said in it.
    """
    text = plain_lines(document.text)
    begun = _BEGINNING.match(text)
    about = begun["about"] if begun else ""
    reader = _Reader(ConversationDraft(document.notes, "line "))
    model, session = _MODEL.search(about), _SESSION.search(about)
    reader.draft.model = model["name"].strip() if model else ""
    headings = list(_HEADING.finditer(text))
    beside = [begun.group() if begun else "", *(one.group().removesuffix(one["title"] or "") for one in headings)]
    document.notes.count("Headings of turns and calls", len(headings), of=beside)
    for heading, below, line in headed_sections(text, headings):
        reader.add(heading, below.strip("\n"), line)
    reader.end()
    chat = reader.draft.conversation(session["id"] if session else "c1", "", document.stem or "agent-shell")
    require(chat.messages, document, "agent-shell transcript")
    return Imported("", "", "conversation", conversations=(chat,))


class _Reader:
    """A transcript being read: what the agent says and calls is one message until a result comes or a person speaks."""

    def __init__(self, draft: ConversationDraft) -> None:
        self.draft = draft
        self._steps: ReplySteps | None = None

    def add(self, heading: re.Match[str], text: str, line: int) -> None:
        """Add what stands below a heading."""
        if heading["who"] == "User":
            self.end()
            if said := _unquoted(text).strip():
                self.draft.add(Message("user", texts(said), created=heading["time"] or "", line=line))
            return
        if self._steps is None:
            self._steps = ReplySteps(Message("assistant", (), created=heading["time"] or "", line=line))
        if heading["state"]:
            self._call(self._steps, heading, text)
        elif text.strip():
            said = text.strip()
            self._steps.say(TextPart(said) if heading["who"] == "Agent" else ReasoningPart(said))

    def end(self) -> None:
        """End the reply."""
        if self._steps is not None:
            self.draft.add_all(self._steps.messages())
        self._steps = None

    def _call(self, steps: ReplySteps, heading: re.Match[str], text: str) -> None:
        """A call with its output; what was asked is kept as the text it is shown as."""
        asked, output = _parted(text)
        about = {found["key"]: found["value"].strip() for found in _ABOUT.finditer(asked)}
        self.draft.notes.leave_out(list(about.values()))
        title = heading["title"].strip()
        shown = "\n".join(piece for piece in (title, _ABOUT.sub("", asked).strip("\n")) if piece)
        what = "Calls whose arguments the transcript puts into words, kept as that text"
        self.draft.notes.count(what, int(bool(shown)))
        call = self.draft.calls.call(about.get("Tool") or "tool", shown or None)
        if output is None:
            steps.call(call)
            self.draft.notes.count("Calls without a result in the transcript")
            return
        self.draft.calls.answer(given=call.id)
        steps.call(call, ToolResultPart(call.id, texts(output), heading["state"] == "failed"))
        steps.end()


def _parted(text: str) -> tuple[str, str | None]:
    """What stands before the last fence, and what stands in it, None where the text does not end with a fence."""
    bare = text.rstrip()
    fence = _FENCE.search(bare)
    mark = fence.group() if fence else ""
    begin = f"\n{bare}".rfind(f"\n{mark}\n", 0, len(bare) - len(mark) + 1) if mark else -1
    if not mark or begin < 0:
        return text, None
    return bare[:begin], bare[begin + len(mark) + 1 : len(bare) - len(mark)].strip("\n")


def _unquoted(text: str) -> str:
    """A prompt without the marks of a quote that older versions put before each line."""
    rows = [row for row in text.split("\n") if row.strip()]
    return _QUOTED.sub("", text) if rows and all(row.startswith(">") for row in rows) else text
