"""Gemini contents as messages: camelCase and snake_case; calls matched to responses by id, or by name and order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any, Final

from budgeteer.engine.content.conversation import (
    AudioPart,
    ContentPart,
    FilePart,
    ImagePart,
    Message,
    Part,
    ReasoningPart,
    Role,
    TextPart,
    ToolResultPart,
)
from budgeteer.engine.content.library import compact_json
from budgeteer.engine.content.origin import Origin
from budgeteer.formats.messages.image_sizes import base64_pixel_size
from budgeteer.formats.messages.numbering import Notes, text_value
from budgeteer.formats.messages.objects import OBJECT
from budgeteer.formats.messages.opaque import opaque_part
from budgeteer.formats.messages.origins import origin_of
from budgeteer.formats.reading.entries import mappings
from budgeteer.formats.reading.open_calls import OpenCalls

FAMILY: Final = "gemini"
ROLES: Final = frozenset({"user", "model", "function", "tool", "system"})
_SPEAKERS: Final = ("user", "model")
_KINDS: Final = (
    "functionCall",
    "functionResponse",
    "inlineData",
    "fileData",
    "executableCode",
    "codeExecutionResult",
    "toolCall",
    "toolResponse",
    "text",
)
_KEPT: Final = ("executableCode", "codeExecutionResult", "toolCall", "toolResponse")
"""Kinds of parts that are kept as they came."""

_TEXT_FIELDS: Final = frozenset({"videoMetadata", "mediaResolution", "partMetadata"})
_CALL_FIELDS: Final = frozenset({"willContinue"})
_RESPONSE_FIELDS: Final = frozenset({"response", "willContinue", "scheduling"})
"""The fields that a part of a request has beside what it says."""

PART_KEYS: Final = frozenset(
    {*_KINDS, "function_call", "function_response", "inline_data", "file_data", "thoughtSignature"}
)
"""What a part has at least one of, beside other keys that may be null."""


def key_of(value: Mapping[str, Any], name: str) -> Any:
    """What stands under a camelCase key or its snake_case form; null is nothing."""
    found = value.get(name)
    if found is not None:
        return found
    return value.get(_snake_case(name))


@lru_cache(maxsize=256)
def _snake_case(name: str) -> str:
    return "".join(f"_{sign.lower()}" if sign.isupper() else sign for sign in name)


def parts_of(content: Any) -> list[Any]:
    """The raw parts of a content: its `parts`, or whatever an SDK takes in their place (a text, a part, a list)."""
    if isinstance(content, OBJECT) and ("parts" in content or ("role" in content and PART_KEYS.isdisjoint(content))):
        content = content.get("parts")
    if isinstance(content, list):
        return content
    return [] if content is None else [content]


def content_origin(content: Any) -> Origin | None:
    """How a content without a role stood, which the writer would give it; None for any other."""
    is_roleless = isinstance(content, OBJECT) and "role" not in content
    return Origin(FAMILY, {}, ("role",)) if is_roleless else None


def is_content(value: Any) -> bool:
    """Whether it is a content: parts of Gemini's kinds, or texts, under a role of Gemini's, or kinds under none."""
    if not isinstance(value, OBJECT) or value.get("role") not in (*ROLES, None):
        return False
    parts = value.get("parts")
    if isinstance(parts, list) and parts and all(isinstance(part, str) for part in parts):
        return value.get("role") in _SPEAKERS
    found = [part for part in parts if isinstance(part, OBJECT)] if isinstance(parts, list) else []
    own = (part for part in found[:20] if {"type", "kind"}.isdisjoint(part))  # a `kind` is of the A2A protocol
    return any(not PART_KEYS.isdisjoint(part) for part in own)


class ContentReader:
    """One conversation's contents being read."""

    def __init__(self, notes: Notes) -> None:
        self.notes = notes
        self.calls = OpenCalls(notes)

    def messages(  # noqa: PLR0913  # what stands beside a content differs by the file it stands in
        self,
        role: str,
        parts: Any,
        *,
        line: int = 0,
        uid: str = "",
        name: str = "",
        created: str = "",
        origin: Origin | None = None,
    ) -> Iterator[Message]:
        """One content: each function response a message of its own, before what else is said.

        Ids: `uid` for the first message, `uid.2`, `uid.3` … for the others; "" throughout when `uid` is "".
        """
        speaker: Role = "assistant" if role == "model" else "system" if role == "system" else "user"
        results: list[Part] = []
        others: list[Part] = []
        for raw in parts:
            part = {key: value for key, value in raw.items() if value is not None} if isinstance(raw, OBJECT) else raw
            response = key_of(part, "functionResponse") if isinstance(part, OBJECT) else None
            if isinstance(response, OBJECT):
                results.append(self.response(response))
            else:
                _append(others, self.part(part))
        if speaker == "user" and others:
            self.calls.waiting.clear()
        said: list[tuple[Role, str, tuple[Part, ...]]] = [("tool", "", (result,)) for result in results]
        if others or not said:
            said.append((speaker, name, tuple(others)))
        for number, (kind, named, own) in enumerate(said, 1):
            given = uid if number == 1 or not uid else f"{uid}.{number}"
            yield Message(kind, own, id=given, name=named, created=created, line=line, origin=origin)

    def part(self, raw: Any) -> list[Part]:
        """One part, and its signature before it as reasoning of its own."""
        if not isinstance(raw, OBJECT):
            return [TextPart(raw)] if isinstance(raw, str) and raw else [] if not raw else [TextPart(compact_json(raw))]
        signature = text_value(key_of(raw, "thoughtSignature"))
        bare = {key: value for key, value in raw.items() if key not in ("thoughtSignature", "thought_signature")}
        if bare.get("thought") is True and isinstance(bare.get("text"), str):
            return [ReasoningPart(bare["text"], signature=signature, provider=FAMILY)]
        sealed: list[Part] = [ReasoningPart("", signature=signature, provider=FAMILY)] if signature else []
        call = key_of(bare, "functionCall")
        if isinstance(call, OBJECT):
            args = call.get("args")
            given = text_value(call.get("id"))
            made = self.calls.call(text_value(call.get("name")), {} if args is None else args, given)
            return [*sealed, replace(made, origin=origin_of(FAMILY, call, _CALL_FIELDS, wanted="id args"))]
        return [*sealed, *self.content(bare)]

    def content(self, raw: Mapping[str, Any]) -> list[ContentPart]:
        """A part that may stand in any content, a response's parts included."""
        if isinstance(raw.get("text"), str) and not any(key_of(raw, name) for name in _KINDS if name != "text"):
            known = {"text", "thought", "role"} | _TEXT_FIELDS
            self.notes.count("Texts whose other fields are left out", int(not set(raw) <= known))
            origin = origin_of(FAMILY, raw, _TEXT_FIELDS) if not _TEXT_FIELDS.isdisjoint(raw) else None
            return [TextPart(raw["text"], origin)] if raw["text"] else []
        inline, file = key_of(raw, "inlineData"), key_of(raw, "fileData")
        for held in (inline, file):
            if isinstance(held, OBJECT):
                return [_media(raw, held)]
        kind = next((name for name in _KEPT if isinstance(key_of(raw, name), OBJECT)), "")
        return [opaque_part(kind, raw, FAMILY, self.notes)] if raw else []

    def response(self, raw: Mapping[str, Any]) -> ToolResultPart:
        """A function's response, tied to its call.

        A response of only `output` or `error` is that text (or those texts); any other is its JSON, for Google takes
        the whole object for the output then (https://ai.google.dev/api/caching#FunctionResponse, 2026-11).
        """
        call_id = self.calls.answer(text_value(raw.get("name")), text_value(raw.get("id")))
        said = raw.get("response")
        failed = isinstance(said, OBJECT) and set(said) == {"error"}
        parts: list[ContentPart] = [TextPart(text) for text in _said(said) if text]
        for inner in mappings(raw.get("parts")):
            parts += self.content(inner)
        return ToolResultPart(call_id, tuple(parts), failed, _response_origin(raw, said))


def _response_origin(raw: Mapping[str, Any], said: Any) -> Origin:
    """The origin of a response; `output` did not stand there where the whole object is what is read."""
    fields = ["response"] if said else []
    wanted = "id name" if isinstance(said, OBJECT) and _is_marked(said) else "id name output"
    return origin_of(FAMILY, raw, _RESPONSE_FIELDS, said=fields, wanted=wanted)


def _append(parts: list[Part], more: list[Part]) -> None:
    """Add the parts; the thought that led to a sealed part takes the seal, which belongs to what follows it."""
    if len(more) > 1 and isinstance(more[0], ReasoningPart) and parts:
        before = parts[-1]
        if isinstance(before, ReasoningPart) and not before.signature:
            parts[-1] = replace(before, signature=more[0].signature)
            more = more[1:]
    parts += more


def _is_marked(response: Mapping[str, Any]) -> bool:
    """Whether it says no more than `output` or `error`, a text or several."""
    if len(response) != 1:
        return False
    key, value = next(iter(response.items()))
    texts = value if isinstance(value, list) else [value]
    return key in ("output", "error") and bool(texts) and all(isinstance(text, str) for text in texts)


def _said(response: Any) -> list[str]:
    if response is None:
        return []
    if isinstance(response, OBJECT) and _is_marked(response):
        value = next(iter(response.values()))
        return value if isinstance(value, list) else [value]
    return [response] if isinstance(response, str) else [compact_json(response)]


def _media(raw: Mapping[str, Any], held: Mapping[str, Any]) -> ContentPart:
    mime = text_value(key_of(held, "mimeType"))
    if mime.startswith("image/"):
        data = text_value(held.get("data"))
        width, height = (base64_pixel_size(data) if data else None) or (None, None)
        return ImagePart(raw, width, height)
    if mime.startswith("audio/"):
        return AudioPart(raw)
    return FilePart(raw, text_value(key_of(held, "displayName")))
