"""Sessions of Continue (`~/.continue/sessions/….json`): a history of messages with what was put beside them.

Certain: a `history` of items with a `message` beside `contextItems`. What a prompt brought along is put before it, the
results of calls come from `toolCallStates`, and a summary takes the place of what is before it, as Continue sends them.
Its system message and rules stand in the file only where an item keeps a log of its prompt; of the tools there are the
definitions of those that were called.

Source: https://github.com/continuedev/continue, `core/index.d.ts`, `gui/src/redux/util/constructMessages.ts`, 2026-06.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from budgeteer.engine.content.conversation import ContentPart, Conversation, Message, Part, ReasoningPart, Role
from budgeteer.engine.content.library import compact_json
from budgeteer.formats.editors.continue_prompts import prompt_blocks
from budgeteer.formats.messages.image_sizes import image_at
from budgeteer.formats.messages.imported import Imported, Skipped
from budgeteer.formats.messages.numbering import Notes, text_value
from budgeteer.formats.messages.opaque import opaque_part
from budgeteer.formats.reading.conversation_draft import ConversationDraft, texts
from budgeteer.formats.reading.document import Document
from budgeteer.formats.reading.entries import Entry, entries_of, mappings, mostly, numbered_mappings
from budgeteer.formats.reading.importing import require

_ROLES: Final[Mapping[str, Role]] = {"user": "user", "assistant": "assistant"}
_SUMMARY: Final = "Previous conversation summary:\n\n "
_NO_OUTPUT: Final = "No tool output"
_CANCELED: Final = "The user cancelled this tool call."
_FAILED: Final = "There was an error calling the tool."
_TERMINAL: Final = "run_terminal_command"


def detect(document: Document) -> str | None:
    """Why a document is a session of Continue, None when it is not."""
    if mostly(document, lambda value: any(map(_is_item, mappings(value.get("history"))[:5]))):
        return "holds a `history` of messages beside their `contextItems`, as Continue keeps them"
    return None


def _is_item(raw: Mapping[str, Any]) -> bool:
    message = raw.get("message")
    return isinstance(message, Mapping) and "role" in message and isinstance(raw.get("contextItems"), list)


def read(document: Document) -> Imported:
    """Read every session, from its last summary on.

    Raises:
        FormatError: no session holds a message.
    """
    skipped = list(document.skipped)
    found = [_conversation(entry, document, skipped) for entry in entries_of(document, skipped)]
    chats = [chat for chat in found if chat.messages]
    require(chats, document, "Continue")
    return Imported("", "", "conversation", conversations=tuple(chats), skipped=tuple(skipped))


def _conversation(entry: Entry, document: Document, skipped: list[Skipped]) -> Conversation:
    draft = ConversationDraft(document.notes, f"{entry.where}, item ")
    items = list(numbered_mappings(entry.value.get("history"), draft.place, skipped))
    if not document.options.whole:
        items = _after_summary(items, draft)
    _add_system(items, draft)
    thoughts: list[Part] = []
    for number, item in items:
        given = item.get("message")
        message = given if isinstance(given, Mapping) else {}
        role = text_value(message.get("role"))
        if role == "thinking":
            thoughts += _thoughts(message)
        elif role == "tool":
            _told(message, number, draft)
        elif role == "system":
            draft.notes.count("System messages of the history, which Continue writes anew, left out", of=message)
        elif role in _ROLES:
            _add(item, message, Message(_ROLES[role], tuple(thoughts), line=number), draft)
            thoughts = []
        else:
            skipped.append(Skipped(f"{draft.place}{number}", "no known role", compact_json(item)[:500]))
    if thoughts:
        draft.add(Message("assistant", tuple(thoughts), line=len(items)))
    given_id, title = text_value(entry.value.get("sessionId")), text_value(entry.value.get("title"))
    chat = draft.conversation(given_id or f"c{entry.number}", title, f"Session {entry.number}")
    return replace(chat, tools=_tools(items))


def _add_system(items: list[tuple[int, Mapping[str, Any]]], draft: ConversationDraft) -> None:
    """Put the system text of the last prompt that was logged first; the rest of the logs repeats the history."""
    logs = [log for _, item in items for log in mappings(item.get("promptLogs"))]
    prompts = [blocks for log in logs if (blocks := prompt_blocks(text_value(log.get("prompt"))))]
    if prompts and prompts[-1][0][0] == "system":
        draft.add(Message("system", texts(prompts[-1][0][1]), line=1))
    what = "Logs of prompts, which repeat the history, left out but for the last system text"
    draft.notes.count(what, len(logs), of=logs)


def _tools(items: list[tuple[int, Mapping[str, Any]]]) -> tuple[Mapping[str, Any], ...]:
    """The definitions that stand with calls, each once."""
    found: dict[str, Mapping[str, Any]] = {}
    for _, item in items:
        for state in _states(item):
            tool = state.get("tool")
            function = tool.get("function") if isinstance(tool, Mapping) else None
            if isinstance(function, Mapping) and text_value(function.get("name")):
                kept = {key: function[key] for key in ("name", "description", "parameters") if key in function}
                found.setdefault(kept["name"], {"type": "function", "function": kept})
    return tuple(found.values())


def _after_summary(
    items: list[tuple[int, Mapping[str, Any]]], draft: ConversationDraft
) -> list[tuple[int, Mapping[str, Any]]]:
    """The items behind the last one that holds a summary, which is put before them as a system message."""
    for at in range(len(items) - 1, -1, -1):
        number, item = items[at]
        if text_value(item.get("conversationSummary")):
            draft.notes.count("Items before the last summary, left out", at + 1, of=[one for _, one in items[: at + 1]])
            draft.add(Message("system", texts(_SUMMARY + item["conversationSummary"]), line=number))
            return items[at + 1 :]
    return items


def _thoughts(message: Mapping[str, Any]) -> Iterator[Part]:
    said = message.get("content")
    text = said if isinstance(said, str) else "".join(text_value(part.get("text")) for part in mappings(said))
    hidden = text_value(message.get("redactedThinking"))
    if text or hidden:
        yield ReasoningPart(text, signature=text_value(message.get("signature")), encrypted=hidden)


def _add(item: Mapping[str, Any], message: Mapping[str, Any], frame: Message, draft: ConversationDraft) -> None:
    """A prompt behind what it brought along, or a reply with its calls, and their results."""
    said = list(_content(draft.notes.content_of(message), draft.notes))
    parts: list[Part] = [*frame.parts]
    if frame.role == "user":
        brought = [f"{text_value(one.get('content'))}\n" for one in mappings(item.get("contextItems"))]
        parts += texts(*(text for text in brought if text.strip()))
    reasoning = item.get("reasoning")
    if isinstance(reasoning, Mapping) and text_value(reasoning.get("text")) and not parts:
        parts.append(ReasoningPart(reasoning["text"]))
    parts += said
    states = _states(item)
    calls = mappings(message.get("toolCalls")) or [
        held for state in states if isinstance(held := state.get("toolCall"), Mapping)
    ]
    for call in calls if frame.role == "assistant" else []:
        function = call.get("function")
        inner = function if isinstance(function, Mapping) else {}
        name, given = text_value(inner.get("name")), text_value(call.get("id"))
        parts.append(draft.calls.call(name, inner.get("arguments"), given))
    whole = Message(frame.role, tuple(parts), line=frame.line)
    if parts:
        draft.add(whole)
    else:
        draft.check_read(whole, {**item, **message}, ("message", "content", "text", "editorState", "promptLogs"))
        draft.notes.count("Empty messages, which Continue does not send, left out", of=item)
    for state in states if frame.role == "assistant" else []:
        _result(state, frame.line, draft)


def _states(item: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """What became of an item's calls; older versions keep one, and not in a list."""
    single = item.get("toolCallState")
    return mappings(item.get("toolCallStates")) or ([single] if isinstance(single, Mapping) else [])


def _content(content: Any, notes: Notes) -> Iterator[ContentPart]:
    for part in content if isinstance(content, list) else [content]:
        address = part.get("imageUrl") if isinstance(part, Mapping) else None
        if isinstance(part, str):
            yield from texts(part) if part.strip() else ()
        elif isinstance(part, Mapping) and part.get("type") == "text" and isinstance(part.get("text"), str):
            yield from texts(part["text"])
        elif isinstance(address, Mapping) and text_value(address.get("url")):
            yield image_at(address["url"])
        elif isinstance(part, Mapping):
            yield opaque_part(text_value(part.get("type")), part, "continue", notes)


def _result(state: Mapping[str, Any], line: int, draft: ConversationDraft) -> None:
    """The result of a call, or Continue's remark where there is none."""
    called = state.get("toolCall")
    call = called if isinstance(called, Mapping) else {}
    given = text_value(call.get("id")) or text_value(state.get("toolCallId"))
    if given and given not in draft.calls.waiting:
        return
    function = call.get("function")
    name = text_value(function.get("name")) if isinstance(function, Mapping) else ""
    status, output = text_value(state.get("status")), state.get("output")
    said = _NO_OUTPUT
    if status == "canceled":
        said = _CANCELED
    elif isinstance(output, list):
        said = "\n\n".join(_output(one, with_status=name == _TERMINAL) for one in mappings(output))
    elif status == "errored":
        said = _FAILED
    draft.notes.count("Calls without a result, answered by Continue's remark", int(said in (_NO_OUTPUT, _FAILED)))
    frame = Message("tool", (), name=name, line=line)
    draft.answer(frame, texts(said), given, failed=status in ("errored", "canceled"))


def _output(one: Mapping[str, Any], *, with_status: bool) -> str:
    status = text_value(one.get("status"))
    return text_value(one.get("content")) + (f"\n[Status: {status}]" if with_status and status else "")


def _told(message: Mapping[str, Any], number: int, draft: ConversationDraft) -> None:
    """A result that is an item of its own; most repeat what stands with their call."""
    given = text_value(message.get("toolCallId"))
    if given in draft.calls.waiting:
        content = tuple(_content(draft.notes.content_of(message), draft.notes))
        draft.answer(Message("tool", (), line=number), content, given)
    else:
        draft.notes.count("Results that repeat those beside their calls, left out", of=message)
