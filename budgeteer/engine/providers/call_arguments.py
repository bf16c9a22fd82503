"""A tool call's arguments as a provider's model reads them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from budgeteer.engine.content.conversation import call_input
from budgeteer.engine.content.library import compact_json, json_object

type ArgumentForm = Literal["text", "object", "parameters"]
"""`text`: as the model wrote them. `object`: as compact JSON. `parameters`: sent as an object too, but read one by one,
a name and a value each: texts as they are, without the marks that JSON puts into them, lists and objects as Python
writes JSON, with blanks and in ASCII (in twelve recorded calls of Claude 4.5 that gives each its tokens to within one,
where compact JSON is 23 to 29 too few)."""


#: As Claude reads tool definitions too (providers/anthropic/tools.py).
_SPACED: Final = json.JSONEncoder(default=json_object)


def argument_texts(arguments: str, form: ArgumentForm) -> tuple[str, ...]:
    """The texts that are counted for the arguments of a call; under `parameters` a name and a value in turn."""
    match form:
        case "text":
            return (arguments,)
        case "object":
            return (compact_json(call_input(arguments)),)
        case "parameters":
            pairs = call_input(arguments).items()
            return tuple(
                text
                for name, value in pairs
                for text in (name, value if isinstance(value, str) else _SPACED.encode(value))
            )


def parameters_in[N: (int, NDArray[np.int64])](texts: N, form: ArgumentForm) -> N:
    """How many parameters so many texts of `argument_texts` are that are charged one by one; 0 under other forms."""
    return texts // 2 if form == "parameters" else texts * 0


def argument_chars(arguments: str, form: ArgumentForm) -> int:
    """The characters of the arguments as they are sent."""
    return len(arguments) if form == "text" else len(compact_json(call_input(arguments)))


@dataclass(frozen=True, slots=True)
class ArgumentsOfCalls:
    """The arguments of many calls in one form.

    Attributes:
        texts: the texts of `argument_texts`, of one call after the other.
        counts: how many of them are each call's.
        chars: the characters of each call's arguments as they are sent.
    """

    texts: Sequence[str]
    counts: NDArray[np.int64]
    chars: NDArray[np.int64]

    @classmethod
    def of(cls, arguments: Sequence[str], form: ArgumentForm) -> ArgumentsOfCalls:
        """Those of each call, `arguments` as the model wrote them."""
        if form == "text":
            return cls(arguments, np.ones(len(arguments), np.int64), np.fromiter(map(len, arguments), np.int64))
        read = [argument_texts(one, form) for one in arguments]
        return cls(
            list(chain.from_iterable(read)),
            np.fromiter(map(len, read), np.int64, len(read)),
            np.fromiter((argument_chars(one, form) for one in arguments), np.int64, len(read)),
        )
