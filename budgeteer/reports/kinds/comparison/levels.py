"""What of a comparison each level lets through."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from budgeteer.reports import vocabulary as words
from budgeteer.reports.document import Document
from budgeteer.reports.levels.by_level import at_level
from budgeteer.reports.levels.redacted import TITLED_SECTIONS
from budgeteer.reports.levels.text_runs import names_within
from budgeteer.reports.redaction import numbers_only, ordinal_names, setting_path, setting_value
from budgeteer.reports.shapes import COUNTED, SIZE, known_word, list_of, number, object_of, word_of

_SIDE_KEYS: Final = ("model", "preset", "config", "configSha256", "bar", "packing")
_DELTA: Final = object_of(dict.fromkeys(("tokens", "chars", "uncached", "cached"), number))
_SECTIONS: Final = list_of({"name": known_word(words.SECTION_NAMES), "a": COUNTED, "b": COUNTED, "delta": COUNTED})
_DECISION: Final = object_of(
    {"fate": known_word(words.FATES), "rule": word_of(words.RULES), "before": SIZE, "after": SIZE}
)
_LETTER: Final = known_word(words.LETTERS)
_SECTION: Final = known_word(words.SECTION_NAMES)
_RULE: Final = word_of(words.RULES)


def reduce(document: Document, content: str, message_texts: Iterable[str]) -> Document:
    """The comparison with what its level lets through; titles of sides are told in full reports only.

    Raises:
        FormatError: a value is not of its kind.
    """
    return at_level(
        document,
        content,
        redacted=lambda: _redacted(document, message_texts),
        numbers=lambda: _numbers(document),
    )


def _numbers(document: Document) -> Document:
    sides = [numbers_only({**document, **side}) for side in document["sides"]]
    return {
        "report": sides[0]["report"],
        "inputs": sides[0]["inputs"],
        "sides": [{"title": "", **{key: side[key] for key in _SIDE_KEYS}} for side in sides],
        "comparison": _comparison(document["comparison"]),
        "prompt": None,
    }


def _redacted(document: Document, message_texts: Iterable[str]) -> Document:
    safe = _numbers(document)
    given = document["comparison"]["moved"]
    titles = {at: each["name"] for at, each in enumerate(given) if each["section"] in TITLED_SECTIONS}
    files = [each["name"] for each in document["inputs"]]
    quoted = names_within({*titles.values(), *files}, message_texts)
    for at, title in titles.items():
        if title and title not in quoted:
            safe["comparison"]["moved"][at]["name"] = title
    for each, name in zip(safe["inputs"], files, strict=True):
        each["name"] = each["name"] if name in quoted else name
    return safe


def _comparison(given: Mapping[str, Any]) -> dict[str, Any]:
    names = ordinal_names(given["moved"])
    return {
        "delta": _DELTA(given["delta"]),
        "differences": [_difference(each) for each in given["differences"]],
        "sections": _SECTIONS(given["sections"]),
        "moved": [_moved(each, names[each["id"]]) for each in given["moved"]],
    }


def _difference(given: Mapping[str, Any]) -> dict[str, Any]:
    path = given["path"]
    return {"path": setting_path(path), "a": setting_value(path, given["a"]), "b": setting_value(path, given["b"])}


def _moved(given: Mapping[str, Any], name: str) -> dict[str, Any]:
    cause = given["cause"]
    return {
        "id": name,
        "section": _SECTION(given["section"]),
        "name": name,
        "a": _decision(given["a"]),
        "b": _decision(given["b"]),
        "cause": {
            "paths": _paths(cause["paths"]),
            "alone": bool(cause["alone"]),
            "others": _paths(cause["others"]),
            "rule": _RULE(cause["rule"]),
            "sentence": "",
        },
        "category": _LETTER(given["category"]),
    }


def _decision(given: Mapping[str, Any] | None) -> dict[str, Any] | None:
    return None if given is None else {**_DECISION(given), "sentence": ""}


def _paths(given: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(setting_path(path) for path in given))
