"""How a message or part stood in the request it was read from, so that its own provider is sent it again as it came.

What a message says is in its parts; an origin holds what stood beside that. A provider that did not write it is sent
the parts alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

#: Fields that say how a text or call is written, not what: another provider loses nothing with them.
_SHAPE: Final = frozenset({"type", "role"})

#: Keys of what a writer adds by itself, whatever they hold: where they did not stand, they are left out again.
_MADE: Final = frozenset({"id", "role", "type"})


@dataclass(frozen=True, slots=True)
class Origin:
    """What stood around a message or part in the request it was read from.

    Attributes:
        provider: the family that wrote it, see OpaquePart.
        fields: what its object held beside what is read into the message or part; None for a text that was no object.
        absent: keys that a writer adds by itself, and that did not stand there.
        item: the fields of the item that begins with this part, for a provider that sends parts as items; None for a
            part that goes on in the item of the one before it.
        is_shape: whether a provider that is sent only the parts loses nothing that means anything.
    """

    provider: str
    fields: Mapping[str, Any] | None = None
    absent: Sequence[str] = ()
    item: Mapping[str, Any] | None = None
    is_shape: bool = field(init=False)

    def __post_init__(self) -> None:
        lost = [*(self.fields or {}).items(), *(self.item or {}).items()]
        object.__setattr__(self, "is_shape", all(name in _SHAPE or not value for name, value in lost))

    def to_json(self) -> dict[str, Any]:
        """The origin as plain data, without what is empty."""
        given = {"fields": self.fields, "item": self.item}
        data = {name: dict(value) for name, value in given.items() if value is not None}
        return {"provider": self.provider, **data, **({"absent": list(self.absent)} if self.absent else {})}


def origin_from_json(data: Mapping[str, Any] | None) -> Origin | None:
    """The inverse of Origin.to_json; None for none."""
    if data is None:
        return None
    return Origin(data["provider"], data.get("fields"), tuple(data.get("absent", ())), data.get("item"))


def as_it_came(written: Mapping[str, Any], origin: Origin | None, provider: str) -> dict[str, Any]:
    """An object as a provider's writer makes it, with the fields that it had in that provider's own request.

    A key that did not stand there is left out again, unless it says something now. What the writer says stands before
    a field that was empty.
    """
    if origin is None or origin.provider != provider:
        return dict(written)
    kept = {key: value for key, value in written.items() if key not in origin.absent or (value and key not in _MADE)}
    came = origin.fields or {}
    return kept | {key: value for key, value in came.items() if key in _MADE or not kept.get(key)}


def own_fields(origin: Origin | None, provider: str) -> Mapping[str, Any]:
    """The fields that stood beside it in the provider's own request; none for anything else."""
    return (origin.fields or {}) if origin is not None and origin.provider == provider else {}


def is_bare(origin: Origin | None, provider: str) -> bool:
    """Whether a text stood in the provider's own request as a string, not as an object of its own."""
    return origin is not None and origin.provider == provider and origin.fields is None


def is_object(origin: Origin | None, provider: str) -> bool:
    """Whether a text stood in the provider's own request as an object of its own, not as a string."""
    return origin is not None and origin.provider == provider and origin.fields is not None
