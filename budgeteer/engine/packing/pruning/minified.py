"""Minified tool results: JSON without its insignificant white space, other text without trailing and repeated blanks.

JSON keeps its keys, their order and its numbers as they were written, and reads the same. Minifying twice changes
nothing more.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from budgeteer.engine.content.conversation import Message, TextPart, ToolResultPart
from budgeteer.engine.counting.sized import Sized
from budgeteer.engine.counting.tokenizers import TokenCounter
from budgeteer.engine.inputs.bundle import Bundle
from budgeteer.engine.packing.pruning.calls import Calls

#: Where the sizes are kept in `Bundle.prepared`.
KEPT_AS: Final = "pruning.minified"

#: A string of JSON, which stays, or white space outside of strings, which goes.
_STRING_OR_BLANK: Final = re.compile(r'("(?:[^"\\]|\\.)*")|[ \t\r\n]+', re.DOTALL)
_TRAILING: Final = re.compile(r"[ \t]+(?=[\r\n]|\Z)")
_BLANK_LINES: Final = re.compile(r"(?:\r?\n){3,}")


@dataclass(frozen=True, slots=True)
class MinifiedSizes:
    """Per message of a history: whether it is a result that minifying shortens, and its size then."""

    shorter: NDArray[np.bool_]
    sized: Sized


def minified(text: str) -> str:
    """The text without white space that says nothing."""
    if text.lstrip()[:1] in {"{", "["} and _is_json(text):
        return _STRING_OR_BLANK.sub(lambda match: match[1] or "", text)
    return _BLANK_LINES.sub("\n\n", _TRAILING.sub("", text))


def minified_message(message: Message) -> Message:
    """The message with the text of its result minified; one that is more than a result of one text as it is."""
    text = _result_text(message)
    if text is None:
        return message
    parts = (
        replace(part, content=(TextPart(minified(text)),)) if isinstance(part, ToolResultPart) else part
        for part in message.parts
    )
    return replace(message, parts=tuple(parts))


def minified_sizes(bundle: Bundle, calls: Calls, counter: TokenCounter) -> MinifiedSizes:
    """The sizes of a bundle's results once minified, counted at the first packing that asks for them."""
    kept = bundle.prepared.get(KEPT_AS)
    if isinstance(kept, MinifiedSizes):
        return kept
    size = len(bundle.history)
    found = MinifiedSizes(np.zeros(size, np.bool_), Sized(np.zeros(size, np.int64), np.zeros(size, np.int64)))
    for row in np.unique(calls.result_row).tolist():
        text = _result_text(bundle.history[row])
        shorter = "" if text is None else minified(text)
        if text is not None and len(shorter) < len(text):
            found.shorter[row] = True
            found.sized.tokens[row], found.sized.chars[row] = counter.count(shorter), len(shorter)
    bundle.prepared[KEPT_AS] = found
    return found


def _result_text(message: Message) -> str | None:
    """The text of a message that is one result of one text, else None."""
    if len(message.parts) != 1 or not isinstance(part := message.parts[0], ToolResultPart):
        return None
    only = part.content[0] if len(part.content) == 1 else None
    return only.text if isinstance(only, TextPart) else None


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True
