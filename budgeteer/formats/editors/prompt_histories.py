"""What people typed into agents, as these keep it to offer it again: prompts alone, by their session or project.

Certain: Claude Code's `history.jsonl` (`display` and `pastedContents` beside a `project`), Codex's `history.jsonl`
(`session_id`, `ts`, `text`) and the Gemini CLI's `logs.json` (`sessionId`, `messageId`, `type`, `message`), as Qwen
Code has it too. Commands are left out, for they were not sent.
Sources: https://github.com/openai/codex, `codex-rs/core/src/message_history.rs`;
https://github.com/google-gemini/gemini-cli, `packages/core/src/core/logger.ts`; files of Claude Code 2; 2026-11.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from budgeteer.engine.content.conversation import Message
from budgeteer.engine.content.library import compact_json
from budgeteer.formats.messages.imported import Imported, Skipped
from budgeteer.formats.messages.numbering import text_value
from budgeteer.formats.messages.objects import OBJECT, object_under
from budgeteer.formats.reading.conversation_draft import ConversationDraft, texts
from budgeteer.formats.reading.document import Document
from budgeteer.formats.reading.entries import entries_of, mostly
from budgeteer.formats.reading.importing import require

_COMMAND: Final = re.compile(r"/[a-z][\w:-]{0,60}(?:\s|\Z)")
_PASTED: Final = re.compile(r"\[(?:Pasted text|\.\.\.Truncated text) #(?P<id>\d{1,6})[^\]]{0,60}\]")


def detect(document: Document) -> str | None:
    """Why a document is a history of prompts, None when it is not."""
    if mostly(document, lambda value: _prompt(value) is not None):
        return "holds what was typed into an agent, as Claude Code, Codex and the Gemini CLI keep it"
    return None


def _prompt(value: Mapping[str, Any]) -> tuple[str, str] | None:
    """The session of a row, or else its project, and what was typed; None of any other row."""
    shown, text, message = (value.get(key) for key in ("display", "text", "message"))
    if isinstance(shown, str) and "project" in value and "pastedContents" in value:
        return text_value(value.get("sessionId")) or text_value(value["project"]), _pasted(shown, value)
    if isinstance(text, str) and {"session_id", "ts"} <= value.keys() and isinstance(value["ts"], int):
        return text_value(value["session_id"]), text
    if isinstance(message, str) and {"sessionId", "messageId", "type"} <= value.keys():
        return text_value(value["sessionId"]), message
    return None


def _pasted(shown: str, value: Mapping[str, Any]) -> str:
    """A prompt with the texts that were pasted into it, where the history keeps them."""
    contents = object_under(value, "pastedContents")

    def text(mark: re.Match[str]) -> str:
        held = contents.get(mark["id"])
        return text_value(held.get("content")) if isinstance(held, OBJECT) else mark.group()

    return _PASTED.sub(lambda mark: text(mark) or mark.group(), shown) if contents else shown


def read(document: Document) -> Imported:
    """Read the prompts of each session as one conversation.

    Raises:
        FormatError: there is none.
    """
    skipped = list(document.skipped)
    drafts: dict[str, ConversationDraft] = {}
    for entry in entries_of(document, skipped):
        found = _prompt(entry.value)
        if found is None:
            skipped.append(Skipped(entry.where, "no prompt", compact_json(entry.value)[:500]))
            continue
        session, text = found
        if _COMMAND.match(text) or not text.strip():
            document.notes.count("Commands, which are not sent, left out", of=entry.value)
            continue
        draft = drafts.setdefault(session, ConversationDraft(document.notes, "row "))
        document.notes.see([text_value(entry.value.get("display")), entry.value.get("pastedContents"), session])
        draft.add(Message("user", texts(text), line=entry.number))
    document.notes.say("The file holds prompts alone, and neither what was replied nor what was run")
    chats = [
        replace(draft.conversation("", "", document.stem or "Prompts"), id=f"c{number}", metadata={"session": session})
        for number, (session, draft) in enumerate(drafts.items(), 1)
    ]
    require(chats, document, "prompt history")
    return Imported("", "", "conversation", conversations=tuple(chats), skipped=tuple(skipped))
