"""Frozen dataclasses whose slots are set by their own setters are made, compared and guarded as any other."""

from __future__ import annotations

import copy
import inspect
import pickle
from dataclasses import FrozenInstanceError, dataclass, field, replace
from typing import Any

import pytest

from budgeteer.engine.content.conversation import Message, TextPart
from budgeteer.engine.content.slot_initializers import sets_slots
from budgeteer.formats.messages.outlines import Outline


class _Fields:
    name: str
    place: int = 3
    note: str | None = field(default=None, compare=False, repr=False)
    held: list[int] = field(default_factory=list)


def _dataclass(*decorators: Any) -> Any:
    """A dataclass with the fields above, decorated."""
    made: Any = dataclass(frozen=True, slots=True)(type("Made", (), dict(vars(_Fields))))
    for decorator in decorators:
        made = decorator(made)
    return made


@pytest.mark.parametrize(
    ("places", "names"), [(("a",), {}), (("a", 7, "x"), {}), ((), {"note": "x", "name": "a"}), (("a",), {"place": 0})]
)
def test_arguments_mean_what_they_mean_to_the_usual_initializer(places: tuple[Any, ...], names: dict[str, Any]) -> None:
    usual, sooner = _dataclass()(*places, **names), _dataclass(sets_slots)(*places, **names)
    assert repr(sooner) == repr(usual)
    assert (sooner.name, sooner.place, sooner.note, sooner.held) == (usual.name, usual.place, usual.note, usual.held)
    assert sooner.held is not _dataclass(sets_slots)(*places, **names).held


@pytest.mark.parametrize(("places", "names"), [((), {}), (("a", 1, "x", [], 2), {}), (("a",), {"other": 1})])
def test_wrong_arguments_are_refused(places: tuple[Any, ...], names: dict[str, Any]) -> None:
    for made in (_dataclass(), _dataclass(sets_slots)):
        with pytest.raises(TypeError):
            made(*places, **names)


def test_the_signature_stays() -> None:
    assert inspect.signature(_dataclass(sets_slots)) == inspect.signature(_dataclass())
    assert list(inspect.signature(Message).parameters)[:3] == ["role", "parts", "id"]


def test_messages_stay_frozen_and_can_be_copied() -> None:
    message = Message("user", (TextPart("Hello"),), "m1", created="now")
    with pytest.raises(FrozenInstanceError):
        message.id = "m2"  # type: ignore[misc]
    assert hash(copy.copy(message)) == hash(message)
    assert pickle.loads(pickle.dumps(message)) == message
    assert replace(message, id="m2") == Message("user", (TextPart("Hello"),), "m2", created="now")


def test_a_class_below_sets_the_slots_of_the_one_above() -> None:
    outline = Outline("tool", (), "m1", line=4, place=9)
    assert (outline.role, outline.id, outline.line, outline.place, outline.more) == ("tool", "m1", 4, 9, ())


def test_a_class_that_does_more_than_to_set_its_slots_is_refused() -> None:
    @dataclass(frozen=True, slots=True, kw_only=True)
    class WithNames:
        held: int

    @dataclass(frozen=True, slots=True)
    class WithMore:
        held: int

        def __post_init__(self) -> None:
            raise AssertionError

    @dataclass(frozen=True)
    class WithoutSlots:
        held: int

    for cls in (WithNames, WithMore, WithoutSlots):
        with pytest.raises(TypeError, match=f"{cls.__name__} is not made by setting"):
            sets_slots(cls)
