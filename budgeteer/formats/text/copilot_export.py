"""Sessions that Copilot CLI shares as Markdown (`/share`): a heading with a picture for each thing the screen showed.

Certain: the first line names a session of Copilot CLI, and lines of a quote tell its id. Calls are headings of a tool's
name; below stand a title, what was asked in words, and the result in a fence, folded where it is long. What a sub-agent
did stands below the call that started it, up to the next time.
Source: files that people have published, exported by Copilot CLI 0.0.340 to 1.0, 2026-11.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from budgeteer.engine.content.conversation import Conversation, Message, ReasoningPart, TextPart, ToolResultPart
from budgeteer.formats.messages.imported import Imported
from budgeteer.formats.messages.reply_steps import ReplySteps
from budgeteer.formats.reading.conversation_draft import ConversationDraft, texts
from budgeteer.formats.reading.document import Document
from budgeteer.formats.reading.importing import require
from budgeteer.formats.text.headed_text import headed_sections, plain_lines

_BEGINNING: Final = re.compile(r"\s*# \S+ Copilot CLI Session[^\n]*\n(?P<about>(?:[ \t]*\n|>[^\n]*\n)*)")
_ID: Final = re.compile(r"Session ID:\*{0,2}\s*`?(?P<id>[\w-]{1,100})")
_PICTURE: Final = "(?:\N{INFORMATION SOURCE}\N{VARIATION SELECTOR-16}?|" r"[^\w\s`#*>|.()-][^\w\s`]{0,3})"
_HEADING: Final = re.compile(
    rf"(?m)^### {_PICTURE} (?:`(?P<tool>[^`\n]{{1,200}})`|(?P<kind>User|Copilot|Reasoning|Info|Error|Warning)"
    r"|(?P<group>[\w-]{1,60} \([^()\n]{1,60}\)))[^\n]{0,200}$"
)
_TIME: Final = re.compile(r"(?m)^<sub>[^\n]{0,300}</sub>[ \t]*$")
_FENCE: Final = re.compile(r"(?:<details>\n<summary>(?P<told>[^\n]*)</summary>\n\s*)?^```[^\n]*\n", re.MULTILINE)
_FAILED: Final = "\N{CROSS MARK}"


def detect(document: Document) -> str | None:
    """Why a document is such a session, None when it is not."""
    text = plain_lines(document.text) if document.shape == "text" else ""
    if text and _BEGINNING.match(text) and _HEADING.search(text):
        return "begins as Copilot CLI begins the sessions that it shares"
    return None


def read(document: Document) -> Imported:
    """Read a session as one conversation, and the run of each sub-agent behind it.

    Raises:
        FormatError: nothing was said in it.
    """
    text = plain_lines(document.text)
    begun = _BEGINNING.match(text)
    headings = list(_HEADING.finditer(text))
    beside = [heading.group() for heading in headings] + _TIME.findall(text)
    document.notes.count(
        "Headings and times of what is shown", len(beside), of=[begun.group() if begun else "", *beside]
    )
    runs = [_Run(document)]
    run = runs[0]
    above = 0
    for heading, below, line in headed_sections(text, headings):
        run = runs[0] if _TIME.search(text, above, heading.start()) else run
        run.add(heading, _without_tail(below), line)
        if heading["group"]:
            run = _Run(document)
            runs.append(run)
        above = heading.end()
    document.notes.count("Calls without a result in the export", sum(len(one.draft.calls.waiting) for one in runs))
    named = _ID.search(begun["about"]) if begun else None
    main = runs[0].conversation(named["id"] if named else "c1", document.stem or "Copilot session")
    require(main.messages, document, "Copilot CLI session")
    agents = (one.conversation(f"agent-{number}", f"Sub-agent {number}") for number, one in enumerate(runs[1:], 1))
    kept = (replace(chat, is_subagent=True) for chat in agents if chat.messages)
    return Imported("", "", "conversation", conversations=(main, *kept))


def _without_tail(text: str) -> str:
    """What a section shows, without the rules and times below it."""
    rows = text.strip("\n").split("\n")
    while rows and (not rows[-1].strip() or rows[-1].strip() == "---" or _TIME.fullmatch(rows[-1])):
        rows.pop()
    return "\n".join(rows)


def _unfolded(text: str) -> str:
    """The text of a fence without its end, and without that of the fold around it."""
    return text.rstrip().removesuffix("</details>").rstrip().removesuffix("```").removesuffix("\n")


class _Run:
    """A run of an agent being read: what it says and calls is one message until a result comes or a person speaks."""

    def __init__(self, document: Document) -> None:
        self.notes = document.notes
        self.draft = ConversationDraft(document.notes, "line ")
        self._steps: ReplySteps | None = None

    def add(self, heading: re.Match[str], text: str, line: int) -> None:
        """Add what a section shows; notices of the program are left out."""
        kind, tool, group = heading["kind"], heading["tool"], heading["group"]
        if kind == "User" and text:
            self._end()
            self.draft.add(Message("user", texts(text), line=line))
        elif kind == "Copilot" and text:
            self._reply(line).say(TextPart(text))
        elif kind == "Reasoning" and text:
            self._reply(line).say(ReasoningPart(text.removeprefix("*").removesuffix("*")))
        elif group:
            self._reply(line).call(self.draft.calls.call(group.split(" ", 1)[0], text or None))
        elif tool:
            self._call(tool, text, line, failed=_FAILED in heading.group())
        else:
            self.notes.leave_line(kind or "heading", text)

    def conversation(self, given: str, fallback: str) -> Conversation:
        """All that was added."""
        self._end()
        return self.draft.conversation(given, "", fallback)

    def _reply(self, line: int) -> ReplySteps:
        if self._steps is None:
            self._steps = ReplySteps(Message("assistant", (), line=line))
        return self._steps

    def _end(self) -> None:
        if self._steps is not None:
            self.draft.add_all(self._steps.messages())
        self._steps = None

    def _call(self, tool: str, text: str, line: int, *, failed: bool) -> None:
        fence = _FENCE.search(text)
        asked = (text[: fence.start()] if fence else text).strip()
        self.notes.count("Calls whose arguments the export puts into words, kept as that text", int(bool(asked)))
        call = self.draft.calls.call(tool, asked or None)
        steps = self._reply(line)
        steps.call(call)
        if fence:
            self.notes.leave_out(fence["told"])
            self.draft.calls.answer(given=call.id)
            steps.answer(ToolResultPart(call.id, texts(_unfolded(text[fence.end() :])), failed))
