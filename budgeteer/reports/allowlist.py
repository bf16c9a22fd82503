"""The allow-list of numbers-only reports: every permitted key, with the kind of value it may have.

What is not named here is left out, so a key that is added to a packing stays out of these reports until it is added
here. Kinds of values are numbers, booleans, dates, words of closed sets (vocabulary.py) and models of our table. The
one free text is the title of the report, which is empty unless whoever shares it gives one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from budgeteer.engine.errors import FormatError
from budgeteer.engine.models.registry import MODELS
from budgeteer.presentation.labels import FATE_NAMES
from budgeteer.reports import vocabulary as words
from budgeteer.reports.document import Document

type _Kind = Callable[[Any], Any]
type _Shape = Mapping[str, _Kind]

_DATE: Final = re.compile(r"\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}:\d{2}([+-]\d{2}:\d{2}|Z)?)?")
_APPLICATION: Final = re.compile(r"Budgeteer \d+(\.\d+)*([a-z.+-]{0,5}\d+)*")
_OTHER_MODEL: Final = "another model"


def allowed(document: Mapping[str, Any]) -> Document:
    """What of a report the allow-list names, in its order; no inputs' names, no ids, no sentences, no configuration.

    Raises:
        FormatError: a value is not of its kind.
    """
    safe: Document = {key: kind(document[key]) for key, kind in _DOCUMENT.items()}
    return safe


def _number(value: Any) -> Any:
    if value is None or (isinstance(value, int | float) and not isinstance(value, bool)):
        return value
    raise _wrong("a number")


def _flag(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    raise _wrong("true or false")


def _word(known: words.Words) -> _Kind:
    """One word of a closed set; OTHER in the place of any other."""
    return lambda value: value if isinstance(value, str) and value in known else words.OTHER


def _known(known: words.Words) -> _Kind:
    """One word of a closed set that a page cannot be drawn without."""

    def read(value: Any) -> str:
        if isinstance(value, str) and value in known:
            return value
        raise _wrong("one of a closed set of words")

    return read


def _all_known(known: words.Words) -> _Kind:
    """A list of words of a closed set; any other word is left out."""
    return lambda value: [word for word in value if word in known] if isinstance(value, list) else []


def _settings(value: Any) -> dict[str, Any]:
    """Values of the configuration by path: numbers, switches and words of a closed set, for paths that there are."""
    given = value if isinstance(value, Mapping) else {}
    word = _word(words.SETTINGS)
    return {
        path: each if isinstance(each, int | float) else word(each)
        for path, each in given.items()
        if path in words.SETTINGS
    }


def _matching(pattern: re.Pattern[str]) -> _Kind:
    """A text of one pattern; "" in the place of any other."""
    return lambda value: value if isinstance(value, str) and pattern.fullmatch(value) else ""


def _constant(value: Any) -> _Kind:
    return lambda _given: value


def _title(value: Any) -> str:
    """The words that whoever shares the report gave it."""
    return value if isinstance(value, str) else ""


def _object(shape: _Shape) -> _Kind:
    """An object with the keys of a shape that are there, in the shape's order; None stays None."""

    def read(value: Any) -> Any:
        if value is None:
            return None
        if not isinstance(value, Mapping):
            raise _wrong("an object")
        return {key: kind(value[key]) for key, kind in shape.items() if key in value}

    return read


def _each(shape: _Shape) -> _Kind:
    """A list of objects of one shape."""
    one = _object(shape)

    def read(value: Any) -> list[Any]:
        if not isinstance(value, list):
            raise _wrong("a list")
        return [one(entry) for entry in value]

    return read


def _counts(value: Any) -> dict[str, Any]:
    """How many items have each fate."""
    return {fate: _number(value[fate]) for fate in FATE_NAMES if fate in value}


def _model(value: Any) -> dict[str, Any]:
    """A model: its words from our table, its figures as they were."""
    name = value["name"] if value["name"] in MODELS else words.OTHER
    row = MODELS.get(name)
    told = {
        "name": name,
        "title": row.title if row else _OTHER_MODEL,
        "provider": row.maker if row else "",
        "profile": row.provider if row else words.OTHER,
        "source": row.source if row else "",
    }
    figures: dict[str, Any] = _object(_MODEL)(value)
    return {key: told[key] if key in told else figures[key] for key in value if key in told or key in figures}


def _model_or_none(value: Any) -> str | None:
    return None if value is None else _word(frozenset(MODELS))(value)


def _wrong(wanted: str) -> FormatError:
    return FormatError(
        f"a report of numbers only may hold {wanted} here, and something else was found", mend="Share it again"
    )


_SIZE: Final = _object({"tokens": _number, "chars": _number})
_COUNTED: Final = _object({"items": _number, "tokens": _number, "chars": _number})
_SIDE: Final = _object({"where": _word(words.PLACES), "items": _number, "tokens": _number, "chars": _number})

_MODEL: Final[_Shape] = {
    **dict.fromkeys(("contextWindow", "maxInput", "maxOutput"), _number),
    "tokenizer": _word(words.TOKENIZERS),
    "tokenizerIsStandIn": _flag,
    **dict.fromkeys(("inputPrice", "cachedInputPrice", "outputPrice"), _number),
    "priceDate": _matching(_DATE),
}
_DECISION: Final[_Shape] = {
    "section": _known(words.SECTION_NAMES),
    "category": _known(words.LETTERS),
    "fate": _known(words.FATES),
    "rule": _word(words.RULES),
    "before": _SIZE,
    "after": _SIZE,
    "kind": _known(words.COUNTED),
    "pinned": _flag,
    "counterfactual": _constant(""),
    "conditions": _each({"path": _word(words.SETTINGS), "room": _word(words.ROOMS), "atLeast": _number}),
}
_CALIBRATION: Final[_Shape] = {
    "model": _word(frozenset(MODELS)),
    "tokenizer": _word(words.TOKENIZERS),
    **dict.fromkeys(("perToken", "perMessage", "perCall", "perParameter", "requests"), _number),
    "error": _object(dict.fromkeys(("median", "p95", "p99Under"), _number)),
    "made": _matching(_DATE),
}
_VERDICT: Final[_Shape] = {
    "level": _known(words.LEVELS),
    "limits": _all_known(words.BOUNDS),
    **dict.fromkeys(("askedTokens", "sentTokens", "notSentTokens", "freeTokens", "overTokens", "limitTokens"), _number),
    "counts": _counts,
    "items": _number,
}
_FEATURE_MODES: Final[_Shape] = {
    "mode": _known(words.MODES),
    "keywords": _constant([]),
    **dict.fromkeys(("specs", "found", "loaded"), _number),
    **dict.fromkeys(("all", "search", "tool", "instructions"), _SIZE),
}
_PACKING: Final[_Shape] = {
    "fits": _flag,
    "error": _object(
        {
            "code": _word(words.ERROR_CODES),
            "section": _known(words.SECTION_NAMES),
            "cause": _word(words.ERROR_CAUSES),
            "neededTokens": _number,
            "allowedTokens": _number,
        }
    ),
    "model": _word(frozenset(MODELS)),
    "profile": _word(words.PROVIDER_NAMES),
    "tokenizer": _word(words.TOKENIZERS),
    "kind": _known(words.COUNTED),
    "estimatedTokens": _number,
    "calibration": _object(_CALIBRATION),
    **dict.fromkeys(("window", "outputReserve", "inputBudget", "safetyMarginPercent"), _number),
    "verdict": _object(_VERDICT),
    "total": _SIZE,
    "demand": _SIZE,
    "unknown": _each({"what": _constant("parts of it")}),
    "reported": _object({**dict.fromkeys(("tokens", "inFile", "notInFile"), _number), "otherModel": _model_or_none}),
    "cost": _object(
        {
            "currency": _word(words.CURRENCIES),
            "uncached": _number,
            "cached": _number,
            "priceDate": _matching(_DATE),
        }
    ),
    "sections": _each(
        {
            "name": _known(words.SECTION_NAMES),
            "limitTokens": _number,
            "limitChars": _number,
            "demand": _COUNTED,
            "after": _COUNTED,
        }
    ),
    "overhead": _each(
        {
            "section": _known(words.SECTION_NAMES),
            "name": _word(words.OVERHEADS),
            "tokens": _number,
            "chars": _number,
            "kind": _known(words.COUNTED),
        }
    ),
    "decisions": _each(_DECISION),
    "warnings": _each(
        {
            "limit": _word(words.LIMITS),
            "level": _known(words.WARNING_LEVELS),
            **dict.fromkeys(("used", "allowed", "percent"), _number),
            "fix": _constant(""),
            "set": _settings,
        }
    ),
    "validity": _each({"profile": _known(words.PROVIDER_NAMES), "rule": _word(words.PROVIDER_RULES), "ok": _flag}),
    "notes": _constant([]),
    "featureModes": _object(_FEATURE_MODES),
    "beforeAfter": _each({"name": _word(words.COMPONENTS), "before": _SIDE, "after": _SIDE}),
}
_DOCUMENT: Final[_Shape] = {
    "report": _object(
        {
            "version": _number,
            "application": _matching(_APPLICATION),
            "title": _title,
            "content": _constant("numbers"),
            "createdAt": _matching(_DATE),
        }
    ),
    # A hash tells nothing new, but it confirms a guess: whoever holds a file could ask whether it was this one.
    "inputs": _each(
        {"kind": _word(words.KINDS), "format": _word(words.FORMATS), "bytes": _number, "conversation": _number}
    ),
    "model": _model,
    "preset": _object({"slug": _word(words.PRESETS), "version": _number}),
    "bar": _object(
        {
            "shares": _each(
                {
                    "letter": _known(words.LETTERS),
                    "name": _word(words.CATEGORY_NAMES),
                    "sent": _number,
                    "notSent": _number,
                }
            ),
            **dict.fromkeys(("window", "inputBudget", "limit", "reserve", "thresholdPercent"), _number),
        }
    ),
    "packing": _object(_PACKING),
}
