"""Chats that Cursor keeps in its `state.vscdb`, as they are exported: composers and their bubbles.

Certain: objects of a `composerId` with a conversation, bubbles of a `bubbleId` and a type, keys like `composerData:…`
and `bubbleId:…`, or the `tabs` of the older chat. Rows of keys and values, one object of them, an object of a composer
with its bubbles, and all of these inside each other are read; values may be JSON texts, as in the database. A composer
gives the order of its bubbles; one that it does not list was taken back and is left out. Of a bubble is read what was
said, thought, called and answered; what was put beside a prompt stands before it. Composers of early 2025 keep the
calls apart from the bubbles, by their ids (`bubbleDataMap` of a capability).

Cursor does not publish the form. Sources: programs that read it, and
https://github.com/michaeldhood/chatrxiv, `docs/cursor/storage-reference.md`, 2025-12.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import islice
from typing import Any, Final

from budgeteer.engine.content.conversation import (
    ContentPart,
    Conversation,
    Message,
    Part,
    ReasoningPart,
    RecordedRequest,
    Role,
)
from budgeteer.engine.content.library import compact_json
from budgeteer.engine.errors import FormatError
from budgeteer.formats.messages.image_sizes import image_at
from budgeteer.formats.messages.imported import Imported, Skipped
from budgeteer.formats.messages.numbering import Notes, first_text, text_value
from budgeteer.formats.messages.objects import OBJECT, object_under
from budgeteer.formats.messages.recorded_requests import token_count
from budgeteer.formats.reading import json_text
from budgeteer.formats.reading.conversation_draft import ConversationDraft, texts
from budgeteer.formats.reading.document import Document
from budgeteer.formats.reading.entries import Entry, entries_of, mappings, sampled
from budgeteer.formats.reading.importing import require

_ROLES: Final[Mapping[Any, Role]] = {1: "user", 2: "assistant", "user": "user", "ai": "assistant"}
_COMPOSER_KEY: Final = "composerData:"
_BUBBLE_KEY: Final = "bubbleId:"
_LISTS: Final = ("fullConversationHeadersOnly", "conversation", "conversationMap", "bubbles")
_HOLDS: Final = (list, *OBJECT)
_DEPTH: Final = 5
"""How deep composers and bubbles are looked for."""
_LOOKED_AT: Final = 20
"""How many members of a list or an object are looked at to tell the format."""


@dataclass(slots=True)
class _Composer:
    """A conversation being gathered: what stands around it, and its bubbles by their ids, in the order of the file."""

    place: str
    raw: dict[str, Any] = field(default_factory=dict)
    bubbles: dict[str, Mapping[str, Any]] = field(default_factory=dict)


def detect(document: Document) -> str | None:
    """Why a document is a chat of Cursor, None when it is not."""
    for value in sampled(document):
        if any(_is_composer(held) or _is_bubble(held) for _, held in _kept(value, "", most=_LOOKED_AT)):
            return "holds composers and bubbles, as Cursor keeps its chats"
    return None


def _is_composer(value: Mapping[str, Any]) -> bool:
    is_chat = "composerId" in value or ("tabId" in value and "bubbles" in value)
    return is_chat and any(isinstance(value.get(key), _HOLDS) and value[key] for key in _LISTS)


def _is_bubble(value: Mapping[str, Any]) -> bool:
    kind = value.get("type")
    known = isinstance(kind, int | str) and not isinstance(kind, bool) and kind in _ROLES
    return "bubbleId" in value and known and not {"text", "rawText", "toolFormerData", "thinking"}.isdisjoint(value)


def _kept(value: Any, key: str, depth: int = 0, *, most: int | None = None) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Every composer and bubble in a value, with the key of the database it stands under ("" where it has none)."""
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        value = json_text.parse_inner(value, None)
    if not isinstance(value, _HOLDS):
        return
    if isinstance(value, OBJECT) and (
        _is_composer(value) or _is_bubble(value) or (key.startswith(_COMPOSER_KEY) and "composerId" in value)
    ):
        yield key, value
        return
    if depth < _DEPTH:
        for name, one in islice(_members(value), most):
            yield from _kept(one, name, depth + 1, most=most)


def _members(value: Any) -> Iterator[tuple[str, Any]]:
    """The members of a list, of an object, or the value of a row, with their keys of the database."""
    if isinstance(value, list):
        yield from (("", one) for one in value)
    elif isinstance(value.get("key"), str) and "value" in value:
        yield value["key"], value["value"]
    else:
        for name, one in value.items():
            if isinstance(one, _HOLDS) or (isinstance(one, str) and _is_key(name)):
                yield name if _is_key(name) else "", one


def _is_key(name: str) -> bool:
    return name.startswith((_COMPOSER_KEY, _BUBBLE_KEY)) or name.endswith(("composerData", ".chatdata"))


def read(document: Document) -> Imported:
    """Read every chat of a document.

    Raises:
        FormatError: no bubble holds a message.
    """
    skipped = list(document.skipped)
    composers: dict[str, _Composer] = {}
    last = ""
    for entry in entries_of(document, skipped):
        held = list(_kept(entry.value, ""))
        if not held:
            document.notes.leave_line("entry without a chat", entry.value)
        for key, value in held:
            document.notes.see(key if _is_key(key) else None)
            last = _gather(composers, key, value, entry, last)
    chats = [_conversation(given, one, document, skipped) for given, one in composers.items()]
    told = tuple(chat for chat in chats if chat.messages)
    if not told and any(mappings(one.raw.get("fullConversationHeadersOnly")) for one in composers.values()):
        raise FormatError(
            "This chat of Cursor only lists its messages (`fullConversationHeadersOnly`), which stand elsewhere",
            where=document.name,
            mend="Export the rows of `cursorDiskKV` whose keys begin with `bubbleId:` as well",
        )
    require(told, document, "Cursor")
    return Imported("", "", "conversation", conversations=told, skipped=tuple(skipped))


def _gather(composers: dict[str, _Composer], key: str, value: Mapping[str, Any], entry: Entry, last: str) -> str:
    """Put what was found where it belongs; a bubble without a composer's id to the composer before it."""
    if _is_bubble(value):
        named = key.removeprefix(_BUBBLE_KEY).split(":") if key.startswith(_BUBBLE_KEY) else []
        given = named[0] if len(named) > 1 else text_value(value.get("composerId")) or last
        one = composers.setdefault(given, _Composer(entry.where))
        one.bubbles[text_value(value["bubbleId"]) or f"#{len(one.bubbles)}"] = value
        return given
    given = text_value(value.get("composerId")) or text_value(value.get("tabId")) or f"#{len(composers)}"
    one = composers.setdefault(given, _Composer(entry.where))
    one.raw |= value
    for place in ("conversation", "conversationMap", "bubbles"):
        inner = value.get(place)
        for held in inner.values() if isinstance(inner, OBJECT) else mappings(inner):
            bubble = _bubble_of(held)
            if bubble is not None:
                one.bubbles[text_value(bubble.get("bubbleId")) or f"#{len(one.bubbles)}"] = bubble
    return given


def _bubble_of(value: Any) -> Mapping[str, Any] | None:
    """A bubble of a composer's own list, which may be without an id, or beside its header."""
    if not isinstance(value, OBJECT):
        return None
    inner = value.get("bubble")
    if isinstance(inner, OBJECT):
        return inner
    kind = value.get("type")
    return value if isinstance(kind, int | str) and not isinstance(kind, bool) and kind in _ROLES else None


def _conversation(given: str, one: _Composer, document: Document, skipped: list[Skipped]) -> Conversation:
    draft = ConversationDraft(document.notes, f"{one.place}, bubble ")
    config = one.raw.get("modelConfig")
    draft.model = text_value(config.get("modelName")) if isinstance(config, OBJECT) else ""
    ordered = _with_calls(_ordered(one, document.notes), one.raw)
    if not document.options.whole:
        ordered = _after_summary(one, ordered, draft)
    for number, bubble in enumerate(ordered, 1):
        _add(draft, number, bubble, skipped)
    title = text_value(one.raw.get("name")) or text_value(one.raw.get("chatTitle"))
    chat = draft.conversation(given.removeprefix("#") or "c1", title, document.stem or "Cursor chat")
    return replace(chat, is_subagent=bool(one.raw.get("subagentInfo") or one.raw.get("isSubagent")))


def _ordered(one: _Composer, notes: Notes) -> list[Mapping[str, Any]]:
    """The bubbles as the composer lists them, else by their times."""
    headers = mappings(one.raw.get("fullConversationHeadersOnly"))
    if not headers:
        bubbles = list(one.bubbles.values())
        times = [_created(bubble) for bubble in bubbles]
        return [bubbles[at] for at in sorted(range(len(bubbles)), key=times.__getitem__)] if all(times) else bubbles
    wanted = [text_value(header.get("bubbleId")) for header in headers]
    notes.count("Bubbles that the file does not hold", sum(name not in one.bubbles for name in wanted))
    listed = set(wanted)
    for name, bubble in one.bubbles.items():
        if name not in listed:
            notes.count("Bubbles that their composer does not list, left out", of=bubble)
    return [one.bubbles[name] for name in wanted if name in one.bubbles]


def _with_calls(bubbles: list[Mapping[str, Any]], composer: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The bubbles with the calls that their composer keeps apart from them."""
    kept: dict[str, Any] = {}
    for capability in mappings(composer.get("capabilities")):
        held = object_under(capability, "data").get("bubbleDataMap")
        held = json_text.parse_inner(held, None) if isinstance(held, str) else held
        kept |= held if isinstance(held, OBJECT) else {}
    if not kept:
        return bubbles
    called = [(bubble, kept.get(text_value(bubble.get("bubbleId")))) for bubble in bubbles]
    return [
        {**bubble, "toolFormerData": call} if isinstance(call, OBJECT) and not bubble.get("toolFormerData") else bubble
        for bubble, call in called
    ]


def _after_summary(
    one: _Composer, ordered: list[Mapping[str, Any]], draft: ConversationDraft
) -> list[Mapping[str, Any]]:
    """What follows the last summary, which takes the place of what is before it."""
    held = one.raw.get("latestConversationSummary")
    inner = held.get("summary") if isinstance(held, OBJECT) else None
    told = inner if isinstance(inner, OBJECT) else held if isinstance(held, OBJECT) else {}
    text = text_value(told.get("summary"))
    start = text_value(told.get("clientShouldStartSendingFromInclusiveBubbleId"))
    at = next((at for at, bubble in enumerate(ordered) if text_value(bubble.get("bubbleId")) == start), 0)
    if not text or not start or not at:
        return ordered
    draft.notes.count("Bubbles before the last summary, left out", at, of=ordered[:at])
    draft.add(Message("user", texts(text), typed=False))
    return ordered[at:]


def _created(bubble: Mapping[str, Any]) -> str:
    given = bubble.get("createdAt")
    if isinstance(given, int) and not isinstance(given, bool) and 0 < given < 10**14:
        return datetime.fromtimestamp(given / 1000, UTC).isoformat()
    return text_value(given)


def _add(draft: ConversationDraft, number: int, bubble: Mapping[str, Any], skipped: list[Skipped]) -> None:
    role = _ROLES.get(bubble.get("type")) if isinstance(bubble.get("type"), int | str) else None
    if role is None:
        skipped.append(Skipped(f"{draft.place}{number}", "of no known type", compact_json(bubble)[:500]))
        return
    info = bubble.get("modelInfo")
    named = text_value(info.get("modelName")) if isinstance(info, OBJECT) else text_value(bubble.get("modelType"))
    draft.model = named or draft.model
    frame = Message(role, (), text_value(bubble.get("bubbleId")), created=_created(bubble), line=number)
    said: list[Part] = [*_thoughts(bubble), *_beside(bubble), *texts(_text(bubble)), *_pictures(bubble)]
    tool = bubble.get("toolFormerData")
    if isinstance(tool, OBJECT) and (text_value(tool.get("name")) or "tool" in tool):
        _call(draft, frame, said, tool)
    elif said or role == "user" or not _is_marker(bubble):
        message = replace(frame, parts=tuple(said))
        draft.check_read(message, bubble, ("text", "rawText", "thinking", "codeBlocks", "richText"))
        draft.add(message)
    else:
        draft.notes.count("Bubbles that only mark a step, left out", of=bubble)
    counted = bubble.get("tokenCount")
    if role == "assistant" and isinstance(counted, OBJECT) and token_count(counted.get("inputTokens")):
        spent = token_count(counted.get("outputTokens"))
        draft.record(number, RecordedRequest(0, token_count(counted["inputTokens"]), output_tokens=spent, model=named))


def _is_marker(bubble: Mapping[str, Any]) -> bool:
    """Whether a bubble of the assistant says nothing: Cursor writes one where a step begins."""
    return not any(bubble.get(key) for key in ("codeBlocks", "toolResults", "interpreterResults"))


def _text(bubble: Mapping[str, Any]) -> str:
    said = first_text(bubble, ("text", "rawText", "delegate"))
    if said:
        return said
    blocks = mappings(bubble.get("codeBlocks"))
    fences = [f"```{text_value(one.get('languageId'))}\n{text_value(one.get('content'))}\n```" for one in blocks]
    return "\n\n".join(fences) or _rich_text(bubble.get("initText") or bubble.get("richText"))


def _rich_text(given: Any) -> str:
    """The words of an editor's state, which is a tree of nodes with texts."""
    state = json_text.parse_inner(given, None) if isinstance(given, str) else given
    return "".join(_leaves(state.get("root") if isinstance(state, OBJECT) else None))


def _leaves(node: Any) -> Iterator[str]:
    if not isinstance(node, OBJECT):
        return
    if isinstance(node.get("text"), str):
        yield node["text"]
    for child in mappings(node.get("children")):
        yield from _leaves(child)
    if node.get("type") in ("paragraph", "linebreak"):
        yield "\n"


def _thoughts(bubble: Mapping[str, Any]) -> Iterator[Part]:
    given = bubble.get("thinking")
    blocks: Sequence[Any] = [given] if given else bubble.get("allThinkingBlocks") or []
    for block in blocks if isinstance(blocks, list) else []:
        match block:
            case str(text) if text:
                yield ReasoningPart(text)
            case {"text": str(text), **rest} | {"thinking": str(text), **rest} if text:
                yield ReasoningPart(text, signature=text_value(rest.get("signature")))
            case _:
                pass


def _beside(bubble: Mapping[str, Any]) -> Iterator[Part]:
    """What was put beside a prompt: pieces of files, and what was selected."""
    context = bubble.get("context")
    held = [bubble.get("attachedCodeChunks"), bubble.get("selections")]
    if isinstance(context, OBJECT):
        held += [context.get("selections"), context.get("terminalSelections"), context.get("quotes")]
    seen: set[str] = set()
    for piece in (piece for listed in held for piece in mappings(listed)):
        lines = piece.get("lines")
        text = "\n".join(map(text_value, lines)) if isinstance(lines, list) else ""
        text = text or next(
            (said for key in ("content", "text", "rawText") if (said := text_value(piece.get(key)))), ""
        )
        if text and text not in seen:
            seen.add(text)
            yield from texts(text)


def _pictures(bubble: Mapping[str, Any]) -> Iterator[ContentPart]:
    listed = bubble.get("images")
    for one in listed if isinstance(listed, list) else []:
        address = one if isinstance(one, str) else ""
        if isinstance(one, OBJECT):
            address = next((said for key in ("data", "url", "path") if (said := text_value(one.get(key)))), "")
        if address:
            yield image_at(address)


def _call(draft: ConversationDraft, frame: Message, said: list[Part], tool: Mapping[str, Any]) -> None:
    """A call with what it answered; both are JSON texts, and an error stands beside them."""
    name = text_value(tool.get("name")) or f"tool_{tool.get('tool')}"
    arguments = tool.get("rawArgs") or tool.get("params")
    call = draft.calls.call(name, arguments, text_value(tool.get("toolCallId")))
    draft.add(replace(frame, role="assistant", parts=(*said, call)))
    result, error = tool.get("result"), tool.get("error")
    told = result if isinstance(result, str) else "" if result is None else compact_json(result)
    wrong = error if isinstance(error, str) else "" if error is None else compact_json(error)
    if told or wrong or tool.get("status") in ("completed", "error"):
        failed = tool.get("status") == "error" or bool(wrong)
        draft.answer(Message("tool", (), name=name, line=frame.line), list(texts(told, wrong)), call.id, failed=failed)
    else:
        draft.notes.count("Calls that had not ended, without a result")
