"""Messages of Semantic Kernel and of Microsoft.Extensions.AI (Agent Framework): a role, and contents with a `$type`.

Semantic Kernel writes a `ChatHistory` as messages of `Role.Label` and `Items`, the other as `role` and `contents`; the
names of fields begin with a capital or not, as a program's settings have it.

Certain: a role beside `Items` or `contents` of objects with a `$type`.
Source: github.com/microsoft/semantic-kernel, dotnet/src/SemanticKernel.Abstractions/Contents, and github.com/dotnet/
extensions, src/Libraries/Microsoft.Extensions.AI.Abstractions, 2026-11.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from budgeteer.engine.content.conversation import Message, Part, ReasoningPart, Role
from budgeteer.engine.content.library import compact_json
from budgeteer.formats.frameworks.message_lists import StoredMessages, imported_messages
from budgeteer.formats.messages.image_sizes import image_at
from budgeteer.formats.messages.imported import Imported, Skipped
from budgeteer.formats.messages.numbering import text_value
from budgeteer.formats.messages.objects import OBJECT
from budgeteer.formats.messages.opaque import opaque_part
from budgeteer.formats.reading.conversation_draft import ConversationDraft, texts
from budgeteer.formats.reading.document import Document
from budgeteer.formats.reading.entries import mappings, mostly

_ROLES: Final[Mapping[str, Role]] = {
    **{name: name for name in ("system", "developer", "user", "assistant", "tool")},
    "function": "tool",
}
_CONTENTS: Final = ("items", "contents")
_TYPE: Final = "$type"

#: Where the names of a function stand: its plugin's, its own, and its own in Microsoft.Extensions.AI.
_NAMES: Final = ("pluginname", "functionname", "name")


def detect(document: Document) -> str | None:
    """Why a document holds messages of one of the two, None when it does not."""
    if mostly(document, lambda value: any(map(_is_message, _messages(value)[:20]))):
        return "holds messages with a role and contents of a `$type`, as Semantic Kernel or Microsoft.Extensions.AI do"
    return None


def _messages(value: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The messages that an object holds, or itself."""
    held = _named(value).get("messages")
    return mappings(held) if isinstance(held, list) else [value]


def _is_message(value: Mapping[str, Any]) -> bool:
    named = _named(value)
    return bool(_role(named)) and any(_TYPE in item for item in _contents(named))


def _named(raw: Mapping[str, Any]) -> dict[str, Any]:
    """An object by the names of its fields in small letters."""
    return {key.lower(): held for key, held in raw.items()}


def _role(named: Mapping[str, Any]) -> str:
    return _label(named).lower()


def _label(named: Mapping[str, Any]) -> str:
    """A role as it is written: a text, or the `label` of an object."""
    given = named.get("role")
    return text_value(_named(given).get("label") if isinstance(given, OBJECT) else given)


def _contents(named: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return next((mappings(named[key]) for key in _CONTENTS if isinstance(named.get(key), list)), [])


def read(document: Document) -> Imported:
    """Read the messages, those of each object that holds a list of them as a conversation.

    Raises:
        FormatError: no message was found.
    """
    return imported_messages(document, _stored, _add, "Semantic Kernel or Microsoft.Extensions.AI")


def _stored(value: Mapping[str, Any]) -> list[StoredMessages] | None:
    named = _named(value)
    held = named.get("messages")
    return [StoredMessages(held, model=text_value(named.get("modelid")))] if isinstance(held, list) else None


def _add(draft: ConversationDraft, number: int, raw: Mapping[str, Any], skipped: list[Skipped]) -> None:
    named = _named(raw)
    role = _ROLES.get(_role(named))
    if role is None:
        skipped.append(Skipped(f"{draft.place}{number}", "no known role", compact_json(raw)[:500]))
        return
    draft.notes.see(_label(named))
    draft.model = text_value(named.get("modelid")) or draft.model
    frame = Message(role, (), name=text_value(named.get("authorname")), line=number)
    parts: list[Part] = []
    has_results = False
    for item in _contents(named):
        content = _named(item)
        kind = text_value(item.get(_TYPE)).lower().removesuffix("content")
        if kind == "functionresult":
            has_results = True
            called = Message("tool", (), name=_called(content), line=number)
            draft.answer(called, texts(_text(content.get("result"))), text_value(content.get("callid")))
        elif kind == "usage":
            draft.notes.count("Recorded usage that is no content, left out", of=item)
        else:
            parts += _parts(draft, kind, content, item)
    if not _contents(named):
        parts += texts(text_value(named.get("content")) or text_value(named.get("text")))
    if parts or not has_results:
        whole = Message("user" if role == "tool" else role, tuple(parts), name=frame.name, line=number)
        draft.check_read(whole, raw, [key for key in raw if key.lower() in ("role", "content", "text", *_CONTENTS)])
        draft.add(whole)


def _parts(draft: ConversationDraft, kind: str, content: Mapping[str, Any], item: Mapping[str, Any]) -> Iterator[Part]:
    """The parts of a content, by its kind; one of another kind is kept as it came."""
    said = text_value(content.get("text"))
    if kind in ("text", "streamingtext"):
        yield from texts(said)
    elif kind in ("reasoning", "textreasoning"):
        yield ReasoningPart(said)
    elif kind == "functioncall":
        given = text_value(content.get("callid")) or text_value(content.get("id"))
        draft.notes.see(_names(content))
        yield draft.calls.call(_called(content), content.get("arguments"), given)
    elif address := _picture(kind, content):
        yield image_at(address)
    else:
        yield opaque_part(text_value(item.get(_TYPE)), item, "microsoft-ai", draft.notes)


def _called(content: Mapping[str, Any]) -> str:
    """The name of a function, behind that of its plugin as a model is told it."""
    return "-".join(filter(None, _names(content)))


def _names(content: Mapping[str, Any]) -> tuple[str, str]:
    """The names of a plugin and of its function, "" for what is missing; of two names of a function the first."""
    plugin, *names = (text_value(content.get(key)) for key in _NAMES)
    return plugin, next(filter(None, names), "")


def _picture(kind: str, content: Mapping[str, Any]) -> str:
    """The address of a picture, "" where a content is none."""
    address = text_value(content.get("datauri")) or text_value(content.get("uri"))
    mime = text_value(content.get("mimetype")) or text_value(content.get("mediatype"))
    data = text_value(content.get("data"))
    if kind == "image" and not address and data:
        address = f"data:{mime or 'image/png'};base64,{data}"
    is_picture = kind == "image" or (kind in ("data", "uri") and (mime or address[5:]).startswith("image/"))
    return address if is_picture else ""


def _text(value: Any) -> str:
    return "" if value is None else value if isinstance(value, str) else compact_json(value)
