"""One part of the prompt opened in place: a stretch of its text, its tokens one by one, or the items left out there."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final
from urllib.parse import urlencode

from budgeteer.engine.counting.token_pieces import DIVIDING, TokenPiece, token_pieces
from budgeteer.engine.errors import TextNotCounted
from budgeteer.presentation.labels import count_of
from budgeteer.workbench.item_content.whereabouts import Whereabouts
from budgeteer.workbench.panels.prompt.parts import PromptPart
from budgeteer.workbench.preview import Packed
from budgeteer.workbench.state import PanelName, ViewState

#: The most characters of a text that come at once, and of a text whose tokens are told apart.
CHUNK_CHARS: Final = 50_000
TOKEN_CHUNK_CHARS: Final = 6_000
#: The most items of a placeholder that are listed at once.
CHUNK_ITEMS: Final = 100


@dataclass(frozen=True, slots=True)
class LeftOutItem:
    """An item that was left out: its name, its tokens and the address of the view with it selected."""

    name: str
    tokens: str
    url: str


@dataclass(frozen=True, slots=True)
class OpenedPart:
    """What is put in place.

    Attributes:
        text: a stretch of the text as it is; "" where its tokens are shown.
        pieces: its tokens, in their order.
        sentence: where the stretch stands among the tokens, or why its tokens cannot be told apart.
        items: what was left out here.
        more_query, more_title: asks for what follows; "" where nothing does.
        plain_query: asks for the text as it is, where its tokens are shown.
    """

    text: str = ""
    pieces: tuple[TokenPiece, ...] = ()
    sentence: str = ""
    items: tuple[LeftOutItem, ...] = field(default=())
    more_query: str = ""
    more_title: str = ""
    plain_query: str = ""


def opened_part(packed: Packed, part: PromptPart, *, start: int, by_token: bool) -> OpenedPart:
    """The stretch that begins at the character `start` (of a placeholder: at that item)."""
    if part.is_placeholder:
        return _left_out(packed, part, start)
    text = part.span.text
    tokenizer = packed.packing.allowance.tokenizer
    if not by_token:
        return _text(part, start)
    if tokenizer not in DIVIDING:
        said = f"{tokenizer} counts tokens but does not tell where each begins. {' and '.join(DIVIDING)} do."
        return OpenedPart(text=text[:CHUNK_CHARS], sentence=said, plain_query=_query(part))
    try:
        found = token_pieces(tokenizer, text, start=start, stop=start + TOKEN_CHUNK_CHARS)
    except TextNotCounted as error:
        return OpenedPart(text=text[:CHUNK_CHARS], sentence=error.sentence, plain_query=_query(part))
    end = min(start + TOKEN_CHUNK_CHARS, len(text))
    more = len(text) - end
    first = found.before + 1
    return OpenedPart(
        pieces=found.pieces,
        sentence=f"Tokens {first:,}–{first + found.tokens - 1:,} of this text as it reads here, by {tokenizer}"
        f" ({part.tokens:,} are counted for what is sent)",
        more_query=_query(part, start=end, tokens=1) if more else "",
        more_title=f"Show the tokens of the next {min(more, TOKEN_CHUNK_CHARS):,} of {more:,} more characters",
        plain_query="" if start else _query(part),
    )


def _text(part: PromptPart, start: int) -> OpenedPart:
    text = part.span.text
    end = min(start + CHUNK_CHARS, len(text))
    more = len(text) - end
    return OpenedPart(
        text=text[start:end],
        more_query=_query(part, start=end) if more else "",
        more_title=f"Show the next {min(more, CHUNK_CHARS):,} of {more:,} more characters",
    )


def _left_out(packed: Packed, part: PromptPart, start: int) -> OpenedPart:
    gone = part.span.gone[start : start + CHUNK_ITEMS]
    names, where = packed.names_of(gone), Whereabouts.of(packed.packing)
    ledger = packed.packing.ledger
    state = ViewState(view=PanelName.PROMPT, page=1)
    items = []
    for index in gone:
        rows, row = ledger.place(index)
        name = " · ".join((names[index], *where.of_item(index)[:2]))
        items.append(LeftOutItem(name, f"{int(ledger.before_tokens[index]):,} tokens", state.query(sel=rows.ids[row])))
    end = start + len(gone)
    more = len(part.span.gone) - end
    return OpenedPart(
        items=tuple(items),
        more_query=_query(part, start=end) if more else "",
        more_title=f"Show the next {min(more, CHUNK_ITEMS):,} of {count_of(more, 'more item')}",
    )


def _query(part: PromptPart, *, start: int = 0, tokens: int = 0) -> str:
    pairs = {"part": part.number, "of": part.digest, "from": start, "tokens": tokens}
    return urlencode({name: value for name, value in pairs.items() if value or name == "part"})
