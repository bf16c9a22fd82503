"""System texts: the conversation's own messages unchanged, or joined with added pieces into one message.

Where nothing is added, the conversation's leading system messages stay messages, each with its role, its name and its
text. Where a text of ours is added (or a given one stands in their place), all of it is one message under the marker:
pieces joined by blank lines, each counted once, so that their counts add up exactly. Every piece ends with its own line
ends and the next one begins with a visible character (decision 002). A piece that begins otherwise is counted together
with the one before it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from budgeteer.engine.content.conversation import Message, TextPart
from budgeteer.engine.counting.tokenizers import TokenCounter, starts_safely
from budgeteer.engine.inputs.bundle import Bundle, SystemText
from budgeteer.engine.packing.ledger import Overhead, Size
from budgeteer.engine.packing.sections.skill_block import BLOCK_CLOSE
from budgeteer.engine.providers.capabilities import can_express
from budgeteer.engine.providers.registry import DEFAULT_PROVIDER

JOIN: Final = "\n\n"
RULE: Final = "---"
FEATURES_HEADER: Final = "# Feature specifications"


@dataclass(frozen=True, slots=True)
class SystemPiece:
    """One piece of the system message.

    Attributes:
        section, name: where its tokens are booked; an item's piece has name "" and is booked by its own decision.
        text: reads its text.
        tokens, followed_tokens: alone, and with a blank line after it.
        chars: characters.
        safe: whether it may follow a line end and still count by itself.
        alone: the conversation's system message that it is by itself, as it is sent; None for a piece of a text.
    """

    section: str
    name: str
    text: Callable[[], str]
    tokens: int
    followed_tokens: int
    chars: int
    safe: bool = True
    alone: Message | None = None


def are_messages(pieces: Sequence[SystemPiece]) -> bool:
    """Whether the pieces are the conversation's own system messages, each by itself."""
    return bool(pieces) and all(piece.alone is not None for piece in pieces)


def adds_text(bundle: Bundle) -> bool:
    """Whether the bundle has any system text but the conversation's own messages."""
    return any(text.message is None for text in bundle.system)


def message_pieces(bundle: Bundle, provider: str, *, counter: TokenCounter) -> list[SystemPiece]:
    """The conversation's own system messages as they are sent: the text parts that the provider takes.

    What holds nothing of them for this provider is a piece without characters, and is not sent.
    """
    return [_message_piece(text, provider, counter=counter) for text in bundle.system if text.message is not None]


def _message_piece(text: SystemText, provider: str, *, counter: TokenCounter) -> SystemPiece:
    message = text.message
    assert message is not None  # noqa: S101 - asked for before
    said = [part for part in message.parts if isinstance(part, TextPart)]
    sent = [part for part in said if can_express(part, provider, message.role)]
    texts = [part.text for part in sent]
    if len(sent) == len(said) and text.measures is not None:
        tokens = int(text.measures.column(DEFAULT_PROVIDER, "tokens")[0])
    else:
        tokens = counter.count_parts(texts)
    alone = replace(message, parts=tuple(sent))
    return SystemPiece("system", "", lambda: JOIN.join(texts), tokens, tokens, sum(map(len, texts)), alone=alone)


def text_piece(text: str, *, section: str, name: str, counter: TokenCounter) -> SystemPiece:
    """A piece counted here and now."""
    return SystemPiece(
        section, name, lambda: text, counter.count(text), counter.count(text + JOIN), len(text), starts_safely(text)
    )


@functools.lru_cache(maxsize=256)
def fixed_piece(text: str, *, section: str, name: str, counter: TokenCounter) -> SystemPiece:
    """A piece of a short text that stands in many prompts, counted once: a header, a rule, the marker."""
    return text_piece(text, section=section, name=name, counter=counter)


def skills_piece(size: Size, text: Callable[[], str], *, counter: TokenCounter) -> SystemPiece:
    """The skills block, its size known from the fit."""
    close = fixed_piece(BLOCK_CLOSE, section="skills", name="", counter=counter)
    more = close.followed_tokens - close.tokens
    return SystemPiece("skills", "", text, size.tokens, size.tokens + more, size.chars)


def instruction_pieces(bundle: Bundle, *, counter: TokenCounter) -> list[list[SystemPiece]]:
    """The sections made of system texts: the system text, each spec under its header, the workspace context."""
    sections: list[list[SystemPiece]] = []
    own = [text for text in bundle.system if text.kind == "system"]
    if own:
        sections.append([_system_piece(text, counter=counter) for text in own])
    for text in bundle.system:
        if text.kind != "system":
            title = "# Workspace context" if text.kind == "workspace" else f"# Specification: {text.name}"
            header = fixed_piece(title, section="system", name="headers", counter=counter)
            sections.append([header, _system_piece(text, counter=counter)])
    return sections


def _system_piece(text: SystemText, *, counter: TokenCounter) -> SystemPiece:
    """A system text as it was counted at import; one that was given is counted as it comes."""
    written = text.text
    if text.tokens is None or text.followed_tokens is None:
        return text_piece(written, section="system", name="", counter=counter)
    safe = starts_safely(written)
    return SystemPiece("system", "", lambda: written, text.tokens, text.followed_tokens, len(written), safe)


def marked(pieces: Sequence[SystemPiece], marker: str, *, counter: TokenCounter) -> list[SystemPiece]:
    """The pieces under the marker, which stands once at the top of every system message (seed: change 1).

    A text that already begins with it is left alone, so that packing a packed prompt changes nothing.
    """
    if not pieces or not marker:
        return list(pieces)
    if pieces[0].section == "system" and pieces[0].text().startswith(marker):
        return list(pieces)
    return [fixed_piece(marker, section="system", name="marker", counter=counter), *pieces]


def joined(sections: Sequence[Sequence[SystemPiece]], *, counter: TokenCounter) -> list[SystemPiece]:
    """The pieces of all sections in order, a rule between two sections."""
    rule = fixed_piece(RULE, section="system", name="rules between sections", counter=counter)
    pieces: list[SystemPiece] = []
    for section in sections:
        if pieces and section:
            pieces.append(rule)
        pieces.extend(section)
    return pieces


def pieces_tokens(pieces: Sequence[SystemPiece], *, counter: TokenCounter, closed: bool = True) -> int:
    """The whole text in tokens, items and all; `closed` unless more text follows its last piece."""
    items = sum(piece.tokens for piece in pieces if not piece.name)
    return items + sum(entry.size.tokens for entry in piece_overheads(pieces, counter=counter, closed=closed))


def piece_overheads(pieces: Sequence[SystemPiece], *, counter: TokenCounter, closed: bool = True) -> list[Overhead]:
    """What the text costs beside its items: named pieces by name, and the joins.

    Messages by themselves have neither. The joins are what the blank lines add to the piece before them; where a piece
    does not begin safely, the run of pieces is counted whole and the difference is booked here, so that the sum stays
    exact. Joins inside retrieval are retrieval's own, for they count against its share. `closed` unless more text
    follows the last piece.
    """
    if are_messages(pieces):
        return []
    named: dict[tuple[str, str], Size] = {}
    for piece in pieces:
        if piece.name:
            key = (piece.section, piece.name)
            named[key] = named.get(key, Size()) + Size(piece.tokens, piece.chars)
    overheads = [Overhead(section, name, size, counter.kind) for (section, name), size in named.items()]
    joins = {"system": Size(_unsafe_difference(pieces, counter=counter, closed=closed)), "retrieval": Size()}
    for at, piece in enumerate(pieces if not closed else pieces[:-1]):
        after = pieces[at + 1].section if at + 1 < len(pieces) else ""
        section = "retrieval" if piece.section == after == "retrieval" else "system"
        joins[section] += Size(piece.followed_tokens - piece.tokens, len(JOIN))
    for section, size in joins.items():
        tokens = size.tokens if counter.per_message_overhead else 0
        overheads.append(Overhead(section, "joins", Size(tokens, size.chars), counter.kind))
    return overheads


def _unsafe_difference(pieces: Sequence[SystemPiece], *, counter: TokenCounter, closed: bool) -> int:
    difference = 0
    start = 0
    while start < len(pieces):
        end = start + 1
        while end < len(pieces) and not pieces[end].safe:
            end += 1
        if end - start > 1:
            last = closed and end == len(pieces)
            text = JOIN.join(piece.text() for piece in pieces[start:end]) + ("" if last else JOIN)
            apart = sum(piece.followed_tokens for piece in pieces[start:end])
            if last:
                apart += pieces[end - 1].tokens - pieces[end - 1].followed_tokens
            difference += counter.count(text) - apart
        start = end
    return difference
