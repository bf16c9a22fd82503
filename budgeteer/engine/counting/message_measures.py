"""The numbers and the shape of a conversation as arrays: what every history strategy decides on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np

from budgeteer.engine.content.conversation import (
    AudioPart,
    FilePart,
    ImagePart,
    Message,
    OpaquePart,
    Part,
    ReasoningPart,
)
from budgeteer.engine.content.pairing import ALONE, Place, pair
from budgeteer.engine.content.payloads import without_payloads
from budgeteer.engine.counting.lazy_messages import ConcatenatedMessages, LazyMessages, outlines_of
from budgeteer.engine.counting.library_measures import (
    Columns,
    Ints,
    Progress,
    ProviderColumns,
    RowSource,
    fresh_rows,
    overlapping_rows,
)
from budgeteer.engine.counting.message_counting import flat, is_sealed, message_table
from budgeteer.engine.counting.tokenizers import TokenCounter
from budgeteer.engine.providers.capabilities import can_express
from budgeteer.engine.providers.pictures import image_tokens
from budgeteer.engine.providers.registry import DEFAULT_PROVIDER, PROVIDERS


@dataclass(frozen=True, slots=True)
class MessageSizes(Columns):
    """One row a message, for one provider.

    The size as it came, the size of what can be sent, the Loss flags (EMPTY: nothing is left) and the number of parts
    whose tokens are unknown.
    """

    before_tokens: Ints
    before_chars: Ints
    tokens: Ints
    chars: Ints
    loss: Ints
    unknown: Ints


@dataclass(frozen=True, slots=True)
class MessageMeasures(ProviderColumns[MessageSizes]):
    """One row a message: its shape, and its sizes for each provider.

    `role` indexes conversation.ROLES; `group` and `turn` are those of pairing.Pairing; `calls` counts tool calls.
    `frame_tokens` is what the frame costs beside the provider's constant: role, and name where there is one;
    `name_tokens` is the name's share of it, `named` tells whether there is a name; `images` counts pictures.
    `system_tokens` and `followed_tokens` (system and developer texts only) are the text alone and with a blank line
    after it. `failed` tells whether it answers a call that failed, `thoughts` counts the reasoning that is sent back to
    a provider which charges what stands around it.
    """

    EACH = MessageSizes
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
    failed: Ints
    thoughts: Ints

    def __len__(self) -> int:
        return len(self.role)

    def column(self, provider: str, name: str) -> Ints:
        """A provider's column: `before_tokens`, `before_chars`, `tokens`, `chars`, `loss` or `unknown`.

        Raises:
            NotMeasured: the provider's columns were not counted.
        """
        column: Ints = getattr(self.of(provider), name)
        return column


def measure_messages(
    messages: Sequence[Message],
    *,
    counter: TokenCounter,
    progress: Progress | None = None,
    providers: Collection[str] = tuple(PROVIDERS),
) -> MessageMeasures:
    """Count every message once, for every provider or for those given (and OpenAI chat, which others are held against).

    To pack for another provider than those, measure again: its columns raise NotMeasured.
    """
    rows = fresh_rows if isinstance(messages, LazyMessages) else overlapping_rows
    measures = measure_conversations([messages], counter=counter, progress=progress, rows=rows, providers=providers)
    asked = {DEFAULT_PROVIDER, *providers}
    return measures if asked.issuperset(PROVIDERS) else measures.only(asked)


def measure_conversations(
    conversations: Sequence[Sequence[Message]],
    *,
    counter: TokenCounter,
    progress: Progress | None = None,
    rows: RowSource = fresh_rows,
    providers: Collection[str] = tuple(PROVIDERS),
) -> MessageMeasures:
    """Count the messages of several conversations, one conversation's rows after the other's.

    What a message costs depends on itself and on how it pairs up with its neighbours, and on nothing else: the very
    same message of several branches, paired up alike, is counted once.

    Of LazyMessages only the stretch that is being counted is in memory; what branches share is counted in each.
    """
    held = not any(isinstance(messages, LazyMessages) for messages in conversations)
    kept = [tuple(messages) for messages in conversations] if held else conversations
    pairings = [pair(outlines_of(messages)) for messages in kept]
    messages = list(chain.from_iterable(kept)) if held else ConcatenatedMessages(kept)
    places = list(chain.from_iterable(pairing.place for pairing in pairings))
    asked = {DEFAULT_PROVIDER, *providers}

    def every(start: int, stop: int) -> Ints:
        return message_table(messages[start:stop], places[start:stop], counter=counter, providers=asked)

    def some(which: Sequence[int]) -> Ints:
        chosen, standing = [messages[at] for at in which], [places[at] for at in which]
        return message_table(chosen, standing, counter=counter, providers=asked)

    same = _same(messages, places) if held and _have_branches(kept) else None
    make = every if same is None else _counted_once(same, some)
    table = rows(len(messages), make, beside=lambda at: _standing(places[at]), progress=progress)
    return replace(
        MessageMeasures.of_rows(table),
        group=_joined(pairing.group for pairing in pairings),
        turn=_joined(pairing.turn for pairing in pairings),
    )


def _have_branches(conversations: Sequence[Sequence[Message]]) -> bool:
    """Whether two conversations begin with the very same message, as branches of one do."""
    begun = [id(messages[0]) for messages in conversations if messages]
    return len(set(begun)) < len(begun)


def _same(messages: Sequence[Message], places: Sequence[Place]) -> Ints:
    """For each message the first place where the very same one stands alike."""
    first: dict[tuple[int, bytes], int] = {}
    found = [
        first.setdefault((id(message), _standing(place)), at)
        for at, (message, place) in enumerate(zip(messages, places, strict=True))
    ]
    return np.array(found, dtype=np.int64)


def _counted_once(same: Ints, count: Callable[[Sequence[int]], Ints]) -> Callable[[int, int], Ints]:
    """Rows from one place to another, of which `count` makes each distinct one once; later ones are copied."""
    known: dict[int, Ints] = {}

    def make(start: int, stop: int) -> Ints:
        wanted = [int(at) for at in same[start:stop]]
        fresh = [at for at in dict.fromkeys(wanted) if at not in known]
        known.update(zip(fresh, count(fresh), strict=True))
        return np.stack([known[at] for at in wanted])

    return make


def _joined(columns: Iterable[Sequence[int]]) -> Ints:
    return np.fromiter(chain.from_iterable(columns), np.int64)


def _standing(place: Place) -> bytes:
    """How a message stands among the others, the same for the same."""
    if place == ALONE:
        return b""
    return repr((sorted(place.answered), int(place.fault), place.heir, place.moved, place.again)).encode()


def unknown_kinds(message: Message, provider: str) -> Counter[str]:
    """How many of a message's parts the provider takes without a published count, by kind ("audio", "file")."""
    sent = [part for part in flat(message.parts) if can_express(part, provider, message.role)]
    return Counter(kind for part in sent if (kind := _unknown_kind(part, provider)))


def _unknown_kind(part: Part, provider: str) -> str:
    match part:
        case AudioPart():
            return "audio"
        case FilePart():
            return "file"
        case ReasoningPart(encrypted=encrypted) if encrypted:
            return "encrypted reasoning"
        case OpaquePart() if is_sealed(part):
            return f"encrypted {part.kind}"
        case OpaquePart(kind=kind, raw=raw) if without_payloads(raw)[1]:
            return f"bytes of {kind}"
        case ImagePart() if image_tokens(part, provider) is None:
            return "image of unknown size"
        case _:
            return ""
