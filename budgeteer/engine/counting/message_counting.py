"""The rows of a conversation's measures: what each message takes, in every provider's form.

Most messages are plain: words, calls that are answered, results of words. Every provider is sent all of such a message,
so its texts are gathered, counted all at once and added up as arrays. Any other message is looked at by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from itertools import chain
from operator import attrgetter
from typing import Final

import numpy as np

from budgeteer.engine.content.conversation import (
    ROLES,
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
from budgeteer.engine.content.origin import Origin
from budgeteer.engine.content.pairing import ALONE, Place
from budgeteer.engine.content.payloads import without_payloads
from budgeteer.engine.counting.calibrated_counter import parameter_tokens
from budgeteer.engine.counting.library_measures import Ints
from budgeteer.engine.counting.tokenizers import TokenCounter
from budgeteer.engine.providers.base import Provider
from budgeteer.engine.providers.call_arguments import (
    ArgumentForm,
    ArgumentsOfCalls,
    argument_chars,
    argument_texts,
    parameters_in,
)
from budgeteer.engine.providers.capabilities import can_express, named_parts, supported_parts
from budgeteer.engine.providers.registry import PROVIDERS

#: The columns of MessageMeasures in their order: those that all providers share, then six for each.
HEAD: Final = (
    *("role", "group", "turn", "calls", "is_result", "frame_tokens", "name_tokens", "named", "images"),
    *("system_tokens", "followed_tokens", "failed", "thoughts"),
)
FORM: Final = ("before_tokens", "before_chars", "tokens", "chars", "loss", "unknown")

#: The families of the providers that charge the name of a message.
_CHARGING_NAMES: Final = frozenset(row.family for row in PROVIDERS.values() if row.overhead.speaker is not None)

#: The providers that charge what stands around reasoning.
_CHARGING_REASONING: Final = tuple(row.name for row in PROVIDERS.values() if row.overhead.reasoning.tokens)

#: Where a part of a family has what only its provider can read.
_SEALS: Final = {row.family: row.capabilities.sealed_key for row in PROVIDERS.values() if row.capabilities.sealed_key}

_ROLE, _CALLS, _IS_RESULT, _FRAME = (HEAD.index(name) for name in ("role", "calls", "is_result", "frame_tokens"))
_ROLE_AT: Final = {role: at for at, role in enumerate(ROLES)}
_role_of, _name_of = map(attrgetter, ("role", "name"))
_PLAIN_ROLES: Final = ("user", "assistant", "tool")


def message_table(
    messages: Sequence[Message], places: Sequence[Place], *, counter: TokenCounter, providers: Collection[str]
) -> Ints:
    """One row a message, the columns HEAD and FORM for each of PROVIDERS; 0 for providers that are not asked for.

    Group and turn are left at 0: they are the pairing's.
    """
    table = np.zeros((len(HEAD) + len(FORM) * len(PROVIDERS), len(messages)), np.int64)
    plain = _Plain([PROVIDERS[name] for name in providers])
    left = plain.take(messages, places)
    plain.write(table, messages, counter)
    for at in left:
        table[:, at] = _row(messages[at], places[at], counter, providers)
    return table.T


@dataclass(frozen=True, slots=True)
class _Sizes:
    """Tokens and characters, one of each a text or call."""

    tokens: Ints
    chars: Ints


@dataclass(frozen=True, slots=True)
class _Calls:
    """Calls with their arguments in one form: their sizes, and how many parameters of each are charged one by one."""

    form: ArgumentForm
    sizes: _Sizes
    parameters: Ints


class _Plain:
    """Plain messages on their way into a table: the texts of all of them, each with the row that it adds to."""

    def __init__(self, providers: Sequence[Provider]) -> None:
        self._providers = providers
        patterns = [provider.capabilities.call_id for provider in providers]
        self._ids = [pattern.match for pattern in patterns if pattern is not None]
        self._tool_names = [provider.tools.names for provider in providers]
        self._taken_names: dict[str, bool] = {}
        self._words: list[str] = []
        self._words_rows: list[int] = []
        self._calls: list[ToolCallPart] = []
        self._calls_rows: list[int] = []

    def take(self, messages: Sequence[Message], places: Sequence[Place]) -> list[int]:
        """Take every message that is plain; the rows of the others."""
        left: list[int] = []
        words, rows = self._words, self._words_rows
        for at, (message, place) in enumerate(zip(messages, places, strict=True)):
            parts: Sequence[Part] | None = message.parts
            role, origin = message.role, message.origin
            has_fields = origin is not None and not origin.is_shape
            if has_fields or message.name or not parts or message.moved or role not in _PLAIN_ROLES:
                left.append(at)
                continue
            if place is not ALONE:
                if role != "assistant" or not self._take_calls(at, parts, place):
                    left.append(at)
                continue
            if role == "tool":
                parts = self._content(parts)
            only = parts[0] if parts and len(parts) == 1 else None
            if (
                type(only) is TextPart
                and (text := only.text)
                and not text.isspace()
                and (only.origin is None or only.origin.is_shape)
                and not only.left_out
            ):
                words.append(text)
                rows.append(at)
            elif parts is None or not self._take_words(at, parts):
                left.append(at)
        return left

    def _content(self, parts: Sequence[Part]) -> Sequence[Part] | None:
        """What the result that these parts are holds, None where they are not one that is plain."""
        result = parts[0]
        if len(parts) > 1 or type(result) is not ToolResultPart or result.is_error or _has_fields(result.origin):
            return None
        return result.content if not self._ids or self._are_known([result.call_id]) else None

    def _take_words(self, at: int, parts: Sequence[Part]) -> bool:
        """Take a row of parts if each is a text that says something; whether they are."""
        texts: list[str] = []
        for part in parts:
            if type(part) is not TextPart or not part.text or part.text.isspace() or _has_fields(part.origin):
                return False
            if part.left_out:
                return False
            texts.append(part.text)
        self._words += texts
        self._words_rows += [at] * len(texts)
        return True

    def _take_calls(self, at: int, parts: Sequence[Part], place: Place) -> bool:
        if place.again or place.moved or place.heir or place.fault:
            return False
        calls: list[ToolCallPart] = []
        for part in parts:
            if type(part) is ToolCallPart:
                if (origin := part.origin) is not None and not origin.is_shape:
                    return False
                if not self._takes_name(part.name):
                    return False
                calls.append(part)
        count = len(calls)
        if count != len(place.answered) or (self._ids and not self._are_known([call.id for call in calls])):
            return False
        if count < len(parts) and not self._take_words(at, [one for one in parts if type(one) is not ToolCallPart]):
            return False
        self._calls += calls
        self._calls_rows += [at] * count
        return True

    def _takes_name(self, name: str) -> bool:
        """Whether every provider takes a tool's name as it is; names repeat."""
        known = self._taken_names.get(name)
        if known is None:
            known = self._taken_names[name] = all(names.takes(name) for names in self._tool_names)
        return known

    def _are_known(self, call_ids: Sequence[str]) -> bool:
        """Whether every provider takes these call ids as they are."""
        return all(match(call_id) for match in self._ids for call_id in call_ids)

    def write(self, table: Ints, messages: Sequence[Message], counter: TokenCounter) -> None:
        """Count what was taken, and write its sizes, with what all messages have: rows that are left are not right."""
        roles = np.fromiter(map(_ROLE_AT.__getitem__, map(_role_of, messages)), np.int64, len(messages))
        table[_ROLE] = roles
        table[_IS_RESULT] = roles == _ROLE_AT["tool"]
        if counter.per_message_overhead:
            table[_FRAME] = np.array([counter.count(role) for role in ROLES], np.int64)[roles]
        calls = np.array(self._calls_rows, np.int64)
        table[_CALLS] = np.bincount(calls, minlength=len(messages))
        forms = {provider.capabilities.argument_form for provider in self._providers}
        texts = [call.arguments for call in self._calls]
        written = {form: ArgumentsOfCalls.of(texts, form) for form in forms}
        read_texts = chain.from_iterable(arguments.texts for arguments in written.values())
        counts = np.array(counter.count_all([*self._words, *read_texts]), np.int64)
        called = list(map(_name_of, self._calls))
        names = _Sizes(_counted_by_kind(called, counter), _lengths(called))
        words = _Sizes(counts[: len(self._words)], _lengths(self._words))
        first = len(self._words)
        for form, arguments in written.items():
            stop = first + len(arguments.texts)
            of_call = np.repeat(np.arange(len(texts)), arguments.counts)
            read = np.bincount(of_call, counts[first:stop], len(texts)).astype(np.int64)
            sizes = _Sizes(names.tokens + read, names.chars + arguments.chars)
            read_calls = _Calls(form, sizes, parameters_in(arguments.counts, form))
            self._write_sizes(table, words, read_calls, counter)
            first = stop

    def _write_sizes(self, table: Ints, words: _Sizes, calls: _Calls, counter: TokenCounter) -> None:
        """Write the sizes of messages for the providers that are sent arguments in the form of these."""
        rows = np.array([*self._words_rows, *self._calls_rows], np.int64)
        size = table.shape[1]
        chars = np.bincount(rows, np.concatenate([words.chars, calls.sizes.chars]), size).astype(np.int64)
        for at, provider in enumerate(PROVIDERS.values()):
            if provider not in self._providers or provider.capabilities.argument_form != calls.form:
                continue
            charged = calls.sizes.tokens + parameter_tokens(provider, counter) * calls.parameters
            tokens = np.bincount(rows, np.concatenate([words.tokens, charged]), size).astype(np.int64)
            if not counter.per_message_overhead:
                tokens = -(-chars // 4)  # under chars/4 a message is one item: its quarter, rounded up once
            first = len(HEAD) + at * len(FORM)
            table[first : first + 4] = (tokens, chars, tokens, chars)


def _has_fields(origin: Origin | None) -> bool:
    """Whether fields stood beside a text or call that another provider is not sent."""
    return origin is not None and not origin.is_shape


def _lengths(texts: Sequence[Sequence[str]]) -> Ints:
    return np.fromiter(map(len, texts), np.int64, len(texts))


def _counted_by_kind(names: Sequence[str], counter: TokenCounter) -> Ints:
    """The tokens of names that repeat."""
    tokens = {name: counter.count(name) for name in set(names)}
    return np.fromiter(map(tokens.__getitem__, names), np.int64, len(names))


def _row(message: Message, place: Place, counter: TokenCounter, providers: Collection[str]) -> list[int]:
    """The columns of one message, whatever it holds."""
    framed = counter.per_message_overhead
    called = message.name or result_name(message)
    name = counter.count(called) if framed else 0
    row = [
        _ROLE_AT[message.role],
        0,
        0,
        sum(isinstance(part, ToolCallPart) for part in message.parts),
        int(any(isinstance(part, ToolResultPart) for part in message.parts)),
        (counter.count(message.role) if framed else 0) + name,
        name,
        int(bool(called)),
        sum(isinstance(part, ImagePart) for part in flat(message.parts)),
        *_system_sizes(message, counter),
        sum(part.is_error for part in message.parts if isinstance(part, ToolResultPart)),
        sum(_is_charged(part, message.role) for part in message.parts if isinstance(part, ReasoningPart)),
    ]
    count = _counted_once(counter)
    for provider in PROVIDERS.values():
        if provider.name not in providers:
            row += [0] * len(FORM)
            continue
        sent = supported_parts(message, provider.name, place)
        charge = parameter_tokens(provider, counter)
        asked = named_parts(message.parts, provider.name)
        before = _size(asked, provider, count, charge=charge, framed=framed)
        unchanged = sent.parts == asked
        after = before if unchanged else _size(sent.parts, provider, count, charge=charge, framed=framed)
        row += [before.tokens, before.chars, after.tokens, after.chars, int(sent.loss), after.unknown]
    return row


def _is_charged(part: ReasoningPart, role: Role) -> bool:
    """Whether a provider takes this reasoning back and charges what stands around it."""
    return any(can_express(part, name, role) for name in _CHARGING_REASONING)


def result_name(message: Message) -> str:
    """The name that stands beside a result in a request whose provider charges names; "" where there is none.

    Such a name is sent again, and OpenAI's published formula charges the `name` of every message.
    """
    origin = message.origin
    if message.role != "tool" or origin is None or origin.provider not in _CHARGING_NAMES:
        return ""
    name = (origin.fields or {}).get("name")
    return name if isinstance(name, str) else ""


def _counted_once(counter: TokenCounter) -> Callable[[tuple[str, ...]], int]:
    """The count of the texts of an item; what several providers are sent alike is counted once."""
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


def _size(
    parts: Sequence[Part], provider: Provider, count: Callable[[tuple[str, ...]], int], *, charge: int, framed: bool
) -> _PartSizes:
    """Tokens and characters of parts: text, results, reasoning, opaque JSON, call names and arguments, images.

    What is sealed counts as unknown: reasoning's payload, and that of an item of OpenAI's; so does base64 in opaque
    JSON. Where nothing is charged beside texts (`framed`), arguments that are read one by one are counted as they are
    sent; `charge` is what stands around each of those.
    """
    texts: list[str] = []
    form = provider.capabilities.argument_form
    form = form if framed or form == "text" else "object"
    picture_tokens = unknown = charged = rewritten_chars = 0
    for part in flat(parts):
        match part:
            case TextPart(text=text):
                texts.append(text)
            case ToolCallPart(name=name, arguments=arguments):
                read = argument_texts(arguments, form)
                texts += [name, *read]
                rewritten_chars += argument_chars(arguments, form) - sum(map(len, read))
                charged += charge * parameters_in(len(read), form)
            case ReasoningPart(text=text, encrypted=encrypted):
                texts.append(text)
                unknown += bool(encrypted)
            case OpaquePart(raw=raw):
                sealed = is_sealed(part)
                seal = _SEALS.get(part.provider)
                read, payload_chars = without_payloads(raw)
                texts.append(compact_json({key: read[key] for key in read if key != seal} if sealed else read))
                unknown += sealed or payload_chars > 0
            case ImagePart():
                estimate = provider.image_tokens(part)
                picture_tokens += estimate or 0
                unknown += estimate is None
            case _:
                unknown += 1
    tokens = count(tuple(texts)) + picture_tokens + charged
    return _PartSizes(tokens, sum(map(len, texts)) + rewritten_chars, unknown)


def is_sealed(part: OpaquePart) -> bool:
    """Whether only its provider can read its content, as that of a `compaction` of OpenAI's."""
    key = _SEALS.get(part.provider)
    return key is not None and isinstance(part.raw.get(key), str)


def flat(parts: Sequence[Part]) -> list[Part]:
    """The parts, with what a result holds in its place."""
    found: list[Part] = []
    for part in parts:
        if isinstance(part, ToolResultPart):
            found.extend(part.content)
        else:
            found.append(part)
    return found
