"""A tool call's arguments as a provider's model reads them."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from budgeteer.engine.content.conversation import call_input
from budgeteer.engine.content.library import compact_json

type ArgumentForm = Literal["text", "object", "parameters"]
"""`text`: as the model wrote them. `object`: as compact JSON. `parameters`: sent as an object too, but read one by one,
a name and a value each, with texts as they are, without the marks that JSON puts into them."""


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
                for text in (name, value if isinstance(value, str) else compact_json(value))
            )


def parameters_in[N: (int, NDArray[np.int64])](texts: N, form: ArgumentForm) -> N:
    """How many parameters so many texts of `argument_texts` are that are charged one by one; 0 under other forms."""
    return texts // 2 if form == "parameters" else texts * 0


def argument_chars(arguments: str, form: ArgumentForm) -> int:
    """The characters of the arguments as they are sent."""
    return len(arguments) if form == "text" else len(compact_json(call_input(arguments)))
