"""The value of a setting as pages print it: numbers with separators, choices as words."""

from __future__ import annotations

import functools
import json
import re
from types import MappingProxyType
from typing import Final

from budgeteer.engine.config.options import fields
from budgeteer.engine.config.size_limits import NO_LIMIT, is_no_limit
from budgeteer.presentation.labels import count_of, wording

#: Characters of a long value (an instruction, a list) that are shown.
SHOWN_CHARS: Final = 60


#: What it means that no choice is made, where that is a choice like others.
UNSET_CHOICES: Final = MappingProxyType({"skillsBudget.optimization.prioritization": "As given"})
#: Choices that their keys do not spell as pages do.
_WORDS: Final = {"xml": "XML", "summarizeOlder": "Summarise older"}
#: A share, as in "90%" and "90% of the window".
_SHARE: Final = re.compile(r"^([0-9.]+)%(?=$| of )")
_KEY: Final = re.compile(r"[a-z]+(?:[A-Z][a-z]+)*")


@functools.cache
def choice_text(value: str) -> str:
    """A choice as words: `Newest first` of `newestFirst`, `User or tool` of `user,tool`."""
    if value in _WORDS:
        return _WORDS[value]
    if not all(_KEY.fullmatch(part) for part in value.split(",")):
        return value
    return re.sub(r"[A-Z]", lambda found: f" {found[0].lower()}", value.replace(",", " or ")).capitalize()


def setting_text(path: str, value: object) -> str:
    """The value of one setting, a number with its unit."""
    if value is None and path in UNSET_CHOICES:
        return UNSET_CHOICES[path]
    if isinstance(value, str) and path in _choices():
        return choice_text(value)
    is_number = isinstance(value, int | float) and not isinstance(value, bool) and not is_no_limit(value)
    unit = wording(path).unit if is_number else ""
    return f"{value_text(value)} {unit.removesuffix('s') if value == 1 else unit}".rstrip()


@functools.cache
def _choices() -> frozenset[str]:
    """The settings that are a choice of words; a tokenizer is chosen by its name."""
    return frozenset(field.path for field in fields() if field.choices and field.path != "tokenizer")


def value_text(value: object) -> str:
    """A number with separators, on or off, texts as they are, anything else as JSON; long ones cut.

    The most that a limit can be is none.
    """
    match value:
        case None:
            return "not set"
        case bool():
            return "on" if value else "off"
        case int() if is_no_limit(value):
            return NO_LIMIT
        case int() | float():
            return f"{value:,}"
        case str():
            said = _SHARE.sub(r"\1 %", value) or "empty"
        case [dict(), *_]:
            return count_of(len(value), "entry").replace("entrys", "entries")
        case []:
            return "none"
        case [*names] if all(isinstance(name, str) for name in names):
            said = ", ".join(map(str, names))
        case _:
            said = json.dumps(value, ensure_ascii=False)
    return said if len(said) <= SHOWN_CHARS else f"{said[: SHOWN_CHARS - 1]}…"
