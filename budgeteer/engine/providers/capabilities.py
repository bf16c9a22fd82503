"""Which parts of a message each provider accepts, and why others are dropped: losses by name, never a silent repair."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
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
from budgeteer.engine.content.pairing import Fault, Place, has_name
from budgeteer.engine.providers.registry import PROVIDERS


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
    FIELDS = 131072
    APART = 262144
    BYTES = 524288
    TOOL_NAME = 1048576


#: Every part is sent, but not quite as it came: the message is kept, and says so.
ADAPTED: Final = Loss.NAME | Loss.ERROR_MARK | Loss.MOVED | Loss.RENAMED | Loss.FIELDS | Loss.APART | Loss.TOOL_NAME

_FAULTS: Final = {
    Fault.NONE: Loss(0),
    Fault.NO_CALL: Loss.NO_CALL,
    Fault.NOT_NEXT: Loss.NOT_NEXT,
    Fault.REPEATED: Loss.REPEATED,
    Fault.UNNAMED: Loss.OF_UNNAMED,
}

#: Whose reasoning is that does not say so: Anthropic's, which was read before parts named their provider.
_REASONING_OF: Final = "anthropic"


@dataclass(frozen=True, slots=True)
class SupportedParts:
    """The parts of a message a provider can be sent, and why others cannot."""

    parts: tuple[Part, ...]
    loss: Loss


def supported_parts(message: Message, provider: str, place: Place) -> SupportedParts:
    """What of a message the provider can be sent, given how it stands among the others.

    A result that does not pair up goes whole; so does an assistant message's call that is unanswered or names no tool,
    for every provider asks for a name. Reasoning goes where nothing follows that it belongs to.
    """
    loss = _FAULTS[place.fault]
    if message.role not in PROVIDERS[provider].capabilities.roles:
        loss |= Loss.ROLE
    if loss:
        return SupportedParts((), loss | Loss.EMPTY)
    loss = _adapted(message, provider, place)
    parts: list[Part] = []
    for at, part in enumerate(named_parts(message.parts, provider)):
        if isinstance(part, ToolCallPart) and at not in place.answered:
            loss |= Loss.UNANSWERED_CALL if has_name(part) else Loss.UNNAMED_CALL
        elif not can_express(part, provider, message.role):
            loss |= _loss_of(part)
        elif isinstance(part, ToolResultPart):
            sent, lost = _result(part, provider)
            parts.append(sent)
            loss |= lost
        else:
            parts.append(_as_sent(part, provider))
    if not parts:
        return SupportedParts((), loss | Loss.EMPTY)
    if not any(isinstance(part, ReasoningPart) for part in parts):
        return SupportedParts(tuple(parts), loss)
    return _with_reasoning(parts, loss, place)


def named_parts(parts: Sequence[Part], provider: str) -> Sequence[Part]:
    """The parts with calls under the names that the provider takes: what is asked of it, and counted as such."""
    names = PROVIDERS[provider].tools.names
    if all(names.takes(part.name) for part in parts if isinstance(part, ToolCallPart)):
        return parts
    return tuple(
        replace(part, name=names.sent(part.name)) if isinstance(part, ToolCallPart) else part for part in parts
    )


def _with_reasoning(parts: Sequence[Part], loss: Loss, place: Place) -> SupportedParts:
    """The parts without reasoning that leads to nothing; what is nothing else goes whole once it has lost anything."""
    kept = tuple(parts) if _all_reasoning(parts) and place.heir else _followed(parts)
    if len(kept) < len(parts):
        loss |= Loss.DANGLING
    if not kept or (_all_reasoning(kept) and loss & ~ADAPTED):
        return SupportedParts((), loss | Loss.EMPTY)
    return SupportedParts(kept, loss)


def can_express(part: Part, provider: str, role: Role = "user") -> bool:
    """Whether the provider takes this part in a message of that role (`tool`: inside a result).

    A part that only one provider understands goes back to that one: reasoning with its seal, server tools' blocks,
    files by the id of an upload, a text that is empty. Pictures, files and sound go wherever bytes of their type, or an
    address, may stand.
    """
    row = PROVIDERS[provider]
    takes = row.capabilities
    match part:
        case TextPart(text=text, origin=origin):
            return takes.takes_text(text) or (not text and origin is not None and origin.provider == row.family)
        case ImagePart(raw=raw) | FilePart(raw=raw) | AudioPart(raw=raw):
            return takes.takes_media(part, raw, role)
        case ReasoningPart(provider=provider):
            return role == "assistant" and (provider or _REASONING_OF) == row.family and takes.takes_reasoning(part)
        case OpaquePart(provider=provider):
            return provider == row.family and takes.takes_opaque(part, role)
        case ToolCallPart():
            return role == "assistant"
        case ToolResultPart():
            return role == "tool"


def _adapted(message: Message, provider: str, place: Place) -> Loss:
    """What is sent in another way than it came, or not sent though no part of the message is it."""
    row = PROVIDERS[provider]
    loss = Loss(0)
    if message.name and row.overhead.speaker is None:
        loss |= Loss.NAME
    if loses_fields(message, row.family):
        loss |= Loss.FIELDS
    if message.moved:
        loss |= Loss.APART
    if any(text.left_out for text in _texts(message)):
        loss |= Loss.BYTES
    if place.moved and row.capabilities.results_in_order:
        loss |= Loss.MOVED
    calls = [part for at, part in enumerate(message.parts) if isinstance(part, ToolCallPart) and at in place.answered]
    if any(not row.tools.names.takes(call.name) for call in calls):
        loss |= Loss.TOOL_NAME
    call_id = row.capabilities.call_id
    if call_id is not None:
        ids = [call.id for call in calls]
        ids += [part.call_id for part in message.parts if isinstance(part, ToolResultPart)]
        if any(place.again or not call_id.match(one) for one in ids):
            loss |= Loss.RENAMED
    return loss


def _texts(message: Message) -> Iterator[TextPart]:
    """The texts of a message, those inside results as well."""
    for part in message.parts:
        inner = part.content if isinstance(part, ToolResultPart) else (part,)
        yield from (one for one in inner if isinstance(one, TextPart))


def loses_fields(message: Message, family: str) -> bool:
    """Whether fields stood beside what it says that only another provider than this family knows."""
    origins = [message.origin]
    for part in message.parts:
        if isinstance(part, TextPart | ToolCallPart | ToolResultPart | ReasoningPart):
            origins.append(part.origin)
        if isinstance(part, ToolResultPart):
            origins += [inner.origin for inner in part.content if isinstance(inner, TextPart)]
    return any(origin is not None and origin.provider != family and not origin.is_shape for origin in origins)


def _result(part: ToolResultPart, provider: str) -> tuple[ToolResultPart, Loss]:
    kept = tuple(_as_sent(inner, provider) for inner in part.content if can_express(inner, provider, "tool"))
    loss = Loss(0)
    for inner in part.content:
        if not can_express(inner, provider, "tool"):
            loss |= _loss_of(inner)
    if part.is_error and not PROVIDERS[provider].capabilities.marks_errors:
        loss |= Loss.ERROR_MARK
    return replace(part, content=kept), loss


def _as_sent[P: Part](part: P, provider: str) -> P | TextPart:
    """The part; as its JSON where no provider reads it as a part.

    Importers make such objects texts. A stored conversation, and the reader of a plugin, may still hold them. The text
    is what the part is counted as, so a count that was stored stays right.
    """
    if isinstance(part, OpaquePart) and not PROVIDERS[provider].capabilities.is_part(part):
        return TextPart(compact_json(part.raw))
    return part


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
