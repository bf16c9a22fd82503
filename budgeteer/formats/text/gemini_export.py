"""Chats that the Gemini CLI and Qwen Code share as Markdown (`/chat share`): a heading for each content of the history.

Certain: headings `## USER` and `## MODEL` with the pictures that mark them (before them in Qwen Code), below a rule. A
call stands in a fence below `**Tool Command**:`, a response below `**Tool Response**:`, each as JSON of one object.
Source: https://github.com/google-gemini/gemini-cli, `packages/cli/src/ui/utils/historyExportUtils.ts`, 2026-11.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from budgeteer.engine.content.conversation import Message, Part
from budgeteer.engine.content.library import compact_json
from budgeteer.formats.messages.imported import Imported
from budgeteer.formats.messages.numbering import text_value
from budgeteer.formats.messages.objects import OBJECT, object_under
from budgeteer.formats.reading import json_text
from budgeteer.formats.reading.conversation_draft import ConversationDraft, texts
from budgeteer.formats.reading.document import Document
from budgeteer.formats.reading.importing import require
from budgeteer.formats.text.headed_text import headed_sections, plain_lines

_PERSON: Final = "\N{ADULT}(?:\N{EMOJI MODIFIER FITZPATRICK TYPE-3}|\u200d|\N{PERSONAL COMPUTER})*"
_MODEL: Final = "\N{SPARKLES}"
_HEADING: Final = re.compile(
    rf"(?:\A|(?<=\n))(?:## (?:USER {_PERSON}|MODEL {_MODEL})|{_PERSON} ## USER|{_MODEL} ## MODEL)[ \t]*(?=\n|\Z)"
)
_BLOCK: Final = re.compile(r"\*\*Tool (?P<kind>Command|Response)\*\*:\n```json\n(?=\{)")
_CLOSED: Final = "}\n```"


def detect(document: Document) -> str | None:
    """Why a document is such a chat, None when it is not."""
    if document.shape != "text":
        return None
    found = {"USER" in heading.group() for heading in _HEADING.finditer(plain_lines(document.text))}
    return "has the headings that the Gemini CLI gives turns (`## USER` and `## MODEL`)" if len(found) > 1 else None


def read(document: Document) -> Imported:
    """Read a chat as one conversation.

    Raises:
        FormatError: no turn is in it.
    """
    text = plain_lines(document.text)
    draft = ConversationDraft(document.notes, "line ")
    headings = list(_HEADING.finditer(text))
    document.notes.see([heading.group() for heading in headings])
    for heading, below, line in headed_sections(text, headings):
        _add_turn(_without_rule(below), line, draft, is_person="USER" in heading.group())
    left = text[: headings[0].start() if headings else len(text)].strip()
    document.notes.count("Lines before the first turn, left out", int(bool(left)), of=left)
    chat = draft.conversation("c1", "", document.stem or "Gemini CLI chat")
    require(chat.messages, document, "Gemini CLI chat")
    return Imported("", "", "conversation", conversations=(chat,))


def _add_turn(text: str, line: int, draft: ConversationDraft, *, is_person: bool) -> None:
    """Add what is said and called in a turn, and the results that stand in it."""
    parts: list[Part] = []
    for piece in _pieces(text):
        if isinstance(piece, str):
            parts += texts(piece.strip("\n") if piece.strip() else "")
        elif "response" in piece:
            response = piece["response"]
            held = response if isinstance(response, OBJECT) else {}
            told = next((held[key] for key in ("output", "error") if isinstance(held.get(key), str)), None)
            shown = texts(told if told is not None else compact_json(response))
            frame = Message("tool", (), name=text_value(piece.get("name")), line=line)
            draft.answer(frame, shown, text_value(piece.get("id")), failed="error" in held and "output" not in held)
        else:
            parts.append(
                draft.calls.call(text_value(piece.get("name")), piece.get("args"), text_value(piece.get("id")))
            )
    if parts:
        draft.add(Message("user" if is_person else "assistant", tuple(parts), line=line))


def _pieces(text: str) -> Iterator[str | Mapping[str, Any]]:
    """The texts of a turn, and the calls and responses between them; a block that is no JSON is text."""
    at = 0
    for block in _BLOCK.finditer(text):
        if block.start() < at:
            continue
        end = text.find(_CLOSED, block.end())
        if end < 0:
            break
        held = json_text.parse_inner(text[block.end() : end + 1], None)
        if not isinstance(held, OBJECT) or not text_value(held.get("name")):
            continue
        yield text[at : block.start()]
        is_response = block["kind"] == "Response"
        yield {**held, "response": held.get("response")} if is_response else {**_call(held)}
        at = end + len(_CLOSED)
    yield text[at:]


def _without_rule(text: str) -> str:
    """A turn without the rule below it."""
    bare = text.rstrip()
    return bare.removesuffix("---").rstrip() if bare.endswith("\n---") else bare


def _call(held: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"name": held["name"], "args": object_under(held, "args"), "id": held.get("id")}
