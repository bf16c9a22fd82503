"""The numbers and the shape of a conversation as arrays: what every history strategy decides on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np

from budgeteer.engine.chat import (
    ROLES,
    AudioPart,
    FilePart,
    ImagePart,
    Message,
    OpaquePart,
    Part,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
    call_input,
)
from budgeteer.engine.expressing import can_express, sendable
from budgeteer.engine.groups import Place, pair
from budgeteer.engine.library import compact_json
from budgeteer.engine.measures import Columns, Ints, Progress, Rows, fresh_rows
from budgeteer.engine.pictures import image_tokens
from budgeteer.engine.profiles import PROFILES, Profile
from budgeteer.engine.tokens import TokenCounter


@dataclass(frozen=True, slots=True)
class MessageMeasures(Columns):
    """One row a message.

    `role` indexes chat.ROLES; `group` and `turn` are those of groups.Pairing; `calls` counts tool calls.
    `frame_tokens` is what the frame costs beside the profile's constant: role, and name where there is one;
    `name_tokens` is the name's share of it, `named` tells whether there is a name; `images` counts pictures.
    `system_tokens` and `followed_tokens` (system and developer texts only) are the text alone and with a blank line
    after it. Then for each profile: the size as it came, the size of what can be sent, the Loss flags (EMPTY: nothing
    is left) and the number of parts whose tokens are unknown.
    """

    role: Ints
    group: Ints
    turn: Ints
    calls: Ints
    is_result: Ints
    frame_tokens: Ints
    name_tokens: Ints
    named: Ints
    images: Ints
    system_tokens: Ints
    followed_tokens: Ints
    openai_before_tokens: Ints
    openai_before_chars: Ints
    openai_tokens: Ints
    openai_chars: Ints
    openai_loss: Ints
    openai_unknown: Ints
    responses_before_tokens: Ints
    responses_before_chars: Ints
    responses_tokens: Ints
    responses_chars: Ints
    responses_loss: Ints
    responses_unknown: Ints
    anthropic_before_tokens: Ints
    anthropic_before_chars: Ints
    anthropic_tokens: Ints
    anthropic_chars: Ints
    anthropic_loss: Ints
    anthropic_unknown: Ints
    gemini_before_tokens: Ints
    gemini_before_chars: Ints
    gemini_tokens: Ints
    gemini_chars: Ints
    gemini_loss: Ints
    gemini_unknown: Ints

    def column(self, profile: str, name: str) -> Ints:
        """A profile's column: `before_tokens`, `before_chars`, `tokens`, `chars`, `loss` or `unknown`."""
        column: Ints = getattr(self, f"{PROFILES[profile].prefix}_{name}")
        return column


def measure_messages(
    messages: Sequence[Message], *, counter: TokenCounter, progress: Progress | None = None
) -> MessageMeasures:
    """Count every message once, for every profile."""
    return measure_conversations([messages], counter=counter, progress=progress)


def measure_conversations(
    conversations: Sequence[Sequence[Message]],
    *,
    counter: TokenCounter,
    progress: Progress | None = None,
    rows: Rows = fresh_rows,
) -> MessageMeasures:
    """Count the messages of several conversations, one conversation's rows after the other's.

    What a message costs depends on itself and on how it pairs up with its neighbours, and on nothing else.
    """
    kept = [tuple(messages) for messages in conversations]
    pairings = [pair(messages) for messages in kept]
    paired = [
        _Paired(*row)
        for messages, pairing in zip(kept, pairings, strict=True)
        for row in zip(messages, pairing.place, strict=True)
    ]
    table = rows(
        len(paired), lambda at: _row(paired[at], counter), beside=lambda at: paired[at].standing(), progress=progress
    )
    return replace(
        MessageMeasures.of_rows(table),
        group=_joined(pairing.group for pairing in pairings),
        turn=_joined(pairing.turn for pairing in pairings),
    )


def _joined(columns: Iterable[Sequence[int]]) -> Ints:
    return np.fromiter(chain.from_iterable(columns), dtype=np.int64)


@dataclass(frozen=True, slots=True)
class _Paired:
    """A message with how it stands among the others."""

    message: Message
    place: Place

    def standing(self) -> bytes:
        """How it stands, the same for the same."""
        place = self.place
        if place == Place():
            return b""
        return repr((sorted(place.answered), int(place.fault), place.heir, place.moved, place.again)).encode()


def _row(paired: _Paired, counter: TokenCounter) -> list[int]:
    """The columns of one message; its group and turn are filled in afterwards."""
    message = paired.message
    framed = counter.per_message_overhead
    name = counter.count(message.name) if framed else 0
    row = [
        ROLES.index(message.role),
        0,
        0,
        sum(isinstance(part, ToolCallPart) for part in message.parts),
        int(any(isinstance(part, ToolResultPart) for part in message.parts)),
        (counter.count(message.role) if framed else 0) + name,
        name,
        int(bool(message.name)),
        sum(isinstance(part, ImagePart) for part in _flat(message.parts)),
        *_system_sizes(message, counter),
    ]
    count = _counted_once(counter)
    for profile in PROFILES.values():
        sent = sendable(message, profile.name, paired.place)
        before = _size(message.parts, profile, count)
        after = before if sent.parts == message.parts else _size(sent.parts, profile, count)
        row += [before.tokens, before.chars, after.tokens, after.chars, int(sent.loss), after.unknown]
    return row


def _counted_once(counter: TokenCounter) -> Callable[[tuple[str, ...]], int]:
    """The count of the texts of an item; what several profiles are sent alike is counted once."""
    known: dict[tuple[str, ...], int] = {}

    def count(texts: tuple[str, ...]) -> int:
        if texts not in known:
            known[texts] = counter.count_parts(texts)
        return known[texts]

    return count


def _system_sizes(message: Message, counter: TokenCounter) -> tuple[int, int]:
    """A system text's tokens alone, and with a blank line after it; 0 for any other message."""
    if message.role not in ("system", "developer"):
        return 0, 0
    text = system_text(message)
    return counter.count(text), counter.count(text + "\n\n")


def system_text(message: Message) -> str:
    """The text of a system or developer message, its text parts joined by a blank line."""
    return "\n\n".join(part.text for part in message.parts if isinstance(part, TextPart))


@dataclass(frozen=True, slots=True)
class _PartSizes:
    tokens: int
    chars: int
    unknown: int


def _size(parts: Sequence[Part], profile: Profile, count: Callable[[tuple[str, ...]], int]) -> _PartSizes:
    """Tokens and characters of parts: text, results, reasoning, opaque JSON, call names and arguments, images."""
    texts: list[str] = []
    picture_tokens = unknown = 0
    for part in _flat(parts):
        match part:
            case TextPart(text=text):
                texts.append(text)
            case ToolCallPart(name=name, arguments=arguments):
                texts += [name, compact_json(call_input(arguments)) if profile.calls_as_objects else arguments]
            case ReasoningPart(text=text, encrypted=encrypted):
                texts.append(text)
                unknown += bool(encrypted)
            case OpaquePart(raw=raw):
                texts.append(compact_json(raw))
            case ImagePart():
                estimate = image_tokens(part, profile.name)
                picture_tokens += estimate or 0
                unknown += estimate is None
            case _:
                unknown += 1
    return _PartSizes(count(tuple(texts)) + picture_tokens, sum(map(len, texts)), unknown)


def unknown_kinds(message: Message, profile: str) -> str:
    """What of a message's parts the provider takes without a published count: "audio", "2 × file"."""
    sent = [part for part in _flat(message.parts) if can_express(part, profile, message.role)]
    kinds = Counter(kind for part in sent if (kind := _unknown_kind(part, profile)))
    return ", ".join(kind if count == 1 else f"{count:,} × {kind}" for kind, count in kinds.items())


def _unknown_kind(part: Part, profile: str) -> str:
    match part:
        case AudioPart():
            return "audio"
        case FilePart():
            return "file"
        case ReasoningPart(encrypted=encrypted) if encrypted:
            return "encrypted reasoning"
        case ImagePart() if image_tokens(part, profile) is None:
            return "image of unknown size"
        case _:
            return ""


def _flat(parts: Sequence[Part]) -> list[Part]:
    flat: list[Part] = []
    for part in parts:
        if isinstance(part, ToolResultPart):
            flat.extend(part.content)
        else:
            flat.append(part)
    return flat
