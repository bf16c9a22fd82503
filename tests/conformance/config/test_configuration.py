"""The configuration's canonical form, and its overlays."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from budgeteer.engine.config.options import Field, fields
from budgeteer.engine.config.overlay import delta_between, get_path, merge, set_path
from budgeteer.engine.config.schema import dump_config, load_config
from budgeteer.engine.errors import ConfigError

pytestmark = pytest.mark.conformance

FIELDS = {field.path: field for field in fields()}
TEXT = st.text(alphabet='aé日 ."\\/', max_size=5)


def is_taken(path: str, text: str) -> bool:
    """Whether a text is one that the field takes: some must not be blank."""
    try:
        load_config(set_path({}, path, text))
    except ConfigError:
        return False
    return True


#: The values of each map of names.
MAPS: dict[str, st.SearchStrategy[Any]] = {
    "skillsBudget.policies": st.sampled_from(["auto", "pinned", "nameOnly", "off"]),
    "history.priorities": st.integers(-(10**6), 10**6),
    "history.keepWith": TEXT,
    "skillsBudget.installRoots": TEXT,
}
LISTS_OF_OBJECTS = frozenset({"pruning.ranges", "calibrations"})


def values_of(field: Field) -> st.SearchStrategy[Any]:
    """Values the field documents as usable."""
    low, high = int(field.minimum or 0), int(field.maximum if field.maximum is not None else 10**6)
    match field.kind:
        case "bool":
            found: st.SearchStrategy[Any] = st.booleans()
        case "choice":
            found = st.sampled_from(field.choices)
        case "int":
            found = st.integers(low, high)
        case "percentOrInt":
            found = st.integers(low, high) | st.integers(0, 100).map(lambda percent: f"{percent}%")
        case "number":
            found = st.floats(field.minimum or 0, field.maximum if field.maximum is not None else 1)
        case "list":
            found = st.just([]) if field.path in LISTS_OF_OBJECTS else st.lists(TEXT, max_size=3)
        case "map":
            found = st.dictionaries(TEXT, MAPS[field.path], max_size=3)
        case _:
            found = TEXT.filter(lambda text: is_taken(field.path, text))
    return found | st.none() if field.nullable else found


@st.composite
def changes(draw: st.DrawFn) -> dict[str, Any]:
    """Some leaves of the configuration, each with a usable value, nested as JSON."""
    data: dict[str, Any] = {}
    for path in draw(st.lists(st.sampled_from(sorted(FIELDS)), max_size=8, unique=True)):
        data = set_path(data, path, draw(values_of(FIELDS[path])))
    return data


@given(changes())
def test_the_canonical_form_is_a_fixed_point_of_load_and_dump(data: dict[str, Any]) -> None:
    once = dump_config(load_config(data))
    assert dump_config(load_config(once)) == once
    assert list(dump_config(load_config(once))) == list(once)


@given(changes())
def test_what_was_set_is_what_the_canonical_form_says(data: dict[str, Any]) -> None:
    canonical = dump_config(load_config(data))
    for path in FIELDS:
        given_value = get_path(data, path)
        if given_value is not None:
            assert get_path(canonical, path) == given_value


@given(changes(), changes())
def test_the_smallest_delta_leads_from_one_configuration_to_the_other(
    first: dict[str, Any], second: dict[str, Any]
) -> None:
    base, changed = dump_config(load_config(first)), dump_config(load_config(merge(first, second)))
    delta = delta_between(base, changed)
    assert dump_config(load_config(merge(base, delta))) == changed
    assert (delta == {}) == (base == changed)


@pytest.mark.parametrize("path", sorted(FIELDS))
def test_a_misspelt_key_is_refused_at_its_place(path: str) -> None:
    parent, _, key = path.rpartition(".")
    wrong = f"{parent}.{key}x" if parent else f"{key}x"
    with pytest.raises(ConfigError) as caught:
        set_path({}, wrong, 1)
    assert caught.value.where == wrong
    assert path in caught.value.mend
