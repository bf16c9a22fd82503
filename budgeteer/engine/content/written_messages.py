"""Messages that a packing wrote in the place of others, known again where its request is read back."""

from __future__ import annotations

import re
from typing import Final

from budgeteer.engine.content.conversation import Message, TextPart

#: The line every summary stands under: it says what the text is.
SUMMARY_LINE: Final = "[Conversation summary: earlier messages, shortened to save context]"
#: The line above every block's text. Source: the seed's tool description (dynamic context pruning).
BLOCK_HEADER: Final = "[Compressed conversation section]"
#: A block's own id behind its text. Source: the seed (`bN`).
_BLOCK_TAG: Final = re.compile(r"<id>b[1-9][0-9]{0,8}</id>")
_NOTICE: Final = re.compile(r"\[(?P<count>[1-9][0-9,]{0,12}) earlier messages? removed to save context\]")


def is_summary(message: Message) -> bool:
    """Whether a message is nothing but a summary that a packing wrote."""
    return _only_text(message).startswith(SUMMARY_LINE)


def notice_text(count: int) -> str:
    """What tells the model how many messages were left out."""
    return f"[{count:,} earlier message{'s' * (count != 1)} removed to save context]"


def left_out_of(message: Message) -> int:
    """How many messages a notice says were left out; 0 for any other message."""
    found = _NOTICE.fullmatch(_only_text(message))
    return int(found["count"].replace(",", "")) if found else 0


def is_written(message: Message) -> bool:
    """Whether a message is nothing but a summary or a notice that a packing wrote."""
    text = _only_text(message)
    return bool(text) and (text.startswith(SUMMARY_LINE) or _NOTICE.fullmatch(text) is not None)


def is_block(message: Message) -> bool:
    """Whether a message is nothing but the text of a compressed range, with its id or without."""
    parts = message.parts
    if message.role != "user" or not parts or type(parts[0]) is not TextPart:
        return False
    if not parts[0].text.startswith(BLOCK_HEADER):
        return False
    return all(type(part) is TextPart and _BLOCK_TAG.fullmatch(part.text) is not None for part in parts[1:])


def begins_turn(message: Message) -> bool:
    """Whether somebody typed it: a message of the user's that no program and no earlier packing wrote."""
    if message.role != "user" or not message.typed:
        return False
    first = message.parts[0] if message.parts else None
    if type(first) is not TextPart or not first.text.startswith("["):  # as all that is written does
        return True
    return not (is_written(message) or is_block(message))


def _only_text(message: Message) -> str:
    """The text of a user's message that holds nothing else, "" for any other."""
    parts = message.parts
    if message.role != "user" or len(parts) != 1 or type(parts[0]) is not TextPart:
        return ""
    text = parts[0].text
    return text if text.startswith("[") else ""
