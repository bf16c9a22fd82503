"""Sessions that OpenCode exports or copies as Markdown: `## User` and `## Assistant (…)`, calls with their results.

Certain: a title, and below it `**Session ID:**` and `**Created:**`. Turns stand below a rule. A call begins with
`**Tool: name**` (before 2026 a fence that begins `Tool: name`), and has its arguments and what came of it in fences
where the person chose to export them. A thought begins with a line that says so, and nothing marks its end: it goes to
the next call; where none follows, what was said begins with the second paragraph.
Source: https://github.com/sst/opencode, `packages/opencode/src/cli/cmd/tui/util/transcript.ts`, 2026-11.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from budgeteer.engine.content.conversation import Message, Part, ReasoningPart, TextPart, ToolCallPart
from budgeteer.formats.messages.imported import Imported
from budgeteer.formats.reading import json_text
from budgeteer.formats.reading.conversation_draft import ConversationDraft, texts
from budgeteer.formats.reading.document import Document
from budgeteer.formats.reading.importing import require
from budgeteer.formats.text.headed_text import headed_sections, plain_lines

_BEGINNING: Final = re.compile(
    r"\s*# (?P<title>[^\n]*)\n\s*\*\*Session ID:\*\* (?P<id>\S+)[^\n]*\n"
    r"\*\*Created:\*\* [^\n]*\n(?:\*\*Updated:\*\* [^\n]*\n)?"
)
_HEADING: Final = re.compile(r"(?m)^---\n+## (?P<who>User|Assistant)(?: \((?P<about>[^\n]*)\))?[ \t]*$")
_RULE: Final = re.compile(r"\n---\s*\Z")
_TOOL: Final = re.compile(r"(?m)^(?:\*\*Tool: (?P<name>[^\n]{1,200})\*\*|```\nTool: (?P<fenced>[^\n]{1,200}))$")
_INPUT: Final = re.compile(r"\n{0,3}\*\*Input:\*\*\n```json\n")
_OUTPUT: Final = re.compile(r"\n{0,3}\*\*(?P<kind>Output|Error):\*\*\n```\n")
_END: Final = "\n```"
_FENCE: Final = re.compile(r"(?m)^```(?P<info>[^\n`]*)$")
_CLOSED: Final = re.compile(r"\n```(?=\n|\Z)")
_THOUGHT: Final = re.compile(r"(?m)^_Thinking(?: \([^\n]*\))?:_$")
_SAID: Final = re.compile(r"[^·]*·\s*(?P<model>[^·]+?)\s*(?:·[^·]*)?\Z")


@dataclass(frozen=True, slots=True)
class _Call:
    """A call as it is written: where it begins and ends, its name and arguments, what came of it."""

    begin: int
    end: int
    name: str
    arguments: str
    result: str | None
    failed: bool


def detect(document: Document) -> str | None:
    """Why a document is such an export, None when it is not."""
    if document.shape != "text" or not _BEGINNING.match(plain_lines(document.text[:4_000])):
        return None
    return "begins as OpenCode begins its Markdown" if _HEADING.search(plain_lines(document.text)) else None


def read(document: Document) -> Imported:
    """Read an export as one conversation.

    Raises:
        FormatError: no turn is in it.
    """
    text = plain_lines(document.text)
    begun = _BEGINNING.match(text)
    draft = ConversationDraft(document.notes, "line ")
    headings = list(_HEADING.finditer(text))
    about = [heading.group() for heading in headings]
    document.notes.count(
        "Headings of turns, read as who speaks", len(about), of=[begun.group() if begun else "", *about]
    )
    for heading, below, line in headed_sections(text, headings):
        _add_turn(heading, _RULE.sub("", below), line + heading.group().count("\n"), draft)
    left = text[begun.end() if begun else 0 : headings[0].start() if headings else len(text)].strip()
    document.notes.count("Lines about the export before the first turn, left out", int(bool(left)), of=left)
    document.notes.count("Calls whose results the transcript leaves out", len(draft.calls.waiting))
    chat = draft.conversation(begun["id"] if begun else "c1", begun["title"] if begun else "", document.stem)
    require(chat.messages, document, "OpenCode export")
    return Imported("", "", "conversation", conversations=(chat,))


def _add_turn(heading: re.Match[str], text: str, line: int, draft: ConversationDraft) -> None:
    """Add a message with its calls, and the results of those behind it."""
    if heading["who"] == "User":
        draft.add(Message("user", texts(text.strip("\n")), line=line))
        return
    told = _SAID.match(heading["about"] or "")
    draft.model = told["model"] if told else draft.model
    calls = list(_calls(text))
    parts: list[Part] = []
    at = 0
    for call in calls:
        parts += _said(text[at : call.begin], before_call=True, draft=draft)
        parts.append(draft.calls.call(call.name, json_text.parse_inner(call.arguments, call.arguments or None)))
        at = call.end
    parts += _said(text[at:], before_call=False, draft=draft)
    made = [part.id for part in parts if isinstance(part, ToolCallPart)]
    draft.add(Message("assistant", tuple(parts), line=line))
    for call, given in zip(calls, made, strict=True):
        if call.result is not None:
            draft.answer(Message("tool", (), line=line), texts(call.result), given, failed=call.failed)


def _said(text: str, *, before_call: bool, draft: ConversationDraft) -> Iterator[Part]:
    """The thoughts and the words of a stretch without calls."""
    marks = list(_THOUGHT.finditer(text))
    yield from _words(text[: marks[0].start() if marks else len(text)])
    ends = [*(mark.start() for mark in marks), len(text)]
    for number, (mark, (_, end)) in enumerate(zip(marks, pairwise(ends), strict=True), 1):
        thought, rest = text[mark.end() : end].strip("\n"), ""
        if not before_call and number == len(marks):
            thought, _, rest = thought.partition("\n\n")
        draft.notes.count("Thoughts, whose end the export does not mark", of=mark.group())
        yield from [ReasoningPart(thought)] if thought.strip() else []
        yield from _words(rest)


def _words(text: str) -> Iterator[TextPart]:
    yield from texts(text.strip("\n") if text.strip() else "")


def _calls(text: str) -> Iterator[_Call]:
    """The calls of a turn in order; what stands in a fence of one of them is not looked into."""
    at = 0
    last_fence = text.rfind(_END)
    while found := _TOOL.search(text, at):
        end, arguments = found.end(), ""
        given = _INPUT.match(text, end)
        if given and given.end() <= last_fence:
            end = text.index(_END, given.end()) + len(_END)
            arguments = text[given.end() : end - len(_END)]
        came = _OUTPUT.match(text, end)
        result = None
        if came:
            close, end = _close(text, came.end())
            result = text[came.end() : close]
        if found["fenced"] and (closing := _CLOSED.match(text, end)):
            end = closing.end()
        name = (found["name"] or found["fenced"]).strip()
        failed = came is not None and came["kind"] == "Error"
        yield _Call(found.start(), end, name, arguments, result, failed)
        at = max(end, found.end())


def _close(text: str, begin: int) -> tuple[int, int]:
    """Where a result ends, and the fence that closes it: the first one alone on its line that closes none within it.

    A fence with a language opens one within it; one alone that is followed by another line does so as well.
    """
    depth = 0
    last = (len(text), len(text))
    for fence in _FENCE.finditer(text, begin):
        ends = (max(fence.start() - 1, begin), fence.end())
        if fence["info"].strip():
            depth += 1
        elif depth:
            depth -= 1
            last = ends
        elif text[fence.end() : fence.end() + 2] in ("", "\n", "\n\n", "\n`"):
            return ends
        else:
            depth += 1
    return last
