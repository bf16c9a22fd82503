"""The rows of a conversation's measures: what each message takes, in every profile's form.

Most messages are plain: words, calls that are answered, results of words. Every provider is sent all of such a message,
so its texts are gathered, counted all at once and added up as arrays. Any other message is looked at by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Final

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
    call_input,
)
from budgeteer.engine.expressing import sendable
from budgeteer.engine.groups import ALONE, Fault, Place
from budgeteer.engine.library import compact_json
from budgeteer.engine.measures import Ints
from budgeteer.engine.pictures import image_tokens
from budgeteer.engine.profiles import PROFILES, Profile
from budgeteer.engine.tokens import TokenCounter

#: The columns of transcript.MessageMeasures in their order: those of every profile, then six for each.
HEAD: Final = (
    *("role", "group", "turn", "calls", "is_result", "frame_tokens", "name_tokens", "named", "images"),
    *("system_tokens", "followed_tokens"),
)
FORM: Final = ("before_tokens", "before_chars", "tokens", "chars", "loss", "unknown")

SEAL: Final = "encrypted_content"
"""Where an item of OpenAI Responses has what only the provider can read."""

_ROLE, _CALLS, _IS_RESULT, _FRAME = (HEAD.index(name) for name in ("role", "calls", "is_result", "frame_tokens"))
_ROLE_AT: Final = {role: at for at, role in enumerate(ROLES)}
_PLAIN_ROLES: Final = ("user", "assistant", "tool")


def message_table(
    messages: Sequence[Message], places: Sequence[Place], *, counter: TokenCounter, profiles: Collection[str]
) -> Ints:
    """One row a message, the columns HEAD and FORM for each of PROFILES; 0 for profiles that are not asked for.

    Group and turn are left at 0: they are the pairing's.
    """
    table = np.zeros((len(HEAD) + len(FORM) * len(PROFILES), len(messages)), np.int64)
    plain = _Plain([PROFILES[name] for name in profiles])
    for at, message in enumerate(messages):
        if not plain.take(at, message, places[at]):
            table[:, at] = _row(message, places[at], counter, profiles)
    plain.write(table, messages, counter)
    return table.T


class _Plain:
    """Plain messages on their way into a table: the texts of all of them, in the order of their rows."""

    def __init__(self, profiles: Sequence[Profile]) -> None:
        self._profiles = profiles
        self._ids = [profile.call_id.match for profile in profiles if profile.call_id is not None]
        self._words = _Gathered()
        self._names = _Gathered()
        self._arguments = _Gathered()

    def take(self, at: int, message: Message, place: Place) -> bool:
        """Take the message at `at` if it is plain; whether it is."""
        role, parts = message.role, message.parts
        if message.name or not parts or role not in _PLAIN_ROLES:
            return False
        if role == "tool":
            result = parts[0]
            if place is not ALONE or len(parts) > 1 or type(result) is not ToolResultPart or result.is_error:
                return False
            return self._are_known([result.call_id]) and self._words.add_words(at, result.content)
        if place is ALONE:
            return self._words.add_words(at, parts)
        return role == "assistant" and self._take_calls(at, parts, place)

    def _take_calls(self, at: int, parts: Sequence[Part], place: Place) -> bool:
        if place.again or place.moved or place.heir or place.fault is not Fault.NONE:
            return False
        calls: list[ToolCallPart] = []
        words: list[Part] = []
        for part in parts:
            if type(part) is ToolCallPart:
                calls.append(part)
            else:
                words.append(part)
        if len(calls) != len(place.answered) or not self._are_known([call.id for call in calls]):
            return False
        if not self._words.add_words(at, words):
            return False
        self._names.add(at, [call.name for call in calls])
        self._arguments.add(at, [call.arguments for call in calls])
        return True

    def _are_known(self, call_ids: Sequence[str]) -> bool:
        """Whether every profile takes these call ids as they are."""
        return not self._ids or all(match(call_id) for match in self._ids for call_id in call_ids)

    def write(self, table: Ints, messages: Sequence[Message], counter: TokenCounter) -> None:
        """Count what was taken, and write its rows."""
        rows = np.array(self._words.rows, np.int64)
        roles = np.array([_ROLE_AT[messages[row].role] for row in self._words.rows], np.int64)
        table[_ROLE, rows] = roles
        table[_IS_RESULT, rows] = roles == _ROLE_AT["tool"]
        table[_CALLS, self._arguments.rows] = _steps(np.array([self._arguments.ends], np.int64))[0]
        if counter.per_message_overhead:
            table[_FRAME, rows] = np.array([counter.count(role) for role in ROLES], np.int64)[roles]
        shared: Ints = np.zeros((2, len(messages)), np.int64)
        shared[:, rows] = self._words.sizes(counter.count_all)
        if self._names.rows:
            shared[:, self._names.rows] += self._names.sizes(lambda names: _counted_by_kind(names, counter))
        for as_objects in {profile.calls_as_objects for profile in self._profiles}:
            sizes = shared.copy()
            if self._arguments.rows:
                arguments = self._arguments.as_objects() if as_objects else self._arguments
                sizes[:, arguments.rows] += arguments.sizes(counter.count_all)
            tokens, chars = sizes[:, rows] if counter.per_message_overhead else _quartered(sizes[:, rows])
            for form, profile in enumerate(PROFILES.values()):
                if profile in self._profiles and profile.calls_as_objects is as_objects:
                    first = len(HEAD) + form * len(FORM)
                    table[first : first + 4, rows] = (tokens, chars, tokens, chars)


def _quartered(sizes: Ints) -> Ints:
    """Tokens and characters under chars/4, where a message is one item: its characters' quarter, rounded up once."""
    return np.stack([-(-sizes[1] // 4), sizes[1]])


def _steps(sums: Ints) -> Ints:
    """How much each sum adds to the one before it, row by row."""
    steps = sums.copy()
    steps[:, 1:] -= sums[:, :-1]
    return steps


class _Gathered:
    """The texts of some rows: `ends` tells for each row how many texts there are up to and including its own."""

    def __init__(self) -> None:
        self.rows: list[int] = []
        self.ends: list[int] = []
        self.texts: list[str] = []

    def add(self, row: int, texts: Sequence[str]) -> None:
        """Take the texts of a row."""
        self.texts += texts
        self.rows.append(row)
        self.ends.append(len(self.texts))

    def add_words(self, row: int, parts: Sequence[Part]) -> bool:
        """Take a row of parts if each is a text that says something; whether they are."""
        texts = self.texts
        before = len(texts)
        for part in parts:
            if type(part) is not TextPart or not part.text or part.text.isspace():
                del texts[before:]
                return False
            texts.append(part.text)
        self.rows.append(row)
        self.ends.append(len(texts))
        return True

    def sizes(self, count: Callable[[Sequence[str]], Sequence[int]]) -> Ints:
        """The tokens (first) and characters (second) of each row."""
        sums = np.zeros((2, len(self.texts) + 1), np.int64)
        np.cumsum([count(self.texts), list(map(len, self.texts))], axis=1, out=sums[:, 1:])
        return _steps(sums[:, self.ends])

    def as_objects(self) -> _Gathered:
        """The same with each text as the compact JSON of a call's arguments."""
        objects = _Gathered()
        objects.rows, objects.ends = self.rows, self.ends
        objects.texts = [compact_json(call_input(text)) for text in self.texts]
        return objects


def _counted_by_kind(names: Sequence[str], counter: TokenCounter) -> list[int]:
    """The tokens of names that repeat."""
    tokens = {name: counter.count(name) for name in set(names)}
    return [tokens[name] for name in names]


def _row(message: Message, place: Place, counter: TokenCounter, profiles: Collection[str]) -> list[int]:
    """The columns of one message, whatever it holds."""
    framed = counter.per_message_overhead
    name = counter.count(message.name) if framed else 0
    row = [
        _ROLE_AT[message.role],
        0,
        0,
        sum(isinstance(part, ToolCallPart) for part in message.parts),
        int(any(isinstance(part, ToolResultPart) for part in message.parts)),
        (counter.count(message.role) if framed else 0) + name,
        name,
        int(bool(message.name)),
        sum(isinstance(part, ImagePart) for part in flat(message.parts)),
        *_system_sizes(message, counter),
    ]
    count = _counted_once(counter)
    for profile in PROFILES.values():
        if profile.name not in profiles:
            row += [0] * len(FORM)
            continue
        sent = sendable(message, profile.name, place)
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
    """Tokens and characters of parts: text, results, reasoning, opaque JSON, call names and arguments, images.

    What is sealed counts as unknown: reasoning's payload, and that of an item of OpenAI's.
    """
    texts: list[str] = []
    picture_tokens = unknown = 0
    for part in flat(parts):
        match part:
            case TextPart(text=text):
                texts.append(text)
            case ToolCallPart(name=name, arguments=arguments):
                texts += [name, compact_json(call_input(arguments)) if profile.calls_as_objects else arguments]
            case ReasoningPart(text=text, encrypted=encrypted):
                texts.append(text)
                unknown += bool(encrypted)
            case OpaquePart(raw=raw):
                sealed = is_sealed(part)
                texts.append(compact_json({key: raw[key] for key in raw if key != SEAL} if sealed else raw))
                unknown += sealed
            case ImagePart():
                estimate = image_tokens(part, profile.name)
                picture_tokens += estimate or 0
                unknown += estimate is None
            case _:
                unknown += 1
    return _PartSizes(count(tuple(texts)) + picture_tokens, sum(map(len, texts)), unknown)


def is_sealed(part: OpaquePart) -> bool:
    """Whether it is an item of OpenAI's whose content only the provider can read, as a `compaction` is."""
    return part.provider == "openai-responses" and isinstance(part.raw.get(SEAL), str)


def flat(parts: Sequence[Part]) -> list[Part]:
    """The parts, with what a result holds in its place."""
    found: list[Part] = []
    for part in parts:
        if isinstance(part, ToolResultPart):
            found.extend(part.content)
        else:
            found.append(part)
    return found
