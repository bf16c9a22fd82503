"""What of a message a provider can be sent, and why the rest cannot: losses by name, never a silent repair."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntFlag
from typing import Final

from budgeteer.engine.content.conversation import (
    AudioPart,
    FilePart,
    ImagePart,
    Message,
    OpaquePart,
    Part,
    ReasoningPart,
    Role,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)
from budgeteer.engine.content.library import compact_json
from budgeteer.engine.content.media import media_of
from budgeteer.engine.content.pairing import Fault, Place, has_name
from budgeteer.engine.providers.profiles import PROFILES


class Loss(IntFlag):
    """Why a message cannot be sent as it came; several may hold at once."""

    REASONING = 1
    OPAQUE = 2
    MEDIA = 4
    UNANSWERED_CALL = 8
    NO_CALL = 16
    NOT_NEXT = 32
    REPEATED = 64
    ROLE = 128
    BLANK = 256
    EMPTY = 512
    DANGLING = 1024
    NAME = 2048
    ERROR_MARK = 4096
    MOVED = 8192
    RENAMED = 16384
    UNNAMED_CALL = 32768
    OF_UNNAMED = 65536


#: Every part is sent, but not quite as it came: the message is kept, and says so.
ADAPTED: Final = Loss.NAME | Loss.ERROR_MARK | Loss.MOVED | Loss.RENAMED

_FAULTS: Final = {
    Fault.NONE: Loss(0),
    Fault.NO_CALL: Loss.NO_CALL,
    Fault.NOT_NEXT: Loss.NOT_NEXT,
    Fault.REPEATED: Loss.REPEATED,
    Fault.UNNAMED: Loss.OF_UNNAMED,
}

#: Where a part of a provider's own may stand, if not in the user's and the assistant's messages: OpenAI's refusal is
#: the assistant's, and a call that is none stands nowhere.
_OPAQUE_ROLES: Final[dict[str, tuple[Role, ...]]] = {"refusal": ("assistant",), "tool_call": ()}

#: What Anthropic reads as a picture (https://platform.claude.com/docs/en/build-with-claude/vision, 2026-11-21).
_ANTHROPIC_IMAGES: Final = ("image/jpeg", "image/png", "image/gif", "image/webp")
#: Kinds of parts that messages have in a form of their own. One that is left as it came is in the wrong shape or place.
_WRITTEN_APART: Final = frozenset(
    {"text", "input_text", "output_text", "tool_use", "tool_result", "thinking", "redacted_thinking"}
)
#: The parts of Gemini's that are kept as they came, in the spelling of its API and of its Python SDK.
_GEMINI_PARTS: Final = (
    *("executableCode", "codeExecutionResult", "toolCall", "toolResponse"),
    *("executable_code", "code_execution_result", "tool_call", "tool_response"),
)
_OWN_FILES: Final = {"openai-chat": ("file",), "openai-responses": ("input_file", "file"), "anthropic": ("document",)}


@dataclass(frozen=True, slots=True)
class SupportedParts:
    """The parts of a message a provider can be sent, and why others cannot."""

    parts: tuple[Part, ...]
    loss: Loss


def supported_parts(message: Message, profile: str, place: Place) -> SupportedParts:
    """What of a message the provider can be sent, given how it stands among the others.

    A result that does not pair up goes whole; so does an assistant message's call that is unanswered or names no tool,
    for every provider asks for a name. Reasoning goes where nothing follows that it belongs to.
    """
    loss = _FAULTS[place.fault]
    if message.role not in PROFILES[profile].roles:
        loss |= Loss.ROLE
    if loss:
        return SupportedParts((), loss | Loss.EMPTY)
    loss = _adapted(message, profile, place)
    parts: list[Part] = []
    for at, part in enumerate(message.parts):
        if isinstance(part, ToolCallPart) and at not in place.answered:
            loss |= Loss.UNANSWERED_CALL if has_name(part) else Loss.UNNAMED_CALL
        elif not can_express(part, profile, message.role):
            loss |= _loss_of(part)
        elif isinstance(part, ToolResultPart):
            sent, lost = _result(part, profile)
            parts.append(sent)
            loss |= lost
        else:
            parts.append(_as_sent(part, profile))
    if not parts:
        return SupportedParts((), loss | Loss.EMPTY)
    if not any(isinstance(part, ReasoningPart) for part in parts):
        return SupportedParts(tuple(parts), loss)
    return _with_reasoning(parts, loss, place)


def _with_reasoning(parts: Sequence[Part], loss: Loss, place: Place) -> SupportedParts:
    """The parts without reasoning that leads to nothing; what is nothing else goes whole once it has lost anything."""
    kept = tuple(parts) if _all_reasoning(parts) and place.heir else _followed(parts)
    if len(kept) < len(parts):
        loss |= Loss.DANGLING
    if not kept or (_all_reasoning(kept) and loss & ~ADAPTED):
        return SupportedParts((), loss | Loss.EMPTY)
    return SupportedParts(kept, loss)


def can_express(part: Part, profile: str, role: Role = "user") -> bool:
    """Whether the provider takes this part in a message of that role (`tool`: inside a result).

    A part that only one provider understands goes back to that one: reasoning with its seal, server tools' blocks,
    files by the id of an upload. Pictures, files and sound go wherever bytes of their type, or an address, may stand.
    """
    match part:
        case TextPart(text=text):
            return profile == "openai-chat" or bool(text.strip() if profile == "anthropic" else text)
        case ImagePart(raw=raw) | FilePart(raw=raw) | AudioPart(raw=raw):
            return _MEDIA_RULES[profile](part, raw, role)
        case ReasoningPart():
            return role == "assistant" and _sealed_for(part, profile)
        case OpaquePart(provider=provider, kind=kind):
            here = role in _OPAQUE_ROLES.get(kind, ("user", "assistant")) or profile == "anthropic"
            return here and provider == PROFILES[profile].family
        case ToolCallPart():
            return role == "assistant"
        case ToolResultPart():
            return role == "tool"


def _sealed_for(part: ReasoningPart, profile: str) -> bool:
    if (part.provider or "anthropic") != PROFILES[profile].family:
        return False
    match profile:
        case "openai-responses":
            return bool(part.encrypted)
        case "gemini":
            return bool(part.signature)
        case _:
            return bool(part.signature or part.encrypted)


def _openai_media(part: Part, raw: Mapping[str, object], role: Role) -> bool:
    """Chat: pictures, sound and its own files in the user's messages only; results and replies are text."""
    if role != "user":
        return False
    if isinstance(part, AudioPart | FilePart):
        return raw.get("type") in ("file", "input_audio")
    media = media_of(raw)
    return raw.get("type") == "image_url" or (media is not None and bool(media.data or media.is_on_the_web))


def _responses_media(part: Part, raw: Mapping[str, object], role: Role) -> bool:
    """Responses: pictures and files in the user's messages and in results, and those it drew itself; no sound."""
    if raw.get("type") == "image_generation_call":
        return role == "assistant"
    media = media_of(raw)
    if role not in ("user", "tool") or isinstance(part, AudioPart) or media is None:
        return False
    own = raw.get("type") in ("image_url", "input_image", "file", "input_file")
    return bool(media.data or media.is_on_the_web or (own and media.file_id))


def _anthropic_media(part: Part, raw: Mapping[str, object], role: Role) -> bool:
    """Anthropic: pictures of four types and its own documents, in the user's messages and in results; no sound."""
    if role not in ("user", "tool") or isinstance(part, AudioPart):
        return False
    if isinstance(part, FilePart):
        return raw.get("type") == "document"
    media = media_of(raw)
    given = media is not None and (media.mime in _ANTHROPIC_IMAGES if media.data else media.is_on_the_web)
    return (raw.get("type") == "image" and "source" in raw) or given


def _gemini_media(_part: Part, raw: Mapping[str, object], role: Role) -> bool:
    """Gemini: bytes or an address with a known type, anywhere but in system texts; in results bytes only."""
    media = media_of(raw)
    if media is None or not media.mime:
        return False
    return bool(media.data) or (bool(media.url) and role in ("user", "assistant"))


_MEDIA_RULES: Final = {
    "openai-chat": _openai_media,
    "openai-responses": _responses_media,
    "anthropic": _anthropic_media,
    "gemini": _gemini_media,
}


def _adapted(message: Message, profile: str, place: Place) -> Loss:
    """What is sent in another way than it came, or not sent though no part of the message is it."""
    row = PROFILES[profile]
    loss = Loss(0)
    if message.name and row.speaker is None:
        loss |= Loss.NAME
    if place.moved and row.results_in_order:
        loss |= Loss.MOVED
    if row.call_id is not None:
        ids = [
            part.id for at, part in enumerate(message.parts) if isinstance(part, ToolCallPart) and at in place.answered
        ]
        ids += [part.call_id for part in message.parts if isinstance(part, ToolResultPart)]
        if any(place.again or not row.call_id.match(one) for one in ids):
            loss |= Loss.RENAMED
    return loss


def _result(part: ToolResultPart, profile: str) -> tuple[ToolResultPart, Loss]:
    kept = tuple(_as_sent(inner, profile) for inner in part.content if can_express(inner, profile, "tool"))
    loss = Loss(0)
    for inner in part.content:
        if not can_express(inner, profile, "tool"):
            loss |= _loss_of(inner)
    if part.is_error and not PROFILES[profile].marks_errors:
        loss |= Loss.ERROR_MARK
    return ToolResultPart(part.call_id, kept, part.is_error), loss


def _as_sent[P: Part](part: P, profile: str) -> P | TextPart:
    """The part; as its JSON where no provider reads it as a part.

    Importers make such objects texts. A stored conversation, and the reader of a plugin, may still hold them. The text
    is what the part is counted as, so a count that was stored stays right.
    """
    if isinstance(part, OpaquePart) and not _is_a_part(part, profile):
        return TextPart(compact_json(part.raw))
    return part


def _is_a_part(part: OpaquePart, profile: str) -> bool:
    """Whether a part has what its provider asks of every part: a type, and Gemini's an object of its kind."""
    if profile == "gemini":
        return any(isinstance(part.raw.get(key), Mapping) for key in _GEMINI_PARTS)
    kind = part.raw.get("type")
    if kind is None and profile == "openai-chat" and part.kind == "refusal":
        return True
    return isinstance(kind, str) and bool(kind) and kind not in _WRITTEN_APART


def _followed(parts: Sequence[Part]) -> tuple[Part, ...]:
    """The parts without reasoning that nothing follows."""
    end = len(parts)
    while end and (isinstance(parts[end - 1], ReasoningPart) or _is_blank(parts[end - 1])):
        end -= 1
    return (*parts[:end], *(part for part in parts[end:] if not isinstance(part, ReasoningPart)))


def _is_blank(part: Part) -> bool:
    return isinstance(part, TextPart) and not part.text.strip()


def _all_reasoning(parts: Sequence[Part]) -> bool:
    return all(isinstance(part, ReasoningPart) for part in parts)


def _loss_of(part: Part) -> Loss:
    match part:
        case ReasoningPart():
            return Loss.REASONING
        case TextPart(text=text):
            return Loss.BLANK if text else Loss(0)
        case ImagePart() | FilePart() | AudioPart():
            return Loss.MEDIA
        case _:
            return Loss.OPAQUE
