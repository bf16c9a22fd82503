"""The numbers and the shape of a conversation as arrays: what every history strategy decides on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import IntFlag
from itertools import chain

import numpy as np

from budgeteer.engine.chat import (
    ROLES,
    ImagePart,
    Message,
    OpaquePart,
    Part,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)
from budgeteer.engine.groups import Fault, pair
from budgeteer.engine.library import compact_json
from budgeteer.engine.measures import Columns, Ints, Progress, Rows, fresh_rows
from budgeteer.engine.profiles import PROFILES, can_express, image_tokens
from budgeteer.engine.tokens import TokenCounter


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


@dataclass(frozen=True, slots=True)
class MessageMeasures(Columns):
    """One row a message.

    `role` indexes chat.ROLES; `group` and `turn` are those of groups.Pairing; `calls` counts tool calls.
    `frame_tokens` is what the frame costs beside the profile's constant: role, and name where there is one;
    `named` tells whether there is a name; `images` counts pictures. `system_tokens` and `followed_tokens` (system and
    developer texts only) are the text alone and with a blank line after it. Then for each profile: the size as it came,
    the size of what can be sent, the Loss flags (EMPTY: nothing is left) and the number of parts whose tokens are
    unknown.
    """

    role: Ints
    group: Ints
    turn: Ints
    calls: Ints
    is_result: Ints
    frame_tokens: Ints
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
    anthropic_before_tokens: Ints
    anthropic_before_chars: Ints
    anthropic_tokens: Ints
    anthropic_chars: Ints
    anthropic_loss: Ints
    anthropic_unknown: Ints

    def column(self, profile: str, name: str) -> Ints:
        """A profile's column: `before_tokens`, `before_chars`, `tokens`, `chars`, `loss` or `unknown`."""
        column: Ints = getattr(self, f"{profile.removesuffix('-chat')}_{name}")
        return column


@dataclass(frozen=True, slots=True)
class Sendable:
    """The parts of a message a provider can be sent, and why others cannot."""

    parts: tuple[Part, ...]
    loss: Loss


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
        for row in zip(messages, pairing.answered, pairing.fault, strict=True)
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
    """A message with how it pairs up."""

    message: Message
    answered: frozenset[int]
    fault: Fault

    def standing(self) -> bytes:
        """How it pairs up, the same for the same."""
        return b"" if not (self.answered or self.fault) else repr((sorted(self.answered), int(self.fault))).encode()


def sendable(message: Message, profile: str, *, answered: frozenset[int], fault: Fault) -> Sendable:
    """What of a message the provider can be sent, given which of its calls are answered.

    A result that does not pair up goes whole; so does an assistant message's unanswered call.
    """
    loss = {
        Fault.NONE: Loss(0),
        Fault.NO_CALL: Loss.NO_CALL,
        Fault.NOT_NEXT: Loss.NOT_NEXT,
        Fault.REPEATED: Loss.REPEATED,
    }[fault]
    if message.role not in PROFILES[profile].roles:
        loss |= Loss.ROLE
    if loss:
        return Sendable((), loss | Loss.EMPTY)
    parts: list[Part] = []
    for at, part in enumerate(message.parts):
        if isinstance(part, ToolCallPart) and at not in answered:
            loss |= Loss.UNANSWERED_CALL
        elif not can_express(part, profile):
            loss |= _loss_of(part)
        elif isinstance(part, ToolResultPart):
            kept = tuple(inner for inner in part.content if can_express(inner, profile, in_result=True))
            for inner in part.content:
                if inner not in kept:
                    loss |= _loss_of(inner)
            parts.append(ToolResultPart(part.call_id, kept, part.is_error))
        else:
            parts.append(part)
    if all(isinstance(part, ReasoningPart) for part in parts) and (loss or not parts):
        return Sendable((), loss | Loss.EMPTY)
    return Sendable(tuple(parts), loss)


def _loss_of(part: Part) -> Loss:
    match part:
        case ReasoningPart():
            return Loss.REASONING
        case OpaquePart():
            return Loss.OPAQUE
        case TextPart(text=text):
            return Loss.BLANK if text else Loss(0)
        case _:
            return Loss.MEDIA


def _row(paired: _Paired, counter: TokenCounter) -> list[int]:
    """The columns of one message; its place (group and turn) is filled in afterwards."""
    message = paired.message
    named = int(bool(message.name))
    frame = counter.count(message.role) + (counter.count(message.name) if named else 0)
    row = [
        ROLES.index(message.role),
        0,
        0,
        sum(isinstance(part, ToolCallPart) for part in message.parts),
        int(any(isinstance(part, ToolResultPart) for part in message.parts)),
        frame if counter.per_message_overhead else 0,
        named,
        sum(isinstance(part, ImagePart) for part in _flat(message.parts)),
        *_system_sizes(message, counter),
    ]
    plain = _size(message.parts, "openai-chat", counter)
    for profile in PROFILES:
        before = plain if profile == "openai-chat" else _size(message.parts, profile, counter, known=plain)
        sent = sendable(message, profile, answered=paired.answered, fault=paired.fault)
        after = before if sent.parts == message.parts else _size(sent.parts, profile, counter)
        row += [before.tokens, before.chars, after.tokens, after.chars, int(sent.loss), after.unknown]
    return row


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
    images: bool


def _size(parts: Sequence[Part], profile: str, counter: TokenCounter, *, known: _PartSizes | None = None) -> _PartSizes:
    """Tokens and characters of parts: text, results, reasoning, opaque JSON, call names and arguments, images."""
    if known is not None and not known.images:
        return known
    texts: list[str] = []
    picture_tokens = unknown = 0
    images = False
    for part in _flat(parts):
        match part:
            case TextPart(text=text):
                texts.append(text)
            case ToolCallPart(name=name, arguments=arguments):
                texts += [name, arguments]
            case ReasoningPart(text=text, encrypted=encrypted):
                texts.append(text)
                unknown += bool(encrypted)
            case OpaquePart(raw=raw):
                texts.append(compact_json(raw))
            case ImagePart():
                images = True
                estimate = image_tokens(part, profile)
                picture_tokens += estimate or 0
                unknown += estimate is None
            case _:
                unknown += 1
    return _PartSizes(counter.count_parts(texts) + picture_tokens, sum(map(len, texts)), unknown, images)


def _flat(parts: Sequence[Part]) -> list[Part]:
    flat: list[Part] = []
    for part in parts:
        if isinstance(part, ToolResultPart):
            flat.extend(part.content)
        else:
            flat.append(part)
    return flat
