"""Merge a posted form with what was saved since it was drawn, in another tab or by another press.

A form names the preset version and the changes that it was drawn with. What it shows otherwise than that was changed
in it; what holds otherwise now was changed elsewhere. Both are kept. Where both changed the same setting, what was
saved first stays, and the form is told, with a button that takes its own value over.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from budgeteer.engine.config.overlay import unset_path
from budgeteer.engine.errors import ConfigError
from budgeteer.presets.models import PresetVersion
from budgeteer.workbench.config_form.apply import ITEM_PATHS, form_fields, parsed
from budgeteer.workbench.config_form.editable import EditableConfig

MARK_DIGITS: Final = 24


@dataclass(frozen=True, slots=True)
class Merge:
    """What of a posted form is taken.

    Attributes:
        taken: by path, the texts that were changed in the form.
        contested: by path, those that were changed to something else elsewhere.
        elsewhere: the paths that were changed elsewhere.
        is_unknown: the form was drawn with what nobody knows any more, so that nothing of it is taken.
    """

    taken: Mapping[str, str]
    contested: Mapping[str, str] = field(default_factory=dict)
    elsewhere: tuple[str, ...] = ()
    is_unknown: bool = False


def form_mark(delta: Mapping[str, Any]) -> str:
    """The name of the changes that a form shows; what is set on items is not among them."""
    for path in ITEM_PATHS:
        delta = unset_path(delta, path)
    return _digest(delta)


def config_mark(current: EditableConfig) -> str:
    """The name of a whole configuration with the preset version it stands on."""
    return _digest(current.key, current.delta)


def _digest(*parts: object) -> str:
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:MARK_DIGITS]


def merged(
    current: EditableConfig, posted: Mapping[str, str], *, seen: str, mark: str, earlier: Iterable[Mapping[str, Any]]
) -> Merge:
    """Hold a form against what it was drawn with and what holds now.

    Args:
        current: what holds.
        posted: by path, the texts of the form.
        seen: the key of the preset version it was drawn with; "" for the current one.
        mark: the mark of the changes it was drawn with; "" for the current ones.
        earlier: the changes that held before or were undone, the likeliest first.
    """
    if seen in {"", current.key} and mark in {"", form_mark(current.delta)}:
        return Merge(posted)
    drawn = _drawn_with(current, seen=seen, mark=mark, earlier=earlier)
    return Merge({}, is_unknown=True) if drawn is None else _between(*drawn, posted)


def shown_by(current: EditableConfig, *, seen: str, mark: str, earlier: Iterable[Mapping[str, Any]]) -> EditableConfig:
    """What a form shows that was drawn with this version and these changes, so that a group drawn later agrees with it.

    Where nobody knows it any more it is what holds now: nothing of such a form is taken.
    """
    drawn = _drawn_with(current, seen=seen, mark=mark, earlier=earlier)
    return current if drawn is None else drawn[0]


def _drawn_with(
    current: EditableConfig, *, seen: str, mark: str, earlier: Iterable[Mapping[str, Any]]
) -> tuple[EditableConfig, EditableConfig] | None:
    """What a form was drawn with, and what holds now on the same version; None where it is not known any more."""
    try:
        version = _version(seen) if seen not in {"", current.key} else current.version
        delta = next((each for each in (current.delta, *earlier) if form_mark(each) == mark), None)
        if version is None or (mark and delta is None):
            return None
        now = current if version is current.version else current.on(version)
        return (now if delta is None else now.standing_on(delta)), now
    except ConfigError:
        return None


def _between(shown: EditableConfig, now: EditableConfig, posted: Mapping[str, str]) -> Merge:
    known = {each.path: each for each in form_fields()}
    elsewhere = tuple(path for path in known if now.value(path) != shown.value(path))
    taken: dict[str, str] = {}
    contested: dict[str, str] = {}
    for path, text in posted.items():
        value = parsed(known[path], text) if path in known else text
        if path in known and value == shown.value(path):
            continue
        other = path in elsewhere and value != now.value(path)
        (contested if other else taken)[path] = text
    return Merge(taken, contested, elsewhere)


def _version(key: str) -> PresetVersion | None:
    slug, _, number = key.partition("@")
    numbered = PresetVersion.objects.filter(number=int(number)) if number.isdecimal() and len(number) < 10 else None
    return numbered.filter(preset__slug=slug.replace("\0", "?")).first() if numbered is not None else None
