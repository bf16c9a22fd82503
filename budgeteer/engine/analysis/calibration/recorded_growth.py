"""How much the input grew from one recorded request to the next, and what was added in between.

Two requests that follow each other differ by the reply of the first and what came after it. The growth is free of what
both have and no file holds: system texts and tool definitions of the program that sent them. A growth that something
else may have caused is left out, with the reason.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import pairwise
from typing import Final

import numpy as np

from budgeteer.engine.content.conversation import (
    REQUEST_FORM,
    WITHOUT_TEXTS,
    AudioPart,
    Conversation,
    FilePart,
    ImagePart,
    Message,
    OpaquePart,
    Part,
    ReasoningPart,
    RecordedRequest,
    TextPart,
    ToolCallPart,
    ToolResultPart,
    call_input,
)
from budgeteer.engine.counting.library_measures import Ints
from budgeteer.engine.counting.message_counting import flat
from budgeteer.engine.counting.message_frames import message_frames
from budgeteer.engine.counting.message_measures import measure_messages
from budgeteer.engine.counting.tokenizers import counter_for
from budgeteer.engine.models.registry import ModelRow, known_model
from budgeteer.engine.providers.base import Provider
from budgeteer.engine.providers.registry import PROVIDERS


class LeftOut(StrEnum):
    """Why a recorded request says nothing about counts; the value is what people read."""

    LAST = "no request follows it"
    UNKNOWN_MODEL = "its model is not known"
    OTHER_SERVER = "its reply has the id of another server than its model's maker, which may count otherwise"
    OTHER_MODEL = "the next one went to another model"
    NOT_LARGER = "the next one was not larger: compaction, a rewind or a request in parallel"
    BEGUN = "a context of its program began with it, whose own listings may have come with the next"
    NOT_READ = "the next one did not read all that was in the cache: what stands before the messages may have changed"
    WITHOUT_TEXTS = "the file has its calls and results, and no text beside them"
    NOTHING_ADDED = "the file shows nothing that was added"
    FILES_UNREAD = "a prompt names a file with @, which was sent with it and stands in no line"
    REDACTED = "secrets were taken out of what was added"
    MEDIA = "pictures, files or sound were added"
    SEALED = "parts were added that only the provider can read"
    AT_PROVIDER = "the next one called tools of the provider, whose results its input holds"
    REASONING = "reasoning was added, and its tokens are not recorded"
    REASONING_ENDED = "a new turn began, which reasoning may not have reached"


@dataclass(frozen=True, slots=True)
class RecordedGrowth:
    """One request that can be held against its count.

    Attributes:
        recorded_tokens: how much larger the input of the next request was, without sealed reasoning.
        text_tokens: the tokens counted of the texts that were added, those of calls and results among them.
        counted_tokens: the same with what a packing charges for each message, call and parameter, and with what the
            program is known to have added without a text in its file.
        unwritten_tokens: the last of these.
        speaking: the messages added that neither call a tool nor answer a call.
        calls: the tool calls added, each with its result.
        parameters: the top-level arguments of those calls, where the provider's models read them one by one.
        input_tokens: the recorded input of the next request, without the reasoning that was taken off.
        chain: the same for growths that follow one another, without a compaction or another model between them.
        added: the messages that were added.
    """

    recorded_tokens: int
    text_tokens: int
    counted_tokens: int
    speaking: int
    calls: int
    parameters: int
    input_tokens: int
    chain: int
    unwritten_tokens: int = 0
    added: Sequence[Message] = field(default=(), repr=False)


@dataclass(slots=True)
class ModelRecords:
    """What the files recorded of one model.

    Attributes:
        growths: what can be held against a count, in the order of the files.
        left_out: how many requests cannot, by reason.
    """

    model: str
    row: ModelRow | None
    tokenizer: str
    growths: list[RecordedGrowth]
    left_out: Counter[LeftOut]

    @property
    def requests(self) -> int:
        """All recorded requests of the model."""
        return len(self.growths) + self.left_out.total()


def records_by_model(
    conversations: Iterable[Conversation], *, model: str = "", tokenizer: str = ""
) -> list[ModelRecords]:
    """What conversations recorded, by the model that answered, those with most requests first.

    Args:
        conversations: other branches of one that is among them are passed over: they repeat its requests.
        model: read every name that is not known as this model.
        tokenizer: count with this one instead of each model's own.
    """
    found: dict[str, ModelRecords] = {}
    for conversation in conversations:
        if not conversation.branch_of:
            _add(conversation, found, model, tokenizer)
    return sorted(found.values(), key=lambda one: -one.requests)


def _add(conversation: Conversation, found: dict[str, ModelRecords], model: str, tokenizer: str) -> None:
    requests = conversation.recorded
    counted: dict[str, _Counted] = {}
    chain = sum(records.requests for records in found.values())
    begins = True
    for request, following in _followed(requests):
        name = request.model or conversation.model
        row = known_model(name) or (known_model(model) if model else None)
        key = row.name if row else name
        if key not in found:
            found[key] = ModelRecords(key, row, tokenizer or (row.tokenizer if row else ""), [], Counter())
        records = found[key]
        if row is None or following is None:
            records.left_out[LeftOut.UNKNOWN_MODEL if row is None else LeftOut.LAST] += 1
            continue
        if conversation.metadata.get(WITHOUT_TEXTS):
            records.left_out[LeftOut.WITHOUT_TEXTS] += 1
            continue
        if key not in counted:
            form = conversation.metadata.get(REQUEST_FORM, row.provider)
            counted[key] = _Counted(conversation.messages, records.tokenizer, PROVIDERS[form])
        growth = _growth(request, following, counted[key], chain, begins=begins)
        begins = isinstance(growth, LeftOut) and growth in _BREAKS
        chain += begins
        if isinstance(growth, LeftOut):
            records.left_out[growth] += 1
        else:
            records.growths.append(growth)


#: After these the input is another one.
_BREAKS: Final = frozenset({LeftOut.OTHER_MODEL, LeftOut.NOT_LARGER})


def _followed(requests: Sequence[RecordedRequest]) -> Iterator[tuple[RecordedRequest, RecordedRequest | None]]:
    yield from pairwise(requests)
    if requests:
        yield requests[-1], None


class _Counted:
    """The messages of a conversation with what they count under one model."""

    def __init__(self, messages: Sequence[Message], tokenizer: str, provider: Provider) -> None:
        self.messages = messages
        self.provider = provider
        counter = counter_for(tokenizer)
        measures = measure_messages(messages, counter=counter, providers=[provider.name])
        self.tokens: Ints = np.concatenate(([0], np.cumsum(measures.column(provider.name, "tokens"))))
        self.reads_parameters = counter.per_message_overhead and provider.capabilities.argument_form == "parameters"
        self.per_parameter = provider.overhead.parameter.tokens * self.reads_parameters
        frames = message_frames(measures, provider, counter)
        self.framed: Ints = self.tokens + np.concatenate(([0], np.cumsum(frames)))


def _growth(
    request: RecordedRequest, following: RecordedRequest, counted: _Counted, chain: int, *, begins: bool
) -> RecordedGrowth | LeftOut:
    start, stop = request.position, following.position
    added = counted.messages[start:stop]
    recorded = following.input_tokens - request.input_tokens
    apart = _apart(request, following)
    if apart is not None:
        return apart
    if begins and request.program:
        return LeftOut.BEGUN
    if not added:
        return LeftOut.NOTHING_ADDED
    if following.files_unread:
        return LeftOut.FILES_UNREAD
    parts = [part for message in added for part in message.parts]
    sealed = _sealed(parts, added, request, counted.provider)
    if isinstance(sealed, LeftOut):
        return sealed
    if _calls_at_provider(counted.messages, stop):
        return LeftOut.AT_PROVIDER
    recorded -= sealed
    calls = [part for part in parts if isinstance(part, ToolCallPart)]
    parameters = sum(len(call_input(call.arguments)) for call in calls) if counted.reads_parameters else 0
    text_tokens = int(counted.tokens[stop] - counted.tokens[start]) - counted.per_parameter * parameters
    if recorded <= 0 or not text_tokens:
        return LeftOut.NOT_LARGER if recorded <= 0 else LeftOut.NOTHING_ADDED
    return RecordedGrowth(
        recorded_tokens=recorded,
        text_tokens=text_tokens,
        counted_tokens=int(counted.framed[stop] - counted.framed[start]) + following.unwritten_tokens,
        unwritten_tokens=following.unwritten_tokens,
        speaking=sum(not any(isinstance(part, _CALLING) for part in message.parts) for message in added),
        calls=len(calls),
        parameters=parameters,
        input_tokens=following.input_tokens - sealed,
        chain=chain,
        added=added,
    )


def _apart(request: RecordedRequest, following: RecordedRequest) -> LeftOut | None:
    """Why one request does not go on where the other was, as what was recorded of both tells; None where it does."""
    if (following.model or request.model) != request.model:
        return LeftOut.OTHER_MODEL
    if request.other_server or following.other_server:
        return LeftOut.OTHER_SERVER
    if following.input_tokens <= request.input_tokens:
        return LeftOut.NOT_LARGER
    return None if _reads_on(request, following) else LeftOut.NOT_READ


def _reads_on(request: RecordedRequest, following: RecordedRequest) -> bool:
    """Whether all that one request read from the cache and wrote to it was read by the next.

    Where it was not, it had expired or is another prompt, as after the program was started anew. A provider that
    reports no writes promises no reads.
    """
    cached = request.cache_read_tokens + request.cache_write_tokens
    return not request.cache_write_tokens or following.cache_read_tokens >= cached


_CALLING: Final = (ToolCallPart, ToolResultPart)
_MEDIA: Final = (ImagePart, FilePart, AudioPart)


def _sealed(
    parts: Sequence[Part], added: Sequence[Message], request: RecordedRequest, provider: Provider
) -> int | LeftOut:
    """The tokens of reasoning that is sent back sealed, or why the growth cannot be held against a count."""
    inner = flat(parts)
    if any(isinstance(part, _MEDIA) for part in inner):
        return LeftOut.MEDIA
    if any(isinstance(part, OpaquePart) for part in inner):
        return LeftOut.SEALED
    if any(_is_redacted(part) for part in inner):
        return LeftOut.REDACTED
    takes = provider.capabilities
    reasoning = [part for part in parts if isinstance(part, ReasoningPart)]
    sent = [part for part in reasoning if takes.takes_reasoning(part) or (takes.reasoning_sealed and _is_bare(part))]
    sealed = [part for part in sent if not _is_whole(part)]
    if sealed and (request.reasoning_tokens is None or not all(part.encrypted or _is_bare(part) for part in sealed)):
        return LeftOut.REASONING
    if sent and _ends_turn(added):
        return LeftOut.REASONING_ENDED
    return (request.reasoning_tokens or 0) if sealed else 0


#: What redactors put in the place of what may be a secret, alone or with brackets. Entire's, whose repositories of
#: sessions are public, takes every run of ten letters, digits, slashes and the like that looks random: paths as well
#: (https://github.com/entireio/cli, redact/redact.go).
_REDACTED: Final = "REDACTED"


def _is_redacted(part: Part) -> bool:
    match part:
        case TextPart() | ReasoningPart():
            return _REDACTED in part.text
        case ToolCallPart():
            return _REDACTED in part.arguments
        case _:
            return False


def _ends_turn(added: Sequence[Message]) -> bool:
    """Whether the reply called nothing, or somebody typed a prompt."""
    typed = any(message.role == "user" and message.typed for message in added)
    return typed or not any(isinstance(part, ToolCallPart) for message in added for part in message.parts)


#: By so many bytes a seal of Anthropic's is longer than the thinking that it holds: 67 to 178 in 155 recorded replies
#: of Claude 4.5 and 4.6. In ten others, whose text is a summary, it is longer by 309 to 3,031.
_MOST_OF_SEAL: Final = 200


def _is_whole(part: ReasoningPart) -> bool:
    """Whether its text is all that goes back: as long as what Anthropic sealed, and so no summary of it."""
    sealed_bytes = len(part.signature) * 3 // 4
    return bool(part.text) and 0 < sealed_bytes - len(part.text.encode()) <= _MOST_OF_SEAL


def _is_bare(part: ReasoningPart) -> bool:
    """Whether a file says that there was reasoning, and holds none of it: its seal was taken out."""
    return not (part.text or part.signature or part.encrypted)


def _calls_at_provider(messages: Sequence[Message], start: int) -> bool:
    """Whether the reply that begins here holds parts that its provider ran itself, such as a search of the web."""
    for message in messages[start:]:
        if message.role != "assistant":
            return False
        if any(isinstance(part, OpaquePart) for part in message.parts):
            return True
    return False
